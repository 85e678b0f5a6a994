// Options of `render`.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "app/options/option_specs.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"
#include "sim/model/integrator_names.hpp"
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
  const bool several = render.target != FrameTarget::picture;
  if (several && !render.frames) throw ConfigError("render needs --frames N, the number of frames.");
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
  check_work(config.common);
}

void add_look(CommandSpec& spec, RenderOptions& render) {
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read, CompletionHint hint = {}) {
    spec.options.push_back({names, false, std::move(read), std::move(hint)});
  };
  const auto add_name = [&spec](const char* option, std::initializer_list<std::string_view> names, std::string& to) {
    spec.options.push_back(one_of(option, names, [names, &to](std::size_t k) { to = names.begin()[k]; }));
  };
  add_name("--shape", kBodyShapeNames, render.shape);
  add_name("--colour", kColourNames, render.colour);
  add_name("--colours", kColourMapNames, render.colours);
  spec.options.push_back({"--logarithm", true, [&render](const std::string&) { render.logarithm = true; }});
  add("--body-size", [&render](const std::string& v) { render.body_size = positive_number("--body-size", v); });
  add("--light", [&render](const std::string& v) { render.light = positive_number("--light", v); });
  spec.options.push_back({"--axes", true, [&render](const std::string&) { render.axes = true; }});
  add("--camera", [&render](const std::string& v) { read_camera(render, v); });
  add(
      "--turn", [&render](const std::string& v) { read_turn(render, v); }, hint_names({"orbit"}));
  add("--follow", [&render](const std::string& v) { render.follow = whole_number("--follow", v, 0, kMaxBody); });
}

}  // namespace

CommandSpec render_spec(RunConfig& config) {
  RenderOptions& render = config.render;
  CommandSpec spec{Command::render, "render", {}, {}, [&config] { check_render(config); }};
  spec.positionals.push_back(
      {"SCENE|FILE", true, [&config](const std::string& v) { config.run.scene = v; }, false, hint_scenes(true)});
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read, CompletionHint hint = {}) {
    spec.options.push_back({names, false, std::move(read), std::move(hint)});
  };
  add(
      "-o,--output", [&render](const std::string& v) { render.output = v; }, hint_file());
  add("--frames", [&render](const std::string& v) { render.frames = whole_number("--frames", v, 1, kMaxFrames); });
  add("--steps-per-frame",
      [&render](const std::string& v) { render.steps_per_frame = whole_number("--steps-per-frame", v, 0, kMaxSteps); });
  add("--skip", [&render](const std::string& v) { render.skip = whole_number("--skip", v, 0, kMaxSteps); });
  add("--dt", [&config](const std::string& v) { config.run.dt = positive_number("--dt", v); });
  add(
      "--integrator", [&config](const std::string& v) { config.run.integrator = integrator_from(v); },
      hint_names(integrator_names()));
  add("--size",
      [&render](const std::string& v) { std::tie(render.width, render.height) = picture_size("--size", v, kMinSide); });
  add("--fps",
      [&render](const std::string& v) { render.fps = static_cast<u32>(whole_number("--fps", v, 1, kMaxFps)); });
  add_look(spec, render);
  spec.options.push_back(one_of("--present", {"auto", "interop", "copy"},
                                [&render](std::size_t k) { render.present = static_cast<Present>(k); }));
  add(
      "--shader-dir", [&render](const std::string& v) { render.shader_dir = v; }, hint_folder());
  const u32 takes = kBackend | kWork | kPrecision | kAccumulate | kSeed | kThreads | kBroadPhase | kSlices | kCells;
  for (auto& o : common_specs(config.common, takes)) {
    if (o.long_name() != "--json") spec.options.push_back(std::move(o));
  }
  return spec;
}

}  // namespace tri::app
