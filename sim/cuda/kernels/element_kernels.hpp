#pragma once
/// Kernels with one thread per element, on every triangle map: what the papers time, and what checks a map on the
/// device.
///
/// n: elements per side, any n >= 1. rho: block side in threads, 1..32 (rho^2 threads per block). The triangle includes
/// its diagonal: n(n+1)/2 elements (i >= j). All buffers are device memory and must outlive the PreparedLaunch.

#include "sim/backend/bench_case.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Elements of the dummy kernel's scratch: small enough to stay in the L2 cache.
inline constexpr u32 kDummySlots = 1u << 20;

/// form: hold or store. scratch: [kDummySlots].
PreparedLaunch prepare_dummy(TriangleMapId map, u32 n, u32 rho, BenchForm form, u32* scratch);

/// Adds 1 to cells[i(i+1)/2 + j]: after one run every cell is 1 if and only if the map covers each element exactly
/// once.
PreparedLaunch prepare_write(TriangleMapId map, u32 n, u32 rho, u32* cells);

/// The number of elements met, and the sum modulo 2^64 of a hash of each (i, j): two maps that meet the same multiset
/// of elements agree in both. Works at sizes at which a counter per cell does not fit into memory. sums: [2,
/// kChecksumSlots], zeroed by the caller; the results are the sums of its two rows.
inline constexpr u32 kChecksumSlots = 1024;
PreparedLaunch prepare_checksum(TriangleMapId map, u32 n, u32 rho, unsigned long long* sums);

/// The same sums by a plain double loop over rows and columns, without a map.
PreparedLaunch prepare_plain_checksum(u32 n, unsigned long long* sums);

/// One step of Conway's life on the triangle: cell (i, j) lives in the lower half of an [n, n] byte matrix, its
/// neighbours are those of the 8 around it that lie in the triangle. next must not be now.
PreparedLaunch prepare_automaton(TriangleMapId map, u32 n, u32 rho, const u8* now, u8* next);

}  // namespace tri::cuda
