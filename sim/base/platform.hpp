#pragma once
/// The only file that tests which compiler is running. All other code is written once for the host and the device
/// passes of nvcc, NVRTC, clang (CUDA and HIP) and the compilers of SYCL, and for g++, clang and MSVC; whatever differs
/// (attributes, float operations with pinned rounding) is named here.

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 202002L
#error "Triangulum's headers are C++20: compile with -std=c++20 (nvcc and NVRTC: -std=c++20; MSVC: /std:c++20)."
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__clang__) && (defined(__CUDA__) || defined(__HIP__))
#define TRI_HD __attribute__((host)) __attribute__((device))
#define TRI_INLINE inline __attribute__((always_inline))
#elif defined(__CUDACC__)
#define TRI_HD __host__ __device__
#define TRI_INLINE __forceinline__
#elif defined(_MSC_VER) && !defined(__clang__)
#define TRI_HD
#define TRI_INLINE __forceinline
#else
#define TRI_HD
#define TRI_INLINE inline __attribute__((always_inline))
#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
#define TRI_ASSOC_BARRIER
#endif
#endif
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <bit>
#define TRI_NOT_REACHED() __assume(0)
#define TRI_LEADING_ZEROS(v) std::countl_zero(v)
#else
#define TRI_NOT_REACHED() __builtin_unreachable()
#define TRI_LEADING_ZEROS(v) __builtin_clz(v)
#endif
// clang joins a * b + c across statements for devices, and where -ffast-math says so.
#if defined(__clang__)
#define TRI_SEPARATE_ROUNDING _Pragma("clang fp contract(off)")
#else
#define TRI_SEPARATE_ROUNDING
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
  TRI_SEPARATE_ROUNDING
  return a + b;
#endif
}

TRI_HD TRI_INLINE float mul(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(a, b);
#elif defined(TRI_ASSOC_BARRIER)
  return __builtin_assoc_barrier(a * b);  // g++ contracts a*b + c by default on hosts with FMA
#else
  TRI_SEPARATE_ROUNDING
  return a * b;
#endif
}

TRI_HD TRI_INLINE double mul(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  TRI_SEPARATE_ROUNDING
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
  return 31u - static_cast<u32>(TRI_LEADING_ZEROS(v));
#endif
}

}  // namespace tri
