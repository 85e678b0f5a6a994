#pragma once
/// The backend's own choices: tile sides and threads as functions of the size of the work.

#include "sim/base/platform.hpp"

namespace tri::cpu {

/// More threads than this are taken for a slip of the hand.
inline constexpr u32 kMaxThreads = 1024;

/// Threads the process may use (OMP_NUM_THREADS and its affinity mask included).
u32 usable_threads();

/// Tile side of pairs for n bodies: tiles enough to share out, yet large enough that a tile's sums cost nothing.
constexpr u32 default_pair_block(u64 n) {
  u32 block = 16;
  while (block < 256 && u64{block} * 24 < n) block *= 2;
  return block;
}

/// Tile side of distances, which write more than they compute: long runs of memory, eight tiles a side.
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

/// Bodies from which a grid finds contacts sooner than all pairs do. (Measured: docs/performance.md.)
inline constexpr u32 kGridFrom = 2000;
/// Bodies a cell that are best for it, where radii allow so many.
inline constexpr double kCellOccupancy = 4;

/// Threads that `items` pairs or triples are worth: waking a thread costs as much as tens of thousands of them.
constexpr u32 worthwhile_threads(u64 items, u32 threads) {
  const u64 worth = items / 65536 + 1;
  return worth < threads ? static_cast<u32>(worth) : threads;
}

}  // namespace tri::cpu
