#pragma once
/// Triples of points by their three sides on the device: kernels. The job is in triple_count_jobs.cpp.

#include <cuda_runtime_api.h>

#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Tile side: 32 bodies a side, 256 threads a block.
inline constexpr u32 kCountTile = 32;

/// table [n, n]: at [i, j] with i < j becomes the bin of that pair, elsewhere kNoBin. points: [features, n]. squares:
/// [bins + 1]. All device memory.
void enqueue_pair_bins(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table,
                       cudaStream_t stream);

/// Adds 1 to counts[(p bins + q) bins + r] for each triple with all sides in bins p <= q <= r. counts: [bins^3], zeroed
/// by the caller. slices: launches to cut the work into, as sliced_pieces() does.
PreparedLaunch prepare_triple_counts(TetraMapId map, u32 n, u32 bins, const u8* table, unsigned long long* counts,
                                     u32 slices);

}  // namespace tri::cuda
