// Triples by their sides: launches the kernel of triple_count_tile.cuh, after the bins of the pairs.

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/triples/triple_count_tile.cuh"
#include "sim/cuda/kernels/triples/triple_counts.hpp"
#include "sim/cuda/kernels/typed_map.cuh"
#include "sim/model/triple_counts.hpp"

namespace tri::cuda {
namespace {

__global__ void pair_bins_kernel(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table,
                                 u32 side) {
  const u64 cells = u64{side} * side;
  for (u64 c = u64{blockIdx.x} * kCountThreads + threadIdx.x; c < cells; c += u64{gridDim.x} * kCountThreads) {
    const u32 i = static_cast<u32>(c / side), j = static_cast<u32>(c % side);
    table[c] = i < j && j < n ? side_bin(squares, bins, squared_side(points + i, points + j, n, features)) : kNoBin;
  }
}

}  // namespace

void enqueue_pair_bins(const double* points, u32 n, u32 features, const double* squares, u32 bins, u8* table, u32 side,
                       cudaStream_t stream) {
  const u64 blocks = (u64{side} * side + kCountThreads - 1) / kCountThreads;
  pair_bins_kernel<<<static_cast<u32>(blocks < 65536 ? blocks : 65536), kCountThreads, 0, stream>>>(
      points, n, features, squares, bins, table, side);
  check_launch("bins of pairs");
}

PreparedLaunch prepare_triple_counts(TetraMapId id, u32 n, u32 bins, const u8* table, unsigned long long* counts,
                                     const GridCut& cut) {
  const bool shared = tetrahedral(bins) <= kSharedCells;
  if (is_typed(id)) {
    return prepare_typed_kernel(id, side_in_tiles(id, n, kCountTile), {triple_counts_map_kernel(shared), kCountThreads},
                                cut, n, bins, table, counts);
  }
  const auto kernel = shared ? triple_counts_kernel<true, AnyTetraMap> : triple_counts_kernel<false, AnyTetraMap>;
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    kernel<<<grid_of(piece), kCountThreads, 0, stream>>>(AnyTetraMap(map), piece, n, bins, table, counts);
    check_launch("triples by their sides");
  };
  return prepare_on_map(id, n, kCountTile, cut.workers(resident_workers()), launch, cut);
}

}  // namespace tri::cuda
