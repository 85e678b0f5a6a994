#pragma once
/// Maps as kernels take them: AnyTriangleMap and AnyTetraMap (sim/maps/any_map.hpp) where tiles are large. Kernels
/// whose work is so small that a timing measures the map take each map by its own type.

#include <type_traits>

#include "sim/base/contracts.hpp"
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

/// The cursor of this block, found by its first thread and broadcast through shared memory: roots and 64-bit products
/// cost a hundred instructions, which every warp would repeat. Not for the bounding box, which computes nothing. Ends
/// with a barrier; put another one before the next call.
template <class M>
__device__ __forceinline__ auto block_cursor(const M& map, const Position& at) {
  using Cursor = decltype(map.begin(at));
  if constexpr (std::is_same_v<M, TetraBb>) {
    return map.begin(at);
  } else {
    __shared__ alignas(8) unsigned char shared[sizeof(Cursor)];
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
      *reinterpret_cast<Cursor*>(shared) = map.begin(at);
    }
    __syncthreads();
    return *reinterpret_cast<const Cursor*>(shared);
  }
}

}  // namespace tri::cuda
