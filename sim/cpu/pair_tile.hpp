
#if defined(TRI_CPU_PAIR_TILE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_PAIR_TILE_HPP
#undef TRI_CPU_PAIR_TILE_HPP
#else
#define TRI_CPU_PAIR_TILE_HPP
#endif
/// The forces of one tile of pairs in either accumulation, once per SIMD target.
///
/// Works on pieces of at most kPairPiece x kPairPiece bodies, so that the columns and their sums stay in L1 for every
/// tile side. kRows rows are broadcast and stay in registers; the columns are loaded as vectors:
///
///              columns, a vector at a time ->
///     row r    [ . . . . ][ . . . . ][ . . .|x]      row sums: one vector register a row and axis, added up at the end
///     row r+1  [ . . . . ][ . . . . ][ . . .|x]      column sums: the piece's own array, one load and store per vector
///
/// for all kRows rows. In a diagonal piece row r ends at column r - 1; the last vectors are masked there as at a ragged
/// end, and masked lanes contribute exactly 0 even where their arithmetic yields NaN.

#include "hwy/highway.h"
#include "sim/cpu/tile_common.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Parts: FastParts or OrderedParts.
template <class Parts>
class PairTileForces {
  using D = typename Parts::D;
  using DSum = typename Parts::DSum;
  using V = typename Parts::V;
  using VSum = typename Parts::VSum;
  using Total = typename Parts::Total;
  using Sums = typename Parts::Sums;
  using Real = hn::TFromD<D>;
  using Body = law_space::Body<V>;

 public:
  template <class Law>
  static void run(const Law& law, const BodyView<Real>& bodies, const PairTile& t, Sums& sums) {
    cut_pair_tile<PairTileForces>(law, bodies, t, sums);
  }

  template <class Law>
  static void piece(const Law& law, const BodyView<Real>& bodies, const PairTile& t, Sums& sums) {
    const u32 cols = t.col1 - t.col0;
    Parts parts(sums);
    Columns columns(cols);
    const std::size_t grow = t.diagonal ? 1 : 0;
    u32 row = t.row0;
    for (; row + Parts::kRows <= t.row1; row += Parts::kRows) {
      sweep<Parts::kRows>(law, parts, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, grow, columns, sums);
    }
    if constexpr (Parts::kRows > 1) {
      for (; row < t.row1; ++row) {
        sweep<1>(law, parts, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, grow, columns, sums);
      }
    }
    for (u32 axis = 0; axis < 3; ++axis) {
      for (u32 c = 0; c < cols; ++c) sums.axis[axis][t.col0 + c] += static_cast<Total>(columns.axis[axis][c]);
    }
    parts.finish(sums);
  }

 private:
  using Columns = ColumnSums<DSum, 3>;

  struct Sum3 {
    VSum x, y, z;
  };

  /// One vector of columns against kRows rows. kMasked: only the first `limit + r * grow - c` lanes of row r count.
  template <bool kMasked, u32 kRows, class Law>
  static HWY_INLINE void accumulate(const Law& law, Parts& parts, const Body (&rows)[kRows], const Body& column,
                                    std::size_t c, std::size_t limit, std::size_t grow, Sum3 (&sums)[kRows],
                                    Columns& columns) {
    constexpr bool kAcceleration = Law::kSums == laws::Sums::acceleration;
    const DSum d;
    VSum cx = hn::Load(d, columns.axis[0] + c), cy = hn::Load(d, columns.axis[1] + c);
    VSum cz = hn::Load(d, columns.axis[2] + c);
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      auto term = law(typename Parts::Math{}, rows[r], column);
      V row_mass = term.fx, column_mass = term.fx;  // used only under kAcceleration
      if constexpr (kAcceleration) row_mass = rows[r].m, column_mass = column.m;
      if constexpr (kMasked) {
        const std::size_t end = limit + r * grow;
        const auto mask = hn::FirstN(D{}, end > c ? end - c : 0);
        term.fx = hn::IfThenElseZero(mask, term.fx);
        term.fy = hn::IfThenElseZero(mask, term.fy);
        term.fz = hn::IfThenElseZero(mask, term.fz);
        // A masked lane may hold any mass, and 0 * NaN is not 0.
        column_mass = hn::IfThenElseZero(mask, column_mass);
      }
      parts.template add_pair<kAcceleration>(term.fx, row_mass, column_mass, sums[r].x, cx);
      parts.template add_pair<kAcceleration>(term.fy, row_mass, column_mass, sums[r].y, cy);
      parts.template add_pair<kAcceleration>(term.fz, row_mass, column_mass, sums[r].z, cz);
    }
    hn::Store(cx, d, columns.axis[0] + c);
    hn::Store(cy, d, columns.axis[1] + c);
    hn::Store(cz, d, columns.axis[2] + c);
  }

  /// Rows row .. row + kRows - 1 against the columns from col0 on: `limit` of them for the first row, `grow` (0 or 1)
  /// more for each following row.
  template <u32 kRows, class Law>
  static HWY_INLINE void sweep(const Law& law, Parts& parts, const BodyView<Real>& bodies, u32 row, u32 col0,
                               std::size_t limit, std::size_t grow, Columns& columns, Sums& out) {
    const D d;
    const DSum ds;
    const std::size_t lanes = hn::Lanes(d);
    Body rows[kRows];
    Sum3 sums[kRows];
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      rows[r] = broadcast_body<Law>(d, bodies, row + r);
      sums[r] = {hn::Zero(ds), hn::Zero(ds), hn::Zero(ds)};
    }
    std::size_t c = 0;
    for (; c + lanes <= limit; c += lanes) {
      accumulate<false>(law, parts, rows, load_bodies<Law>(d, bodies, col0 + c), c, limit, grow, sums, columns);
    }
    for (const std::size_t end = limit + (kRows - 1) * grow; c < end; c += lanes) {
      accumulate<true>(law, parts, rows, load_bodies<Law>(d, bodies, col0 + c), c, limit, grow, sums, columns);
    }
    // In fixed point at most kPairPiece terms of less than 2^51 each: no overflow before the wide sum.
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      out.axis[0][row + r] += static_cast<Total>(lane_sum(ds, sums[r].x));
      out.axis[1][row + r] += static_cast<Total>(lane_sum(ds, sums[r].y));
      out.axis[2][row + r] += static_cast<Total>(lane_sum(ds, sums[r].z));
    }
  }
};

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
