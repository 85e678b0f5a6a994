#pragma once
/// Work captured into a CUDA graph.

#include <cuda_runtime_api.h>

#include <functional>
#include <shared_mutex>

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

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

}  // namespace tri::cuda
