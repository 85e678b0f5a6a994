#if defined(TRI_CPU_SIMD_MATH_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRI_CPU_SIMD_MATH_HPP
#undef TRI_CPU_SIMD_MATH_HPP
#else
#define TRI_CPU_SIMD_MATH_HPP
#endif
/// The SIMD counterpart of laws/scalar_math.hpp: the same names over Highway vectors, once per target. Only for sources
/// compiled through hwy/foreach_target.h.
///
/// Exact = true: IEEE 754 sqrt, division and multiply-add, so a lane's result depends on its inputs alone; targets that
/// fuse multiply-add (AVX2, AVX-512) agree in every bit; those without it (SSE4 and the scalar baseline) agree with
/// each other and differ from the former in the last bits.
/// Exact = false: float32 roots and reciprocals start from the processor's 12-bit estimate and take one Newton step,
/// for a relative error of about 2e-7. Float64 has no such estimate below AVX-512 and stays exact.

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

  static HWY_INLINE Value set(double v) { return hn::Set(D{}, static_cast<Real>(v)); }
  /// Never fused with an addition: sources are compiled with -ffp-contract=off, and Highway fuses only on request.
  static HWY_INLINE Value mul_rounded(Value a, Value b) { return hn::Mul(a, b); }
  static HWY_INLINE Value mul_add(Value a, Value b, Value c) { return hn::MulAdd(a, b, c); }
  static HWY_INLINE Value neg_mul_add(Value a, Value b, Value c) { return hn::NegMulAdd(a, b, c); }
  static HWY_INLINE Value sqrt(Value a) { return hn::Sqrt(a); }

  static HWY_INLINE Value rsqrt(Value a) {
    if constexpr (kApproximate) {
      const Value y = hn::ApproximateReciprocalSqrt(a);
      const Value error = hn::NegMulAdd(hn::Mul(a, y), y, set(1.0));  // 1 - a y^2
      return hn::MulAdd(hn::Mul(y, set(0.5)), error, y);
    } else {
      return hn::Div(set(1.0), hn::Sqrt(a));
    }
  }

  static HWY_INLINE Value rsqrt_cubed(Value a) {
    const Value inv = rsqrt(a);
    return hn::Mul(inv, hn::Mul(inv, inv));
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
