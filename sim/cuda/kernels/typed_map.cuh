#pragma once
/// Kernels on typed maps: compiled at run time with the text of the map (sim/cuda/jit), launched with its value.

#include <bit>

#include "sim/cuda/jit/arguments.hpp"
#include "sim/cuda/jit/map_kernels.hpp"
#include "sim/cuda/jit/map_text.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/kernels/map_tables.cuh"
#include "sim/cuda/runtime/early_launch.hpp"

namespace tri::cuda {

inline TypedTriangle typed_on_host(TriangleMapId id, u32 side) {
  return TypedTriangle(side, Diagonal::with, *info(id).typed);
}
inline TypedTetra typed_on_host(TetraMapId id, u32 side) { return TypedTetra(side, Diagonal::with, *info(id).typed); }
inline TypedGasket typed_on_host(GasketMapId id, u32 side) {
  return TypedGasket(static_cast<u32>(std::countr_zero(side)), *info(id).typed);
}

template <class MapId>
bool is_typed(MapId id) {
  return info(id).typed != nullptr;
}

/// The work of a typed map that is exact at this side, in tiles: launch(address of the map's object, piece, stream,
/// data...). cut and largest as for grid_pieces().
template <class... Data, class MapId, class Launch>
Prepared<Data...> prepare_on_typed_map(MapId id, u32 side, const Launch& launch, const GridCut& cut = {},
                                       const GridLimits& largest = {}) {
  const auto map = typed_on_host(id, side);
  const auto on_value = [launch, value = map_value(info(id), side)](const auto&, const auto&... arguments) {
    launch(static_cast<const void*>(value.data()), arguments...);
  };
  return prepare_on<Data...>(map, grid_pieces(map, 1, cut, largest), on_value);
}

/// A kernel whose parameters after those of a MapKernel are what is bound, then what is passed at launch; and the shape
/// of its launches.
struct TypedKernel {
  MapKernel code;
  dim3 threads;
  std::size_t shared = 0;  ///< bytes of dynamic shared memory
  bool early = false;      ///< whether its threads call await_earlier() (early_start.cuh)
  dim3 (*grid)(const GridPiece&) = grid_of;
  GridLimits largest = {};
};

/// Compiles the kernel for the map at this side, in tiles: launch(address of the map's object, piece, stream, data...).
/// May throw as runtime_kernel().
template <class MapId, class... Bound>
auto typed_launch(MapId id, u32 side, const TypedKernel& kernel, const Bound&... bound) {
  const RuntimeKernel code = runtime_kernel(text_on(map_text(id, side), kernel.code));
  return
      [code, early = kernel.early && code.early, grid = kernel.grid, threads = kernel.threads, shared = kernel.shared,
       bound...](const void* on, const GridPiece& piece, cudaStream_t stream, const auto&... data) {
        void* arguments[] = {const_cast<void*>(on), argument(piece), argument(bound)..., argument(data)...};
        launch_early(code.handle, early, grid(piece), threads, shared, stream, arguments);
      };
}

/// The same, prepared on the map.
template <class... Data, class MapId, class... Bound>
Prepared<Data...> prepare_typed_kernel(MapId id, u32 side, const TypedKernel& kernel, const GridCut& cut,
                                       const Bound&... bound) {
  return prepare_on_typed_map<Data...>(id, side, typed_launch(id, side, kernel, bound...), cut, kernel.largest);
}

/// The side in tiles of so many elements.
template <class MapId>
u32 side_in_tiles(MapId id, u32 n, u32 tile) {
  return static_cast<u32>(tiles_per_side(info(id), n, tile));
}

}  // namespace tri::cuda
