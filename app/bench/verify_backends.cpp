// What verify checks of a backend: laws, jerks, and jobs such as distances and collisions.
//
// Laws on a backend: forces, energy and the number of pairs or triples against the float64 reference, on every map, odd
// sizes and several tile sides; and bit-equality of ordered accumulation.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "app/bench/verify.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::verify_parts {
namespace {

double limit_of(Precision precision, const LawCase& law) {
  return precision == Precision::fp32 ? 1e-4 * law.slack32 : 1e-12 * law.slack64;
}

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

bool has_values(const ReferenceForces& f) {
  const auto finite = [](const std::vector<double>& all) {
    return std::all_of(all.begin(), all.end(), [](double v) { return std::isfinite(v); });
  };
  return std::isfinite(f.potential) && finite(f.fx) && finite(f.fy) && finite(f.fz);
}

/// One state in one configuration. May throw ConfigError for a thread-space map.
void check_forces(Backend& backend, const LawCase& law, const Bodies& bodies, const ReferenceForces& want,
                  const EngineConfig& config, VerifyOutcome& outcome) {
  const u32 n = static_cast<u32>(bodies.size());
  const std::string text = case_text(config, law, n);
  const double limit = limit_of(config.precision, law);
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
  if (precision == Precision::fp64) return "";
  for (const u32 n : law_sizes(law, plan)) {
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

/// Why a typed law cannot be checked; empty: it can.
std::string refusal_of(const VerifyPlan& plan, Backend& backend, const LawCase& law, Precision precision) {
  if (plan.law.empty() && plan.triple_law.empty()) return "";
  for (const u32 n : law_sizes(law, plan)) {
    if (has_values(reference_forces(law.bodies(n, plan.seed), law.field))) continue;
    return "the law has no value at some distances of the lattice, as log and sqrt below 0.";
  }
  return lost_in_float32(plan, backend, law, precision);
}

VerifyOutcome check_law(const VerifyPlan& plan, Backend& backend, const LawCase& law, Precision precision,
                        Accumulate accumulate) {
  VerifyOutcome outcome;
  outcome.skipped = refusal_of(plan, backend, law, precision);
  if (!outcome.skipped.empty()) return outcome;
  const bool triples = law.field.triple != TripleLaw::none;
  for (const u32 n : law_sizes(law, plan)) {
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
  std::vector<u32> sizes = law_sizes(law, plan);
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
  outcome.skipped = refusal_of(plan, backend, law, precision);
  if (!outcome.skipped.empty()) return outcome;
  for (const u32 n : law_sizes(law, plan)) {
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
                          "against float64", limit_of(precision, law), [plan, &backend, law, precision, accumulate] {
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
                        "against float64", limit_of(precision_of_tensor(law), law),
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

// Accelerations and jerks of gravity, from which the Hermite scheme and steps of automatic length are computed, against
// the float64 reference on every map; and the bit-equality of their ordered sums.

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

/// The largest squared rates of a pair, by their definition (sim/laws/gravity.hpp).
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
  for (const u32 n : law_sizes(law, plan)) {
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
  for (const u32 n : law_sizes(law, plan)) {
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

// Checks of orbits with a known error, distances, collisions and the bench kernels.

namespace {

/// Largest |dE/E| of one Kepler orbit, e = 0.5, from apocentre, in kdk: 4.0129e-4, 1.0038e-4, 2.5099e-5 at 512, 1024,
/// 2048 steps (an independent program in float64); and 1000 steps there and back.
VerifyOutcome check_orbits(Backend& backend) {
  VerifyOutcome outcome;
  EngineConfig config;
  config.precision = Precision::fp64;
  const Scene scene = make_scene("kepler");
  const double period = scene.dt * 1024;  // the scene's dt is T / 1024
  for (const auto& [steps, known] :
       {std::pair{512u, 4.0129e-4}, std::pair{1024u, 1.0038e-4}, std::pair{2048u, 2.5099e-5}}) {
    const auto engine = backend.make_engine(scene.bodies, scene.field, config);
    const double begin = engine->diagnose().energy();
    double largest = 0;
    for (u32 s = 0; s < steps; ++s) {
      engine->advance(Integrator::kdk, period / steps, 1);
      largest = std::max(largest, std::abs(engine->diagnose().energy() / begin - 1));
    }
    outcome.add(std::abs(largest / known - 1), 1e-4, fmt::format("{} steps: largest |dE/E| {:.5g}", steps, largest));
  }
  const auto engine = backend.make_engine(scene.bodies, scene.field, config);
  engine->advance(Integrator::kdk, period / 1024, 1000);
  engine->advance(Integrator::kdk, -period / 1024, 1000);
  const Bodies back = engine->read();
  double distance = 0;
  for (std::size_t i = 0; i < back.size(); ++i) {
    distance = std::max(distance, std::hypot(back.x[i] - scene.bodies.x[i], back.y[i] - scene.bodies.y[i]));
  }
  outcome.add(distance, 1e-11, "1000 steps and back");
  return outcome;
}

PointSet points_of(u32 n, u32 features, u64 seed) {
  const Bodies bodies = jittered_lattice(n * features, seed, 0);
  return {n, features, {bodies.x.begin(), bodies.x.begin() + n * features}};
}

std::vector<double> as_doubles(const DistanceResult& result) {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, result.values);
}

/// Compares with the reference on every map.
VerifyOutcome check_distances(const VerifyPlan& plan, Backend& backend, DistanceLayout layout, Precision precision) {
  VerifyOutcome outcome;
  const double limit = precision == Precision::fp32 ? 2e-6 : 1e-14;
  const bool in_turn = !plan.full && backend.info().name == "cuda";
  u32 turn = 0;
  for (const u32 n : plan.full ? std::vector<u32>{1, 2, 33, 150, 513} : std::vector<u32>{1, 2, 33, 150}) {
    ++turn;  // the other maps at the next size
    for (const u32 features : {1u, 2u, 3u, 4u, 7u, 16u}) {
      ++turn;
      const PointSet points = points_of(n, features, plan.seed);
      const std::vector<double> want = reference_distances(points, layout);
      for (const MapInfo& map : triangle_maps()) {
        EngineConfig config;
        config.precision = precision, config.threads = plan.threads;
        config.pair_map = *find_triangle_map(map.name);
        // Calls of a device wait for each other: a quick run gives each map every second number of features.
        if (in_turn && (static_cast<u32>(config.pair_map) + turn) % 2 != 0) continue;
        config.pair_block = features % 2 == 0 ? 0 : 24;
        if (!refusal(map, n, std::max(config.pair_block, 1u)).empty()) continue;
        const std::vector<double> got = as_doubles(backend.distances(points, layout, config));
        const std::string text = fmt::format("n = {}, {} features, --map {}", n, features, map.name);
        outcome.add_exact(got.size() == want.size(), text + ": wrong number of values");
        double worst = 0;
        for (std::size_t i = 0; i < got.size() && got.size() == want.size(); ++i) {
          const double error = std::abs(got[i] - want[i]) / std::max(want[i], 1e-3);
          worst = error <= worst ? worst : error;
        }
        outcome.add(worst, limit, text);
      }
    }
  }
  return outcome;
}

/// Whether a pair touches up to rounding, so that two precisions may differ.
bool touches(const Bodies& b, const std::pair<u32, u32>& pair) {
  const auto [i, j] = pair;
  const double d = std::hypot(b.x[i] - b.x[j], b.y[i] - b.y[j], b.z[i] - b.z[j]);
  return std::abs(d - b.r[i] - b.r[j]) < 1e-5;
}

void check_collisions(const CollisionResult& got, const Bodies& bodies, const std::vector<std::pair<u32, u32>>& want,
                      const EngineConfig& config, VerifyOutcome& outcome) {
  const u64 n = bodies.size();
  std::vector<std::pair<u32, u32>> differ;
  std::set_symmetric_difference(got.pairs.begin(), got.pairs.end(), want.begin(), want.end(),
                                std::back_inserter(differ));
  if (config.precision == Precision::fp32) std::erase_if(differ, [&](const auto& p) { return touches(bodies, p); });
  u64 ends = 0;
  for (const u32 count : got.per_body) ends += count;
  // The grid tests neighbours alone; all pairs are counted.
  const bool counted = config.broad_phase == BroadPhase::grid || got.work_items == n * (n - 1) / 2;
  outcome.add_exact(
      differ.empty() && ends == 2 * got.pairs.size() && counted,
      fmt::format("n = {}, --map {}, --broad-phase {}: {} pairs, {} wanted, {} differ", n, info(config.pair_map).name,
                  to_string(config.broad_phase), got.pairs.size(), want.size(), differ.size()));
}

VerifyOutcome check_collisions(const VerifyPlan& plan, Backend& backend, Precision precision) {
  VerifyOutcome outcome;
  for (const u32 n : plan.full ? std::vector<u32>{1, 2, 65, 500, 3000} : std::vector<u32>{1, 2, 65, 500}) {
    const Bodies bodies = jittered_lattice(n, plan.seed, 0.52);
    const auto want = reference_collisions(bodies);
    for (const MapInfo& map : triangle_maps()) {
      EngineConfig config;
      config.precision = precision, config.threads = plan.threads;
      config.pair_map = *find_triangle_map(map.name);
      for (const BroadPhase broad_phase : {BroadPhase::all_pairs, BroadPhase::grid}) {
        config.broad_phase = broad_phase;
        check_collisions(backend.collisions(bodies, config), bodies, want, config, outcome);
      }
    }
  }
  return outcome;
}

/// A small run of a bench kernel on each of its maps with the bench's own check. Only thread-space maps may be refused.
VerifyOutcome check_kernel(const VerifyPlan& plan, Backend& backend, BenchKernel kernel) {
  VerifyOutcome outcome;
  const BenchKernelInfo& row = info(kernel);
  const bool places = row.has(BenchAxis::fractal);
  for (const std::string& map : maps_of_kernel(kernel, {"all"})) {
    for (const u64 n : row.verify_n) {
      for (const auto placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
        if (!places && placement != GasketPlacement::subbox) continue;
        BenchSpec spec;
        spec.kernel = kernel, spec.map = map, spec.n = n, spec.placement = placement, spec.form = row.default_form();
        spec.threads = plan.threads, spec.seed = plan.seed;
        std::unique_ptr<BenchCase> bench;
        try {
          bench = backend.make_bench(spec);
        } catch (const ConfigError&) {
          // Tile kernels do not support thread-space maps.
          const auto pairs = find_triangle_map(map);
          if (row.domain != Domain::triangle || !pairs || info(*pairs).space == Space::block) throw;
          continue;
        }
        bench->run();
        const BenchCheck check = bench->check();
        outcome.add_exact(check.passed, fmt::format("n = {}, --map {}: error {:.3g} against {}", n, map,
                                                    check.max_rel_err, check.reference));
      }
    }
  }
  return outcome;
}

/// The gasket family: every form, map and placement on each built-in fractal, against plain loops.
VerifyOutcome check_fractals(const VerifyPlan& plan, Backend& backend) {
  VerifyOutcome outcome;
  for (const Fractal& fractal : list_fractals()) {
    for (const BenchForm form : info(BenchKernel::gasket).forms) {
      for (const MapInfo& map : gasket_maps()) {
        for (const auto placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
          BenchSpec spec;
          spec.kernel = BenchKernel::gasket, spec.map = map.name, spec.placement = placement;
          spec.form = form, spec.fractal = fractal.name;
          spec.n = power_of(fractal.shape.scale(), fractal.shape.scale() == 2 ? 5 : 3);
          spec.block = fractal.shape.scale(), spec.threads = plan.threads, spec.seed = plan.seed;
          const auto bench = backend.make_bench(spec);
          bench->run();
          const BenchCheck check = bench->check();
          outcome.add_exact(check.passed, fmt::format("{}, --form {}, --map {}: error {:.3g} against {}", fractal.name,
                                                      to_string(form), map.name, check.max_rel_err, check.reference));
        }
      }
    }
  }
  return outcome;
}

}  // namespace

void add_orbit_checks(const VerifyPlan&, Backend& backend, std::vector<VerifyCheck>& checks) {
  checks.push_back(
      {backend.info().name + " kepler fp64", "known energy error", 1e-4, [&backend] { return check_orbits(backend); }});
}

void add_job_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks) {
  const std::string name = backend.info().name;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const auto layout : kDistanceLayouts) {
      checks.push_back(
          {fmt::format("{} distances {} {}", name, to_string(layout), to_string(precision)), "against float64",
           precision == Precision::fp32 ? 2e-6 : 1e-14,
           [plan, &backend, layout, precision] { return check_distances(plan, backend, layout, precision); }});
    }
    checks.push_back({fmt::format("{} collisions {}", name, to_string(precision)), "the set of pairs against float64",
                      0, [plan, &backend, precision] { return check_collisions(plan, backend, precision); }});
  }
}

void add_kernel_checks(const VerifyPlan& plan, Backend& backend, std::vector<VerifyCheck>& checks) {
  for (const BenchKernelInfo& kernel : bench_kernels()) {
    checks.push_back({fmt::format("{} bench {}", backend.info().name, kernel.name), "its own check on every map", 0,
                      [plan, &backend, id = kernel.id] { return check_kernel(plan, backend, id); }});
  }
  checks.push_back({backend.info().name + " bench fractals", "every form and placement on every map", 0,
                    [plan, &backend] { return check_fractals(plan, backend); }});
}

}  // namespace tri::app::verify_parts
