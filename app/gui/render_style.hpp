#pragma once
/// From the options of `render` to how its pictures look. Pure.

#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/camera.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {

/// Throws ConfigError for names that are none.
void check_look(const RenderOptions& options);

/// What suits the laws, but for what the options say. Throws as check_look().
render::BodyStyle style_of(const RenderOptions& options, const Scene& scene);

/// The camera of frame `frame` of `frames` (0 the first), from the one that sees the whole scene.
render::Camera camera_of(const RenderOptions& options, const render::Camera& whole, u64 frame, u64 frames);

}  // namespace tri::app::gui
