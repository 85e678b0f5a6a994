#pragma once
/// Converts a map's name to its id. Throws ConfigError with the nearest name and the list of all names of that domain
/// for an unknown name.

#include <string>

#include "sim/maps/map_ids.hpp"

namespace tri {

TriangleMapId triangle_map_from(const std::string& name);
TetraMapId tetra_map_from(const std::string& name);
GasketMapId gasket_map_from(const std::string& name);

}  // namespace tri
