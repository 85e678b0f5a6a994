#include "sim/cuda/runtime/graph.hpp"

#include <shared_mutex>
#include <vector>

#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {
namespace {

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

}  // namespace tri::cuda
