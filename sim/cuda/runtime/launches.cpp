#include "sim/cuda/runtime/launches.hpp"

#include <algorithm>
#include <cmath>
#include <shared_mutex>
#include <vector>

#include "sim/cuda/runtime/device.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {
namespace {

/// Launches: graphs, and work that is cut into slices.
///
/// Captures a stream; ends the capture also on an exception.
class Capture {
 public:
  explicit Capture(cudaStream_t stream) : stream_(stream) {
    TRI_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture() {
    if (graph_ == nullptr) (void)cudaStreamEndCapture(stream_, &graph_);  // an exception is in flight already
    if (graph_ != nullptr) TRI_CUDA_NOTHROW(cudaGraphDestroy(graph_));
  }
  cudaGraph_t end() {
    TRI_CUDA(cudaStreamEndCapture(stream_, &graph_));
    return graph_;
  }

 private:
  std::shared_lock<std::shared_mutex> lock_{capture_mutex()};
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
};

}  // namespace

std::shared_mutex& capture_mutex() {
  static std::shared_mutex mutex;
  return mutex;
}

Graph::Graph(const PreparedLaunch& work, GraphShape shape, u32 repeats) {
  const Stream stream;
  const std::vector<Stream> branches(shape == GraphShape::branches && work.launches > 1 ? work.launches - 1 : 0);
  Event done;
  // Makes future work on `later` wait for the work on `earlier`.
  const auto order = [&done](cudaStream_t earlier, cudaStream_t later) {
    done.record(earlier);
    TRI_CUDA(cudaStreamWaitEvent(later, done, 0));
  };
  Capture capture(stream);
  for (u32 r = 0; r < repeats; ++r) {
    if (branches.empty()) {
      work.enqueue(stream);
      continue;
    }
    for (const Stream& branch : branches) order(stream, branch);
    work.launch(stream, 0);
    for (u32 k = 1; k < work.launches; ++k) work.launch(branches[k - 1], k);
    for (const Stream& branch : branches) order(branch, stream);
  }
  TRI_CUDA(cudaGraphInstantiate(&exec_, capture.end(), 0));
}

Graph::Graph(const std::function<void(cudaStream_t)>& enqueue) {
  const Stream stream;
  Capture capture(stream);
  enqueue(stream);
  TRI_CUDA(cudaGraphInstantiate(&exec_, capture.end(), 0));
}

Graph::~Graph() {
  if (exec_ != nullptr) TRI_CUDA_NOTHROW(cudaGraphExecDestroy(exec_));
}

void Graph::launch(cudaStream_t stream) const { TRI_CUDA(cudaGraphLaunch(exec_, stream)); }

namespace {

constexpr double kInstructionsPerPair = 40;
constexpr double kLanesPerMultiprocessor = 64;
constexpr u32 kMaxSlices = 1u << 16;
/// Without a display: soon enough for Ctrl-C.
constexpr double kInterruptSlice = 200;

double attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return static_cast<double>(value);
}

}  // namespace

int current_device() {
  int device = 0;
  TRI_CUDA(cudaGetDevice(&device));
  return device;
}

u32 slices_of(double pairs, double pairs_per_ms, double slice_ms) {
  const double slices = std::ceil(pairs / (pairs_per_ms * slice_ms));
  return slices > 1 ? static_cast<u32>(std::min<double>(slices, kMaxSlices)) : 1;
}

double min_pairs_per_ms(int device, Precision precision) {
  const double cycles_per_ms = attribute(cudaDevAttrClockRate, device);  // kHz
  const double lanes = attribute(cudaDevAttrMultiProcessorCount, device) * kLanesPerMultiprocessor;
  const double slowdown =
      precision == Precision::fp32 ? 1.0 : attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  return lanes * cycles_per_ms / (kInstructionsPerPair * std::max(slowdown, 1.0));
}

bool drives_display(int device) { return attribute(cudaDevAttrKernelExecTimeout, device) != 0; }

u32 slices_for_items(const EngineConfig& config, double items, int device) {
  double slice_ms = config.slice_ms;
  if (slice_ms == 0) slice_ms = drives_display(device) ? kDisplaySlice : kInterruptSlice;
  if (std::isinf(slice_ms)) return 1;
  return slices_of(items, min_pairs_per_ms(device, config.precision), slice_ms);
}

u32 slices_for(const EngineConfig& config, u64 n, int device) {
  return slices_for_items(config, static_cast<double>(triangular(n - 1)), device);
}

u32 slices_for_triples(const EngineConfig& config, u64 n, int device) {
  return slices_for_items(config, n < 3 ? 0.0 : static_cast<double>(tetrahedral(n - 2)), device);
}

}  // namespace tri::cuda
