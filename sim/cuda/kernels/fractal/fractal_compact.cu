// A step in compact storage: launches the kernel of compact_work.cuh. Also copies between the storages, which need no
// map.

#include "sim/cuda/kernels/fractal/compact_work.cuh"
#include "sim/cuda/kernels/fractal/fractal_tiles.cuh"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;

__device__ __forceinline__ u64 embedded_offset(const FractalShape& shape, const FractalCell& cell, u32 n) {
  return cell.x + u64{n} * (cell.y + (shape.dimensions() == 3 ? u64{n} * cell.z : 0));
}

template <bool kSpread>
__global__ void copy_kernel(const __grid_constant__ FractalShape shape, u32 levels, u32 n, u32 width, u64 cells,
                            const u8* from, u8* to) {
  for (u64 c = u64{blockIdx.x} * blockDim.x + threadIdx.x; c < cells; c += u64{gridDim.x} * blockDim.x) {
    const PackedCell packed{static_cast<u32>(c % width), static_cast<u32>(c / width)};
    const u64 offset = embedded_offset(shape, shape.cell(packed, levels), n);
    if constexpr (kSpread) {
      to[offset] = from[c];
    } else {
      to[c] = from[offset];
    }
  }
}

template <bool kSpread>
void copy_cells(const FractalShape& shape, u32 levels, const u8* from, u8* to, cudaStream_t stream) {
  const u64 cells = fractal_cells(shape, levels);
  const u32 blocks = static_cast<u32>(std::min<u64>((cells + kThreads - 1) / kThreads, u64{multiprocessors()} * 16));
  const u32 n = static_cast<u32>(power_of(shape.scale(), levels));
  const u32 width = static_cast<u32>(packed_width(shape.replicas(), levels));
  copy_kernel<kSpread><<<blocks, kThreads, 0, stream>>>(shape, levels, n, width, cells, from, to);
  check_launch("copy between storages");
}

}  // namespace

PreparedLaunch prepare_compact_step(const FractalLaunch& launch, const LifeRule& rule, const u8* now, u8* next) {
  const CompactTile tile = compact_tile(launch.shape, launch.grid.inner);
  const u32 row = static_cast<u32>(packed_width(launch.shape.replicas(), launch.grid.levels));
  std::vector<DeviceBoxCell> host_cells;
  for (const BoxCell& cell : tile.cells) host_cells.push_back({cell.slot, cell.side, cell.x + cell.y * row});
  const auto cells = std::make_shared<DeviceBuffer<DeviceBoxCell>>(host_cells.size());
  cells->upload(host_cells, nullptr);
  const u32 count = static_cast<u32>(host_cells.size());
  const CompactBox box{cells->data(), tile.own, count, tile.pitch, tile.slots, tile.sides(), row};
  const u32 threads = static_cast<u32>(fractal_threads(launch)), shared = tile.slots;
  const u32 levels = launch.grid.tile_levels(), inner = launch.grid.inner;
  if (is_typed(launch.map)) {
    return keeping(cells, prepare_typed_cells(launch, {compact_map_kernel(), threads, shared}, GasketShape{}, levels,
                                              inner, box, rule, now, next));
  }
  PreparedLaunch prepared;
  const auto bind = [&](const auto& map, const auto& shape) {
    prepared = prepare_on(map, grid_pieces(map, 1), [=](const auto& m, const GridPiece& piece, cudaStream_t stream) {
      compact_kernel<<<grid_of(piece), threads, shared, stream>>>(m, piece, shape, levels, inner, box, rule, now, next);
      check_launch("compact step");
      (void)cells;  // keeps the cells alive
    });
  };
  visit_fractal_map(launch, resident_workers(compact_kernel<GasketStream, GasketShape>, threads, shared),
                    resident_workers(compact_kernel<FractalTiles, FractalShape>, threads, shared), bind);
  return prepared;
}

void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded, cudaStream_t stream) {
  copy_cells<true>(shape, levels, compact, embedded, stream);
}

void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact, cudaStream_t stream) {
  copy_cells<false>(shape, levels, embedded, compact, stream);
}

}  // namespace tri::cuda
