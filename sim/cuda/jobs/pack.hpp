#pragma once
/// Conversion of host arrays to the layouts that the kernels read.

#include <vector>

#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/model/bodies.hpp"

namespace tri::cuda {

/// [vectors_of(features), n], rounded to Real, zero-padded after the last feature.
template <class Real>
std::vector<Vec4<Real>> pack_points(const PointSet& points);

/// [n], rounded to Real, and then taken into the box by whole sides, if that is periodic.
template <class Real>
std::vector<Sphere<Real>> pack_spheres(const Bodies& bodies, const Box& box = {});

}  // namespace tri::cuda
