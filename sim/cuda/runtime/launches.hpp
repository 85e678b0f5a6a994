#pragma once
/// Launches: prepared ones, streams, graphs, events, slices.
///
/// A kernel on a map, ready to launch: tables uploaded, grids split, arguments bound. Preparing may allocate and
/// synchronise; enqueue() only launches, so it can be timed, repeated and captured into a graph (see launches.hpp).

#include <array>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <utility>

#include <cuda_runtime_api.h>

#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// How the positions of a map are cut into grids: at least so many of them, and for several ranks every step-th
/// position of each row, so that tiles that take longer are shared as well.
struct GridCut {
  GridCut(u32 grids = 1) : slices(grids) {}  // NOLINT(google-explicit-constructor): most work has one rank
  GridCut(u32 grids, u32 rank, u32 ranks) : slices(grids), first(rank), step(ranks) {}

  u32 slices, first = 0, step = 1;

  /// Blocks of a persistent map, of which a device holds so many at once.
  u32 workers(u32 resident) const { return resident * slices * step; }
};

/// Data: what is passed at launch and not bound.
template <class... Data>
struct Prepared {
  /// Launches the k-th of `launches` grids on the stream; throws CudaError if the launch fails. The grids write
  /// different elements, so they may run in any order or concurrently. Device memory passed to prepare_*() must outlive
  /// the work.
  std::function<void(cudaStream_t, u32 k, Data...)> launch;
  u64 launched = 0;  ///< positions: blocks, or threads for thread-space maps
  u64 useful = 0;    ///< positions that an ideal map would launch: tiles of the domain; persistent maps: their blocks
  u32 launches = 0;  ///< grids
  /// What comes before the first grid of an evaluation, and after the last; may be empty.
  std::function<void(cudaStream_t, Data...)> begin = {}, end = {};

  /// All grids, one after another, with what comes before and after.
  void enqueue(cudaStream_t stream, Data... data) const {
    if (begin) begin(stream, data...);
    for (u32 k = 0; k < launches; ++k) launch(stream, k, data...);
    if (end) end(stream, data...);
  }
};
using PreparedLaunch = Prepared<>;

/// Adds a grid that no map launches: it counts among the launches, but not among the positions.
inline void append_launch(PreparedLaunch& work, std::function<void(cudaStream_t)> more) {
  work.launch = [before = std::move(work.launch), count = work.launches, more = std::move(more)](
                    cudaStream_t stream, u32 k) { k < count ? before(stream, k) : more(stream); };
  ++work.launches;
}

// Owning wrappers of streams and events.

/// Non-blocking with respect to the legacy default stream.
class Stream {
 public:
  /// urgent: what waits in it goes before what waits in others.
  explicit Stream(bool urgent = false) {
    int least = 0, most = 0;
    TRI_CUDA(cudaDeviceGetStreamPriorityRange(&least, &most));
    TRI_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, urgent ? most : least));
  }
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

// Work captured into a CUDA graph.

/// Dependencies between the grids of a PreparedLaunch.
enum class GraphShape : u8 {
  chain,     ///< one after another
  branches,  ///< concurrent, joined at the end
};

/// Captures share it; who waits for a whole device holds it alone, which CUDA refuses during a capture in any thread.
std::shared_mutex& capture_mutex();

class Graph {
 public:
  /// Captures the work `repeats` times in sequence. Throws CudaError. The memory of the work must outlive the graph.
  Graph(const PreparedLaunch& work, GraphShape shape, u32 repeats);
  /// Captures what `enqueue` enqueues on the stream passed to it.
  explicit Graph(const std::function<void(cudaStream_t)>& enqueue);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t exec_ = nullptr;
};

// Long work in many launches that a progress sink (sim/base/progress.hpp) watches and may end.

/// launch(k) for all k < launches. With a progress sink and a named task, at most two are in flight, so that reports
/// are accurate and an exception of the sink cancels the rest; else all are enqueued at once. Not while the stream is
/// being captured.
template <class Launch>
void launch_watched(cudaStream_t stream, u32 launches, const Launch& launch) {
  if (launches < 3 || !progress_is_wanted()) {
    for (u32 k = 0; k < launches; ++k) launch(k);
    return;
  }
  std::array<Event, 2> done;
  LoopProgress report(launches);
  for (u32 k = 0; k < launches; ++k) {
    Event& event = done[k % 2];
    if (k >= 2) event.wait(), report.at(k - 1);
    launch(k);
    event.record(stream);
  }
}

/// The same for one of several ranks, none of which may end alone: nobody watches them.
template <class Launch>
void launch_all(cudaStream_t stream, u32 launches, const GridCut& cut, const Launch& launch) {
  if (cut.step == 1) return launch_watched(stream, launches, launch);
  for (u32 k = 0; k < launches; ++k) launch(k);
}

/// The grids of work that was prepared in so many slices: of one all at once, else as above.
template <class... Data, class... Arguments>
void enqueue_watched(const Prepared<Data...>& work, u32 slices, cudaStream_t stream, const Arguments&... data) {
  if (slices < 2) return work.enqueue(stream, data...);
  if (work.begin) work.begin(stream, data...);
  launch_watched(stream, work.launches, [&](u32 k) { work.launch(stream, k, data...); });
  if (work.end) work.end(stream, data...);
}

// Launches whose blocks may start before the kernel ahead of them on the stream has ended (programmatic dependent
// launch, compute capability 9.0 or later; CUDA Programming Guide): from the end of a kernel to the start of the next
// it is a microsecond, which is a tenth of a step of 4,096 bodies.

/// Launches a kernel whose threads all call await_earlier() (position.cuh) before they touch memory. As any launch
/// on a stream where device or code is older. May be captured. Throws CudaError.
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, u32 threads, std::size_t shared, cudaStream_t stream,
                  const Arguments&... arguments) {
  cudaFuncAttributes code{};
  TRI_CUDA(cudaFuncGetAttributes(&code, kernel));
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = dim3(threads), config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = &early, config.numAttrs = code.ptxVersion >= 90 ? 1 : 0;
  TRI_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// The same for a kernel that was compiled at run time, and which may start early if its code is for compute
/// capability 9.0 or later; arguments are addresses of what its parameters become.
inline void launch_early(cudaKernel_t kernel, bool early, dim3 grid, dim3 threads, std::size_t shared,
                         cudaStream_t stream, void** arguments) {
  cudaLaunchAttribute may{};
  may.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  may.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = threads, config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = &may, config.numAttrs = early ? 1 : 0;
  TRI_CUDA(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments));
}

// Splits long work into several launches, so that a GPU that also drives a display stays responsive, no kernel hits
// the driver's timeout, and Ctrl-C ends a step.

/// Launches for so many pairs at `pairs_per_ms`, so that none takes longer than slice_ms. At least 1; 1 for an infinite
/// slice.
u32 slices_of(double pairs, double pairs_per_ms, double slice_ms);

/// A conservative lower bound of the rate of pair kernels: 40 instructions per pair (they need about 20), half the
/// lanes of the best devices, the driver's ratio for float64. Throws CudaError.
double min_pairs_per_ms(int device, Precision precision);

/// The current device of this thread. Throws CudaError.
int current_device();

/// Whether the driver has a kernel timeout on this device, as on GPUs that drive a display. Throws CudaError.
bool drives_display(int device);

/// Launches for so many items of work, each of no more instructions than are allowed for a pair.
u32 slices_for_items(const EngineConfig& config, double items, int device);
/// Launches for n(n-1)/2 pairs in this configuration on this device.
u32 slices_for(const EngineConfig& config, u64 n, int device);
/// The same for n(n-1)(n-2)/6 triples, which need no more instructions each than are allowed for a pair.
u32 slices_for_triples(const EngineConfig& config, u64 n, int device);

}  // namespace tri::cuda
