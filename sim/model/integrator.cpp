/// Integrators: stages, names, automatic steps.

#include "sim/model/integrator.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"

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

std::vector<std::string_view> integrator_names() { return kNamesOf<Integrator>.list(); }
Integrator integrator_from(const std::string& name) {
  if (name == "leapfrog" || name == "verlet") return Integrator::kdk;  // its other names
  return from_name<Integrator>(name);
}

namespace {

constexpr double kGrowth = 2;    // of a step over the one before, at most
constexpr double kSteepest = 4;  ///< of a step over what one of its ends asks for, at most
constexpr double kTooLong = 2;   // a step that is longer than asked for by this factor is tried again
constexpr int kMaxAttempts = 100;

/// Not beyond `most`; and no step much shorter than its neighbours to meet it.
double within(double length, double most) {
  if (length >= most) return most;
  return length > most / 2 ? most / 2 : length;
}

/// The mean of both ends, unless one of them is an encounter that the step would jump over.
double symmetric(const StepScheme::Attempt& ends) {
  return std::min(0.5 * (ends.begin + ends.end), kSteepest * std::min(ends.begin, ends.end));
}

}  // namespace

StepTaken advance_step(StepScheme& scheme, const AutoStep& step) {
  const double sign = step.backwards ? -1 : 1;
  const auto bounded = [&](double asked) { return std::min(std::isinf(asked) ? step.idle : asked, step.longest); };
  const double next = bounded(step.next > 0 ? step.next : scheme.first_length(step.eta));
  double length = within(next, step.most);
  StepScheme::Attempt tried = scheme.attempt(sign * length, step.eta, false);
  for (int attempts = 1;; ++attempts) {
    const double wanted = std::min(bounded(symmetric(tried)), kGrowth * next);
    // The first attempt is never the last: it is not symmetric.
    if (attempts > 1 && length <= kTooLong * wanted) break;
    if (attempts == kMaxAttempts || !(wanted > 0)) {
      throw NumericalError(fmt::format(
          "no time step is short enough: {:.3g} was tried last. Use a softening, or a larger --eta.", length));
    }
    length = within(wanted, step.most);
    tried = scheme.attempt(sign * length, step.eta, true);
  }
  scheme.accept();
  return {length, std::min(bounded(tried.end), kGrowth * std::max(length, next))};
}

void advance_step(StepScheme& scheme, double h) {
  constexpr double kAnyEta = 1;
  scheme.attempt(h, kAnyEta, false);
  scheme.attempt(h, kAnyEta, true);
  scheme.accept();
}

double kdk_length(double eta, double fall) { return eta / std::sqrt(fall); }

double shortest_hermite_length(double eta, double fall, double fly) { return 0.25 * std::sqrt(eta / (fall + fly)); }

double hermite_length(double eta, double aarseth2, double fall, double fly) {
  return std::max(std::sqrt(eta * aarseth2), shortest_hermite_length(eta, fall, fly));
}

double longest_step(const Diagnostics& first, double G) {
  constexpr double kCrossings = 100;
  const double mass = first.mass, pull = std::abs(G) * mass, potential = std::abs(first.virial);
  if (!(pull > 0 && potential > 0)) return std::numeric_limits<double>::infinity();
  const auto& p = first.momentum;
  const double drift = (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) / (2 * mass);
  const double size = pull * mass / potential, square = 2 * std::max(0.0, first.kinetic - drift) / mass;
  // Of its speed squared, or of that which a fall through the system gives.
  return kCrossings * size / std::sqrt(std::max(square, pull / size));
}

double usual_eta(Integrator integrator) { return integrator == Integrator::kdk ? 0.02 : 0.01; }

std::string scheme_refusal(const ForceField& field, Integrator integrator, double eta, Precision precision,
                           const std::string& of_text) {
  const bool hermite = integrator == Integrator::hermite;
  if (!hermite && !(eta > 0)) return "";
  const char* const option = of_text.empty() ? "--" : "";
  const std::string what = !of_text.empty() ? of_text : eta > 0 ? "--dt auto" : "--integrator hermite";
  const std::string instead =
      eta > 0 ? fmt::format("give {}dt a number", option) : fmt::format("use {}integrator kdk or yoshida4", option);
  if (!hermite && integrator != Integrator::kdk) {
    return fmt::format("{} goes with {}integrator kdk or hermite, not with {}.", what, option, to_string(integrator));
  }
  if (field.pair != PairLaw::gravity || field.triple != TripleLaw::none) {
    const std::string law = field.pair != PairLaw::gravity ? to_string(field.pair) : to_string(field.triple);
    return fmt::format("{} follows motion under gravity alone, and here acts {}; {}.", what,
                       law == "none" ? "no law of pairs" : law, instead);
  }
  if (field.box.boundary != Boundary::open) {
    return fmt::format("{} knows no walls, and the box is {}; {}, or open the box.", what,
                       to_string(field.box.boundary), instead);
  }
  if (precision != Precision::fp64) {
    return fmt::format("{} computes in float64; use {}precision fp64, or {}.", what, option, instead);
  }
  return "";
}

}  // namespace tri
