// Pair tiles of gravity: see pair_tile.cuh.

#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/pair_tuning.hpp"
#include "sim/laws/gravity.hpp"

namespace tri::cuda {
namespace {

template <class Real, bool kOrdered>
PairWork<Real> prepare(const GravityParams& params, TriangleMapId map, u32 n, const PairTiling& tiling) {
  using Law = laws::Gravity<Real>;
  if constexpr (sizeof(Real) == 4) {
    if (tiling.rows == kWide.rows) {
      return prepare_pair_kernel<Law, Real, kWide.rows, kWide.warps, kOrdered>(Law(params), map, n, tiling);
    }
  }
  return prepare_pair_kernel<Law, Real, kNarrow.rows, kNarrow.warps, kOrdered>(Law(params), map, n, tiling);
}

}  // namespace

template <class Real>
PairWork<Real> prepare_gravity_tiles(const GravityParams& params, TriangleMapId map, u32 n, const PairTiling& tiling,
                                     Accumulate accumulate) {
  return accumulate == Accumulate::fast ? prepare<Real, false>(params, map, n, tiling)
                                        : prepare<Real, true>(params, map, n, tiling);
}

template PairWork<float> prepare_gravity_tiles(const GravityParams&, TriangleMapId, u32, const PairTiling&, Accumulate);
template PairWork<double> prepare_gravity_tiles(const GravityParams&, TriangleMapId, u32, const PairTiling&,
                                                Accumulate);

}  // namespace tri::cuda
