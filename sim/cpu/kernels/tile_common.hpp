#if defined(TRI_CPU_TILE_COMMON_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_TILE_COMMON_HPP
#undef TRI_CPU_TILE_COMMON_HPP
#else
#define TRI_CPU_TILE_COMMON_HPP
#endif
/// Shared by all pair and triple kernels, once per SIMD target: filling a law's Body with vectors, and cutting tiles of
/// pairs.

#include "hwy/highway.h"
#include "sim/cpu/kernels/dispatch.hpp"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/laws/visit_law.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace law_space = tri::laws::HWY_NAMESPACE;

/// N bodies from `index` on, one per lane. Loads only what the law uses; the rest stays uninitialized.
template <class Law, class D, class Real = hn::TFromD<D>>
HWY_INLINE law_space::Body<hn::Vec<D>> load_bodies(D d, const BodyView<Real>& b, std::size_t index) {
  law_space::Body<hn::Vec<D>> body;
  body.x = hn::LoadU(d, b.x + index);
  body.y = hn::LoadU(d, b.y + index);
  body.z = hn::LoadU(d, b.z + index);
  if constexpr ((Law::kUses & laws::kMass) != 0) body.m = hn::LoadU(d, b.m + index);
  if constexpr ((Law::kUses & laws::kRadius) != 0) body.r = hn::LoadU(d, b.r + index);
  if constexpr ((Law::kUses & laws::kVelocity) != 0) {
    body.vx = hn::LoadU(d, b.vx + index);
    body.vy = hn::LoadU(d, b.vy + index);
    body.vz = hn::LoadU(d, b.vz + index);
  }
  if constexpr ((Law::kUses & laws::kCharge) != 0) body.q = b.q == nullptr ? hn::Zero(d) : hn::LoadU(d, b.q + index);
  return body;
}

/// One body in every lane.
template <class Law, class D, class Real = hn::TFromD<D>>
HWY_INLINE law_space::Body<hn::Vec<D>> broadcast_body(D d, const BodyView<Real>& b, std::size_t index) {
  law_space::Body<hn::Vec<D>> body;
  body.x = hn::Set(d, b.x[index]);
  body.y = hn::Set(d, b.y[index]);
  body.z = hn::Set(d, b.z[index]);
  if constexpr ((Law::kUses & laws::kMass) != 0) body.m = hn::Set(d, b.m[index]);
  if constexpr ((Law::kUses & laws::kRadius) != 0) body.r = hn::Set(d, b.r[index]);
  if constexpr ((Law::kUses & laws::kVelocity) != 0) {
    body.vx = hn::Set(d, b.vx[index]);
    body.vy = hn::Set(d, b.vy[index]);
    body.vz = hn::Set(d, b.vz[index]);
  }
  if constexpr ((Law::kUses & laws::kCharge) != 0) body.q = b.q == nullptr ? hn::Zero(d) : hn::Set(d, b.q[index]);
  return body;
}

/// Side of the pieces of a tile: columns and their sums stay in L1 for every tile side.
inline constexpr u32 kPairPiece = 256;

/// Column sums of a piece: kAxes sums a column, one vector longer than the piece, for the lanes past a ragged end.
template <class DSum, u32 kAxes>
struct ColumnSums {
  alignas(64) hn::TFromD<DSum> axis[kAxes][kPairPiece + 16];

  /// Zeroes the part in use.
  explicit HWY_INLINE ColumnSums(u32 columns) {
    for (auto& sums : axis) {
      for (std::size_t c = 0; c < columns; c += hn::Lanes(DSum{})) hn::Store(hn::Zero(DSum{}), DSum{}, sums + c);
    }
  }
};

/// Calls Kernel::piece(law, bodies, piece, sums) for the pieces of a tile; of a diagonal tile, those on and below the
/// diagonal.
template <class Kernel, class Law, class Real, class Sums>
void cut_pair_tile(const Law& law, const BodyView<Real>& bodies, const PairTile& t, Sums& sums) {
  for (u32 row = t.row0; row < t.row1; row += kPairPiece) {
    const u32 row_end = t.row1 - row < kPairPiece ? t.row1 : row + kPairPiece;
    const u32 cols_end = t.diagonal ? row_end : t.col1;
    for (u32 col = t.col0; col < cols_end; col += kPairPiece) {
      const u32 col_end = cols_end - col < kPairPiece ? cols_end : col + kPairPiece;
      Kernel::piece(law, bodies, PairTile{row, row_end, col, col_end, t.diagonal && row == col}, sums);
    }
  }
}

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
