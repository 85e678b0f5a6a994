#pragma once
/// The map `rec` by dynamic parallelism: one thread on the device launches all k + 1 grids concurrently, and the work
/// ends when the last of them has. LTM V studies its cost compared with launches from the host.

#include "sim/backend/bench_case.hpp"
#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"

namespace tri::cuda {

/// The most tiles per side: grids are not split on the device, and a grid's height is half the padded side.
inline constexpr u64 kRecDeviceSide = 65536;

/// As prepare_dummy() with the map rec; n <= kRecDeviceSide * rho.
PreparedLaunch prepare_dummy_from_device(u32 n, u32 rho, BenchForm form, u32* scratch);

/// As prepare_distance_tiles() (block = kDistanceTile) or prepare_distance_elements() (block 1..32) with the map rec,
/// in float32; n <= kRecDeviceSide * block.
PreparedLaunch prepare_distances_from_device(u32 n, u32 block, u32 features, DistanceLayout layout,
                                             const Vec4<float>* points, float* out);

}  // namespace tri::cuda
