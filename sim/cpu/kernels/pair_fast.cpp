// Pair tiles with floating-point sums.
//
// Works on pieces of at most kPairPiece x kPairPiece bodies, so that the columns and their sums stay in L1 for every
// tile side. kRows rows are broadcast and stay in registers; the columns are loaded as vectors:
//
//              columns, a vector at a time ->
//     row r    [ . . . . ][ . . . . ][ . . .|x]      row sums: one vector register a row and axis, added up at the end
//     row r+1  [ . . . . ][ . . . . ][ . . .|x]      column sums: the piece's own array, one load and store per vector
//
// for all kRows rows. In a diagonal piece row r ends at column r - 1; the last vectors are masked there as at a ragged
// end, and masked lanes contribute exactly 0 even where their arithmetic yields NaN.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/pair_fast.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

template <class Real>
struct ColumnSums {
  // One vector longer than the piece, for the lanes past a ragged end. Only the part in use is zeroed.
  alignas(64) Real x[kPairPiece + 16];
  alignas(64) Real y[kPairPiece + 16];
  alignas(64) Real z[kPairPiece + 16];
};

template <class V>
struct Sum3 {
  V x, y, z;
};

/// One vector of columns against kRows rows. kMasked: only the first `limit + r * grow - c` lanes of row r count.
template <bool kMasked, u32 kRows, class Law, class D, class V = hn::Vec<D>>
HWY_INLINE void accumulate(D d, const Law& law, const law_space::Body<V> (&rows)[kRows],
                           const law_space::Body<V>& column, std::size_t c, std::size_t limit, std::size_t grow,
                           Sum3<V> (&sums)[kRows], ColumnSums<hn::TFromD<D>>& columns) {
  V cx = hn::Load(d, columns.x + c), cy = hn::Load(d, columns.y + c), cz = hn::Load(d, columns.z + c);
#pragma GCC unroll 4
  for (u32 r = 0; r < kRows; ++r) {
    auto term = law(SimdMath<D, false>{}, rows[r], column);
    if constexpr (kMasked) {
      const std::size_t end = limit + r * grow;
      const auto mask = hn::FirstN(d, end > c ? end - c : 0);
      term.fx = hn::IfThenElseZero(mask, term.fx);
      term.fy = hn::IfThenElseZero(mask, term.fy);
      term.fz = hn::IfThenElseZero(mask, term.fz);
    }
    if constexpr (Law::kSums == laws::Sums::acceleration) {
      sums[r].x = hn::MulAdd(term.fx, column.m, sums[r].x);
      sums[r].y = hn::MulAdd(term.fy, column.m, sums[r].y);
      sums[r].z = hn::MulAdd(term.fz, column.m, sums[r].z);
      cx = hn::NegMulAdd(term.fx, rows[r].m, cx);
      cy = hn::NegMulAdd(term.fy, rows[r].m, cy);
      cz = hn::NegMulAdd(term.fz, rows[r].m, cz);
    } else {
      sums[r].x = hn::Add(sums[r].x, term.fx);
      sums[r].y = hn::Add(sums[r].y, term.fy);
      sums[r].z = hn::Add(sums[r].z, term.fz);
      cx = hn::Sub(cx, term.fx);
      cy = hn::Sub(cy, term.fy);
      cz = hn::Sub(cz, term.fz);
    }
  }
  hn::Store(cx, d, columns.x + c);
  hn::Store(cy, d, columns.y + c);
  hn::Store(cz, d, columns.z + c);
}

/// Rows row .. row + kRows - 1 against the columns from col0 on: `limit` of them for the first row, `grow` (0 or 1)
/// more for each following row.
template <u32 kRows, class Law, class D, class Real = hn::TFromD<D>>
HWY_INLINE void sweep(D d, const Law& law, const BodyView<Real>& bodies, u32 row, u32 col0, std::size_t limit,
                      std::size_t grow, ColumnSums<Real>& columns, FastSums& out) {
  using V = hn::Vec<D>;
  const std::size_t lanes = hn::Lanes(d);
  law_space::Body<V> rows[kRows];
  Sum3<V> sums[kRows];
#pragma GCC unroll 4
  for (u32 r = 0; r < kRows; ++r) {
    rows[r] = broadcast_body<Law>(d, bodies, row + r);
    sums[r] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  }
  std::size_t c = 0;
  for (; c + lanes <= limit; c += lanes) {
    accumulate<false, kRows>(d, law, rows, load_bodies<Law>(d, bodies, col0 + c), c, limit, grow, sums, columns);
  }
  for (const std::size_t end = limit + (kRows - 1) * grow; c < end; c += lanes) {
    accumulate<true, kRows>(d, law, rows, load_bodies<Law>(d, bodies, col0 + c), c, limit, grow, sums, columns);
  }
#pragma GCC unroll 4
  for (u32 r = 0; r < kRows; ++r) {
    out.x[row + r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums[r].x)));
    out.y[row + r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums[r].y)));
    out.z[row + r] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums[r].z)));
  }
}

template <class Real>
struct FastTile {
  using D = hn::ScalableTag<Real>;
  /// More rows amortise the column's traffic; 16 registers (32 in AVX-512) bound them.
  static constexpr u32 kRows = HWY_TARGET == HWY_AVX3 ? 4 : 2;

  template <class Law>
  static void piece(const Law& law, const BodyView<Real>& bodies, const PairTile& t, FastSums& sums) {
    const D d;
    const u32 cols = t.col1 - t.col0;
    const std::size_t lanes = hn::Lanes(d);
    ColumnSums<Real> columns;
    for (std::size_t c = 0; c < cols; c += lanes) {
      hn::Store(hn::Zero(d), d, columns.x + c);
      hn::Store(hn::Zero(d), d, columns.y + c);
      hn::Store(hn::Zero(d), d, columns.z + c);
    }
    const std::size_t grow = t.diagonal ? 1 : 0;
    u32 row = t.row0;
    for (; row + kRows <= t.row1; row += kRows) {
      sweep<kRows>(d, law, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, grow, columns, sums);
    }
    for (; row < t.row1; ++row) {
      sweep<1>(d, law, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, grow, columns, sums);
    }
    for (u32 c = 0; c < cols; ++c) {
      sums.x[t.col0 + c] += static_cast<double>(columns.x[c]);
      sums.y[t.col0 + c] += static_cast<double>(columns.y[c]);
      sums.z[t.col0 + c] += static_cast<double>(columns.z[c]);
    }
  }

  template <class Law>
  static void run(const Law& law, const BodyView<Real>& bodies, const PairTile& t, FastSums& sums) {
    cut_pair_tile<FastTile>(law, bodies, t, sums);
  }
};

}  // namespace

TRI_TARGET_KERNEL(pair_tile_fast, float, PairTile, FastSums, visit_pair_law, FastTile<float>)
TRI_TARGET_KERNEL(pair_tile_fast, double, PairTile, FastSums, visit_pair_law, FastTile<double>)

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(pair_tile_fast, float, PairTile, FastSums)
TRI_DISPATCH_KERNEL(pair_tile_fast, double, PairTile, FastSums)

#if HWY_ONCE
namespace tri::cpu {
HWY_EXPORT(target_name);
const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }
}  // namespace tri::cpu
#endif
