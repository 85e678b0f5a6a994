#pragma once
/// The backend's defaults: tile sides and threads as functions of the problem size.

#include "sim/base/platform.hpp"

namespace tri::cpu {

/// Tile side of pairs for n bodies: enough tiles to balance, yet large enough to amortise a tile's sums.
constexpr u32 default_pair_block(u64 n) {
  u32 block = 16;
  while (block < 256 && u64{block} * 24 < n) block *= 2;
  return block;
}

/// Tile side of distances, which write more than they compute: long runs of memory, eight tiles per side.
constexpr u32 default_distance_block(u64 n) {
  u32 block = 32;
  while (block < 2048 && u64{block} * 16 <= n) block *= 2;
  return block;
}

/// Tile side of triples for n bodies.
constexpr u32 default_triple_block(u64 n) {
  u32 block = 8;
  while (block < 32 && u64{block} * 8 < n) block *= 2;
  return block;
}

/// Tile side of counts of triples as products, whose rows of bits stay in the cache.
inline constexpr u32 kProductBlock = 32;

/// Bodies from which a grid finds contacts faster than all pairs. (Measured: docs/performance.md.)
inline constexpr u32 kGridFrom = 2000;
/// The best mean number of bodies per cell, where the radii permit it.
inline constexpr double kCellOccupancy = 4;

/// Threads worth using for `items` pairs or triples: waking a thread costs as much as tens of thousands of them.
constexpr u32 worthwhile_threads(u64 items, u32 threads) {
  const u64 worth = items / 65536 + 1;
  return worth < threads ? static_cast<u32>(worth) : threads;
}

}  // namespace tri::cpu
