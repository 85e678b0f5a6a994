#pragma once
/// Measurements of bodies for the tests of scenes, independent of the program: sums in long double.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/model/bodies.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {

inline double kinetic_of(const Bodies& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    sum += 0.5L * b.m[i] * (b.vx[i] * b.vx[i] + b.vy[i] * b.vy[i] + b.vz[i] * b.vz[i]);
  }
  return static_cast<double>(sum);
}

/// For gravity without softening, G = 1.
inline double potential_of(const Bodies& b) {
  double sum = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = b.x[i] - b.x[j], dy = b.y[i] - b.y[j], dz = b.z[i] - b.z[j];
      sum -= b.m[i] * b.m[j] / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return sum;
}

/// Mass-weighted sums of position (first three) and velocity.
inline std::array<double, 6> first_moments(const Bodies& b) {
  std::array<long double, 6> sum{};
  for (std::size_t i = 0; i < b.size(); ++i) {
    const std::array<double, 6> v{b.x[i], b.y[i], b.z[i], b.vx[i], b.vy[i], b.vz[i]};
    for (std::size_t c = 0; c < 6; ++c) sum[c] += static_cast<long double>(b.m[i]) * v[c];
  }
  std::array<double, 6> rounded{};
  for (std::size_t c = 0; c < 6; ++c) rounded[c] = static_cast<double>(sum[c]);
  return rounded;
}

inline std::vector<double> distances_to_origin(const Bodies& b) {
  std::vector<double> r(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) r[i] = std::hypot(b.x[i], b.y[i], b.z[i]);
  return r;
}

inline double speed_of(const Bodies& b, std::size_t i) { return std::hypot(b.vx[i], b.vy[i], b.vz[i]); }

inline bool same_bits(const Bodies& a, const Bodies& b) {
  const auto same = [](const std::vector<double>& u, const std::vector<double>& v) {
    if (u.size() != v.size()) return false;
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (std::bit_cast<u64>(u[i]) != std::bit_cast<u64>(v[i])) return false;
    }
    return true;
  };
  return same(a.x, b.x) && same(a.y, b.y) && same(a.z, b.z) && same(a.vx, b.vx) && same(a.vy, b.vy) &&
         same(a.vz, b.vz) && same(a.m, b.m) && same(a.r, b.r) && same(a.q, b.q);
}

}  // namespace tri::test
