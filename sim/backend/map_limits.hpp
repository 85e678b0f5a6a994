#pragma once
/// Whether a map can be used: a function of the map, the size and what the engine asks of maps. Engines refuse by it,
/// and the app shows it before anything is configured.

#include <string>

#include "sim/maps/map_concepts.hpp"
#include "sim/maps/table_memory.hpp"

namespace tri {

/// What an engine asks of the maps of one domain.
struct MapLimits {
  u32 block = 1;                     ///< side of its tiles in elements
  bool tiles_only = false;           ///< it works in tiles, which thread-space maps do not have
  u64 table_bytes = table_memory();  ///< that the table of a map may take
  std::string no_typed = {};         ///< why its kernels take no typed maps, and what to use; empty: they do
};

/// One sentence that says why the map cannot be used for n elements and what to use instead; empty when it can.
std::string map_refusal(const MapInfo& map, u64 n, const MapLimits& limits);

}  // namespace tri
