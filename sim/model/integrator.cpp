/// The tables of stages, and the integrators' names.

#include "sim/model/integrator.hpp"

#include <array>

#include "sim/base/contracts.hpp"
#include "sim/base/enum_names.hpp"
#include "sim/model/integrator_names.hpp"

namespace tri {
namespace {

constexpr auto kKick = Stage::Kind::kick;
constexpr auto kDrift = Stage::Kind::drift;

constexpr std::array<Stage, 2> kSymplecticEuler{{{kKick, 1.0}, {kDrift, 1.0}}};

constexpr std::array<Stage, 3> kKickDriftKick{{{kKick, 0.5}, {kDrift, 1.0}, {kKick, 0.5}}};

// Yoshida 1990, Phys. Lett. A 150, 262, eq. 2.10: w1 = 1 / (2 - 2^(1/3)), w0 = -2^(1/3) w1, so 2 w1 + w0 = 1 and the
// third-order error 2 w1^3 + w0^3 vanishes. The last kick of one kdk step and the first of the next are one kick.
constexpr double kW1 = 1.3512071919596576340476878089715;
constexpr double kW0 = -1.7024143839193152680953756179429;
constexpr std::array<Stage, 7> kYoshida4{{{kKick, 0.5 * kW1},
                                          {kDrift, kW1},
                                          {kKick, 0.5 * (kW0 + kW1)},
                                          {kDrift, kW0},
                                          {kKick, 0.5 * (kW0 + kW1)},
                                          {kDrift, kW1},
                                          {kKick, 0.5 * kW1}}};

constexpr auto kIntegratorNames =
    enum_names<Integrator>("integrator", "kdk", "symplectic-euler", "yoshida4", "hermite");

}  // namespace

std::span<const Stage> stages(Integrator integrator) {
  switch (integrator) {
    case Integrator::kdk:
      return kKickDriftKick;
    case Integrator::symplectic_euler:
      return kSymplecticEuler;
    case Integrator::yoshida4:
      return kYoshida4;
    case Integrator::hermite:
      break;
  }
  TRI_UNREACHABLE("an Integrator without stages");
}

std::string to_string(Integrator integrator) { return kIntegratorNames.text(integrator); }
std::vector<std::string_view> integrator_names() { return kIntegratorNames.list(); }
Integrator integrator_from(const std::string& name) {
  if (name == "leapfrog" || name == "verlet") return Integrator::kdk;  // its other names
  return kIntegratorNames.from(name);
}

}  // namespace tri
