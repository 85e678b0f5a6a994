#pragma once
/// What the headers of maps use of the standard library, for NVRTC, which has none: name this folder in --include-path.
/// It is installed with those headers as triangulum/nvrtc/nvrtc_std.hpp, and is part of device_std.cuh.
/// Stands for <algorithm> <cmath> <concepts> <cstddef> <cstdint> <cstring> <span> <stdexcept> <type_traits> <vector>.

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
template <class T, class... Arguments>
concept constructible_from = __is_constructible(T, Arguments...);

/// The table of a map, which the host makes: declared for that function, which no kernel calls.
template <class T>
struct span {
  size_t size() const;
  const T* data() const;
  const T* begin() const;
  const T* end() const;
};
struct length_error {
  explicit length_error(const char*);
};
template <class T>
struct vector {
  vector() = default;
  explicit vector(size_t);
  size_t size() const;
  void reserve(size_t);
  void push_back(const T&);
  T* begin();
  T* end();
  T* data();
  const T* data() const;
  T& operator[](size_t);
  const T& operator[](size_t) const;
};

template <class T, class Before>
void sort(T*, T*, Before);

/// What AnyMap copies where it is made, on the host.
inline void memcpy(void*, const void*, size_t) {}

inline float sqrt(float v) { return ::sqrtf(v); }
inline double sqrt(double v) { return ::sqrt(v); }
inline float cbrt(float v) { return ::cbrtf(v); }
inline double cbrt(double v) { return ::cbrt(v); }
inline float floor(float v) { return ::floorf(v); }
inline double floor(double v) { return ::floor(v); }
inline float fmaf(float a, float b, float c) { return ::fmaf(a, b, c); }

}  // namespace std
