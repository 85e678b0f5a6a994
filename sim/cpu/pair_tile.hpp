
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

#include <type_traits>

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
    const Term<Law> term(law);
    const std::size_t grow = t.diagonal ? 1 : 0;
    u32 row = t.row0;
    for (; row + Parts::kRows <= t.row1; row += Parts::kRows) {
      sweep<Parts::kRows>(term, parts, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, grow, columns, sums);
    }
    if constexpr (Parts::kRows > 1) {
      for (; row < t.row1; ++row) {
        sweep<1>(term, parts, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, grow, columns, sums);
      }
    }
    for (u32 axis = 0; axis < 3; ++axis) {
      Parts::add_columns(columns.axis[axis], cols, sums.axis[axis] + t.col0);
    }
    parts.finish(sums);
  }

 private:
  using Columns = ColumnSums<DSum, 3>;

  struct Sum3 {
    VSum x, y, z;
  };

  /// The law's term as a kernel takes it.
  template <class Law>
  struct TermOfLaw {
    explicit HWY_INLINE TermOfLaw(const Law& given) : law(given) {}

    HWY_INLINE Body weighed(const Body& body) const { return body; }

    /// mask, if any: of the lanes that count.
    template <class... Mask>
    HWY_INLINE void add(Parts& parts, const Body& row, const Body& column, Sum3& on_row, Sum3& on_column,
                        Mask... mask) const {
      constexpr bool kAcceleration = Law::kSums == laws::Sums::acceleration;
      const auto term = law(typename Parts::Math{}, row, column);
      V row_mass = term.fx, column_mass = term.fx;  // used only under kAcceleration
      // A masked lane may hold any mass, and 0 * NaN is not 0.
      if constexpr (kAcceleration) row_mass = row.m, column_mass = masked(column.m, mask...);
      const V fx = masked(term.fx, mask...), fy = masked(term.fy, mask...), fz = masked(term.fz, mask...);
      parts.template add_pair<kAcceleration>(fx, row_mass, column_mass, on_row.x, on_column.x);
      parts.template add_pair<kAcceleration>(fy, row_mass, column_mass, on_row.y, on_column.y);
      parts.template add_pair<kAcceleration>(fz, row_mass, column_mass, on_row.z, on_column.z);
    }

    Law law;
  };

  /// That of a law along the distance, whose products with it fuse into the sums. Its factor is in the masses.
  template <class Law>
  struct FusedTerm {
    explicit HWY_INLINE FusedTerm(const Law& given) : law(given), factor(hn::Set(D{}, law.extract_mass_factor())) {}

    HWY_INLINE Body weighed(Body body) const {
      body.m = hn::Mul(body.m, factor);
      return body;
    }

    template <class... Mask>
    HWY_INLINE void add(Parts&, const Body& row, const Body& column, Sum3& on_row, Sum3& on_column,
                        Mask... mask) const {
      const V dx = masked(hn::Sub(column.x, row.x), mask...), dy = masked(hn::Sub(column.y, row.y), mask...);
      const V dz = masked(hn::Sub(column.z, row.z), mask...);
      const V strength = law.strength(typename Parts::Math{}, dx, dy, dz);
      const V to_row = masked(hn::Mul(strength, column.m), mask...);
      const V to_column = masked(hn::Mul(strength, row.m), mask...);
      on_row.x = hn::MulAdd(to_row, dx, on_row.x), on_column.x = hn::NegMulAdd(to_column, dx, on_column.x);
      on_row.y = hn::MulAdd(to_row, dy, on_row.y), on_column.y = hn::NegMulAdd(to_column, dy, on_column.y);
      on_row.z = hn::MulAdd(to_row, dz, on_row.z), on_column.z = hn::NegMulAdd(to_column, dz, on_column.z);
    }

    Law law;
    V factor;
  };

  template <class Law>
  static constexpr bool kFuses = Parts::kFuses&& requires(Law law) {
    law.extract_mass_factor();
  };
  template <class Law>
  using Term = std::conditional_t<kFuses<Law>, FusedTerm<Law>, TermOfLaw<Law>>;

  static HWY_INLINE V masked(V v) { return v; }
  static HWY_INLINE V masked(V v, hn::Mask<D> mask) { return hn::IfThenElseZero(mask, v); }

  /// One vector of columns against kRows rows. kMasked: only the first `limit + r * grow - c` lanes of row r count.
  template <bool kMasked, u32 kRows, class AnyTerm>
  static HWY_INLINE void accumulate(const AnyTerm& term, Parts& parts, const Body (&rows)[kRows], const Body& column,
                                    std::size_t c, std::size_t limit, std::size_t grow, Sum3 (&sums)[kRows],
                                    Columns& columns) {
    const DSum d;
    Sum3 on_column{hn::Load(d, columns.axis[0] + c), hn::Load(d, columns.axis[1] + c),
                   hn::Load(d, columns.axis[2] + c)};
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      if constexpr (kMasked) {
        const std::size_t end = limit + r * grow;
        term.add(parts, rows[r], column, sums[r], on_column, hn::FirstN(D{}, end > c ? end - c : 0));
      } else {
        term.add(parts, rows[r], column, sums[r], on_column);
      }
    }
    hn::Store(on_column.x, d, columns.axis[0] + c);
    hn::Store(on_column.y, d, columns.axis[1] + c);
    hn::Store(on_column.z, d, columns.axis[2] + c);
  }

  /// Rows row .. row + kRows - 1 against the columns from col0 on: `limit` of them for the first row, `grow` (0 or 1)
  /// more for each following row.
  template <u32 kRows, template <class> class AnyTerm, class Law>
  static HWY_INLINE void sweep(const AnyTerm<Law>& term, Parts& parts, const BodyView<Real>& bodies, u32 row, u32 col0,
                               std::size_t limit, std::size_t grow, Columns& columns, Sums& out) {
    const D d;
    const DSum ds;
    const std::size_t lanes = hn::Lanes(d);
    Body rows[kRows];
    Sum3 sums[kRows];
#pragma GCC unroll 4
    for (u32 r = 0; r < kRows; ++r) {
      rows[r] = term.weighed(broadcast_body<Law>(d, bodies, row + r));
      sums[r] = {hn::Zero(ds), hn::Zero(ds), hn::Zero(ds)};
    }
    std::size_t c = 0;
    for (; c + lanes <= limit; c += lanes) {
      const Body column = term.weighed(load_bodies<Law>(d, bodies, col0 + c));
      accumulate<false>(term, parts, rows, column, c, limit, grow, sums, columns);
    }
    for (const std::size_t end = limit + (kRows - 1) * grow; c < end; c += lanes) {
      const Body column = term.weighed(load_bodies<Law>(d, bodies, col0 + c));
      accumulate<true>(term, parts, rows, column, c, limit, grow, sums, columns);
    }
    // In fixed point at most kPairPiece terms of less than 2^51 each: no overflow before the wide sum.
    const auto add = [&](u32 axis, VSum Sum3::*of) HWY_ATTR {
      VSum of_rows[kRows];
#pragma GCC unroll 4
      for (u32 r = 0; r < kRows; ++r) of_rows[r] = sums[r].*of;
      Parts::add_rows(of_rows, out.axis[axis] + row);
    };
    add(0, &Sum3::x), add(1, &Sum3::y), add(2, &Sum3::z);
  }
};

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
