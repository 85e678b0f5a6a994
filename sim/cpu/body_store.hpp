#pragma once
/// The state of an engine: bodies as aligned, padded arrays in the engine's precision.

#include <algorithm>
#include <span>

#include "sim/cpu/kernels.hpp"
#include "sim/laws/wall.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cpu {

/// n is exact; kPadding zeros follow every array, and no result depends on them. The arrays lie one behind the other at
/// equal distances, so that positions, and velocities, can be shown as one [n, 3] array with strides.
template <class Real>
struct BodyStore {
  u32 n = 0;
  AlignedVector<Real> values;  ///< the columns, `stride` apart
  std::size_t stride = 0;
  std::span<Real> x, y, z, vx, vy, vz, m, r;  ///< with the padding
  std::span<Real> q;                          ///< likewise; empty if the bodies have no charges
  Bodies passive;                             ///< see passive_columns()

  BodyStore() = default;

  /// Rounds each value to Real; check_float_range() refuses those out of its range.
  explicit BodyStore(const Bodies& bodies)
      : n(static_cast<u32>(bodies.size())),
        stride((bodies.size() + kPadding + 15) / 16 * 16),
        passive(passive_columns(bodies, sizeof(Real) == 4)) {
    values.resize((bodies.q.empty() ? 8 : 9) * stride);
    bind();
    const auto copy = [this](std::span<Real> to, const std::vector<double>& from) {
      for (u32 i = 0; i < n; ++i) to[i] = static_cast<Real>(from[i]);
    };
    copy(x, bodies.x), copy(y, bodies.y), copy(z, bodies.z);
    copy(vx, bodies.vx), copy(vy, bodies.vy), copy(vz, bodies.vz);
    copy(m, bodies.m), copy(r, bodies.r);
    if (!q.empty()) copy(q, bodies.q);
  }

  BodyStore(const BodyStore& other) : n(other.n), values(other.values), stride(other.stride), passive(other.passive) {
    bind();
  }
  BodyStore(BodyStore&&) noexcept = default;  // a vector takes its memory along
  BodyStore& operator=(const BodyStore& other) {
    *this = BodyStore(other);
    return *this;
  }
  BodyStore& operator=(BodyStore&&) noexcept = default;
  ~BodyStore() = default;

  BodyView<Real> view() const {
    return {x.data(), y.data(), z.data(), m.data(), r.data(), vx.data(), vy.data(), vz.data(), q.data()};
  }

  Bodies read() const {
    Bodies bodies = passive;
    bodies.resize(n);
    const auto copy = [this](std::vector<double>& to, std::span<const Real> from) {
      for (u32 i = 0; i < n; ++i) to[i] = static_cast<double>(from[i]);
    };
    copy(bodies.x, x), copy(bodies.y, y), copy(bodies.z, z);
    copy(bodies.vx, vx), copy(bodies.vy, vy), copy(bodies.vz, vz);
    copy(bodies.m, m), copy(bodies.r, r);
    if (!q.empty()) bodies.q.resize(n), copy(bodies.q, q);
    return bodies;
  }

  /// Takes every position into the box by whole sides, if that is periodic.
  void wrap(const Box& box) {
    if (box.boundary != Boundary::periodic) return;
    const std::span<Real> columns[3] = {x, y, z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Real low = static_cast<Real>(box.low[axis]), high = static_cast<Real>(box.high[axis]);
      for (u32 i = 0; i < n; ++i) laws::wrap(columns[axis][i], low, high);
    }
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

 private:
  void bind() {
    std::size_t column = 0;
    for (auto* span : {&x, &y, &z, &vx, &vy, &vz, &m, &r}) {
      *span = std::span(values).subspan(stride * column++, n + kPadding);
    }
    q = values.size() > 8 * stride ? std::span(values).subspan(8 * stride, n + kPadding) : std::span<Real>();
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
