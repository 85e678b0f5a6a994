// Pair tiles with fixed-point sums: bit-equal over maps, tile sides, threads and runs.
//
// Integer addition has no rounding, so the sum of a body does not depend on the order of its terms. Each term depends
// on its pair alone: the larger index is always body i of the law, every lane does the same IEEE operations
// (SimdMath<D, true>), and the term is rounded to the common quantum before it is added. It makes no difference whether
// a pair is computed in a full vector, a masked one or a tile of 1 x 1.
//
// Targets: AVX2 and AVX-512 both fuse multiply-add and agree in every bit. SSE4 and the scalar baseline have no fused
// multiply-add: they agree with each other, but differ from AVX2 in the last bits of a term.
//
// The lane count is that of float64, because the sums are 64 bits wide; float32 terms use half a register.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cpu/kernels/pair_ordered.cpp"
#include "hwy/foreach_target.h"
//
#include "hwy/highway.h"
#include "sim/cpu/kernels/fixed_point.hpp"
#include "sim/cpu/kernels/simd_math.hpp"
#include "sim/cpu/kernels/tile_common.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace {

struct ColumnSums {
  alignas(64) i64 x[kPairPiece + 16];
  alignas(64) i64 y[kPairPiece + 16];
  alignas(64) i64 z[kPairPiece + 16];
};

template <class Real>
struct OrderedTile {
  using F = FixedPoint<Real>;
  using D = typename F::D;
  using DInt = typename F::DInt;
  using V = typename F::V;
  using VInt = typename F::VInt;
  using VBits = typename F::VBits;

  struct Sum3 {
    VInt x, y, z;
  };

  /// One component for the row and the column: both weighted, rounded and added; `largest` tracks the maximum.
  template <bool kAcceleration>
  static HWY_INLINE void add(const F& fixed, V f, V row_mass, V column_mass, VInt& row, VInt& column, VBits& largest) {
    if constexpr (kAcceleration) {
      const V on_row = hn::Mul(f, column_mass), on_column = hn::Mul(f, row_mass);
      row = hn::Add(row, fixed(on_row));
      column = hn::Sub(column, fixed(on_column));
      largest = hn::Max(largest, hn::Max(F::magnitude_bits(on_row), F::magnitude_bits(on_column)));
    } else {
      const VInt term = fixed(f);
      row = hn::Add(row, term);
      column = hn::Sub(column, term);
      largest = hn::Max(largest, F::magnitude_bits(f));
    }
  }

  template <bool kMasked, class Law>
  static HWY_INLINE void accumulate(const Law& law, const F& fixed, const law_space::Body<V>& row,
                                    const law_space::Body<V>& column, std::size_t count, Sum3& sums,
                                    ColumnSums& columns, std::size_t c, VBits& largest) {
    const DInt di;
    auto term = law(SimdMath<D, true>{}, row, column);
    if constexpr (kMasked) {
      const auto mask = hn::FirstN(D{}, count);
      term.fx = hn::IfThenElseZero(mask, term.fx);
      term.fy = hn::IfThenElseZero(mask, term.fy);
      term.fz = hn::IfThenElseZero(mask, term.fz);
    }
    constexpr bool kAcceleration = Law::kSums == laws::Sums::acceleration;
    VInt cx = hn::Load(di, columns.x + c), cy = hn::Load(di, columns.y + c), cz = hn::Load(di, columns.z + c);
    V row_mass = term.fx, column_mass = term.fx;  // used only under kAcceleration
    if constexpr (kAcceleration) {
      row_mass = row.m;
      column_mass = column.m;
      // A masked lane may hold any mass, and 0 * NaN is not 0.
      if constexpr (kMasked) column_mass = hn::IfThenElseZero(hn::FirstN(D{}, count), column_mass);
    }
    add<kAcceleration>(fixed, term.fx, row_mass, column_mass, sums.x, cx, largest);
    add<kAcceleration>(fixed, term.fy, row_mass, column_mass, sums.y, cy, largest);
    add<kAcceleration>(fixed, term.fz, row_mass, column_mass, sums.z, cz, largest);
    hn::Store(cx, di, columns.x + c);
    hn::Store(cy, di, columns.y + c);
    hn::Store(cz, di, columns.z + c);
  }

  template <class Law>
  static HWY_INLINE void sweep(const Law& law, const F& fixed, const BodyView<Real>& bodies, u32 row, u32 col0,
                               std::size_t count, ColumnSums& columns, OrderedSums& out, VBits& largest) {
    const D d;
    const DInt di;
    const std::size_t lanes = hn::Lanes(di);
    const auto one = broadcast_body<Law>(d, bodies, row);
    Sum3 sums{hn::Zero(di), hn::Zero(di), hn::Zero(di)};
    std::size_t c = 0;
    for (; c + lanes <= count; c += lanes) {
      accumulate<false>(law, fixed, one, load_bodies<Law>(d, bodies, col0 + c), lanes, sums, columns, c, largest);
    }
    if (c < count)
      accumulate<true>(law, fixed, one, load_bodies<Law>(d, bodies, col0 + c), count - c, sums, columns, c, largest);
    // At most kPairPiece terms of less than 2^51 each: no overflow before the wide sum.
    out.x[row] += hn::GetLane(hn::SumOfLanes(di, sums.x));
    out.y[row] += hn::GetLane(hn::SumOfLanes(di, sums.y));
    out.z[row] += hn::GetLane(hn::SumOfLanes(di, sums.z));
  }

  template <class Law>
  static void piece(const Law& law, const BodyView<Real>& bodies, const PairTile& t, OrderedSums& sums) {
    const DInt di;
    const typename F::DBits dbits;
    const F fixed(sums.scale);
    const u32 cols = t.col1 - t.col0;
    ColumnSums columns;
    for (std::size_t c = 0; c < cols; c += hn::Lanes(di)) {
      hn::Store(hn::Zero(di), di, columns.x + c);
      hn::Store(hn::Zero(di), di, columns.y + c);
      hn::Store(hn::Zero(di), di, columns.z + c);
    }
    VBits largest = hn::Zero(dbits);
    for (u32 row = t.row0; row < t.row1; ++row) {
      sweep(law, fixed, bodies, row, t.col0, t.diagonal ? row - t.col0 : cols, columns, sums, largest);
    }
    for (u32 c = 0; c < cols; ++c) {
      sums.x[t.col0 + c] += columns.x[c];
      sums.y[t.col0 + c] += columns.y[c];
      sums.z[t.col0 + c] += columns.z[c];
    }
    sums.largest = std::max(sums.largest, F::greatest(largest));
  }

  template <class Law>
  static void run(const Law& law, const BodyView<Real>& bodies, const PairTile& t, OrderedSums& sums) {
    cut_pair_tile<OrderedTile>(law, bodies, t, sums);
  }
};

}  // namespace

TRI_TARGET_KERNEL(pair_tile_ordered, float, PairTile, OrderedSums, visit_pair_law, OrderedTile<float>)
TRI_TARGET_KERNEL(pair_tile_ordered, double, PairTile, OrderedSums, visit_pair_law, OrderedTile<double>)

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

TRI_DISPATCH_KERNEL(pair_tile_ordered, float, PairTile, OrderedSums)
TRI_DISPATCH_KERNEL(pair_tile_ordered, double, PairTile, OrderedSums)
