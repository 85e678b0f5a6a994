// The command bench: results that an earlier run left are taken up, and what is left is measured; `bench --tune`.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/bench/bench_plan.hpp"
#include "app/bench/report.hpp"
#include "app/plot/plot.hpp"
#include "app/support/console.hpp"
#include "app/support/engine_choice.hpp"
#include "app/support/json.hpp"
#include "app/support/run_config.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/files/file.hpp"
#include "sim/io/formats.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

/// Meta keys that must be equal in both runs.
constexpr const char* kSettings[] = {"version",    "backend",   "device", "driver",    "threads", "samples",
                                     "baseline",   "warmup_ms", "timing", "rec",       "energy",  "precision",
                                     "accumulate", "placement", "seed",   "tolerance", "ranks"};

constexpr const char* kResumeHint = "Name a result file of bench --resume, or one that is not there yet.";

[[noreturn]] void fail_foreign(const std::string& path, const std::string& what) {
  throw FileError(fmt::format("{}: {}. {}", path, what, kResumeHint));
}

/// A report of this plan with one skipped row a group: its settings and axes have the spelling of all reports.
Json probe(const BenchMeta& meta, const BenchPlan& plan) {
  std::vector<BenchGroup> groups;
  for (const PlannedGroup& planned : planned_groups(plan)) {
    BenchRow row;
    row.spec = planned.common;
    row.skipped = "";
    groups.push_back({planned.common, planned.baseline_added, {row}, {}});
  }
  return Json::parse(report_json(meta, plan, groups));
}

/// What identifies a group of a plan in a result.
std::string key_of(const Json& result) {
  Json key = Json::array();
  for (const char* axis : {"kernel", "n", "requested_block", "law"}) key.push_back(result.at(axis));
  // A setting of the whole bench, and null for the other maps of a group.
  for (const std::string_view axis : bench_axis_keys()) {
    if (axis != "rec") key.push_back(result.at(axis));
  }
  return key.dump();
}

void check_settings(const std::string& path, const Json& theirs, const Json& ours) {
  for (const char* name : kSettings) {
    const Json &there = theirs.at(name), &here = ours.at(name);
    if (there == here) continue;
    throw ConfigError(
        fmt::format("--resume {}: it was made with {} = {}, and this run has {}. Give the same settings, "
                    "or name another file.",
                    path, name, there.dump(), here.dump()));
  }
}

double number_or(const Json& value, double otherwise) { return value.is_null() ? otherwise : value.get<double>(); }

std::optional<double> optional_number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

MeterReading reading_from(const Json& j) {
  MeterReading r;
  r.seconds = j.at("seconds").get<double>();
  r.energy_j = optional_number(j.at("energy_j")), r.power_w = optional_number(j.at("power_w"));
  r.clock_mhz = optional_number(j.at("clock_mhz")), r.clock_low_mhz = optional_number(j.at("clock_low_mhz"));
  r.memory_clock_mhz = optional_number(j.at("memory_clock_mhz"));
  r.temperature_c = optional_number(j.at("temperature_c"));
  r.throttling = j.at("throttling").get<std::vector<std::string>>();
  return r;
}

BenchRow row_from(const Json& j, const BenchSpec& common) {
  BenchRow row;
  row.spec = spec_of(common, j.at("map").get<std::string>());
  row.backend = j.at("backend").get<std::string>();
  row.block = j.at("block").is_null() ? 0 : j.at("block").get<u32>();
  row.ranks = j.at("ranks").get<u32>();
  row.samples_ms = j.at("samples_ms").get<std::vector<double>>();
  if (!j.at("skipped").is_null()) {
    row.skipped = j.at("skipped").get<std::string>();
    return row;
  }
  row.blocks_launched = j.at("blocks_launched").get<u64>(), row.blocks_useful = j.at("blocks_useful").get<u64>();
  row.work_items = j.at("work_items").get<u64>();
  row.bytes = j.at("bytes").is_null() ? 0 : j.at("bytes").get<u64>();
  if (!j.at("near").is_null()) row.tree = TreeWork{j.at("near").get<u64>(), j.at("series").get<u64>()};
  const Json& check = j.at("check");
  row.check.passed = check.at("passed").get<bool>();
  row.check.max_rel_err = number_or(check.at("max_rel_err"), std::numeric_limits<double>::infinity());
  row.check.reference = check.at("reference").get<std::string>();
  if (const Json& energy = j.at("energy_run"); !energy.is_null()) {
    row.energy = EnergyRun{reading_from(energy), energy.at("times").get<u64>()};
  }
  return row;
}

bool timed_in_all(const BenchRow& row, const BenchPlan& plan) {
  const bool positive = std::all_of(row.samples_ms.begin(), row.samples_ms.end(), [](double ms) { return ms > 0; });
  const std::size_t least = plan.budget_s > 0 ? std::min(plan.samples, kMinRounds) : plan.samples;
  return row.skipped || (row.samples_ms.size() >= least && row.samples_ms.size() <= plan.samples && positive);
}

/// The rows in the order of the plan, or nothing when the group is incomplete.
std::optional<std::vector<BenchRow>> complete(const PlannedGroup& planned, std::vector<BenchRow>& rows,
                                              const BenchPlan& plan) {
  std::vector<BenchRow> ordered;
  for (const std::string& map : planned.maps) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& r) { return r.spec.map == map; });
    if (row == rows.end() || !timed_in_all(*row, plan)) return std::nullopt;
    ordered.push_back(std::move(*row));
  }
  return ordered;
}

/// The groups in the file by slot, complete or not.
BenchSlots groups_in(const std::string& path, const Json& results, const std::vector<PlannedGroup>& planned,
                     const std::map<std::string, std::size_t>& slot_of) {
  BenchSlots slots(planned.size());
  for (const Json& result : results) {
    const auto at = slot_of.find(key_of(result));
    const std::string map = result.at("map").get<std::string>();
    const bool asked =
        at != slot_of.end() && std::count(planned[at->second].maps.begin(), planned[at->second].maps.end(), map) > 0;
    if (!asked && !result.at("skipped").is_null()) continue;  // nothing would be lost
    if (!asked) {
      throw ConfigError(
          fmt::format("--resume {}: it holds {} on map {} at n = {}, which this command line does not ask "
                      "for and which would be lost. Ask for it too, or name another file.",
                      path, result.at("kernel").get<std::string>(), map, result.at("n").dump()));
    }
    auto& slot = slots[at->second];
    const PlannedGroup& plan = planned[at->second];
    if (!slot) slot = BenchGroup{plan.common, plan.baseline_added, {}, {}, {}};
    slot->rows.push_back(row_from(result, plan.common));
    const Json& telemetry = result.at("telemetry");
    if (!telemetry.is_null()) slot->telemetry = reading_from(telemetry);
    if (const auto load = result.find("load"); load != result.end() && !load->is_null()) {
      slot->load = MachineLoad{load->at("others").get<double>(), load->at("cores").get<u32>()};
    }
  }
  return slots;
}

}  // namespace

std::optional<std::string> text_if_there(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return json_file_text(path);
}

BenchSlots resumed_slots(const std::string& path, const std::string& text, const BenchMeta& meta,
                         const BenchPlan& plan) {
  const Json file = json_document(path, text, kResumeHint);
  const Json ours = probe(meta, plan);
  if (!file.is_object() || file.value("schema", Json()) != ours["schema"] || !file.contains("meta") ||
      !file.contains("results")) {
    fail_foreign(path, "this is no result file of bench with schema 1");
  }
  try {
    check_settings(path, file.at("meta"), ours["meta"]);
    std::map<std::string, std::size_t> slot_of;
    for (std::size_t i = 0; i < ours["results"].size(); ++i) slot_of.emplace(key_of(ours["results"][i]), i);
    const std::vector<PlannedGroup> planned = planned_groups(plan);
    BenchSlots slots = groups_in(path, file.at("results"), planned, slot_of);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i]) continue;
      auto rows = complete(planned[i], slots[i]->rows, plan);
      if (rows) {
        slots[i]->rows = std::move(*rows);
        add_statistics(*slots[i], plan.baseline);
      } else {
        slots[i].reset();
      }
    }
    return slots;
  } catch (const Json::exception& error) {
    fail_foreign(path, fmt::format("its meta or results are not those of this version ({})", error.what()));
  }
}

std::vector<std::string> bench_argv(const RunConfig& config) {
  std::vector<std::string> argv{"triangulum", "bench"};
  const auto add = [&argv](const char* name, std::string value) {
    if (!value.empty()) argv.emplace_back(name), argv.push_back(std::move(value));
  };
  std::vector<std::string_view> kernels;
  for (const BenchKernel k : config.bench.kernels) kernels.emplace_back(to_string(k));
  add("--kernel", fmt::format("{}", fmt::join(kernels, ",")));
  add("--map", fmt::format("{}", fmt::join(config.common.maps, ",")));
  add("--n", fmt::format("{}", fmt::join(config.bench.sizes, ",")));
  add("--block", fmt::format("{}", fmt::join(config.common.blocks, ",")));
  if (config.bench.samples) add("--samples", fmt::format("{}", *config.bench.samples));
  if (config.common.backend != "auto") add("--backend", config.common.backend);
  if (config.common.device >= 0) add("--device", fmt::format("{}", config.common.device));
  if (config.common.threads.value_or(0) > 0) add("--threads", fmt::format("{}", *config.common.threads));
  return argv;
}

BenchJob::~BenchJob() {
  cancel();
  wait();
}

void BenchJob::start(RunConfig config, Opener opener) {
  if (status().running) throw ConfigError("a benchmark is running; cancel it first.");
  wait();
  config.argv = bench_argv(config);
  BenchPlan plan = bench_plan(config);
  const std::lock_guard lock(mutex_);
  const u64 version = status_.version + 1;
  status_ = {};
  status_.running = true, status_.version = version;
  status_.planned = planned_groups(plan).size();
  status_.command = fmt::format("{}", fmt::join(config.argv, " "));
  config_ = std::move(config), plan_ = std::move(plan);
  stop_ = false;
  thread_ = std::thread([this, opener = std::move(opener)] { work(opener); });
}

void BenchJob::cancel() { stop_ = true; }

void BenchJob::wait() {
  if (thread_.joinable()) thread_.join();
}

u64 BenchJob::version() const {
  const std::lock_guard lock(mutex_);
  return status_.version;
}

BenchStatus BenchJob::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void BenchJob::work(const Opener& opener) {
  const auto change = [this](auto&& what) {
    const std::lock_guard lock(mutex_);
    what(status_);
    ++status_.version;
  };
  std::string error;
  try {
    const auto backend = opener();
    BenchMeta meta = bench_meta(config_, backend->info());
    const std::unique_ptr<DeviceMeter> meter = backend->make_meter(meta.no_meter);
    if (meter != nullptr) meta.no_meter.clear();
    change([&](BenchStatus&) { settle_on(*backend, plan_, meta), meta_ = std::move(meta); });
    BenchHooks hooks;
    hooks.stop = &stop_;
    hooks.meter = meter.get();
    hooks.progress = [&](const std::string& line) { change([&](BenchStatus& s) { s.progress = line; }); };
    hooks.group_finished = [&](const BenchGroup&, const BenchSlots& slots) {
      change([&](BenchStatus& s) {
        s.groups = filled(slots);
        std::erase_if(s.groups, [](const BenchGroup& g) { return g.rows.empty(); });
        s.finished = s.groups.size();
      });
    };
    run_bench(*backend, plan_, hooks);
  } catch (const std::exception& problem) {
    error = problem.what();
  }
  change([&](BenchStatus& s) {
    s.running = false, s.error = error, s.progress.clear();
    s.cancelled = error.empty() && stop_;
  });
}

void BenchJob::save(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  if (status_.groups.empty()) throw ConfigError(fmt::format("{}: no benchmark has been timed yet; start one.", path));
  std::string text;
  if (path.ends_with(".csv")) {
    text = report_csv(status_.groups);
  } else if (path.ends_with(".json")) {
    text = report_json(meta_, plan_, status_.groups);
  } else if (path.ends_with(".svg")) {
    text = plot_svg(report_json(meta_, plan_, status_.groups), PlotOptions{});
  } else {
    throw ConfigError(fmt::format("{}: a benchmark is written as .csv, .json or .svg; end the name so.", path));
  }
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

// `bench --tune`: which tiles are fastest on this device.

namespace {

std::string choice_text(TunedWork work, u32 choice) {
  if (work == TunedWork::grid || work == TunedWork::tree) {
    return choice == 0 ? "all pairs" : work == TunedWork::grid ? "grid" : fmt::format("tree at 1e-{}", choice);
  }
  return fmt::format("{}", choice);
}

std::string line_of(const TuneStep& step) {
  std::vector<std::string> times;
  for (const auto& [choice, ms] : step.times) {
    times.push_back(
        fmt::format("{}{}: {}", choice_text(step.work, choice), choice == step.chosen ? "*" : "", duration_text(ms)));
  }
  return fmt::format("{:<14} {}  {:>7}  {}\n", to_string(step.work), to_string(step.precision), step.n,
                     fmt::join(times, "  "));
}

}  // namespace

int run_tune(const RunConfig& config, Console& console) {
  const std::string path = config.bench.output.empty() ? io::tuning_path() : config.bench.output;
  if (path.empty()) {
    throw FileError(
        "--tune has nowhere to keep what it finds: neither XDG_CONFIG_HOME nor HOME is set. Name a file "
        "with -o.");
  }
  io::read_tunings(path);  // report an unreadable file now, not after all measurements
  const auto backend = open_backend(config.common, &console);
  TuneRequest request;
  request.sizes = tune_sizes(config);
  request.stop = &interrupt_flag();
  request.precisions = {Precision::fp32, Precision::fp64};
  if (config.common.precision) request.precisions = {*config.common.precision};
  bool begun = false;
  const Tuning tuning = backend->tune(request, [&](const TuneStep& step) {
    if (!begun) console.print(fmt::format("{}\ntime of one evaluation by tile; * is kept\n\n", backend->info().device));
    begun = true;
    console.print(line_of(step));
  });
  if (interrupt_flag().load()) {
    console.note("interrupted; nothing is kept.");
    return static_cast<int>(ExitCode::interrupted);
  }
  io::write_tuning(path, tuning);
  backend->use_tuning();
  console.note(fmt::format("wrote {}{}", path, path == io::tuning_path() ? "; every later run goes by it" : ""));
  return static_cast<int>(ExitCode::ok);
}

// `bench`: plan, run, report.

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
