#pragma once
/// Owning wrappers of a stream and of a pair of events.

#include <cuda_runtime_api.h>

#include <utility>

#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {

/// Non-blocking with respect to the legacy default stream.
class Stream {
 public:
  Stream() { TRI_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  ~Stream() {
    if (stream_) TRI_CUDA_NOTHROW(cudaStreamDestroy(stream_));
  }
  operator cudaStream_t() const noexcept { return stream_; }
  void synchronize() const { TRI_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Device time between two points of one stream.
class EventTimer {
 public:
  EventTimer() {
    TRI_CUDA(cudaEventCreate(&begin_));
    TRI_CUDA(cudaEventCreate(&end_));
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;
  ~EventTimer() {
    if (begin_) TRI_CUDA_NOTHROW(cudaEventDestroy(begin_));
    if (end_) TRI_CUDA_NOTHROW(cudaEventDestroy(end_));
  }
  /// flags: cudaEventRecordExternal while the stream is being captured, so that the graph records the time.
  void start(cudaStream_t stream, unsigned flags = cudaEventRecordDefault) {
    TRI_CUDA(cudaEventRecordWithFlags(begin_, stream, flags));
  }
  void stop(cudaStream_t stream, unsigned flags = cudaEventRecordDefault) {
    TRI_CUDA(cudaEventRecordWithFlags(end_, stream, flags));
  }
  /// Waits for the event of stop(). Milliseconds; resolution about 0.5 us.
  double elapsed_ms() {
    TRI_CUDA(cudaEventSynchronize(end_));
    float ms = 0;
    TRI_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace tri::cuda
