// Triples by their sides on the cpu: computes the bin of each pair once, then looks up three bins per triple.

#include "sim/cpu/kernels/triple_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/clock.hpp"
#include "sim/base/memory.hpp"

namespace tri::cpu {
namespace {

/// [n, n]: the bin of the pair at [larger, smaller], so that the columns i of a loop are contiguous.
std::vector<u8> pair_bins(const PointSet& points, const std::vector<double>& squares, u32 threads) {
  const u32 n = points.n, bins = static_cast<u32>(squares.size()) - 1;
  std::vector<u8> table(u64{n} * n, kNoBin);
  on_threads(threads, [&](u32 thread) {
    for (u64 k = thread; k < n; k += threads) {
      const double* upper = points.values.data() + k * points.features;
      for (u64 j = 0; j < k; ++j) {
        const double* lower = points.values.data() + j * points.features;
        table[k * n + j] = side_bin(squares.data(), bins, squared_side(lower, upper, 1, points.features));
      }
    }
  });
  return table;
}

/// The histogram index of the triple with bins r, p, q, [bins, bins, bins].
std::vector<u32> sorted_cells(u32 bins) {
  std::vector<u32> cells;
  for (u32 r = 0; r < bins; ++r) {
    for (u32 p = 0; p < bins; ++p) {
      for (u32 q = 0; q < bins; ++q) {
        std::array<u32, 3> s{p, q, r};
        std::sort(s.begin(), s.end());
        cells.push_back((s[0] * bins + s[1]) * bins + s[2]);
      }
    }
  }
  return cells;
}

}  // namespace

TripleCounts count_triples(const PointSet& points, const SideBins& side_bins, const Walk<TetraMapId>& walk) {
  const u32 n = points.n, bins = side_bins.size();
  const u64 cells = u64{bins} * bins * bins;
  const auto bytes = [&](u64 count) {
    return static_cast<double>(count) * static_cast<double>(count) + 8.0 * static_cast<double>(cells * walk.threads);
  };
  require_memory(bytes(n), fmt::format("the bins of all pairs of {} points", n),
                 size_hint("Use ", largest_that_fits(bytes, available_memory()), " points or fewer"));
  TripleCounts result{bins, std::vector<u64>(cells), 0, triple_count(n), 0};
  const Stopwatch watch;
  const std::vector<u8> table = pair_bins(points, squares_of(side_bins), walk.threads);
  const std::vector<u32> sorted = sorted_cells(bins);
  std::vector<std::vector<u64>> counts(walk.threads, std::vector<u64>(cells));
  for_each_tile(walk.map, walk.grid, walk.threads, [&](u32 thread, Tile3 tile) {
    const TripleTile t = triple_tile(walk.grid, tile);
    u64* const mine = counts[thread].data();
    for (u64 k = t.z0; k < t.z1; ++k) {
      const u8* const sides_k = table.data() + k * n;
      const u64 rows = t.y0 == t.z0 ? k : t.y1;
      for (u64 j = t.y0; j < rows; ++j) {
        if (sides_k[j] == kNoBin) continue;
        const u8* const sides_j = table.data() + j * n;
        const u32* const plane = sorted.data() + u64{sides_k[j]} * bins * bins;
        const u64 columns = t.x0 == t.y0 ? j : t.x1;
        for (u64 i = t.x0; i < columns; ++i) {
          const u32 p = sides_k[i], q = sides_j[i];
          if (p != kNoBin && q != kNoBin) ++mine[plane[p * bins + q]];
        }
      }
    }
  });
  u64 inside = 0;
  for (const std::vector<u64>& part : counts) {
    for (u64 c = 0; c < cells; ++c) result.counts[c] += part[c], inside += part[c];
  }
  result.outside = result.work_items - inside;
  result.ms = watch.ms();
  return result;
}

}  // namespace tri::cpu
