#pragma once
/// The scale bar in the lower right corner of the scene, and the clock above it.

#include <string>

#include "app/gui/base/layout.hpp"
#include "render/camera.hpp"

struct ImDrawList;

namespace tri::app::gui::panel {

/// Draws a round length at the distance of the camera's target, with its number and unit above ("10 kpc"), and above
/// that the clock, a text that the caller makes (empty: none). unit: of lengths, empty where the scene has none. scale:
/// of the display. Nothing where the scene is too small.
void scale_bar(ImDrawList& draw, const render::Camera& camera, const Rect& scene, const std::string& unit,
               const std::string& clock, float scale);

}  // namespace tri::app::gui::panel
