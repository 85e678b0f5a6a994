// Triple tiles, fast and ordered: launches the cubes of triple_tile.cuh; and computes the energy of all triples.

#include "sim/base/contracts.hpp"
#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/triples/triple_tile.cuh"
#include "sim/cuda/kernels/triples/triple_tiles.hpp"
#include "sim/cuda/kernels/triples/typed_triples.hpp"
#include "sim/cuda/kernels/typed_map.cuh"
#include "sim/cuda/runtime/watched_launches.hpp"

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
  constexpr u64 kAtOnce = u64{kTripleEnergyRounds} * kTripleEnergyBlocks;
  const u64 tiles = map.tile_count();
  launch_all(stream, static_cast<u32>((tiles + kAtOnce - 1) / kAtOnce), cut, [&](u32 k) {
    const u64 first = k * kAtOnce, end = tiles - first < kAtOnce ? tiles : first + kAtOnce;
    triple_energy_kernel<<<kTripleEnergyBlocks, kTripleThreads, 0, stream>>>(map, state, first, end, partial, cut.first,
                                                                             cut.step);
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

}  // namespace tri::cuda
