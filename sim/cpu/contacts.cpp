/// Contacts of spheres: by all pairs or through a grid, and their forces.
///
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

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/backend/broad_phase.hpp"
#include "sim/cpu/cpu_engine.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/cpu/tile_loop.hpp"
#include "sim/maps/figurate.hpp"
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

// Counting sort by cell, and the loop over cells: threads claim a few cells at a time from a shared counter. All
// threads work together on cells that hold a large part of the bodies.

/// Consecutive spheres in the order of their cells.
struct SphereRange {
  u32 begin = 0, end = 0;
};

namespace {

/// Cells that a thread claims at a time, where there are that many for each.
constexpr u32 kCellChunk = 256, kClaims = 16;
/// All threads share a cell with at least this many spheres, or with many that have this many pairs with neighbours;
/// they take so many rows at a time that Ctrl-C need not wait.
constexpr u32 kShared = 2048, kMany = 64, kSharedRows = 256, kMinRows = 8;
constexpr u64 kPairsShared = u64{1} << 25, kPairsAtOnce = u64{1} << 23;
/// Progress is counted in cells, and in pairs beside them.
constexpr u64 kPairsOfUnit = u64{1} << 16;

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

/// Spheres of a cell and of the half of its neighbours that follow it: what there is to do.
template <class Real>
struct CellLoad {
  SphereRange own;
  u64 columns = 0;

  CellLoad(const CellSort<Real>& cells, u32 c) : own{cells.begin[c], cells.begin[c + 1]} {
    if (rows() != 0) Neighbours<Real>(cells, c).visit([&](SphereRange other) { columns += other.end - other.begin; });
  }
  u32 rows() const { return own.end - own.begin; }
  /// Whether all threads share it.
  bool is_shared() const { return rows() >= kShared || rows() * columns >= kPairsShared; }
  u64 units() const { return 1 + rows() * (rows() + columns) / kPairsOfUnit; }
};

/// The same, without a look at the neighbours of few spheres.
template <class Real>
bool all_share(const CellSort<Real>& cells, u32 c) {
  return cells.begin[c + 1] - cells.begin[c] >= kMany && CellLoad<Real>(cells, c).is_shared();
}

/// Spheres of a large cell with those of its neighbours, by all threads.
template <class Real>
void meet_neighbours(const CellSort<Real>& cells, u32 c, const CellLoad<Real>& load, u32 threads,
                     FunctionRef<void(u32, const PairTile&)> work) {
  const SphereRange own = load.own;
  const u32 rows = static_cast<u32>(std::clamp<u64>(kPairsAtOnce / (load.columns + 1), kMinRows, kSharedRows));
  WalkReport shared(load.rows());
  on_threads(threads, [&](u32 thread) {
    for (u32 row = own.begin + thread * rows; row < own.end; row += threads * rows) {
      if (!shared.keep_going(thread, row - own.begin)) return;
      const u32 end = std::min(row + rows, own.end);
      Neighbours<Real>(cells, c).visit([&](SphereRange other) {
        work(thread, PairTile{row, end, other.begin, other.end, false});
      });
    }
  });
}

template <class Real>
void for_each_near_tile(const CellSort<Real>& cells, TriangleMapId map, u32 block, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work) {
  const u32 count = cells.grid.count();
  // The pairs within a cell: the map's tiles for the cell's size, offset to the cell's first sphere.
  const auto triangle = [&](SphereRange own, u32 workers, const auto& each) {
    for_each_pair_tile(
        map, triangle_grid(map, own.end - own.begin, block), workers, [&](u32 thread, const PairTile& t) {
          each(thread,
               PairTile{own.begin + t.row0, own.begin + t.row1, own.begin + t.col0, own.begin + t.col1, t.diagonal});
        });
  };
  u64 units = count;
  for (u32 c = 0; c < count && progress_is_wanted(); ++c) units += CellLoad<Real>(cells, c).units() - 1;
  std::atomic<u32> next{0};
  std::atomic<u64> done{0};
  std::atomic<bool> failed{false};  // within a cell, too
  WalkReport report(units);
  const u32 claim = std::clamp(count / (threads * kClaims), 1u, kCellChunk);
  const auto search = [&](u32 thread) {
    u64 mine = 0;
    for (u32 chunk = next++ * claim; chunk < count; chunk = next++ * claim) {
      for (u32 c = chunk; c < std::min(chunk + claim, count); ++c) {
        const SphereRange own{cells.begin[c], cells.begin[c + 1]};
        u64 columns = own.end - own.begin;
        if (++mine, columns == 0 || all_share(cells, c)) continue;
        if (own.end - own.begin <= block) {
          work(thread, PairTile{own.begin, own.end, own.begin, own.end, true});
        } else {
          triangle(own, 1, [&](u32, const PairTile& tile) { work(thread, tile); });
        }
        Neighbours<Real>(cells, c).visit([&](SphereRange other) {
          columns += other.end - other.begin;
          work(thread, PairTile{own.begin, own.end, other.begin, other.end, false});
        });
        mine += (own.end - own.begin) * columns / kPairsOfUnit;
        if (mine >= kCellChunk && !report.keep_going(thread, done += std::exchange(mine, 0))) return;
        if (failed.load(std::memory_order_relaxed)) return;
      }
      if (!report.keep_going(thread, done += std::exchange(mine, 0))) return;
    }
  };
  on_threads(threads, [&](u32 thread) {
    try {
      search(thread);
    } catch (...) {
      failed = true;
      throw;
    }
  });
  for (u32 c = 0; c < count; ++c) {
    if (!all_share(cells, c)) continue;
    const CellLoad<Real> load(cells, c);
    triangle(load.own, threads, work);
    meet_neighbours(cells, c, load, threads, work);
  }
}

template CellSort<float> sort_by_cell(const BodyView<float>&, u32, const CellGrid<float>&, float, u32);
template CellSort<double> sort_by_cell(const BodyView<double>&, u32, const CellGrid<double>&, double, u32);
template void for_each_near_tile(const CellSort<float>&, TriangleMapId, u32, u32,
                                 FunctionRef<void(u32, const PairTile&)>);
template void for_each_near_tile(const CellSort<double>&, TriangleMapId, u32, u32,
                                 FunctionRef<void(u32, const PairTile&)>);

// Lists of overlaps: each thread searches tiles into a list of its own; the lists are merged and sorted at the end, or
// each is counted and emptied after a tile.

namespace {

/// Exceeds the total rounding error of a distance and of a sum of radii.
constexpr double kWidened = 1 + 4e-6;

/// Pairs per body, an estimate for choosing the number of threads.
constexpr u64 kPairsPerBody = 64;

using Lists = std::vector<std::vector<IndexPair>>;

/// Rows of a list that a thread sorts at a time.
constexpr u32 kRowsSorted = 1024;

/// Merges all lists sorted by (i, j): bucket by i, then sort the few pairs of each bucket.
std::vector<IndexPair> in_order(const Lists& lists, u32 n, u32 threads) {
  std::vector<std::size_t> end(std::size_t{n} + 1, 0);
  std::size_t found = 0, done = 0;
  for (const auto& list : lists) found += list.size();
  LoopProgress progress(2 * found);
  for (const auto& list : lists) {
    for (const IndexPair& pair : list) ++end[pair.first + 1], progress.at(++done);
  }
  for (u32 i = 0; i < n; ++i) end[i + 1] += end[i];
  std::vector<IndexPair> all(end[n]);
  // Filling moves the begin of each i to its end.
  for (const auto& list : lists) {
    for (const IndexPair& pair : list) all[end[pair.first]++] = pair, progress.at(++done);
  }
  const auto at = [&](u32 i) { return all.begin() + static_cast<std::ptrdiff_t>(i == 0 ? 0 : end[i - 1]); };
  for_each_in_turn(n / kRowsSorted + 1, threads, [&](u32 part) {
    const u32 last = std::min(n, (part + 1) * kRowsSorted);
    for (u32 i = part * kRowsSorted; i < last; ++i) std::sort(at(i), at(i + 1));
  });
  return all;
}

u64 pairs_of(const PairTile& t) {
  const u64 rows = t.row1 - t.row0;
  return t.diagonal ? (rows == 0 ? 0 : triangular(rows - 1)) : rows * (t.col1 - t.col0);
}

/// Searches tiles through the grid; after each of them takes(list of its thread, with the pairs found so far).
template <class Real>
Lists by_grid(const BodyView<Real>& bodies, const CellGrid<Real>& grid, const ContactSearch& search, Real widened,
              u64* tested, auto&& takes) {
  const u32 n = search.walk.grid.n;
  const u32 threads = worthwhile_threads(kPairsPerBody * n, search.walk.threads);
  const CellSort<Real> cells = sort_by_cell(bodies, n, grid, widened, threads);
  const BodyView<Real> sorted = cells.view();
  Lists found(threads);
  std::vector<u64> counts(threads * std::size_t{8}, 0);  // a cache line per thread
  for_each_near_tile(cells, search.walk.map, search.walk.grid.block, threads, [&](u32 thread, const PairTile& tile) {
    auto& list = found[thread];
    const std::size_t before = list.size();
    overlap_tile_list(sorted, search.box, tile, list);
    for (std::size_t k = before; k < list.size(); ++k) {
      const u32 a = cells.body[list[k].first], b = cells.body[list[k].second];
      list[k] = {std::max(a, b), std::min(a, b)};
    }
    counts[thread * std::size_t{8}] += pairs_of(tile);
    takes(list);
  });
  if (tested != nullptr) *tested = std::accumulate(counts.begin(), counts.end(), u64{0});
  return found;
}

/// The same of all tiles.
template <class Real>
Lists by_all_pairs(const BodyView<Real>& bodies, const ContactSearch& search, Real widened, u64* tested, auto&& takes) {
  const Walk<TriangleMapId>& walk = search.walk;
  BodyView<Real> view = bodies;
  AlignedVector<Real> radii;
  if (widened != Real(1)) {
    radii = padded<Real>(walk.grid.n);
    for (u32 i = 0; i < walk.grid.n; ++i) radii[i] = bodies.r[i] * widened;
    view.r = radii.data();
  }
  Lists found(walk.threads);
  for_each_pair_tile(walk.map, walk.grid, walk.threads, [&](u32 thread, const PairTile& tile) {
    overlap_tile_list(view, search.box, tile, found[thread]);
    takes(found[thread]);
  });
  if (tested != nullptr) *tested = triangular(u64{walk.grid.n} - 1);
  return found;
}

template <class Real>
Lists overlaps_in(const BodyView<Real>& b, const ContactSearch& search, Real widened, u64* tested, auto&& takes) {
  if (search.broad_phase == BroadPhase::grid) {
    const auto choice =
        make_cell_grid(Spheres<Real>{b.x, b.y, b.z, b.r, search.walk.grid.n}, search.box, kCellOccupancy);
    if (choice.usable) return by_grid(b, choice.grid, search, widened, tested, takes);
  }
  return by_all_pairs(b, search, widened, tested, takes);
}

template <class Real>
std::vector<IndexPair> pairs_within(const BodyView<Real>& b, const ContactSearch& search, Real widened, u64* tested) {
  const Lists found = overlaps_in(b, search, widened, tested, [](auto&) {});
  return in_order(found, search.walk.grid.n, static_cast<u32>(found.size()));
}

}  // namespace

template <class Real>
std::vector<u32> overlap_counts(const BodyView<Real>& bodies, const ContactSearch& search, u64* tested) {
  std::vector<u32> counts(search.walk.grid.n, 0);
  const auto count = [&](u32 body) { std::atomic_ref(counts[body]).fetch_add(1, std::memory_order_relaxed); };
  overlaps_in(bodies, search, Real(1), tested, [&](std::vector<IndexPair>& list) {
    for (const auto& [i, j] : list) count(i), count(j);
    list.clear();
  });
  return counts;
}

template <class Real>
std::vector<IndexPair> overlapping_pairs(const BodyView<Real>& bodies, const ContactSearch& search, u64* tested) {
  return pairs_within(bodies, search, Real(1), tested);
}

template <class Real>
std::vector<IndexPair> candidate_pairs(const BodyView<Real>& bodies, const ContactSearch& search, u64* tested) {
  return pairs_within(bodies, search, static_cast<Real>(kWidened), tested);
}

TileEnergy contact_energy(const ForceField& field, const BodyView<double>& bodies, const ContactSearch& search) {
  TileEnergy sum;
  const std::vector<IndexPair> near = candidate_pairs(bodies, search);
  LoopProgress progress(near.size());
  for (std::size_t k = 0; k < near.size(); ++k) {
    const auto [i, j] = near[k];
    add_tile(field, bodies, PairTile{i, i + 1, j, j + 1, false}, sum);
    progress.at(k + 1);
  }
  return sum;
}

template std::vector<IndexPair> overlapping_pairs(const BodyView<float>&, const ContactSearch&, u64*);
template std::vector<IndexPair> overlapping_pairs(const BodyView<double>&, const ContactSearch&, u64*);
template std::vector<u32> overlap_counts(const BodyView<float>&, const ContactSearch&, u64*);
template std::vector<u32> overlap_counts(const BodyView<double>&, const ContactSearch&, u64*);
template std::vector<IndexPair> candidate_pairs(const BodyView<float>&, const ContactSearch&, u64*);
template std::vector<IndexPair> candidate_pairs(const BodyView<double>&, const ContactSearch&, u64*);

}  // namespace tri::cpu
