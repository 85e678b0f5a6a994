// Laws on a backend: forces, energy and the number of pairs or triples against the float64 reference, on every map, odd
// sizes and several tile sides; and bit-equality of ordered accumulation.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/verify/verify_cases.hpp"
#include "app/verify/verify_parts.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"

namespace tri::app::verify_parts {
namespace {

double limit_of(Precision precision) { return precision == Precision::fp32 ? 1e-4 : 1e-12; }

/// Errors of forces relative to the rms force of the reference.
struct ForceError {
  double rms = 0, largest = 0;
};

ForceError force_error(const ForceResult& got, const ReferenceForces& want) {
  const std::size_t n = want.fx.size();
  if (got.fx.size() != n || got.fy.size() != n || got.fz.size() != n) return {NAN, NAN};
  double scale2 = 0, error2 = 0, largest2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double dx = got.fx[i] - want.fx[i], dy = got.fy[i] - want.fy[i], dz = got.fz[i] - want.fz[i];
    const double e2 = dx * dx + dy * dy + dz * dz;
    scale2 += want.fx[i] * want.fx[i] + want.fy[i] * want.fy[i] + want.fz[i] * want.fz[i];
    error2 += e2;
    largest2 = e2 <= largest2 ? largest2 : e2;  // a NaN stays
  }
  if (scale2 == 0) return {std::sqrt(error2), std::sqrt(largest2)};
  return {std::sqrt(error2 / scale2), std::sqrt(largest2 / (scale2 / static_cast<double>(n)))};
}

double relative(double got, double want) { return std::abs(got - want) / std::max(std::abs(want), 1e-300); }

u64 pairs_of(u64 n) { return n * (n - 1) / 2; }
u64 triples_of(u64 n) { return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6; }

/// One state in one configuration. May throw ConfigError for a thread-space map.
void check_forces(Backend& backend, const LawCase& law, const Bodies& bodies, const ReferenceForces& want,
                  const EngineConfig& config, VerifyOutcome& outcome) {
  const u32 n = static_cast<u32>(bodies.size());
  const std::string text = case_text(config, law, n);
  const double limit = limit_of(config.precision);
  const auto engine = backend.make_engine(bodies, law.field, config);
  const ForceResult got = engine->forces();
  const ForceError error = force_error(got, want);
  outcome.add(error.largest, limit, text + ", largest force error");
  outcome.add(error.rms, limit / 10, text + ", rms force error");
  outcome.add(relative(got.potential, want.potential), limit, text + ", energy");
  const bool triples = law.field.triple != TripleLaw::none;
  if (config.broad_phase == BroadPhase::grid) return;  // tests neighbours alone
  outcome.add_exact(got.work_items == (triples ? triples_of(n) : pairs_of(n)), text + ": not every tuple once");
}

/// Why float32 cannot hold a typed law among these bodies, where float64 can; empty: it can, or neither does.
std::string lost_in_float32(const VerifyPlan& plan, Backend& backend, const LawCase& law, Precision precision) {
  if (precision == Precision::fp64 || (plan.law.empty() && plan.triple_law.empty())) return "";
  for (const u32 n : law_sizes(law, plan.full)) {
    const Bodies bodies = law.bodies(n, plan.seed);
    EngineConfig config;
    try {
      backend.make_engine(bodies, law.field, config);
    } catch (const ConfigError& error) {
      config.precision = Precision::fp64;
      backend.make_engine(bodies, law.field, config);
      return error.what();
    }
  }
  return "";
}

VerifyOutcome check_law(const VerifyPlan& plan, Backend& backend, const LawCase& law, Precision precision,
                        Accumulate accumulate) {
  VerifyOutcome outcome;
  outcome.skipped = lost_in_float32(plan, backend, law, precision);
  if (!outcome.skipped.empty()) return outcome;
  const bool triples = law.field.triple != TripleLaw::none;
  for (const u32 n : law_sizes(law, plan.full)) {
    const Bodies bodies = law.bodies(n, plan.seed);
    const ReferenceForces want = reference_forces(bodies, law.field);
    for (const EngineConfig& config : law_configs(backend.info().name, law, plan, n, precision, accumulate)) {
      const Space space = triples ? info(config.triple_map).space : info(config.pair_map).space;
      try {
        check_forces(backend, law, bodies, want, config, outcome);
      } catch (const ConfigError&) {
        if (space == Space::block) throw;
      }
    }
  }
  return outcome;
}

/// A precision and law that a GPU may sum on tensor cores.
Precision precision_of_tensor(const LawCase& law) {
  return law.field.triple == TripleLaw::none ? Precision::fp32 : Precision::fp64;
}

bool has_tensor(Backend& backend, const LawCase& law) {
  EngineConfig config;
  config.precision = precision_of_tensor(law), config.arithmetic = Arithmetic::tensor;
  try {
    backend.make_engine(law.bodies(3, 1), law.field, config);
  } catch (const ConfigError&) {
    return false;
  }
  return true;
}

/// The same on tensor cores, along every map of pairs that gives tiles to blocks.
VerifyOutcome check_tensor(const VerifyPlan& plan, Backend& backend, const LawCase& law, Accumulate accumulate) {
  VerifyOutcome outcome;
  const bool triples = law.field.triple != TripleLaw::none;
  std::vector<u32> sizes = law_sizes(law, plan.full);
  sizes.push_back(triples ? 200 : plan.full ? 6000 : 1000);
  const auto maps = triangle_maps();
  for (const u32 n : sizes) {
    const Bodies bodies = law.bodies(n, plan.seed);
    const ReferenceForces want = reference_forces(bodies, law.field);
    for (std::size_t m = 0; m < maps.size(); ++m) {
      if (maps[m].space == Space::thread) continue;
      EngineConfig config;
      config.precision = precision_of_tensor(law), config.accumulate = accumulate;
      config.arithmetic = Arithmetic::tensor, config.pair_map = static_cast<TriangleMapId>(m);
      check_forces(backend, law, bodies, want, config, outcome);
    }
  }
  return outcome;
}

/// Forces and the state after some steps must be bit-equal in all configurations.
VerifyOutcome check_ordered(const VerifyPlan& plan, Backend& backend, const LawCase& law, Precision precision) {
  VerifyOutcome outcome;
  outcome.skipped = lost_in_float32(plan, backend, law, precision);
  if (!outcome.skipped.empty()) return outcome;
  for (const u32 n : law_sizes(law, plan.full)) {
    const Bodies bodies = law.bodies(n, plan.seed);
    std::optional<ForceResult> first;
    u64 first_hash = 0;
    for (EngineConfig config : law_configs(backend.info().name, law, plan, n, precision, Accumulate::ordered)) {
      const Space space =
          law.field.triple != TripleLaw::none ? info(config.triple_map).space : info(config.pair_map).space;
      if (space == Space::thread) continue;
      const auto engine = backend.make_engine(bodies, law.field, config);
      ForceResult forces = engine->forces();
      engine->advance(Integrator::kdk, 1e-4, 2);
      const u64 hash = engine->state_hash();
      if (!first) {
        first = std::move(forces), first_hash = hash;
        continue;
      }
      const bool same = forces.fx == first->fx && forces.fy == first->fy && forces.fz == first->fz;
      outcome.add_exact(same && hash == first_hash, case_text(config, law, n) + ": other bits");
    }
  }
  return outcome;
}

}  // namespace

void add_law_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks) {
  const std::string name = backend.info().name;
  for (const LawCase& law : law_cases(plan)) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
        checks.push_back({fmt::format("{} {} {} {}", name, law.name, to_string(precision), to_string(accumulate)),
                          "against float64", limit_of(precision), [plan, &backend, law, precision, accumulate] {
                            return check_law(plan, backend, law, precision, accumulate);
                          }});
      }
    }
  }
}

void add_tensor_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks) {
  for (const LawCase& law : law_cases()) {
    if (!has_tensor(backend, law)) continue;
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      checks.push_back({fmt::format("{} {} tensor {}", backend.info().name, law.name, to_string(accumulate)),
                        "against float64", limit_of(precision_of_tensor(law)),
                        [plan, &backend, law, accumulate] { return check_tensor(plan, backend, law, accumulate); }});
    }
  }
}

void add_ordered_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks) {
  for (const LawCase& law : law_cases(plan)) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      checks.push_back({fmt::format("{} {} {} bits", backend.info().name, law.name, to_string(precision)),
                        "equal over maps, blocks, threads", 0,
                        [plan, &backend, law, precision] { return check_ordered(plan, backend, law, precision); }});
    }
  }
}

}  // namespace tri::app::verify_parts
