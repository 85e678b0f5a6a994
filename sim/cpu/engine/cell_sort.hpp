#pragma once
/// Spheres sorted by the cells of a uniform grid (broad_phase.hpp), and the pairs of neighbouring cells as tiles.
///
/// A cell meets itself (the triangle of its spheres, along the map in use) and one half of its neighbours, so that
/// every pair of neighbouring cells is met once. Cells of a row along x lie one behind the other, so up to three
/// neighbours are one rectangle:
///
///     z + 1    [-1 . . +1]   y + 1
///              [-1 . . +1]   y           13 cells in five rectangles,
///              [-1 . . +1]   y - 1       one more for each row that the fold cuts
///     z        [-1 . . +1]   y + 1
///                    [+1]    y

#include <vector>

#include "sim/backend/broad_phase.hpp"
#include "sim/cpu/kernels/function_ref.hpp"
#include "sim/cpu/kernels/memory.hpp"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cpu {

template <class Real>
struct CellSort {
  CellGrid<Real> grid;
  std::vector<u32> begin;       ///< [cells + 1] places of the spheres of a cell
  std::vector<u32> body;        ///< [n] which sphere stands at a place; rising within a cell
  AlignedVector<Real> x, y, z;  ///< [n] by place
  AlignedVector<Real> r;        ///< [n] by place, times `widened`

  BodyView<Real> view() const { return {x.data(), y.data(), z.data(), nullptr, r.data(), nullptr, nullptr, nullptr}; }
};

/// Sorts n spheres. Radii come out multiplied by `widened`.
template <class Real>
CellSort<Real> sort_by_cell(const BodyView<Real>& spheres, u32 n, const CellGrid<Real>& grid, Real widened,
                            u32 threads);

/// Calls work(thread, tile) for tiles of places that hold every pair of spheres of one cell or of neighbouring cells
/// once. Within a cell the tiles are those of the map at this block; a cell of no more than a block is one tile,
/// whatever the map. Which thread meets which tile varies from run to run.
template <class Real>
void for_each_near_tile(const CellSort<Real>& cells, TriangleMapId map, u32 block, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work);

}  // namespace tri::cpu
