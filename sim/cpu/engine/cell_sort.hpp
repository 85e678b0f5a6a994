#pragma once
/// Spheres sorted by the cells of a uniform grid (broad_phase.hpp), and the pairs of neighbouring cells as tiles.
///
/// Each cell pairs with itself (the triangle of its spheres, with the map in use) and with half of its neighbours, so
/// every pair of neighbouring cells is visited once. Cells along x are contiguous, so up to three neighbours form one
/// rectangle:
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
  std::vector<u32> begin;       ///< [cells + 1] index of each cell's first sphere in sorted order
  std::vector<u32> body;        ///< [n] body at each sorted index; ascending within a cell
  AlignedVector<Real> x, y, z;  ///< [n] in sorted order
  AlignedVector<Real> r;        ///< [n] in sorted order, times `widened`

  BodyView<Real> view() const { return {x.data(), y.data(), z.data(), nullptr, r.data(), nullptr, nullptr, nullptr}; }
};

/// Sorts n spheres by cell and multiplies radii by `widened`.
template <class Real>
CellSort<Real> sort_by_cell(const BodyView<Real>& spheres, u32 n, const CellGrid<Real>& grid, Real widened,
                            u32 threads);

/// Calls work(thread, tile) for tiles of sorted indices that together cover every pair of spheres in the same or in
/// neighbouring cells exactly once. Tiles within a cell are those of the map at this block; a cell of at most `block`
/// spheres is one tile for every map. Which thread gets which tile varies from run to run. Reports progress as
/// for_each_tile() does.
template <class Real>
void for_each_near_tile(const CellSort<Real>& cells, TriangleMapId map, u32 block, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work);

}  // namespace tri::cpu
