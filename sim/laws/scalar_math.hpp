#pragma once
/// The arithmetic of the laws, for one number at a time, on host and device.
/// The cpu backend has the same names over Highway vectors (sim/cpu/kernels/simd_math.hpp): set, mul_rounded, mul_add,
/// neg_mul_add, sqrt, rsqrt, rsqrt_cubed, reciprocal, less, less_equal, select, only_if, min, max, and + - * of two
/// values. Comparisons with a NaN are false. A law may use nothing else.

#include "sim/base/platform.hpp"

namespace tri::laws {

template <class Real>
struct ScalarMath {
  using Value = Real;
  using Mask = bool;

  static TRI_HD TRI_INLINE Real set(double v) { return static_cast<Real>(v); }
  /// a*b, rounded separately: never fused with a following sum.
  static TRI_HD TRI_INLINE Real mul_rounded(Real a, Real b) { return rounded::mul(a, b); }
  /// a*b + c; the compiler may fuse it.
  static TRI_HD TRI_INLINE Real mul_add(Real a, Real b, Real c) { return a * b + c; }
  /// c - a*b
  static TRI_HD TRI_INLINE Real neg_mul_add(Real a, Real b, Real c) { return c - a * b; }
  static TRI_HD TRI_INLINE Real sqrt(Real a) { return std::sqrt(a); }
  static TRI_HD TRI_INLINE Real rsqrt(Real a) { return Real(1) / std::sqrt(a); }
  /// a^(-3/2)
  static TRI_HD TRI_INLINE Real rsqrt_cubed(Real a) {
    const Real inv = rsqrt(a);
    return inv * (inv * inv);
  }
  static TRI_HD TRI_INLINE Real reciprocal(Real a) { return Real(1) / a; }
  static TRI_HD TRI_INLINE Mask less(Real a, Real b) { return a < b; }
  static TRI_HD TRI_INLINE Mask less_equal(Real a, Real b) { return a <= b; }
  static TRI_HD TRI_INLINE Real select(Mask m, Real yes, Real no) { return m ? yes : no; }
  /// v where m, else 0 (even if v is NaN).
  static TRI_HD TRI_INLINE Real only_if(Mask m, Real v) { return m ? v : Real(0); }
  static TRI_HD TRI_INLINE Real min(Real a, Real b) { return a < b ? a : b; }
  static TRI_HD TRI_INLINE Real max(Real a, Real b) { return a < b ? b : a; }
};

}  // namespace tri::laws
