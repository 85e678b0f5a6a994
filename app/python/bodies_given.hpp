#pragma once
/// Bodies from arrays of Python, whose types and dimensions it checks, and whose lengths the package has checked.

#include <nanobind/ndarray.h>

#include "sim/model/bodies.hpp"

namespace tri::python {

template <class Real>
using Rows = nanobind::ndarray<const Real, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class Real>
using Column = nanobind::ndarray<const Real, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// positions: [n, d], d from 1 to 3, other coordinates are 0; velocities: [n, 3], null: at rest; charges: [n], or [0]
/// for bodies without.
template <class Real>
Bodies bodies_given(const Rows<Real>& positions, const Rows<Real>* velocities, const Column<Real>& masses,
                    const Column<Real>& radii, const Column<Real>& charges) {
  const std::size_t n = positions.shape(0), d = positions.shape(1);
  Bodies b;
  b.resize(n);
  std::vector<double>* const places[] = {&b.x, &b.y, &b.z};
  std::vector<double>* const motions[] = {&b.vx, &b.vy, &b.vz};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) (*places[k])[i] = positions.data()[i * d + k];
    for (std::size_t k = 0; velocities != nullptr && k < 3; ++k) (*motions[k])[i] = velocities->data()[i * 3 + k];
    b.m[i] = masses.data()[i], b.r[i] = radii.data()[i];
  }
  if (charges.shape(0) > 0) b.q.assign(charges.data(), charges.data() + charges.shape(0));
  return b;
}

}  // namespace tri::python
