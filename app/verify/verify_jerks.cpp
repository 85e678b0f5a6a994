// Accelerations and jerks of gravity, from which the Hermite scheme and steps of automatic length are computed, against
// the float64 reference on every map; and the bit-equality of their ordered sums.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/verify/verify_cases.hpp"
#include "app/verify/verify_parts.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"

namespace tri::app::verify_parts {
namespace {

constexpr double kJerkLimit = 1e-12;

using Axes = const std::vector<double>* const (&)[3];

/// The largest difference of a component, relative to the largest component.
double vector_error(Axes got, Axes want) {
  double worst = 0, scale = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (got[k]->size() != want[k]->size()) return NAN;
    for (std::size_t i = 0; i < want[k]->size(); ++i) {
      const double error = std::abs((*got[k])[i] - (*want[k])[i]);
      worst = error <= worst ? worst : error;  // a NaN stays
      scale = std::max(scale, std::abs((*want[k])[i]));
    }
  }
  return scale > 0 ? worst / scale : worst;
}

/// The largest squared rates of a pair, by their definition (sim/laws/gravity_jerk.hpp).
struct Rates {
  double fall = 0, fly = 0;
};

Rates rates_of(const Bodies& b, const GravityParams& gravity) {
  Rates rates;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]);
      const double w = std::hypot(b.vx[i] - b.vx[j], b.vy[i] - b.vy[j], b.vz[i] - b.vz[j]);
      const double s2 = d * d + gravity.softening * gravity.softening;
      rates.fall = std::max(rates.fall, gravity.G * (b.m[i] + b.m[j]) / std::pow(s2, 1.5));
      rates.fly = std::max(rates.fly, w * w / s2);
    }
  }
  return rates;
}

/// Calls check(engine, text) for the bodies in every configuration that the backend takes.
template <class Check>
void in_every_configuration(const VerifyPlan& plan, Backend& backend, const LawCase& law, const Bodies& bodies,
                            Accumulate accumulate, const Check& check) {
  const u32 n = static_cast<u32>(bodies.size());
  for (const EngineConfig& config : law_configs(backend.info().name, law, plan, n, Precision::fp64, accumulate)) {
    try {
      check(*backend.make_engine(bodies, law.field, config), case_text(config, law, n));
    } catch (const ConfigError&) {
      if (info(config.pair_map).space == Space::block) throw;
    }
  }
}

VerifyOutcome check_jerks(const VerifyPlan& plan, Backend& backend, const LawCase& law, Accumulate accumulate) {
  VerifyOutcome outcome;
  for (const u32 n : law_sizes(law, plan.full)) {
    const Bodies bodies = law.bodies(n, plan.seed);
    const ReferenceJerks want = reference_jerks(bodies, law.field.gravity);
    const Rates rates = rates_of(bodies, law.field.gravity);
    in_every_configuration(plan, backend, law, bodies, accumulate, [&](Engine& engine, const std::string& text) {
      const JerkResult got = engine.jerks();
      outcome.add(vector_error({&got.ax, &got.ay, &got.az}, {&want.ax, &want.ay, &want.az}), kJerkLimit,
                  text + ", largest error of an acceleration");
      outcome.add(vector_error({&got.jx, &got.jy, &got.jz}, {&want.jx, &want.jy, &want.jz}), kJerkLimit,
                  text + ", largest error of a jerk");
      outcome.add(std::abs(got.fall / rates.fall - 1), kJerkLimit, text + ", rate of fall");
      outcome.add(std::abs(got.fly / rates.fly - 1), kJerkLimit, text + ", rate of flight");
    });
  }
  return outcome;
}

/// Jerks, and the state after some steps, must be bit-equal in all configurations.
VerifyOutcome check_ordered_jerks(const VerifyPlan& plan, Backend& backend, const LawCase& law) {
  VerifyOutcome outcome;
  for (const u32 n : law_sizes(law, plan.full)) {
    const Bodies bodies = law.bodies(n, plan.seed);
    std::optional<JerkResult> first;
    u64 first_hash = 0;
    const auto check = [&](Engine& engine, const std::string& text) {
      JerkResult got = engine.jerks();
      engine.advance(Integrator::hermite, 1e-4, 2);
      const u64 hash = engine.state_hash();
      if (!first) {
        first = std::move(got), first_hash = hash;
        return;
      }
      const bool same = got.ax == first->ax && got.ay == first->ay && got.az == first->az && got.jx == first->jx &&
                        got.jy == first->jy && got.jz == first->jz;
      outcome.add_exact(same && hash == first_hash, text + ": other bits");
    };
    in_every_configuration(plan, backend, law, bodies, Accumulate::ordered, check);
  }
  return outcome;
}

}  // namespace

void add_jerk_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks) {
  const auto gravity = std::find_if(law_cases().begin(), law_cases().end(),
                                    [](const LawCase& c) { return c.field.pair == PairLaw::gravity; });
  const std::string name = backend.info().name + " jerk fp64 ";
  for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
    checks.push_back(
        {name + to_string(accumulate), "against float64", kJerkLimit,
         [plan, &backend, law = *gravity, accumulate] { return check_jerks(plan, backend, law, accumulate); }});
  }
  checks.push_back({name + "bits", "equal over maps, blocks, threads", 0,
                    [plan, &backend, law = *gravity] { return check_ordered_jerks(plan, backend, law); }});
}

}  // namespace tri::app::verify_parts
