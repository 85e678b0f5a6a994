#pragma once
/// Maps as kernels take them: AnyTriangleMap and AnyTetraMap (sim/maps/any_map.hpp) where tiles are large. Kernels
/// whose work is so small that a timing measures the map take each map by its own type.

#include <type_traits>

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/block_cursor.cuh"
#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/maps/any_map.hpp"

namespace tri::cuda {

/// Calls f(the map as a kernel of tiles takes it): AnyTriangleMap, or a persistent map itself. Thread-space maps end
/// the program.
template <class M, class F>
void with_kernel_map(const M& map, F&& f) {
  if constexpr (M::kInfo.space == Space::thread) {
    TRI_UNREACHABLE("a thread-space map in a kernel of tiles");
  } else if constexpr (AnyTriangleMap::kHolds<M>) {
    f(AnyTriangleMap(map));
  } else {
    f(map);
  }
}

/// A launch for prepare_on_map() that passes the map on as with_kernel_map() does.
template <class Launch>
auto on_kernel_map(const Launch& launch) {
  return [launch](const auto& map, const auto&... arguments) {
    with_kernel_map(map, [&](const auto& in_kernel) { launch(in_kernel, arguments...); });
  };
}

}  // namespace tri::cuda
