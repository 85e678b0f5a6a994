// From a parsed command line to its command; the commands `law` and `convert`.
//
// `law`: what a typed law was understood as, its checks and programs, and its energy and force over the distance.

#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/commands/run.hpp"
#include "app/options/options.hpp"
#include "app/plot/plot.hpp"
#include "app/support/console.hpp"
#include "app/support/json.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/scene/scene.hpp"
#include "tri_version.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;
using expression::law_curves;
using expression::LawCurves;
using expression::Over;
using expression::TypedLaw;

constexpr u32 kRows = 16, kSamples = 400;

/// From the options; else up to a little beyond the cut-off, or to 3.
std::pair<double, double> distances_of(const LawOptions& options, const TypedLaw& typed) {
  const bool pairs = typed.law->over() == Over::pairs;
  const double cutoff = pairs ? typed.law->cutoff(typed.values) : 0;
  const double to = options.to.value_or(cutoff > 0 ? 1.1 * cutoff : options.from ? 10 * *options.from : 3);
  const double from = options.from.value_or(to / 12);
  if (from < to) return {from, to};
  throw ConfigError(fmt::format("--from {} is beyond the last distance, {:.6g}; give --to, too.", from, to));
}

std::vector<std::string> columns_of(const expression::Law& law) {
  std::vector<std::string> columns;
  if ((law.uses() & laws::kMass) != 0) columns.emplace_back("masses");
  if ((law.uses() & laws::kRadius) != 0) columns.emplace_back("radii");
  if ((law.uses() & laws::kCharge) != 0) columns.emplace_back("charges");
  return columns;
}

std::string one_line(const TypedLaw& typed) {
  ForceField field;
  const bool pairs = typed.law->over() == Over::pairs;
  (pairs ? field.typed_pair : field.typed_triple) = typed;
  field.pair = PairLaw::typed, field.triple = TripleLaw::typed;
  return pairs ? pair_law_text(field) : triple_law_text(field);
}

/// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const TypedLaw& typed, const LawCurves& rows) {
  const expression::Law& law = *typed.law;
  Json j;
  j["law"] = one_line(typed);
  j["over"] = law.over() == Over::pairs ? "pairs" : "triples";
  j["reads"] = columns_of(law);
  j["parameters"] = Json::object();
  for (std::size_t p = 0; p < typed.values.size(); ++p) j["parameters"][law.parameters()[p].name] = typed.values[p];
  j["sums"] = law.weighs_masses() ? "accelerations" : "forces";
  j["check"] = {
      {"samples", law.check().samples}, {"asymmetry", law.check().asymmetry}, {"derivative", law.check().derivative}};
  j["instructions"] = {{"force", law.strength().code.size()}, {"energy", law.strength_and_energy().code.size()}};
  j["uniforms"] = law.uniform_count();
  j["values"] = Json::array();
  for (std::size_t k = 0; k < rows.r.size(); ++k) {
    j["values"].push_back({{"r", rows.r[k]}, {"energy", number(rows.energy[k])}, {"force", number(rows.force[k])}});
  }
  return j;
}

std::string text_of(const TypedLaw& typed, const LawCurves& rows) {
  const expression::Law& law = *typed.law;
  std::string text, parameters;
  const auto line = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("{:<12}{}\n", name, value);
  };
  const bool pairs = law.over() == Over::pairs;
  for (std::size_t p = 0; p < typed.values.size(); ++p) {
    parameters += fmt::format("{}{} = {}", p == 0 ? "" : ", ", law.parameters()[p].name, typed.values[p]);
  }
  const std::vector<std::string> columns = columns_of(law);
  line("law", one_line(typed));
  line("over", pairs ? "pairs" : "triples");
  line("reads",
       fmt::format("{}{}{}", pairs ? "distances" : "sides", columns.empty() ? "" : ", ", fmt::join(columns, ", ")));
  line("parameters", parameters.empty() ? "none" : parameters);
  line("sums", law.weighs_masses() ? "accelerations: the energy is mi mj times a function without them" : "forces");
  line("check", fmt::format("symmetric, by proof; derivative to {:.1e}, at {} random inputs", law.check().derivative,
                            law.check().samples));
  line("program", fmt::format("{} instructions, {} with the energy; {} values computed once",
                              law.strength().code.size(), law.strength_and_energy().code.size(), law.uniform_count()));
  text += fmt::format("\n{:>12}{:>16}{:>16}\n", pairs ? "r" : "side", "energy", "force");
  for (std::size_t k = 0; k < rows.r.size(); ++k) {
    text +=
        fmt::format("{:>12.6g}{:>16}{:>16}\n", rows.r[k], real_text(rows.energy[k], 9), real_text(rows.force[k], 9));
  }
  return text + (pairs ? "of bodies with m = 1, radius 0.5 and q = 1; the force is -dE/dr\n"
                       : "of an equilateral triangle; the force is minus the derivative by its side\n");
}

LawWords words_of(const TypedLaw& typed) {
  if (typed.law->over() == Over::pairs) {
    return {one_line(typed), "Two bodies with m = 1, radius 0.5 and q = 1", "distance r"};
  }
  return {one_line(typed), "An equilateral triangle of bodies", "side"};
}

}  // namespace

int run_law(const RunConfig& config, Console& console) {
  const LawOptions& options = config.law;
  const TypedLaw typed = expression::typed_law(options.text, options.triples ? Over::triples : Over::pairs);
  const auto [from, to] = distances_of(options, typed);
  if (!options.plot.empty()) {
    io::OutputFile file(options.plot);
    const std::string svg = law_svg(words_of(typed), law_curves(typed, from, to, kSamples));
    file.write(svg.data(), svg.size());
    file.commit();
  }
  const LawCurves rows = law_curves(typed, from, to, kRows);
  console.print(config.common.json ? json_text(json_of(typed, rows)) : text_of(typed, rows));
  std::vector<double> without;
  for (std::size_t k = 0; k < rows.r.size(); ++k) {
    if (!std::isfinite(rows.energy[k]) || !std::isfinite(rows.force[k])) without.push_back(rows.r[k]);
  }
  if (!without.empty()) {
    console.note(fmt::format("the law has no finite value at {} of {} distances, the first of them {:.6g}.",
                             without.size(), rows.r.size(), without.front()));
  }
  return static_cast<int>(ExitCode::ok);
}

// `convert`: bodies from one format to another.

namespace {

/// What a scene sets beside its bodies, where a file of bodies that is run has something else; empty: nothing.
std::string left_behind(const Scene& scene) {
  std::vector<std::string> parts;
  const ForceField& f = scene.field;
  ForceField of_file;
  if (const UnitSystem* units = find_unit_system(scene.units)) of_file.gravity.G = units->G;
  if (laws_text(f) != laws_text(of_file)) parts.push_back(fmt::format("the law ({})", laws_text(f)));
  if (f.box.boundary == Boundary::reflecting) {
    parts.push_back(fmt::format("the reflecting walls from ({:.6g}) to ({:.6g})", fmt::join(f.box.low, ", "),
                                fmt::join(f.box.high, ", ")));
  }
  if (f.field != of_file.field) parts.push_back(fmt::format("the uniform field ({:.6g})", fmt::join(f.field, ", ")));
  if (scene.eta > 0) parts.push_back(fmt::format("dt = auto with eta = {:.6g}", scene.eta));
  if (scene.eta == 0 && scene.dt != kFileSceneDt) parts.push_back(fmt::format("dt = {:.6g}", scene.dt));
  if (scene.integrator != Integrator::kdk) parts.push_back("integrator = " + to_string(scene.integrator));
  if (scene.precision) parts.push_back("precision = " + to_string(*scene.precision));
  const ViewHints& view = scene.view;
  if (!(view.shape + view.colour + view.colours).empty()) parts.emplace_back("its view");
  if (!scene.groups.empty()) parts.emplace_back("the names of the groups");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Bodies of a file, or of a scene at its start, and what is known of them.
Bodies bodies_of(const std::string& input, const UnitSystem* asked, ReadReport& reading, std::string& left) {
  reading.asked = asked;
  if (!takes_keys(input)) {
    if (std::optional<Bodies> bodies = read_named_file(input, reading)) return std::move(*bodies);
  }
  // Throws an error that names both possibilities.
  Scene scene = open_scene(asked == nullptr ? input : with_units(input, asked->name));
  reading.notes = scene.notes;
  reading.time = 0;
  reading.units = find_unit_system(scene.units);
  if (scene.field.box.boundary != Boundary::open || scene.cell) reading.box = scene.field.box;
  reading.names = scene.names.empty() ? body_names(input) : std::move(scene.names);
  left = left_behind(scene);
  return std::move(scene.bodies);
}

}  // namespace

int run_convert(const RunConfig& config, Console& console) {
  const ConvertOptions& convert = config.convert;
  ReadReport reading;
  const std::string& units = config.run.units;
  std::string left;
  Bodies bodies = bodies_of(convert.input, units.empty() ? nullptr : &unit_system_from(units), reading, left);
  for (const std::string& note : reading.notes) console.note(note);
  if (!reading.strange_cell.empty()) {
    console.note(fmt::format("warning: '{}' {}; dropped.", convert.input, reading.strange_cell));
  }
  check_files_read(config);
  const double time = reading.time.value_or(0);
  const StateInfo state{time, reading.units == nullptr ? "" : reading.units->name, reading.box.value_or(Box{}),
                        reading.box.has_value(), !reading.names.empty()};
  for (const std::string& lost : make_storable(convert.output, bodies, state)) console.note("warning: " + lost);
  if (!left.empty()) {
    console.note(
        fmt::format("'{}' has the bodies of the scene, and not {}: name them again where it is used, or take "
                    "a snapshot (triangulum run SCENE --steps 0 -o FILE.hdf5).",
                    convert.output, left));
  }
  write_bodies(convert.output, bodies, state);
  if (config.common.json) {
    // None of these values needs escaping in JSON.
    console.print(fmt::format("{{\"n\": {}, \"format\": \"{}\", \"time\": {}}}\n", bodies.size(),
                              format_name(convert.output), time));
  } else {
    console.note(fmt::format("{} written to {}", counted(bodies.size(), "body", "bodies"), convert.output));
  }
  return static_cast<int>(ExitCode::ok);
}

// From a parsed command line to its command.

namespace {

/// Whether stopping a command early leaves nothing useful: its result is a file, which would be incomplete.
bool gives_up(Command command) { return command == Command::convert || command == Command::compute; }

/// Whether a command that does not end soon after Ctrl-C may be cut off wherever it is. A run saves the state after its
/// step, the window and its films end after a frame, and bench reports what it has.
bool may_be_cut_off(const RunConfig& config) {
  switch (config.command) {
    case Command::run:
    case Command::render:
    case Command::view:
    case Command::demo:
    case Command::short_help:
      return false;
    case Command::bench:
      return config.bench.tune;
    default:
      return true;
  }
}

int dispatch(const RunConfig& config, Console& console, const GuiCommands& gui) {
  switch (config.command) {
    case Command::short_help:
      if (gui.available()) return gui.view(config, console);
      console.note(short_help_text() + fmt::format("\nThe app: {}.", gui.available().reason));
      return static_cast<int>(ExitCode::usage);
    case Command::help:
      console.print(config.topic.empty() ? short_help_text() : help_text(config.topic));
      return static_cast<int>(ExitCode::ok);
    case Command::version:
      console.print(fmt::format("triangulum {}\n", kVersionFull));
      return static_cast<int>(ExitCode::ok);
    case Command::view:
    case Command::demo:
      return gui.view(config, console);
    case Command::render:
      return gui.render(config, console);
    case Command::run:
      return run_simulation(config, console);
    case Command::bench:
      return run_bench_command(config, console);
    case Command::verify:
      if (config.verify.what == "tree") return run_verify_tree(config, console);
      return config.verify.what.empty() ? run_verify(config, console) : run_verify_map(config, console);
    case Command::compute:
      return run_compute(config, console);
    case Command::plot:
      return run_plot(config, console);
    case Command::info:
      return run_info(config, console, gui);
    case Command::list:
      return run_list(config, console);
    case Command::law:
      return run_law(config, console);
    case Command::convert:
      return run_convert(config, console);
    case Command::doctor:
      return run_doctor(config, console, gui);
    case Command::completion:
      return run_completion(config, console);
    case Command::man:
      return run_man(config, console);
    case Command::cite:
      return run_cite(config, console);
  }
  TRI_UNREACHABLE("a Command outside its enum");
}

}  // namespace

int run_command(const RunConfig& config, Console& console, const GuiCommands& gui) {
  check_outputs(config);
  ProgressLine line(console, interrupt_flag(), gives_up(config.command));
  const ScopedProgressSink watching(line);
  std::optional<InterruptDeadline> deadline;
  if (may_be_cut_off(config)) {
    deadline.emplace([&] { say_interrupted(console, config.common.json, cut_off_sentence()); });
  }
  try {
    check_writable(config, console);
    return dispatch(config, console, gui);
  } catch (const InterruptedError& ended) {
    say_interrupted(console, config.common.json, ended.what());
    return static_cast<int>(ended.code());
  }
}

}  // namespace tri::app
