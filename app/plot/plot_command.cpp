// `plot`: bench results as a file.

#include <fmt/format.h>

#include "app/plot/picture.hpp"
#include "app/plot/plot_svg.hpp"
#include "app/plot/report_page.hpp"
#include "app/support/commands.hpp"
#include "app/support/file_roles.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app {
namespace {

std::string figure_in(const std::string& file, const PlotData& data, const PlotOptions& options) {
  const std::string svg = plot_svg(data, options);
  if (file.ends_with(".html")) {
    const bool report = is_report(data) && (options.kind == PlotKind::report || options.kind == PlotKind::automatic);
    return report ? report_html(data, options) : html_page("Results of a bench", svg, "");
  }
  if (file.ends_with(".png")) return png_of(svg, "-o " + file);
  return file.ends_with(".pdf") ? pdf_of(svg, "-o " + file) : svg;
}

}  // namespace

int run_plot(const RunConfig& config, Console& console) {
  const std::string& path = config.plot.output;
  const PlotData data = read_plot_data(config.plot.inputs);
  check_files_read(config);
  const std::string figure = figure_in(path, data, config.plot);
  io::OutputFile file(path);
  file.write(figure);
  file.commit();
  console.note(fmt::format("wrote {}", path));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace tri::app
