#include "app/support/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/support/option_values.hpp"
#include "app/support/text_table.hpp"
#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/user_values.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/integrator.hpp"
#include "sim/simulation.hpp"

namespace tri::app {
namespace {

[[noreturn]] void fail_unknown_map(const std::string& name, Domains domains) {
  if (find_gasket_map(name)) {
    throw ConfigError(
        fmt::format("--map {} is a map of the gasket; bench --kernel gasket and run gasket take it.", name));
  }
  std::vector<std::string> names;
  if (domains.pairs) {
    for (const MapInfo& map : triangle_maps()) names.emplace_back(map.name);
  }
  if (domains.triples) {
    for (const MapInfo& map : tetra_maps()) {
      if (!find_triangle_map(map.name) || !domains.pairs) names.emplace_back(map.name);
    }
  }
  throw ConfigError("--map: " + unknown_name("map", name, names));
}

/// Gives a domain its map; two for one domain are an error.
template <class Id>
void take(std::optional<Id>& place, Id id, const char* domain) {
  if (place) {
    throw ConfigError(
        fmt::format("--map {},{}: both are maps of {}; name one of them.", info(*place).name, info(id).name, domain));
  }
  place = id;
}

void choose_maps(EngineOverrides& overrides, const std::vector<std::string>& names, Domains domains) {
  auto& pairs = overrides.pair_map;
  auto& triples = overrides.triple_map;
  std::vector<std::string> shared;
  for (const std::string& name : names) {
    const auto pair = find_triangle_map(name);
    const auto triple = find_tetra_map(name);
    if (!pair && !triple) fail_unknown_map(name, domains);
    if (!(pair && domains.pairs) && !(triple && domains.triples)) {
      throw ConfigError(fmt::format("--map {} is a map of {}, and nothing here goes over {}.", name,
                                    pair ? "pairs" : "triples", pair ? "pairs" : "triples"));
    }
    if (pair && triple && domains.pairs && domains.triples) {
      shared.push_back(name);
    } else if (pair && domains.pairs) {
      take(pairs, *pair, "pairs");
    } else {
      take(triples, *triple, "triples");
    }
  }
  for (const std::string& name : shared) {
    if (pairs && triples) take(pairs, *find_triangle_map(name), "pairs");
    if (!pairs) pairs = find_triangle_map(name);
    if (!triples) triples = find_tetra_map(name);
  }
}

}  // namespace

Domains domains_of(const ForceField& field) { return {field.pair != PairLaw::none, field.triple != TripleLaw::none}; }

EngineOverrides engine_overrides(const CommonOptions& common, Domains domains) {
  EngineOverrides overrides = common;
  choose_maps(overrides, common.maps, domains);
  if (common.blocks.size() == 2 && !(domains.pairs && domains.triples)) {
    throw ConfigError(
        fmt::format("--block {},{} gives a side to pairs and one to triples, and nothing here goes over {}.",
                    common.blocks[0], common.blocks[1], domains.pairs ? "triples" : "pairs"));
  }
  if (!common.blocks.empty() && !domains.pairs && !domains.triples) {
    throw ConfigError("--block is the side of a tile of pairs or triples, and no law goes over them; leave it out.");
  }
  if (!common.blocks.empty()) {
    if (domains.pairs) overrides.pair_block = common.blocks.front();
    if (domains.triples) overrides.triple_block = common.blocks.back();
  }
  return overrides;
}

EngineConfig engine_config(const CommonOptions& common, Domains domains, Precision precision) {
  EngineConfig config;
  config.precision = precision;
  const EngineOverrides given = engine_overrides(common, domains);
  apply_overrides(given, config);
  // Products go over pairs, and whoever names a map of triples means that one, also where it is the default.
  if (given.triple_map && !given.arithmetic) config.arithmetic = Arithmetic::float32;
  return config;
}

void check_choices(const CommonOptions& common, const ForceField& field) {
  if (common.broad_phase.value_or(BroadPhase::automatic) != BroadPhase::automatic && field.pair != PairLaw::contact) {
    throw ConfigError(fmt::format("--broad-phase belongs to contact, and the law of pairs is {}; leave it out.",
                                  to_string(field.pair)));
  }
  if (common.pairs == PairSearch::tree && field.pair != PairLaw::gravity) {
    throw ConfigError(
        fmt::format("--pairs tree is of gravity, and the law of pairs is {}; leave it out.", to_string(field.pair)));
  }
  if (common.accumulate && field.pair == PairLaw::none && field.triple == TripleLaw::none) {
    throw ConfigError("--accumulate says how forces are summed, and no law gives any; leave it out.");
  }
}

std::string check_effect(const CommonOptions& common, const ForceField& field, const EngineConfig& engine,
                         const std::string& backend) {
  const bool by_grid = field.pair == PairLaw::contact && engine.broad_phase == BroadPhase::grid;
  if (backend != "cpu" && by_grid && !common.blocks.empty() && field.triple == TripleLaw::none) {
    throw ConfigError(
        "--block is the side of a tile of all pairs, and a GPU finds these contacts by the cells of a grid; leave it "
        "out, or add --broad-phase all-pairs.");
  }
  const bool tree = engine.pairs == PairSearch::tree;
  // `auto` takes the tree for a tolerance where it is faster, and else all pairs, which keep it.
  const bool chosen = common.pairs.value_or(PairSearch::automatic) == PairSearch::automatic;
  const bool acts = tree || chosen || engine.arithmetic == Arithmetic::tensor;
  if (common.tolerance.value_or(Tolerance::automatic) != Tolerance::automatic &&
      (field.pair != PairLaw::gravity || !acts)) {
    throw ConfigError(
        fmt::format("--tolerance is of gravity by a tree or on tensor cores, and here is neither; leave it out{}.",
                    field.pair == PairLaw::gravity ? ", or add --pairs tree" : ""));
  }
  if (tree && !common.blocks.empty() && field.triple == TripleLaw::none) {
    throw ConfigError(
        "--block is the side of a tile of all pairs, and the leaves of the tree have their own; leave it "
        "out, or use --pairs all.");
  }
  if (common.accumulate && field.pair == PairLaw::contact && field.contact.impulse && field.triple == TripleLaw::none) {
    return "impulses are applied one after another in the order of the bodies, so --accumulate changes nothing.";
  }
  return "";
}

std::string idle_integrator(const RunOptions& run, const ForceField& field) {
  const bool forces = field.triple != TripleLaw::none || field.field != std::array<double, 3>{} ||
                      (field.pair == PairLaw::contact ? !field.contact.impulse : field.pair != PairLaw::none);
  return forces || !run.integrator ? "" : "no force acts here, so every --integrator moves the bodies alike.";
}

int first_device(const CommonOptions& common) {
  return std::max(0, common.devices.empty() ? common.device : common.devices.front());
}

CommonOptions on_one_device(CommonOptions common) {
  if (common.devices.empty()) return common;
  common.device = first_device(common);
  common.devices.clear();
  return common;
}

namespace {

/// --devices, of which 'all' is no number.
std::vector<int> devices_of(const CommonOptions& common) {
  return usable_devices(common.devices == std::vector<int>{kAllDevices} ? std::vector<int>() : common.devices);
}

/// Tells of what was chosen, and checks it against the options.
void introduce(const Backend& backend, const CommonOptions& common, Console* console) {
  const std::string name = common.device >= 0 || !common.devices.empty() ? "cuda" : common.backend;
  const BackendInfo chosen = backend.info();
  if (console != nullptr) {
    console->detail(fmt::format("backend {}: {}, {}", chosen.name, chosen.device, chosen.detail));
    for (const BackendEntry& other : name == "auto" ? list_backends() : std::vector<BackendEntry>{}) {
      if (!other.available) console->detail(fmt::format("not {}: {}.", other.name, other.available.reason));
    }
  }
  if (common.threads.value_or(0) != 0 && chosen.name != "cpu") {
    throw ConfigError(
        fmt::format("--threads counts host threads of the cpu backend, and --backend {} chose {}. Add "
                    "--backend cpu, or leave --threads out.",
                    common.backend, chosen.name));
  }
  if (common.slice_ms && chosen.name == "cpu") {
    throw ConfigError("--slice-ms is of kernels on a GPU, and the backend is cpu; leave it out.");
  }
}

}  // namespace

std::unique_ptr<Backend> open_backend(const CommonOptions& common, Console* console) {
  const bool device = common.device >= 0 || !common.devices.empty();
  const std::string name = device ? "cuda" : common.backend;
  if (device && has_ranks()) {
    throw ConfigError(
        "--device and --devices choose GPUs of one process, and a launcher started several: each rank takes the GPU of "
        "its number on its machine. Leave them out, or start one process.");
  }
  auto backend = common.devices.empty() ? make_backend(name, std::max(0, common.device))
                                        : make_devices_backend(devices_of(common));
  introduce(*backend, common, console);
  return backend;
}

std::string chosen_backend(const CommonOptions& common) {
  if (common.device >= 0 || !common.devices.empty()) return "cuda";
  if (common.backend != "auto") return common.backend;
  for (const BackendEntry& entry : list_backends()) {
    if (entry.name == "cuda" && entry.available) return "cuda";
  }
  return "cpu";
}

std::vector<std::unique_ptr<Backend>> open_backends(const CommonOptions& common, Console* console) {
  std::vector<std::unique_ptr<Backend>> backends;
  if (common.devices.empty()) {
    backends.push_back(open_backend(common, console));
    return backends;
  }
  for (const int device : devices_of(common)) {
    CommonOptions one = common;
    one.devices.clear(), one.device = device;
    backends.push_back(open_backend(one, console));
  }
  return backends;
}

// What to say about a closed system whose energy drifts.

namespace {

constexpr std::size_t kMaxBodies = 20000;
constexpr double kGoodError = 1e-4;  ///< that a proposed step aims at
constexpr double kFinerEta = 10;
constexpr double kStepsInFreeFall = 50;  ///< of the closest pair

struct ClosestPair {
  std::size_t i = 0, j = 0;
  double distance2 = INFINITY;
};

/// Of bodies in the box; across periodic walls, too.
ClosestPair closest_pair(const Bodies& b, const Box& box) {
  ClosestPair closest;
  const auto between = [&](std::size_t axis, double a, double c) {
    const double d = std::abs(a - c);
    return box.boundary == Boundary::periodic ? std::min(d, std::abs(box.high[axis] - box.low[axis] - d)) : d;
  };
  LoopProgress progress(b.size());
  for (std::size_t i = 1; i < b.size(); ++i) {
    progress.at(i);
    for (std::size_t j = 0; j < i; ++j) {
      const double dx = between(0, b.x[i], b.x[j]), dy = between(1, b.y[i], b.y[j]), dz = between(2, b.z[i], b.z[j]);
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

bool energy_is_off(const DiagnosticsRow& row) {
  constexpr double kOff = 0.01;  // relative
  return std::abs(row.energy_error) > kOff;
}

std::string energy_warning(const DiagnosticsRow& row, const Simulation& simulation) {
  const Scene& scene = simulation.scene();
  const bool gravity = scene.field.pair == PairLaw::gravity;
  const bool automatic = simulation.automatic();
  double step = smaller_step(scene.dt, scene.integrator, row.energy_error);
  std::string where;
  if (const std::size_t n = simulation.size(); n >= 2 && n <= kMaxBodies) {
    const Bodies bodies = simulation.bodies();
    const ClosestPair pair = closest_pair(bodies, scene.field.box);
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
