#pragma once
/// Images of an automaton's state on a fractal at any resolution, directly from compact storage, without the n x n
/// square. No window, no GL.
///
/// sums[v] holds the number of live cells of each tile of s^v cells per side. In compact storage such a tile is a block
/// of k^ceil(v/2) x k^floor(v/2) neighbours, so each array follows from the previous one by adding k neighbours,
/// alternately along rows and columns. Reading descends from the root only as far as the texels require.

#include <span>
#include <vector>

#include "sim/maps/fractal_shape.hpp"

namespace tri::app {

class FractalPicture {
 public:
  FractalPicture(const FractalShape& shape, u32 levels);

  u32 side() const noexcept { return side_; }
  u32 levels() const noexcept { return levels_; }
  /// cells: [k^floor(r/2)][k^ceil(r/2)] of 0 and 1.
  void update(std::span<const u8> cells);
  u64 on() const { return sums_.back().front(); }

  /// out[cols * rows]: texel (i, j) covers step x step positions from (col + i step, row + j step), in three dimensions
  /// all layers. Its value is the fraction of its cells that are on; NaN if it has no cells.
  void read(u32 col, u32 row, u32 cols, u32 rows, u32 step, std::span<float> out) const;

 private:
  struct Query;
  void descend(Query& query, u32 level, PackedCell at, const FractalCell& corner) const;

  FractalShape shape_;
  u32 levels_, side_;
  std::vector<u32> widths_;               ///< of sums_[v], in tiles
  std::vector<std::vector<u32>> sums_;    ///< [levels + 1]
  std::vector<u64> sizes_, cell_counts_;  ///< s^v and k^v
};

}  // namespace tri::app
