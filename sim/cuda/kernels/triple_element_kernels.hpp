#pragma once
/// Kernels over single elements (i, j, k) of the tetrahedron, on every map of it: what the papers analysed, and what
/// checks a map on the device.
///
/// n: elements per side, 1 <= n <= 2^21. rho: tile side of a block, 1..10. The tetrahedron includes its diagonals:
/// n(n+1)(n+2)/6 elements (i <= j <= k). All buffers are device memory and must outlive the PreparedLaunch.

#include "sim/backend/bench_case.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Largest tile side of a block.
inline constexpr u32 kMaxTripleBlock = 10;
/// Elements of the dummy kernel's scratch.
inline constexpr u32 kDummy3Slots = 1u << 20;

/// form: hold or store. scratch: [kDummy3Slots].
PreparedLaunch prepare_dummy3(TetraMapId map, u32 n, u32 rho, BenchForm form, u32* scratch);

/// Adds 1 to cells[T3(k) + T2(j) + i]: after one run every cell is 1 if and only if the map covers each element exactly
/// once.
PreparedLaunch prepare_write3(TetraMapId map, u32 n, u32 rho, u32* cells);

/// Three sums modulo 2^64: the number of elements met, a hash of each, and (i+1)(j+1)(k+1) over i < j < k. sums:
/// [3, kTripleSlots], zeroed by the caller; the results are the sums of its rows.
inline constexpr u32 kTripleSlots = 1024;
PreparedLaunch prepare_checksum3(TetraMapId map, u32 n, u32 rho, unsigned long long* sums);

/// The same by a plain loop over layers, rows and columns, without a map.
PreparedLaunch prepare_plain_checksum3(u32 n, unsigned long long* sums);

}  // namespace tri::cuda
