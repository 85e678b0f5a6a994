#pragma once
/// What the text of run-time kernels uses of the standard library, for NVRTC, which has none: the first part of that
/// text (cmake/join_sources.cmake). No other compiler reads it.

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

using size_t = decltype(sizeof(0));
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using int32_t = int;
using int64_t = long long;

template <class T, class U>
inline constexpr bool is_same_v = false;
template <class T>
inline constexpr bool is_same_v<T, T> = true;
template <class From, class To>
inline constexpr bool is_convertible_v = __is_convertible_to(From, To);
template <class T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T, class U>
concept same_as = is_same_v<T, U>;
template <class From, class To>
concept convertible_to = __is_convertible_to(From, To);

/// The largest of a list.
template <class T>
constexpr T max(initializer_list<T> values) {
  T largest = *values.begin();
  for (const T& value : values) largest = largest < value ? value : largest;
  return largest;
}

/// What a map's constructor copies on the host, which no kernel calls.
inline void memcpy(void*, const void*, size_t) {}

template <class T, size_t kSize>
struct array {
  T values[kSize];
  constexpr const T& operator[](size_t at) const { return values[at]; }
};

/// The table of a map, which the host makes.
template <class T>
struct vector {
  vector() = default;
  explicit vector(size_t) {}
  void reserve(size_t) {}
  void push_back(const T&) {}
  T& operator[](size_t) { return none; }
  T none;
};

/// A limit of a law, which the host sets.
template <class T>
struct numeric_limits {
  static constexpr T max() { return T(); }
};

inline float sqrt(float v) { return ::sqrtf(v); }
inline double sqrt(double v) { return ::sqrt(v); }
inline float cbrt(float v) { return ::cbrtf(v); }
inline double cbrt(double v) { return ::cbrt(v); }
inline float floor(float v) { return ::floorf(v); }
inline double floor(double v) { return ::floor(v); }
inline float fmaf(float a, float b, float c) { return ::fmaf(a, b, c); }

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

}  // namespace tri
