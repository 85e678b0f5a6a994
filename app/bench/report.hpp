#pragma once
/// Reports of benches: as documents, against an older one, and the job that makes and resumes one.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/bench/bench_runner.hpp"
#include "app/support/measurement.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/user_values.hpp"

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
constexpr auto enum_table(Verdict) {
  return enum_names<Verdict>("verdict", "no difference", "slower", "faster", "few samples", "gone", "new", "not timed");
}

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

// A bench's result as table, CSV and JSON.

/// Where and how the figures were measured.
struct BenchMeta {
  std::string version, utc, host;
  std::vector<std::string> argv;
  BackendInfo backend;
  std::string driver;                 ///< empty on a cpu
  double clock_mhz = 0;               ///< of the processor; 0 = not known
  u32 threads = 0;                    ///< host threads usable
  std::string no_meter;               ///< why there is no telemetry; empty where there is
  std::optional<Floors> floors = {};  ///< where the plan asks for them
};
BenchMeta bench_meta(const RunConfig& config, const BackendInfo& backend);

/// What follows for a plan from the backend that will run it: its sizes, and the floors, which are measured here.
void settle_on(Backend& backend, BenchPlan& plan, BenchMeta& meta);

/// The floor of a timed row; nothing for others, and for those that have none.
std::optional<KernelFloor> floor_of(const BenchRow& row, const std::optional<Floors>& floors);

/// A group as a table, up to 98 characters wide; where `width` is less, 80, without spread and launches. Shares of the
/// floors come below it.
std::string group_table(const BenchGroup& group, const BenchPlan& plan, u32 width,
                        const std::optional<Floors>& floors = {});
/// "clock 1,980 MHz (low 1,755), 512 W, 61 C; THROTTLED: power cap"; empty without readings.
std::string telemetry_text(const MeterReading& reading);
/// The lines above all tables.
std::string table_head(const BenchMeta& meta);

/// One line a result, after a line of column names; texts are quoted where necessary. Empty = no such figure.
std::string report_csv(const std::vector<BenchGroup>& groups);

/// "edm, n = 4,096, 4 features, condensed": the kernel, its size and its axes, without choices of the backend.
/// The side in tiles at which a typed map drove the kernel, because it is proved there; nothing for others.
std::optional<u64> proved_side(const BenchGroup& group, const BenchRow& row);

std::string group_name(const BenchSpec& common);

/// Schema 1: {"schema", "meta": {...}, "results": [...]}, and "comparison": {...} where there is one. Figures of
/// skipped rows are null.
std::string report_json(const BenchMeta& meta, const BenchPlan& plan, const std::vector<BenchGroup>& groups,
                        const std::optional<Comparison>& comparison = {});

// Resuming from the result file of a run that was interrupted.
//
// The unit is the group, since its ratios need one run: it is kept when each of its maps was timed in all rounds or
// skipped with a reason. All others run again.

/// The text of the file; nothing when it does not exist. Throws FileError when it cannot be read.
std::optional<std::string> text_if_there(const std::string& path);

/// The groups of the plan that are complete in `text`, the content of the result file `path` (schema 1), in their
/// slots. Throws FileError (path, place, cure) when it is no such file; ConfigError when its settings differ from this
/// run's (version, backend, device, samples and the rest of its meta) or when it holds results outside the plan, which
/// would be lost when the file is written again.
BenchSlots resumed_slots(const std::string& path, const std::string& text, const BenchMeta& meta,
                         const BenchPlan& plan);

// A bench in the background, on a thread and a backend of its own. Its state can be read at any time; cancelling takes
// effect after the sample in progress.

/// What a job has done so far; plain data, a copy.
struct BenchStatus {
  bool running = false, cancelled = false;
  std::string command;                    ///< equivalent command line; empty = none was started
  std::string progress;                   ///< one line
  std::string error;                      ///< why it failed; empty = it did not
  std::size_t finished = 0, planned = 0;  ///< groups that have results, and all of them
  std::vector<BenchGroup> groups;         ///< finished, or in progress when cancelled
  u64 version = 0;                        ///< grows with each change of the members above
};

/// All members are for one thread; the work runs on another.
class BenchJob {
 public:
  /// Makes the backend; called on the worker thread.
  using Opener = std::function<std::unique_ptr<Backend>()>;

  BenchJob() = default;
  /// Stops it and waits for the sample in progress.
  ~BenchJob();
  BenchJob(const BenchJob&) = delete;
  BenchJob& operator=(const BenchJob&) = delete;

  /// Starts the bench of `config` and drops earlier results. Throws ConfigError for an invalid bench, and while one is
  /// running.
  void start(RunConfig config, Opener opener);
  void cancel();  ///< returns at once; see status() for the end
  void wait();    ///< until it has ended

  u64 version() const;
  BenchStatus status() const;

  /// CSV, JSON or an SVG figure by the extension of the path, written beside and renamed. Throws ConfigError for
  /// another extension and when nothing was timed, FileError.
  void save(const std::string& path) const;

 private:
  void work(const Opener& opener);

  mutable std::mutex mutex_;
  BenchStatus status_;
  RunConfig config_;
  BenchPlan plan_;
  BenchMeta meta_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// The bench of `config` as a command line: "triangulum bench --kernel gravity --map bb,lambda --n 1024,2048 ...".
std::vector<std::string> bench_argv(const RunConfig& config);

}  // namespace tri::app
