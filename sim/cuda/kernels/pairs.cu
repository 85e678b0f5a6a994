/// Launches over pairs: tiles of every law, energies, sums, typed laws, jerks.

#include "sim/cuda/kernels/pairs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "sim/base/error.hpp"
#include "sim/cuda/jit/typed_kernels.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pair_tile.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/visit_law.hpp"
#include "sim/maps/any_map.hpp"
#include "sim/maps/triangle_lambda.hpp"

namespace tri::cuda {

/// Tiles per block in one launch: 1.4e8 pairs in all, 50 ms on a small device with slow float64. Like the number of
/// blocks it is the same everywhere, since the order of additions depends on it.
inline constexpr u32 kEnergyRounds = 8;

/// Clears partial[2, kEnergyBlocks] and calls launch(map, first, end), which is to start kEnergyBlocks blocks, for all
/// ranges of tiles.
template <class Launch>
void launch_energy(u32 n, double* partial, const GridCut& cut, cudaStream_t stream, const Launch& launch) {
  const TriangleLambda map((n + kEnergyThreads - 1) / kEnergyThreads, Diagonal::with);
  TRI_CUDA(cudaMemsetAsync(partial, 0, 2 * kEnergyBlocks * sizeof(double), stream));
  launch_ranges(map, kEnergyRounds * kEnergyBlocks, cut, stream, launch);
}

// The final step of ordered sums, and the potential energy of all pairs (pair_tile.cuh).

namespace {

constexpr u32 kThreads = kEnergyThreads;

template <class Real>
constexpr u32 kBins = ordered_bins(kPrecisionOf<Real>);

template <class Real>
__global__ void __launch_bounds__(kThreads) clear_kernel(Vec4<Real>* out, u64 size) {
  await_earlier();
  const u64 at = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (at < size) out[at] = {0, 0, 0, 0};
}

/// One thread per body adds the bins in float64, always from the smallest unit up.
template <class Real>
__global__ void __launch_bounds__(kThreads) finish_kernel(const PairSums<Real> sums, u32 n, unsigned long long* left) {
  const u64 at = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= n) return;
  double sum[3] = {0, 0, 0};
  double unit = sizeof(Real) == 4 ? 0x1p-149 : 0x1p-181;
  for (u32 b = 0; b < kBins<Real>; ++b, unit *= 65536.0) {
#pragma unroll
    for (u32 axis = 0; axis < 3; ++axis) {
      unsigned long long& bin = sums.bins[(u64{b} * 3 + axis) * n + at];
      if (bin == 0) continue;
      sum[axis] += static_cast<double>(static_cast<long long>(bin)) * unit;
      bin = 0;
    }
  }
  Vec4<Real> out{static_cast<Real>(sum[0]), static_cast<Real>(sum[1]), static_cast<Real>(sum[2]), Real(0)};
  if (sums.broken[at] != 0) {
    sums.broken[at] = 0;
    const Real nan = static_cast<Real>(__longlong_as_double(0x7ff8000000000000ll));
    out = {nan, nan, nan, Real(0)};
    atomicAdd(left, 1ull);
  }
  sums.out[at] = out;
}

__global__ void __launch_bounds__(kThreads) energy_total_kernel(const double* partial, double* result) {
  for (u32 which = 0; which < 2; ++which) {
    double mine = 0;
    for (u32 k = threadIdx.x; k < kEnergyBlocks; k += kThreads) mine += partial[which * kEnergyBlocks + k];
    const double sum = block_sum(mine);
    if (threadIdx.x == 0) result[which] = sum;
  }
}

template <class Law, class Real>
void enqueue_energy(const Law& law, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                    cudaStream_t stream) {
  launch_energy(state.n, partial, cut, stream, [&](const TriangleLambda& map, u64 first, u64 end) {
    energy_kernel<<<kEnergyBlocks, kThreads, 0, stream>>>(law, state, map, first, end, partial, cut.first, cut.step);
    check_launch("pair energy");
  });
}

}  // namespace

template <class Real>
void clear_sums(Vec4<Real>* out, std::size_t size, cudaStream_t stream) {
  if (size == 0) return;
  launch_early(clear_kernel<Real>, dim3(static_cast<u32>((size + kThreads - 1) / kThreads)), kThreads, 0, stream, out,
               u64{size});
}

template <class Real>
void finish_ordered_sums(const PairSums<Real>& sums, u32 n, unsigned long long* left, cudaStream_t stream) {
  finish_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, stream>>>(sums, n, left);
  check_launch("end of ordered sums");
}

template <class Real>
void enqueue_pair_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                         cudaStream_t stream) {
  if (field.pair == PairLaw::typed) return enqueue_typed_energy(field, state, partial, cut, stream);
  laws::visit_pair_law<double>(field, [&]<class Law>(const Law& law) {
    if constexpr (!std::is_same_v<Law, laws::Contact<double>>) enqueue_energy(law, state, partial, cut, stream);
  });
}

void enqueue_pair_energy_total(const double* partial, double* result, cudaStream_t stream) {
  energy_total_kernel<<<1, kThreads, 0, stream>>>(partial, result);
  check_launch("total of the pair energy");
}

template void clear_sums(Vec4<float>*, std::size_t, cudaStream_t);
template void clear_sums(Vec4<double>*, std::size_t, cudaStream_t);
template void finish_ordered_sums(const PairSums<float>&, u32, unsigned long long*, cudaStream_t);
template void finish_ordered_sums(const PairSums<double>&, u32, unsigned long long*, cudaStream_t);
template void enqueue_pair_energy(const ForceField&, const DeviceState<float>&, double*, const GridCut&, cudaStream_t);
template void enqueue_pair_energy(const ForceField&, const DeviceState<double>&, double*, const GridCut&, cudaStream_t);

// Prepares and launches the kernels of typed pair laws, and of pair laws on typed maps.

namespace {

KernelText energy_text(const TypedFunctor& law, Precision precision) {
  return {typed_pair_text(), law.text + energy_instance(precision)};
}

}  // namespace

template <class Real>
PairWork<Real> prepare_typed_tiles(const ForceField& field, TriangleMapId id, u32 n, const PairTiling& tiling,
                                   Accumulate accumulate, const GridCut& cut) {
  const bool typed_law = field.pair == PairLaw::typed;
  TRI_EXPECTS(typed_law ? field.typed_pair.law != nullptr : is_typed(id));
  const u32 span = 32 * tiling.rows, threads = 32 * tiling.warps;
  TRI_EXPECTS(tiling.columns % 32 == 0 && span % tiling.columns == 0 && tiling.tile % span == 0);
  // The energy is asked for next, and compiled meanwhile.
  if (typed_law) expect_kernel(energy_text(typed_energy_functor(field.typed_pair, field.box), kPrecisionOf<Real>));
  const TypedFunctor law =
      typed_law ? typed_force_functor<Real>(field.typed_pair, field.box) : built_in_force_functor<Real>(field);
  const MapText map = map_text(id, side_in_tiles(id, n, tiling.tile));
  const KernelText text{
      typed_pair_text(),
      law.text + map.definition + force_instance(kPrecisionOf<Real>, tiling.rows, tiling.warps, accumulate, map.type)};
  return prepare_compiled_law<Real>(id, n, tiling.tile, threads, text, law, true, cut, tiling.columns);
}

template <class Real>
void enqueue_typed_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                          cudaStream_t stream) {
  TRI_EXPECTS(field.pair == PairLaw::typed && field.typed_pair);
  const TypedFunctor law = typed_energy_functor(field.typed_pair, field.box);
  const RuntimeKernel kernel = runtime_kernel(energy_text(law, kPrecisionOf<Real>));
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

// Launches of the kernel of pair_tile.cuh.

namespace {

template <bool kOrdered>
JerkWork prepare(const JerkLaw& law, TriangleMapId id, u32 n, u32 tile, const GridCut& cut) {
  constexpr u32 kJerkThreads = 32 * kJerkWarps;
  if (is_typed(id)) {
    return prepare_typed_kernel<const DeviceState<double>&, const JerkSums&>(
        id, side_in_tiles(id, n, tile),
        {jerk_map_kernel(kOrdered ? Accumulate::ordered : Accumulate::fast), kJerkThreads}, cut, law, tile);
  }
  const u32 workers = cut.workers(resident_workers(&jerk_tile_kernel<kOrdered, TriangleLambdaStream>, kJerkThreads));
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream,
                          const DeviceState<double>& state, const JerkSums& out) {
    jerk_tile_kernel<kOrdered><<<grid_of(piece), kJerkThreads, 0, stream>>>(map, piece, law, tile, state, out);
    check_launch("jerk tiles");
  };
  return prepare_on_map<const DeviceState<double>&, const JerkSums&>(id, n, tile, workers, on_kernel_map(launch), cut);
}

}  // namespace

JerkWork prepare_jerk_tiles(const ForceField& field, TriangleMapId map, u32 n, u32 tile, Accumulate accumulate,
                            const GridCut& cut) {
  TRI_EXPECTS(tile > 0 && tile % kJerkSpan == 0);
  const JerkLaw law(field.gravity);
  return accumulate == Accumulate::fast ? prepare<false>(law, map, n, tile, cut)
                                        : prepare<true>(law, map, n, tile, cut);
}

// Pair tiles of every pair law, fast and ordered: launches the kernel of pair_tile.cuh.

namespace {

template <class Law, class Real, u32 kRows, u32 kWarps, bool kOrdered>
PairWork<Real> prepare_shape(const Law& law, TriangleMapId id, u32 n, const PairTiling& tiling, const GridCut& cut) {
  constexpr u32 kSpan = 32 * kRows, kBlock = 32 * kWarps;
  TRI_EXPECTS(tiling.rows == kRows && tiling.warps == kWarps);
  TRI_EXPECTS(tiling.columns % 32 == 0 && kSpan % tiling.columns == 0 && tiling.tile % kSpan == 0);
  // A persistent map has as many blocks as the device holds, separately for each slice.
  const u32 workers = cut.workers(
      resident_workers(&pair_tile_kernel<Law, Real, kRows, kWarps, kOrdered, TriangleLambdaStream>, kBlock));
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<Real>& state,
                          const PairSums<Real>& out) {
    launch_early(pair_tile_kernel<Law, Real, kRows, kWarps, kOrdered, std::decay_t<decltype(map)>>, grid_of(piece),
                 kBlock, 0, stream, map, piece, law, state, out, tiling.tile, tiling.columns);
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
