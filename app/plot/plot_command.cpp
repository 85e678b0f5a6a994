#include "app/plot/plot_command.hpp"

#include <fmt/format.h>

#include "app/plot/plot_svg.hpp"
#include "sim/base/error.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app {
namespace {

void write_figure(const PlotData& data, const PlotOptions& options, Console& console) {
  const std::string svg = plot_svg(data, options);
  io::OutputFile file(options.output);
  file.write(svg);
  file.commit();
  console.note(fmt::format("wrote {}", options.output));
}

}  // namespace

int run_plot(const RunConfig& config, Console& console) {
  write_figure(read_plot_data(config.plot.inputs), config.plot, console);
  return static_cast<int>(ExitCode::ok);
}

void write_plot(const std::string& json, const PlotOptions& options, Console& console) {
  PlotData data;
  add_document(data, "the result", json);
  write_figure(data, options, console);
}

}  // namespace tri::app
