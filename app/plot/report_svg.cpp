// Reports of devices as a page: floors at the top, then for each kernel a row a map, in two columns.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/plot/plot_canvas.hpp"
#include "app/plot/plot_panel.hpp"
#include "app/plot/plot_style.hpp"
#include "app/plot/report_page.hpp"
#include "app/support/text_table.hpp"

namespace tri::app {
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

/// "=" where the interval contains 1.
std::string over_baseline(const PlotResult& r) {
  if (r.skipped || r.failed || !r.improvement) return "";
  if (r.map == r.setting("baseline")) return "1";
  const Spread& s = *r.improvement;
  if (r.confidence >= 0.9 && s.low <= 1 && 1 <= s.high) return "=";
  return fmt::format("{:.2f}", r.improvement->mid);
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
      cells = {failed ? "" : share_words(r), failed ? "" : duration_text(r.time_ms.mid), over_baseline(r),
               check_words(r)};
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
                             share_words(r), r.floor->by, duration_text(r.time_ms.mid)));
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

}  // namespace tri::app
