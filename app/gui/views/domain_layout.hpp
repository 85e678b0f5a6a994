#pragma once
/// Screen positions of the cells of a map trace: flat grids as squares, deep ones as cubes, at first seen from a
/// corner. Pure geometry, no ImGui.

#include <array>
#include <vector>

#include "app/gui/base/layout.hpp"
#include "app/gui/base/pane_choices.hpp"
#include "app/views/map_trace.hpp"

namespace tri::app::gui {

/// How a figure in depth is seen: from where, in radians, and without how many layers z, from above.
struct DeepView {
  float yaw = kCornerYaw, pitch = kCornerPitch;
  u32 removed = 0;
};

/// A square, or a cube given by its centre. Greater `depth` is nearer and hides what is behind.
struct Spot {
  float x = 0, y = 0;  ///< of its centre, in pixels
  float depth = 0;
  u32 index = 0;  ///< of the cell or tile
};

struct GridLayout {
  using Offset = std::array<float, 2>;
  bool deep = false;
  float size = 0;                 ///< side of a square, or edge of a cube seen from its corner, in pixels
  std::array<Offset, 3> edges{};  ///< of a cube along x, y and z, towards the viewer, in pixels
  std::vector<Spot> spots;        ///< in drawing order: the nearest last

  /// Those that cover a point, the nearest first; in a flat layout one at most.
  std::vector<u32> at(float x, float y) const;
  /// The face of a cube across the axis, which is towards the viewer, as four corners around it.
  std::array<Offset, 4> face(const Spot& cube, std::size_t axis) const;
  /// The outline of a cube.
  std::array<Offset, 6> outline(const Spot& cube) const;
};

/// Parallel space: each launch as its grid; a long row of blocks wraps into rows of about equal length.
GridLayout place_cells(const MapTrace& picture, const Rect& place, const DeepView& view = {});
/// Data space.
GridLayout place_tiles(const MapTrace& picture, const Rect& place, const DeepView& view = {});

}  // namespace tri::app::gui
