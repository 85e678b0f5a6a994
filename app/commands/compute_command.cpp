// `compute`: a job on a file, from its input to its output.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/commands/compute_output.hpp"
#include "app/commands/distance_job.hpp"
#include "app/support/axes.hpp"
#include "app/support/commands.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/file_roles.hpp"
#include "app/support/json_text.hpp"
#include "app/support/text_table.hpp"
#include "sim/backend/job_units.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/typed_text.hpp"
#include "sim/maps/figurate.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/resolution.hpp"
#include "sim/scene/scene.hpp"
#include "sim/scene/scene_checks.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

/// Every job reports its result as one JSON object, or one line per quantity.
void report(const RunConfig& config, Console& console, const Json& result) {
  if (config.common.json) {
    console.print(json_text(result));
    return;
  }
  std::string text;
  for (const auto& [key, value] : result.items()) {
    const std::string shown = value.is_string()         ? value.get<std::string>()
                              : value.is_number_float() ? fmt::format("{:.9g}", value.get<double>())
                                                        : value.dump();
    text += fmt::format("{:<12}{}\n", key, shown);
  }
  console.print(text + fmt::format("{:<12}{}\n", "wrote", config.compute.output));
}

/// The bodies of the input; prints the reader's notes on assumed values.
Bodies input_bodies(const RunConfig& config, Console& console, ReadReport& reading) {
  Bodies bodies = read_bodies(config.compute.input, reading);
  check_files_read(config);
  for (const std::string& note : reading.notes) console.note(note);
  return bodies;
}

/// The laws of the options, in the periodic cell of the input and with the G of its units.
ForceField field_in(const RunConfig& config, const Bodies& bodies, const ReadReport& reading) {
  ForceField field = config.compute.field;
  if (reading.units != nullptr && config.given.count("--G") == 0) field.gravity.G = reading.units->G;
  field.box = box_of(config.compute.input, reading);
  check_in_cell(config.compute.input, field, largest_radius(bodies));
  return field;
}

PointSet input_points(const RunConfig& config, Console& console, Precision precision) {
  Notes notes;
  const PointColumns columns{config.compute.columns, precision == Precision::fp32};
  PointSet points = read_points(config.compute.input, columns, &notes);
  check_files_read(config);
  for (const std::string& note : notes) console.note(note);
  return points;
}

std::string pair_map(const EngineConfig& engine) { return info(engine.pair_map).name; }

void distances(const RunConfig& config, Console& console) {
  const auto backends = open_backends(config.common, &console);
  const EngineConfig engine = engine_config(config.common, {true, false}, Precision::fp64);
  const PointSet points = input_points(config, console, engine.precision);
  const ComputeOptions& compute = config.compute;
  const DistanceJob job{points, compute.layout, engine, compute.output, compute.rows_at_once};
  const double ms = compute_distances(job, backends, console);
  report(config, console,
         {{"n", points.n},
          {"features", points.features},
          {"layout", to_string(job.layout)},
          {"map", pair_map(engine)},
          {"precision", to_string(engine.precision)},
          {"work_items", distance_count(points.n, DistanceLayout::condensed)},
          {"ms", ms}});
}

/// Says what float32 loses of positions, which the job has already moved nearer to the origin.
void note_resolution(const Bodies& bodies, const ForceField& field, Console& console) {
  if (are_floats(bodies)) return;
  const std::string loss = resolution_loss(bodies, field, std::numeric_limits<double>::infinity(), Precision::fp32);
  if (!loss.empty()) console.note(loss + ": digits of the forces are lost. Use --precision fp64.");
}

/// The same of spheres that this will happen to.
void note_spheres(const Bodies& bodies, Box box, Console& console) {
  const auto moved = centred(bodies, box);
  const auto sphere = moved_by_rounding(moved ? *moved : bodies);
  if (!sphere) return;
  console.note(fmt::format(
      "float32 rounds the place of body {} by more than a 64th of its radius, {:.3g}, so contacts may be missed or too "
      "many. Use --precision fp64.",
      *sphere, bodies.r[*sphere]));
}

/// The box of the option, which the cell of the file must not contradict; without it that cell.
Box box_in(const RunConfig& config, Console& console, const ReadReport& reading) {
  const Box& given = config.compute.box;
  const std::string& path = config.compute.input;
  if (config.given.count("--box") == 0) return box_of(path, reading);
  if (!reading.strange_cell.empty()) {
    console.note(fmt::format("'{}' {}; --box counts in its place.", path, reading.strange_cell));
    return given;
  }
  const Box own = box_of(path, reading);
  for (std::size_t axis = 0; own.boundary == Boundary::periodic && axis < 3; ++axis) {
    const double side = own.high[axis] - own.low[axis], wanted = given.high[axis] - given.low[axis];
    if (std::abs(side - wanted) <= 1e-12 * side) continue;
    throw ConfigError(
        fmt::format("'{}' is in a periodic cell with the side {} along {}, and --box has {}; leave --box "
                    "out, or take the cell out of the file.",
                    path, side, "xyz"[axis], wanted));
  }
  return given;
}

void collisions(const RunConfig& config, Console& console, Backend& backend) {
  ReadReport reading;
  Bodies bodies = input_bodies(config, console, reading);
  const Box box = box_in(config, console, reading);
  scene::enter_box(bodies, box);
  if (std::all_of(bodies.r.begin(), bodies.r.end(), [](double r) { return r == 0; })) {
    console.note("every radius is 0, so only bodies at the same position collide; give the file a column r.");
  }
  const EngineConfig engine = engine_config(config.common, {true, false}, Precision::fp64);
  ForceField spheres;
  spheres.pair = PairLaw::contact;
  check_effect(config.common, spheres, engine, backend.info().name);
  if (engine.precision == Precision::fp32) note_spheres(bodies, box, console);
  const ScopedTask work(fmt::format("collisions of {} bodies", grouped(bodies.size())));
  CollisionResult result = backend.collisions(bodies, engine, box);
  const u64 n = bodies.size(), all = n < 2 ? 0 : triangular(n - 1);
  if (backend.info().name != "cpu" && !config.common.blocks.empty() && result.work_items < all) {
    console.note("the grid found these contacts, and --block is of all pairs: add --broad-phase all-pairs.");
  }
  for (auto& pair : result.pairs) std::swap(pair.first, pair.second);
  std::sort(result.pairs.begin(), result.pairs.end());
  if (config.compute.per_body) {
    write_counts(config.compute.output, result.per_body);
  } else {
    write_pairs(config.compute.output, result.pairs);
  }
  report(config, console,
         {{"n", bodies.size()},
          {"collisions", result.pairs.size()},
          {"map", pair_map(engine)},
          {"precision", to_string(engine.precision)},
          {"work_items", result.work_items},
          {"ms", result.ms}});
}

double largest(const ForceResult& f, std::size_t i) {
  return std::max({std::abs(f.fx[i]), std::abs(f.fy[i]), std::abs(f.fz[i])});
}

/// Says which forces float32 has lost, or the quantum of ordered sums: where one is 0 or so small, all are computed
/// once more, in float64 and added fast.
void note_vanished(const Bodies& bodies, const ForceField& field, EngineConfig config, const ForceResult& found,
                   Backend& backend, Console& console) {
  constexpr double kDoubtful = 0x1p-116, kPart = 0x1p-36, kLost = 1e-3;
  const bool fp32 = config.precision == Precision::fp32, ordered = config.accumulate == Accumulate::ordered;
  if (!(fp32 || ordered) || field.pair == PairLaw::contact) return;  // whose forces are 0, or none so small
  double most = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) most = std::max(most, largest(found, i));
  const double limit = std::max(fp32 ? kDoubtful : 0, ordered ? kPart * most : 0);
  std::vector<std::size_t> doubtful;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (largest(found, i) < limit) doubtful.push_back(i);
  }
  if (doubtful.empty()) return;
  config.precision = Precision::fp64, config.accumulate = Accumulate::fast;
  const ForceResult right = backend.make_engine(bodies, field, config)->forces();
  std::erase_if(doubtful, [&](std::size_t i) {
    const double force = largest(right, i);
    return std::abs(largest(found, i) - force) <= kLost * force;
  });
  if (doubtful.empty()) return;
  const std::size_t first = doubtful.front();
  console.note(fmt::format("{} the force on {} {}: {:.3g} on body {}, and not {:.3g}. Use {}.",
                           fp32 ? "float32 loses" : "ordered sums lose", grouped(doubtful.size()),
                           doubtful.size() == 1 ? "body" : "bodies", largest(right, first), first,
                           largest(found, first), fp32 ? "--precision fp64" : "--accumulate fast"));
}

/// Both laws, typed ones as their texts.
std::string law_of(const ForceField& field) {
  if (field.triple == TripleLaw::none) return pair_law_words(field);
  return field.pair == PairLaw::none ? triple_law_words(field) : pair_law_words(field) + "; " + triple_law_words(field);
}

void forces(const RunConfig& config, Console& console, Backend& backend) {
  ReadReport reading;
  Bodies bodies = input_bodies(config, console, reading);
  ForceField field = field_in(config, bodies, reading);
  scene::enter_box(bodies, field.box);
  if (const auto missing = scene::missing_column(bodies, field); !missing.sentence.empty()) {
    throw ConfigError(
        fmt::format("{}: {}; give the file a column {}.", config.compute.input, missing.sentence, missing.file));
  }
  const Domains domains = domains_of(field);
  const EngineConfig asked = engine_config(config.common, domains, Precision::fp64);
  if (asked.precision == Precision::fp32) {
    if (auto moved = centred(bodies, field.box)) bodies = *std::move(moved);
  }
  const auto engine = backend.make_engine(bodies, field, asked);  // refuses what is lost altogether
  check_effect(config.common, field, engine->config(), backend.info().name);
  if (asked.precision == Precision::fp32) note_resolution(bodies, field, console);
  const ScopedTask work(fmt::format("forces on {} bodies", grouped(bodies.size())));
  const ForceResult result = engine->forces();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (std::isfinite(result.fx[i]) && std::isfinite(result.fy[i]) && std::isfinite(result.fz[i])) continue;
    throw NumericalError(
        fmt::format("the force on body {} is not finite ({}, {}, {}); two bodies may be at the same position.", i,
                    result.fx[i], result.fy[i], result.fz[i]));
  }
  note_vanished(bodies, field, asked, result, backend, console);
  write_forces(config.compute.output, result.fx, result.fy, result.fz);
  report(config, console,
         {{"n", bodies.size()},
          {"law", law_of(field)},
          {"map", domains.pairs ? info(engine->config().pair_map).name : info(engine->config().triple_map).name},
          {"precision", to_string(engine->config().precision)},
          {"energy", result.potential},
          {"virial", result.virial},
          {"work_items", result.work_items},
          {"ms", result.ms}});
}

void triplets(const RunConfig& config, Console& console, Backend& backend) {
  const PointSet points = input_points(config, console, Precision::fp64);
  const SideBins bins{config.compute.bins};
  const EngineConfig engine = engine_config(config.common, {false, true}, Precision::fp64);
  const ScopedTask work(fmt::format("triples of {} points", grouped(points.n)));
  const TripleCounts result = backend.triplets(points, bins, engine);
  write_triple_counts(config.compute.output, bins, result);
  report(config, console,
         {{"n", points.n},
          {"features", points.features},
          {"bins", result.bins},
          {"inside", result.work_items - result.outside},
          {"outside", result.outside},
          {"map", result.by_products ? pair_map(engine) : info(engine.triple_map).name},
          {"by_products", result.by_products},
          {"work_items", result.work_items},
          {"ms", result.ms}});
}

}  // namespace

int run_compute(const RunConfig& config, Console& console) {
  if (config.compute.job == ComputeJob::distances) {
    distances(config, console);
    return static_cast<int>(ExitCode::ok);
  }
  const auto backend = open_backend(config.common, &console);
  switch (config.compute.job) {
    case ComputeJob::distances:
      break;
    case ComputeJob::collisions:
      collisions(config, console, *backend);
      break;
    case ComputeJob::forces:
      forces(config, console, *backend);
      break;
    case ComputeJob::triplets:
      triplets(config, console, *backend);
      break;
  }
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
