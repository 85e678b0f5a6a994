#pragma once
/// Names beside their bodies.

#include <imgui.h>

#include <optional>
#include <span>
#include <vector>

#include "app/gui/base/layout.hpp"
#include "app/gui/base/scene_view.hpp"

namespace tri::app::gui::start {

/// A body on the screen and the size of its name, in pixels.
struct LabelSpot {
  float x, y, width, height;
  bool there;  ///< in front of the camera
};
/// Where the names go: right of the body, left, above or below, `gap` away, wholly within the scene and off the names
/// before; none where no side has room.
std::vector<std::optional<Rect>> place_labels(std::span<const LabelSpot> spots, const Rect& scene, float gap);

void body_labels(ImDrawList& draw, const SceneView& view, float scale, const Rect& scene);

}  // namespace tri::app::gui::start
