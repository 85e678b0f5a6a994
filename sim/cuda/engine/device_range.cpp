#include "sim/cuda/engine/device_range.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/model/checks.hpp"

namespace tri::cuda {
namespace {

[[noreturn]] void refuse(const std::string& what, double value, Precision precision) {
  const bool single = precision == Precision::fp32;
  throw ConfigError(fmt::format(
      "{} is {:.3g}, and the cuda backend computes up to {:g} in {}; use {}--backend cpu, or a larger unit of length.",
      what, value, reach(precision), to_string(precision), single ? "--precision fp64, " : ""));
}

}  // namespace

double reach(Precision precision) { return precision == Precision::fp32 ? 1e16 : 1e148; }

void check_device_range(const Bodies& bodies, const ForceField& field, Precision precision) {
  check_float_range(bodies, field, precision);
  const double most = reach(precision);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (const double v : {bodies.x[i], bodies.y[i], bodies.z[i], bodies.r[i]}) {
      if (std::fabs(v) > most) refuse(fmt::format("a coordinate or the radius of body {}", i), v, precision);
    }
  }
  if (field.pair == PairLaw::lennard_jones && field.lennard_jones.sigma > most) {
    refuse("sigma", field.lennard_jones.sigma, precision);
  }
}

}  // namespace tri::cuda
