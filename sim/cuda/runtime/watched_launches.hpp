#pragma once
/// Work of many launches that somebody looks on at.

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

/// Launches all grids of the work. Where somebody looks on (sim/base/progress.hpp), no more than two ahead of the
/// device, so that what is told is true, and what the watch throws ends the work after the two; else all at once. Not
/// while the stream is captured. Throws CudaError, and what the watch throws.
void enqueue_watched(const PreparedLaunch& work, cudaStream_t stream);

/// Launches to cut work of so many items into for somebody who looks on: about a hundred, each of 10^9 items at least;
/// `least` where nobody does.
u32 watched_slices(double items, u32 least);

}  // namespace tri::cuda
