#pragma once
/// Screen positions of the cells of a map trace: flat grids as squares, deep ones as cubes seen from a corner. Pure
/// geometry, no ImGui.

#include <vector>

#include "app/gui/base/layout.hpp"
#include "app/views/map_trace.hpp"

namespace tri::app::gui {

/// A square, or a cube given by the centre of its hexagon. Greater `depth` is nearer and hides what is behind.
struct Spot {
  float x = 0, y = 0;  ///< of its centre, in pixels
  float depth = 0;
  u32 index = 0;  ///< of the cell or tile
};

struct GridLayout {
  bool deep = false;
  float size = 0;           ///< side of a square, or edge of a cube, in pixels
  std::vector<Spot> spots;  ///< in drawing order: the nearest last

  /// Those that cover a point, the nearest first; in a flat layout one at most.
  std::vector<u32> at(float x, float y) const;
};

/// Parallel space: each launch as its grid; a long row of blocks wraps into rows of about equal length.
GridLayout place_cells(const MapTrace& picture, const Rect& place);
/// Data space.
GridLayout place_tiles(const MapTrace& picture, const Rect& place);

}  // namespace tri::app::gui
