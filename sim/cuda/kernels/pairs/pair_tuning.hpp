#pragma once
/// The tile for a number of bodies, and its pieces, as measured on one NVIDIA H200 with `triangulum bench --tune`,
/// which also saves its results for other devices (device_tuning.hpp).

#include <array>

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/laws/uses.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {

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

/// The tile for n bodies on a device with this many multiprocessors and no measurements (device_tuning.hpp).
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

}  // namespace tri::cuda
