#pragma once
/// States and configurations that the checks of a backend go through. Pure.

#include <functional>
#include <string>
#include <vector>

#include "app/verify/verify_checks.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri::app::verify_parts {

/// A law with a state it is well-behaved in. Positions, masses and radii are float32 numbers, so that both precisions
/// start from the same state.
struct LawCase {
  std::string name;
  ForceField field;
  std::function<Bodies(u32 n, u64 seed)> bodies;
};
const std::vector<LawCase>& law_cases();

/// Numbers of bodies: the smallest ones, and no multiples of a tile.
std::vector<u32> law_sizes(const LawCase& law, bool full);

/// Every map of the law's domain that is exact at n, with the backend's own tile side and threads, and with a few
/// others that this backend ("cpu", "cuda") takes.
std::vector<EngineConfig> law_configs(const std::string& backend, const LawCase& law, const VerifyPlan& plan, u32 n,
                                      Precision precision, Accumulate accumulate);

/// Points of a jittered lattice: no two nearer than 0.6 lattice steps of 1; velocities of size 1.
Bodies jittered_lattice(u32 n, u64 seed, double radius);

}  // namespace tri::app::verify_parts
