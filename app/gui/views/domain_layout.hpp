#pragma once
/// Where the cells of a domain picture stand on the screen: flat grids as squares, deep ones as cubes seen from a
/// corner. Pure geometry, no ImGui.

#include <optional>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/views/map_trace.hpp"

namespace tri::app::gui {

/// A square, or a cube by the middle of its hexagon; `depth` orders what hides what, the greater the nearer.
struct Spot {
  float x = 0, y = 0;  ///< of its middle, in pixels
  float depth = 0;
  u32 index = 0;  ///< of the cell or tile
};

struct GridLayout {
  bool deep = false;
  float size = 0;           ///< side of a square, or edge of a cube, in pixels
  std::vector<Spot> spots;  ///< in the order of drawing: the nearest last

  /// The nearest that covers a point.
  std::optional<u32> at(float x, float y) const;
};

/// Parallel space: each launch as its grid; a long row of blocks is broken into rows of about equal length.
GridLayout place_cells(const MapTrace& picture, const Rect& place);
/// Data space.
GridLayout place_tiles(const MapTrace& picture, const Rect& place);

}  // namespace tri::app::gui
