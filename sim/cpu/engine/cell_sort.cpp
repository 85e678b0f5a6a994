// Counting sort by cell, and the loop over cells: threads claim a few cells at a time from a shared counter. All
// threads work together on cells that hold a large part of the bodies.

#include "sim/cpu/engine/cell_sort.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "sim/cpu/kernels/tile_loop.hpp"
#include "sim/cpu/kernels/walk_report.hpp"

namespace tri::cpu {

/// Consecutive spheres in the order of their cells.
struct SphereRange {
  u32 begin = 0, end = 0;
};

namespace {

/// Cells that a thread claims at a time.
constexpr u32 kCellChunk = 256;
/// All threads share a cell with at least this many spheres, taking this many rows at a time.
constexpr u32 kShared = 2048, kSharedRows = 256;

/// Up to two index ranges: the cells x - 1 (or x), x, x + 1 of one row.
struct Runs {
  std::array<SphereRange, 2> run;
  u32 count = 0;
  void add(u32 begin, u32 end) {
    if (begin < end) run[count++] = {begin, end};
  }
};

template <class Real>
class Neighbours {
 public:
  Neighbours(const CellSort<Real>& cells, u32 cell) : cells_(cells), size_(cells.grid.cells) {
    x_ = cell % size_[0];
    y_ = cell / size_[0] % size_[1];
    z_ = cell / size_[0] / size_[1];
  }

  /// Calls visit(SphereRange) with the sphere ranges of the half of the neighbours that follow the cell.
  template <class Visit>
  void visit(const Visit& visit) const {
    const auto all = [&](const Runs& runs) {
      for (u32 k = 0; k < runs.count; ++k) visit(runs.run[k]);
    };
    all(run(y_, z_, 1, 1));
    all(run(next(y_, 1), z_, -1, 1));
    const u32 above = next(z_, 2);
    all(run(previous(y_, 1), above, -1, 1));
    all(run(y_, above, -1, 1));
    all(run(next(y_, 1), above, -1, 1));
  }

 private:
  u32 next(u32 c, u32 axis) const { return c + 1 == size_[axis] ? 0 : c + 1; }
  u32 previous(u32 c, u32 axis) const { return c == 0 ? size_[axis] - 1 : c - 1; }

  /// The index ranges of cells x + from .. x + to of a row, folded.
  Runs run(u32 y, u32 z, int from, int to) const {
    const u32 row = (z * size_[1] + y) * size_[0];
    const int low = static_cast<int>(x_) + from, high = static_cast<int>(x_) + to, size = static_cast<int>(size_[0]);
    const auto at = [&](int x) { return cells_.begin[row + static_cast<u32>(x)]; };
    Runs runs;
    if (low < 0) runs.add(at(size - 1), at(size));
    runs.add(at(std::max(low, 0)), at(std::min(high, size - 1) + 1));
    if (high >= size) runs.add(at(0), at(1));
    return runs;
  }

  const CellSort<Real>& cells_;
  const u32 (&size_)[3];
  u32 x_, y_, z_;
};

}  // namespace

template <class Real>
CellSort<Real> sort_by_cell(const BodyView<Real>& spheres, u32 n, const CellGrid<Real>& grid, Real widened,
                            u32 threads) {
  CellSort<Real> sorted;
  sorted.grid = grid;
  std::vector<u32> cell(n);
  for_each_on_threads(n, threads, [&](u32 i) { cell[i] = grid.cell_of(spheres.x[i], spheres.y[i], spheres.z[i]); });
  sorted.begin.assign(std::size_t{grid.count()} + 1, 0);
  for (const u32 c : cell) ++sorted.begin[c + 1];
  for (u32 c = 0; c < grid.count(); ++c) sorted.begin[c + 1] += sorted.begin[c];
  sorted.body.resize(n);
  // Filling moves each cell's begin to its end, which is the begin of the next cell; the array is shifted back below.
  for (u32 i = 0; i < n; ++i) sorted.body[sorted.begin[cell[i]]++] = i;
  std::copy_backward(sorted.begin.begin(), sorted.begin.end() - 1, sorted.begin.end());
  sorted.begin.front() = 0;
  sorted.x = padded<Real>(n), sorted.y = padded<Real>(n), sorted.z = padded<Real>(n), sorted.r = padded<Real>(n);
  for_each_on_threads(n, threads, [&](u32 p) {
    const u32 i = sorted.body[p];
    sorted.x[p] = spheres.x[i], sorted.y[p] = spheres.y[i], sorted.z[p] = spheres.z[i];
    sorted.r[p] = spheres.r[i] * widened;
  });
  return sorted;
}

template <class Real>
void for_each_near_tile(const CellSort<Real>& cells, TriangleMapId map, u32 block, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work) {
  const u32 count = cells.grid.count();
  const auto rows_of = [&](u32 c) { return SphereRange{cells.begin[c], cells.begin[c + 1]}; };
  // The pairs within a cell: the map's tiles for the cell's size, offset to the cell's first sphere.
  const auto triangle = [&](SphereRange own, u32 workers, const auto& each) {
    for_each_pair_tile(
        map, triangle_grid(map, own.end - own.begin, block), workers, [&](u32 thread, const PairTile& t) {
          each(thread,
               PairTile{own.begin + t.row0, own.begin + t.row1, own.begin + t.col0, own.begin + t.col1, t.diagonal});
        });
  };
  std::atomic<u32> next{0};
  WalkReport report(count);
  on_threads(threads, [&](u32 thread) {
    for (u32 chunk = next++ * kCellChunk; chunk < count; chunk = next++ * kCellChunk) {
      if (!report.keep_going(thread, chunk)) return;
      for (u32 c = chunk; c < std::min(chunk + kCellChunk, count); ++c) {
        const SphereRange own = rows_of(c);
        if (own.begin == own.end || own.end - own.begin >= kShared) continue;
        if (own.end - own.begin <= block) {
          work(thread, PairTile{own.begin, own.end, own.begin, own.end, true});
        } else {
          triangle(own, 1, [&](u32, const PairTile& tile) { work(thread, tile); });
        }
        Neighbours<Real>(cells, c).visit([&](SphereRange other) {
          work(thread, PairTile{own.begin, own.end, other.begin, other.end, false});
        });
      }
    }
  });
  for (u32 c = 0; c < count; ++c) {
    const SphereRange own = rows_of(c);
    if (own.end - own.begin < kShared) continue;
    triangle(own, threads, work);
    on_threads(threads, [&](u32 thread) {
      for (u32 row = own.begin + thread * kSharedRows; row < own.end; row += threads * kSharedRows) {
        const u32 end = std::min(row + kSharedRows, own.end);
        Neighbours<Real>(cells, c).visit([&](SphereRange other) {
          work(thread, PairTile{row, end, other.begin, other.end, false});
        });
      }
    });
  }
}

template CellSort<float> sort_by_cell(const BodyView<float>&, u32, const CellGrid<float>&, float, u32);
template CellSort<double> sort_by_cell(const BodyView<double>&, u32, const CellGrid<double>&, double, u32);
template void for_each_near_tile(const CellSort<float>&, TriangleMapId, u32, u32,
                                 FunctionRef<void(u32, const PairTile&)>);
template void for_each_near_tile(const CellSort<double>&, TriangleMapId, u32, u32,
                                 FunctionRef<void(u32, const PairTile&)>);

}  // namespace tri::cpu
