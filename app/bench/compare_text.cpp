// A comparison for a person.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/bench/compare.hpp"
#include "app/support/text_table.hpp"

namespace tri::app {
namespace {

std::string ratio_text(const ComparedRow& row) {
  if (!row.ratio) return "-";
  const TimeRatio& r = *row.ratio;
  if (r.interval.confidence == 0) return fmt::format("{:.3g}", r.ratio);
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", r.ratio, r.interval.low, r.interval.high);
}

/// "new: edm, n = 1024 on rec, fold": the rows of this verdict, those of one name together.
std::string alone_text(const Comparison& c, Verdict verdict, u32 width) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const ComparedRow& row : c.rows) {
    if (row.verdict != verdict) continue;
    if (names.empty() || names.back().first != row.name) names.emplace_back(row.name, "");
    names.back().second += (names.back().second.empty() ? "" : ", ") + row.map;
  }
  std::string text;
  for (const auto& [name, maps] : names) {
    text += folded(fmt::format("{}: {} on {}", to_string(verdict), name, maps), width, 2) + "\n";
  }
  return text;
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
    if (row.verdict == Verdict::gone || row.verdict == Verdict::fresh) continue;
    ++listed;
    std::string verdict = to_string(row.verdict);
    if (!row.reason.empty()) verdict += " (" + row.reason + ")";
    table.add({row.name, row.map, time_text(row.before_ms), time_text(row.now_ms), ratio_text(row), verdict});
  }
  if (listed > 0) text += "\n" + table.text(width);
  const std::string gone = alone_text(c, Verdict::gone, width), fresh = alone_text(c, Verdict::fresh, width);
  if (!gone.empty() || !fresh.empty()) text += "\n" + gone + fresh;
  double covers = 0;
  for (const ComparedRow& row : c.rows) {
    if (row.ratio && row.ratio->decided() && (covers == 0 || row.ratio->interval.confidence < covers)) {
      covers = row.ratio->interval.confidence;
    }
  }
  std::string sum =
      fmt::format("{} of {} rows did not change: by {:.4g} % at most", same, c.rows.size(), 100 * (c.threshold - 1));
  if (covers > 0) sum += fmt::format(", or not beyond their intervals, which cover {:.1f} %", 100 * covers);
  return text + (listed > 0 || !gone.empty() || !fresh.empty() ? "\n" : "") + folded(sum + ".", width, 2) + "\n";
}

}  // namespace tri::app
