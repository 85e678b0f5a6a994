#pragma once
/// Which elements of a tile belong to the domain: the mask for the threads of a block, and how many threads it keeps.
/// Tiles in block space are rho elements a side and may extend beyond the n elements at the edge.
///
///     n = 5, rho = 2, with the diagonal (element = tile)
///       a .
///       a a
///       b b c .
///       b b c c
///       d d e e f      the last row of tiles has one row of elements, f one element

#include "figurate.hpp"
#include "map_concepts.hpp"

namespace tri {

/// Whether pair (row, col) of elements is in the triangle of n elements a side.
TRI_HD constexpr bool holds_pair(u64 row, u64 col, u64 n, Diagonal diagonal) {
  return row < n && (diagonal == Diagonal::with ? col <= row : col < row);
}

/// Whether x, y, z is in the tetrahedron of n elements a side.
TRI_HD constexpr bool holds_triple(u64 x, u64 y, u64 z, u64 n, Diagonal diagonal) {
  return z < n && (diagonal == Diagonal::with ? x <= y && y <= z : x < y && y < z);
}

/// Elements of a row (layer) of tiles: rho, or fewer at the edge.
TRI_HD constexpr u64 elements_along(u32 tile, u32 rho, u64 n) {
  const u64 first = u64{tile} * rho;
  if (first >= n) return 0;
  return n - first < rho ? n - first : rho;
}

/// Active threads of a block of rho x rho on `tile` (row >= col).
TRI_HD constexpr u64 active_pairs(Tile2 tile, u32 rho, u64 n, Diagonal diagonal) {
  const u64 rows = elements_along(tile.row, rho, n), cols = elements_along(tile.col, rho, n);
  if (tile.row != tile.col) return rows * cols;
  if (rows == 0) return 0;
  return diagonal == Diagonal::with ? triangular(rows) : triangular(rows - 1);
}

/// Active threads of a block of rho^3 on `tile` (x <= y <= z).
TRI_HD constexpr u64 active_triples(Tile3 tile, u32 rho, u64 n, Diagonal diagonal) {
  const u64 x = elements_along(tile.x, rho, n), y = elements_along(tile.y, rho, n), z = elements_along(tile.z, rho, n);
  const auto pairs = [diagonal](u64 side) -> u64 {
    if (side == 0) return 0;
    return diagonal == Diagonal::with ? triangular(side) : triangular(side - 1);
  };
  if (tile.x != tile.y && tile.y != tile.z) return x * y * z;
  if (tile.y != tile.z) return pairs(x) * z;
  if (tile.x != tile.y) return x * pairs(z);
  if (diagonal == Diagonal::with) return tetrahedral(z);
  return z < 3 ? 0 : tetrahedral(z - 2);
}

}  // namespace tri
