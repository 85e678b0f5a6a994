// Triples as matrix products: the unit of length, and the launches.

#include "sim/cuda/kernels/triples/triple_products.hpp"

#include <memory>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_products.cuh"

namespace tri::cuda {
namespace {

/// The distance between neighbours: the sum of the exponents of its square over the bodies, and their number.
struct Spacing {
  long long exponents;
  unsigned long long bodies;

  /// Of the unit of length: the power of two that is nearest to 1.3 times the distance. With that the errors are least
  /// (docs/tensor.md); half of it or twice as much makes them ten times as large.
  __device__ __forceinline__ int exponent() const {
    if (bodies == 0) return 0;
    return static_cast<int>(floor(static_cast<double>(exponents) / (2 * static_cast<double>(bodies)) + 1.125));
  }
};

/// A block finds the nearest other body of body blockIdx.x.
template <class Real>
__global__ void __launch_bounds__(128) spacing_kernel(const DeviceState<Real> state, Spacing* to) {
  constexpr double kFar = 1e308;
  const Vec4<Real> own = state.position[blockIdx.x];
  double nearest = kFar;
  for (u32 j = threadIdx.x; j < state.n; j += blockDim.x) {
    const Vec4<Real> p = state.position[j];
    const double x = double{p.x} - double{own.x}, y = double{p.y} - double{own.y}, z = double{p.z} - double{own.z};
    const double square = x * x + y * y + z * z;
    if (square > 0 && square < nearest) nearest = square;
  }
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) nearest = fmin(nearest, __shfl_xor_sync(~0u, nearest, step));
  __shared__ double of_warp[4];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = nearest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const double other : of_warp) nearest = fmin(nearest, other);
  if (!(nearest < kFar)) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&to->exponents), static_cast<unsigned long long>(ilogb(nearest)));
  atomicAdd(&to->bodies, 1ull);
}

template <class Real>
__global__ void __launch_bounds__(128)
    unit_kernel(const DeviceState<Real> state, const Spacing* spacing, u32 padded, const UnitBodies to) {
  const u32 i = blockIdx.x * 128 + threadIdx.x;
  if (i >= padded) return;
  to.xy[i] = make_double2(kNowhere, kNowhere), to.z[i] = kNowhere;
  if (i >= state.n) return;
  const double scale = ldexp(1.0, -spacing->exponent());
  const Vec4<Real> p = state.position[i];
  to.xy[i] = make_double2(double{p.x} * scale, double{p.y} * scale), to.z[i] = double{p.z} * scale;
}

/// M: AnyTriangleMap, or a persistent map. kProductParts blocks of the grid share a position of the map.
template <class M, class Real, bool kOrdered>
__global__ void __launch_bounds__(kProductThreads, 1)
    triple_products_kernel(const __grid_constant__ M map, const GridPiece launch, double nu, const UnitBodies bodies,
                           u32 n, const PairSums<Real> out, const Spacing* spacing) {
  extern __shared__ uint4 shared[];
  ProductStage& stage = *reinterpret_cast<ProductStage*>(shared);
  const u32 part = blockIdx.x % kProductParts;
  const int unit = spacing->exponent();
  for (auto walk = map.begin(position_in(launch, blockIdx.x / kProductParts, blockIdx.y, blockIdx.z)); walk.valid();
       walk.next()) {
    constexpr u32 kAcross = kProductBlock / kProductColumns;
    const u32 row0 = walk.tile().row * kProductBlock + part / kAcross * kProductRows;
    const u32 column0 = walk.tile().col * kProductBlock + part % kAcross * kProductColumns;
    if (column0 + 1 >= row0 + kProductRows || row0 >= n || column0 >= n) continue;
    const ProductTile<Real, kOrdered> tile{stage, bodies, n, row0, column0};
    double sums[kProductSums][kProductWide][4] = {};
    tile.run(sums);
    tile.give(sums, out, -2 * ldexp(nu, -10 * unit), ldexp(nu, -9 * unit));
    __syncthreads();  // before the next tile's bodies
  }
}

template <class Real, bool kOrdered>
PairWork<Real> prepare(double nu, TriangleMapId id, u32 n, u32 slices) {
  constexpr u32 kShared = sizeof(ProductStage);
  struct Memory {
    DeviceBuffer<Spacing> spacing;
    DeviceBuffer<double2> xy;
    DeviceBuffer<double> z;
  };
  const u32 padded = (n + kProductBlock - 1) / kProductBlock * kProductBlock;
  const auto memory = std::make_shared<Memory>(
      Memory{DeviceBuffer<Spacing>(1), DeviceBuffer<double2>(padded), DeviceBuffer<double>(padded)});
  const u32 workers = (multiprocessors() + kProductParts - 1) / kProductParts * slices;
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<Real>& state,
                          const PairSums<Real>& out) {
    const UnitBodies bodies{memory->xy.data(), memory->z.data()};
    if (piece.origin.x == 0 && piece.origin.y == 0 && piece.origin.z == 0 && piece.origin.pass == 0) {
      memory->spacing.fill_bytes(0, stream);
      spacing_kernel<<<n, 128, 0, stream>>>(state, memory->spacing.data());
      check_launch("distances between neighbours");
      const u32 blocks = (padded + 127) / 128;
      unit_kernel<<<blocks, 128, 0, stream>>>(state, memory->spacing.data(), padded, bodies);
      check_launch("bodies in units of that");
    }
    const auto kernel = &triple_products_kernel<std::decay_t<decltype(map)>, Real, kOrdered>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    const dim3 grid(piece.x * kProductParts, piece.y, piece.z);
    kernel<<<grid, kProductThreads, kShared, stream>>>(map, piece, nu, bodies, n, out, memory->spacing.data());
    check_launch("products of triples");
  };
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, kProductBlock, workers,
                                                                         on_kernel_map(launch), slices);
}

}  // namespace

bool has_triple_products(int device) {
  int major = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 9) return false;
  // Code for an earlier architecture ends in a trap, whatever the device.
  cudaFuncAttributes code{};
  TRI_CUDA(cudaFuncGetAttributes(&code, triple_products_kernel<AnyTriangleMap, double, false>));
  return code.ptxVersion >= 90;
}

template <class Real>
PairWork<Real> prepare_triple_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n, Accumulate accumulate,
                                       u32 slices) {
  return accumulate == Accumulate::fast ? prepare<Real, false>(law.nu, map, n, slices)
                                        : prepare<Real, true>(law.nu, map, n, slices);
}

template PairWork<float> prepare_triple_products(const AxilrodTellerParams&, TriangleMapId, u32, Accumulate, u32);
template PairWork<double> prepare_triple_products(const AxilrodTellerParams&, TriangleMapId, u32, Accumulate, u32);

}  // namespace tri::cuda
