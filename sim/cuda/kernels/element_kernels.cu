// Pairs: one thread per element (i, j) of the triangle. In block space a block of rho x rho threads takes the tile that
// the map gives it; in thread space (rb, utm) each thread calls the map.
//
// Triples: a block takes the tile of rho x rho x rho elements that the map gives it, with one thread per element up to
// 128 threads. In larger tiles a thread takes several layers, because a multiprocessor holds only four blocks of 512
// threads, too few to hide the latency of finding a tile.
//
// The work is so small that a timing measures the map and the launch of blocks.

#include <algorithm>
#include <type_traits>

#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/cuda/kernels/element_work.cuh"
#include "sim/cuda/kernels/maps.cuh"

namespace tri::cuda {
namespace {

__global__ void plain_checksum_kernel(u32 n, ChecksumWork<TriangleMapId> work) {
  for (u32 i = blockIdx.x; i < n; i += gridDim.x) {
    for (u32 j = threadIdx.x; j <= i; j += blockDim.x) work(i, j);
  }
  work.finish();
}

__global__ void plain_checksum_kernel(u32 n, ChecksumWork<TetraMapId> work) {
  for (u32 k = blockIdx.x; k < n; k += gridDim.x) {
    for (u32 j = threadIdx.x; j <= k; j += blockDim.x) {
      for (u32 i = 0; i <= j; ++i) work(i, j, k);
    }
  }
  work.finish();
}

/// On a typed map.
template <class MapId, class Work>
PreparedLaunch prepare_typed(MapId id, u32 n, u32 rho, dim3 threads, const Work& work) {
  const MapKernel kernel = element_map_kernel(std::is_same_v<MapId, TetraMapId>, Work::kType);
  return prepare_typed_kernel(id, side_in_tiles(id, n, rho), {kernel, threads}, {}, n, work);
}

template <class Work>
PreparedLaunch prepare(TriangleMapId id, u32 n, u32 rho, const Work& work, const char* name) {
  if (is_typed(id)) return prepare_typed(id, n, rho, dim3(rho, rho), work);
  return prepare_on_map(id, n, rho, resident_workers(),
                        [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
                          element_kernel<<<grid_of(piece), dim3(rho, rho), 0, stream>>>(map, piece, n, work);
                          check_launch(name);
                        });
}

template <class Work>
PreparedLaunch prepare(TetraMapId id, u32 n, u32 rho, const Work& work, const char* name) {
  TRI_EXPECTS(rho >= 1 && rho <= kMaxTripleBlock);
  const u32 layers = layers_of_block(rho);
  if (is_typed(id)) return prepare_typed(id, n, rho, dim3(rho, rho, layers), work);
  // A persistent map launches twice the blocks that a multiprocessor holds at once.
  const u32 workers = multiprocessors() * 2 * (2048 / std::max(kLayerThreads, rho * rho * layers));
  return prepare_on_map(id, n, rho, workers, [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    element3_kernel<<<grid_of(piece), dim3(rho, rho, layers), 0, stream>>>(map, piece, n, work);
    check_launch(name);
  });
}

}  // namespace

template <class MapId>
PreparedLaunch prepare_dummy(MapId map, u32 n, u32 rho, BenchForm form, u32* scratch) {
  TRI_EXPECTS(form == BenchForm::hold || form == BenchForm::store);
  if (form == BenchForm::hold) return prepare(map, n, rho, HoldWork{scratch}, "dummy");
  return prepare(map, n, rho, StoreWork{scratch}, "dummy with store");
}

template <class MapId>
PreparedLaunch prepare_write(MapId map, u32 n, u32 rho, u32* cells) {
  return prepare(map, n, rho, WriteWork{cells}, "write");
}

template <class MapId>
PreparedLaunch prepare_checksum(MapId map, u32 n, u32 rho, unsigned long long* sums) {
  return prepare(map, n, rho, ChecksumWork<MapId>{sums}, "checksum");
}

template <class MapId>
PreparedLaunch prepare_plain_checksum(u32 n, unsigned long long* sums) {
  const u32 blocks = std::min(n, 65536u);
  const auto launch = [=](cudaStream_t stream, u32) {
    plain_checksum_kernel<<<blocks, 256, 0, stream>>>(n, ChecksumWork<MapId>{sums});
    check_launch("plain checksum");
  };
  return {launch, blocks, blocks, 1};
}

PreparedLaunch prepare_automaton(TriangleMapId map, u32 n, u32 rho, const LifeRule& rule, const u8* now, u8* next) {
  return prepare(map, n, rho, AutomatonWork{now, next, n, rule.birth, rule.survive}, "automaton");
}

template PreparedLaunch prepare_dummy(TriangleMapId, u32, u32, BenchForm, u32*);
template PreparedLaunch prepare_dummy(TetraMapId, u32, u32, BenchForm, u32*);
template PreparedLaunch prepare_write(TriangleMapId, u32, u32, u32*);
template PreparedLaunch prepare_write(TetraMapId, u32, u32, u32*);
template PreparedLaunch prepare_checksum(TriangleMapId, u32, u32, unsigned long long*);
template PreparedLaunch prepare_checksum(TetraMapId, u32, u32, unsigned long long*);
template PreparedLaunch prepare_plain_checksum<TriangleMapId>(u32, unsigned long long*);
template PreparedLaunch prepare_plain_checksum<TetraMapId>(u32, unsigned long long*);

}  // namespace tri::cuda
