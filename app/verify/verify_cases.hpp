#pragma once
/// States and configurations for the checks of a backend. Pure.

#include <functional>
#include <string>
#include <vector>

#include "app/verify/verify_checks.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"

namespace tri::app::verify_parts {

/// A law with a well-conditioned state. Positions, masses and radii are float32 numbers, so that both precisions start
/// from the same state.
struct LawCase {
  std::string name;
  ForceField field;
  std::function<Bodies(u32 n, u64 seed)> bodies;
};
const std::vector<LawCase>& law_cases();
/// Those, or the typed laws that the plan names.
std::vector<LawCase> law_cases(const VerifyPlan& plan);

/// Numbers of bodies: the smallest ones, and sizes that are not multiples of a tile.
std::vector<u32> law_sizes(const LawCase& law, bool full);

/// Every map of the law's domain that is exact at n, with default tile side and threads, and with a few others that
/// this backend ("cpu", "cuda") accepts.
std::vector<EngineConfig> law_configs(const std::string& backend, const LawCase& law, const VerifyPlan& plan, u32 n,
                                      Precision precision, Accumulate accumulate);

/// "n = 65, --map lambda, --block 16, 1 threads"
std::string case_text(const EngineConfig& config, const LawCase& law, u32 n);

/// Points of a jittered unit lattice, at least 0.6 apart; velocity components in [-1, 1].
Bodies jittered_lattice(u32 n, u64 seed, double radius);

}  // namespace tri::app::verify_parts
