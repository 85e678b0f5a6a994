#include "sim/cuda/runtime/watched_launches.hpp"

#include <algorithm>
#include <array>

#include "sim/base/progress.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

/// Some milliseconds on the fastest devices: launches cost nothing beside it.
constexpr double kLeastItems = 1e9;
constexpr u32 kMostWatched = 128;

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

void enqueue_watched(const Prepared& work, cudaStream_t stream) {
  if (!work_is_watched()) return work.enqueue(stream);
  std::array<Event, 2> done;
  LoopReport report(work.launches);
  for (u32 k = 0; k < work.launches; ++k) {
    Event& event = done[k % 2];
    if (k >= 2) event.wait(), report.at(k - 1);
    work.launch(stream, k);
    event.record(stream);
  }
}

u32 watched_slices(double items, u32 least) {
  if (!work_is_watched()) return least;
  const double wanted = std::min<double>(kMostWatched, items / kLeastItems);
  return std::max(least, static_cast<u32>(wanted));
}

}  // namespace tri::cuda
