#pragma once
/// The only file that tests which compiler is running. All other code is written once for g++ and for both passes of
/// nvcc; whatever differs between host and device (attributes, float operations with pinned rounding) is named here.

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define TRI_HD __host__ __device__
#define TRI_INLINE __forceinline__
#else
#define TRI_HD
#define TRI_INLINE inline __attribute__((always_inline))
#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
#define TRI_ASSOC_BARRIER
#endif
#endif
#endif

namespace tri {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// Operations whose rounding does not depend on -fmad, -ffp-contract or -use_fast_math. The historical maps use them,
/// so that host and device fail at the same index.
namespace rounded {

TRI_HD TRI_INLINE float add(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

TRI_HD TRI_INLINE float mul(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#elif defined(TRI_ASSOC_BARRIER)
  return __builtin_assoc_barrier(a * b);  // g++ contracts a*b + c by default on hosts with FMA
#else
  return a * b;
#endif
}

TRI_HD TRI_INLINE double mul(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// a*b + c, rounded once.
TRI_HD TRI_INLINE float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  return std::fmaf(a, b, c);
#endif
}

TRI_HD TRI_INLINE float sqrt(float a) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(a);
#else
  return std::sqrt(a);
#endif
}

/// Reciprocal square root: the device's approximation (2 ulp); on the host two correctly rounded operations.
TRI_HD TRI_INLINE float rsqrt(float a) {
#if defined(__CUDA_ARCH__)
  return ::rsqrtf(a);
#else
  return 1.0f / std::sqrt(a);
#endif
}

}  // namespace rounded

/// Reinterprets 32 bits (for the Newton seed of the historical lambda-n map).
TRI_HD TRI_INLINE u32 float_bits(float a) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(a);
#else
  return __builtin_bit_cast(u32, a);
#endif
}

TRI_HD TRI_INLINE float float_from_bits(u32 a) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(a);
#else
  return __builtin_bit_cast(float, a);
#endif
}

/// floor(log2(v)) for v > 0.
TRI_HD TRI_INLINE u32 floor_log2(u32 v) {
#if defined(__CUDA_ARCH__)
  return 31u - static_cast<u32>(__clz(static_cast<int>(v)));
#else
  return 31u - static_cast<u32>(__builtin_clz(v));
#endif
}

}  // namespace tri
