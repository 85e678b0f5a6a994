// Triples as in the papers: one thread per triple, in blocks of rho x rho x rho threads on the tile that the map
// assigns.
//
// The threads' terms of one body are reduced over the lanes of a warp by shuffles (x in the lowest bits of the lane,
// then y, then z), over warps in shared memory, over blocks in device memory.

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_sums.cuh"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "sim/laws/axilrod_teller.hpp"

namespace tri::cuda {
namespace {

/// Reduces `mine` over the lanes whose indices agree in the bits of kKept; the lane whose other bits are 0 adds it to
/// `sum`.
template <u32 kKept>
__device__ __forceinline__ void add_over_lanes(float mine, float* sum) {
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    if ((step & kKept) == 0) mine += __shfl_xor_sync(~0u, mine, step);
  }
  if ((threadIdx.x & 31 & ~kKept) == 0) atomicAdd(sum, mine);
}

template <u32 kRho>
__device__ __forceinline__ void do_tile(const Tile3& tile, const laws::AxilrodTeller<float>& law,
                                        const DeviceState<float>& state, Vec4<float>* out, float (&sums)[3][4][kRho]) {
  constexpr u32 kThreads = kRho * kRho * kRho;
  const u32 thread = threadIdx.x, x = thread % kRho, y = thread / kRho % kRho, z = thread / (kRho * kRho);
  for (u32 s = thread; s < 12 * kRho; s += kThreads) (&sums[0][0][0])[s] = 0;
  __syncthreads();
  const u32 i = tile.x * kRho + x, j = tile.y * kRho + y, k = tile.z * kRho + z;
  laws::TripleTerm<float> term{};
  if (i < j && j < k && k < state.n) {
    using Law = laws::AxilrodTeller<float>;
    term = law(DeviceMath<float>{}, body_at<Law>(state, i, 1.0f), body_at<Law>(state, j, 1.0f),
               body_at<Law>(state, k, 1.0f));
  }
  constexpr u32 kX = kRho - 1, kY = (kRho - 1) * kRho & 31, kZ = 31 & ~(kRho * kRho - 1);
  add_over_lanes<kX>(term.fix, &sums[0][0][x]), add_over_lanes<kX>(term.fiy, &sums[0][1][x]);
  add_over_lanes<kX>(term.fiz, &sums[0][2][x]), add_over_lanes<kX>(term.potential, &sums[0][3][x]);
  add_over_lanes<kY>(term.fjx, &sums[1][0][y]), add_over_lanes<kY>(term.fjy, &sums[1][1][y]);
  add_over_lanes<kY>(term.fjz, &sums[1][2][y]);
  add_over_lanes<kZ>(-(term.fix + term.fjx), &sums[2][0][z]),
      add_over_lanes<kZ>(-(term.fiy + term.fjy), &sums[2][1][z]);
  add_over_lanes<kZ>(-(term.fiz + term.fjz), &sums[2][2][z]);
  __syncthreads();
  if (thread < 3 * kRho) {
    const u32 side = thread / kRho, at = thread % kRho;
    const u32 body = (side == 0 ? tile.x : side == 1 ? tile.y : tile.z) * kRho + at;
    if (body < state.n) {
      const Sum3<float> sum{sums[side][0][at], sums[side][1][at], sums[side][2][at]};
      add_with_energy(copy_of_block<kElementCopies>(out, state.n) + body, sum, side == 0 ? sums[0][3][at] : 0.0f);
    }
  }
  __syncthreads();
}

template <u32 kRho>
__global__ void __launch_bounds__(kRho* kRho* kRho)
    triple_element_kernel(const __grid_constant__ AnyTetraMap map, const GridPiece launch,
                          const laws::AxilrodTeller<float> law, const DeviceState<float> state, Vec4<float>* out) {
  __shared__ float sums[3][4][kRho];
  Position position;
  if (!block_share(launch, position)) return;
  for (auto tiles = block_cursor(map, position); tiles.valid(); tiles.next()) {
    do_tile<kRho>(tiles.tile(), law, state, out, sums);
  }
}

template <u32 kRho>
PairWork<float> prepare(const laws::AxilrodTeller<float>& law, TetraMapId id, u32 n, const GridCut& cut) {
  constexpr u32 kThreads = kRho * kRho * kRho;
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<float>& state,
                          const PairSums<float>& out) {
    triple_element_kernel<kRho><<<grid_of(piece), kThreads, 0, stream>>>(AnyTetraMap(map), piece, law, state, out.out);
    check_launch("triple elements");
  };
  return prepare_on_map<const DeviceState<float>&, const PairSums<float>&>(
      id, n, kRho, cut.workers(resident_workers(&triple_element_kernel<kRho>, kThreads)), launch, cut);
}

}  // namespace

PairWork<float> prepare_triple_elements(const AxilrodTellerParams& params, TetraMapId map, u32 n, u32 rho,
                                        const GridCut& cut) {
  TRI_EXPECTS(rho == 4 || rho == 8);
  const laws::AxilrodTeller<float> law(params);
  return rho == 4 ? prepare<4>(law, map, n, cut) : prepare<8>(law, map, n, cut);
}

}  // namespace tri::cuda
