#pragma once
/// Tiles of triples, and the copies of the bodies that they add to.

#include "sim/base/platform.hpp"

namespace tri::cuda {

/// Side in bodies of the pieces of a tile; a tile is a multiple of it.
inline constexpr u32 kTripleCube = 32;

/// Fast sums go to this many copies of the bodies, [copies, n], which gather_triple_sums() adds in float64. Concurrent
/// blocks add to different copies: thousands of terms per body then neither contend for one address nor lose precision
/// in one large float32 sum. The papers' kernel has many small terms.
inline constexpr u32 kTripleCopies = 16, kElementCopies = 256;

/// Tile side where triples are counted: 32 points, 256 threads.
inline constexpr u32 kCountTile = 32;

}  // namespace tri::cuda
