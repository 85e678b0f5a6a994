#include "app/bench/bench_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/report.hpp"
#include "app/engine_choice.hpp"
#include "app/interrupt.hpp"
#include "sim/error.hpp"
#include "sim/io/atomic_file.hpp"

namespace tri::app {
namespace {

/// How many combinations that were asked for (not the baseline that joined them) were timed and were not.
struct Tally {
  std::size_t timed = 0, skipped = 0, failed = 0;
  std::string first_reason;
  bool memory_first = false;  ///< the first reason is that it does not fit
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

/// Forces are the work of engines; the other kernels run wherever there is a bench.
BackendNeed need_of(const BenchPlan& plan) {
  for (const BenchPart& part : plan.parts) {
    const bool forces = part.kernel == BenchKernel::gravity || part.kernel == BenchKernel::triplet;
    if (forces || part.kernel == BenchKernel::gasket) return BackendNeed::simulation;
  }
  return BackendNeed::pairs;
}

std::string report(const RunConfig& config, const BenchMeta& meta, const BenchPlan& plan,
                   const std::vector<BenchGroup>& groups, u32 width) {
  const BenchFormat format = config.common.json ? BenchFormat::json : config.bench.format;
  if (format == BenchFormat::json) return report_json(meta, plan, groups);
  if (format == BenchFormat::csv) return report_csv(groups);
  std::string text = table_head(meta);
  for (const BenchGroup& group : groups) text += fmt::format("\n{}", group_table(group, plan, width));
  return text;
}

/// A clock that was held down makes times longer than the device's own; the reader of a file must hear of it too.
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

}  // namespace

int run_bench_command(const RunConfig& config, Console& console) {
  const BenchPlan plan = bench_plan(config);
  const auto backend = open_backend(config.common, need_of(plan), &console);
  BenchMeta meta = bench_meta(config, backend->info());
  const std::unique_ptr<DeviceMeter> meter = backend->make_meter(meta.no_meter);
  if (meter != nullptr) meta.no_meter.clear();
  if (plan.energy && meter == nullptr) {
    throw ConfigError(fmt::format("--energy needs meters: {}. Leave it out.", meta.no_meter));
  }
  const bool live_table =
      config.bench.output.empty() && !config.common.json && config.bench.format == BenchFormat::table;
  if (live_table) console.print(table_head(meta));

  BenchHooks hooks;
  hooks.stop = &interrupt_flag();
  hooks.progress = [&console](const std::string& line) { console.progress(line); };
  hooks.meter = meter.get();
  hooks.group_finished = [&](const BenchGroup& group, const BenchSlots&) {
    if (live_table) console.print(fmt::format("\n{}", group_table(group, plan, console.width())));
    note_throttling(group, console);
  };
  const auto groups = run_bench(*backend, plan, hooks);
  if (!config.bench.output.empty()) {
    io::OutputFile file(config.bench.output);
    file.write(report(config, meta, plan, groups, console.width()));
    file.commit();
    console.note(fmt::format("wrote {}", config.bench.output));
  } else if (!live_table) {
    console.print(report(config, meta, plan, groups, console.width()));
  }

  const Tally t = tally(groups, plan.baseline);
  if (interrupt_flag().load()) {
    console.note("interrupted; what was timed is reported.");
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

}  // namespace tri::app
