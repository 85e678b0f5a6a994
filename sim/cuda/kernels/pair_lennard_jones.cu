// Pair tiles of Lennard-Jones: see pair_tile.cuh.

#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/pair_tuning.hpp"
#include "sim/laws/lennard_jones.hpp"

namespace tri::cuda {

template <class Real>
PairWork<Real> prepare_lennard_jones_tiles(const LennardJonesParams& params, TriangleMapId map, u32 n,
                                           const PairTiling& tiling, Accumulate accumulate) {
  using Law = laws::LennardJones<Real>;
  return accumulate == Accumulate::fast
             ? prepare_pair_kernel<Law, Real, kNarrow.rows, kNarrow.warps, false>(Law(params), map, n, tiling)
             : prepare_pair_kernel<Law, Real, kNarrow.rows, kNarrow.warps, true>(Law(params), map, n, tiling);
}

template PairWork<float> prepare_lennard_jones_tiles(const LennardJonesParams&, TriangleMapId, u32, const PairTiling&,
                                                     Accumulate);
template PairWork<double> prepare_lennard_jones_tiles(const LennardJonesParams&, TriangleMapId, u32, const PairTiling&,
                                                      Accumulate);

}  // namespace tri::cuda
