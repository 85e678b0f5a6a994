#if defined(TRI_CPU_TRIPLE_TILE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_TRIPLE_TILE_HPP
#undef TRI_CPU_TRIPLE_TILE_HPP
#else
#define TRI_CPU_TRIPLE_TILE_HPP
#endif
/// The loop over one tile of triples, once per SIMD target.
///
/// A tile is cut into pieces of at most kTriplePiece per side. In a piece, layer k and row j are broadcast against
/// vectors of columns i:
///
///     for k in layers, for j in rows (below k), for i in columns (below j), a vector at a time
///
/// i < j < k always, so the law sees every triple in one orientation. "Below" matters only where two ranges are equal:
/// faces, edges and corners of the tetrahedron of tiles. There the last vector of a row is masked.

#include "hwy/highway.h"
#include "sim/cpu/kernels/tile_common.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr u32 kTriplePiece = 32;

/// Calls kernel.accumulate(masked?, i vector, j, k, column, row, count) for the vectors of one piece, and
/// kernel.layer(k) at the end of each layer. column and row are relative to the piece's corner.
template <class Law, class Kernel, class D, class Real = hn::TFromD<D>>
HWY_INLINE void walk_triple_piece(D d, const Law& law, const BodyView<Real>& bodies, const TripleTile& t,
                                  Kernel& kernel) {
  const std::size_t lanes = hn::Lanes(d);
  for (u32 k = t.z0; k < t.z1; ++k) {
    const auto body_k = broadcast_body<Law>(d, bodies, k);
    const u32 rows_end = t.y0 == t.z0 ? k : t.y1;
    for (u32 j = t.y0; j < rows_end; ++j) {
      const auto body_j = broadcast_body<Law>(d, bodies, j);
      const std::size_t count = (t.x0 == t.y0 ? j : t.x1) - t.x0;
      std::size_t c = 0;
      for (; c + lanes <= count; c += lanes) {
        kernel.template accumulate<false>(law, load_bodies<Law>(d, bodies, t.x0 + c), body_j, body_k, c, j - t.y0,
                                          lanes);
      }
      if (c < count) {
        kernel.template accumulate<true>(law, load_bodies<Law>(d, bodies, t.x0 + c), body_j, body_k, c, j - t.y0,
                                         count - c);
      }
    }
    kernel.layer(k);
  }
}

/// Calls Kernel::piece(law, bodies, piece, sums) for every piece of a tile that contains triples.
template <class Kernel, class Law, class Real, class Sums>
void cut_triple_tile(const Law& law, const BodyView<Real>& bodies, const TripleTile& t, Sums& sums) {
  const auto end = [](u32 begin, u32 limit) { return limit - begin < kTriplePiece ? limit : begin + kTriplePiece; };
  for (u32 z = t.z0; z < t.z1; z += kTriplePiece) {
    const u32 z_end = end(z, t.z1);
    const u32 y_limit = t.y0 == t.z0 ? z_end : t.y1;
    for (u32 y = t.y0; y < y_limit; y += kTriplePiece) {
      const u32 y_end = end(y, y_limit);
      const u32 x_limit = t.x0 == t.y0 ? y_end : t.x1;
      for (u32 x = t.x0; x < x_limit; x += kTriplePiece) {
        Kernel::piece(law, bodies, TripleTile{x, end(x, x_limit), y, y_end, z, z_end}, sums);
      }
    }
  }
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
