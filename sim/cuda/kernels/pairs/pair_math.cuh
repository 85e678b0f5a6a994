#pragma once
/// The arithmetic of laws (see sim/laws/scalar_math.hpp) with the device's own approximate roots and reciprocals.
///
/// float32: MUFU.RSQ and MUFU.RCP alone, relative error below 2^-22 (a subnormal argument counts as zero). float64: the
/// same units' 20-bit seeds and one step of third order, relative error about 2^-53. Both yield the same bits for the
/// same argument, always. For zero and infinity float64 yields NaN, not infinity and zero.

#include "sim/laws/scalar_math.hpp"

namespace tri::cuda {

template <class Real>
struct DeviceMath;

template <>
struct DeviceMath<float> : laws::ScalarMath<float> {
  static __device__ __forceinline__ float mul_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
  static __device__ __forceinline__ float neg_mul_add(float a, float b, float c) { return __fmaf_rn(-a, b, c); }
  static __device__ __forceinline__ float rsqrt(float a) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
    return y;
  }
  static __device__ __forceinline__ float rsqrt_cubed(float a) {
    const float y = rsqrt(a);
    return y * (y * y);
  }
  static __device__ __forceinline__ float reciprocal(float a) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
    return y;
  }
};

template <>
struct DeviceMath<double> : laws::ScalarMath<double> {
  static __device__ __forceinline__ double mul_add(double a, double b, double c) { return __fma_rn(a, b, c); }
  static __device__ __forceinline__ double neg_mul_add(double a, double b, double c) { return __fma_rn(-a, b, c); }
  static __device__ __forceinline__ double rsqrt(double a) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    // With e = 1 - a y^2: 1/sqrt(a) = y (1 - e)^(-1/2) = y (1 + e/2 + 3 e^2/8 + ...), and |e| < 2^-18.
    const double e = __fma_rn(-a, y * y, 1.0);
    return __fma_rn(__fma_rn(e, 0.375, 0.5), e * y, y);
  }
  static __device__ __forceinline__ double rsqrt_cubed(double a) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    // As above, (1 - e)^(-3/2) = 1 + 3 e/2 + 15 e^2/8 + ...: an operation less than the cube of the root.
    const double square = y * y, e = __fma_rn(-a, square, 1.0), cube = y * square;
    return __fma_rn(__fma_rn(e, 1.875, 1.5), e * cube, cube);
  }
  static __device__ __forceinline__ double reciprocal(double a) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    // 1/a = y / (1 - e) = y (1 + e + e^2 + ...)
    const double e = __fma_rn(-a, y, 1.0);
    return __fma_rn(__fma_rn(e, e, e), y, y);
  }
};

}  // namespace tri::cuda
