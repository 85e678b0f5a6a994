// Options of `view`.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "app/options/option_specs.hpp"
#include "app/views/demo_table.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
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
    throw ConfigError(fmt::format("--record {}: it takes FILE.mp4 or a folder.", view.record));
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

}  // namespace tri::app
