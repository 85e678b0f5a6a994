#pragma once
/// Whether a precision can hold a simulation: the values of its bodies, and what its laws make of them on the way to a
/// force. Below the smallest normal number (of float32 1.18e-38) a number loses its digits or is 0, above the largest
/// (3.4e38) it is infinite and its reciprocal 0. The force is then 0 without a sign that anything went wrong, so such a
/// state is refused before the first step. (A force that becomes infinite or NaN is found when it occurs:
/// numerical_fault.hpp. Numbers that are too far apart: resolution.hpp.)

#include <limits>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

struct FloatLimits {
  double least, largest;  ///< of the normal numbers
};
constexpr FloatLimits limits_of(Precision precision) {
  if (precision == Precision::fp64) return {std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
  return {static_cast<double>(std::numeric_limits<float>::min()),
          static_cast<double>(std::numeric_limits<float>::max())};
}

/// Throws ConfigError for a value of a body beyond the range, for a mass, a radius or a charge below it, which would be
/// 0, and where all positions or all velocities are below it.
void check_float_values(const Bodies& bodies, Precision precision);

/// Throws ConfigError for
/// - gravity, when a body would not feel the others: 1/r^3, G/r^3, G m or G m/r^3 is below the smallest number, with
///   r^2 = d^2 + eps^2, d the distance from the centre of mass and m the largest mass. A body that this gravity would
///   not slow down in this precision anyway, G M / r < 2^-24 v^2 in float32, is let through;
/// - lennard-jones and axilrod-teller, when their parameters or forces at sigma leave the range (triples without
///   lennard-jones: at the mean spacing);
/// - springs, dashpots and a uniform field that would be 0, and impulses between masses whose sum is infinite;
/// - a typed law that gives a body another force (typed_range.hpp);
/// - in fp32, a box that has no width once its walls are rounded.
/// And contact with spheres whose radius is below 1e-14 in float32, 1e-149 in float64: its normals end at distances of
/// 1e-19 and 1e-154.
/// Says what is lost, where, and by how much. One pass over the bodies; NaN among them is not its subject.
void check_float_range(const Bodies& bodies, const ForceField& field, Precision precision);

/// The same for a search of overlapping spheres in fp32: squares of their diameters must be normal numbers. In fp64 the
/// search has no such limit (laws/overlap.hpp).
void check_float_spheres(const Bodies& bodies, Precision precision);

}  // namespace tri
