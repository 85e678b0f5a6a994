// Lists of overlaps: each thread searches tiles into a list of its own; the lists are merged and sorted at the end, or
// each is counted and emptied after a tile.

#include "sim/cpu/engine/contacts.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "sim/cpu/engine/cell_sort.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cpu {
namespace {

/// Exceeds the total rounding error of a distance and of a sum of radii.
constexpr double kWidened = 1 + 4e-6;

/// Pairs per body, an estimate for choosing the number of threads.
constexpr u64 kPairsPerBody = 64;

using Lists = std::vector<std::vector<IndexPair>>;

/// Merges all lists sorted by (i, j): bucket by i, then sort the few pairs of each bucket.
std::vector<IndexPair> in_order(const Lists& lists, u32 n, u32 threads) {
  std::vector<std::size_t> end(std::size_t{n} + 1, 0);
  for (const auto& list : lists) {
    for (const IndexPair& pair : list) ++end[pair.first + 1];
  }
  for (u32 i = 0; i < n; ++i) end[i + 1] += end[i];
  std::vector<IndexPair> all(end[n]);
  // Filling moves the begin of each i to its end.
  for (const auto& list : lists) {
    for (const IndexPair& pair : list) all[end[pair.first]++] = pair;
  }
  for_each_on_threads(n, threads, [&](u32 i) {
    const std::size_t begin = i == 0 ? 0 : end[i - 1];
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end[i]));
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
  for (const auto& [i, j] : candidate_pairs(bodies, search)) {
    add_tile(field, bodies, PairTile{i, i + 1, j, j + 1, false}, sum);
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
