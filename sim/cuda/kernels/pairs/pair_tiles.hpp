#pragma once
/// The sums of a pair law over all pairs, tile by tile of a triangle map. pair_tile.cuh describes the algorithm,
/// pair_exact.cuh the ordered sums, pair_tuning.hpp the choice of the tile.

#include "sim/cuda/kernels/pairs/device_state.hpp"
#include "sim/cuda/runtime/prepared_launch.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// How a tile is cut into the pieces of a warp: 32 * rows bodies by `columns` bodies, `warps` warps per block. rows and
/// warps are those of a compiled kernel (pair_tuning.hpp); columns is a multiple of 32 that divides 32 * rows, and tile
/// a multiple of 32 * rows.
struct PairTiling {
  u32 tile = 0;
  u32 rows = 0;
  u32 warps = 0;
  u32 columns = 0;
};

/// 64-bit integers per body and axis of an ordered sum.
constexpr u32 ordered_bins(Precision precision) { return precision == Precision::fp32 ? 16 : 18; }
/// More bodies could overflow a 64-bit sum.
inline constexpr u64 kMaxOrdered = u64{1} << 26;

/// The energy and virial of a pair law, over all pairs.
struct PairEnergy {
  double potential = 0;
  double virial = 0;  ///< sum over pairs of d.F, in open space equal to that over bodies of r.F
};

/// Work on a state that is passed at launch, as is the output.
template <class Real>
using PairWork = Prepared<const DeviceState<Real>&, const PairSums<Real>&>;

/// The law field.pair: gravity, lennard_jones or typed. map: in block space, exact at this size. cut: of the map's
/// positions. Compiles for typed laws and maps (jit/runtime_kernel.hpp), and may throw as that does.
template <class Real>
PairWork<Real> prepare_pair_tiles(const ForceField& field, TriangleMapId map, u32 n, const PairTiling& tiling,
                                  Accumulate accumulate, const GridCut& cut);

/// Writes zeros to out[size].
template <class Real>
void clear_sums(Vec4<Real>* out, std::size_t size, cudaStream_t stream);

/// Converts ordered sums to out[n], NaN for broken bodies, which it counts in *left; zeroes all sums.
template <class Real>
void finish_ordered_sums(const PairSums<Real>& sums, u32 n, unsigned long long* left, cudaStream_t stream);

/// Blocks of the energy kernel; each keeps one pair of sums. The same on every device, so that the total is too.
inline constexpr u32 kEnergyBlocks = 1056;

/// Writes to partial[2, kEnergyBlocks] sums that make up the potential energy and the virial of all pairs; zeros for
/// those of other ranks.
template <class Real>
void enqueue_pair_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                         cudaStream_t stream);
/// Adds them up: the energy to result[0], the virial to result[1].
void enqueue_pair_energy_total(const double* partial, double* result, cudaStream_t stream);

}  // namespace tri::cuda
