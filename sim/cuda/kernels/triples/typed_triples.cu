// Prepares and launches the kernels of typed triple laws, and of triple laws on typed maps.

#include <algorithm>

#include "sim/base/contracts.hpp"
#include "sim/cuda/jit/kernel_texts.hpp"
#include "sim/cuda/jit/typed_functor.hpp"
#include "sim/cuda/kernels/triples/triple_tile.cuh"
#include "sim/cuda/kernels/triples/typed_triples.hpp"
#include "sim/cuda/kernels/typed_map.cuh"
#include "sim/cuda/runtime/watched_launches.hpp"
#include "sim/maps/any_map.hpp"

namespace tri::cuda {
namespace {

/// Cubes per block in one launch of the energy, as of Axilrod-Teller's (triple_tiles.cu).
constexpr u32 kTypedTripleRounds = 4;
static_assert(kTripleEnergyBlocks == kEnergyBlocks, "one kernel adds up both energies");

KernelText energy_text(const TypedFunctor& law, Precision precision) {
  return {typed_triple_text(), law.text + triple_energy_instance(precision)};
}

}  // namespace

template <class Real>
PairWork<Real> prepare_typed_triples(const ForceField& field, TetraMapId id, u32 n, u32 tile, Accumulate accumulate,
                                     const GridCut& cut) {
  const bool typed_law = field.triple == TripleLaw::typed, typed_map = is_typed(id);
  TRI_EXPECTS(typed_law ? field.typed_triple.law != nullptr : typed_map);
  TRI_EXPECTS(tile % kTripleCube == 0 && tile > 0);
  // The energy is asked for next, and compiled meanwhile.
  if (typed_law) expect_kernel(energy_text(typed_triple_functor<double>(field.typed_triple, true), kPrecisionAs<Real>));
  const TypedFunctor law =
      typed_law ? typed_triple_functor<Real>(field.typed_triple, false) : built_in_triple_functor<Real>(field);
  const u32 side = side_in_tiles(id, n, tile);
  const MapText map = map_text(id, side);
  const RuntimeKernel kernel = runtime_kernel(
      {typed_triple_text(), law.text + map.definition + triple_instance(kPrecisionAs<Real>, accumulate, map.type)});
  const auto launch = [kernel, value = law.value, tile](const void* on, const GridPiece& piece, cudaStream_t stream,
                                                        const DeviceState<Real>& state, const PairSums<Real>& out) {
    void* arguments[] = {const_cast<void*>(on), argument(piece), argument(*value.data()),
                         argument(state),       argument(out),   argument(tile)};
    launch_early(kernel.handle, false, grid_of(piece), kTripleThreads, 0, stream, arguments);
  };
  if (typed_map) {
    return prepare_on_typed_map<const DeviceState<Real>&, const PairSums<Real>&>(id, side, launch, cut);
  }
  const auto launch_built_in = [launch](const auto& built_in, const auto&... others) {
    const AnyTetraMap any(built_in);
    launch(&any, others...);
  };
  const u32 workers = cut.workers(resident_workers(kernel.handle, kTripleThreads));
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, tile, workers, launch_built_in, cut);
}

template <class Real>
void enqueue_typed_triple_energy(const ForceField& field, const DeviceState<Real>& state, double* partial,
                                 const GridCut& cut, cudaStream_t stream) {
  TRI_EXPECTS(field.triple == TripleLaw::typed && field.typed_triple);
  const TypedFunctor law = typed_triple_functor<double>(field.typed_triple, true);
  const RuntimeKernel kernel = runtime_kernel(energy_text(law, kPrecisionAs<Real>));
  const TetraExact map((state.n + kTripleCube - 1) / kTripleCube, Diagonal::with);
  TRI_CUDA(cudaMemsetAsync(partial, 0, 2 * kEnergyBlocks * sizeof(double), stream));
  constexpr u64 kAtOnce = u64{kTypedTripleRounds} * kEnergyBlocks;
  const u64 tiles = map.tile_count();
  launch_all(stream, static_cast<u32>((tiles + kAtOnce - 1) / kAtOnce), cut, [&](u32 k) {
    const u64 first = k * kAtOnce, end = std::min(tiles, first + kAtOnce);
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

}  // namespace tri::cuda
