#pragma once
/// A state of an automaton on a fractal as a picture of any coarseness, straight from compact storage: no square of
/// n x n is made. No window, no GL.
///
/// sums[v] holds, for each tile of s^v cells a side, how many of its cells are on. In compact storage such a tile is a
/// block of k^ceil(v/2) x k^floor(v/2) neighbours, so each of these arrays is made of the one before by adding k
/// neighbours, in turn along a row and along a column. A picture goes down from the whole only as far as texels need.

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

  /// out[cols * rows]: texel (i, j) stands for the cells from (col + i step, row + j step), step x step of them; of a
  /// fractal in three dimensions, for all layers. The share of its cells that are on; NaN where it has none.
  void read(u32 col, u32 row, u32 cols, u32 rows, u32 step, std::span<float> out) const;

 private:
  struct Reading;
  void descend(Reading& reading, u32 level, PackedCell at, const FractalCell& corner) const;

  FractalShape shape_;
  u32 levels_, side_;
  std::vector<u32> widths_;               ///< of sums_[v], in tiles
  std::vector<std::vector<u32>> sums_;    ///< [levels + 1]
  std::vector<u64> sizes_, cell_counts_;  ///< s^v and k^v
};

}  // namespace tri::app
