#pragma once
/// Kernels that count triples of points by their three sides one by one. jobs/count_triples.cpp contains the job.

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/triples/triple_copies.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Writes to table [side, side], side >= n, the bin of the pair at [i, j] with i < j, elsewhere kNoBin. points:
/// [features, n]. squares: [bins + 1]. All device memory.
void enqueue_pair_bins(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table, u32 side,
                       cudaStream_t stream);

/// Adds 1 to counts[(p bins + q) bins + r] for each triple with all sides in bins p <= q <= r. table: [n, n], as above.
/// counts: [bins^3], zeroed by the caller. cut: of the map's positions.
PreparedLaunch prepare_triple_counts(TetraMapId map, u32 n, u32 bins, const u8* table, unsigned long long* counts,
                                     const GridCut& cut);

}  // namespace tri::cuda
