#pragma once
/// The state of an engine: bodies as aligned, padded arrays in the engine's precision.

#include "sim/cpu/kernels/memory.hpp"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cpu {

/// n is exact; kPadding zeros follow every array, and no result depends on them.
template <class Real>
struct BodyStore {
  u32 n = 0;
  AlignedVector<Real> x, y, z, vx, vy, vz, m, r;
  std::vector<std::uint16_t> group;  ///< as given; unused by the engine
  std::vector<u8> species;           ///< likewise

  BodyStore() = default;

  /// Rounds each value to Real; check_float_range() refuses those out of its range.
  explicit BodyStore(const Bodies& bodies)
      : n(static_cast<u32>(bodies.size())), group(bodies.group), species(bodies.species) {
    const auto copy = [this](AlignedVector<Real>& to, const std::vector<double>& from) {
      to = padded<Real>(n);
      for (u32 i = 0; i < n; ++i) to[i] = static_cast<Real>(from[i]);
    };
    copy(x, bodies.x), copy(y, bodies.y), copy(z, bodies.z);
    copy(vx, bodies.vx), copy(vy, bodies.vy), copy(vz, bodies.vz);
    copy(m, bodies.m), copy(r, bodies.r);
  }

  BodyView<Real> view() const {
    return {x.data(), y.data(), z.data(), m.data(), r.data(), vx.data(), vy.data(), vz.data()};
  }

  Bodies read() const {
    Bodies bodies;
    bodies.resize(n);
    const auto copy = [this](std::vector<double>& to, const AlignedVector<Real>& from) {
      for (u32 i = 0; i < n; ++i) to[i] = static_cast<double>(from[i]);
    };
    copy(bodies.x, x), copy(bodies.y, y), copy(bodies.z, z);
    copy(bodies.vx, vx), copy(bodies.vy, vy), copy(bodies.vz, vz);
    copy(bodies.m, m), copy(bodies.r, r);
    bodies.group = group;
    bodies.species = species;
    return bodies;
  }

  /// Index of the first body whose position or velocity is not finite, or n.
  u32 first_not_finite() const {
    for (u32 i = 0; i < n; ++i) {
      // A sum of finite values may overflow; a product with 0 is 0 or NaN.
      Real zero = x[i] * Real(0) + y[i] * Real(0) + z[i] * Real(0);
      zero += vx[i] * Real(0) + vy[i] * Real(0) + vz[i] * Real(0);
      if (!(zero == Real(0))) return i;
    }
    return n;
  }
};

/// The features of points as consecutive arrays: feature f of point i at [f * stride + i], stride = size / F, a
/// multiple of a cache line.
template <class Real>
AlignedVector<Real> features_first(const PointSet& points) {
  const std::size_t stride = (points.n + kPadding + 15) / 16 * 16;
  AlignedVector<Real> columns(stride * points.features, Real(0));
  for (std::size_t i = 0; i < points.n; ++i) {
    for (std::size_t f = 0; f < points.features; ++f) {
      columns[f * stride + i] = static_cast<Real>(points.values[i * points.features + f]);
    }
  }
  return columns;
}

}  // namespace tri::cpu
