#pragma once
/// Maps in kernels: tables, the dispatch by name, typed maps.
///
/// Maps for the device: the visits of sim/maps/map_registry.hpp with tables in device memory, and the grids of a map.

#include <bit>
#include <memory>
#include <type_traits>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/jit/typed_kernels.hpp"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/maps/any_map.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/launch_split.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

namespace detail {

/// Puts the table of a map into device memory.
inline constexpr auto upload_table = []<class T>(const std::vector<T>& table) {
  auto buffer = std::make_shared<DeviceBuffer<T>>(table.size());
  buffer->upload(table, nullptr);
  return buffer;
};

inline TriangleMaps maps_like(TriangleMapId) { return {}; }
inline TetraMaps maps_like(TetraMapId) { return {}; }

}  // namespace detail

/// Calls f(map, owner), as visit_triangle_map() calls f(map): the map's pointers are device memory that lives as long
/// as `owner` (a shared_ptr, empty for maps without a table). For built-in maps; maps.cuh has the others.
template <class MapId, class F>
void visit_device_map(MapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  TRI_EXPECTS(info(id).typed == nullptr);
  visit_map(detail::maps_like(id), id, workers, detail::upload_table, f, side, diagonal);
}

/// The legal grids of all launches of a map; thread-space launches are counted in blocks of rho x rho threads. With
/// cut.slices > 1 those in block space are split further into about so many launches or more, each a part of one pass.
template <class M>
std::vector<GridPiece> grid_pieces(const M& map, u32 rho, const GridCut& cut = {}, const GridLimits& largest = {}) {
  const u64 all = launched_positions(map), most = all / cut.slices > 0 ? all / cut.slices : 1;
  std::vector<GridPiece> pieces;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    Launch launch = map.launch(pass);
    GridLimits limits = largest;
    if constexpr (M::kInfo.space == Space::thread) {
      launch = in_blocks(launch, rho, rho);
    } else if (cut.slices > 1) {
      limits.x = most < limits.x ? static_cast<u32>(most) : limits.x;
      const u64 rows = launch.x < limits.x ? limits.x / (launch.x > 0 ? launch.x : 1) : 1;
      limits.y = rows < limits.y ? static_cast<u32>(rows) : limits.y;
      if (launch.z > 1) limits.z = 1;
    }
    for_each_grid(
        launch,
        [&](GridPiece piece) {
          piece.step = cut.step, piece.first = cut.first;
          pieces.push_back(piece);
        },
        limits);
  }
  return pieces;
}

inline u32 multiprocessors() {
  int device = 0, processors = 0;
  TRI_CUDA(cudaGetDevice(&device));
  TRI_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  return static_cast<u32>(processors);
}

/// Blocks of a persistent map when the kernel is not known: twice as many blocks of 256 threads as the current device
/// holds at once, so that a multiprocessor that finishes early finds more work.
inline u32 resident_workers() { return multiprocessors() * 16; }

/// Blocks of a persistent map for this kernel with `shared` bytes of dynamic shared memory: as many as the current
/// device holds at once.
template <class Kernel>
u32 resident_workers(Kernel* kernel, u32 threads, u32 shared = 0) {
  int blocks = 0;
  TRI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), shared));
  return multiprocessors() * static_cast<u32>(blocks > 0 ? blocks : 1);
}

inline dim3 grid_of(const GridPiece& piece) { return dim3((piece.x - 1) / piece.step + 1, piece.y, piece.z); }

/// The work of a map on these grids: launch(map, piece, stream, data...) starts the kernel on one of them.
template <class... Data, class M, class Launch>
Prepared<Data...> prepare_on(const M& map, const std::vector<GridPiece>& pieces, const Launch& launch) {
  const LaunchCounts counts = launch_counts(map);
  return {[=](cudaStream_t stream, u32 k, Data... data) { launch(map, pieces[k], stream, data...); }, counts.launched,
          counts.useful, static_cast<u32>(pieces.size())};
}

/// The same on a map with its diagonals, for n elements a side in tiles of `tile`, each of which thread-space maps give
/// a block of threads. The work owns the map's table. cut and largest: as for grid_pieces().
template <class... Data, class MapId, class Launch>
Prepared<Data...> prepare_on_map(MapId id, u32 n, u32 tile, u32 workers, const Launch& launch, const GridCut& cut = {},
                                 const GridLimits& largest = {}) {
  Prepared<Data...> prepared;
  const u32 side = static_cast<u32>(tiles_per_side(info(id), n, tile));
  visit_device_map(id, side, Diagonal::with, workers, [&](const auto& map, const auto& owner) {
    const auto owning = [owner, launch](const auto&... arguments) { launch(arguments...); };
    prepared = prepare_on<Data...>(map, grid_pieces(map, tile, cut, largest), owning);
  });
  return prepared;
}

// Maps as kernels take them: AnyTriangleMap and AnyTetraMap (sim/maps/any_map.hpp) where tiles are large. Kernels
// whose work is so small that a timing measures the map take each map by its own type.

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

// Kernels on typed maps: compiled at run time with the text of the map (sim/cuda/jit), launched with its value.

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
  bool early = false;      ///< whether its threads call await_earlier() (position.cuh)
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

/// Calls launch(map, first, end) for all ranges of `at_once` tiles of the map.
template <class M, class Launch>
void launch_ranges(const M& map, u64 at_once, const GridCut& cut, cudaStream_t stream, const Launch& launch) {
  const u64 tiles = map.tile_count();
  launch_all(stream, static_cast<u32>((tiles + at_once - 1) / at_once), cut, [&](u32 k) {
    const u64 first = k * at_once;
    launch(map, first, tiles - first < at_once ? tiles : first + at_once);
  });
}

/// The side in tiles of so many elements.
template <class MapId>
u32 side_in_tiles(MapId id, u32 n, u32 tile) {
  return static_cast<u32>(tiles_per_side(info(id), n, tile));
}

/// The kernel of a law that is compiled at run time, on any map in tiles: its parameters are the map (as map_text() has
/// it), the piece, the law, state, output, the tile's side, and what is bound. early: as in TypedKernel. May throw as
/// runtime_kernel().
template <class Real, class MapId, class... Bound>
Prepared<const DeviceState<Real>&, const PairSums<Real>&> prepare_compiled_law(MapId id, u32 n, u32 tile, u32 threads,
                                                                               const KernelText& text,
                                                                               const TypedFunctor& law, bool early,
                                                                               const GridCut& cut,
                                                                               const Bound&... bound) {
  using State = const DeviceState<Real>&;
  using Out = const PairSums<Real>&;
  const RuntimeKernel kernel = runtime_kernel(text);
  const auto launch = [kernel, early = early && kernel.early, threads, value = law.value, tile, bound...](
                          const void* on, const GridPiece& piece, cudaStream_t stream, State state, Out out) {
    void* arguments[] = {const_cast<void*>(on), argument(piece), argument(*value.data()), argument(state),
                         argument(out),         argument(tile),  argument(bound)...};
    launch_early(kernel.handle, early, grid_of(piece), threads, 0, stream, arguments);
  };
  if (is_typed(id)) return prepare_on_typed_map<State, Out>(id, side_in_tiles(id, n, tile), launch, cut);
  const auto launch_built_in = [launch]<class M>(const M& map, const auto&... others) {
    if constexpr (std::is_same_v<MapId, TetraMapId>) {
      const AnyTetraMap any(map);
      launch(&any, others...);
    } else if constexpr (AnyTriangleMap::kHolds<M> && !std::is_same_v<M, TriangleLambda>) {
      const AnyTriangleMap any(map);
      launch(&any, others...);
    } else {
      launch(&map, others...);
    }
  };
  // A persistent map has as many blocks as the device holds.
  const u32 workers = cut.workers(resident_workers(kernel.handle, threads));
  return prepare_on_map<State, Out>(id, n, tile, workers, launch_built_in, cut);
}

}  // namespace tri::cuda
