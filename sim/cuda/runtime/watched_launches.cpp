#include "sim/cuda/runtime/watched_launches.hpp"

#include <algorithm>
#include <array>

#include "sim/base/progress.hpp"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

/// A few milliseconds on the fastest devices, so that launch overhead is negligible.
constexpr double kMinItems = 1e9;
constexpr u32 kMaxSlices = 128;

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

void enqueue_with_progress(const PreparedLaunch& work, cudaStream_t stream) {
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

u32 progress_slices(double items, u32 minimum) {
  if (!progress_is_wanted()) return minimum;
  const double wanted = std::min<double>(kMaxSlices, items / kMinItems);
  return std::max(minimum, static_cast<u32>(wanted));
}

}  // namespace tri::cuda
