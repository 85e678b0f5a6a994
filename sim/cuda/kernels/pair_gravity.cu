// Pair tiles of gravity: see pair_tile.cuh.

#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/pair_tuning.hpp"
#include "sim/laws/gravity.hpp"

namespace tri::cuda {
namespace {

template <class Real>
using Law = laws::Gravity<Real>;

template <class Real, u32 kRows, u32 kWarps, bool kOrdered>
void launch(const PairLaunch<Law<Real>, Real>& l, const DeviceState<Real>& state, const PairSums<Real>& out,
            cudaStream_t stream) {
  pair_tile_kernel<Law<Real>, Real, kRows, kWarps, kOrdered><<<grid_of(l.piece), 32 * kWarps, 0, stream>>>(
      l.map, l.piece, l.law, state, out, l.tiling.tile, l.tiling.columns);
}

template <class Real, u32 kRows, u32 kWarps, bool kOrdered>
PairWork<Real> prepare_shape(const Law<Real>& law, TriangleMapId map, u32 n, const PairTiling& tiling) {
  TRI_EXPECTS(tiling.rows == kRows && tiling.warps == kWarps);
  return prepare_pair_kernel<Law<Real>, Real>(&pair_tile_kernel<Law<Real>, Real, kRows, kWarps, kOrdered>,
                                              &launch<Real, kRows, kWarps, kOrdered>, law, map, n, tiling);
}

template <class Real, bool kOrdered>
PairWork<Real> prepare(const Law<Real>& law, TriangleMapId map, u32 n, const PairTiling& tiling) {
  if constexpr (sizeof(Real) == 4) {
    if (tiling.rows == kWide.rows) return prepare_shape<Real, kWide.rows, kWide.warps, kOrdered>(law, map, n, tiling);
  } else if constexpr (!kOrdered) {
    if (tiling.rows == kDouble.rows)
      return prepare_shape<Real, kDouble.rows, kDouble.warps, false>(law, map, n, tiling);
  }
  return prepare_shape<Real, kNarrow.rows, kNarrow.warps, kOrdered>(law, map, n, tiling);
}

}  // namespace

template <class Real>
PairWork<Real> prepare_gravity_tiles(const GravityParams& params, TriangleMapId map, u32 n, const PairTiling& tiling,
                                     Accumulate accumulate) {
  return accumulate == Accumulate::fast ? prepare<Real, false>(Law<Real>(params), map, n, tiling)
                                        : prepare<Real, true>(Law<Real>(params), map, n, tiling);
}

template PairWork<float> prepare_gravity_tiles(const GravityParams&, TriangleMapId, u32, const PairTiling&, Accumulate);
template PairWork<double> prepare_gravity_tiles(const GravityParams&, TriangleMapId, u32, const PairTiling&,
                                                Accumulate);

}  // namespace tri::cuda
