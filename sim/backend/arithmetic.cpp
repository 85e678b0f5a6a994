#include "sim/backend/arithmetic.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace tri {

std::string tensor_refusal(const ForceField& field, const EngineConfig& config) {
  if (field.pair != PairLaw::gravity) {
    return fmt::format("--arithmetic tensor computes gravity, and the law here is {}. Use --arithmetic float32.",
                       to_string(field.pair));
  }
  if (config.precision != Precision::fp32) {
    return "--arithmetic tensor has the accuracy of fp32, and the precision here is fp64. Use --precision fp32, or "
           "--arithmetic float32.";
  }
  return "";
}

void refuse_tensor(const char* backend) {
  throw ConfigError(
      fmt::format("the {} backend has no tensor cores for --arithmetic tensor. Use --arithmetic float32.", backend));
}

}  // namespace tri
