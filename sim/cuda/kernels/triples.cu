// Launches over triples: tiles, typed laws, counts.
//
// Triple tiles, fast and ordered: launches the cubes of triple_tile.cuh; and computes the energy of all triples.

#include "sim/cuda/kernels/triples.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/cuda/jit/typed_kernels.hpp"
#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/kernels/triple_count_tile.cuh"
#include "sim/cuda/kernels/triple_tile.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/axilrod_teller.hpp"
#include "sim/maps/any_map.hpp"
#include "sim/model/compute.hpp"

namespace tri::cuda {
namespace {

/// Blocks per multiprocessor that the registers must allow: as many as shared memory holds.
template <class Real>
inline constexpr u32 kResidentCubes = 5;

/// tile: side in bodies. A block processes the cubes of its tiles that contain triples.
template <class Real, bool kOrdered>
__global__ void __launch_bounds__(kTripleThreads, kResidentCubes<Real>)
    triple_tile_kernel(const __grid_constant__ AnyTetraMap map, const GridPiece launch, Real nu,
                       const DeviceState<Real> state, const PairSums<Real> out, u32 tile) {
  __shared__ TripleStage<Real> stage;
  Position position;
  if (!block_share(launch, position)) return;
  const AxilrodTellerSides<Real> law{nu};
  for (auto tiles = map.begin(position); tiles.valid(); tiles.next()) {
    for_each_cube<Real>(tiles.tile(), tile, state.n, [&](u32 i0, u32 j0, u32 k0) {
      Cube<Real, AxilrodTellerSides<Real>> cube{stage, i0, j0, k0, state.n, law};
      cube.set_up(state);
      cube.sum_sides();
      cube.template give_forces<kOrdered>(out);
    });
  }
}

/// Cubes per block in one launch of the energy: 1.4e8 triples in all. The same on every device, as is the number of
/// blocks, since the order of additions depends on it.
constexpr u32 kTripleEnergyRounds = 4;

/// Cubes along the map tetra from `first` to `end`, block b taking first + b, first + b + gridDim.x, ...; adds to the
/// block's sum. The order of additions depends on n alone. Of several ranks each has every step-th block.
template <class Held>
__global__ void __launch_bounds__(kTripleThreads)
    triple_energy_kernel(const TetraExact map, const DeviceState<Held> state, u64 first, u64 end, double* partial,
                         u32 rank, u32 step) {
  __shared__ TripleStage<double> stage;
  if (blockIdx.x % step != rank) return;
  const AxilrodTellerSides<double> law{1};
  double sum = 0;
  for (u64 w = first + blockIdx.x; w < end; w += gridDim.x) {
    const Tile3 at = map.begin({w, 0, 0, 0}).tile();
    for (u32 z = 0; z < kTripleCube; z += kDepth<double>) {
      const u32 k0 = at.z * kTripleCube + z;
      if (k0 >= state.n) break;
      Cube<double, AxilrodTellerSides<double>> cube{stage, at.x * kTripleCube, at.y * kTripleCube, k0, state.n, law};
      cube.set_up(state);
      sum += cube.energy();
    }
  }
  double* const all = &stage.ij[0][0];
  all[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (u32 t = 1; t < kTripleThreads; ++t) sum += all[t];
  partial[blockIdx.x] += sum;
}

__global__ void triple_energy_total_kernel(const double* partial, double nu, double* result) {
  double sum = 0;
  for (u32 b = 0; b < kTripleEnergyBlocks; ++b) sum += partial[b];
  *result = nu * sum;
}

template <class Real>
__global__ void gather_kernel(const Vec4<Real>* from, u32 copies, u32 n, Vec4<Real>* out) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = 0, y = 0, z = 0, energy = 0;
  for (u32 c = 0; c < copies; ++c) {
    const Vec4<Real> q = from[u64{c} * n + i];
    x += q.x, y += q.y, z += q.z, energy += q.w;
  }
  out[i] = {static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z), static_cast<Real>(energy)};
}

template <class Real, bool kOrdered>
PairWork<Real> prepare(Real nu, TetraMapId id, u32 n, u32 tile, const GridCut& cut) {
  const u32 workers = cut.workers(resident_workers(&triple_tile_kernel<Real, kOrdered>, kTripleThreads));
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<Real>& state,
                          const PairSums<Real>& out) {
    triple_tile_kernel<Real, kOrdered>
        <<<grid_of(piece), kTripleThreads, 0, stream>>>(AnyTetraMap(map), piece, nu, state, out, tile);
    check_launch("triple tiles");
  };
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, tile, workers, launch, cut);
}

}  // namespace

template <class Real>
PairWork<Real> prepare_triple_tiles(const ForceField& field, TetraMapId map, u32 n, u32 tile, Accumulate accumulate,
                                    const GridCut& cut) {
  if (field.triple == TripleLaw::typed || is_typed(map)) {
    return prepare_typed_triples<Real>(field, map, n, tile, accumulate, cut);
  }
  TRI_EXPECTS(tile % kTripleCube == 0 && tile > 0);
  const Real nu = static_cast<Real>(field.axilrod_teller.nu);
  return accumulate == Accumulate::fast ? prepare<Real, false>(nu, map, n, tile, cut)
                                        : prepare<Real, true>(nu, map, n, tile, cut);
}

template <class Real>
void gather_triple_sums(const Vec4<Real>* from, u32 copies, u32 n, Vec4<Real>* out, cudaStream_t stream) {
  gather_kernel<<<(n + 127) / 128, 128, 0, stream>>>(from, copies, n, out);
  check_launch("sums of triples");
}

template <class Real>
void enqueue_triple_energy(const DeviceState<Real>& state, double* partial, const GridCut& cut, cudaStream_t stream) {
  const TetraExact map((state.n + kTripleCube - 1) / kTripleCube, Diagonal::with);
  TRI_CUDA(cudaMemsetAsync(partial, 0, kTripleEnergyBlocks * sizeof(double), stream));
  launch_ranges(map, kTripleEnergyRounds * kTripleEnergyBlocks, cut, stream,
                [&](const TetraExact&, u64 first, u64 end) {
                  triple_energy_kernel<<<kTripleEnergyBlocks, kTripleThreads, 0, stream>>>(
                      map, state, first, end, partial, cut.first, cut.step);
                  check_launch("triple energy");
                });
}

void enqueue_triple_energy_total(const AxilrodTellerParams& law, const double* partial, double* result,
                                 cudaStream_t stream) {
  triple_energy_total_kernel<<<1, 1, 0, stream>>>(partial, law.nu, result);
  check_launch("total of the triple energy");
}

template PairWork<float> prepare_triple_tiles(const ForceField&, TetraMapId, u32, u32, Accumulate, const GridCut&);
template PairWork<double> prepare_triple_tiles(const ForceField&, TetraMapId, u32, u32, Accumulate, const GridCut&);
template void gather_triple_sums(const Vec4<float>*, u32, u32, Vec4<float>*, cudaStream_t);
template void gather_triple_sums(const Vec4<double>*, u32, u32, Vec4<double>*, cudaStream_t);
template void enqueue_triple_energy(const DeviceState<float>&, double*, const GridCut&, cudaStream_t);
template void enqueue_triple_energy(const DeviceState<double>&, double*, const GridCut&, cudaStream_t);

// Triples as in the papers: one thread per triple, in blocks of rho x rho x rho threads on the tile that the map
// assigns.
//
// The threads' terms of one body are reduced over the lanes of a warp by shuffles (x in the lowest bits of the lane,
// then y, then z), over warps in shared memory, over blocks in device memory.

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

// Prepares and launches the kernels of typed triple laws, and of triple laws on typed maps.

namespace {

static_assert(kTripleEnergyBlocks == kEnergyBlocks, "one kernel adds up both energies");

KernelText energy_text(const TypedFunctor& law, Precision precision) {
  return {typed_triple_text(), law.text + triple_energy_instance(precision)};
}

}  // namespace

template <class Real>
PairWork<Real> prepare_typed_triples(const ForceField& field, TetraMapId id, u32 n, u32 tile, Accumulate accumulate,
                                     const GridCut& cut) {
  const bool typed_law = field.triple == TripleLaw::typed;
  TRI_EXPECTS(typed_law ? field.typed_triple.law != nullptr : is_typed(id));
  TRI_EXPECTS(tile % kTripleCube == 0 && tile > 0);
  // The energy is asked for next, and compiled meanwhile.
  if (typed_law) expect_kernel(energy_text(typed_triple_functor<double>(field.typed_triple, true), kPrecisionOf<Real>));
  const TypedFunctor law =
      typed_law ? typed_triple_functor<Real>(field.typed_triple, false) : built_in_triple_functor<Real>(field);
  const MapText map = map_text(id, side_in_tiles(id, n, tile));
  const KernelText text{typed_triple_text(),
                        law.text + map.definition + triple_instance(kPrecisionOf<Real>, accumulate, map.type)};
  return prepare_compiled_law<Real>(id, n, tile, kTripleThreads, text, law, false, cut);
}

template <class Real>
void enqueue_typed_triple_energy(const ForceField& field, const DeviceState<Real>& state, double* partial,
                                 const GridCut& cut, cudaStream_t stream) {
  TRI_EXPECTS(field.triple == TripleLaw::typed && field.typed_triple);
  const TypedFunctor law = typed_triple_functor<double>(field.typed_triple, true);
  const RuntimeKernel kernel = runtime_kernel(energy_text(law, kPrecisionOf<Real>));
  const TetraExact map((state.n + kTripleCube - 1) / kTripleCube, Diagonal::with);
  TRI_CUDA(cudaMemsetAsync(partial, 0, 2 * kEnergyBlocks * sizeof(double), stream));
  launch_ranges(map, kTripleEnergyRounds * kEnergyBlocks, cut, stream, [&](const TetraExact&, u64 first, u64 end) {
    void* arguments[] = {
        argument(*law.value.data()), argument(map),       argument(state),   argument(first), argument(end),
        argument(partial),           argument(cut.first), argument(cut.step)};
    launch_early(kernel.handle, false, dim3(kEnergyBlocks), kTripleThreads, 0, stream, arguments);
  });
}

template PairWork<float> prepare_typed_triples(const ForceField&, TetraMapId, u32, u32, Accumulate, const GridCut&);
template PairWork<double> prepare_typed_triples(const ForceField&, TetraMapId, u32, u32, Accumulate, const GridCut&);
template void enqueue_typed_triple_energy(const ForceField&, const DeviceState<float>&, double*, const GridCut&,
                                          cudaStream_t);
template void enqueue_typed_triple_energy(const ForceField&, const DeviceState<double>&, double*, const GridCut&,
                                          cudaStream_t);

// Triples by their sides: launches the kernel of triple_count_tile.cuh, after the bins of the pairs.

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

// The distance between neighbours: a block a body.

namespace {

/// A block finds the nearest other body of body blockIdx.x, and writes the square to squares[blockIdx.x] if there is
/// such an array.
template <class Real>
__global__ void __launch_bounds__(128) spacing_kernel(const DeviceState<Real> state, Spacing* to, double* squares) {
  const Vec4<Real> own = state.position[blockIdx.x];
  double nearest = kNoNeighbour;
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
  if (squares != nullptr) squares[blockIdx.x] = nearest;
  if (!(nearest < kNoNeighbour)) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&to->exponents), static_cast<unsigned long long>(ilogb(nearest)));
  atomicAdd(&to->bodies, 1ull);
}

}  // namespace

template <class Real>
void enqueue_spacing(cudaStream_t stream, const DeviceState<Real>& state, Spacing* to, double* squares) {
  TRI_CUDA(cudaMemsetAsync(to, 0, sizeof(Spacing), stream));
  spacing_kernel<<<state.n, 128, 0, stream>>>(state, to, squares);
  check_launch("distances between neighbours");
}

template void enqueue_spacing(cudaStream_t, const DeviceState<float>&, Spacing*, double*);
template void enqueue_spacing(cudaStream_t, const DeviceState<double>&, Spacing*, double*);

}  // namespace tri::cuda
