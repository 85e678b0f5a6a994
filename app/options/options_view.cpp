// Options of `view`.

#include <fmt/format.h>

#include <tuple>

#include "app/options/option_specs.hpp"
#include "app/support/option_values.hpp"
#include "app/views/demo_table.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr u64 kMinSide = 320;
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
  spec.positionals.push_back(
      {"SCENE|FILE", false, [&config](const std::string& v) { config.run.scene = v; }, false, hint_scenes(true)});
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read, CompletionHint hint = {}) {
    spec.options.push_back({names, false, std::move(read), std::move(hint)});
  };
  add(
      "--script", [&view](const std::string& v) { view.script = v; }, hint_file());
  add(
      "--screenshot", [&view](const std::string& v) { view.screenshot = v; }, hint_file());
  add("--exit-after",
      [&view](const std::string& v) { view.exit_after = whole_number("--exit-after", v, 1, 1u << 30); });
  spec.options.push_back(one_of("--present", {"auto", "interop", "copy"},
                                [&view](std::size_t k) { view.present = static_cast<Present>(k); }));
  spec.options.push_back(
      one_of("--pace", {"auto", "display", "free"}, [&view](std::size_t k) { view.pace = static_cast<Pace>(k); }));
  add("--size",
      [&view](const std::string& v) { std::tie(view.width, view.height) = picture_size("--size", v, kMinSide); });
  add(
      "--record", [&view](const std::string& v) { view.record = v; }, hint_file());
  add("--scale", [&view](const std::string& v) { view.scale = positive_number("--scale", v); });
  add(
      "--shader-dir", [&view](const std::string& v) { view.shader_dir = v; }, hint_folder());
  const u32 takes = kBackend | kWork | kPrecision | kAccumulate | kSeed | kThreads | kBroadPhase | kSlices | kCells;
  for (auto& o : common_specs(config.common, takes)) {
    if (o.long_name() != "--json") spec.options.push_back(std::move(o));
  }
  return spec;
}

CommandSpec demo_spec(RunConfig& config) {
  CommandSpec spec = view_spec(config);
  spec.command = Command::demo, spec.name = "demo";
  const auto read = [&config](const std::string& v) {
    const std::vector<std::string_view> names = demo_names();
    config.view.demo = std::string(names[choice("demo", v, names)]);
  };
  spec.positionals.insert(spec.positionals.begin(), {"NAME", true, read, false, hint_names(demo_names())});
  std::erase_if(spec.options, [](const OptionSpec& o) { return o.names == "--script"; });
  return spec;
}

}  // namespace tri::app
