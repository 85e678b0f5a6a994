#pragma once
/// Whether float32 can hold a simulation: the values of its bodies, and what its laws make of them on the way to a
/// force. Below kLeast = 1.18e-38 a float32 loses its digits or is 0, above 3.4e38 it is infinite and its reciprocal 0.
/// The force is then 0 without a sign that anything went wrong, so such a state is refused before the first step. (A
/// force that becomes infinite or NaN is found when it occurs: numerical_fault.hpp.)

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"

namespace tri {

/// Throws ConfigError in fp32 for a value of a body beyond float32, and for a mass that would be 0.
void check_float_values(const Bodies& bodies, Precision precision);

/// Throws ConfigError in fp32 for
/// - gravity, when a body would not feel the others: 1/r^3, G/r^3, G m or G m/r^3 is below kLeast, with r^2 = d^2 +
///   eps^2, d the distance from the centre of mass and m the largest mass. A body that this gravity would not slow down
///   in float32 anyway, G M / r < 2^-24 v^2, is let through;
/// - lennard-jones and axilrod-teller, when their parameters or forces at sigma leave the range (triples alone: at the
///   mean spacing);
/// - a box that has no width once its walls are rounded to float32.
/// In any precision, a typed law that gives a body another force (typed_range.hpp), and contact with spheres whose
/// radius is below 1e-14: its normals end at distances of 1e-15. Says what is lost, where, and by how much. One pass
/// over the bodies; NaN among them is not its subject.
void check_float_range(const Bodies& bodies, const ForceField& field, Precision precision);

/// The same for a search of overlapping spheres: squares of their diameters must be normal numbers.
void check_float_spheres(const Bodies& bodies, Precision precision);

}  // namespace tri
