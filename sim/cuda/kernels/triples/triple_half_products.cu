// Triples as matrix products in float32: the units of length and of values, and the launches.

#include "sim/cuda/kernels/triples/triple_half_products.hpp"

#include <memory>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/bodies/body_order.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_half_products.cuh"
#include "sim/cuda/kernels/triples/triple_spacing.cuh"
#include "sim/cuda/runtime/kernel_code.hpp"

namespace tri::cuda {
namespace {

/// Whole blocks of the map and of scale_kernel().
u32 padded_count(u64 n) { return static_cast<u32>((n + 383) / 384 * 384); }
static_assert(384 % kProductBlock == 0 && 384 % 128 == 0);

/// The limit of HalfBodies, for bodies at distance 1. Measured: docs/tensor.md.
constexpr float kNearSlope = 1e-2f;

/// The power of two for a body's sides, the shortest of which has this square: no value of a form exceeds five times
/// its cube's inverse, and half precision ends at 65,504.
__device__ __forceinline__ float side_scale(double shortest) {
  const double exponent = ceil(-log2(65504 / 5.01) / 3 - 0.5 * log2(shortest));
  return static_cast<float>(exp2(fmin(fmax(exponent, -20.0), 20.0)));
}

/// Across the lanes that have a chunk's bodies.
template <class Operation>
__device__ __forceinline__ float over_chunk(float x, const Operation& operation) {
#pragma unroll
  for (u32 step = 1; step < kHalfDepth; step *= 2) x = operation(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

__global__ void __launch_bounds__(128)
    scale_kernel(const DeviceState<float> state, const u32* order, const Spacing* spacing, const double* squares,
                 ScaledBody* bodies, ChunkBounds* bounds) {
  const u32 s = blockIdx.x * 128 + threadIdx.x;
  const bool here = s < state.n;
  ScaledBody body = make_float4(kFarAway, kFarAway, kFarAway, 1);
  float shortest = kFarAway;
  if (here) {
    const int exponent = spacing->exponent();
    const Vec4<float> p = state.position[order[s]];
    const double square = ldexp(squares[order[s]], -2 * exponent);
    body = make_float4(ldexpf(p.x, -exponent), ldexpf(p.y, -exponent), ldexpf(p.z, -exponent), side_scale(square));
    shortest = static_cast<float>(fmin(sqrt(square), double{kFarAway}));
  }
  bodies[s] = body;
  const auto least = [](float a, float b) { return fminf(a, b); };
  const auto largest = [](float a, float b) { return fmaxf(a, b); };
  float centre[3], square = 0;
  const float at[3] = {body.x, body.y, body.z};
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const float low = over_chunk(at[k], least), high = over_chunk(here ? at[k] : low, largest);
    centre[k] = 0.5f * low + 0.5f * high;
    if (here) square += (at[k] - centre[k]) * (at[k] - centre[k]);
  }
  const float radius = sqrtf(over_chunk(square, largest)) * 1.00001f;
  shortest = over_chunk(shortest, least);
  if (s % kHalfDepth == 0) bounds[s / kHalfDepth] = {centre[0], centre[1], centre[2], radius, shortest};
}

/// M: AnyTriangleMap, or a persistent map. kHalfParts blocks of the grid share a position of the map.
template <class M, bool kOrdered>
__global__ void __launch_bounds__(kHalfThreads, 1)
    triple_half_products_kernel(const __grid_constant__ M map, const GridPiece launch, double nu,
                                const HalfBodies given, const PairSums<float> out, const Spacing* spacing) {
  extern __shared__ uint4 shared[];
  const u32 part = blockIdx.x % kHalfParts;
  const int unit = spacing->exponent();
  HalfBodies bodies = given;
  const float length = spacing->length();
  bodies.limit *= powf(length, -10);
  Position position;
  if (!share_of(launch, blockIdx.x / kHalfParts, blockIdx.y, blockIdx.z, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    constexpr u32 kAcross = kProductBlock / kHalfSide;
    const u32 row0 = walk.tile().row * kProductBlock + part / kAcross * kHalfSide;
    const u32 column0 = walk.tile().col * kProductBlock + part % kAcross * kHalfSide;
    if (column0 > row0 || row0 >= bodies.n || column0 >= bodies.n) continue;
    const HalfTile<kOrdered> tile{shared, bodies, row0, column0};
    typename HalfTile<kOrdered>::Sums sums = {};
    tile.run(sums);
    tile.give(sums, out, static_cast<float>(ldexp(nu / 3, -10 * unit)), static_cast<float>(ldexp(-nu / 9, -9 * unit)));
    __syncthreads();  // before the next tile's values
  }
}

template <bool kOrdered>
PairWork<float> prepare(double nu, TriangleMapId id, u32 n, const GridCut& cut) {
  struct Memory {
    DeviceBuffer<Spacing> spacing;
    DeviceBuffer<double> squares;
    DeviceBuffer<ScaledBody> bodies;
    DeviceBuffer<ChunkBounds> bounds;
    BodyOrder order;
  };
  const u32 padded = padded_count(n);
  const auto memory = std::make_shared<Memory>(Memory{DeviceBuffer<Spacing>(1), DeviceBuffer<double>(n),
                                                      DeviceBuffer<ScaledBody>(padded),
                                                      DeviceBuffer<ChunkBounds>(padded / kHalfDepth), BodyOrder(n)});
  const u32 workers = cut.workers((multiprocessors() + kHalfParts - 1) / kHalfParts);
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<float>&,
                          const PairSums<float>& out) {
    const HalfBodies bodies{n, memory->bodies.data(), memory->bounds.data(), memory->order.data(), kNearSlope};
    const auto kernel = &triple_half_products_kernel<std::decay_t<decltype(map)>, kOrdered>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kHalfShared));
    const dim3 blocks = grid_of(piece);
    kernel<<<dim3(blocks.x * kHalfParts, blocks.y, blocks.z), kHalfThreads, kHalfShared, stream>>>(
        map, piece, nu, bodies, out, memory->spacing.data());
    check_launch("products of triples in half precision");
  };
  PairWork<float> work = prepare_on_map<const DeviceState<float>&, const PairSums<float>&>(
      id, n, kProductBlock, workers, on_kernel_map(launch), cut);
  work.begin = [=](cudaStream_t stream, const DeviceState<float>& state, const PairSums<float>&) {
    enqueue_spacing(stream, state, memory->spacing.data(), memory->squares.data());
    enqueue_body_order(stream, state, memory->order);
    scale_kernel<<<padded / 128, 128, 0, stream>>>(state, memory->order.data(), memory->spacing.data(),
                                                   memory->squares.data(), memory->bodies.data(),
                                                   memory->bounds.data());
    check_launch("bodies in units of that");
  };
  return work;
}

}  // namespace

bool has_triple_half_products(int device) {
  return has_code(&triple_half_products_kernel<AnyTriangleMap, false>, device, 8);
}

u64 triple_half_products_bytes(u64 n) {
  const u64 padded = padded_count(n);
  return n * sizeof(double) + padded * sizeof(ScaledBody) + padded / kHalfDepth * sizeof(ChunkBounds) +
         BodyOrder::bytes(n);
}

PairWork<float> prepare_triple_half_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                             Accumulate accumulate, const GridCut& cut) {
  return accumulate == Accumulate::fast ? prepare<false>(law.nu, map, n, cut) : prepare<true>(law.nu, map, n, cut);
}

}  // namespace tri::cuda
