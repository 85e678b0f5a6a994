// Reports of devices as a page: contents, SVG, HTML.

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/plot/canvas.hpp"
#include "app/plot/plot.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

/// Settings that separate the panels of a kernel, the first apart.
constexpr std::string_view kPanelAxes[] = {
    "n",         "features",   "form",    "layout",     "dimensions", "timing",          "placement",
    "precision", "accumulate", "fractal", "arithmetic", "pairs",      "requested_block", "law"};

/// What a result shares with the others of its panel.
std::vector<std::string_view> signature(const PlotResult& r) {
  std::vector<std::string_view> values;
  for (const std::string_view axis : kPanelAxes) values.push_back(r.setting(axis));
  return values;
}

/// "gravity, n = 4,096 / 65,536": the kernel, its sizes, and the settings that tell the panel from those of `all`.
std::string panel_title(const std::string& kernel, const std::vector<const PlotResult*>& rows,
                        const std::vector<const PlotResult*>& all) {
  std::vector<std::string> sizes;
  for (const PlotResult* r : rows) {
    if (const auto n = r->setting("n"); !n.empty()) add_once(sizes, setting_text("n", n).substr(4));
  }
  std::string title = fmt::format("{}, n = {}", kernel, fmt::join(sizes, " / "));
  for (const std::string_view axis : kPanelAxes) {
    const std::string_view value = rows.front()->setting(axis);
    const bool own = axis == "features" || axis == "dimensions";
    const bool varies =
        std::any_of(all.begin(), all.end(), [&](const PlotResult* r) { return r->setting(axis) != value; });
    if (axis != "n" && !value.empty() && (own || varies)) title += ", " + setting_text(axis, value);
  }
  return title;
}

ReportPanel panel_of(const std::string& kernel, const std::vector<const PlotResult*>& rows,
                     const std::vector<const PlotResult*>& all, std::size_t reports) {
  ReportPanel panel{kernel, panel_title(kernel, rows, all), {}, {}};
  for (const PlotResult* r : rows) add_once(panel.maps, r->map);
  panel.results.assign(panel.maps.size(), std::vector<const PlotResult*>(reports, nullptr));
  for (const PlotResult* r : rows) {
    const auto at = std::find(panel.maps.begin(), panel.maps.end(), r->map) - panel.maps.begin();
    panel.results[static_cast<std::size_t>(at)][r->source] = r;
  }
  return panel;
}

}  // namespace

bool is_report(const PlotData& data) {
  return !data.sources.empty() &&
         std::none_of(data.sources.begin(), data.sources.end(), [](const PlotSource& s) { return s.floors.empty(); });
}

std::vector<ReportPanel> report_panels(const PlotData& data, const PlotOptions& options) {
  const std::vector<const PlotResult*> rows = wanted_rows(data, options, "reports");
  if (rows.empty()) throw ConfigError("nothing to draw: there is no result of these kernels and maps.");
  std::vector<std::string> kernels;
  for (const PlotResult* r : rows) add_once(kernels, std::string(r->setting("kernel")));
  std::vector<ReportPanel> panels;
  for (const std::string& kernel : kernels) {
    std::vector<const PlotResult*> own;
    std::vector<std::vector<std::string_view>> parts;
    std::map<std::size_t, std::vector<std::string_view>> of_report;
    bool apart = false;
    for (const PlotResult* r : rows) {
      if (r->setting("kernel") != kernel) continue;
      own.push_back(r);
      const auto part = signature(*r);
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
      const auto [at, fresh] = of_report.try_emplace(r->source, part);
      apart = apart || (!fresh && at->second != part);
    }
    if (!apart) {
      panels.push_back(panel_of(kernel, own, own, data.sources.size()));
      continue;
    }
    for (const auto& part : parts) {
      std::vector<const PlotResult*> some;
      std::copy_if(own.begin(), own.end(), std::back_inserter(some),
                   [&](const PlotResult* r) { return signature(*r) == part; });
      panels.push_back(panel_of(kernel, some, own, data.sources.size()));
    }
  }
  return panels;
}

std::string report_name(const PlotSource& source) {
  return fmt::format("{} on {}", source.version, source.device.empty() ? source.file : source.device);
}

std::string check_words(const PlotResult& result) {
  if (result.skipped) return "";
  if (result.failed) return "FAILED";
  return result.max_rel_err == 0 ? "exact" : fmt::format("{:.0e}", result.max_rel_err);
}

std::string share_words(const PlotResult& result) {
  if (!result.floor || result.skipped) return "";
  const double percent = 100 * result.floor->share;
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string clock_words(const PlotSource& source) {
  if (!source.clock_mhz) return "";
  const auto whole = [](double mhz) { return grouped(static_cast<u64>(std::llround(std::min(mhz, 1e9)))); };
  std::string text = whole(*source.clock_mhz) + " MHz";
  if (source.clock_low_mhz) text += fmt::format(" (low {})", whole(*source.clock_low_mhz));
  return text;
}

std::vector<std::string> throttling_words(const PlotData& data) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < data.sources.size(); ++i) {
    std::vector<std::string> reasons;
    for (const PlotResult& r : data.results) {
      if (r.source != i) continue;
      for (const std::string& reason : r.throttling) add_once(reasons, reason);
    }
    if (reasons.empty()) continue;
    words.push_back(fmt::format("{} was throttled: {}.", report_name(data.sources[i]), fmt::join(reasons, ", ")));
  }
  return words;
}

// Reports of devices as a page: floors at the top, then for each kernel a row a map, in two columns.

namespace {

constexpr double kPagePoints = 72 / 25.4;  // per millimetre
constexpr double kPageEdge = 6, kColumnGap = 18, kRowPitch = 8.4, kPanelGap = 9, kKeyPitch = 10;
/// Below this width there is one column.
constexpr double kTwoColumns = 430;
constexpr double kDot = 2;
/// More reports than these have dots, and no rates in digits.
constexpr std::size_t kRatesOf = 3, kSkippedLines = 8;
constexpr Font kPageTitle{11, Anchor::start, true}, kPageWords{7, Anchor::start, false, "#555555"},
    kKernelFont{7.5, Anchor::start, true}, kSmall{6, Anchor::start, false, "#555555"},
    kRowFont{6.5, Anchor::start, false, kInk};

Font aligned(Font font, Anchor anchor) {
  font.anchor = anchor;
  return font;
}

std::string rate_words(const PlotResult& r) {
  if (r.skipped || r.failed) return "";
  return r.bytes_per_s ? with_prefix(*r.bytes_per_s) + "B/s" : with_prefix(r.items_per_s) + "/s";
}

/// As in a terminal, but with the letter that a document has for millionths.
std::string micro_text(double ms) {
  std::string text = duration_text(ms);
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "\u00b5");
  return text;
}

/// "=" where the interval contains 1.
std::string over_baseline(const PlotResult& r) {
  if (r.skipped || r.failed || !r.improvement) return "";
  if (r.map == r.setting("baseline")) return "1";
  const Spread& s = *r.improvement;
  if (r.confidence > 0 && s.low < 1.005 && s.high >= 0.995) return "=";
  return ratio_text(r.improvement->mid);
}

/// A column of digits to the right of the shares.
struct DigitColumn {
  std::string heading;
  double width;
};

class Page {
 public:
  Page(const PlotData& data, const PlotOptions& options)
      : data_(data), panels_(report_panels(data, options)), width_(options.width_mm * kPagePoints) {
    std::vector<std::string> reports;
    for (const PlotSource& source : data.sources) reports.push_back(source.file);
    styles_ = series_styles(reports);
    for (const ReportPanel& panel : panels_) {
      for (const std::string& map : panel.maps) name_width_ = std::max(name_width_, text_width(map, kRowFont));
      for (const auto& row : panel.results) {
        for (const PlotResult* r : row) {
          if (r != nullptr && r->floor && !r->skipped) most_ = std::max(most_, std::min(r->floor->share, 4.0));
        }
      }
    }
    most_ = 0.25 * std::ceil(4 * most_ - 1e-9);
    columns_of_digits();
  }

  std::string document() {
    head();
    floors();
    columns();
    foot();
    return canvas_.document(width_, y_ + kPageEdge, title_, description_);
  }

 private:
  bool many() const { return data_.sources.size() > 1; }
  double inner() const { return width_ - 2 * kPageEdge; }

  void columns_of_digits() {
    if (!many()) {
      digits_ = {{"share", text_width("100 %", kRowFont)},
                 {"time", text_width("1,000 ms", kRowFont)},
                 {"over bb", text_width("00.00", kRowFont)},
                 {"check", text_width("FAILED", kRowFont)}};
      const std::string baseline = data_.sources.front().baseline;
      if (!baseline.empty()) digits_[2].heading = "over " + baseline;
      digits_[2].width = std::max(digits_[2].width, text_width(digits_[2].heading, kSmall));
    } else if (data_.sources.size() <= kRatesOf) {
      for (std::size_t i = 0; i < data_.sources.size(); ++i) {
        digits_.push_back({fmt::format("{}", i + 1), text_width("0.000 GB/s", kRowFont)});
      }
    }
  }

  void words(const std::string& text, const Font& font, double indent = 0) {
    if (text.empty()) return;
    for (const std::string& line : wrapped(text, font, inner() - indent)) {
      y_ += 1.3 * font.size;
      canvas_.text({kPageEdge + indent, y_ - 0.25 * font.size}, line, font);
    }
  }

  std::string about(const PlotSource& s) const {
    std::string text = s.detail;
    const auto add = [&](const std::string& part) {
      if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
    };
    add(s.driver.empty() || s.detail.find(s.driver) != std::string::npos ? "" : s.driver);
    if (const std::string clock = clock_words(s); !clock.empty()) add("clock " + clock);
    add("triangulum " + s.version);
    add(s.utc);
    return text;
  }

  void head() {
    canvas_.open("");
    if (!many()) {
      const PlotSource& s = data_.sources.front();
      title_ = s.device.empty() ? "Report of a device" : s.device;
      words(title_, kPageTitle);
      words(about(s), kPageWords);
    } else {
      title_ = fmt::format("{} reports of devices", data_.sources.size());
      words(title_, kPageTitle);
      for (std::size_t i = 0; i < data_.sources.size(); ++i) {
        const PlotSource& s = data_.sources[i];
        canvas_.marker(styles_[i].marker, {kPageEdge + 4, y_ + kKeyPitch / 2}, 2.4, styles_[i].colour,
                       styles_[i].hollow);
        words(fmt::format("{}: {}; {}", i + 1, s.device, about(s)), kPageWords, 12);
        y_ += 1;
      }
    }
    canvas_.close();
    y_ += 5;
  }

  /// What the devices do at most: a line a floor.
  void floors() {
    canvas_.open("");
    words("What the device does at most", kKernelFont);
    for (const PlotSource::Rate& floor : data_.sources.front().floors) {
      std::string line = floor.name + ": ";
      for (std::size_t i = 0; i < data_.sources.size(); ++i) {
        const auto& own = data_.sources[i].floors;
        const auto at = std::find_if(own.begin(), own.end(), [&](const auto& r) { return r.name == floor.name; });
        const std::string value =
            at == own.end() ? "-" : with_prefix(at->per_s) + (floor.name == "memory" ? "B/s" : "/s");
        line += many() ? fmt::format("{}({}) {}", i > 0 ? ",  " : "", i + 1, value) : value;
      }
      words(many() || floor.how.empty() ? line : fmt::format("{}  ({})", line, floor.how), kRowFont);
    }
    canvas_.close();
    y_ += 6;
  }

  double panel_height(const ReportPanel& panel) const {
    return 1.4 * kKernelFont.size + 1.5 * kSmall.size + kRowPitch * static_cast<double>(rows_of(panel).size()) + 10 +
           kPanelGap;
  }

  /// Maps that some report timed.
  static std::vector<std::size_t> rows_of(const ReportPanel& panel) {
    std::vector<std::size_t> rows;
    for (std::size_t m = 0; m < panel.maps.size(); ++m) {
      const auto timed = [](const PlotResult* r) { return r != nullptr && !r->skipped; };
      if (std::any_of(panel.results[m].begin(), panel.results[m].end(), timed)) rows.push_back(m);
    }
    return rows;
  }

  void columns() {
    double all = 0;
    for (const ReportPanel& panel : panels_) all += panel_height(panel);
    const bool two = inner() >= kTwoColumns && panels_.size() > 1;
    const double column = two ? (inner() - kColumnGap) / 2 : inner();
    const double top = y_;
    double left = kPageEdge, at = top, lowest = top;
    bool second = !two;
    for (const ReportPanel& panel : panels_) {
      const double height = panel_height(panel);
      if (!second && at > top && at - top + height / 2 > all / 2) {
        second = true, left += column + kColumnGap, at = top;
      }
      draw(panel, {left, at, column, height - kPanelGap});
      at += height;
      lowest = std::max(lowest, at);
    }
    y_ = lowest;
  }

  void draw(const ReportPanel& panel, const PlotBox& box) {
    double digits = 0;
    for (const DigitColumn& column : digits_) digits += column.width + 5;
    const double names = name_width_ + 5;
    const double top = box.top + 1.4 * kKernelFont.size + 1.5 * kSmall.size;
    const std::vector<std::size_t> rows = rows_of(panel);
    const PlotBox plot{box.left + names, top, std::max(box.width - names - digits, 20.0),
                       kRowPitch * static_cast<double>(rows.size())};
    canvas_.open(panel.title);
    canvas_.text({box.left, box.top + kKernelFont.size}, panel.title, kKernelFont);
    canvas_.text({plot.left, top - 0.5 * kSmall.size}, floor_words(panel, plot.width), kSmall);
    grid(plot, rows.size());
    double right = box.right();
    for (auto column = digits_.rbegin(); column != digits_.rend(); ++column) {
      canvas_.text({right, top - 0.5 * kSmall.size}, column->heading, aligned(kSmall, Anchor::end));
      right -= column->width + 5;
    }
    const std::vector<SeriesStyle> styles = many() ? styles_ : series_styles(panel.maps);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t report = 0; report < data_.sources.size(); ++report) {
        const PlotResult* r = panel.results[rows[i]][report];
        if (r != nullptr)
          dot(*r, styles[many() ? report : rows[i]], plot, top + kRowPitch * (static_cast<double>(i) + 0.5));
      }
      row(panel, rows[i], plot, box, top + kRowPitch * (static_cast<double>(i) + 0.5));
    }
    canvas_.close();
  }

  /// "% of arithmetic", as all rows of all reports have the same floor; else "% of the floor". Shorter where it is
  /// narrow.
  std::string floor_words(const ReportPanel& panel, double width) const {
    std::string by;
    bool same = true;
    for (const auto& row : panel.results) {
      for (const PlotResult* r : row) {
        if (r == nullptr || r->skipped || !r->floor) continue;
        if (by.empty()) by = r->floor->by;
        same = same && by == r->floor->by;
      }
    }
    if (by.empty()) return "";
    const std::string text = same ? "% of " + by : "% of the floor";
    return text_width(text, kSmall) <= width ? text : "%";
  }

  void grid(const PlotBox& plot, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double y = plot.top + kRowPitch * (static_cast<double>(i) + 0.5);
      canvas_.line({plot.left, y}, {plot.right(), y}, {kGridColour, 0.5, "0.8 1.6"});
    }
    const Font font = aligned(kSmall, Anchor::middle);
    const double step = most_ > 1.5 ? 1 : 0.5;
    for (double share = 0; share <= most_ + 1e-9; share += step) {
      const double x = plot.left + plot.width * share / most_;
      const bool whole = std::abs(share - 1) < 1e-9;
      canvas_.line({x, plot.top}, {x, plot.bottom()}, {whole ? std::string_view("#999999") : kGridColour, 0.6, ""});
      canvas_.text({x, plot.bottom() + 1.2 * kSmall.size}, fmt::format("{:.0f}", 100 * share), font);
    }
    canvas_.line({plot.left, plot.bottom()}, {plot.right(), plot.bottom()}, {kInk, 0.6, ""});
  }

  void row(const ReportPanel& panel, std::size_t m, const PlotBox& plot, const PlotBox& box, double y) {
    const double base = y + 0.35 * kRowFont.size;
    canvas_.text({plot.left - 4, base}, panel.maps[m], aligned(kRowFont, Anchor::end));
    std::vector<std::string> cells;
    bool failed = false;
    if (!many()) {
      const PlotResult& r = *panel.results[m].front();
      failed = r.failed;
      cells = {failed ? "" : share_words(r), failed ? "" : micro_text(r.time_ms.mid), over_baseline(r), check_words(r)};
    } else if (!digits_.empty()) {
      for (const PlotResult* r : panel.results[m]) {
        cells.push_back(r == nullptr ? "" : r->failed ? "FAILED" : rate_words(*r));
        failed = failed || (r != nullptr && r->failed);
      }
    }
    Font font = aligned(kRowFont, Anchor::end);
    double right = box.right();
    for (std::size_t c = cells.size(); c-- > 0;) {
      font.colour = cells[c] == "FAILED" ? kFailedColour : kInk;
      if (!cells[c].empty()) canvas_.text({right, base}, cells[c], font);
      right -= digits_[c].width + 5;
    }
  }

  void dot(const PlotResult& r, const SeriesStyle& style, const PlotBox& plot, double y) {
    if (r.skipped || !r.floor) return;
    const double x = plot.left + plot.width * std::min(r.floor->share, most_) / most_;
    canvas_.open(fmt::format("{}{}: {} of {} ({})", many() ? report_name(data_.sources[r.source]) + ", " : "", r.map,
                             share_words(r), r.floor->by, micro_text(r.time_ms.mid)));
    if (r.failed) {
      canvas_.marker(Marker::cross, {x, y}, 1.4 * kDot, kFailedColour, false);
    } else {
      const auto at = [&](double ms) { return plot.left + plot.width * std::min(r.floor->ms / ms, most_) / most_; };
      canvas_.line({at(r.time_ms.high), y}, {at(r.time_ms.low), y}, {style.colour, 1, ""});
      canvas_.marker(style.marker, {x, y}, kDot, style.colour, style.hollow);
    }
    canvas_.close();
  }

  void foot() {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < data_.sources.size(); ++i) {
      const PlotSource& s = data_.sources[i];
      if (!s.command.empty())
        lines.push_back(fmt::format("Made{} by: {}", many() ? fmt::format(" ({})", i + 1) : "", s.command));
    }
    lines.emplace_back(
        "Share: the least time that follows from what the device does at most, over the median time; bar: over the "
        "quartiles. "
        "Every timing has its check: exact, or the largest relative error.");
    if (!many() && !data_.sources.front().baseline.empty()) {
      lines.push_back(fmt::format("A sign = means no difference from {}: the interval of the ratios contains 1.",
                                  data_.sources.front().baseline));
    }
    for (const std::string& line : throttling_words(data_)) lines.push_back(line);
    std::size_t skipped = 0;
    for (const PlotResult& r : data_.results) {
      if (!r.skipped) continue;
      if (++skipped > kSkippedLines) continue;
      lines.push_back(fmt::format("Not timed{}: {} on {}: {}", many() ? fmt::format(" ({})", r.source + 1) : "",
                                  r.setting("kernel"), r.map, *r.skipped));
    }
    if (skipped > kSkippedLines)
      lines.push_back(fmt::format("And {} more, with reasons in the results.", skipped - kSkippedLines));
    canvas_.open("");
    for (const std::string& line : lines) {
      words(line, kSmall);
      description_ += (description_.empty() ? "" : "\n") + line;
    }
    canvas_.close();
  }

  const PlotData& data_;
  std::vector<ReportPanel> panels_;
  double width_, y_ = kPageEdge, name_width_ = 0, most_ = 1;
  std::vector<SeriesStyle> styles_;  ///< of several reports
  std::vector<DigitColumn> digits_;
  Canvas canvas_;
  std::string title_, description_;
};

}  // namespace

std::string report_svg(const PlotData& data, const PlotOptions& options) { return Page(data, options).document(); }

// Pages for browsers: a picture with its figures in tables. No scripts, no links, nothing from elsewhere.

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
  row += cell(micro_text(r.time_ms.mid));
  row += cell(fmt::format("{} to {}", micro_text(r.time_ms.low), micro_text(r.time_ms.high)));
  row += cell(fmt::format("{}", r.samples));
  row += cell(r.bytes_per_s ? with_prefix(*r.bytes_per_s) + "B/s" : with_prefix(r.items_per_s) + "/s");
  std::string over = "-";
  if (r.improvement) {
    const Spread& s = *r.improvement;
    over = ratio_text(s.mid);
    if (r.confidence > 0) over += fmt::format(" [{}, {}]", ratio_text(s.low), ratio_text(s.high));
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
