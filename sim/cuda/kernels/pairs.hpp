#pragma once
/// Sums over pairs: tiles, their tuning, typed laws, jerks, tensor cores.
///
/// The sums of a pair law over all pairs, tile by tile of a triangle map. pair_tile.cuh describes the algorithm,
/// terms.cuh the ordered sums, pairs.hpp the choice of the tile.

#include <array>
#include <functional>

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cuda {

/// How a tile is cut into the pieces of a warp: 32 * rows bodies by `columns` bodies, `warps` warps per block. rows and
/// warps are those of a compiled kernel (pairs.hpp); columns is a multiple of 32 that divides 32 * rows, and tile
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

// The tile for a number of bodies, and its pieces, as measured on one NVIDIA H200 with `triangulum bench --tune`,
// which also saves its results for other devices (kernel_choice.hpp).

/// Tile sides of the pair kernels: those of 3 * 2^k for wide pieces, the others for narrow ones.
inline constexpr std::array<u32, 7> kPairTiles{128, 256, 384, 512, 768, 1024, 1536};

/// The compiled kernels: rows per lane, warps per block.
struct PairShape {
  u32 rows, warps;
};
inline constexpr PairShape kNarrow{4, 2};  ///< of every law and precision
inline constexpr PairShape kShort{4, 4};   ///< of gravity in float32, fast sums of few tiles
inline constexpr PairShape kWide{12, 4};   ///< of gravity in float32, fast sums: 7 % faster than 8 rows on an H200
inline constexpr PairShape kExact{8, 4};   ///< of gravity in float32, ordered sums of many: 12 rows are 15 % slower
inline constexpr PairShape kDouble{8, 2};  ///< of gravity in float64, fast sums

/// Tiles per multiprocessor from which a tile side is the fastest: larger tiles need fewer atomics, if there are enough
/// of them to keep all multiprocessors busy to the end.
struct PairTileWorth {
  u32 tile;
  u64 tiles;
};
inline constexpr std::array<PairTileWorth, 3> kWorthWide{{{1536, 100}, {768, 25}, {384, 6}}};
inline constexpr std::array<PairTileWorth, 3> kWorthNarrow{{{1024, 1000}, {512, 200}, {256, 12}}};

constexpr u64 tiles_of(u64 n, u32 tile) { return triangular((n + tile - 1) / tile); }

/// The law whose kernels are cut as those of this field's pair law: a typed law that weighs masses is as gravity,
/// another one as lennard-jones.
inline PairLaw shaped_as(const ForceField& field) {
  if (field.pair != PairLaw::typed) return field.pair;
  const bool masses_alone = field.typed_pair.law->uses() == u32{laws::kMass};
  return masses_alone && sums_are_accelerations(field) ? PairLaw::gravity : PairLaw::lennard_jones;
}

/// Whether gravity's wide pieces apply.
constexpr bool goes_wide(PairLaw law, Precision precision) {
  return law == PairLaw::gravity && precision == Precision::fp32;
}

/// The tile for n bodies on a device with this many multiprocessors and no measurements (kernel_choice.hpp).
constexpr u32 pair_tile_for(PairLaw law, Precision precision, u64 n, u32 multiprocessors) {
  for (const PairTileWorth& worth : goes_wide(law, precision) ? kWorthWide : kWorthNarrow) {
    if (tiles_of(n, worth.tile) >= worth.tiles * multiprocessors) return worth.tile;
  }
  return kPairTiles.front();
}

/// Bodies from which ordered sums of gravity in float32 use wide pieces of 256 x 256. The pieces of ordered sums must
/// not depend on the tile, so the only tiles allowed are those that give every warp of a block a piece.
inline constexpr u64 kOrderedWide = 32768;
inline constexpr u32 kOrderedWideTile = 512;

constexpr bool ordered_is_wide(PairLaw law, Precision precision, u64 n) {
  return goes_wide(law, precision) && n >= kOrderedWide;
}

/// Whether tiles of this side contain whole pieces with this many rows per lane.
constexpr bool holds(u32 tile, const PairShape& shape) { return tile % (32 * shape.rows) == 0; }

/// Tiles a multiprocessor, at most, that are few: twice the warps a tile then take 27 % less time (n = 2,048 on an
/// H200), with twice as many 9 % more.
inline constexpr u64 kFewTiles = 2;

constexpr PairTiling fast_tiling(PairLaw law, Precision precision, u32 tile, bool few = false) {
  PairShape shape = kNarrow;
  if (goes_wide(law, precision)) shape = holds(tile, kWide) ? kWide : few ? kShort : kNarrow;
  if (law == PairLaw::gravity && precision == Precision::fp64 && holds(tile, kDouble)) shape = kDouble;
  const u32 span = 32 * shape.rows, share = tile / shape.warps;
  return {tile, shape.rows, shape.warps, share < span ? share : span};
}

constexpr PairTiling ordered_tiling(PairLaw law, Precision precision, u64 n, u32 tile) {
  return ordered_is_wide(law, precision, n) ? PairTiling{tile, kExact.rows, kExact.warps, 256}
                                            : PairTiling{tile, kNarrow.rows, kNarrow.warps, 64};
}

/// The tiles allowed for such sums of n bodies.
constexpr bool tile_serves(PairLaw law, Precision precision, Accumulate accumulate, u64 n, u32 tile) {
  if (accumulate == Accumulate::fast || !ordered_is_wide(law, precision, n)) return true;
  return tile % kOrderedWideTile == 0;
}

// The sums of a typed law over all pairs, and of any law on a typed map, by the kernels of kernels/pairs, compiled at
// run time for law and map: as pairs.hpp for the laws of sim/laws on built-in maps.

/// As prepare_pair_tiles(), for field.pair typed or a typed map. May compile (runtime_kernel.hpp), and throws as that
/// does.
template <class Real>
PairWork<Real> prepare_typed_tiles(const ForceField& field, TriangleMapId map, u32 n, const PairTiling& tiling,
                                   Accumulate accumulate, const GridCut& cut);

/// As enqueue_pair_energy(), likewise.
template <class Real>
void enqueue_typed_energy(const ForceField& field, const DeviceState<Real>& state, double* partial, const GridCut& cut,
                          cudaStream_t stream);

// Accelerations and jerks of gravity over all pairs (gravity.hpp), in float64, tile by tile of a triangle
// map, and the largest squared rates of a pair. pair_tile.cuh has the kernel, terms.cuh the ordered sums.

using JerkWork = Prepared<const DeviceState<double>&, const JerkSums&>;

/// map: in block space, exact at this size. tile: one of kPairTiles (pairs.hpp).
JerkWork prepare_jerk_tiles(const ForceField& field, TriangleMapId map, u32 n, u32 tile, Accumulate accumulate,
                            const GridCut& cut);

// Gravity of all pairs on tensor cores, in float32: accelerations with the accuracy of plain float32 sums, faster than
// its instructions allow.
//
// For two groups of bodies ("tiles") that are compact in space and apart from each other, the softened distance of a
// pair is almost a product of one factor a body. With the centres' distance d and D2 = d.d + eps^2, and with a and b
// the positions of bodies i and j relative to their centres,
//
//     P_i = 1 + (a.a - 2 d.a) / D2,   Q_j = 1 + (b.b + 2 d.b) / D2
//     r^2 + eps^2 = D2 P_i Q_j (1 + u_ij),   u_ij = -(2 a.b / D2 + (P_i - 1) (Q_j - 1)) / (P_i Q_j)
//
// exactly: u has rank 4 and no cancellation. So (r^2 + eps^2)^(-3/2) = D2^(-3/2) P^(-3/2) Q^(-3/2) (1 + v) with
// v = (1 + u)^(-3/2) - 1, which is small. A tensor core multiplies out u for 16 x 8 pairs at once, a polynomial in
// half precision makes v of it, and two more products sum v over both sides. The 1 of 1 + v is a float32 sum over the
// tile: only what makes up v passes through half precision. Pairs of tiles that are too near for this are computed in
// plain float32.
//
// far_tiles.cuh has the products, tensor_gravity.cu the plain pairs, tile_pairs.cuh sorts pairs of tiles by how far
// apart they are, ../bodies/body_order.cu keeps tiles compact. docs/notes/tensor.md derives the error.

/// Bodies a side of the tiles that a map of these sums visits: 32 x 32 pairs of tiles of 128 bodies.
inline constexpr u32 kTensorBlock = 4096;

/// Whether the current device, which is `device`, has the instructions and the program code for them: compute
/// capability 8.0 and later. Throws CudaError.
bool has_tensor_gravity(int device);

/// Device memory that the work takes beside the state and the output, in bytes.
u64 tensor_gravity_bytes(u64 n, Accumulate accumulate);

struct TensorGravity {
  /// As of prepare_pair_tiles(); grids must be launched in rising order, one after another.
  PairWork<float> sums;
  /// Sorts the bodies, after which sums are faster. Ordered sums sort by themselves, since their bits depend on it.
  std::function<void(cudaStream_t, const DeviceState<float>&)> sort;
};

/// The accelerations of n bodies; field.pair is gravity. map: in block space, exact for n bodies in tiles of
/// kTensorBlock. cut: of the map's positions. Allocates and waits; launches do not.
TensorGravity prepare_tensor_gravity(const ForceField& field, TriangleMapId map, u32 n, const TensorLimits& limits,
                                     Accumulate accumulate, const GridCut& cut);

// Gravity by a tree (sim/cpu/tree.hpp), in the precision of the bodies: near pairs one by one, far ones by series.

/// Unordered pairs of bodies of the last evaluation: all that were met, and those that met one by one; and pairs of
/// nodes that met by series.
struct TreeMeetings {
  u64 met = 0, near = 0, series = 0;
};

template <class Real>
struct TreeGravity {
  /// Accelerations, and with `potential` the potential's negative. The host waits for the walk on the way, and memory
  /// for its lists grows when they do: not for graphs. With several ranks only bodies of this rank's squares are set.
  PairWork<Real> sums;
  std::function<TreeMeetings()> met;
  /// In float64: raises the number whose bits are at `most`, >= 0, to the largest G (m_i + m_j) / s^3 of all pairs of
  /// bodies of the last evaluation; of several ranks, of this one's leaves and those before them.
  std::function<void(cudaStream_t, unsigned long long*)> falls;
};

/// Device memory that the work takes beside the state and the output, in bytes, as lists are at first.
u64 tree_gravity_bytes(u64 n, Precision precision);

/// Accelerations whose rms error is below `tolerance` of their rms. map: in block space, which visits the squares of
/// the tree. The bits depend on the positions alone. Allocates and waits.
template <class Real>
TreeGravity<Real> prepare_tree_gravity(const ForceField& field, TriangleMapId map, u32 n, double tolerance,
                                       bool potential, u32 rank, u32 ranks);

/// The potential energy and the virial from such an evaluation, as partial[2, kEnergyBlocks].
void enqueue_tree_energy(cudaStream_t stream, const DeviceState<double>& state, const Vec4<double>* pulls,
                         double* partial);
/// Writes the state in float64.
template <class Real>
void enqueue_widened_state(cudaStream_t stream, const DeviceState<Real>& state, Vec4<double>* out);

}  // namespace tri::cuda
