#pragma once
/// From a map's name, as a user writes it, to its id. Each throws ConfigError with the nearest name and the list of
/// all names of that domain when the name is none of them.

#include <string>

#include "sim/maps/map_ids.hpp"

namespace tri {

TriangleMapId triangle_map_from(const std::string& name);
TetraMapId tetra_map_from(const std::string& name);
GasketMapId gasket_map_from(const std::string& name);

}  // namespace tri
