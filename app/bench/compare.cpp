#include "app/bench/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/support/json_file.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCompareHint = "Name a report of bench --format json.";

/// What two rows must share to be compared, besides their map. A key that an older report lacks is null.
constexpr const char* kRowAxes[] = {
    "kernel",     "n",         "requested_block", "features",  "form", "layout", "dimensions", "placement", "fractal",
    "arithmetic", "precision", "accumulate",      "tolerance", "rec",  "timing", "ranks",      "law"};
/// What is told when it differs. The device is told by itself.
constexpr const char* kRunSettings[] = {"version", "backend", "detail",    "driver",
                                        "threads", "samples", "warmup_ms", "seed"};

/// Coverage of each of two intervals, so that both hold 19 times in 20.
constexpr double kEachCovers = 0.975;

[[noreturn]] void fail_old(const std::string& file, const std::string& what) {
  throw FileError(fmt::format("--compare {}: {}. {}", file, what, kCompareHint));
}

const Json& part(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The rows of a report by their keys, in order.
struct Report {
  Json meta;
  std::vector<Json> rows;
  std::vector<std::string> keys;
  std::map<std::string, std::size_t> place;
};

Report report_of(const std::string& file, std::string_view text) {
  const Json document = json_document(file, text, kCompareHint);
  if (part(document, "schema") != 1) fail_old(file, "this is no report of bench with schema 1");
  const Json& results = part(document, "results");
  if (!results.is_array()) fail_old(file, "it has no \"results\"");
  Report report;
  report.meta = part(document, "meta");
  for (const Json& row : results) {
    if (!part(row, "kernel").is_string() || !part(row, "map").is_string())
      fail_old(file, "a result has no kernel or map");
    std::string key = part(row, "map").dump();
    for (const char* axis : kRowAxes) key += " " + part(row, axis).dump();
    if (!report.place.emplace(key, report.rows.size()).second) continue;
    report.keys.push_back(key);
    report.rows.push_back(row);
  }
  return report;
}

/// The times of a row; empty, with the reason, where it has none that count.
std::vector<double> times_of(const Json& row, std::string& reason) {
  if (const std::string skipped = text_of(part(row, "skipped")); !skipped.empty()) {
    reason = "skipped: " + skipped;
    return {};
  }
  if (part(part(row, "check"), "passed") != true) {
    reason = "its check failed";
    return {};
  }
  std::vector<double> times;
  const Json& samples = part(row, "samples_ms");
  if (samples.is_array()) {
    for (const Json& sample : samples) {
      if (sample.is_number() && sample.get<double>() > 0) times.push_back(sample.get<double>());
    }
  }
  const Json& median = part(row, "median_ms");
  if (times.empty() && median.is_number() && median.get<double>() > 0) times.push_back(median.get<double>());
  if (times.empty()) reason = "it has no times";
  return times;
}

/// Axes that vary among the rows of each kernel, so that names need no others.
std::map<std::string, std::set<std::string>> varying_axes(const Report& before, const Report& now) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;
  for (const Report* report : {&before, &now}) {
    for (const Json& row : report->rows) {
      for (const char* axis : kRowAxes) {
        const Json& value = part(row, axis);
        if (!value.is_null()) values[text_of(part(row, "kernel"))][axis].insert(value.dump());
      }
    }
  }
  std::map<std::string, std::set<std::string>> axes;
  for (const auto& [kernel, all] : values) {
    for (const auto& [axis, found] : all) {
      if (found.size() > 1) axes[kernel].insert(axis);
    }
  }
  return axes;
}

std::string name_of_row(const Json& row, const std::map<std::string, std::set<std::string>>& varying) {
  const std::string kernel = text_of(part(row, "kernel"));
  std::string name = fmt::format("{}, n = {}", kernel, text_of(part(row, "n")));
  const auto axes = varying.find(kernel);
  for (const char* axis : kRowAxes) {
    const std::string value = text_of(part(row, axis));
    if (std::string_view(axis) == "n" || axes == varying.end() || !axes->second.count(axis) || value.empty()) continue;
    const std::string_view word = std::string_view(axis) == "requested_block" ? "block" : axis;
    name += part(row, axis).is_string() ? fmt::format(", {}", value) : fmt::format(", {} {}", word, value);
  }
  return name;
}

ComparedRow compared(const Json& before, const Json& now, double threshold) {
  ComparedRow row;
  std::string why_before, why_now;
  const std::vector<double> old_times = times_of(before, why_before), new_times = times_of(now, why_now);
  if (!old_times.empty()) row.before_ms = sample_stats(old_times).median;
  if (!new_times.empty()) row.now_ms = sample_stats(new_times).median;
  if (old_times.empty() && new_times.empty()) return row;  // neither was timed: nothing changed
  if (old_times.empty() || new_times.empty()) {
    row.verdict = Verdict::untimed;
    row.reason = old_times.empty() ? "before: " + why_before : "now: " + why_now;
    return row;
  }
  row.ratio = time_ratio(old_times, new_times);
  row.verdict = verdict_of(*row.ratio, threshold);
  return row;
}

void tell_differences(Comparison& c, const Json& before, const Json& now) {
  c.version = text_of(part(before, "version")), c.utc = text_of(part(before, "utc"));
  c.device = text_of(part(before, "device"));
  c.other_device = part(before, "device") != part(now, "device") || part(before, "backend") != part(now, "backend");
  const auto tell = [&](const char* name, const Json& there, const Json& here) {
    if (there == here) return;
    const auto shown = [](const Json& v) { return v.is_null() ? std::string("none") : text_of(v); };
    c.differences.push_back(fmt::format("{} {}, now {}", name, shown(there), shown(here)));
  };
  for (const char* name : kRunSettings) tell(name, part(before, name), part(now, name));
  tell("clock in MHz", part(part(before, "clocks"), "mhz"), part(part(now, "clocks"), "mhz"));
}

}  // namespace

const char* to_string(Verdict verdict) {
  static constexpr const char* kWords[] = {"no difference", "slower", "faster",   "few samples",
                                           "gone",          "new",    "not timed"};
  return kWords[static_cast<std::size_t>(verdict)];
}

TimeRatio time_ratio(std::span<const double> before, std::span<const double> now) {
  TRI_EXPECTS(!before.empty() && !now.empty());
  const Interval old = median_interval(before, kEachCovers), fresh = median_interval(now, kEachCovers);
  TimeRatio r;
  r.ratio = sample_stats(now).median / sample_stats(before).median;
  r.interval = {fresh.low / old.high, fresh.high / old.low, std::max(0.0, old.confidence + fresh.confidence - 1)};
  return r;
}

Verdict verdict_of(const TimeRatio& r, double threshold) {
  TRI_EXPECTS(threshold >= 1);
  if (!r.decided()) return Verdict::few;
  if (r.interval.low > 1 && r.ratio > threshold) return Verdict::slower;
  if (r.interval.high < 1 && r.ratio < 1 / threshold) return Verdict::faster;
  return Verdict::same;
}

bool Comparison::any(Verdict verdict) const {
  return std::any_of(rows.begin(), rows.end(), [&](const ComparedRow& row) { return row.verdict == verdict; });
}

std::string old_report_text(const std::string& file) {
  std::string text = json_file_text(file);
  report_of(file, text);
  return text;
}

Comparison compare_reports(const std::string& file, std::string_view before, std::string_view now, double threshold) {
  const Report old = report_of(file, before), fresh = report_of("the new report", now);
  Comparison c;
  c.file = file, c.threshold = threshold;
  tell_differences(c, old.meta, fresh.meta);
  const auto varying = varying_axes(old, fresh);
  std::size_t common = 0;
  const auto add = [&](ComparedRow row, const Json& source) {
    row.name = name_of_row(source, varying), row.map = text_of(part(source, "map"));
    c.rows.push_back(std::move(row));
  };
  const auto alone = [](const Json& source, Verdict verdict) {
    ComparedRow row;
    const std::vector<double> times = times_of(source, row.reason);
    row.verdict = verdict;
    if (!times.empty()) (verdict == Verdict::gone ? row.before_ms : row.now_ms) = sample_stats(times).median;
    return row;
  };
  for (std::size_t i = 0; i < fresh.rows.size(); ++i) {
    const auto at = old.place.find(fresh.keys[i]);
    const bool there = at != old.place.end();
    common += there ? 1 : 0;
    add(there ? compared(old.rows[at->second], fresh.rows[i], threshold) : alone(fresh.rows[i], Verdict::fresh),
        fresh.rows[i]);
  }
  for (std::size_t i = 0; i < old.rows.size(); ++i) {
    if (!fresh.place.count(old.keys[i])) add(alone(old.rows[i], Verdict::gone), old.rows[i]);
  }
  if (common > 0) return c;
  std::vector<std::string> argv;
  for (const Json& word : part(old.meta, "argv")) argv.push_back(text_of(word));
  throw ConfigError(
      fmt::format("--compare {}: it has no row in common with this bench; it was made on {} by: {}. Run the same "
                  "kernels, sizes and "
                  "options, on a device of the same kind.",
                  file, text_of(part(old.meta, "device")), fmt::join(argv, " ")));
}

}  // namespace tri::app
