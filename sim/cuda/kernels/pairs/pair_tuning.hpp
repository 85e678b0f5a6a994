#pragma once
/// Which tile a number of bodies gets, and how it is cut: data, measured on one NVIDIA H200 with
/// `triangulum bench --tune`, which keeps what it finds for another card (device_tuning.hpp).

#include <array>

#include "sim/cuda/kernels/pairs/pair_tiles.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {

/// Tile sides of the pair kernels. Those of 3 * 2^k are for wide pieces, the others for narrow ones.
inline constexpr std::array<u32, 7> kPairTiles{128, 256, 384, 512, 768, 1024, 1536};

/// The kernels there are: rows a lane, warps a block.
struct PairShape {
  u32 rows, warps;
};
inline constexpr PairShape kNarrow{4, 2};  ///< of every law and precision
inline constexpr PairShape kWide{12, 4};   ///< of gravity in float32, fast sums: 7 % faster than 8 rows on an H200
inline constexpr PairShape kExact{8, 4};   ///< of gravity in float32, ordered sums of many: 12 rows are 15 % slower
inline constexpr PairShape kDouble{8, 2};  ///< of gravity in float64, fast sums

/// Tiles a multiprocessor from which on a tile side is the fastest: larger ones save atomics, if enough of them are
/// left to keep all multiprocessors busy to the end.
struct PairTileWorth {
  u32 tile;
  u64 tiles;
};
inline constexpr std::array<PairTileWorth, 3> kWorthWide{{{1536, 100}, {768, 25}, {384, 6}}};
inline constexpr std::array<PairTileWorth, 3> kWorthNarrow{{{1024, 1000}, {512, 200}, {256, 12}}};

constexpr u64 tiles_of(u64 n, u32 tile) { return triangular((n + tile - 1) / tile); }

/// Whether gravity's wide pieces are the ones that count.
constexpr bool goes_wide(PairLaw law, Precision precision) {
  return law == PairLaw::gravity && precision == Precision::fp32;
}

/// The tile for n bodies on a device of so many multiprocessors, where nothing was measured (device_tuning.hpp).
constexpr u32 pair_tile_for(PairLaw law, Precision precision, u64 n, u32 multiprocessors) {
  for (const PairTileWorth& worth : goes_wide(law, precision) ? kWorthWide : kWorthNarrow) {
    if (tiles_of(n, worth.tile) >= worth.tiles * multiprocessors) return worth.tile;
  }
  return kPairTiles.front();
}

/// Bodies from which on ordered sums of gravity in float32 are cut wide, into pieces of 256 x 256. The cut of ordered
/// sums must not depend on the tile, so wide ones have the tiles that give all warps of a block a piece.
inline constexpr u64 kOrderedWide = 32768;
inline constexpr u32 kOrderedWideTile = 512;

constexpr bool ordered_is_wide(PairLaw law, Precision precision, u64 n) {
  return goes_wide(law, precision) && n >= kOrderedWide;
}

/// Whether tiles of this side hold whole pieces of so many rows a lane.
constexpr bool holds(u32 tile, const PairShape& shape) { return tile % (32 * shape.rows) == 0; }

constexpr PairTiling fast_tiling(PairLaw law, Precision precision, u32 tile) {
  PairShape shape = kNarrow;
  if (goes_wide(law, precision) && holds(tile, kWide)) shape = kWide;
  if (law == PairLaw::gravity && precision == Precision::fp64 && holds(tile, kDouble)) shape = kDouble;
  const u32 span = 32 * shape.rows, share = tile / shape.warps;
  return {tile, shape.rows, shape.warps, share < span ? share : span};
}

constexpr PairTiling ordered_tiling(PairLaw law, Precision precision, u64 n, u32 tile) {
  return ordered_is_wide(law, precision, n) ? PairTiling{tile, kExact.rows, kExact.warps, 256}
                                            : PairTiling{tile, kNarrow.rows, kNarrow.warps, 64};
}

/// The tiles that such sums of n bodies may have.
constexpr bool tile_serves(PairLaw law, Precision precision, Accumulate accumulate, u64 n, u32 tile) {
  if (accumulate == Accumulate::fast || !ordered_is_wide(law, precision, n)) return true;
  return tile % kOrderedWideTile == 0;
}

}  // namespace tri::cuda
