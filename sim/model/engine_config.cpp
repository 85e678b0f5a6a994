/// Names of precisions, accumulations and broad phases.

#include "sim/model/engine_config.hpp"

#include <array>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"

namespace tri {

std::string to_string(Precision precision) { return precision == Precision::fp32 ? "fp32" : "fp64"; }

std::string to_string(Accumulate accumulate) { return accumulate == Accumulate::fast ? "fast" : "ordered"; }

std::string to_string(BroadPhase broad_phase) {
  return broad_phase == BroadPhase::automatic ? "auto" : broad_phase == BroadPhase::grid ? "grid" : "all-pairs";
}

Precision precision_from(const std::string& name) {
  for (const Precision p : {Precision::fp32, Precision::fp64}) {
    if (to_string(p) == name) return p;
  }
  throw ConfigError(unknown_name("precision", name, std::array<std::string_view, 2>{"fp32", "fp64"}));
}

Accumulate accumulate_from(const std::string& name) {
  for (const Accumulate a : {Accumulate::fast, Accumulate::ordered}) {
    if (to_string(a) == name) return a;
  }
  throw ConfigError(unknown_name("accumulation", name, std::array<std::string_view, 2>{"fast", "ordered"}));
}

BroadPhase broad_phase_from(const std::string& name) {
  for (const BroadPhase b : {BroadPhase::automatic, BroadPhase::all_pairs, BroadPhase::grid}) {
    if (to_string(b) == name) return b;
  }
  throw ConfigError(unknown_name("broad phase", name, std::array<std::string_view, 3>{"auto", "all-pairs", "grid"}));
}

}  // namespace tri
