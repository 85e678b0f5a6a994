/// The tables of stages, and the integrators' names.

#include "sim/model/integrator.hpp"

#include <algorithm>
#include <array>

#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
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

/// In the order of the enumerators.
constexpr std::array<std::string_view, 3> kNames{"kdk", "symplectic-euler", "yoshida4"};

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
  const auto at = static_cast<std::size_t>(integrator);
  TRI_EXPECTS(at < kNames.size());
  return std::string(kNames[at]);
}

std::vector<std::string_view> integrator_names() { return {kNames.begin(), kNames.end()}; }

Integrator integrator_from(const std::string& name) {
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  if (at == kNames.end()) throw ConfigError(unknown_name("integrator", name, kNames));
  return static_cast<Integrator>(at - kNames.begin());
}

}  // namespace tri
