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
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/cpu/kernels/simd_math.hpp"

HWY_BEFORE_NAMESPACE();
namespace tri::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE auto lane_sum(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

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
