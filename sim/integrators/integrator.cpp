/// The tables of stages, and the integrators' names.

#include "sim/integrators/integrator.hpp"

#include <array>
#include <string_view>

#include "sim/contracts.hpp"
#include "sim/error.hpp"
#include "sim/suggest.hpp"

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

constexpr std::array<Integrator, 3> kAll{Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4};

}  // namespace

std::span<const Stage> stages(Integrator integrator) {
  switch (integrator) {
    case Integrator::kdk:
      return kKickDriftKick;
    case Integrator::symplectic_euler:
      return kSymplecticEuler;
    case Integrator::yoshida4:
      return kYoshida4;
  }
  TRI_UNREACHABLE("an Integrator outside its enum");
}

std::string to_string(Integrator integrator) {
  switch (integrator) {
    case Integrator::kdk:
      return "kdk";
    case Integrator::symplectic_euler:
      return "symplectic-euler";
    case Integrator::yoshida4:
      return "yoshida4";
  }
  TRI_UNREACHABLE("an Integrator outside its enum");
}

Integrator integrator_from(const std::string& name) {
  std::array<std::string, kAll.size()> names;
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    names[i] = to_string(kAll[i]);
    if (names[i] == name) return kAll[i];
  }
  throw ConfigError(unknown_name("integrator", name, names));
}

}  // namespace tri
