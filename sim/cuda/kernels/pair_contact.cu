// Pair tiles of soft contacts: see pair_tile.cuh.

#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/pair_tuning.hpp"
#include "sim/laws/contact.hpp"

namespace tri::cuda {
namespace {

template <class Real>
using Law = laws::Contact<Real>;

template <class Real, u32 kRows, u32 kWarps, bool kOrdered>
void launch(const PairLaunch<Law<Real>, Real>& l, const DeviceState<Real>& state, const PairSums<Real>& out,
            cudaStream_t stream) {
  pair_tile_kernel<Law<Real>, Real, kRows, kWarps, kOrdered><<<grid_of(l.piece), 32 * kWarps, 0, stream>>>(
      l.map, l.piece, l.law, state, out, l.tiling.tile, l.tiling.columns);
}

template <class Real, bool kOrdered>
PairWork<Real> prepare(const Law<Real>& law, TriangleMapId map, u32 n, const PairTiling& tiling) {
  TRI_EXPECTS(tiling.rows == kNarrow.rows && tiling.warps == kNarrow.warps);
  return prepare_pair_kernel<Law<Real>, Real>(&pair_tile_kernel<Law<Real>, Real, kNarrow.rows, kNarrow.warps, kOrdered>,
                                              &launch<Real, kNarrow.rows, kNarrow.warps, kOrdered>, law, map, n,
                                              tiling);
}

}  // namespace

template <class Real>
PairWork<Real> prepare_contact_tiles(const ContactParams& params, TriangleMapId map, u32 n, const PairTiling& tiling,
                                     Accumulate accumulate) {
  return accumulate == Accumulate::fast ? prepare<Real, false>(Law<Real>(params), map, n, tiling)
                                        : prepare<Real, true>(Law<Real>(params), map, n, tiling);
}

template PairWork<float> prepare_contact_tiles(const ContactParams&, TriangleMapId, u32, const PairTiling&, Accumulate);
template PairWork<double> prepare_contact_tiles(const ContactParams&, TriangleMapId, u32, const PairTiling&,
                                                Accumulate);

}  // namespace tri::cuda
