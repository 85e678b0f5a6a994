#pragma once
/// Reports of devices on one page: what each device does at most, and each kernel on each map as a share of that. Pure.

#include <string>
#include <vector>

#include "app/plot/plot_data.hpp"
#include "app/support/run_config.hpp"

namespace tri::app {

/// Whether every document is a report of a device: it has floors.
bool is_report(const PlotData& data);

/// A kernel in all reports.
struct ReportPanel {
  std::string kernel, title;                            ///< title: "gravity, n = 4,096", or the sizes of all reports
  std::vector<std::string> maps;                        ///< in the order of the reports
  std::vector<std::vector<const PlotResult*>> results;  ///< [map][report]; null where a report lacks it
};

/// One panel a kernel if each report has it at one size and choice of its axes, else one for each of these. `kernels`
/// and `maps` of the options apply. Throws ConfigError for names that no report has, and when nothing is left.
std::vector<ReportPanel> report_panels(const PlotData& data, const PlotOptions& options);

/// "0.1.0 on H200": what tells this report from the others.
std::string report_name(const PlotSource& source);
/// "exact", "2e-07", "FAILED"; empty for a skipped result.
std::string check_words(const PlotResult& result);
/// "44 %"; empty without a floor.
std::string share_words(const PlotResult& result);
/// "1,980 MHz (low 1,755)"; empty when it is not known.
std::string clock_words(const PlotSource& source);
/// Why devices held themselves back, one sentence a report; empty where none did.
std::vector<std::string> throttling_words(const PlotData& data);

/// The page as SVG, options.width_mm wide. Throws as report_panels() does.
std::string report_svg(const PlotData& data, const PlotOptions& options);

/// The same as a page for browsers that needs nothing else: the picture, and every figure in tables.
std::string report_html(const PlotData& data, const PlotOptions& options);

/// Any picture as such a page.
std::string html_page(const std::string& title, const std::string& svg, const std::string& tables);

}  // namespace tri::app
