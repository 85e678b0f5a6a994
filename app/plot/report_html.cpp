// Pages for browsers: a picture with its figures in tables. No scripts, no links, nothing from elsewhere.

#include <fmt/format.h>

#include "app/plot/plot_canvas.hpp"
#include "app/plot/report_page.hpp"
#include "app/support/text_table.hpp"

namespace tri::app {
namespace {

constexpr std::string_view kStyle =
    "body{font-family:Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif;font-size:14px;color:#222;"
    "max-width:60em;margin:1.5em auto;padding:0 1em}svg{width:100%;height:auto}table{border-collapse:collapse;"
    "margin:.5em 0 1.5em}th,td{padding:.15em .7em;text-align:right;border-bottom:1px solid #e4e4e4}"
    "th{font-weight:600}td:first-child,th:first-child,td.words{text-align:left}.failed{color:#c00000}"
    "code{overflow-wrap:anywhere}";

std::string cell(const std::string& text, const char* of_class = "") {
  return fmt::format("<td{}>{}</td>", *of_class != '\0' ? fmt::format(" class=\"{}\"", of_class) : "", escaped(text));
}

std::string table_row_of(const PlotResult& r, const std::string& report) {
  std::string row = "<tr>" + cell(r.map);
  if (!report.empty()) row += cell(report, "words");
  if (r.skipped)
    return row + fmt::format("<td class=\"words\" colspan=\"7\">not timed: {}</td></tr>\n", escaped(*r.skipped));
  row += cell(r.floor ? fmt::format("{} of {}", share_words(r), r.floor->by) : "-");
  row += cell(duration_text(r.time_ms.mid));
  row += cell(fmt::format("{} to {}", duration_text(r.time_ms.low), duration_text(r.time_ms.high)));
  row += cell(fmt::format("{}", r.samples));
  row += cell(r.bytes_per_s ? with_prefix(*r.bytes_per_s) + "B/s" : with_prefix(r.items_per_s) + "/s");
  std::string over = "-";
  if (r.improvement) {
    over = fmt::format("{:.2f}", r.improvement->mid);
    if (r.confidence > 0) over += fmt::format(" [{:.2f}, {:.2f}]", r.improvement->low, r.improvement->high);
  }
  return row + cell(over) + cell(check_words(r), r.failed ? "failed" : "") + "</tr>\n";
}

std::string floors_table(const PlotData& data) {
  std::string text = "<table>\n<tr><th>report</th><th>floor</th><th>rate</th><th>measured by</th></tr>\n";
  for (const PlotSource& source : data.sources) {
    for (const PlotSource::Rate& rate : source.floors) {
      text +=
          fmt::format("<tr>{}{}{}{}</tr>\n", cell(report_name(source)), cell(rate.name, "words"),
                      cell(with_prefix(rate.per_s) + (rate.name == "memory" ? "B/s" : "/s")), cell(rate.how, "words"));
    }
  }
  return text + "</table>\n";
}

std::string sources_table(const PlotData& data) {
  std::string text = "<table>\n<tr><th>report</th><th>device</th><th>clock</th><th>made</th><th>command</th></tr>\n";
  for (const PlotSource& s : data.sources) {
    const std::string driver = s.driver.empty() || s.detail.find(s.driver) != std::string::npos ? "" : ", " + s.driver;
    const std::string clock = clock_words(s);
    text += fmt::format("<tr>{}{}{}{}<td class=\"words\"><code>{}</code></td></tr>\n", cell(report_name(s)),
                        cell(s.detail + driver, "words"), cell(clock.empty() ? "-" : clock), cell(s.utc, "words"),
                        escaped(s.command));
  }
  return text + "</table>\n";
}

}  // namespace

std::string html_page(const std::string& title, const std::string& svg, const std::string& tables) {
  const std::size_t begin = svg.find("<svg");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n{}{}</body>\n</html>\n",
      escaped(title), kStyle, svg.substr(begin), tables);
}

std::string report_html(const PlotData& data, const PlotOptions& options) {
  const bool many = data.sources.size() > 1;
  std::string tables = "<h2>What made this</h2>\n" + sources_table(data) + "<h2>What the device does at most</h2>\n" +
                       floors_table(data);
  for (const std::string& words : throttling_words(data)) tables += fmt::format("<p>{}</p>\n", escaped(words));
  for (const ReportPanel& panel : report_panels(data, options)) {
    tables += fmt::format(
        "<h3>{}</h3>\n<table>\n<tr><th>map</th>{}<th>share of the floor</th><th>time</th>"
        "<th>quartiles</th><th>samples</th><th>rate</th><th>over the baseline</th><th>check</th></tr>\n",
        escaped(panel.title), many ? "<th>report</th>" : "");
    for (const auto& row : panel.results) {
      for (const PlotResult* r : row) {
        if (r != nullptr) tables += table_row_of(*r, many ? report_name(data.sources[r->source]) : "");
      }
    }
    tables += "</table>\n";
  }
  const std::string title = many ? "Reports of devices" : report_name(data.sources.front());
  return html_page(title, report_svg(data, options), tables);
}

}  // namespace tri::app
