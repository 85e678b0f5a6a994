#include "app/commands/energy_warning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/support/text_table.hpp"
#include "sim/model/integrator.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kMaxBodies = 20000;
constexpr double kGoodError = 1e-4;  ///< that a proposed step aims at
constexpr double kFinerEta = 10;
constexpr double kStepsInFreeFall = 50;  ///< of the closest pair

struct ClosestPair {
  std::size_t i = 0, j = 0;
  double distance2 = INFINITY;
};

ClosestPair closest_pair(const Bodies& b) {
  ClosestPair closest;
  for (std::size_t i = 1; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = b.x[i] - b.x[j], dy = b.y[i] - b.y[j], dz = b.z[i] - b.z[j];
      if (const double d2 = dx * dx + dy * dy + dz * dz; d2 < closest.distance2) closest = {j, i, d2};
    }
  }
  return closest;
}

/// The step that brings the error down to kGoodError by the order of the scheme, a quarter of the present one at most.
double smaller_step(double dt, Integrator integrator, double error) {
  const bool fourth = integrator == Integrator::yoshida4 || integrator == Integrator::hermite;
  const double order = fourth ? 4 : integrator == Integrator::kdk ? 2 : 1;
  return dt * std::min(0.25, std::pow(kGoodError / std::abs(error), 1 / order));
}

}  // namespace

std::string energy_warning(const DiagnosticsRow& row, const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  const bool gravity = scene.field.pair == PairLaw::gravity;
  const bool automatic = simulation.automatic();
  double step = smaller_step(scene.dt, scene.integrator, row.energy_error);
  std::string where;
  if (const std::size_t n = simulation.size(); n >= 2 && n <= kMaxBodies) {
    const Bodies bodies = simulation.bodies();
    const ClosestPair pair = closest_pair(bodies);
    where = fmt::format(" Bodies {} and {} are {:.3g} apart", pair.i, pair.j, std::sqrt(pair.distance2));
    if (gravity) {
      const double eps = scene.field.gravity.softening;
      const double pull = std::abs(scene.field.gravity.G) * (bodies.m[pair.i] + bodies.m[pair.j]);
      const double free_fall = std::sqrt(std::pow(pair.distance2 + eps * eps, 1.5) / pull);
      if (free_fall > 0 && std::isfinite(free_fall)) step = std::min(step, free_fall / kStepsInFreeFall);
      where += fmt::format(", the softening is {:.3g}", eps);
    }
    where += fmt::format(", dt {:.3g}.", automatic ? row.dt : scene.dt);
  }
  return fmt::format("the energy is off by {:.3g} % at step {} (t = {:.6g}).{} Try {}{}{}.", 100 * row.energy_error,
                     grouped(row.step), row.time, where,
                     automatic ? fmt::format("--eta {:.1g}", scene.eta / kFinerEta) : fmt::format("--dt {:.1g}", step),
                     gravity ? ", a larger --eps" : "",
                     simulation.engine().config().precision == Precision::fp32 ? ", or --precision fp64" : "");
}

}  // namespace tri::app
