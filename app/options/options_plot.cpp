// Options of `plot`.

#include <fmt/format.h>

#include <algorithm>

#include "app/options/option_specs.hpp"
#include "app/support/axes.hpp"
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
  spec.one_of<PlotKind>("--kind", {"auto", "both", "improvement", "time", "rate", "report"}, plot.kind);
  spec.value("--kernel", plot.kernels, name_list).hint = hint_list(kernel_names());
  spec.value("--map", plot.maps, name_list).hint = hint_list(map_names(parse_kernels("all")));
  spec.one_of<PlotX>("--x", {"auto", "n", "block", "features"}, plot.x);
  spec.one_of<PlotLog>("--log", {"auto", "none", "x", "y", "xy"}, plot.log);
  spec.value("--width", plot.width_mm, whole_number, kMinWidth, kMaxWidth);
  spec.flag("-q,--quiet", config.common.quiet);
  return spec;
}

}  // namespace tri::app
