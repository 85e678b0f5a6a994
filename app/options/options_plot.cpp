// Options of `plot`.

#include <fmt/format.h>

#include <algorithm>

#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
#include "app/support/option_values.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

/// In mm: labels need the minimum; no paper is wider than the maximum.
constexpr u32 kMinWidth = 60, kMaxWidth = 1200;

void check_plot(const PlotOptions& plot) {
  for (auto at = plot.inputs.begin(); at != plot.inputs.end(); ++at) {
    if (std::find(plot.inputs.begin(), at, *at) != at)
      throw ConfigError(fmt::format("plot: '{}' is given twice.", *at));
  }
  if (plot.output.empty()) throw ConfigError("plot needs -o FIG.svg.");
  check_svg_name("-o", plot.output);
}

}  // namespace

void check_svg_name(const char* option, const std::string& name) {
  if (!name.ends_with(".svg")) throw ConfigError(fmt::format("{} {}: a figure is written as .svg.", option, name));
}

CommandSpec plot_spec(RunConfig& config) {
  PlotOptions& plot = config.plot;
  CommandSpec spec{Command::plot, "plot", {}, {}, [&plot] { check_plot(plot); }};
  spec.positionals.push_back(
      {"RESULT.json", true, [&plot](const std::string& v) { plot.inputs.push_back(v); }, true, hint_file()});
  const auto add = [&spec](const char* names, std::function<void(const std::string&)> read, CompletionHint hint = {}) {
    spec.options.push_back({names, false, std::move(read), std::move(hint)});
  };
  add(
      "-o,--output", [&plot](const std::string& v) { plot.output = v; }, hint_file());
  spec.options.push_back(one_of("--kind", {"both", "improvement", "time", "rate"},
                                [&plot](std::size_t k) { plot.kind = static_cast<PlotKind>(k); }));
  add(
      "--kernel", [&plot](const std::string& v) { plot.kernels = name_list("--kernel", v); },
      hint_list(kernel_names()));
  add(
      "--map", [&plot](const std::string& v) { plot.maps = name_list("--map", v); },
      hint_list(map_names(all_kernels())));
  spec.options.push_back(
      one_of("--x", {"auto", "n", "block", "features"}, [&plot](std::size_t k) { plot.x = static_cast<PlotX>(k); }));
  spec.options.push_back(one_of("--log", {"auto", "none", "x", "y", "xy"},
                                [&plot](std::size_t k) { plot.log = static_cast<PlotLog>(k); }));
  add("--width", [&plot](const std::string& v) {
    plot.width_mm = static_cast<u32>(whole_number("--width", v, kMinWidth, kMaxWidth));
  });
  spec.options.push_back({"-q,--quiet", true, [&config](const std::string&) { config.common.quiet = true; }});
  return spec;
}

}  // namespace tri::app
