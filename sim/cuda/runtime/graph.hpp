#pragma once
/// Work captured into a CUDA graph, to launch it as a whole.

#include <cuda_runtime_api.h>

#include <functional>

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

/// How the grids of a PreparedLaunch follow each other.
enum class GraphShape : u8 {
  chain,     ///< one after another
  branches,  ///< side by side, joined at the end
};

class Graph {
 public:
  /// `repeats` times the work, one after another. Throws CudaError. The memory of the work must outlive the graph.
  Graph(const PreparedLaunch& work, GraphShape shape, u32 repeats);
  /// Of what `enqueue` puts on the stream that it is given.
  explicit Graph(const std::function<void(cudaStream_t)>& enqueue);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void launch(cudaStream_t stream) const;

 private:
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace tri::cuda
