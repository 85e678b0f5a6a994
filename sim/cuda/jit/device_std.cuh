#pragma once
/// What the text of run-time kernels uses of the standard library, for NVRTC, which has none: what maps use, and more.
/// The first part of that text (cmake/join_sources.cmake); no other compiler reads it.

#include "sim/cuda/jit/nvrtc_std.cuh"

// <nv/target>. The compiler is told the target (nvrtc.cpp).
#undef NV_IF_TARGET
#undef NV_IF_ELSE_TARGET
#undef NV_PROVIDES_SM_90
#define NV_PROVIDES_SM_90 (TRI_CAPABILITY >= 90)
#if NV_PROVIDES_SM_90
#define NV_IF_TARGET(condition, yes, ...) TRI_UNWRAP yes
#define NV_IF_ELSE_TARGET(condition, yes, no) TRI_UNWRAP yes
#else
#define NV_IF_TARGET(condition, yes, ...)
#define NV_IF_ELSE_TARGET(condition, yes, no) TRI_UNWRAP no
#endif
#define TRI_UNWRAP(...) __VA_ARGS__

namespace std {

/// The largest of a list.
template <class T>
constexpr T max(initializer_list<T> values) {
  T largest = *values.begin();
  for (const T& value : values) largest = largest < value ? value : largest;
  return largest;
}

template <class T, size_t kSize>
struct array {
  T values[kSize];
  constexpr const T& operator[](size_t at) const { return values[at]; }
};

/// A limit of a law, which the host sets.
template <class T>
struct numeric_limits {
  static constexpr T max() { return T(); }
};

}  // namespace std

namespace tri {

// What the constructors of laws read on the host, in place of sim/laws/physics_params.hpp.
struct GravityParams {
  double G, softening;
};
struct LennardJonesParams {
  double epsilon, sigma, cutoff;
  bool shifted;
};
struct ForceField {
  GravityParams gravity;
};

}  // namespace tri
