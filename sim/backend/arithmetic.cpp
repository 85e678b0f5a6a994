#include "sim/backend/arithmetic.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace tri {

std::string tensor_refusal(const ForceField& field, const EngineConfig& config) {
  if (field.pair != PairLaw::gravity) {
    return fmt::format("--arithmetic tensor computes gravity, and the law here is {}. Use --arithmetic auto.",
                       to_string(field.pair));
  }
  if (config.precision != Precision::fp32) {
    return "--arithmetic tensor has the accuracy of fp32, and the precision here is fp64. Use --precision fp32, or "
           "--arithmetic auto.";
  }
  return "";
}

void refuse_tensor(const EngineConfig& config, const std::string& who) {
  if (config.arithmetic != Arithmetic::tensor) return;
  throw ConfigError(fmt::format("{} has no tensor cores for --arithmetic tensor. Use --arithmetic auto.", who));
}

}  // namespace tri
