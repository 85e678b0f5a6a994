#include "sim/cuda/bench/floors.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/cuda/kernels/peak_rates.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {
namespace {

constexpr int kFloorRounds = 12;  // the first of them raise the clock
constexpr u32 kEmptyBlocks = 1u << 23, kPeakBlocks = 1u << 14, kPeakTurns = 1u << 9;
constexpr u64 kFillBytes = u64{1} << 30;

/// Units a second in the fastest round.
double best_rate(double units, const PreparedLaunch& work) {
  const Stream stream;
  EventTimer timer;
  double least = 0;
  for (int k = 0; k < kFloorRounds; ++k) {
    timer.start(stream);
    work.enqueue(stream);
    timer.stop(stream);
    const double ms = timer.elapsed_ms();
    if (k == 0 || ms < least) least = ms;
  }
  return units / (1e-3 * std::max(least, 1e-6));
}

}  // namespace

Floors measure_floors() {
  require_device_memory(double{1u << 27}, "measuring what the device does at most", "End other programs that use it");
  const u64 bytes = std::min(kFillBytes, free_device_memory() / 4 / 4096 * 4096);
  Floors floors;
  {
    DeviceBuffer<float> sums(u64{kPeakBlocks} * kPeakThreads);
    const double all = static_cast<double>(multiply_adds_a_thread(kPeakTurns)) * kPeakBlocks * kPeakThreads;
    floors.lanes = {best_rate(all, prepare_multiply_adds(kPeakBlocks, kPeakTurns, sums.data())),
                    "float32 multiply-adds in registers"};
  }
  {
    DeviceBuffer<u32> words(bytes / sizeof(u32));
    floors.bytes = {best_rate(static_cast<double>(words.bytes()), prepare_fill(words.size(), 1, words.data())),
                    fmt::format("stores to {} MiB", bytes >> 20)};
  }
  floors.launches = {best_rate(kEmptyBlocks, prepare_empty(kEmptyBlocks)),
                     fmt::format("empty blocks of {} threads", kPeakThreads)};
  return floors;
}

}  // namespace tri::cuda
