#include "sim/cuda/bench/timed_work.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tri::cuda {
namespace {

/// Shorter work is repeated, since the few microseconds between an event and the start of a kernel would show.
constexpr double kShortMs = 1.0;
/// Duration of all repetitions; their single launch is then at most a few parts in a thousand.
constexpr double kTogetherMs = 2.0;
constexpr u32 kMaxRepeats = 512;

}  // namespace

TimedWork::TimedWork(PreparedLaunch work, GraphShape shape, LaunchTiming timing, DeviceRanks* ranks)
    : work_(std::move(work)), shape_(work_.launches > 1 ? shape : GraphShape::chain), timing_(timing), ranks_(ranks) {
  if (shape_ == GraphShape::branches) graph_ = std::make_unique<Graph>(work_, shape_, 1);
}

void TimedWork::calibrate(cudaStream_t stream) {
  if (calibrated_) return;
  calibrated_ = true;
  if (timing_ == LaunchTiming::averaged) repeats_ = kAveragedLaunches;
  if (timing_ != LaunchTiming::work) return;
  run_by_events(stream);  // loads the kernel's code
  double ms = run_by_events(stream);
  if (ranks_ != nullptr) {  // all repeat it as often
    const std::vector<double> each = ranks_->of_each(ms);
    ms = *std::max_element(each.begin(), each.end());
    if (!ranks_->may_be_captured()) return;
  }
  if (ms >= kShortMs || work_.launches == 0) return;
  repeats_ = static_cast<u32>(std::clamp(std::ceil(kTogetherMs / std::max(ms, 1e-6)), 2.0, double{kMaxRepeats}));
  graph_ = std::make_unique<Graph>(work_, shape_, repeats_);
  if (ranks_ != nullptr) ranks_->largest(0);  // every graph is made before one waits for another
  graph_->launch(stream);
}

double TimedWork::run(cudaStream_t stream) {
  if (timing_ == LaunchTiming::work) return run_by_events(stream);
  double ms = 0;
  for (u32 r = 0; r < repeats_; ++r) ms += run_synchronised(stream);
  return ms / repeats_;
}

void TimedWork::enqueue_once(cudaStream_t stream) {
  if (graph_) {
    graph_->launch(stream);
  } else {
    work_.enqueue(stream);
  }
}

double TimedWork::run_by_events(cudaStream_t stream) {
  timer_.start(stream);
  enqueue_once(stream);
  timer_.stop(stream);
  return timer_.elapsed_ms() / repeats_;
}

double TimedWork::run_synchronised(cudaStream_t stream) {
  TRI_CUDA(cudaStreamSynchronize(stream));
  const auto begin = std::chrono::steady_clock::now();
  if (graph_) {
    graph_->launch(stream);
    TRI_CUDA(cudaStreamSynchronize(stream));
  } else {
    for (u32 k = 0; k < work_.launches; ++k) {
      work_.launch(stream, k);
      TRI_CUDA(cudaStreamSynchronize(stream));
    }
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tri::cuda
