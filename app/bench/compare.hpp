#pragma once
/// A bench against an older one: which rows became slower or faster. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/support/sample_stats.hpp"

namespace tri::app {

enum class Verdict : u8 {
  same,     ///< the interval contains 1, or the ratio is within the threshold
  slower,   ///< the whole interval is above 1, and the ratio above the threshold
  faster,   ///< the same below 1
  few,      ///< too few samples for an interval
  gone,     ///< only in the old report
  fresh,    ///< only in the new one
  untimed,  ///< skipped in one of them, or its check failed there
};
const char* to_string(Verdict verdict);

/// The time of the new row over that of the old one. The two were not timed in turns, as maps of one bench are, so the
/// ratio is that of their medians, and the interval that of two independent intervals: it covers the true ratio of the
/// medians with at least the probability `confidence`. What changes between two runs, above all clocks and other work
/// on the machine, is not in it.
struct TimeRatio {
  double ratio = 1;
  Interval interval;
  bool decided() const { return interval.confidence >= 0.9; }
};
/// Requires at least one time each, all > 0.
TimeRatio time_ratio(std::span<const double> before, std::span<const double> now);
/// threshold >= 1
Verdict verdict_of(const TimeRatio& ratio, double threshold);

struct ComparedRow {
  std::string name;  ///< "edm, n = 4,096, 4 features"
  std::string map;
  std::optional<double> before_ms, now_ms;  ///< medians; not set where it was not timed
  std::optional<TimeRatio> ratio;
  Verdict verdict = Verdict::same;
  std::string reason;  ///< of an untimed row
};

struct Comparison {
  std::string file;                  ///< the old report
  std::string version, utc, device;  ///< what made it, when and where
  double threshold = 1;
  bool other_device = false;             ///< the reports are of different devices
  std::vector<std::string> differences;  ///< in what else the runs differ: "threads 2, now 4"
  std::vector<ComparedRow> rows;         ///< in the order of the new report, then those that are gone
  bool any(Verdict verdict) const;
};

/// The text of the old report, read before the new one is made. Throws FileError when it cannot be read or is none.
std::string old_report_text(const std::string& file);

/// Compares the text of a report `file` with that of a new one, both JSON of schema 1. Throws FileError when the old
/// one is no such report, ConfigError when they have no row in common, with the command of the old one.
Comparison compare_reports(const std::string& file, std::string_view before, std::string_view now, double threshold);

/// Says what became slower or faster, which rows are gone or new, and how many did not change.
std::string comparison_text(const Comparison& comparison, u32 width);

/// The same for a program: a JSON object, a line a row, indented as the member of a report. What a row lacks is null.
std::string comparison_json(const Comparison& comparison);

}  // namespace tri::app
