// What an engine needs before its state: a complete configuration and enough memory.

#include <fmt/format.h>

#include "sim/backend/arithmetic.hpp"
#include "sim/backend/broad_phase.hpp"
#include "sim/base/error.hpp"
#include "sim/base/threads.hpp"
#include "sim/cpu/engine/cpu_engine.hpp"
#include "sim/cpu/kernels/tuning.hpp"

namespace tri::cpu {

EngineConfig complete(const EngineConfig& config, const ForceField& field, u32 n, u32 backend_threads) {
  EngineConfig c = config;
  if (config.arithmetic == Arithmetic::tensor) refuse_tensor("cpu");
  c.arithmetic = Arithmetic::float32;
  if (c.threads == 0) c.threads = backend_threads;
  if (c.threads > kMaxThreads) {
    throw ConfigError(
        fmt::format("--threads {} is more than {}; use --threads {} or less.", c.threads, kMaxThreads, kMaxThreads));
  }
  if (c.pair_block == 0) c.pair_block = default_pair_block(n);
  if (c.triple_block == 0) c.triple_block = default_triple_block(n);
  c.broad_phase = choose_broad_phase(config.broad_phase, field.pair, n >= kGridFrom);
  if (field.pair != PairLaw::none) triangle_grid(c.pair_map, n, c.pair_block);
  if (field.triple != TripleLaw::none) tetra_grid(c.triple_map, n, c.triple_block);
  return c;
}

u64 engine_bytes(u64 n, const ForceField& field, Precision precision, Accumulate accumulate, u32 threads) {
  const u64 real = precision == Precision::fp32 ? 4 : 8;
  const u64 sum = accumulate == Accumulate::fast ? sizeof(double) : sizeof(Wide);
  // State (with charges) and accelerations, and the state before a step; per-thread sums and their total; a float64
  // copy for diagnostics.
  u64 each = 18 * real + 3 * sum * threads + 3 * 8 + 17 * 8;
  // Sorted spheres, cells, and two lists with room for some contacts per sphere.
  if (field.pair == PairLaw::contact) each += 4 * 8 + 16 + 16 * 8;
  return n * each;
}

u64 jerk_steps_bytes(u64 n, Accumulate accumulate, u32 threads) {
  const u64 sum = accumulate == Accumulate::fast ? sizeof(double) : sizeof(Wide);
  // The state at the end of an attempt; accelerations and jerks at both ends, and as they are summed; snap and crackle;
  // the rest, here and in the engine; per-thread sums.
  const u64 each = 8 * 8 + 3 * 6 * 8 + 6 * 8 + 2 * 3 * 8 + 6 * sum * threads;
  return n * each;
}

}  // namespace tri::cpu
