#include "app/plot/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/support/text_table.hpp"
#include "sim/base/contracts.hpp"

namespace tri::app {
namespace {

/// Rounding must not drop a tick at an end: 0.1 * 3 > 0.3.
constexpr double kSlack = 1e-9;
/// Beyond these, labels are powers instead of digits.
constexpr double kMaxPlain = 1e7, kMaxPlainDecade = 99999, kMinPlainDecade = 0.00099;
constexpr double kMaxPlainBinary = 65536, kMinPlainBinary = 1.0 / 16;

double to_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::log2(value) : std::log10(value);
}
double from_scale(Scale scale, double at) {
  return scale == Scale::linear ? at : scale == Scale::log2 ? std::exp2(at) : std::pow(10.0, at);
}

/// 1, 2 or 5 times a power of ten, kept in parts so that ticks are exact.
struct Step {
  int mantissa = 1, exponent = 0;
  double size() const { return mantissa * std::pow(10.0, exponent); }
};
/// The smallest step >= minimum.
Step step_of_at_least(double minimum) {
  const int exponent = static_cast<int>(std::floor(std::log10(minimum) + kSlack));
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent};
    if (step.size() >= minimum * (1 - kSlack)) return step;
  }
  return {1, exponent + 1};
}

/// "2×10^-5"; "10^3" without a leading 1.
std::string as_power(double value) {
  int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + kSlack));
  const double mantissa = value / std::pow(10.0, exponent);
  if (std::abs(mantissa - 1) < kSlack) return fmt::format("10^{}", exponent);
  return fmt::format("{:.3g}×10^{}", mantissa, exponent);
}

std::vector<Tick> linear_ticks(Range range, u32 max_ticks) {
  // Start with too small a step and take the first one that fits: the number of ticks depends on where they fall.
  Step step = step_of_at_least((range.high - range.low) / (max_ticks + 1));
  std::vector<Tick> ticks;
  for (;; step = step_of_at_least(step.size() * 1.5)) {
    const double size = step.size();
    const double first = std::ceil(range.low / size - kSlack), last = std::floor(range.high / size + kSlack);
    if (last - first + 1 > max_ticks) continue;
    const double largest = std::max(std::abs(range.low), std::abs(range.high));
    const bool powers = largest >= kMaxPlain || size < 1e-5;
    for (double k = first; k <= last; ++k) {
      // Divide integers instead of multiplying by an inexact 0.1: 0.3 is 3 / 10.
      const double value = step.exponent < 0 ? k * step.mantissa / std::pow(10.0, -step.exponent) : k * size;
      const std::string label = k == 0   ? "0"
                                : powers ? as_power(value)
                                         : plain_number(value, std::max(0, -step.exponent));
      ticks.push_back({value, label});
    }
    return ticks;
  }
}

/// The multiples of every stride-th decade within the range.
std::vector<double> decades(Range range, std::span<const int> multiples, int stride) {
  std::vector<double> values;
  const int first = static_cast<int>(std::floor(std::log10(range.low))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(range.high))) + 1;
  for (int e = first; e <= last; ++e) {
    if (e % stride != 0) continue;
    for (const int m : multiples) {
      const double value = e < 0 ? m / std::pow(10.0, -e) : m * std::pow(10.0, e);
      if (value >= range.low * (1 - kSlack) && value <= range.high * (1 + kSlack)) values.push_back(value);
    }
  }
  return values;
}

void label_decades(std::vector<Tick>& ticks) {
  const bool plain = std::all_of(ticks.begin(), ticks.end(), [](const Tick& t) {
    return t.value >= kMinPlainDecade && t.value <= kMaxPlainDecade;
  });
  for (Tick& t : ticks) {
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(t.value) - kSlack)));
    t.label = plain ? plain_number(t.value, digits) : as_power(t.value);
  }
}

std::vector<Tick> log10_ticks(Range range, u32 max_labels) {
  static constexpr int kOne[] = {1}, kFew[] = {1, 2, 5}, kAll[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> labelled = decades(range, kFew, 1);
  bool dense = true;
  for (int stride = 1; labelled.size() > max_labels; ++stride) {
    labelled = decades(range, kOne, stride), dense = stride == 1;
  }
  if (labelled.size() < 2) return {};
  std::vector<Tick> ticks;
  for (const double v : labelled) ticks.push_back({v, ""});
  label_decades(ticks);
  if (!dense) return ticks;
  for (const double v : decades(range, kAll, 1)) {
    if (std::find(labelled.begin(), labelled.end(), v) == labelled.end()) ticks.push_back({v, ""});
  }
  std::sort(ticks.begin(), ticks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  return ticks;
}

std::vector<Tick> log2_ticks(Range range, u32 max_labels) {
  const int first = static_cast<int>(std::ceil(std::log2(range.low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log2(range.high) + kSlack));
  if (last - first < 1) return {};
  const int stride = (last - first) / static_cast<int>(max_labels) + 1;
  const bool plain = std::exp2(last) <= kMaxPlainBinary && std::exp2(first) >= kMinPlainBinary;
  std::vector<Tick> ticks;
  for (int e = first; e <= last; ++e) {
    const double value = std::exp2(e);
    // Counted from the last, so that the largest size is labelled.
    const bool labelled = (last - e) % stride == 0;
    ticks.push_back({value, !labelled ? "" : plain ? plain_number(value, std::max(0, -e)) : fmt::format("2^{}", e)});
  }
  return ticks;
}

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

double Axis::at(double value) const {
  const double begin = to_scale(scale, low), end = to_scale(scale, high);
  return (to_scale(scale, value) - begin) / (end - begin);
}

Range widened(Scale scale, Range range, double fraction) {
  TRI_EXPECTS(!range.empty && (scale == Scale::linear || range.low > 0));
  double begin = to_scale(scale, range.low), end = to_scale(scale, range.high);
  if (!(end - begin > 1e-12 * std::abs(end))) {
    const double half = scale != Scale::linear ? to_scale(scale, 1.5) : end == 0 ? 1 : std::abs(end) / 2;
    begin -= half, end += half;
  }
  const double margin = fraction * (end - begin);
  return {from_scale(scale, begin - margin), from_scale(scale, end + margin), false};
}

Axis make_axis(Scale scale, Range range, u32 max_labels) {
  TRI_EXPECTS(!range.empty && range.low < range.high && max_labels >= 2 && (scale == Scale::linear || range.low > 0));
  Axis axis{scale, range.low, range.high, {}};
  if (scale == Scale::log2) axis.ticks = log2_ticks(range, max_labels);
  if (scale == Scale::log10) axis.ticks = log10_ticks(range, max_labels);
  if (axis.ticks.empty()) axis.ticks = linear_ticks(range, max_labels);
  return axis;
}

Scale natural_scale(std::span<const double> values) {
  if (values.size() < 2) return Scale::linear;
  int unused = 0;
  const auto power = [&unused](double v) { return std::frexp(v, &unused) == 0.5; };
  if (std::all_of(values.begin(), values.end(), power) && values.back() >= 4 * values.front()) return Scale::log2;
  const double step = values[1] - values[0];
  bool equal = values.size() >= 3;
  for (std::size_t i = 2; i < values.size(); ++i) {
    equal = equal && std::abs(values[i] - values[i - 1] - step) <= kSlack * values[i];
  }
  return !equal && values.back() >= 20 * values.front() ? Scale::log10 : Scale::linear;
}

std::string plain_number(double value, int digits) {
  if (digits == 0 && std::abs(value) >= 1000 && std::abs(value) < 9e15) {
    return fmt::format("{}{}", value < 0 ? "-" : "", grouped(static_cast<u64>(std::llround(std::abs(value)))));
  }
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace tri::app
