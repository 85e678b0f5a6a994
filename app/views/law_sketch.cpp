#include "app/views/law_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/error.hpp"

namespace tri::app {
namespace {

using expression::Over;
using expression::TypedLaw;

/// Of the source line in a message.
constexpr std::size_t kIndent = 2;
constexpr double kNotDrawn = std::numeric_limits<double>::quiet_NaN();

/// Leaves out what is not finite, or far from 0 for most of the curve.
void cut_peaks(std::vector<double>& values) {
  std::vector<double> sizes;
  for (double& v : values) {
    if (!std::isfinite(v)) v = kNotDrawn;
    if (std::isfinite(v) && v != 0) sizes.push_back(std::abs(v));
  }
  if (sizes.empty()) return;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  // A well is part of the picture, whatever the median of a long tail.
  double lowest = 0;
  for (const double v : values) {
    if (std::isfinite(v)) lowest = std::min(lowest, v);
  }
  const double most = std::max(4 * *middle, lowest < 0 && -lowest < 1e3 * *middle ? -1.5 * lowest : 0.0);
  for (double& v : values) {
    if (!(std::abs(v) <= most)) v = kNotDrawn;
  }
}

}  // namespace

LawSketch sketch_law(std::string_view text, Over over) {
  LawSketch sketch;
  try {
    sketch.law = expression::typed_law(text, over);
  } catch (const Error& e) {
    // A sentence; then, where it is about a place, the line and a caret beneath.
    const std::string all = e.what();
    const std::size_t end = all.find('\n');
    sketch.error = all.substr(0, end);
    if (end == std::string::npos) return sketch;
    const std::size_t line_end = all.find('\n', end + 1);
    if (line_end == std::string::npos) return sketch;
    const std::size_t next = all.find('\n', line_end + 1);
    const std::string caret = all.substr(line_end + 1, next == std::string::npos ? next : next - line_end - 1);
    const std::size_t at = caret.find('^');
    if (at == std::string::npos) return sketch;
    const std::string line = all.substr(end + 1, line_end - end - 1);
    const std::size_t indent = std::min({line.find_first_not_of(' '), at, kIndent});  // both lines have it
    sketch.line = line.substr(indent);
    sketch.column = static_cast<u32>(std::min(at - indent, sketch.line.size()));
    if (next != std::string::npos) sketch.error += " " + all.substr(next + 1);
  }
  return sketch;
}

LawRange usual_range(const TypedLaw& typed) {
  const double cutoff = typed.law->cutoff(typed.values);
  double best = std::numeric_limits<double>::infinity(), at = 0;
  constexpr int kSteps = 600;
  constexpr double kFirst = 1e-3, kLast = 1e3;
  bool inside = false;
  for (int k = 0; k <= kSteps; ++k) {
    const double r = kFirst * std::pow(kLast / kFirst, static_cast<double>(k) / kSteps);
    if (cutoff > 0 && r >= cutoff) break;
    const double e = expression::point_at(typed, r).energy;
    if (!std::isfinite(e)) continue;
    if (e < best) {
      best = e, at = r, inside = false;
    } else if (e > best) {
      inside = at > kFirst;  // it has risen again since
    }
  }
  if (inside && at < kLast / 2 && best < 0) return {0.7 * at, cutoff > at ? std::min(1.1 * cutoff, 4 * at) : 3.5 * at};
  if (cutoff > 0) return {0.02 * cutoff, 1.1 * cutoff};
  return {0.1, 4};
}

expression::LawCurves sketch_curves(const TypedLaw& law, const LawRange& range, u32 points) {
  expression::LawCurves curves = expression::law_curves(law, range.from, range.to, points);
  cut_peaks(curves.energy), cut_peaks(curves.force);
  return curves;
}

}  // namespace tri::app
