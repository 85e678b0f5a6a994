#include "sim/cuda/runtime/watched_launches.hpp"

#include <algorithm>
#include <array>

#include "sim/base/progress.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

/// Some milliseconds on the fastest devices: launches cost nothing beside it.
constexpr double kMinItems = 1e9;
constexpr u32 kMaxWatched = 128;

class Event {
 public:
  Event() { TRI_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { TRI_CUDA_NOTHROW(cudaEventDestroy(event_)); }
  void record(cudaStream_t stream) { TRI_CUDA(cudaEventRecord(event_, stream)); }
  void wait() { TRI_CUDA(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

void enqueue_watched(const PreparedLaunch& work, cudaStream_t stream) {
  if (!progress_is_wanted()) return work.enqueue(stream);
  std::array<Event, 2> done;
  LoopProgress report(work.launches);
  for (u32 k = 0; k < work.launches; ++k) {
    Event& event = done[k % 2];
    if (k >= 2) event.wait(), report.at(k - 1);
    work.launch(stream, k);
    event.record(stream);
  }
}

u32 watched_slices(double items, u32 least) {
  if (!progress_is_wanted()) return least;
  const double wanted = std::min<double>(kMaxWatched, items / kMinItems);
  return std::max(least, static_cast<u32>(wanted));
}

}  // namespace tri::cuda
