#include "app/plot/plot_law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/plot/plot_axis.hpp"
#include "app/plot/plot_canvas.hpp"

namespace tri::app {
namespace {

constexpr double kLawWidth = 510, kLawHeight = 240, kLawTop = 40, kLawBottom = 30, kLawLeft = 46, kLawGap = 58,
                 kLawRight = 8;
constexpr Font kLawTitle{9, Anchor::start, true}, kLawSmall{7, Anchor::start, false, "#555555"};
constexpr Stroke kLawAxis{"#333333", 0.6, ""}, kLawZero{"#333333", 0.8, ""}, kLawGridLine{"#e4e4e4", 0.6, ""};

/// The range of a curve by its interior extrema, or, of a monotonic one, by most of its values: a wall at short
/// distances would hide everything else.
Range shown_range(const std::vector<double>& values) {
  std::vector<double> sizes;
  double extremum = 0;
  Range all;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    all.add(values[k]);
    sizes.push_back(std::abs(values[k]));
    if (k == 0 || k + 1 == values.size()) continue;
    const double before = values[k] - values[k - 1], after = values[k + 1] - values[k];
    if (before * after < 0) extremum = std::max(extremum, std::abs(values[k]));
  }
  if (sizes.empty()) return widened(Scale::linear, {0, 0, false}, 0.1);
  std::sort(sizes.begin(), sizes.end());
  const double most = extremum > 0 ? 1.5 * extremum : 1.2 * sizes[sizes.size() * 4 / 5];
  Range shown;
  shown.add(0), shown.add(std::max(all.low, -most)), shown.add(std::min(all.high, most));
  return widened(Scale::linear, shown, 0.05);
}

void draw_curve(Canvas& canvas, const std::vector<double>& r, const std::string& x_name,
                const std::vector<double>& values, const char* name, std::string_view colour, const PlotBox& box) {
  Range distances;
  for (const double distance : r) distances.add(distance);
  const Axis x = make_axis(Scale::linear, distances, 7), y = make_axis(Scale::linear, shown_range(values), 7);
  const auto at = [&](double distance, double v) {
    return Place{box.left + x.at(distance) * box.width, box.bottom() - y.at(v) * box.height};
  };
  for (const Tick& tick : y.ticks) {
    const double height = at(x.low, tick.value).y;
    canvas.line({box.left, height}, {box.right(), height}, kLawGridLine);
    canvas.text({box.left - 3, height + 2.4}, tick.label, {7, Anchor::end}, true);
  }
  for (const Tick& tick : x.ticks) {
    const double place = at(tick.value, y.low).x;
    canvas.line({place, box.bottom()}, {place, box.bottom() + 2.5}, kLawAxis);
    canvas.text({place, box.bottom() + 10}, tick.label, {7, Anchor::middle}, true);
  }
  if (y.low < 0 && y.high > 0) canvas.line(at(x.low, 0), at(x.high, 0), kLawZero);
  canvas.line({box.left, box.bottom()}, {box.right(), box.bottom()}, kLawAxis);
  canvas.text({box.left, box.top - 5}, name, {7.5, Anchor::start, true, colour});
  canvas.text({box.right(), box.bottom() + 21}, x_name, {7, Anchor::end});
  canvas.open_clipped(box);
  std::vector<Place> line;
  for (std::size_t k = 0; k <= r.size(); ++k) {
    if (k < r.size() && std::isfinite(values[k])) {
      // What is far beyond the panel is cut off anyhow, and viewers have limits.
      const double span = y.high - y.low;
      line.push_back(at(r[k], std::clamp(values[k], y.low - span, y.high + span)));
    } else if (!line.empty()) {
      canvas.polyline(line, {colour, 1.4, ""});
      line.clear();
    }
  }
  canvas.close();
}

}  // namespace

std::string law_svg(const LawWords& words, const expression::LawCurves& c) {
  Canvas canvas;
  canvas.text({4, 12}, words.title, kLawTitle);
  canvas.text({4, 23}, words.subtitle, kLawSmall);
  const double width = (kLawWidth - kLawLeft - kLawGap - kLawRight) / 2, height = kLawHeight - kLawTop - kLawBottom;
  draw_curve(canvas, c.r, words.x_name, c.energy, "energy", "#0072b2", {kLawLeft, kLawTop + 4, width, height - 4});
  draw_curve(canvas, c.r, words.x_name, c.force, "force, repulsive above 0", "#d55e00",
             {kLawLeft + width + kLawGap, kLawTop + 4, width, height - 4});
  return canvas.document(kLawWidth, kLawHeight, words.title, words.subtitle);
}

}  // namespace tri::app
