#include "sim/cuda/jobs/pack.hpp"

#include <array>

#include "sim/laws/wall.hpp"

namespace tri::cuda {

template <class Real>
std::vector<Vec4<Real>> pack_points(const PointSet& points) {
  const u32 vectors = vectors_of(points.features);
  std::vector<Vec4<Real>> packed(std::size_t{vectors} * points.n);
  for (u32 p = 0; p < points.n; ++p) {
    const double* from = &points.values[std::size_t{p} * points.features];
    for (u32 q = 0; q < vectors; ++q) {
      std::array<Real, 4> v{};
      for (u32 f = 4 * q; f < points.features && f < 4 * q + 4; ++f) v[f - 4 * q] = static_cast<Real>(from[f]);
      packed[std::size_t{q} * points.n + p] = {v[0], v[1], v[2], v[3]};
    }
  }
  return packed;
}

template <class Real>
std::vector<Sphere<Real>> pack_spheres(const Bodies& bodies, const Box& box) {
  std::vector<Sphere<Real>> packed(bodies.size());
  for (std::size_t i = 0; i < packed.size(); ++i) {
    packed[i] = {static_cast<Real>(bodies.x[i]), static_cast<Real>(bodies.y[i]), static_cast<Real>(bodies.z[i]),
                 static_cast<Real>(bodies.r[i])};
  }
  if (box.boundary != Boundary::periodic) return packed;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    constexpr Real Sphere<Real>::*kAxes[] = {&Sphere<Real>::x, &Sphere<Real>::y, &Sphere<Real>::z};
    const Real low = static_cast<Real>(box.low[axis]), high = static_cast<Real>(box.high[axis]);
    for (Sphere<Real>& sphere : packed) laws::wrap(sphere.*kAxes[axis], low, high);
  }
  return packed;
}

template std::vector<Vec4<float>> pack_points(const PointSet&);
template std::vector<Vec4<double>> pack_points(const PointSet&);
template std::vector<Sphere<float>> pack_spheres(const Bodies&, const Box&);
template std::vector<Sphere<double>> pack_spheres(const Bodies&, const Box&);

}  // namespace tri::cuda
