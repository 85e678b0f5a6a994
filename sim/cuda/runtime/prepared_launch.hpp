#pragma once
/// A kernel on a map, ready to launch: tables uploaded, grids split, arguments bound. Preparing may allocate and
/// synchronise; enqueue() only launches, so it can be timed, repeated and captured into a graph (see graph.hpp).

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "sim/base/platform.hpp"

namespace tri::cuda {

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

  /// All grids, one after another.
  void enqueue(cudaStream_t stream, Data... data) const {
    for (u32 k = 0; k < launches; ++k) launch(stream, k, data...);
  }
};
using PreparedLaunch = Prepared<>;

}  // namespace tri::cuda
