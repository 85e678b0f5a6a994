// Prepares and launches the kernels of typed laws.

#include <string>

#include "sim/base/contracts.hpp"
#include "sim/cuda/jit/arguments.hpp"
#include "sim/cuda/jit/runtime_kernel.hpp"
#include "sim/cuda/jit/typed_functor.hpp"
#include "sim/cuda/jit/typed_pairs.hpp"
#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/pairs/energy_launch.cuh"
#include "sim/cuda/runtime/early_launch.hpp"

namespace tri::cuda {
namespace {

/// The type as which kernels take the map: AnyTriangleMap, for which one kernel serves all, or that of a persistent
/// map. (A map that is none of the list is refused when its grids are made.)
template <class... Maps>
std::string kernel_map_type(MapList<TriangleMapId, Maps...>, TriangleMapId id) {
  u32 at = 0;
  bool persistent = false;
  (void)((at++ == static_cast<u32>(id) && (persistent = !AnyTriangleMap::kHolds<Maps>, true)) || ...);
  return persistent ? map_type_name(id) : "AnyTriangleMap";
}

}  // namespace

template <class Real>
PairWork<Real> prepare_typed_tiles(const ForceField& field, TriangleMapId id, u32 n, const PairTiling& tiling,
                                   Accumulate accumulate, const GridCut& cut) {
  TRI_EXPECTS(field.pair == PairLaw::typed && field.typed_pair);
  const u32 span = 32 * tiling.rows, threads = 32 * tiling.warps;
  TRI_EXPECTS(tiling.columns % 32 == 0 && span % tiling.columns == 0 && tiling.tile % span == 0);
  const TypedFunctor law = typed_force_functor<Real>(field.typed_pair, field.box);
  const std::string map_type = kernel_map_type(TriangleMaps(), id);
  const RuntimeKernel kernel =
      runtime_kernel({typed_pair_text(),
                      law.text + force_instance(kPrecisionAs<Real>, tiling.rows, tiling.warps, accumulate, map_type)});
  // As in pair_laws.cu: a persistent map has as many blocks as the device holds.
  const u32 workers = cut.workers(resident_workers(kernel.handle, threads));
  const auto launch = [kernel, threads, value = law.value, tiling](const auto& map, const GridPiece& piece,
                                                                   cudaStream_t stream, const DeviceState<Real>& state,
                                                                   const PairSums<Real>& out) {
    void* arguments[] = {argument(map), argument(piece),       argument(*value.data()), argument(state),
                         argument(out), argument(tiling.tile), argument(tiling.columns)};
    launch_early(kernel.handle, kernel.early, grid_of(piece), threads, stream, arguments);
  };
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, tiling.tile, workers,
                                                                         on_kernel_map(launch), cut);
}

template <class Real>
void enqueue_typed_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                          cudaStream_t stream) {
  TRI_EXPECTS(field.pair == PairLaw::typed && field.typed_pair);
  const TypedFunctor law = typed_energy_functor(field.typed_pair, field.box);
  const RuntimeKernel kernel = runtime_kernel({typed_pair_text(), law.text + energy_instance(kPrecisionAs<Real>)});
  launch_energy(state.n, partial, cut, stream, [&](const TriangleLambda& map, u64 first, u64 end) {
    void* arguments[] = {
        argument(*law.value.data()), argument(state),     argument(map),     argument(first), argument(end),
        argument(partial),           argument(cut.first), argument(cut.step)};
    launch_early(kernel.handle, false, dim3(kEnergyBlocks), kEnergyThreads, stream, arguments);
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
