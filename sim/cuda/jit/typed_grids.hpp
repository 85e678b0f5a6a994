#pragma once
/// Launches of a typed map.

#include "sim/cuda/jit/map_text.hpp"
#include "sim/cuda/kernels/map_tables.cuh"

namespace tri::cuda {

inline TypedTriangle typed_on_host(TriangleMapId id, u32 side) {
  return TypedTriangle(side, Diagonal::with, *info(id).typed);
}
inline TypedTetra typed_on_host(TetraMapId id, u32 side) { return TypedTetra(side, Diagonal::with, *info(id).typed); }

/// As prepare_on_map() for a typed map that is exact for n elements in tiles of `tile`: launch(address of the map's
/// object, piece, stream, data...).
template <class... Data, class MapId, class Launch>
Prepared<Data...> prepare_on_typed_map(MapId id, u32 n, u32 tile, const Launch& launch, const GridCut& cut = {}) {
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, tile));
  const auto map = typed_on_host(id, side);
  const auto on_value = [launch, value = map_value(info(id), side)](const auto&, const auto&... arguments) {
    launch(static_cast<const void*>(value.data()), arguments...);
  };
  return prepare_on<Data...>(map, grid_pieces(map, tile, cut), on_value);
}

}  // namespace tri::cuda
