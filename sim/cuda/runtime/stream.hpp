#pragma once
/// Owning wrappers of streams and events.

#include <cuda_runtime_api.h>

#include <utility>

#include "sim/base/clock.hpp"
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

/// A point in the work of a stream; by default for ordering only, without its time.
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) { TRI_CUDA(cudaEventCreateWithFlags(&event_, flags)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { TRI_CUDA_NOTHROW(cudaEventDestroy(event_)); }
  operator cudaEvent_t() const noexcept { return event_; }
  void record(cudaStream_t stream, unsigned flags = cudaEventRecordDefault) {
    TRI_CUDA(cudaEventRecordWithFlags(event_, stream, flags));
  }
  void wait() const { TRI_CUDA(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Device time between two points of one stream.
class EventTimer {
 public:
  /// flags: cudaEventRecordExternal while the stream is being captured, so that the graph records the time.
  void start(cudaStream_t stream, unsigned flags = cudaEventRecordDefault) { begin_.record(stream, flags); }
  void stop(cudaStream_t stream, unsigned flags = cudaEventRecordDefault) { end_.record(stream, flags); }
  const Event& begin() const noexcept { return begin_; }
  /// Waits for the event of stop(). Milliseconds; resolution about 0.5 us.
  double elapsed_ms() {
    end_.wait();
    float ms = 0;
    TRI_CUDA(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  Event begin_{cudaEventDefault}, end_{cudaEventDefault};
};

/// Events of a device on the clock of the host.
class EventClock {
 public:
  /// Notes when an event of the stream was; at most once a second, as it waits for the stream.
  void set(const Stream& stream) {
    constexpr double kPeriod = 1;  // seconds, in which the clocks part by microseconds
    if (at_ > 0 && clock_s() - at_ < kPeriod) return;
    stream.synchronize();
    // Other work on the device or the host delays the event or the look at it: a slow round trip is made again.
    constexpr double kSlow = 1e-4;  // seconds
    for (int trips = 0; trips < 8; ++trips) {
      const double before = clock_s();
      zero_.record(stream);
      zero_.wait();
      const double after = clock_s();
      at_ = (before + after) / 2;
      if (after - before < kSlow) break;
    }
  }
  /// Seconds of clock_s(). The event is over, and set() was called before it was recorded.
  double when(const Event& event) const {
    float ms = 0;
    TRI_CUDA(cudaEventElapsedTime(&ms, zero_, event));
    return at_ + 1e-3 * static_cast<double>(ms);
  }

 private:
  Event zero_{cudaEventDefault};
  double at_ = 0;
};

}  // namespace tri::cuda
