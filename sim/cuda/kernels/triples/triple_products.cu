// Triples as matrix products: the unit of length, and the launches.

#include "sim/cuda/kernels/triples/triple_products.hpp"

#include <memory>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_products.cuh"
#include "sim/cuda/kernels/triples/triple_spacing.cuh"
#include "sim/cuda/runtime/kernel_code.hpp"

namespace tri::cuda {
namespace {

__global__ void __launch_bounds__(128)
    unit_kernel(const DeviceState<double> state, const Spacing* spacing, u32 padded, const UnitBodies to) {
  const u32 i = blockIdx.x * 128 + threadIdx.x;
  if (i >= padded) return;
  to.xy[i] = make_double2(kNowhere, kNowhere), to.z[i] = kNowhere;
  if (i >= state.n) return;
  const double scale = ldexp(1.0, -spacing->exponent());
  const Vec4<double> p = state.position[i];
  to.xy[i] = make_double2(p.x * scale, p.y * scale), to.z[i] = p.z * scale;
}

/// M: AnyTriangleMap, or a persistent map. kProductParts blocks of the grid share a position of the map.
template <class M, bool kOrdered>
__global__ void __launch_bounds__(kProductThreads, 1)
    triple_products_kernel(const __grid_constant__ M map, const GridPiece launch, double nu, const UnitBodies bodies,
                           u32 n, const PairSums<double> out, const Spacing* spacing) {
  extern __shared__ uint4 shared[];
  ProductStage& stage = *reinterpret_cast<ProductStage*>(shared);
  const u32 part = blockIdx.x % kProductParts;
  const int unit = spacing->exponent();
  Position position;
  if (!share_of(launch, blockIdx.x / kProductParts, blockIdx.y, blockIdx.z, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    constexpr u32 kAcross = kProductBlock / kProductColumns;
    const u32 row0 = walk.tile().row * kProductBlock + part / kAcross * kProductRows;
    const u32 column0 = walk.tile().col * kProductBlock + part % kAcross * kProductColumns;
    if (column0 + 1 >= row0 + kProductRows || row0 >= n || column0 >= n) continue;
    const ProductTile<kOrdered> tile{stage, bodies, n, row0, column0};
    double sums[kProductSums][kProductWide][4] = {};
    tile.run(sums);
    tile.give(sums, out, -2 * ldexp(nu, -10 * unit), ldexp(nu, -9 * unit));
    __syncthreads();  // before the next tile's bodies
  }
}

template <bool kOrdered>
PairWork<double> prepare(double nu, TriangleMapId id, u32 n, const GridCut& cut) {
  constexpr u32 kShared = sizeof(ProductStage);
  struct Memory {
    DeviceBuffer<Spacing> spacing;
    DeviceBuffer<double2> xy;
    DeviceBuffer<double> z;
  };
  const u32 padded = (n + kProductBlock - 1) / kProductBlock * kProductBlock;
  const auto memory = std::make_shared<Memory>(
      Memory{DeviceBuffer<Spacing>(1), DeviceBuffer<double2>(padded), DeviceBuffer<double>(padded)});
  const u32 workers = cut.workers((multiprocessors() + kProductParts - 1) / kProductParts);
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<double>&,
                          const PairSums<double>& out) {
    const UnitBodies bodies{memory->xy.data(), memory->z.data()};
    const auto kernel = &triple_products_kernel<std::decay_t<decltype(map)>, kOrdered>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    const dim3 blocks = grid_of(piece), grid(blocks.x * kProductParts, blocks.y, blocks.z);
    kernel<<<grid, kProductThreads, kShared, stream>>>(map, piece, nu, bodies, n, out, memory->spacing.data());
    check_launch("products of triples");
  };
  PairWork<double> work = prepare_on_map<const DeviceState<double>&, const PairSums<double>&>(
      id, n, kProductBlock, workers, on_kernel_map(launch), cut);
  work.begin = [=](cudaStream_t stream, const DeviceState<double>& state, const PairSums<double>&) {
    const UnitBodies bodies{memory->xy.data(), memory->z.data()};
    enqueue_spacing(stream, state, memory->spacing.data());
    const u32 blocks = (padded + 127) / 128;
    unit_kernel<<<blocks, 128, 0, stream>>>(state, memory->spacing.data(), padded, bodies);
    check_launch("bodies in units of that");
  };
  return work;
}

}  // namespace

bool has_triple_products(int device) { return has_code(&triple_products_kernel<AnyTriangleMap, false>, device, 9); }

PairWork<double> prepare_triple_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                         Accumulate accumulate, const GridCut& cut) {
  return accumulate == Accumulate::fast ? prepare<false>(law.nu, map, n, cut) : prepare<true>(law.nu, map, n, cut);
}

}  // namespace tri::cuda
