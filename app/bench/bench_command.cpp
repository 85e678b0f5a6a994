// `bench`: plan, run, report.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>

#include "app/bench/compare.hpp"
#include "app/bench/dry_run.hpp"
#include "app/bench/report.hpp"
#include "app/bench/resume.hpp"
#include "app/plot/plot_svg.hpp"
#include "app/support/commands.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/interrupt.hpp"
#include "sim/io/files/atomic_file.hpp"

namespace tri::app {
namespace {

/// How many requested combinations (without an added baseline) were timed, and how many were not.
struct Tally {
  std::size_t timed = 0, skipped = 0, failed = 0;
  std::string first_reason;
  bool memory_first = false;  ///< the first reason is lack of memory
};

Tally tally(const std::vector<BenchGroup>& groups, const std::string& baseline) {
  Tally t;
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows) {
      if (group.baseline_added && row.spec.map == baseline) continue;
      if (row.skipped && t.first_reason.empty()) t.first_reason = *row.skipped, t.memory_first = row.out_of_memory;
      (row.skipped ? t.skipped : t.timed) += 1;
    }
  }
  return t;
}

/// As asked for, else by the name of the file.
BenchFormat format_of(const RunConfig& config) {
  if (config.common.json || !config.bench.resume.empty()) return BenchFormat::json;
  if (config.given.count("--format")) return config.bench.format;
  if (config.bench.output.ends_with(".json")) return BenchFormat::json;
  return config.bench.output.ends_with(".csv") ? BenchFormat::csv : config.bench.format;
}

/// The file that the report goes to; empty = standard output.
const std::string& report_path(const RunConfig& config) {
  return config.bench.resume.empty() ? config.bench.output : config.bench.resume;
}

std::string report(const RunConfig& config, const BenchMeta& meta, const BenchPlan& plan,
                   const std::vector<BenchGroup>& groups, const std::optional<Comparison>& comparison, u32 width) {
  const BenchFormat format = format_of(config);
  if (format == BenchFormat::json) return report_json(meta, plan, groups, comparison);
  if (format == BenchFormat::csv) return report_csv(groups);
  std::string text = table_head(meta);
  for (const BenchGroup& group : groups) text += fmt::format("\n{}", group_table(group, plan, width, meta.floors));
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

/// The groups in the file to resume; empty when there is no file yet.
BenchSlots known_slots(const std::string& path, const BenchMeta& meta, const BenchPlan& plan, Console& console) {
  const std::optional<std::string> text = text_if_there(path);
  if (!text) {
    console.note(fmt::format("{} is not there yet; it begins now.", path));
    return {};
  }
  BenchSlots slots = resumed_slots(path, *text, meta, plan);
  console.note(fmt::format("{} of {} groups stand complete in {} and are taken over.", filled(slots).size(),
                           slots.size(), path));
  return slots;
}

/// Throttled clocks make times longer than they should be; readers of a file must know it too.
void note_throttling(const BenchGroup& group, Console& console) {
  const auto note = [&](const MeterReading& reading, const std::string& when) {
    if (reading.throttling.empty()) return;
    console.note(
        fmt::format("throttled in {} of {}: {}.", when, group_name(group.common), fmt::join(reading.throttling, ", ")));
  };
  if (group.telemetry) note(*group.telemetry, "the sample rounds");
  for (const BenchRow& row : group.rows) {
    if (row.energy) note(row.energy->reading, fmt::format("the energy run of {}", row.spec.map));
  }
}

/// Notes, the error of a failed check, and the exit code.
int conclusion(const RunConfig& config, const std::vector<BenchGroup>& groups, const BenchPlan& plan,
               Console& console) {
  const Tally t = tally(groups, plan.baseline);
  if (interrupt_flag().load()) {
    if (t.timed == 0) {
      say_interrupted(console, config.common.json, kNothingWritten);
    } else {
      console.note("interrupted; what was timed is reported.");
    }
    return static_cast<int>(ExitCode::interrupted);
  }
  if (any_failed(groups)) {
    print_error("a check failed: a map or a kernel gave a wrong answer, and its timing means nothing.");
    return static_cast<int>(ExitCode::check_failed);
  }
  if (t.timed == 0 && t.memory_first) throw MemoryError(t.first_reason);
  if (t.timed == 0) throw ConfigError(t.first_reason);
  if (t.skipped > 0) console.note(fmt::format("{} of {} combinations were skipped.", t.skipped, t.skipped + t.timed));
  return static_cast<int>(ExitCode::ok);
}

/// Writes or prints the report of these groups, unless it was printed live, and the plot.
void deliver(const RunConfig& config, const BenchMeta& meta, const BenchPlan& plan,
             const std::vector<BenchGroup>& groups, const std::optional<Comparison>& comparison, Console& console) {
  const std::string& path = report_path(config);
  if (interrupt_flag().load() && tally(groups, plan.baseline).timed == 0) return;  // an earlier report is worth more
  if (!path.empty()) {
    write_file(path, report(config, meta, plan, groups, comparison, console.width()));
    console.note(fmt::format("wrote {}", path));
  } else if (format_of(config) != BenchFormat::table) {
    console.print(report(config, meta, plan, groups, comparison, console.width()));
  }
  if (config.bench.plot.empty() || tally(groups, plan.baseline).timed == 0) return;
  write_file(config.bench.plot, plot_svg(report_json(meta, plan, groups), PlotOptions{}));
  console.note(fmt::format("wrote {}", config.bench.plot));
}

/// The same, with the comparison with the old report where one is asked for and the run was not cut short.
std::optional<Comparison> deliver_compared(const RunConfig& config, const BenchMeta& meta, const BenchPlan& plan,
                                           const std::vector<BenchGroup>& groups, const std::string& before,
                                           Console& console) {
  std::optional<Comparison> comparison;
  if (!config.bench.compare.empty() && !interrupt_flag().load() && tally(groups, plan.baseline).timed > 0) {
    try {
      comparison =
          compare_reports(config.bench.compare, before, report_json(meta, plan, groups), config.bench.threshold);
    } catch (const ConfigError&) {
      deliver(config, meta, plan, groups, {}, console);  // nothing is common, and the times are worth keeping
      throw;
    }
  }
  deliver(config, meta, plan, groups, comparison, console);
  return comparison;
}

/// Says what changed since the old report. Results go to standard output unless the report itself is there for a
/// program. check_failed, with the reason, when something is slower.
int tell_comparison(const RunConfig& config, const Comparison& comparison, Console& console) {
  const std::string text = comparison_text(comparison, console.width());
  if (report_path(config).empty() && format_of(config) != BenchFormat::table) {
    console.note(text);
  } else {
    console.print("\n" + text);
  }
  if (!comparison.any(Verdict::slower)) return static_cast<int>(ExitCode::ok);
  print_error(fmt::format("slower than in {} by more than {:.4g} %{}.", config.bench.compare,
                          100 * (config.bench.threshold - 1),
                          comparison.other_device ? ", and that was another device" : ""));
  return static_cast<int>(ExitCode::check_failed);
}

}  // namespace

int run_bench_command(const RunConfig& config, Console& console) {
  if (config.bench.tune) return run_tune(config, console);
  BenchPlan plan = bench_plan(config);
  if (config.common.devices.size() > 1) check_shared(plan);
  if (config.bench.dry_run) {
    if (plan.floors) choose_sizes(plan, chosen_backend(config.common));
    console.print(dry_run_text(plan, console.width()));
    return static_cast<int>(ExitCode::ok);
  }
  const std::string& path = report_path(config);
  const std::string before = config.bench.compare.empty() ? "" : old_report_text(config.bench.compare);
  std::optional<InterruptDeadline> until_timed(std::in_place,
                                               [&] { say_interrupted(console, config.common.json, kNothingWritten); });
  const auto backend = open_backend(config.common, &console);
  if (backend->info().ranks > 1) check_shared(plan);
  BenchMeta meta = bench_meta(config, backend->info());
  const std::unique_ptr<DeviceMeter> meter = backend->make_meter(meta.no_meter);
  if (meter != nullptr) meta.no_meter.clear();
  if (plan.energy && meter == nullptr) {
    throw ConfigError(fmt::format("--energy needs meters: {}. Leave it out.", meta.no_meter));
  }
  settle_on(*backend, plan, meta);
  until_timed.reset();
  const bool resuming = !config.bench.resume.empty();
  BenchSlots slots;
  if (resuming) slots = known_slots(path, meta, plan, console);
  const bool live_table = path.empty() && format_of(config) == BenchFormat::table;
  if (live_table) console.print(table_head(meta));

  BenchHooks hooks;
  hooks.stop = &interrupt_flag();
  hooks.meter = meter.get();
  hooks.progress = [&console](const std::string& line) { console.progress(line); };
  std::mutex lock;
  std::vector<BenchGroup> finished = filled(slots);
  hooks.group_finished = [&](const BenchGroup& group, const BenchSlots& all) {
    const std::lock_guard hold(lock);
    finished = filled(all);
    if (live_table) console.print(fmt::format("\n{}", group_table(group, plan, console.width(), meta.floors)));
    if (resuming) write_file(path, report_json(meta, plan, filled(all)));
    note_throttling(group, console);
  };
  std::vector<BenchGroup> groups;
  {
    const InterruptDeadline deadline([&] {
      const std::lock_guard hold(lock);
      deliver(config, meta, plan, finished, {}, console);
      if (finished.empty()) return say_interrupted(console, config.common.json, kNothingWritten);
      console.note("interrupted in the middle of a sample; the groups before it are reported.");
    });
    groups = run_bench(*backend, plan, hooks, std::move(slots));
  }
  const std::optional<Comparison> comparison = deliver_compared(config, meta, plan, groups, before, console);
  const int code = conclusion(config, groups, plan, console);
  if (!comparison || code == static_cast<int>(ExitCode::interrupted)) return code;
  return std::max(code, tell_comparison(config, *comparison, console));
}

}  // namespace tri::app
