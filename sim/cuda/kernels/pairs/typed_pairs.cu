// Prepares and launches the kernels of typed pair laws, and of pair laws on typed maps.

#include <string>

#include "sim/base/contracts.hpp"
#include "sim/cuda/jit/kernel_texts.hpp"
#include "sim/cuda/jit/typed_functor.hpp"
#include "sim/cuda/kernels/pairs/energy_launch.cuh"
#include "sim/cuda/kernels/pairs/typed_pairs.hpp"
#include "sim/cuda/kernels/typed_map.cuh"
#include "sim/maps/any_map.hpp"

namespace tri::cuda {
namespace {

KernelText energy_text(const TypedFunctor& law, Precision precision) {
  return {typed_pair_text(), law.text + energy_instance(precision)};
}

}  // namespace

template <class Real>
PairWork<Real> prepare_typed_tiles(const ForceField& field, TriangleMapId id, u32 n, const PairTiling& tiling,
                                   Accumulate accumulate, const GridCut& cut) {
  const bool typed_law = field.pair == PairLaw::typed, typed_map = is_typed(id);
  TRI_EXPECTS(typed_law ? field.typed_pair.law != nullptr : typed_map);
  const u32 span = 32 * tiling.rows, threads = 32 * tiling.warps;
  TRI_EXPECTS(tiling.columns % 32 == 0 && span % tiling.columns == 0 && tiling.tile % span == 0);
  // The energy is asked for next, and compiled meanwhile.
  if (typed_law) expect_kernel(energy_text(typed_energy_functor(field.typed_pair, field.box), kPrecisionAs<Real>));
  const TypedFunctor law =
      typed_law ? typed_force_functor<Real>(field.typed_pair, field.box) : built_in_force_functor<Real>(field);
  const u32 side = side_in_tiles(id, n, tiling.tile);
  const MapText map = map_text(id, side);
  const RuntimeKernel kernel = runtime_kernel(
      {typed_pair_text(), law.text + map.definition +
                              force_instance(kPrecisionAs<Real>, tiling.rows, tiling.warps, accumulate, map.type)});
  const auto launch = [kernel, threads, value = law.value, tiling](const void* on, const GridPiece& piece,
                                                                   cudaStream_t stream, const DeviceState<Real>& state,
                                                                   const PairSums<Real>& out) {
    void* arguments[] = {const_cast<void*>(on), argument(piece),       argument(*value.data()), argument(state),
                         argument(out),         argument(tiling.tile), argument(tiling.columns)};
    launch_early(kernel.handle, kernel.early, grid_of(piece), threads, 0, stream, arguments);
  };
  if (typed_map) {
    return prepare_on_typed_map<const DeviceState<Real>&, const PairSums<Real>&>(id, side, launch, cut);
  }
  const auto launch_built_in = [launch]<class M>(const M& built_in, const auto&... others) {
    if constexpr (AnyTriangleMap::kHolds<M> && !std::is_same_v<M, TriangleLambda>) {
      const AnyTriangleMap any(built_in);
      launch(&any, others...);
    } else {
      launch(&built_in, others...);
    }
  };
  // As in pair_laws.cu: a persistent map has as many blocks as the device holds.
  const u32 workers = cut.workers(resident_workers(kernel.handle, threads));
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, tiling.tile, workers, launch_built_in,
                                                                         cut);
}

template <class Real>
void enqueue_typed_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                          cudaStream_t stream) {
  TRI_EXPECTS(field.pair == PairLaw::typed && field.typed_pair);
  const TypedFunctor law = typed_energy_functor(field.typed_pair, field.box);
  const RuntimeKernel kernel = runtime_kernel(energy_text(law, kPrecisionAs<Real>));
  launch_energy(state.n, partial, cut, stream, [&](const TriangleLambda& map, u64 first, u64 end) {
    void* arguments[] = {
        argument(*law.value.data()), argument(state),     argument(map),     argument(first), argument(end),
        argument(partial),           argument(cut.first), argument(cut.step)};
    launch_early(kernel.handle, false, dim3(kEnergyBlocks), kEnergyThreads, 0, stream, arguments);
  });
}

template PairWork<float> prepare_typed_tiles(const ForceField&, TriangleMapId, u32, const PairTiling&, Accumulate,
                                             const GridCut&);
template PairWork<double> prepare_typed_tiles(const ForceField&, TriangleMapId, u32, const PairTiling&, Accumulate,
                                              const GridCut&);
template void enqueue_typed_energy(const ForceField&, const DeviceState<float>&, double*, const GridCut&, cudaStream_t);
template void enqueue_typed_energy(const ForceField&, const DeviceState<double>&, double*, const GridCut&,
                                   cudaStream_t);

}  // namespace tri::cuda
