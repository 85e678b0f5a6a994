// A comparison for a person, and for a program.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/bench/compare.hpp"
#include "app/support/json_text.hpp"
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

using Json = nlohmann::ordered_json;

Json json_of_row(const ComparedRow& row) {
  const auto or_null = [](bool there, const auto& value) { return there ? Json(value) : Json(nullptr); };
  const TimeRatio ratio = row.ratio.value_or(TimeRatio{});
  const bool interval = row.ratio && ratio.interval.confidence > 0;
  return {{"what", row.name},
          {"map", row.map},
          {"before_ms", or_null(row.before_ms.has_value(), row.before_ms.value_or(0))},
          {"now_ms", or_null(row.now_ms.has_value(), row.now_ms.value_or(0))},
          {"ratio", or_null(row.ratio.has_value(), ratio.ratio)},
          {"ratio_low", or_null(interval, ratio.interval.low)},
          {"ratio_high", or_null(interval, ratio.interval.high)},
          {"confidence", or_null(interval, ratio.interval.confidence)},
          {"verdict", to_string(row.verdict)},
          {"reason", or_null(!row.reason.empty(), row.reason)}};
}

}  // namespace

std::string comparison_text(const Comparison& c, u32 width) {
  const std::string made = fmt::format("triangulum {} of {} on {}", c.version, c.utc, c.device);
  std::string text = folded(fmt::format("compared with {}: {}", c.file, made), width, 2) + "\n";
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

std::string comparison_json(const Comparison& c) {
  const Json head = {{"file", c.file},
                     {"version", c.version},
                     {"utc", c.utc},
                     {"device", c.device},
                     {"other_device", c.other_device},
                     {"differences", c.differences},
                     {"threshold", c.threshold},
                     {"slower", c.any(Verdict::slower)}};
  std::string text = "{";
  for (const auto& [key, value] : head.items()) text += fmt::format("\n    \"{}\": {},", key, json_line(value));
  text += "\n    \"rows\": [";
  const char* separator = "\n      ";
  for (const ComparedRow& row : c.rows) text += separator + json_line(json_of_row(row)), separator = ",\n      ";
  return text + "\n    ]\n  }";
}

}  // namespace tri::app
