// Tiles of triples: forces, energies, counts.
//
// Tiles of triples: the forces in either accumulation, and the energy, always in float64 and with IEEE roots.
//
// In a piece (triple_tile.hpp):
//
//     for k in layers, for j in rows (below k), for i in columns (below j), a vector at a time
//
// "Below" matters only where two ranges are equal: faces, edges and corners of the tetrahedron of tiles. There the last
// vector of a row is masked.

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/tile_loop.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/triple_tiles.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/triple_tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

/// Sink: TripleSums or TripleEnergies, which gets the term of every vector of columns of a piece.
template <class Sink, class Math>
class TripleKernel : public CutIntoPieces<TripleKernel<Sink, Math>> {
  using V = typename Math::Value;
  using D = hn::DFromV<V>;
  using Body = law_space::Body<V>;

 public:
  template <class Law, class Real, class Sums>
  static void piece(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, Sums& sums) {
    Sink sink(t, sums);
    const D d;
    const std::size_t lanes = hn::Lanes(d);
    for (u32 k = t.z0; k < t.z1; ++k) {
      const Body body_k = broadcast_body<Law>(d, bodies, k);
      const u32 rows_end = t.y0 == t.z0 ? k : t.y1;
      for (u32 j = t.y0; j < rows_end; ++j) {
        const Body body_j = broadcast_body<Law>(d, bodies, j);
        const std::size_t count = (t.x0 == t.y0 ? j : t.x1) - t.x0, row = j - t.y0;
        std::size_t c = 0;
        for (; c + lanes <= count; c += lanes) {
          add<false>(sink, law, load_bodies<Law>(d, bodies, t.x0 + c), body_j, body_k, c, row, lanes);
        }
        if (c < count) {
          add<true>(sink, law, load_bodies<Law>(d, bodies, t.x0 + c), body_j, body_k, c, row, count - c);
        }
      }
      sink.layer(k);
    }
    sink.flush(t);
  }

 private:
  template <bool kMasked, class Law>
  static HWY_INLINE void add(Sink& sink, const Law& law, const Body& i, const Body& j, const Body& k,
                             std::size_t column, std::size_t row, std::size_t count) {
    sink.template add<kMasked>(law(Math{}, i, j, k), i, j, k, column, row, count);
  }
};

template <class Parts>
using TripleForces = TripleKernel<TripleSums<Parts>, typename Parts::Math>;
using TripleEnergy = TripleKernel<TripleEnergies, SimdMath<hn::ScalableTag<double>, true>>;

}  // namespace

TRI_TARGET_SUMS(triple, ForceField, TripleTile, law_space::visit_triple_law, TripleForces)
TRI_TARGET_KERNEL(triple_energy, double, ForceField, TripleTile, TileEnergy, law_space::visit_triple_law, TripleEnergy)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_SUMS(triple, ForceField, TripleTile)
TRI_DISPATCH_KERNEL(triple_energy, double, ForceField, TripleTile, TileEnergy)

// Triples by their sides on the cpu: computes the bin of each pair once, then looks up three bins per triple, or counts
// the common bits of two rows of bits.

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

HWY_INLINE u64 common(const u64* a, const u64* b, std::size_t words) {
#if HWY_TARGET == HWY_SCALAR
  u64 count = 0;
  for (std::size_t w = 0; w < words; ++w) count += static_cast<u64>(std::popcount(a[w] & b[w]));
  return count;
#else
  // Counts of single bytes, at most 8 a step, are added up in bytes for as long as they fit.
  constexpr std::size_t kSteps = 31;
  const hn::ScalableTag<u64> d;
  const hn::Repartition<u8, decltype(d)> bytes;
  const std::size_t lanes = hn::Lanes(d);
  auto total = hn::Zero(d);
  for (std::size_t w = 0; w < words;) {
    auto part = hn::Zero(bytes);
    for (std::size_t step = 0; step < kSteps && w < words; ++step, w += lanes) {
      const auto both = hn::And(hn::LoadU(d, a + w), hn::LoadU(d, b + w));
      part = hn::Add(part, hn::PopulationCount(hn::BitCast(bytes, both)));
    }
    total = hn::Add(total, hn::SumsOf8(part));
  }
  return hn::GetLane(hn::SumOfLanes(d, total));
#endif
}

}  // namespace

/// Adds to counts [bins, bins] the number of bits that row q of a and row r of b, [bins, pitch], have in common in
/// their first `words`, of which those up to the next multiple of kBitWords are read too.
void common_bits(const u64* a, const u64* b, u32 bins, std::size_t pitch, std::size_t words, u64* counts) {
  for (u32 q = 0; q < bins; ++q) {
    for (u32 r = 0; r < bins; ++r) counts[q * bins + r] += common(a + q * pitch, b + r * pitch, words);
  }
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tri::cpu {
HWY_EXPORT(common_bits);
namespace {

/// Words of a row of bits are a multiple of this, the most lanes of a vector.
constexpr std::size_t kBitWords = 8;

/// [n, n]: the bin of the pair at [larger, smaller], so that the columns i of a loop are contiguous. Calls
/// found(larger, smaller, bin) for each pair in a bin, rows in parallel.
std::vector<u8> pair_bins(const PointSet& points, const std::vector<double>& squares, u32 threads, const auto& found) {
  const u32 n = points.n, bins = static_cast<u32>(squares.size()) - 1;
  std::vector<u8> table(u64{n} * n, kNoBin);
  WalkReport report(u64{n} * n);
  on_threads(threads, [&](u32 thread) {
    for (u64 k = thread; k < n && report.keep_going(thread, k * k); k += threads) {
      const double* upper = points.values.data() + k * points.features;
      for (u64 j = 0; j < k; ++j) {
        const double* lower = points.values.data() + j * points.features;
        const u8 bin = side_bin(squares.data(), bins, squared_side(lower, upper, 1, points.features));
        table[k * n + j] = bin;
        if (bin != kNoBin) found(k, j, bin);
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

/// Adds up the counts of all threads and ranks.
void finish(const std::vector<std::vector<u64>>& counts, const Ranks& ranks, TripleCounts& result) {
  for (const std::vector<u64>& part : counts) {
    for (std::size_t c = 0; c < part.size(); ++c) result.counts[c] += part[c];
  }
  ranks.sum(std::span(result.counts));
  result.outside = result.work_items - std::accumulate(result.counts.begin(), result.counts.end(), u64{0});
}

std::size_t words_of(u64 n) { return (n + 64 * kBitWords - 1) / (64 * kBitWords) * kBitWords; }

double bytes_of_products(u64 n, u32 bins) {
  const double row = static_cast<double>(n) + static_cast<double>(bins * words_of(n) * sizeof(u64));
  return static_cast<double>(n) * row;
}

}  // namespace

bool products_are_faster(u64 n, u32 bins) {
  // Of one thread, in ns: a triple, and two rows of bits, whose words come on top.
  constexpr double kTriple = 2.0, kRows = 2.0, kWord = 0.25;
  const double pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n);
  const double words = static_cast<double>(n) / (3 * 64);
  const double products = pairs * bins * bins * (kRows + kWord * words);
  return products < kTriple * static_cast<double>(triple_count(n)) &&
         bytes_of_products(n, bins) <= static_cast<double>(available_memory());
}

TripleCounts count_triples_by_products(const PointSet& points, const SideBins& side_bins,
                                       const Walk<TriangleMapId>& walk, Ranks& ranks) {
  const u32 n = points.n, bins = side_bins.size();
  const u64 cells = u64{bins} * bins * bins;
  TripleCounts result{bins, std::vector<u64>(cells), 0, triple_count(n), 0, true};
  const Stopwatch watch;
  const std::size_t words = words_of(n), row = bins * words;
  std::vector<u64> bits(n * row);  // bit j of row (k, q) is 1 where the side of j < k is in bin q
  const auto set_bit = [&](u64 k, u64 j, u8 q) { bits[k * row + q * words + j / 64] |= u64{1} << j % 64; };
  std::vector<std::vector<u64>> found(walk.threads, std::vector<u64>(cells));
  ranks.together([&] {
    const std::vector<u8> table = pair_bins(points, squares_of(side_bins), walk.threads, set_bit);
    const auto count = [&](u32 thread, const PairTile& t) {
      for (u64 k = t.row0; k < t.row1; ++k) {
        const u64 columns = std::min<u64>(t.col1, k);
        for (u64 j = t.col0; j < columns; ++j) {
          const u8 p = table[k * n + j];
          if (p == kNoBin) continue;
          HWY_DYNAMIC_DISPATCH(common_bits)
          (bits.data() + k * row, bits.data() + j * row, bins, words, (j + 63) / 64,
           found[thread].data() + u64{p} * bins * bins);
        }
      }
    };
    for_each_pair_tile(walk.map, walk.grid, walk.threads, count, ranks.share());
  });
  const std::vector<u32> sorted = sorted_cells(bins);
  std::vector<std::vector<u64>> counts(walk.threads, std::vector<u64>(cells));
  for (u32 thread = 0; thread < walk.threads; ++thread) {
    for (u64 c = 0; c < cells; ++c) counts[thread][sorted[c]] += found[thread][c];
  }
  finish(counts, ranks, result);
  result.ms = watch.ms();
  return result;
}

TripleCounts count_triples(const PointSet& points, const SideBins& side_bins, const Walk<TetraMapId>& walk,
                           Ranks& ranks) {
  const u32 n = points.n, bins = side_bins.size();
  const u64 cells = u64{bins} * bins * bins;
  const auto bytes = [&](u64 count) {
    return static_cast<double>(count) * static_cast<double>(count) + 8.0 * static_cast<double>(cells * walk.threads);
  };
  require_memory(bytes(n), fmt::format("the bins of all pairs of {} points", n),
                 size_hint("Use ", largest_that_fits(bytes, available_memory()), " points or fewer"));
  TripleCounts result{bins, std::vector<u64>(cells), 0, triple_count(n), 0};
  const Stopwatch watch;
  const std::vector<u32> sorted = sorted_cells(bins);
  std::vector<std::vector<u64>> counts(walk.threads, std::vector<u64>(cells));
  ranks.together([&] {
    const std::vector<u8> table = pair_bins(points, squares_of(side_bins), walk.threads, [](u64, u64, u8) {});
    const auto count = [&](u32 thread, Tile3 tile) {
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
    };
    for_each_tile(walk.map, walk.grid, walk.threads, count, ranks.share());
  });
  finish(counts, ranks, result);
  result.ms = watch.ms();
  return result;
}

}  // namespace tri::cpu
#endif
