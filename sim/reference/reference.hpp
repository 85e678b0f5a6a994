#pragma once
/// The oracle: every law in plain float64, written for clarity and independently, from the equations. It shares no
/// arithmetic with sim/laws, so that comparing the two reveals errors. Plain loops over unordered pairs and triples, no
/// blocks, no threads: O(n^2), O(n^3) with triples.
///
/// All functions are pure and thread-safe. They expect input that check() accepts and do not check it again.

#include <utility>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

struct ReferenceForces {
  std::vector<double> fx, fy, fz;  ///< [n] force on each body (mass times acceleration for gravity)
  double potential = 0;            ///< pairs, triples and wall springs
  double virial = 0;               ///< sum over bodies of r.F of the pair and triple laws, without the walls
  double triple_potential = 0;     ///< contribution of triples to `potential`
};

/// Pair and triple laws and wall springs, without the uniform field. Contacts resolved by impulses give no force.
ReferenceForces reference_forces(const Bodies& bodies, const ForceField& field);

/// Accelerations and jerks of gravity, without the uniform field; [n] each.
struct ReferenceJerks {
  std::vector<double> ax, ay, az, jx, jy, jz;
};
ReferenceJerks reference_jerks(const Bodies& bodies, const GravityParams& gravity);

/// Euclidean distances in the layout's order (see DistanceLayout).
std::vector<double> reference_distances(const PointSet& points, DistanceLayout layout);

/// Pairs (i, j), i > j, of spheres that overlap or touch, |d| <= r_i + r_j; sorted. The box matters only if periodic.
std::vector<std::pair<u32, u32>> reference_collisions(const Bodies& bodies, const Box& box = {});

// Time stepping of the oracle: the stages of an integrator, executed literally, body by body.

/// integrator: not hermite.
/// Advances by `steps` steps of dt (dt < 0 runs backwards) with reference_forces() and the uniform field.
///
/// Velocity-dependent forces (dashpots) use the velocities at the start of the kick. Reflecting walls without a contact
/// law are mirrors; mirrors and periodic wrapping apply after every drift. Contacts by impulse are resolved once, at
/// the end of each step: overlapping pairs in sorted order, then the walls (see laws/contact_impulse.hpp). Bodies of
/// zero mass respond to accelerations only: gravity and the uniform field.
void reference_advance(Bodies& bodies, const ForceField& field, Integrator integrator, double dt, u64 steps);

}  // namespace tri
