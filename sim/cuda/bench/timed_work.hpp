#pragma once
/// Times a PreparedLaunch on the device without the cost of its launch.

#include <memory>

#include "sim/backend/bench_case.hpp"
#include "sim/cuda/ranks/device_ranks.hpp"
#include "sim/cuda/runtime/graph.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {

class TimedWork {
 public:
  /// ranks: those that do the work together, each its part of it, in the same calls; null for one alone.
  TimedWork(PreparedLaunch work, GraphShape shape, LaunchTiming timing, DeviceRanks* ranks);

  /// Runs the work at least once, and determines how often a timed run must repeat it. Call it before the first
  /// run(); prepare the output after it.
  void calibrate(cudaStream_t stream);
  /// Milliseconds of one repetition. Waits for the end.
  double run(cudaStream_t stream);

  const PreparedLaunch& work() const { return work_; }
  /// How many times each run() does the work: 1 unless it is short, or timed as an average.
  u32 repeats() const { return repeats_; }

 private:
  void enqueue_once(cudaStream_t stream);
  double run_synchronised(cudaStream_t stream);
  double run_by_events(cudaStream_t stream);

  PreparedLaunch work_;
  GraphShape shape_;
  LaunchTiming timing_;
  DeviceRanks* ranks_;
  EventTimer timer_;
  std::unique_ptr<Graph> graph_;  ///< `repeats_` times the work; null for a chain of one
  u32 repeats_ = 1;
  bool calibrated_ = false;
};

}  // namespace tri::cuda
