#pragma once
/// Splits a launch of a map into grids that a GPU accepts (x <= 2^31 - 1, y and z <= 65535), each with the position of
/// its first block. Every position is in exactly one grid.
///
///     launch 5 x 3 with limits 2 x 2:      0 0 1 1 2      number = grid, each a rectangle at its origin
///                                          0 0 1 1 2
///                                          3 3 4 4 5

#include "map_concepts.hpp"

namespace tri {

/// Most blocks that a grid may have in each direction. The defaults hold for every CUDA device since compute capability
/// 3.0.
struct GridLimits {
  u32 x = 2147483647u;
  u32 y = 65535u;
  u32 z = 65535u;
};

/// One legal grid: x * y * z positions from `origin` on; or, for one of `step` ranks, every step-th of each row, from
/// `first` on in the first row, from the next in the second, ...
struct GridPiece {
  u32 x = 1, y = 1, z = 1;
  Position origin;
  u32 step = 1, first = 0;
};

/// Position of block (bx, by, bz) of a piece in the whole launch.
TRI_HD constexpr Position position_in(const GridPiece& piece, u32 bx, u32 by, u32 bz) {
  const Position& o = piece.origin;
  return {o.x + bx, o.y + by, o.z + bz, o.pass};
}

/// The same where ranks share the piece: block (bx, by, bz) of the rows' parts, which are rounded up. False for a block
/// beyond its row.
TRI_HD constexpr bool share_of(const GridPiece& piece, u32 bx, u32 by, u32 bz, Position& to) {
  u64 x = bx;
  if (piece.step > 1) x = u64{bx} * piece.step + (piece.first + by + bz) % piece.step;
  const Position& o = piece.origin;
  to = {o.x + x, o.y + by, o.z + bz, o.pass};
  return x < piece.x;
}

/// Whether a position lies in a launch. (Thread-space launches are padded to whole blocks of threads; the threads
/// beyond the launch must not call the map.)
TRI_HD constexpr bool contains(const Launch& launch, Position p) {
  return p.x < launch.x && p.y < launch.y && p.z < launch.z;
}

/// A thread-space launch in blocks of bx x by threads.
TRI_HD constexpr Launch in_blocks(const Launch& threads, u32 bx, u32 by) {
  return {threads.x / bx + (threads.x % bx != 0), threads.y / by + (threads.y % by != 0), threads.z, threads.pass};
}

/// Calls f(GridPiece) for each grid, x fastest; never for a launch without positions.
template <class F>
void for_each_grid(const Launch& launch, F&& f, GridLimits limits = {}) {
  const auto part = [](u64 whole, u64 from, u32 limit) {
    return static_cast<u32>(whole - from < limit ? whole - from : limit);
  };
  if (positions(launch) == 0) return;
  for (u64 z = 0; z < launch.z; z += limits.z) {
    for (u64 y = 0; y < launch.y; y += limits.y) {
      for (u64 x = 0; x < launch.x; x += limits.x) {
        f(GridPiece{part(launch.x, x, limits.x),
                    part(launch.y, y, limits.y),
                    part(launch.z, z, limits.z),
                    {x, static_cast<u32>(y), static_cast<u32>(z), launch.pass}});
      }
    }
  }
}

/// The same for all launches of a map: the loop around a kernel (docs/maps-in-code.md).
template <Map M, class F>
void for_each_grid(const M& map, F&& f, GridLimits limits = {}) {
  for (u32 pass = 0; pass < map.launch_count(); ++pass) for_each_grid(map.launch(pass), f, limits);
}

}  // namespace tri
