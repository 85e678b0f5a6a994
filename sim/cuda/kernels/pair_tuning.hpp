#pragma once
/// Which tile a number of bodies gets, and how it is cut: data, measured on one NVIDIA H200 with
/// `triangulum bench --kernel gravity --backend cuda --block 128,256,512,1024 --n ...`; run that again on another card.

#include <array>

#include "sim/cuda/kernels/pair_tiles.hpp"
#include "sim/maps/figurate.hpp"

namespace tri::cuda {

/// Tile sides of the pair kernels.
inline constexpr std::array<u32, 4> kPairTiles{128, 256, 512, 1024};

/// The kernels there are: rows a lane, warps a block.
struct PairShape {
  u32 rows, warps;
};
inline constexpr PairShape kNarrow{4, 2};  ///< of every law and precision
inline constexpr PairShape kWide{8, 4};    ///< of gravity in float32
inline constexpr PairShape kDouble{8, 2};  ///< of gravity in float64, fast sums

/// Tiles a multiprocessor from which on a tile side is the fastest: larger ones save atomics, if enough of them are
/// left to keep all multiprocessors busy to the end.
struct PairTileWorth {
  u32 tile;
  u64 fp32, fp64;
};
inline constexpr std::array<PairTileWorth, 3> kPairTileWorths{{{1024, 200, 1000}, {512, 60, 200}, {256, 12, 12}}};

constexpr u64 tiles_of(u64 n, u32 tile) { return triangular((n + tile - 1) / tile); }

/// The tile for n bodies on a device of so many multiprocessors.
constexpr u32 pair_tile_for(Precision precision, u64 n, u32 multiprocessors) {
  for (const PairTileWorth& worth : kPairTileWorths) {
    const u64 least = precision == Precision::fp32 ? worth.fp32 : worth.fp64;
    if (tiles_of(n, worth.tile) >= least * multiprocessors) return worth.tile;
  }
  return kPairTiles.front();
}

/// Bodies from which on ordered sums of gravity in float32 are cut wide. The cut of ordered sums must not depend on the
/// tile, so wide ones have the tiles that give all warps of a block a piece.
inline constexpr u64 kOrderedWide = 32768;
inline constexpr u32 kOrderedWideTile = 512;

constexpr bool ordered_is_wide(PairLaw law, Precision precision, u64 n) {
  return law == PairLaw::gravity && precision == Precision::fp32 && n >= kOrderedWide;
}

constexpr PairTiling fast_tiling(PairLaw law, Precision precision, u32 tile) {
  const bool large = law == PairLaw::gravity && tile >= 256;
  const PairShape shape = !large ? kNarrow : precision == Precision::fp32 ? kWide : kDouble;
  const u32 span = 32 * shape.rows, share = tile / shape.warps;
  return {tile, shape.rows, shape.warps, share < span ? share : span};
}

constexpr PairTiling ordered_tiling(PairLaw law, Precision precision, u64 n, u32 tile) {
  return ordered_is_wide(law, precision, n) ? PairTiling{tile, kWide.rows, kWide.warps, 256}
                                            : PairTiling{tile, kNarrow.rows, kNarrow.warps, 64};
}

}  // namespace tri::cuda
