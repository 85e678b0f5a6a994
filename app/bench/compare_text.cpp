// A comparison for a person.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/bench/compare.hpp"
#include "app/support/text_table.hpp"

namespace tri::app {
namespace {

std::string ratio_text(const ComparedRow& row) {
  if (!row.ratio) return "-";
  const TimeRatio& r = *row.ratio;
  if (r.interval.confidence == 0) return fmt::format("{:.2f}", r.ratio);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", r.ratio, r.interval.low, r.interval.high);
}

std::string time_text(const std::optional<double>& ms) { return ms ? duration_text(*ms) : "-"; }

}  // namespace

std::string comparison_text(const Comparison& c, u32 width) {
  std::string text = folded(fmt::format("compared with {}: {}", c.file, c.before), width, 2) + "\n";
  if (c.other_device) {
    text += folded("These are different devices: the ratios compare devices, not versions.", width, 2) + "\n";
  }
  if (!c.differences.empty()) {
    text += folded(fmt::format("other settings: {}", fmt::join(c.differences, "; ")), width, 2) + "\n";
  }
  TextTable table({{"kernel"}, {"map"}, {"before", true}, {"now", true}, {"now / before", true}, {"verdict"}});
  std::size_t same = 0, listed = 0;
  for (const ComparedRow& row : c.rows) {
    if (row.verdict == Verdict::same) {
      ++same;
      continue;
    }
    ++listed;
    std::string verdict = to_string(row.verdict);
    if (!row.reason.empty()) verdict += " (" + row.reason + ")";
    table.add({row.name, row.map, time_text(row.before_ms), time_text(row.now_ms), ratio_text(row), verdict});
  }
  if (listed > 0) text += "\n" + table.text(width);
  double covers = 0;
  for (const ComparedRow& row : c.rows) {
    if (row.ratio && row.ratio->decided() && (covers == 0 || row.ratio->interval.confidence < covers)) {
      covers = row.ratio->interval.confidence;
    }
  }
  std::string sum = fmt::format("{} of {} rows did not change: by {:.4g} % at most", same, c.rows.size(),
                                100 * (c.threshold - 1));
  if (covers > 0) sum += fmt::format(", or not beyond their intervals, which cover {:.1f} %", 100 * covers);
  return text + (listed > 0 ? "\n" : "") + folded(sum + ".", width, 2) + "\n";
}

}  // namespace tri::app
