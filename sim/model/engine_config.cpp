/// Names of precisions, accumulations and broad phases.

#include "sim/model/engine_config.hpp"

#include "sim/base/enum_names.hpp"

namespace tri {
namespace {

constexpr auto kPrecisions = enum_names<Precision>("precision", "fp32", "fp64");
constexpr auto kAccumulations = enum_names<Accumulate>("accumulation", "fast", "ordered");
constexpr auto kBroadPhases = enum_names<BroadPhase>("broad phase", "auto", "all-pairs", "grid");

}  // namespace

std::string to_string(Precision precision) { return kPrecisions.text(precision); }
std::string to_string(Accumulate accumulate) { return kAccumulations.text(accumulate); }
std::string to_string(BroadPhase broad_phase) { return kBroadPhases.text(broad_phase); }

Precision precision_from(const std::string& name) { return kPrecisions.from(name); }
Accumulate accumulate_from(const std::string& name) { return kAccumulations.from(name); }
BroadPhase broad_phase_from(const std::string& name) { return kBroadPhases.from(name); }

}  // namespace tri
