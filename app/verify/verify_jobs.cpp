// Checks of orbits with a known error, distances, collisions and the bench kernels.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/support/axes.hpp"
#include "app/verify/verify_cases.hpp"
#include "app/verify/verify_parts.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/reference/reference.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::verify_parts {
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
