#include "app/plot/plot_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/plot/plot_panel.hpp"
#include "app/plot/report_page.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr double kPoints = 72 / 25.4;  // per millimetre
constexpr double kEdge = 4, kGapX = 16, kGapY = 10, kLegendPitch = 10.5, kSample = 22;
/// Minimum widths for the two panels of a facet side by side, and for small multiples side by side.
constexpr double kMinPair = 165, kMinFacet = 140;
/// Height over width: larger for many lines, smaller for many rows.
constexpr double kMaxHeight = 240, kAspect = 0.66, kCrowded = 0.8, kManyRows = 0.5;
constexpr std::size_t kManyLines = 7;
constexpr Font kTitleFont{9, Anchor::start, true}, kSubtitleFont{7, Anchor::start, false, "#555555"},
    kFacetFont{7.5, Anchor::start, true}, kHeadingFont{7, Anchor::start, false, "#333333"}, kLegendFont{7.5},
    kCaptionFont{6, Anchor::start, false, "#555555"};

/// The legend of the dashed line, with its formula if it is the same for all kernels.
std::string bound_label(const PlotFigure& figure) {
  static constexpr const char* kPairs = "2B/(B + 1)";
  const auto formula = [](const PlotFacet& f) {
    return f.kernel == "triplet" || f.kernel == "dummy3" ? "6B²/((B + 1)(B + 2))"
           : f.kernel == "gasket"                        ? "(4/3) to the power log₂ B"
                                                         : kPairs;
  };
  const std::string first = formula(figure.facets.front());
  const bool same =
      std::all_of(figure.facets.begin(), figure.facets.end(), [&](const PlotFacet& f) { return formula(f) == first; });
  return same ? fmt::format("bound by launched blocks, {} with B blocks a side", first) : "bound by launched blocks";
}

class Layout {
 public:
  Layout(const PlotFigure& figure, const PlotOptions& options)
      : figure_(figure), options_(options), styles_(series_styles(figure.maps)), width_(options.width_mm * kPoints) {}

  std::string document() {
    canvas_.open("");
    words(figure_.title, kTitleFont);
    words(figure_.subtitle, kSubtitleFont);
    canvas_.close();
    y_ += 3;
    legend();
    y_ += 4;
    panels();
    for (const std::string& caption : figure_.captions) words(caption, kCaptionFont);
    std::string description;
    for (const std::string& caption : figure_.captions) description += (description.empty() ? "" : "\n") + caption;
    return canvas_.document(width_, y_ + kEdge, figure_.title, description);
  }

 private:
  double inner() const { return width_ - 2 * kEdge; }

  void words(const std::string& text, const Font& font) {
    if (text.empty()) return;
    for (const std::string& line : wrapped(text, font, inner())) {
      y_ += 1.3 * font.size;
      canvas_.text({kEdge, y_ - 0.25 * font.size}, line, font);
    }
  }

  /// Columns as wide as the widest name; then separate lines for the dashed line and the cross.
  void legend() {
    const bool lines =
        std::any_of(figure_.facets.begin(), figure_.facets.end(), [](const PlotFacet& f) { return !f.single(); });
    if (lines) {
      double widest = 0;
      for (const std::string& map : figure_.maps) widest = std::max(widest, text_width(map, kLegendFont));
      const double column = kSample + 4 + widest + 8;
      const auto fitting = std::max<std::size_t>(1, static_cast<std::size_t>(inner() / column));
      const std::size_t rows = (figure_.maps.size() + fitting - 1) / fitting;
      const std::size_t columns = (figure_.maps.size() + rows - 1) / rows;
      for (std::size_t i = 0; i < figure_.maps.size(); ++i) {
        const std::size_t line = i / columns;
        const Place at{kEdge + static_cast<double>(i % columns) * column,
                       y_ + kLegendPitch * (static_cast<double>(line) + 0.5)};
        const SeriesStyle& style = styles_[i];
        canvas_.line(at, {at.x + kSample, at.y}, {style.colour, 1, style.dash});
        canvas_.marker(style.marker, {at.x + kSample / 2, at.y}, 2.2, style.colour, style.hollow);
        canvas_.text({at.x + kSample + 4, at.y + 0.35 * kLegendFont.size}, figure_.maps[i], kLegendFont);
      }
      y_ += kLegendPitch * static_cast<double>(rows);
    }
    const bool compared =
        std::find(figure_.panels.begin(), figure_.panels.end(), Quantity::improvement) != figure_.panels.end();
    const bool bound = compared && std::any_of(figure_.facets.begin(), figure_.facets.end(), [](const PlotFacet& f) {
                         return std::any_of(f.bound.begin(), f.bound.end(), [](const auto& b) { return bool(b); });
                       });
    if (bound) {
      const double at = y_ + kLegendPitch / 2;
      canvas_.line({kEdge, at}, {kEdge + kSample, at}, kBoundStroke);
      key_words(bound_label(figure_));
    }
    if (figure_.any_failed) {
      canvas_.marker(Marker::cross, {kEdge + kSample / 2, y_ + kLegendPitch / 2}, 3, kFailedColour, false);
      key_words("check failed");
    }
  }

  void key_words(const std::string& text) {
    for (const std::string& line : wrapped(text, kLegendFont, inner() - kSample - 4)) {
      canvas_.text({kEdge + kSample + 4, y_ + kLegendPitch / 2 + 0.35 * kLegendFont.size}, line, kLegendFont);
      y_ += kLegendPitch;
    }
  }

  /// Panels of one facet are in one row if they fit, else in one row each; single panels flow.
  std::size_t columns() const {
    const std::size_t count = figure_.facets.size();
    if (figure_.panels.size() > 1) return inner() >= 2 * kMinPair + kGapX ? figure_.panels.size() : 1;
    const auto fitting = static_cast<std::size_t>((inner() + kGapX) / (kMinFacet + kGapX));
    const std::size_t max_columns = std::clamp<std::size_t>(fitting, 1, count);
    const std::size_t rows = (count + max_columns - 1) / max_columns;
    return (count + rows - 1) / rows;
  }

  double line_panel_height(double column, std::size_t rows) const {
    std::size_t lines = 0;
    for (const PlotFacet& f : figure_.facets) lines = std::max(lines, f.series.size());
    const double aspect = lines >= kManyLines ? kCrowded : rows > 2 ? kManyRows : kAspect;
    return std::min(aspect * column, kMaxHeight) + 20;
  }

  void panels() {
    const std::size_t columns = this->columns(), each = figure_.panels.size(), count = figure_.facets.size() * each;
    const double column = (inner() - kGapX * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    const double of_lines = line_panel_height(column, (count + columns - 1) / columns);
    for (std::size_t begin = 0; begin < count; begin += columns) {
      const std::size_t end = std::min(begin + columns, count);
      double title = 0, tallest = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const PlotFacet& facet = figure_.facets[i / each];
        const auto lines = static_cast<double>(facet_title(facet, columns, column).size());
        if (!facet.title.empty()) title = std::max(title, lines * 1.3 * kFacetFont.size);
        tallest = std::max(tallest, facet.single() ? dots_height(facet) : of_lines);
      }
      const double top = y_ + title;
      for (std::size_t i = begin; i < end; ++i) {
        const PlotFacet& facet = figure_.facets[i / each];
        const double left = kEdge + static_cast<double>(i - begin) * (column + kGapX);
        // Side by side, the panels of a facet share a title.
        if (columns == 1 || i % each == 0) {
          double line = y_;
          for (const std::string& text : facet_title(facet, columns, column)) {
            line += 1.3 * kFacetFont.size;
            canvas_.text({left, line - 0.3 * kFacetFont.size}, text, kFacetFont);
          }
        }
        panel(facet, figure_.panels[i % each], {left, top, column, tallest});
      }
      y_ = top + 1.5 * kHeadingFont.size + tallest + kGapY;
    }
  }

  std::vector<std::string> facet_title(const PlotFacet& facet, std::size_t columns, double column) const {
    return wrapped(facet.title, kFacetFont, figure_.panels.size() > 1 && columns > 1 ? inner() : column);
  }

  void panel(const PlotFacet& facet, Quantity quantity, PlotBox box) {
    const PanelScale scale = panel_scale(figure_, facet, quantity, options_.log);
    const double heading = 1.5 * kHeadingFont.size;
    canvas_.open("");
    canvas_.text({box.left, box.top + kHeadingFont.size}, scale.heading, kHeadingFont);
    box.top += heading;
    const Panel drawn{figure_, facet, quantity, styles_, scale, box};
    facet.single() ? draw_dots(canvas_, drawn) : draw_lines(canvas_, drawn);
    canvas_.close();
  }

  const PlotFigure& figure_;
  const PlotOptions& options_;
  std::vector<SeriesStyle> styles_;
  Canvas canvas_;
  double width_;
  double y_ = kEdge;
};

}  // namespace

std::string plot_svg(const PlotData& data, const PlotOptions& options) {
  if (options.kind == PlotKind::report && !is_report(data)) {
    throw ConfigError(
        "--kind report: these results have no floors. Make them with bench --preset device-report, or leave --kind "
        "out.");
  }
  if (options.kind == PlotKind::report || (options.kind == PlotKind::automatic && is_report(data))) {
    return report_svg(data, options);
  }
  const PlotFigure figure = plot_figure(data, options);
  return Layout(figure, options).document();
}

std::string plot_svg(const std::string& json, const PlotOptions& options) {
  PlotData data;
  add_document(data, "the result", json);
  return plot_svg(data, options);
}

}  // namespace tri::app
