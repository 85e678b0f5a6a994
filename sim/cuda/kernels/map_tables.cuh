#pragma once
/// Maps for the device: the visits of sim/maps/map_registry.hpp with tables in device memory, and the grids of a map.

#include <memory>
#include <vector>

#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
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

}  // namespace detail

/// Calls f(map, owner), as visit_triangle_map() calls f(map): the map's pointers are device memory that lives as long
/// as `owner` (a shared_ptr, empty for maps without a table).
template <class F>
void visit_device_triangle_map(TriangleMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  visit_map(TriangleMaps(), id, workers, detail::upload_table, f, side, diagonal);
}
template <class F>
void visit_device_tetra_map(TetraMapId id, u32 side, Diagonal diagonal, u32 workers, F&& f) {
  visit_map(TetraMaps(), id, workers, detail::upload_table, f, side, diagonal);
}

/// The legal grids of all launches of a map; thread-space launches are counted in blocks of rho x rho threads.
template <class M>
std::vector<GridPiece> grid_pieces(const M& map, u32 rho, GridLimits limits = {}) {
  std::vector<GridPiece> pieces;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    Launch launch = map.launch(pass);
    if constexpr (M::kInfo.space == Space::thread) launch = in_blocks(launch, rho, rho);
    for_each_grid(
        launch, [&](const GridPiece& piece) { pieces.push_back(piece); }, limits);
  }
  return pieces;
}

/// The same, split further into about `slices` launches or more in all, each a part of one pass. Thread-space maps are
/// not split.
template <class M>
std::vector<GridPiece> sliced_pieces(const M& map, u32 rho, u32 slices) {
  if (slices <= 1 || M::kInfo.space == Space::thread) return grid_pieces(map, rho);
  const u64 all = launched_positions(map), most = all / slices > 0 ? all / slices : 1;
  std::vector<GridPiece> pieces;
  for (u32 pass = 0; pass < map.launch_count(); ++pass) {
    const Launch launch = map.launch(pass);
    GridLimits limits;
    limits.x = most < limits.x ? static_cast<u32>(most) : limits.x;
    const u64 rows = launch.x < limits.x ? limits.x / (launch.x > 0 ? launch.x : 1) : 1;
    limits.y = rows < limits.y ? static_cast<u32>(rows) : limits.y;
    if (launch.z > 1) limits.z = 1;
    for_each_grid(
        launch, [&](const GridPiece& piece) { pieces.push_back(piece); }, limits);
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

/// Blocks of a persistent map for this kernel: as many as the current device holds at once.
template <class Kernel>
u32 resident_workers(Kernel* kernel, u32 threads) {
  int blocks = 0;
  TRI_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, static_cast<int>(threads), 0));
  return multiprocessors() * static_cast<u32>(blocks > 0 ? blocks : 1);
}

inline dim3 grid_of(const GridPiece& piece) { return dim3(piece.x, piece.y, piece.z); }

/// Counts of a map for reports.
template <class M>
void fill_counts(PreparedLaunch& prepared, const M& map, std::size_t launches) {
  const LaunchCounts counts = launch_counts(map);
  prepared.launched = counts.launched, prepared.useful = counts.useful;
  prepared.launches = static_cast<u32>(launches);
}

}  // namespace tri::cuda
