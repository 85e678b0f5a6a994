// Options of `render`.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/options/option_specs.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/scene/scene.hpp"
#include "sim/scene/view_names.hpp"

namespace tri::app {
namespace {

constexpr u64 kMinSide = 16, kMaxFrames = 999'999, kMaxSteps = u64{1} << 53, kMaxFps = 1000;
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

void check_render(RunConfig& config) {
  RenderOptions& render = config.render;
  if (render.output.empty()) {
    throw ConfigError("render needs -o, the place for its frames: a folder, FILE.mp4 or FILE.png.");
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
  if (config.given.count("--fps") && render.target != FrameTarget::video) {
    throw ConfigError("--fps is the speed of a video, and --output names none. Leave it out, or name FILE.mp4.");
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
  if (render.transparent && render.target == FrameTarget::video) {
    throw ConfigError("--transparent: a video has no alpha. Name a folder, or FILE.png.");
  }
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

}  // namespace tri::app
