#include "sim/cpu/bench/floors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/base/clock.hpp"
#include "sim/base/memory.hpp"
#include "sim/cpu/kernels/memory.hpp"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/cpu/kernels/peak_rates.hpp"
#include "sim/cpu/kernels/tile_loop.hpp"

namespace tri::cpu {
namespace {

constexpr int kFloorRounds = 7;
constexpr u64 kTurns = 1'000'000, kLoops = 2000;
/// Larger than the caches of most processors.
constexpr std::size_t kFillBytes = std::size_t{512} << 20;

/// Units a second in the fastest round: what else the machine does only slows a round down.
template <class Round>
double best_rate(double units, const Round& round) {
  double least = 0;
  for (int k = 0; k < kFloorRounds; ++k) {
    const Stopwatch watch;
    round();
    const double ms = watch.ms();
    if (k == 0 || ms < least) least = ms;
  }
  return units / (1e-3 * std::max(least, 1e-6));
}

double lane_rate(u32 threads) {
  std::vector<float> ones(threads * std::size_t{16});  // a cache line each
  const auto round = [&] {
    on_threads(threads, [&](u32 thread) { ones[thread * std::size_t{16}] = multiply_adds(kTurns); });
  };
  return best_rate(static_cast<double>(kTurns) * threads * lanes_a_turn(), round);
}

double fill_rate(u32 threads, std::size_t bytes) {
  AlignedVector<float> memory(bytes / sizeof(float));
  float* const to = memory.data();
  const std::size_t pieces = memory.size() / 16;
  const auto round = [&] {
    on_threads(threads, [&](u32 thread) {
      const std::size_t begin = pieces * thread / threads, end = pieces * (thread + 1) / threads;
      stream_fill(to + begin * 16, (end - begin) * 16, 1.0f);
    });
  };
  return best_rate(static_cast<double>(bytes), round);
}

double loop_rate(u32 threads) {
  const auto round = [&] {
    for (u64 k = 0; k < kLoops; ++k) on_threads(threads, [](u32) {});
  };
  return best_rate(static_cast<double>(kLoops), round);
}

}  // namespace

Floors measure_floors(u32 threads) {
  require_memory(double{1u << 26}, "measuring what the processor does at most", "End other programs");
  const std::size_t bytes = std::min<std::size_t>(kFillBytes, available_memory() / 4 / 4096 * 4096);
  const std::string on = fmt::format("on {} thread{}", threads, threads == 1 ? "" : "s");
  Floors floors;
  floors.lanes = {lane_rate(threads), fmt::format("float32 multiply-adds in {} vectors {}", simd_target(), on)};
  floors.bytes = {fill_rate(threads, bytes), fmt::format("streaming stores to {} MiB {}", bytes >> 20, on)};
  floors.launches = {loop_rate(threads), fmt::format("parallel loops over nothing {}", on)};
  return floors;
}

}  // namespace tri::cpu
