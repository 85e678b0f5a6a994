// Pair tiles of every pair law, fast and ordered: launches the kernel of pair_tile.cuh.

#include <optional>
#include <type_traits>

#include "sim/base/error.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/visit_law.hpp"

namespace tri::cuda {
namespace {

template <class Law, class Real, u32 kRows, u32 kWarps, bool kOrdered>
PairWork<Real> prepare_shape(const Law& law, TriangleMapId id, u32 n, const PairTiling& tiling, const GridCut& cut) {
  constexpr u32 kSpan = 32 * kRows, kThreads = 32 * kWarps;
  TRI_EXPECTS(tiling.rows == kRows && tiling.warps == kWarps);
  TRI_EXPECTS(tiling.columns % 32 == 0 && kSpan % tiling.columns == 0 && tiling.tile % kSpan == 0);
  // A persistent map has as many blocks as the device holds, separately for each slice.
  const u32 workers = cut.workers(
      resident_workers(&pair_tile_kernel<Law, Real, kRows, kWarps, kOrdered, TriangleLambdaStream>, kThreads));
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<Real>& state,
                          const PairSums<Real>& out) {
    launch_early(pair_tile_kernel<Law, Real, kRows, kWarps, kOrdered, std::decay_t<decltype(map)>>, grid_of(piece),
                 kThreads, 0, stream, map, piece, law, state, out, tiling.tile, tiling.columns);
  };
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, tiling.tile, workers,
                                                                         on_kernel_map(launch), cut);
}

/// The shapes that pairs.hpp selects for a law; only gravity has more than one.
template <class Law, class Real, bool kOrdered>
PairWork<Real> prepare(const Law& law, TriangleMapId map, u32 n, const PairTiling& tiling, const GridCut& cut) {
  if constexpr (std::is_same_v<Law, laws::Gravity<float>>) {
    constexpr PairShape kShape = kOrdered ? kExact : kWide;
    if (tiling.rows == kShape.rows) {
      return prepare_shape<Law, Real, kShape.rows, kShape.warps, kOrdered>(law, map, n, tiling, cut);
    }
    if constexpr (!kOrdered) {
      if (tiling.warps == kShort.warps) {
        return prepare_shape<Law, Real, kShort.rows, kShort.warps, false>(law, map, n, tiling, cut);
      }
    }
  } else if constexpr (std::is_same_v<Law, laws::Gravity<double>> && !kOrdered) {
    if (tiling.rows == kDouble.rows) {
      return prepare_shape<Law, Real, kDouble.rows, kDouble.warps, false>(law, map, n, tiling, cut);
    }
  }
  return prepare_shape<Law, Real, kNarrow.rows, kNarrow.warps, kOrdered>(law, map, n, tiling, cut);
}

template <class Law, class Real>
PairWork<Real> prepare_law(const Law& law, TriangleMapId map, u32 n, const PairTiling& tiling, Accumulate accumulate,
                           const GridCut& cut) {
  return accumulate == Accumulate::fast ? prepare<Law, Real, false>(law, map, n, tiling, cut)
                                        : prepare<Law, Real, true>(law, map, n, tiling, cut);
}

}  // namespace

template <class Real>
PairWork<Real> prepare_pair_tiles(const ForceField& field, TriangleMapId map, u32 n, const PairTiling& tiling,
                                  Accumulate accumulate, const GridCut& cut) {
  if (field.pair == PairLaw::typed || is_typed(map)) {
    return prepare_typed_tiles<Real>(field, map, n, tiling, accumulate, cut);
  }
  std::optional<PairWork<Real>> work;
  laws::visit_pair_law<Real>(field, [&]<class Law>(const Law& law) {
    // Contacts are summed over a list (engine/contacts.hpp).
    if constexpr (!std::is_same_v<Law, laws::Contact<Real>>) {
      work = prepare_law<Law, Real>(law, map, n, tiling, accumulate, cut);
    }
  });
  TRI_EXPECTS(work.has_value());
  return *std::move(work);
}

template PairWork<float> prepare_pair_tiles(const ForceField&, TriangleMapId, u32, const PairTiling&, Accumulate,
                                            const GridCut&);
template PairWork<double> prepare_pair_tiles(const ForceField&, TriangleMapId, u32, const PairTiling&, Accumulate,
                                             const GridCut&);

}  // namespace tri::cuda
