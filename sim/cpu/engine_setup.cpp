// What an engine needs before and beside its state: a complete configuration, its memory, and the list of overlaps.

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

#include "sim/cpu/cpu_engine.hpp"
#include "sim/cpu/tuning.hpp"
#include "sim/error.hpp"

namespace tri::cpu {

u32 usable_threads() { return static_cast<u32>(std::max(1, omp_get_max_threads())); }

EngineConfig complete(const EngineConfig& config, const ForceField& field, u32 n, u32 backend_threads) {
  EngineConfig c = config;
  if (c.threads == 0) c.threads = backend_threads;
  if (c.threads > kMostThreads) {
    throw ConfigError(
        fmt::format("--threads {} is more than {}; use --threads {} or less.", c.threads, kMostThreads, kMostThreads));
  }
  if (c.pair_block == 0) c.pair_block = default_pair_block(n);
  if (c.triple_block == 0) c.triple_block = default_triple_block(n);
  if (field.pair != PairLaw::none) triangle_grid(c.pair_map, n, c.pair_block);
  if (field.triple != TripleLaw::none) tetra_grid(c.triple_map, n, c.triple_block);
  return c;
}

u64 engine_bytes(u64 n, Precision precision, Accumulate accumulate, u32 threads) {
  const u64 real = precision == Precision::fp32 ? 4 : 8;
  const u64 sum = accumulate == Accumulate::fast ? sizeof(double) : sizeof(Wide);
  // State and accelerations; sums of each thread and their total; a float64 copy for diagnostics.
  return n * (11 * real + 3 * sum * threads + 3 * 8 + 16 * 8);
}

template <class Real>
std::vector<IndexPair> overlapping_pairs(const BodyView<Real>& bodies, const Box& box,
                                         const Walk<TriangleMapId>& walk) {
  std::vector<std::vector<IndexPair>> found(walk.threads);
  for_each_pair_tile(walk.map, walk.grid, walk.threads,
                     [&](u32 thread, const PairTile& tile) { overlap_tile_list(bodies, box, tile, found[thread]); });
  std::vector<IndexPair> pairs;
  for (const auto& part : found) pairs.insert(pairs.end(), part.begin(), part.end());
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}
template std::vector<IndexPair> overlapping_pairs(const BodyView<float>&, const Box&, const Walk<TriangleMapId>&);
template std::vector<IndexPair> overlapping_pairs(const BodyView<double>&, const Box&, const Walk<TriangleMapId>&);

}  // namespace tri::cpu
