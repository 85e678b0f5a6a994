#pragma once
/// The parts of the window: columns of panels, the scene, the bottom pane and the status line.

namespace tri::app::gui {

/// A rectangle of the window in pixels, origin at the upper left.
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
};

struct Layout {
  Rect left, right, scene, pane, status;  ///< left is empty where all panels share one column; both without panels
};
/// pane: the bottom pane takes the lower half of the scene.
Layout layout(float width, float height, float scale, bool panels, bool pane = false);

}  // namespace tri::app::gui
