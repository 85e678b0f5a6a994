#pragma once
/// A kernel on a map, ready to go: tables uploaded, grids cut, arguments bound. Preparing may allocate and synchronise;
/// enqueue() only launches, so it may be timed, repeated and captured into a graph (see graph.hpp).

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "sim/base/platform.hpp"

namespace tri::cuda {

struct PreparedLaunch {
  /// Launches the k-th of `launches` grids on the stream; throws CudaError when the launch is refused. The grids write
  /// different elements, so they may run in any order or at once. Device memory that was given to prepare_*() must
  /// outlive the work.
  std::function<void(cudaStream_t, u32 k)> launch;
  u64 launched = 0;  ///< positions: blocks, in thread space threads
  u64 useful = 0;    ///< positions that a perfect map would launch: tiles of the domain; persistent maps: their blocks
  u32 launches = 0;  ///< grids

  /// All grids, one after another.
  void enqueue(cudaStream_t stream) const {
    for (u32 k = 0; k < launches; ++k) launch(stream, k);
  }
};

}  // namespace tri::cuda
