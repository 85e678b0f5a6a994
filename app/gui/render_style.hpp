#pragma once
/// Style and camera of `render` from its options. Pure.

#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/camera.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui {

/// Throws ConfigError for unknown names.
void check_look(const RenderOptions& options);
/// Throws ConfigError for an option that does not act in this style, which the scene or other options have chosen.
void check_look(const RenderOptions& options, const render::BodyStyle& style);

/// The style of the options, else that of the scene. Throws as check_look().
render::BodyStyle style_of(const RenderOptions& options, const Scene& scene);

/// The camera of frame `frame` of `frames` (0 the first), from one that shows the whole scene.
render::Camera camera_of(const RenderOptions& options, const render::Camera& whole, u64 frame, u64 frames);

}  // namespace tri::app::gui
