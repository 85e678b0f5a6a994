#pragma once
/// Which body stands at a place of the picture. Numbers only, on the host: a click is rare, and one pass over a million
/// bodies takes some milliseconds.

#include <optional>
#include <span>

#include "render/body_renderer.hpp"
#include "sim/backend/instance_sink.hpp"

namespace tri::render {

/// The body (by id) seen at (x, y) in pixels of the picture, from its upper left corner. Spheres: the foremost whose
/// disc, as it is drawn, covers the place; where there is none, and for light and points, the one whose disc
/// (of light and points: whose middle) is nearest, up to `reach` pixels away. Bodies that are not numbers, lie behind
/// the eye or around it are passed over, as they are not drawn.
std::optional<u32> pick(std::span<const Instance> bodies, const FrameView& view, const BodyStyle& style, float x,
                        float y, float reach = 8);

}  // namespace tri::render
