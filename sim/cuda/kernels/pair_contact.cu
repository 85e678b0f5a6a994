// Pair tiles of soft contacts: see pair_tile.cuh.

#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/pair_tuning.hpp"
#include "sim/laws/contact.hpp"

namespace tri::cuda {

template <class Real>
PairWork<Real> prepare_contact_tiles(const ContactParams& params, TriangleMapId map, u32 n, const PairTiling& tiling,
                                     Accumulate accumulate) {
  using Law = laws::Contact<Real>;
  return accumulate == Accumulate::fast
             ? prepare_pair_kernel<Law, Real, kNarrow.rows, kNarrow.warps, false>(Law(params), map, n, tiling)
             : prepare_pair_kernel<Law, Real, kNarrow.rows, kNarrow.warps, true>(Law(params), map, n, tiling);
}

template PairWork<float> prepare_contact_tiles(const ContactParams&, TriangleMapId, u32, const PairTiling&, Accumulate);
template PairWork<double> prepare_contact_tiles(const ContactParams&, TriangleMapId, u32, const PairTiling&,
                                                Accumulate);

}  // namespace tri::cuda
