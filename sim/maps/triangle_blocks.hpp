#pragma once
/// The triangle stored by blocks: the values of block x block cells lie side by side, so that a tile of a map is one
/// run of memory. TRI calls it the block-level re-organisation of the data.
///
///     n = 5, block = 2: blocks in the order of lambda, cells of a block row by row
///
///       0  1 |                     cells above the diagonal are there in the blocks on it, in no others;
///       2  3 |                     those beyond n (-) are padding
///      ------+-------
///       4  5 |  8  9 |
///       6  7 | 10 11 |
///      ------+-------+-------
///      12 13 | 16 17 | 20  -
///       -  - |  -  - |  -  -
///
/// All functions are pure, on host and device. Indices are exact for every n < 2^32 where blocks_count() is below 2^64,
/// as it is for block <= 2^31; blocks_cell() is exact for n <= 2^31.

#include "figurate.hpp"

namespace tri {

/// Blocks a side; block >= 1.
TRI_HD constexpr u32 blocks_side(u32 n, u32 block) { return n / block + static_cast<u32>(n % block != 0); }

/// Values of the whole, with the padding.
TRI_HD constexpr u64 blocks_count(u32 n, u32 block) {
  return triangular_of_row(blocks_side(n, block)) * (u64{block} * block);
}

/// Index of the value of the pair i, j in either order: within a block on the diagonal (i, j) and (j, i) are two cells
/// with one value, elsewhere they are one cell.
TRI_HD constexpr u64 blocks_index(u32 i, u32 j, u32 block) {
  u32 block_row = i / block, block_col = j / block;
  u32 row = i % block, col = j % block;
  if (block_col > block_row) {
    const u32 low = block_row, inner = row;
    block_row = block_col, block_col = low;
    row = col, col = inner;
  }
  const u64 blocks_before = triangular_of_row(block_row) + block_col;
  return (blocks_before * block + row) * block + col;
}

/// The inverse: row and column of a cell. Those with row >= n or col >= n are padding.
TRI_HD TRI_INLINE RowCol blocks_cell(u64 index, u32 block) {
  const RowCol tile = triangular_split(index / (u64{block} * block));
  const u32 inner = static_cast<u32>(index / block % block);
  return {tile.row * block + inner, tile.col * block + static_cast<u32>(index % block)};
}

}  // namespace tri
