#include "sim/backend/map_limits.hpp"

#include <fmt/format.h>

#include "sim/maps/map_registry.hpp"

namespace tri {

std::string map_refusal(const MapInfo& map, u64 n, const MapLimits& limits) {
  if (limits.tiles_only && map.space == Space::thread) {
    return fmt::format(
        "--map {} gives pairs to threads, and forces on this backend are summed in tiles; use --map lambda, or "
        "--backend cpu.",
        map.name);
  }
  if (map.typed != nullptr && !limits.no_typed.empty()) {
    return fmt::format("--map {} is a typed map: {}.", map.name, limits.no_typed);
  }
  return refusal(map, n, limits.block, limits.table_bytes);
}

}  // namespace tri
