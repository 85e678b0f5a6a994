#pragma once
/// Map files among the maps of the program.

#include <memory>
#include <string>

#include "sim/mapfile/map_file.hpp"

namespace tri::mapfile {

/// Makes a map file one of the maps of its domain (sim/maps/map_registry.hpp), under its name, until the program ends,
/// and returns that row of the list. The same text again is the same map. Throws ConfigError for another text under a
/// name that is taken, and when there are kMaxTypedMaps. Any thread may call it.
const MapInfo& add_map(const std::shared_ptr<const MapFile>& map);

/// The map file of a map; nullptr for a built-in one.
const MapFile* map_file_of(const MapInfo& map);

/// "proved for m = 32", or nothing for a built-in map. side: one that the map has not refused.
std::string proved_text(const MapInfo& map, u64 side);

}  // namespace tri::mapfile
