#pragma once
/// Picks the body at a point of the image. Numbers only, on the host: a pass over a million bodies takes some
/// milliseconds, and clicks are rare.

#include <optional>
#include <span>

#include "render/body_renderer.hpp"
#include "sim/backend/instance_sink.hpp"

namespace tri::render {

/// The id of the body at (x, y) in pixels from the upper left corner. Spheres: the foremost whose disc, as drawn,
/// covers the point. If there is none, and for glow and points: the one whose disc (glow and points: centre) is
/// nearest, up to `reach` pixels away. Bodies that are not drawn are ignored: not finite, behind the eye, or around it.
std::optional<u32> pick(std::span<const Instance> bodies, const FrameView& view, const BodyStyle& style, float x,
                        float y, float reach = 8);

}  // namespace tri::render
