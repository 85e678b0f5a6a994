#pragma once
/// A kernel on a map, ready to launch: tables uploaded, grids split, arguments bound. Preparing may allocate and
/// synchronise; enqueue() only launches, so it can be timed, repeated and captured into a graph (see graph.hpp).

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <utility>

#include "sim/base/platform.hpp"

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

}  // namespace tri::cuda
