#include "sim/mapfile/add_map.hpp"

#include <fmt/format.h>

#include <mutex>
#include <span>

#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::mapfile {
namespace {

std::span<const MapInfo> maps_like(const MapFile& map) {
  const Domain domain = map.info().domain;
  return domain == Domain::triangle ? triangle_maps() : domain == Domain::tetrahedron ? tetra_maps() : gasket_maps();
}

}  // namespace

const MapInfo& add_map(const std::shared_ptr<const MapFile>& map) {
  static std::mutex adding;  // between the look for the name and its row
  const std::lock_guard lock(adding);
  for (const MapInfo& row : maps_like(*map)) {
    if (std::string_view(row.name) != map->info().name) continue;
    const MapFile* other = map_file_of(row);
    if (other != nullptr && other->text().file == map->text().file) return row;
    throw ConfigError(fmt::format("{}: another map has the name {}{}; take another name.", map->text().path, row.name,
                                  other == nullptr ? "" : ", from " + other->text().path));
  }
  const std::optional<u32> id = add_typed_map(map);
  if (!id)
    throw ConfigError(
        fmt::format("{}: there are {} typed maps of this domain already.", map->text().path, kMaxTypedMaps));
  return maps_like(*map)[*id];
}

const MapFile* map_file_of(const MapInfo& map) { return dynamic_cast<const MapFile*>(map.typed); }

std::string proved_text(const MapInfo& map, u64 side) {
  return map.typed == nullptr ? std::string() : fmt::format("proved for m = {}", side);
}

}  // namespace tri::mapfile
