/// Look-up of map names in the registry.

#include "sim/model/map_choice.hpp"

#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri {
namespace {

template <class Found>
auto found_or_throw(Found found, std::string_view domain, const std::string& name, std::span<const MapInfo> maps) {
  if (found) return *found;
  std::vector<std::string_view> names;
  for (const MapInfo& map : maps) names.emplace_back(map.name);
  throw ConfigError(unknown_name(std::string("map of the ") + std::string(domain), name, names));
}

}  // namespace

TriangleMapId triangle_map_from(const std::string& name) {
  return found_or_throw(find_triangle_map(name), "triangle", name, triangle_maps());
}

TetraMapId tetra_map_from(const std::string& name) {
  return found_or_throw(find_tetra_map(name), "tetrahedron", name, tetra_maps());
}

GasketMapId gasket_map_from(const std::string& name) {
  return found_or_throw(find_gasket_map(name), "gasket", name, gasket_maps());
}

}  // namespace tri
