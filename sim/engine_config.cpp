/// Names of precisions and accumulations.

#include "sim/engine_config.hpp"

#include <array>
#include <string_view>

#include "sim/error.hpp"
#include "sim/suggest.hpp"

namespace tri {

std::string to_string(Precision precision) { return precision == Precision::fp32 ? "fp32" : "fp64"; }

std::string to_string(Accumulate accumulate) { return accumulate == Accumulate::fast ? "fast" : "ordered"; }

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

}  // namespace tri
