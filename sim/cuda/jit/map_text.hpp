#pragma once
/// Maps in the text of kernels that are compiled at run time: built-in ones by types, typed ones by the text of
/// their files (sim/mapfile/cuda_text.hpp). Pure functions; no device is needed.

#include <cstddef>
#include <string>
#include <vector>

#include "sim/maps/map_concepts.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri::cuda {

struct MapText {
  std::string type;        ///< as the text names it, within tri::cuda
  std::string definition;  ///< what comes before its use; empty for a built-in map
};

/// Of a map of the list (map_registry.hpp). One kernel serves all built-in maps but two: a kernel of lambda, which is
/// the first that most users need, is compiled in two thirds of the time, and a persistent map has its own as always
/// (AnyTriangleMap). side: of the domain with its diagonal, on which the text of a typed map depends. Throws
/// ConfigError for a typed map that is no file, and as cuda_text() of sim/mapfile.
MapText map_text(TriangleMapId id, u32 side);
MapText map_text(TetraMapId id, u32 side);
/// Of a typed map.
MapText map_text(GasketMapId id, u32 side);

/// An object of that type for a typed map: its base class, then the values of this side (of the
/// domain with its diagonal). Throws ConfigError as device_map() of sim/mapfile.
std::vector<std::byte> map_value(const MapInfo& map, u32 side);

}  // namespace tri::cuda
