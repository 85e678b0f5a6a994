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
inline constexpr PairShape kWide{8, 4};    ///< of gravity in float32: a third fewer reads of columns, and 128 registers

/// Tiles a multiprocessor from which on a larger tile is the faster one: it saves atomics, and enough are left to keep
/// all multiprocessors busy to the end.
inline constexpr u64 kTilesWorth256 = 12;
inline constexpr u64 kTilesWorth512 = 160;

constexpr u64 tiles_of(u64 n, u32 tile) { return triangular((n + tile - 1) / tile); }

/// The tile for n bodies on a device of so many multiprocessors.
constexpr u32 pair_tile_for(u64 n, u32 multiprocessors) {
  if (tiles_of(n, 512) >= kTilesWorth512 * multiprocessors) return 512;
  return tiles_of(n, 256) >= kTilesWorth256 * multiprocessors ? 256 : 128;
}

/// Bodies from which on ordered sums of gravity are cut wide. The cut of ordered sums must not depend on the tile.
inline constexpr u64 kOrderedWide = 16384;

/// Whether ordered sums of n bodies are cut wide: their tiles then start at 256.
constexpr bool ordered_is_wide(PairLaw law, Precision precision, u64 n) {
  return law == PairLaw::gravity && precision == Precision::fp32 && n >= kOrderedWide;
}

constexpr PairTiling fast_tiling(PairLaw law, Precision precision, u32 tile) {
  const bool wide = law == PairLaw::gravity && precision == Precision::fp32 && tile >= 256;
  const PairShape shape = wide ? kWide : kNarrow;
  const u32 span = 32 * shape.rows, share = tile / shape.warps;
  return {tile, shape.rows, shape.warps, share < span ? share : span};
}

constexpr PairTiling ordered_tiling(PairLaw law, Precision precision, u64 n, u32 tile) {
  return ordered_is_wide(law, precision, n) ? PairTiling{tile, kWide.rows, kWide.warps, 128}
                                            : PairTiling{tile, kNarrow.rows, kNarrow.warps, 64};
}

}  // namespace tri::cuda
