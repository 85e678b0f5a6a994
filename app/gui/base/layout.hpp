#pragma once
/// The parts of the window: the rail with its panel, the scene with the bottom pane below it, the right column, the
/// frame strip and the status line.

namespace tri::app::gui {

/// A rectangle of the window in pixels, origin at the upper left.
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
};

/// What is open.
struct LayoutChoice {
  bool panels = true;      ///< false: the scene alone, for demonstrations and films
  bool left = false;       ///< the panel of the rail, over the scene
  bool pinned = false;     ///< beside it: it narrows the scene
  float left_width = 320;  ///< at scale 1
  float column_width = 0;  ///< of the right column, at scale 1; 0: what suits the window
  bool column = false;     ///< the right column over the scene, where the window has no room for it beside the scene
  bool pane = false;       ///< the bottom pane takes the lower half of the scene
  bool whole = false;      ///< that pane takes the whole of it
  bool lanes = false;      ///< the lanes of the last frames stand between the scene and the frame strip
};

struct Layout {
  Rect rail, left, right, scene, pane, lanes, strip, status;  ///< w = 0: not there
  Rect free;                                                  ///< the part of the scene that no panel covers
  bool narrow = false;                                        ///< no room for the right column beside the scene
  bool compact = false;  ///< little height or width: columns leave out what can wait
  float row = 0;         ///< height of a row of maps
};
/// Of the panel of the rail, at scale 1.
inline constexpr float kLeastLeft = 240, kMostLeft = 720;
/// Of the right column, at scale 1.
inline constexpr float kLeastColumn = 300, kMostColumn = 900;

Layout layout(float width, float height, float scale, const LayoutChoice& choice);

/// A picture in the middle of another rectangle from (0, 0), as large as it fits without a change of its shape. Sizes
/// in pixels, of the picture >= 1.
Rect fitted(float width, float height, float room_width, float room_height);

}  // namespace tri::app::gui
