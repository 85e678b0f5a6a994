#pragma once
/// The oracle: every law again in plain float64, written for clarity from the equations and from nothing else. It
/// shares no arithmetic with sim/laws, so that an error there shows here. Double and triple loops over the unordered
/// pairs and triples, no blocks, no threads: O(n^2), O(n^3) with triples.
///
/// All functions are pure and may be called from any thread. They expect what check() accepts and do not check again.

#include <utility>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/compute.hpp"

namespace tri {

struct ReferenceForces {
  std::vector<double> fx, fy, fz;  ///< [n] force on each body (mass times acceleration for gravity)
  double potential = 0;            ///< pairs, triples and walls' springs
  double virial = 0;               ///< sum over bodies r.F of the pair and triple laws, without the walls
  double triple_potential = 0;     ///< the part of `potential` that comes from triples
};

/// Pair and triple laws and the walls' springs, not the uniform field. Contacts resolved by impulse give no force.
ReferenceForces reference_forces(const Bodies& bodies, const ForceField& field);

/// Euclidean distances in the layout's order (see DistanceLayout).
std::vector<double> reference_distances(const PointSet& points, DistanceLayout layout);

/// Pairs (i, j), i > j, of spheres that overlap or touch, |d| <= r_i + r_j; sorted. Of the box only periodic walls
/// count.
std::vector<std::pair<u32, u32>> reference_collisions(const Bodies& bodies, const Box& box = {});

}  // namespace tri
