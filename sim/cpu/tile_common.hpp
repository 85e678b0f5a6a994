
#if defined(TRI_CPU_SIMD_MATH_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_SIMD_MATH_HPP
#undef TRI_CPU_SIMD_MATH_HPP
#else
#define TRI_CPU_SIMD_MATH_HPP
#endif
/// What kernels of tiles share: SIMD arithmetic, dispatch by target, sums.
///
/// The SIMD counterpart of law_basics.hpp: the same names over Highway vectors, once per target. Only for sources
/// compiled through hwy/foreach_target.h.
///
/// Exact = true: IEEE 754 sqrt, division and multiply-add, so a lane's result depends on its inputs alone; targets that
/// fuse multiply-add (AVX2, AVX-512) agree in every bit; those without it (SSE4 and the scalar baseline) agree with
/// each other and differ from the former in the last bits.
/// Exact = false: float32 roots and reciprocals start from the processor's 12-bit estimate and take one Newton step,
/// for a relative error of about 2e-7. Float64 has an estimate in AVX-512 alone, of 14 bits: reciprocal roots take two
/// steps there and are right to the last two bits or so; 0 and infinity have what division gives.

#include "hwy/highway.h"
#include "sim/base/platform.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, bool kExactRoots>
struct SimdMath {
  using Real = hn::TFromD<D>;
  using Value = hn::Vec<D>;
  using Mask = hn::Mask<D>;
  static constexpr bool kApproximate = !kExactRoots && sizeof(Real) == 4 && HWY_TARGET != HWY_SCALAR;
  static constexpr bool kRefined = !kExactRoots && sizeof(Real) == 8 && sizeof(Value) == 64;

  static HWY_INLINE Value set(double v) { return hn::Set(D{}, static_cast<Real>(v)); }
  /// Never fused with an addition: sources are compiled with -ffp-contract=off, and Highway fuses only on request.
  static HWY_INLINE Value mul_rounded(Value a, Value b) { return hn::Mul(a, b); }
  static HWY_INLINE Value mul_add(Value a, Value b, Value c) { return hn::MulAdd(a, b, c); }
  static HWY_INLINE Value neg_mul_add(Value a, Value b, Value c) { return hn::NegMulAdd(a, b, c); }
  static HWY_INLINE Value sqrt(Value a) { return hn::Sqrt(a); }

  /// One Newton step towards 1 / sqrt(a).
  static HWY_INLINE Value rsqrt_step(Value a, Value y) {
    return hn::MulAdd(hn::Mul(y, set(0.5)), hn::NegMulAdd(hn::Mul(a, y), y, set(1.0)), y);
  }

  static HWY_INLINE Value rsqrt(Value a) {
    if constexpr (kApproximate) {
      return rsqrt_step(a, hn::ApproximateReciprocalSqrt(a));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    } else if constexpr (kRefined) {
      const Value estimate{_mm512_rsqrt14_pd(a.raw)}, y = rsqrt_step(a, rsqrt_step(a, estimate));
      return Value{_mm512_mask_mov_pd(y.raw, _mm512_fpclass_pd_mask(a.raw, 0x1e), estimate.raw)};
#endif
    } else {
      return hn::Div(set(1.0), hn::Sqrt(a));
    }
  }

  static HWY_INLINE Value rsqrt_cubed(Value a) {
    if constexpr (kApproximate) {
      // a^(-3/2) = y^3 (1 - e)^(-3/2) with e = 1 - a y^2, to first order as a step of Newton is.
      const Value y = hn::ApproximateReciprocalSqrt(a), y2 = hn::Mul(y, y);
      return hn::Mul(hn::Mul(y, y2), hn::MulAdd(hn::NegMulAdd(a, y2, set(1.0)), set(1.5), set(1.0)));
    } else {
      const Value inv = rsqrt(a);
      return hn::Mul(inv, hn::Mul(inv, inv));
    }
  }

  static HWY_INLINE Value reciprocal(Value a) {
    if constexpr (kApproximate) {
      const Value y = hn::ApproximateReciprocal(a);
      return hn::MulAdd(y, hn::NegMulAdd(a, y, set(1.0)), y);
    } else {
      return hn::Div(set(1.0), a);
    }
  }

  static HWY_INLINE Mask less(Value a, Value b) { return hn::Lt(a, b); }
  static HWY_INLINE Mask less_equal(Value a, Value b) { return hn::Le(a, b); }
  static HWY_INLINE Value select(Mask m, Value yes, Value no) { return hn::IfThenElse(m, yes, no); }
  static HWY_INLINE Value only_if(Mask m, Value v) { return hn::IfThenElseZero(m, v); }
  static HWY_INLINE Value min(Value a, Value b) { return hn::IfThenElse(hn::Lt(a, b), a, b); }
  static HWY_INLINE Value max(Value a, Value b) { return hn::IfThenElse(hn::Lt(a, b), b, a); }
};

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// No include guard: foreach_target.h compiles a kernel's file once for each SIMD target, and each pass includes this.
//
// A file defines its work for one target, `void NAME_REAL(law, bodies, tile, sums)`, by Kernel::run() for the functor
// that VISIT finds, with
//
//     TRI_TARGET_KERNEL(name, float, ForceField, PairTile, FastSums, law_space::visit_pair_law, Kernel<float>)
//
// inside tri::cpu::HWY_NAMESPACE, and after it, once for all targets, the add_tile() that calls the best one, with
//
//     TRI_DISPATCH_KERNEL(name, float, ForceField, PairTile, FastSums)
//
// TRI_TARGET_SUMS and TRI_DISPATCH_SUMS do both for either precision and accumulation.

#undef TRI_TARGET_KERNEL
#define TRI_TARGET_KERNEL(name, Real, Law, Tile, Sums, visit, ...) \
  void name##_##Real(const Law& given, const BodyView<Real>& bodies, const Tile& tile, Sums& sums) { \
    visit<Real>(given, [&](const auto& law) { __VA_ARGS__::run(law, bodies, tile, sums); }); \
  }

#undef TRI_DISPATCH_KERNEL
#if HWY_ONCE
#define TRI_DISPATCH_KERNEL(name, Real, Law, Tile, Sums) \
  namespace tri::cpu { \
  HWY_EXPORT(name##_##Real); \
  void add_tile(const Law& law, const BodyView<Real>& bodies, const Tile& tile, Sums& sums) { \
    HWY_DYNAMIC_DISPATCH(name##_##Real)(law, bodies, tile, sums); \
  } \
  }
#else
#define TRI_DISPATCH_KERNEL(name, Real, Law, Tile, Sums)
#endif

#undef TRI_TARGET_SUMS
#define TRI_TARGET_SUMS(name, Law, Tile, visit, Kernel) \
  TRI_TARGET_KERNEL(name##_fast, float, Law, Tile, FastSums, visit, Kernel<FastParts<float>>) \
  TRI_TARGET_KERNEL(name##_fast, double, Law, Tile, FastSums, visit, Kernel<FastParts<double>>) \
  TRI_TARGET_KERNEL(name##_ordered, float, Law, Tile, OrderedSums, visit, Kernel<OrderedParts<float>>) \
  TRI_TARGET_KERNEL(name##_ordered, double, Law, Tile, OrderedSums, visit, Kernel<OrderedParts<double>>)

#undef TRI_DISPATCH_SUMS
#define TRI_DISPATCH_SUMS(name, Law, Tile) \
  TRI_DISPATCH_KERNEL(name##_fast, float, Law, Tile, FastSums) \
  TRI_DISPATCH_KERNEL(name##_fast, double, Law, Tile, FastSums) \
  TRI_DISPATCH_KERNEL(name##_ordered, float, Law, Tile, OrderedSums) \
  TRI_DISPATCH_KERNEL(name##_ordered, double, Law, Tile, OrderedSums)

#if defined(TRI_CPU_TILE_COMMON_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_TILE_COMMON_HPP
#undef TRI_CPU_TILE_COMMON_HPP
#else
#define TRI_CPU_TILE_COMMON_HPP
#endif
/// Shared by all pair and triple kernels, once per SIMD target: filling a law's Body with vectors, and cutting tiles of
/// pairs.

#include "hwy/highway.h"

#include "sim/cpu/kernels.hpp"

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

#if defined(TRI_CPU_ACCUMULATION_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_ACCUMULATION_HPP
#undef TRI_CPU_ACCUMULATION_HPP
#else
#define TRI_CPU_ACCUMULATION_HPP
#endif
/// The two accumulations as the force kernels use them, once per SIMD target: the vectors V of the terms and VSum of
/// their sums, the arithmetic of the law, and how a term becomes part of a sum.

#include <algorithm>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE auto lane_sum(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

#if HWY_TARGET != HWY_SCALAR
/// Adds the blocks of 16 bytes of a vector.
template <class D>
HWY_INLINE auto block_sum(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(d) * sizeof(hn::TFromD<D>) <= 16) {
    return v;
  } else {
    const hn::Half<D> half;
    return block_sum(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

/// Floating-point sums, and approximate roots.
template <class Real>
struct FastParts {
  using Sums = FastSums;
  using Total = double;
  using D = hn::ScalableTag<Real>;
  using DSum = D;
  using V = hn::Vec<D>;
  using VSum = V;
  using Math = SimdMath<D, false>;
  /// Rows of a pair tile at once: more amortise the column's traffic; 16 registers (32 in AVX-512) bound them.
  static constexpr u32 kRows = HWY_TARGET == HWY_AVX3 ? 4 : 2;

  /// Whether the products of a law's strength with the distance may fuse into the sums.
  static constexpr bool kFuses = true;

  explicit HWY_INLINE FastParts(const Sums& /*sums*/) {}

  HWY_INLINE VSum part(V v) const { return v; }
  /// Two contributions that are added as part().
  HWY_INLINE void meet(V /*a*/, V /*b*/) {}

  /// Adds one component of a pair's term to the row and its opposite to the column, times the other body's mass if the
  /// sums are accelerations.
  template <bool kAcceleration>
  HWY_INLINE void add_pair(V f, V row_mass, V column_mass, VSum& row, VSum& column) {
    if constexpr (kAcceleration) {
      row = hn::MulAdd(f, column_mass, row);
      column = hn::NegMulAdd(f, row_mass, column);
    } else {
      row = hn::Add(row, f);
      column = hn::Sub(column, f);
    }
  }

  /// Adds sums of columns of a tile to those of their bodies.
  static HWY_INLINE void add_columns(const Real* from, std::size_t count, double* to) {
    std::size_t c = 0;
    if constexpr (sizeof(Real) == 4) {
      const hn::ScalableTag<double> d;
      const hn::Rebind<float, decltype(d)> narrow;
      for (; c + hn::Lanes(d) <= count; c += hn::Lanes(d)) {
        hn::StoreU(hn::Add(hn::LoadU(d, to + c), hn::PromoteTo(d, hn::LoadU(narrow, from + c))), d, to + c);
      }
    }
    for (; c < count; ++c) to[c] += static_cast<double>(from[c]);
  }

  /// Adds the sum of each vector's lanes to those of neighbouring rows.
  template <std::size_t kCount>
  static HWY_INLINE void add_rows(const VSum (&lanes)[kCount], double* to) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (kCount == 4 && sizeof(Real) == 4) {
      // The four sums of every four lanes beside each other, and then those of all.
      const D d;
      const hn::Repartition<double, D> twos;
      const V low = hn::Add(hn::InterleaveLower(d, lanes[0], lanes[1]), hn::InterleaveUpper(d, lanes[0], lanes[1]));
      const V high = hn::Add(hn::InterleaveLower(d, lanes[2], lanes[3]), hn::InterleaveUpper(d, lanes[2], lanes[3]));
      const auto low2 = hn::BitCast(twos, low), high2 = hn::BitCast(twos, high);
      const V sums = hn::Add(hn::BitCast(d, hn::InterleaveLower(twos, low2, high2)),
                             hn::BitCast(d, hn::InterleaveUpper(twos, low2, high2)));
      alignas(16) float four[4];
      hn::Store(block_sum(d, sums), hn::FixedTag<float, 4>{}, four);
      for (std::size_t r = 0; r < 4; ++r) to[r] += static_cast<double>(four[r]);
      return;
    }
#endif
    for (std::size_t r = 0; r < kCount; ++r) to[r] += static_cast<double>(lane_sum(D{}, lanes[r]));
  }

  HWY_INLINE void finish(Sums& /*sums*/) const {}
};

/// Sums of 64-bit fixed-point numbers, and IEEE roots.
///
/// Integer addition has no rounding, so the sum of a body does not depend on the order of its terms. Each term depends
/// on its pair or triple alone: the larger index is always the same body of the law, every lane does the same IEEE
/// operations, and the term is rounded to the common quantum before it is added. It makes no difference whether it is
/// computed in a full vector, a masked one or a tile of one pair: the sums are bit-equal over maps, tile sides, threads
/// and runs.
///
/// Targets: AVX2 and AVX-512 both fuse multiply-add and agree in every bit. SSE4 and the scalar baseline have no fused
/// multiply-add: they agree with each other, but differ from AVX2 in the last bits of a term.
///
/// No target below AVX-512 converts float64 to int64, so part() adds 1.5 * 2^52 to v * scale: in that range float64 has
/// steps of exactly 1, the low bits are the rounded integer (ties to even), and subtracting the bits of 1.5 * 2^52 as
/// integers leaves it, for |v * scale| < 2^51. scale is a power of two, so the product is exact and a fused
/// multiply-add gives the same bits as a separate one.
///
/// The lane count is that of float64, because the sums are 64 bits wide; float32 terms use half a register.
template <class Real>
struct OrderedParts {
  using Sums = OrderedSums;
  using Total = Wide;
  using DWide = hn::ScalableTag<double>;
  using DSum = hn::RebindToSigned<DWide>;
  using D = hn::Rebind<Real, DWide>;
  using DBits = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  using VSum = hn::Vec<DSum>;
  using Math = SimdMath<D, true>;
  static constexpr u32 kRows = 1;
  static constexpr bool kFuses = false;

  hn::Vec<DWide> scale;
  hn::Vec<DBits> largest;  ///< the bits of |v|, which order like the numbers, with infinity and NaN above all of them

  explicit HWY_INLINE OrderedParts(const Sums& sums)
      : scale(hn::Set(DWide{}, sums.scale)), largest(hn::Zero(DBits{})) {}

  static HWY_INLINE hn::Vec<DWide> widen(V v) {
    if constexpr (sizeof(Real) == 4) {
      return hn::PromoteTo(DWide{}, v);
    } else {
      return v;
    }
  }

  HWY_INLINE VSum part(V v) const {
    const auto magic = hn::Set(DWide{}, 6755399441055744.0);
    const auto shifted = hn::MulAdd(widen(v), scale, magic);
    return hn::Sub(hn::BitCast(DSum{}, shifted), hn::BitCast(DSum{}, magic));
  }

  static HWY_INLINE hn::Vec<DBits> magnitude(V v) { return hn::BitCast(DBits{}, hn::Abs(v)); }
  HWY_INLINE void meet(V a, V b) { largest = hn::Max(largest, hn::Max(magnitude(a), magnitude(b))); }

  template <bool kAcceleration>
  HWY_INLINE void add_pair(V f, V row_mass, V column_mass, VSum& row, VSum& column) {
    if constexpr (kAcceleration) {
      const V on_row = hn::Mul(f, column_mass), on_column = hn::Mul(f, row_mass);
      row = hn::Add(row, part(on_row));
      column = hn::Sub(column, part(on_column));
      meet(on_row, on_column);
    } else {
      const VSum term = part(f);
      row = hn::Add(row, term);
      column = hn::Sub(column, term);
      largest = hn::Max(largest, magnitude(f));
    }
  }

  static HWY_INLINE void add_columns(const i64* from, std::size_t count, Wide* to) {
    for (std::size_t c = 0; c < count; ++c) to[c] += static_cast<Wide>(from[c]);
  }

  template <std::size_t kCount>
  static HWY_INLINE void add_rows(const VSum (&lanes)[kCount], Wide* to) {
    for (std::size_t r = 0; r < kCount; ++r) to[r] += static_cast<Wide>(lane_sum(DSum{}, lanes[r]));
  }

  HWY_INLINE void finish(Sums& sums) const {
    hn::TFromD<DBits> lanes[16];
    hn::StoreU(largest, DBits{}, lanes);
    for (std::size_t lane = 0; lane < hn::Lanes(DBits{}); ++lane) {
      sums.largest = std::max(sums.largest, static_cast<u64>(lanes[lane]));
    }
  }
};

}  // namespace tri::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
