#pragma once
/// Work of many launches with progress reports.

#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

/// Launches all grids of the work. With a progress sink (sim/base/progress.hpp), at most two grids are in flight, so
/// that reports are accurate and an exception of the sink cancels the rest; else all are enqueued at once. Not during
/// stream capture. Throws CudaError and what the sink throws.
void enqueue_with_progress(const PreparedLaunch& work, cudaStream_t stream);

/// Number of launches for work of so many items: with a progress sink about a hundred, each of at least 10^9 items;
/// `minimum` without.
u32 progress_slices(double items, u32 minimum);

}  // namespace tri::cuda
