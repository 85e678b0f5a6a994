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
  if (limits.built_in_only && map.typed != nullptr) {
    return fmt::format("--map {} is a typed map, and these kernels hold the built-in ones; use --backend cpu.",
                       map.name);
  }
  return refusal(map, n, limits.block, limits.table_bytes);
}

}  // namespace tri
