#pragma once
/// Selects a kernel by block side, and rejects maps and block sides with a reason.

#include <initializer_list>
#include <string>
#include <vector>

#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// The largest n of this backend: element indices are 32 bits wide, rounded up to whole tiles.
inline constexpr u64 kMaxElements = u64{1} << 31;
/// The papers' block side, and the largest: 32 x 32 threads.
inline constexpr u32 kPaperBlock = 16;
inline constexpr u32 kMaxBlock = 32;

struct KernelChoice {
  bool tiles = false;  ///< the fast kernel with many pairs per thread; else the papers' kernel with one
  u32 block = 0;       ///< side in elements
};

/// block 1..32: the papers' kernel. One of tile_sides: the fast kernel. 0: `preferred`, or kPaperBlock for thread-space
/// maps. Throws ConfigError for any other block, for a tile side with a thread-space map, for n outside
/// 1..kMaxElements, and with the map's own reason for this size.
KernelChoice choose_kernel(TriangleMapId map, u64 n, u32 block, u32 preferred, std::initializer_list<u32> tile_sides);

/// The largest n of kernels over triples: three indices are hashed with 21 bits each.
inline constexpr u64 kMaxTripleElements = u64{1} << 21;

/// The block side of a kernel over triples: `block`, which must be one of `blocks`, or `preferred` for 0. Throws
/// ConfigError for any other block, for n outside 1..kMaxTripleElements, and with the map's own reason.
u32 choose_triple_block(TetraMapId map, u64 n, u32 block, u32 preferred, const std::vector<u32>& blocks);

/// The map of pairs that products of triples go along: the one of pairs, and lambda in place of a typed one, which is
/// not compiled into these kernels.
TriangleMapId product_map(const EngineConfig& config);

/// Bytes that the table of a map may take on the current device.
u64 device_table_memory();

/// Device memory of the map's table in bytes; 0 for maps without one.
double table_bytes(TriangleMapId map, u64 n, u32 block);

}  // namespace tri::cuda
