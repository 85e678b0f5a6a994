/// Compiles every map as device code: a kernel that walks its cursor, never run. Each thread takes one
/// position and writes its tiles.

#include "sim/maps/maps.hpp"

namespace tri {

template <class M>
__global__ void walk_map(const __grid_constant__ M map, Position origin, typename M::Tile* out) {
  const Position at{origin.x + u64{blockIdx.x} * blockDim.x + threadIdx.x, origin.y + blockIdx.y, origin.z + blockIdx.z,
                    origin.pass};
  if (!contains(map.launch(at.pass), at)) return;
  u64 k = 0;
  for (auto tiles = map.begin(at); tiles.valid(); tiles.next()) out[at.x + k++] = tiles.tile();
}

template <class P>
__global__ void walk_placement(P placement, CellTile* out) {
  const u32 thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= placement.threads()) return;
  for (auto cell = placement.cell(thread); cell.valid(); cell.next()) out[thread] = cell.tile();
}

__global__ void walk_blocks(u32 block, u64* out) {
  const RowCol cell = blocks_cell(threadIdx.x, block);
  out[threadIdx.x] = blocks_index(cell.row, cell.col, block);
}

template <class Cells, class M>
__global__ void count_cover(M map, Cells cells, u32* met, u32* outside) {
  const Position at{u64{blockIdx.x} * blockDim.x + threadIdx.x, blockIdx.y, blockIdx.z, 0};
  if (!contains(map.launch(0), at)) return;
  tile_visits(map, at, [&](auto tile) { atomicAdd(cells.holds(tile) ? met + cells.index(tile) : outside, 1u); });
}

template <class Root>
__global__ void scan_rows(Root root, u64 from, u32* wrong) {
  const u64 w = from + u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (!row_is_right(w, root(w))) atomicAdd(wrong, 1u);
  if (!check_row_boundaries(root, static_cast<u32>(threadIdx.x))) atomicAdd(wrong, 1u);
}

#define TRI_WALK(MapType) \
  template __global__ void walk_map<MapType>(const __grid_constant__ MapType, Position, MapType::Tile*)
#define TRI_WALK_LISTED(id, MapType) TRI_WALK(MapType);
TRI_TRIANGLE_MAPS(TRI_WALK_LISTED)
TRI_TETRA_MAPS(TRI_WALK_LISTED)
TRI_GASKET_MAPS(TRI_WALK_LISTED)
TRI_WALK(FractalTiles);

template __global__ void walk_placement<GasketSubbox>(GasketSubbox, CellTile*);
template __global__ void walk_placement<GasketUnroll>(GasketUnroll, CellTile*);
template __global__ void walk_placement<GasketOffsetLut>(GasketOffsetLut, CellTile*);

using Carpet = FractalMap<FractalFamily<8, 3>>;
TRI_WALK(Carpet);

template __global__ void count_cover<TriangleCells, TriangleFold>(TriangleFold, TriangleCells, u32*, u32*);
template __global__ void count_cover<TetraCells, TetraExact>(TetraExact, TetraCells, u32*, u32*);
template __global__ void count_cover<GasketCells, GasketLambda>(GasketLambda, GasketCells, u32*, u32*);
template __global__ void scan_rows<ExactRow<RootSeed::sqrt>>(ExactRow<RootSeed::sqrt>, u64, u32*);
template __global__ void scan_rows<ExactRow<RootSeed::rsqrt>>(ExactRow<RootSeed::rsqrt>, u64, u32*);
template __global__ void scan_rows<ExactRow<RootSeed::newton>>(ExactRow<RootSeed::newton>, u64, u32*);

}  // namespace tri
