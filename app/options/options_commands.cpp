// The tables of options of run, view, render, compute and plot.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/options/options.hpp"
#include "app/session/demo_table.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/integrator.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app {
namespace {

constexpr u64 kMaxRunSteps = u64{1} << 53;

/// K, dt=T or wall=TIME.
SaveEvery save_every(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string kind = text.substr(0, equals);
  SaveEvery every;
  if (equals == std::string::npos) {
    every.by = SaveEvery::By::steps;
    every.steps = whole_number("--save-every", text, 1, kMaxRunSteps);
    return every;
  }
  const std::string amount = text.substr(equals + 1);
  if (kind == "dt") {
    every.by = SaveEvery::By::time;
    every.amount = positive_number("--save-every dt=", amount);
  } else if (kind == "wall") {
    every.by = SaveEvery::By::wall;
    every.amount = duration("--save-every wall=", amount);
  } else {
    throw ConfigError(fmt::format(
        "--save-every takes K steps, dt=T of simulated time, or wall=TIME as in wall=10m; got '{}'.", text));
  }
  return every;
}

void check_state_file(const char* option, const std::string& path) {
  if (path.empty() || has_known_extension(path)) return;
  throw ConfigError(fmt::format(
      "{} {}: the extension names the format; take .hdf5, .csv, .vtp or another of triangulum list formats.", option,
      path));
}

void check_snapshots(const RunOptions& run) {
  const bool saves = run.save_every.by != SaveEvery::By::never;
  if (saves && run.snapshot.empty()) {
    throw ConfigError("--save-every needs --snapshot PATTERN, as in --snapshot state_{step}.hdf5.");
  }
  if (!run.snapshot.empty() && !saves && !run.walltime) {
    throw ConfigError("--snapshot needs --save-every, which says when (or --walltime, to write the last state).");
  }
  if (!run.snapshot.empty() && run.snapshot.find("{step}") == std::string::npos) {
    throw ConfigError(
        fmt::format("--snapshot {}: the name needs {{step}} where the number of the step goes, as in "
                    "state_{{step}}.hdf5.",
                    run.snapshot));
  }
  if (run.walltime && run.snapshot.empty() && run.output.empty()) {
    throw ConfigError("--walltime needs --snapshot PATTERN or -o FILE, where the state goes when the time is over.");
  }
  check_state_file("--snapshot", run.snapshot);
  if (!names_automaton(run.scene)) check_state_file("--output", run.output);  // cells have formats of their own
}

void check_run(const RunConfig& config) {
  const RunOptions& run = config.run;
  if (run.scene.empty() && run.restart.empty()) {
    throw ConfigError("run needs SCENE|FILE, or --restart FILE. See triangulum run --help.");
  }
  if (has_known_extension(run.restart) && format_name(run.restart) != "hdf5") {
    throw ConfigError(
        fmt::format("--restart {0}: a run goes on from a snapshot in .hdf5 alone. Begin a new one with its bodies: "
                    "triangulum run {0}.",
                    run.restart));
  }
  if (run.steps && run.until) throw ConfigError("--steps and --until exclude each other.");
  if (!run.steps && !run.until && run.restart.empty()) {
    throw ConfigError("run needs its length: --steps N or --until T.");
  }
  if (run.diag == "-" && run.output == "-") {
    throw ConfigError("--diag - and -o - would mix two files on standard output; name a file for one of them.");
  }
  if (run.diag == "-" && !run.restart.empty()) {
    throw ConfigError("--diag - begins a new table, and --restart continues one; name its file.");
  }
  if (run.diag_every && run.diag.empty()) throw ConfigError("--diag-every needs --diag FILE.csv to write to.");
  if (!run.restart.empty() && !(run.law.empty() && run.triple_law.empty())) {
    throw ConfigError(fmt::format("--restart {} goes on with the laws of its run; leave out {}.", run.restart,
                                  run.law.empty() ? "--triple-law" : "--law"));
  }
  check_steps(run);
  check_snapshots(run);
  check_work(config.common);
}

}  // namespace

void add_steps(CommandSpec& spec, RunOptions& run) {
  const auto dt = [&run](const std::string& v) {
    run.dt_auto = v == "auto";
    run.dt.reset();
    if (run.dt_auto) return;
    try {
      run.dt = positive_number("--dt", v);
    } catch (const ConfigError&) {
      throw ConfigError(fmt::format("--dt takes a number greater than 0, or auto; got '{}'.", v));
    }
  };
  spec.add("--dt", dt);
  spec.value("--eta", run.eta, positive_number);
  spec.add("--integrator", [&run](const std::string& v) { run.integrator = integrator_from(v); }).hint =
      hint_names(integrator_names());
}

void check_steps(const RunOptions& run) {
  if (run.eta && run.dt) {
    throw ConfigError("--eta is the accuracy of automatic steps, and --dt gives their length; leave one of them out.");
  }
}

CommandSpec run_spec(RunConfig& config) {
  RunOptions& run = config.run;
  CommandSpec spec{Command::run, "run", {}, {}, [&config] { check_run(config); }};
  spec.positionals.push_back({"SCENE|FILE", false, text_into(run.scene), false, hint_scenes(true)});
  spec.value("--steps", run.steps, whole_number, 0, kMaxRunSteps);
  spec.value("--until", run.until, non_negative_number);
  add_steps(spec, run);
  add_laws(spec, run.law, run.triple_law);
  add_law_parameters(spec, run.parameters);
  spec.units(run.units);
  spec.add("--diag", text_into(run.diag)).hint = hint_file();
  spec.value("--diag-every", run.diag_every, whole_number, 1, kMaxRunSteps);
  spec.value("--energy-limit", run.energy_limit, positive_number);
  spec.add("--save-every", [&run](const std::string& v) { run.save_every = save_every(v); }).hint =
      hint_names({"dt=", "wall="});
  spec.add("--snapshot", text_into(run.snapshot)).hint = hint_file();
  spec.add("--restart", text_into(run.restart)).hint = hint_file();
  spec.value("--walltime", run.walltime, duration);
  spec.add("-o,--output", text_into(run.output)).hint = hint_file();
  spec.flag("--orbits", run.orbits);
  spec.append(common_specs(config.common, kOfScenes | kDevices));
  return spec;
}

// Options of `view`.

namespace {

constexpr u64 kMinWindowSide = 320;
constexpr double kMinScale = 0.5, kLargestScale = 4;

void check_view(const RunConfig& config) {
  const ViewOptions& view = config.view;
  if (!view.screenshot.empty() && view.script.empty() && !view.exit_after) {
    throw ConfigError("--screenshot needs --exit-after FRAMES or --script FILE, at whose end it is taken.");
  }
  if (!view.screenshot.empty() && !view.screenshot.ends_with(".png")) {
    throw ConfigError(fmt::format("--screenshot {}: it writes PNG; end the name in .png.", view.screenshot));
  }
  if (view.scale && (*view.scale < kMinScale || *view.scale > kLargestScale)) {
    throw ConfigError(fmt::format("--scale {}: letters and panels can be scaled by {} to {}.", *view.scale, kMinScale,
                                  kLargestScale));
  }
  if (!view.record.empty() && frame_target("--record", view.record) == FrameTarget::picture) {
    throw ConfigError(fmt::format("--record {}: it takes FILE.mp4, FILE.webp or a folder.", view.record));
  }
  check_work(config.common);
}

}  // namespace

CommandSpec view_spec(RunConfig& config) {
  ViewOptions& view = config.view;
  CommandSpec spec{Command::view, "view", {}, {}, [&config] { check_view(config); }};
  spec.positionals.push_back({"SCENE|FILE", false, text_into(config.run.scene), false, hint_scenes(true)});
  spec.units(config.run.units);
  add_laws(spec, config.run.law, config.run.triple_law);
  add_law_parameters(spec, config.run.parameters);
  spec.add("--script", text_into(view.script)).hint = hint_file();
  spec.add("--screenshot", text_into(view.screenshot)).hint = hint_file();
  spec.value("--exit-after", view.exit_after, whole_number, 1, 1u << 30);
  spec.one_of<Present>("--present", {"auto", "interop", "copy"}, view.present);
  spec.flag("--presentation", view.presentation);
  spec.one_of<Pace>("--pace", {"auto", "display", "free"}, view.pace);
  spec.add("--size", [&view](const std::string& v) {
    std::tie(view.width, view.height) = picture_size("--size", v, kMinWindowSide);
  });
  spec.add("--record", text_into(view.record)).hint = hint_file();
  spec.value("--scale", view.scale, positive_number);
  spec.one_of<Language>("--language", kNamesOf<Language>.list(), view.language);
  spec.add("--shader-dir", text_into(view.shader_dir)).hint = hint_folder();
  spec.append(common_specs(config.common, kOfScenes | kDevices | kNoJson));
  return spec;
}

CommandSpec demo_spec(RunConfig& config) {
  CommandSpec spec = view_spec(config);
  spec.command = Command::demo, spec.name = "demo";
  const auto read = [&config, names = demo_names()](const std::string& v) {
    config.view.demo = names[choice("demo", v, names)];
  };
  spec.positionals.insert(spec.positionals.begin(), {"NAME", true, read, false, hint_names(demo_names())});
  constexpr std::string_view kOfView[] = {"--script", "--units", "--law", "--triple-law"};  // a demo has its own
  std::erase_if(spec.options, [&](const OptionSpec& o) {
    return parameter_of(o.names) != nullptr ||
           std::find(std::begin(kOfView), std::end(kOfView), o.names) != std::end(kOfView);
  });
  return spec;
}

// Options of `render`.

namespace {

constexpr u64 kMinSide = 16, kMaxFrames = 999'999, kMaxSteps = u64{1} << 53, kMaxFps = 1000, kMaxDpi = 2400;
constexpr double kSteepest = 89;
constexpr u64 kMaxBody = ~u32{0};

/// YAW,PITCH or YAW,PITCH,ZOOM.
void read_camera(RenderOptions& render, const std::string& text) {
  std::vector<double> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(finite_number("--camera", text.substr(at, comma - at)));
    at = comma + 1;
  }
  if (parts.size() < 2 || parts.size() > 3) {
    throw ConfigError(fmt::format(
        "--camera {}: it takes YAW,PITCH or YAW,PITCH,ZOOM, angles in degrees, as in --camera 30,20.", text));
  }
  if (parts[1] < -kSteepest || parts[1] > kSteepest) {
    throw ConfigError(fmt::format("--camera {}: PITCH is {}, but must lie in [-89, 89] degrees.", text, parts[1]));
  }
  if (parts.size() == 3 && !(parts[2] > 0)) {
    throw ConfigError(
        fmt::format("--camera {}: ZOOM is {}, but must be more than 0; 2 is twice as near.", text, parts[2]));
  }
  render.yaw = parts[0], render.pitch = parts[1];
  if (parts.size() == 3) render.zoom = parts[2];
}

void read_turn(RenderOptions& render, const std::string& text) {
  if (text == "orbit") {
    render.orbit = true;
  } else {
    render.turn = finite_number("--turn", text);
  }
}

/// "X,Y,Z,DISTANCE".
void read_look_at(RenderOptions& render, const std::string& text) {
  std::array<double, 4> numbers{};
  std::size_t count = 0, begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    if (count == numbers.size()) throw ConfigError(fmt::format("--look-at {}: it takes X,Y,Z,DISTANCE.", text));
    numbers[count++] = finite_number("--look-at", text.substr(begin, end - begin));
  }
  if (count < numbers.size() || !(numbers[3] > 0)) {
    throw ConfigError(fmt::format("--look-at {}: it takes X,Y,Z,DISTANCE, the last more than 0.", text));
  }
  render.look_at = numbers;
}

/// Options about what stands in a picture.
void check_picture(const RunConfig& config) {
  const RenderOptions& render = config.render;
  const bool page = render.target == FrameTarget::page, video = render.target == FrameTarget::video;
  for (const char* option : {"--size", "--turn", "--camera-path", "--follow", "--transparent", "--white", "--dpi",
                             "--scale-bar", "--legend", "--clock", "--present", "--shader-dir"}) {
    if (!page || config.given.count(option) == 0) continue;
    throw ConfigError(fmt::format(
        "{} has no meaning for a page, which a browser draws in its window, turned by hand; leave it out.", option));
  }
  if (page && render.trails == "on") throw ConfigError("--trails on: a page draws no trails; leave it out.");
  if (render.transparent && video) {
    throw ConfigError("--transparent: a video has no alpha. Name a folder, or FILE.png.");
  }
  if (render.dpi && video) throw ConfigError("--dpi: a video has no dots an inch. Name a folder, or FILE.png.");
  if (render.white && render.transparent) throw ConfigError("--white and --transparent: choose one of them.");
  if (render.look_at && !render.camera_path.empty()) {
    throw ConfigError("--look-at and --camera-path both say where the camera is; leave one out.");
  }
  if (render.look_at && render.follow) {
    throw ConfigError("--look-at and --follow both say what the camera looks at; leave one out.");
  }
}

void check_render(RunConfig& config) {
  RenderOptions& render = config.render;
  if (render.output.empty()) {
    throw ConfigError(
        "render needs -o, the place for its frames: a folder, FILE.mp4, FILE.webp, FILE.png or FILE.html.");
  }
  render.target = frame_target("--output", render.output);
  if (names_automaton(config.run.scene)) {
    throw ConfigError(fmt::format("{} is an automaton on cells, and render draws bodies; triangulum view {} shows it.",
                                  config.run.scene, config.run.scene));
  }
  const bool several = render.target != FrameTarget::picture;
  // Of a recorded run all states are frames, which the files tell.
  if (several && !render.frames && takes_keys(config.run.scene)) throw ConfigError(kNeedsFrames);
  if (!several && config.given.count("--frames") && *render.frames != 1) {
    throw ConfigError(fmt::format("--output {}: one PNG file holds one frame, and --frames is {}. Name a folder.",
                                  render.output, *render.frames));
  }
  if (!several) render.frames = 1;
  for (const char* option : {"--steps-per-frame", "--turn", "--fps"}) {
    if (several || config.given.count(option) == 0) continue;
    throw ConfigError(
        fmt::format("{} has no meaning for one picture; --skip STEPS goes on before it is taken.", option));
  }
  for (const char* option : {"--steps-per-frame", "--turn"}) {
    if (!several || render.frames != u64{1} || config.given.count(option) == 0) continue;
    throw ConfigError(fmt::format("{} goes from frame to frame, and --frames is 1; leave it out.", option));
  }
  const bool page = render.target == FrameTarget::page;
  if (config.given.count("--fps") && render.target != FrameTarget::video && !page) {
    throw ConfigError(
        "--fps is the speed of a video or a page, and --output names neither. Leave it out, or name FILE.mp4, "
        "FILE.webp "
        "or FILE.html.");
  }
  if (render.target == FrameTarget::video && (render.width % 2 != 0 || render.height % 2 != 0)) {
    throw ConfigError(
        fmt::format("--size {}x{}: both sides of a video are even numbers.", render.width, render.height));
  }
  for (const char* option : {"--camera", "--turn"}) {
    if (render.camera_path.empty() || config.given.count(option) == 0) continue;
    throw ConfigError(fmt::format("{} and --camera-path both say where the camera is; leave one out.", option));
  }
  if (!several && render.trails == "on" && render.skip == 0) {
    throw ConfigError("--trails on: one picture of the start has no way behind its bodies; add --skip STEPS.");
  }
  check_picture(config);
  check_steps(config.run);
  check_work(config.common);
}

void add_look(CommandSpec& spec, RenderOptions& render) {
  spec.one_of("--shape", kBodyShapeNames, render.shape);
  spec.one_of("--colour", kColourNames, render.colour);
  spec.one_of("--colours", kColourMapNames, render.colours);
  spec.flag("--logarithm", render.logarithm);
  spec.value("--body-size", render.body_size, positive_number);
  spec.value("--light", render.light, positive_number);
  spec.flag("--axes", render.axes);
  spec.flag("--grid", render.grid);
  spec.one_of("--trails", {"on", "off"}, render.trails);
  spec.add("--camera", [&render](const std::string& v) { read_camera(render, v); });
  spec.add("--turn", [&render](const std::string& v) { read_turn(render, v); }).hint = hint_names({"orbit"});
  spec.add("--camera-path", text_into(render.camera_path)).hint = hint_file();
  spec.flag("--transparent", render.transparent);
  spec.flag("--white", render.white);
  spec.flag("--scale-bar", render.scale_bar);
  spec.flag("--legend", render.legend);
  spec.flag("--clock", render.clock);
  spec.flag("--no-box", render.no_box);
  spec.add("--look-at", [&render](const std::string& v) { read_look_at(render, v); });
  spec.value("--dpi", render.dpi, whole_number, 1, kMaxDpi);
  spec.value("--follow", render.follow, whole_number, 0, kMaxBody);
}

}  // namespace

CommandSpec render_spec(RunConfig& config) {
  RenderOptions& render = config.render;
  CommandSpec spec{Command::render, "render", {}, {}, [&config] { check_render(config); }};
  spec.positionals.push_back({"SCENE|FILE", true, text_into(config.run.scene), false, hint_scenes(false)});
  spec.add("-o,--output", text_into(render.output)).hint = hint_file();
  spec.value("--frames", render.frames, whole_number, 1, kMaxFrames);
  spec.value("--steps-per-frame", render.steps_per_frame, whole_number, 0, kMaxSteps);
  spec.value("--skip", render.skip, whole_number, 0, kMaxSteps);
  add_steps(spec, config.run);
  spec.units(config.run.units);
  add_laws(spec, config.run.law, config.run.triple_law);
  add_law_parameters(spec, config.run.parameters);
  spec.add("--size", [&render](const std::string& v) {
    std::tie(render.width, render.height) = picture_size("--size", v, kMinSide);
  });
  spec.value("--fps", render.fps, whole_number, 1, kMaxFps);
  add_look(spec, render);
  spec.one_of<Present>("--present", {"auto", "interop", "copy"}, render.present);
  spec.add("--shader-dir", text_into(render.shader_dir)).hint = hint_folder();
  spec.append(common_specs(config.common, kOfScenes | kDevices | kNoJson));
  return spec;
}

// Options of `compute`, and which of them belongs to which job and law.

namespace {

/// Calls f(law, parameter) for every parameter of a law that forces depend on and that has an option.
template <class F>
void for_each_law_option(const F& f) {
  for (const LawInfo& law : all_laws()) {
    for (const LawParameter& p : law.parameters) {
      if (p.option != nullptr && !p.of_motion) f(law, p);
    }
  }
}

constexpr std::string_view kJobs[] = {"distances", "collisions", "forces", "triplets"};

std::string_view name_of(ComputeJob job) { return kJobs[static_cast<int>(job)]; }

/// Options that belong to one job only.
void check_job(const RunConfig& config) {
  const ComputeJob job = config.compute.job;
  std::map<std::string, ComputeJob> owners = {
      {"--layout", ComputeJob::distances},     {"--rows-at-once", ComputeJob::distances},
      {"--per-body", ComputeJob::collisions},  {"--bins", ComputeJob::triplets},
      {"--adjacency", ComputeJob::collisions}, {"--box", ComputeJob::collisions},
      {"--law", ComputeJob::forces},           {"--triple-law", ComputeJob::forces},
      {"--accumulate", ComputeJob::forces},    {"--arithmetic", ComputeJob::forces},
      {"--tolerance", ComputeJob::forces},     {"--pairs", ComputeJob::forces}};
  for_each_law_option([&](const LawInfo&, const LawParameter& p) { owners[p.option] = ComputeJob::forces; });
  for (const std::string& option : config.given) {
    const auto owner = owners.find(option);
    if (owner == owners.end() || owner->second == job) continue;
    throw ConfigError(
        fmt::format("{} is an option of compute {}, not of compute {}.", option, name_of(owner->second), name_of(job)));
  }
}

/// "L" or "LX,LY,LZ" as a periodic box from 0.
Box parse_box(const std::string& text) {
  std::vector<std::string> sides{""};
  for (const char c : text) {
    if (c == ',') {
      sides.emplace_back();
    } else {
      sides.back() += c;
    }
  }
  if (sides.size() != 1 && sides.size() != 3) {
    throw ConfigError(fmt::format("--box takes the side of a periodic box, or three; got '{}'.", text));
  }
  Box box{{0, 0, 0}, {}, Boundary::periodic};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.high[axis] = positive_number("--box", sides[sides.size() == 3 ? axis : 0]);
  }
  return box;
}

/// "a:b:step" as edges a, a + step, ... b, or the edges themselves.
std::vector<double> parse_bins(const std::string& text) {
  std::vector<double> edges;
  const std::size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos) {
    for (const std::string& part : name_list("--bins", text)) edges.push_back(non_negative_number("--bins", part));
    return edges;
  }
  if (second == std::string::npos) {
    throw ConfigError(fmt::format("--bins {}: a range is from:to:step, as in 0:3:0.5.", text));
  }
  const double low = non_negative_number("--bins", text.substr(0, first));
  const double high = non_negative_number("--bins", text.substr(first + 1, second - first - 1));
  const double step = positive_number("--bins", text.substr(second + 1)), steps = (high - low) / step;
  const double whole = std::round(steps);
  if (whole < 1 || whole > SideBins::kMax || std::fabs(steps - whole) > 1e-9 * whole) {
    throw ConfigError(
        fmt::format("--bins {}: the step goes {:.9g} times from {} to {}; it must go 1 to {} times, whole.", text,
                    steps, low, high, SideBins::kMax));
  }
  for (u32 e = 0; e <= static_cast<u32>(whole); ++e) edges.push_back(low + e * step);
  edges.back() = high;
  return edges;
}

/// Integers need no precision.
void check_triplets(const RunConfig& config) {
  if (config.compute.bins.empty()) throw ConfigError("compute triplets needs --bins, as in 0:3:0.5 or 0,1,2,4.");
  check(SideBins{config.compute.bins});
  if (config.given.count("--precision")) {
    throw ConfigError("--precision has no meaning for compute triplets, which counts in float64; leave it out.");
  }
}

/// Points have columns to choose from, bodies those that they need.
void check_columns(const RunConfig& config) {
  const ComputeJob job = config.compute.job;
  if (config.compute.columns.empty() || job == ComputeJob::distances || job == ComputeJob::triplets) return;
  throw ConfigError(fmt::format("--columns is an option of compute distances and compute triplets, not of compute {}.",
                                name_of(job)));
}

/// A grid finds spheres that touch, and nothing else.
void check_broad_phase(const RunConfig& config) {
  if (!config.given.count("--broad-phase")) return;
  if (config.compute.job == ComputeJob::distances || config.compute.job == ComputeJob::triplets) {
    throw ConfigError(
        fmt::format("--broad-phase is an option of compute collisions and compute forces, not of compute "
                    "{}.",
                    name_of(config.compute.job)));
  }
  if (config.compute.job == ComputeJob::forces && config.compute.law != "contact") {
    throw ConfigError(fmt::format("--broad-phase belongs to --law contact, and --law is {}.", config.compute.law));
  }
}

void check_law(RunConfig& config) {
  ComputeOptions& compute = config.compute;
  if (compute.law.empty() && compute.triple_law.empty()) {
    throw ConfigError(fmt::format("compute forces needs --law: an energy, as in \"-mi*mj/r\", or one of {}.",
                                  fmt::join(law_names(), ", ")));
  }
  ForceField& field = compute.field;
  field.pair = PairLaw::none, field.triple = TripleLaw::none;
  if (is_law_text(compute.law)) {
    set_pair_law(field, compute.law);
  } else if (!compute.law.empty()) {
    select_law(field, compute.law);
  }
  if (!compute.triple_law.empty()) {
    if (field.triple != TripleLaw::none) {
      throw ConfigError(
          fmt::format("--law {} and --triple-law are both of triples; leave one of them out.", compute.law));
    }
    set_triple_law(field, compute.triple_law);
  }
  for_each_law_option([&](const LawInfo& law, const LawParameter& p) {
    if (!config.given.count(p.option) || law.acts(field)) return;
    const bool triples = law.triple != TripleLaw::none && !compute.triple_law.empty();
    throw ConfigError(fmt::format("{} belongs to --law {}, and {} is {}.", p.option, law.name,
                                  triples ? "--triple-law" : "--law", triples ? compute.triple_law : compute.law));
  });
  check(compute.field);
}

/// The extension names the format.
void check_output(const ComputeOptions& compute) {
  const bool distances = compute.job == ComputeJob::distances, bits = compute.adjacency;
  const char* const all = distances ? ".npy, .hdf5, .h5 or .csv" : bits ? ".npy" : ".npy or .csv";
  if (compute.output.empty()) throw ConfigError(fmt::format("compute needs -o FILE, with the extension {}.", all));
  if (bits && compute.per_body) {
    throw ConfigError("--adjacency and --per-body write different arrays; give one of them.");
  }
  const std::string format = format_name(compute.output);
  if (format == "npy" || (format == "csv" && !bits) || (distances && format == "hdf5")) return;
  throw ConfigError(fmt::format("-o {}: the extension names the format; take {}{}.", compute.output, all,
                                bits ? ", which holds the bits of --adjacency" : ", or - for csv on standard output"));
}

void check_compute(RunConfig& config) {
  const ComputeOptions& compute = config.compute;
  check_job(config);
  if (config.common.maps.size() > 1) throw ConfigError("compute takes one --map.");
  if (config.common.blocks.size() > 1) throw ConfigError("compute takes one --block.");
  if (compute.job == ComputeJob::forces) check_law(config);
  if (compute.job == ComputeJob::triplets) check_triplets(config);
  check_columns(config);
  check_broad_phase(config);
  check_output(compute);
  if (const u32 unit = distance_row_unit(compute.layout); compute.rows_at_once % unit != 0) {
    throw ConfigError(fmt::format("--rows-at-once {}: rows of --layout blocks come in groups; give a multiple of {}.",
                                  compute.rows_at_once, unit));
  }
}

}  // namespace

CommandSpec compute_spec(RunConfig& config) {
  ComputeOptions& compute = config.compute;
  CommandSpec spec{Command::compute, "compute", {}, {}, [&config] { check_compute(config); }};
  const std::vector<std::string_view> jobs(std::begin(kJobs), std::end(kJobs));
  const auto read_job = [&compute, jobs](const std::string& v) {
    compute.job = static_cast<ComputeJob>(choice("compute", v, jobs));
  };
  spec.positionals.push_back({fmt::format("{}", fmt::join(jobs, "|")), true, read_job, false, hint_names(jobs)});
  spec.positionals.push_back({"INPUT", true, text_into(compute.input), false, hint_file()});
  spec.add("-o,--output", text_into(compute.output)).hint = hint_file();
  spec.one_of<DistanceLayout>("--layout", kNamesOf<DistanceLayout>.list(), compute.layout);
  spec.value("--columns", compute.columns, name_list).hint = hint_list({"x", "y", "z", "vx", "vy", "vz", "m", "r"});
  spec.add("--rows-at-once", [&compute](const std::string& v) {
    compute.rows_at_once = static_cast<u32>(whole_number("--rows-at-once", v, 1, std::numeric_limits<u32>::max()));
  });
  spec.flag("--per-body", compute.per_body);
  spec.flag("--adjacency", compute.adjacency);
  spec.add("--box", [&compute](const std::string& v) { compute.box = parse_box(v); });
  spec.add("--bins", [&compute](const std::string& v) { compute.bins = parse_bins(v); });
  spec.add("--law", [&compute](const std::string& v) { compute.law = law_words("--law", v, law_names(), false); })
      .hint = hint_names(law_names());
  spec.add("--triple-law",
           [&compute](const std::string& v) {
             compute.triple_law = law_words("--triple-law", v, triple_law_names(), true);
           })
      .hint = hint_names(triple_law_names());
  for_each_law_option([&](const LawInfo&, const LawParameter& p) {
    if (p.flag != nullptr) {
      spec.flag(p.option, p.is_set(compute.field));
    } else {
      spec.value(p.option, p.value(compute.field), number_in, p.range);
    }
  });
  spec.append(common_specs(config.common, kBackend | kWork | kPrecision | kAccumulate | kArithmetic | kTolerance |
                                              kPairs | kThreads | kBroadPhase | kSlices | kDevices));
  for (OptionSpec& option : spec.options) {
    if (option.names == "--map") option.hint.several = false;
  }
  return spec;
}

// Options of `plot`.

namespace {

/// In mm: labels need the minimum; no paper is wider than the maximum.
constexpr u32 kMinWidth = 60, kMaxWidth = 1200;

void check_plot(const PlotOptions& plot) {
  for (auto at = plot.inputs.begin(); at != plot.inputs.end(); ++at) {
    if (std::find(plot.inputs.begin(), at, *at) != at)
      throw ConfigError(fmt::format("plot: '{}' is given twice.", *at));
  }
  if (plot.output.empty()) throw ConfigError("plot needs -o FIG.svg.");
  for (const char* extension : {".svg", ".html", ".png", ".pdf"}) {
    if (plot.output.ends_with(extension)) return;
  }
  throw ConfigError(fmt::format("-o {}: a figure is written as .svg, .html, .png or .pdf.", plot.output));
}

}  // namespace

CommandSpec plot_spec(RunConfig& config) {
  PlotOptions& plot = config.plot;
  CommandSpec spec{Command::plot, "plot", {}, {}, [&plot] { check_plot(plot); }};
  spec.positionals.push_back(
      {"RESULT.json", true, [&plot](const std::string& v) { plot.inputs.push_back(v); }, true, hint_file()});
  spec.add("-o,--output", text_into(plot.output)).hint = hint_file();
  spec.one_of<PlotKind>("--kind", {"auto", "both", "improvement", "time", "rate", "report", "idle", "theory"},
                        plot.kind);
  spec.value("--kernel", plot.kernels, name_list).hint = hint_list(kernel_names());
  spec.value("--map", plot.maps, name_list).hint = hint_list(map_names(parse_kernels("all")));
  spec.one_of<PlotX>("--x", {"auto", "n", "block", "features"}, plot.x);
  spec.one_of<PlotLog>("--log", {"auto", "none", "x", "y", "xy"}, plot.log);
  spec.value("--width", plot.width_mm, whole_number, kMinWidth, kMaxWidth);
  spec.flag("-q,--quiet", config.common.quiet);
  return spec;
}

}  // namespace tri::app
