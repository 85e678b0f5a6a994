#pragma once
/// A typed law in the place of that of the bench kernels gravity and triplet: the bodies on which backends time it, and
/// the check of what they compute. Pure functions: any thread may call them.

#include <vector>

#include "sim/backend/bench_case.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri {

/// Only the typed law of spec.law acts, on pairs under gravity and on triples under triplet. Throws ConfigError for a
/// text that is none.
ForceField typed_bench_field(const BenchSpec& spec);

/// A cubic lattice of step 1, each body displaced at random by up to 0.2 an axis: no two come so close that one pair
/// outweighs all others. Masses 0.5 to 1.5, radii 0.5, charges 1 and -1, all representable in the spec's precision.
Bodies typed_bench_bodies(const BenchSpec& spec);

/// Sums over the whole output, [n] each: accelerations if the law weighs masses, else forces.
struct TypedSums {
  std::vector<double> x, y, z;
};

/// Errors against the law's program in float64, and the total force, which is zero.
struct TypedErrors {
  double rms = 0;    ///< of the differences, relative to the rms length of the expected vectors
  double max = 0;    ///< the largest difference, likewise
  double total = 0;  ///< total force over the sum of the lengths of all forces
  bool all = false;  ///< every body was compared; else some, the last among them
};
TypedErrors typed_errors(const ForceField& field, const Bodies& bodies, const TypedSums& sums);

/// Whether they are those of rounding in this precision, and the words of a report.
BenchCheck typed_check(const TypedErrors& errors, Precision precision);

}  // namespace tri
