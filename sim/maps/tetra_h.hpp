#pragma once
/// `tetra-h`: the recursive map of the tetrahedron in one launch, without roots. A tetrahedron of side 2s is two of
/// side s and, between them, two prisms (triangle x line) of side s. The triangles of the two prisms make one
/// rectangle, so that both together are a box of s x s x (s + 1), and no position is idle. For the side 2^k the boxes
/// of all levels and then the main diagonal are rows of 2^(k-1) positions:
///
///     side 4, omega = x + 2y
///     layer 0   layer 1   layer 2     layer 3          y = 0, 1: l = 0, two boxes of 1 x 1 x 2
///      16         0         4            6             y = 2..7: l = 1, one box of 2 x 2 x 3
///                 2 17      5  9         7 11          y = 8, 9: the main diagonal
///                           8 10 18     12 14  1
///                                       13 15  3 19
///
///     s = 2^l,  r = y - (rows of the levels before l) = a s + c,  q = x >> l,  b = x & (s - 1)
///     a > b: (2qs + c, 2qs + s + b, 2qs + s + a - 1),   a <= b: (2qs + a, 2qs + b, 2qs + s + c)
///
/// Any side m: for each set bit p of m from the highest down, with o the sum of the higher ones, the triples whose
/// layer lies in [o, o + p): the tetrahedron of side p at (o, o, o), the prism x < o (o times the triangle of side p,
/// two of which make a rectangle) and the prism y < o (p times the triangle of side o, folded at its middle). Since o
/// is even, nothing is left over. The launch is a line of all of them; a position finds its part by popcount(m) prefix
/// sums, and in the prisms by one integer division.
///
/// Source: after the recursion of Navarro et al. 2022 (arXiv 2208.11617) for 2^k; the box of two prisms and any side
/// are ours. Launches: one, T3(m) x 1. None idle. Exact for layers below 2,642,244.

#include "tetra_base.hpp"

namespace tri {

class TetraH : public TetraBase {
 public:
  static constexpr MapInfo kInfo{"tetra-h",
                                 Domain::tetrahedron,
                                 Space::block,
                                 "boxes of s x s x (s+1), s = 2^l, each two folded prisms; one part a set bit",
                                 "Navarro et al. 2022; boxes and any side ours",
                                 "layers below 2,642,244",
                                 kExactTetraSide,
                                 nullptr,
                                 false};

  TRI_HD TetraH(u32 side, Diagonal diagonal) : TetraBase(side, diagonal) {
    u64 sum = 0;
    for (u32 rest = layers(); rest != 0;) {
      const u32 p = 1u << floor_log2(rest), offset = layers() - rest;
      first_[parts_++] = sum;
      sum = tetrahedral_of_layer(offset + p);
      rest -= p;
    }
    narrow_ = sum >> 32 == 0;
  }

  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }

  /// The branch is uniform, and worth it: a GPU has no 64-bit integer units.
  TRI_HD TRI_INLINE Cursor begin(Position position) const {
    return narrow_ ? locate<u32>(static_cast<u32>(position.x)) : locate<u64>(position.x);
  }

 private:
  /// Positions in the rows of the levels below l, over 2^(k-1): the sum of s (s + 1) for s = 1, 2, ..., 2^(l-1).
  template <class Index>
  TRI_HD static constexpr Index rows_before(u32 l) {
    const Index s = Index{1} << l;
    return (s * s - 1) / 3 + (s - 1);
  }

  /// The level of a row: 4^l <= 3 (row of level l) + 4 < 4^(l+2), so that the logarithm is l or l + 1.
  TRI_HD TRI_INLINE static u32 level_of(u64 row) {
    const u64 v = 3 * row + 4;
    const u32 high = static_cast<u32>(v >> 32);
    const u32 l = (high != 0 ? 32 + floor_log2(high) : floor_log2(static_cast<u32>(v))) / 2;
    return l - static_cast<u32>(rows_before<u64>(l) > row);
  }

  /// Tile w of the tetrahedron of side 2^k at (o, o, o).
  template <class Index>
  TRI_HD TRI_INLINE Cursor in_tetrahedron(Index w, u32 k, u32 o) const {
    const Index boxes = k == 0 ? 0 : rows_before<Index>(k) << (k - 1);
    if (w >= boxes) {
      const u32 i = o + static_cast<u32>(w - boxes);
      return found(i, i, i);
    }
    const u32 x = static_cast<u32>(w) & ((1u << (k - 1)) - 1);
    const Index row = w >> (k - 1);
    const u32 l = level_of(row), s = 1u << l;
    const Index within = row - rows_before<Index>(l);
    const u32 a = static_cast<u32>(within >> l), c = static_cast<u32>(within) & (s - 1), b = x & (s - 1);
    const u32 low = o + ((x >> l) << (l + 1)), high = low + s;
    return a > b ? found(low + c, high + b, high + a - 1) : found(low + a, low + b, high + c);
  }

  template <class Index>
  TRI_HD TRI_INLINE Cursor locate(Index position) const {
    u32 rest = layers();
    u32 k = floor_log2(rest), part = 0;
    while (part + 1 < parts_ && position >= static_cast<Index>(first_[part + 1])) {
      rest -= 1u << k;
      k = floor_log2(rest);
      ++part;
    }
    const u32 p = 1u << k, o = layers() - rest, half = o / 2;
    const Index w = position - static_cast<Index>(first_[part]);
    const Index inner = static_cast<Index>(tetrahedral_of_layer(p));
    if (w < inner) return in_tetrahedron<Index>(w, k, o);
    const u32 low = static_cast<u32>(w - inner) & (p - 1);
    const Index high = (w - inner) >> k;
    const Index lines = Index{half} * (p + 1);
    if (high < lines) {  // b = low: rows of a rectangle of (p + 1) x p, half of it for each of two lines
      const u32 a = static_cast<u32>(high / half), line = static_cast<u32>(high % half);
      return a > low ? found(line, o + low, o + a - 1) : found(half + line, o + a, o + low);
    }
    // The triangle of even side o folded at its middle: a rectangle of half x (o + 1), p layers of it.
    const u32 r = static_cast<u32>((high - lines) / (o + 1)), c = static_cast<u32>((high - lines) % (o + 1));
    return c < o - r ? found(c, o - 1 - r, o + low) : found(c - (o - r), r, o + low);
  }

  u32 parts_ = 0;
  bool narrow_ = false;  ///< all positions fit 32 bits
  u64 first_[22] = {};   ///< [parts_] positions before each part: T3 of its offset
};

}  // namespace tri
