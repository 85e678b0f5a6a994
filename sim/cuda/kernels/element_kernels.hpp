#pragma once
/// Kernels over single elements of the triangle, (i, j), i >= j, and of the tetrahedron, (i, j, k), i <= j <= k, on
/// every map of either: what the papers time, and what checks a map on the device. Both domains include their
/// diagonals.
///
/// MapId: TriangleMapId or TetraMapId. n: elements per side, n >= 1, for triples <= 2^21. rho: block side, 1..32
/// threads (rho^2 threads per block) for pairs, a tile side of 1..kMaxTripleBlock for triples. All buffers are device
/// memory and must outlive the PreparedLaunch.

#include "sim/backend/bench_case.hpp"
#include "sim/cuda/kernels/element_slots.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

/// Largest tile side of a block of triples.
inline constexpr u32 kMaxTripleBlock = 10;

/// form: hold or store. scratch: [kDummySlots].
template <class MapId>
PreparedLaunch prepare_dummy(MapId map, u32 n, u32 rho, BenchForm form, u32* scratch);

/// Adds 1 to cells[i(i+1)/2 + j], or cells[T3(k) + T2(j) + i]: after one run every cell is 1 if and only if the map
/// covers each element exactly once.
template <class MapId>
PreparedLaunch prepare_write(MapId map, u32 n, u32 rho, u32* cells);

/// Two sums modulo 2^64, the number of elements met and a hash of each: two maps that meet the same multiset of
/// elements agree in both. Works at sizes at which a counter per cell does not fit into memory. Of triples a third,
/// (i+1)(j+1)(k+1) over i < j < k. sums: [2 or 3, kChecksumSlots], zeroed by the caller; the results are the sums of
/// its rows.
template <class MapId>
PreparedLaunch prepare_checksum(MapId map, u32 n, u32 rho, unsigned long long* sums);

/// The same sums by a plain loop over the coordinates, without a map.
template <class MapId>
PreparedLaunch prepare_plain_checksum(u32 n, unsigned long long* sums);

/// One step of Conway's life on the triangle: cell (i, j) lives in the lower half of an [n, n] byte matrix, its
/// neighbours are those of the 8 around it that lie in the triangle. next must not be now.
PreparedLaunch prepare_automaton(TriangleMapId map, u32 n, u32 rho, const u8* now, u8* next);

}  // namespace tri::cuda
