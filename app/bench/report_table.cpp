// A bench for a person: one table a group, one line a map.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/bench_plan.hpp"
#include "app/bench/report.hpp"
#include "app/plot/plot.hpp"
#include "app/support/option_values.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/automaton.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

/// Narrower terminals get no columns for spread and launches.
constexpr u32 kWidthForAll = 98;
/// Width of the energy column.
constexpr u32 kWidthOfEnergy = 9;
/// Of the columns of a tree.
constexpr u32 kWidthOfTree = 16;

std::string improvement_text(const BenchRow& row, const BenchPlan& plan) {
  if (!row.improvement) return "-";
  if (row.spec.map == plan.baseline) return "1";
  const Improvement& i = *row.improvement;
  if (!i.decided()) return fmt::format("{} (few samples)", ratio_text(i.ratio));
  const std::string what = i.differs() ? ratio_text(i.ratio) : "no difference";
  return fmt::format("{} [{}, {}]", what, ratio_text(i.interval.low), ratio_text(i.interval.high));
}

std::string check_text(const BenchRow& row) {
  if (!row.check.passed) return fmt::format("FAILED {:.1e}", row.check.max_rel_err);
  return row.check.max_rel_err == 0 ? "exact" : fmt::format("ok {:.1e}", row.check.max_rel_err);
}

std::string percent(double part, double whole) {
  if (!(whole > 0)) return "-";
  const double value = 100 * part / whole;
  return fmt::format("{:.{}f} %", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string energy_text(const BenchRow& row) {
  const auto joule = row.energy_per_item();
  return joule ? fmt::format("{:.4g}", *joule * 1e9) : "-";
}

std::string count_text(u64 count) { return count < 1000000 ? grouped(count) : with_prefix(static_cast<double>(count)); }

/// The block that all rows with blocks share; 0 when they differ.
u32 common_block(const BenchGroup& group) {
  u32 block = 0;
  for (const BenchRow& row : group.rows) {
    if (row.skipped || !has_blocks(row.spec)) continue;
    if (block != 0 && block != row.block) return 0;
    block = row.block;
  }
  return block;
}

/// That share the work of all rows.
u32 ranks_of(const BenchGroup& group) { return group.rows.empty() ? 1 : group.rows.front().ranks; }

/// "gravity, n = 4,096, block 64, fp32, fast sums: 11 samples": what all rows of the table have in common.
std::string group_title(const BenchGroup& group) {
  const BenchKernelInfo& kernel = info(group.common.kernel);
  std::string text = group_name(group.common);
  if (const u32 block = common_block(group); block > 0) text += fmt::format(", block {}", block);
  if (kernel.has(BenchAxis::precision)) text += ", " + to_string(group.common.precision);
  if (kernel.has(BenchAxis::accumulate)) text += ", " + to_string(group.common.accumulate) + " sums";
  if (group.common.arithmetic == BenchArithmetic::tensor) {
    text += " on tensor cores";
    if (group.common.kernel == BenchKernel::gravity) text += ", tolerance " + to_string(group.common.tolerance);
  }
  if (group.common.pairs == BenchPairs::tree) {
    text += fmt::format(" by a tree, rms error {:.0e} at most", tree_tolerance(tree_config(group.common, {})));
  }
  if (const u32 ranks = ranks_of(group); ranks > 1) {
    text += fmt::format(", {} {}", ranks, group.rows.front().backend == "cuda" ? "devices" : "ranks");
  }
  const auto is_rec = [](const BenchRow& r) { return r.spec.map == "rec"; };
  if (group.common.rec != RecForm::launches && std::any_of(group.rows.begin(), group.rows.end(), is_rec)) {
    text += fmt::format(", rec by {}", to_string(group.common.rec));
  }
  if (group.common.timing == LaunchTiming::synchronised) text += ", synchronised launches";
  if (group.common.timing == LaunchTiming::averaged) {
    text += fmt::format(", averages of {} synchronised launches", kAveragedLaunches);
  }
  const auto timed = std::find_if(group.rows.begin(), group.rows.end(), [](const BenchRow& r) { return !r.skipped; });
  if (timed == group.rows.end()) return text;
  text += ": " + counted(timed->samples_ms.size(), "sample");
  if (timed->improvement && timed->improvement->decided()) {
    text += fmt::format(", all intervals together cover {:.1f} %", 100 * timed->improvement->interval.confidence);
  }
  return text;
}

/// GASKET reports the mean of its averages, which a table of medians lacks.
std::string means_text(const BenchGroup& group, u32 width) {
  std::vector<std::string> means;
  for (const BenchRow& row : group.rows) {
    if (!row.skipped) means.push_back(fmt::format("{} {}", row.spec.map, duration_text(row.stats.mean)));
  }
  return means.empty() ? "" : folded(fmt::format("means: {}", fmt::join(means, ", ")), width, 2) + "\n";
}

/// "share of the floor: lambda 84 % of arithmetic, ..."
std::string shares_text(const BenchGroup& group, const std::optional<Floors>& floors, u32 width) {
  std::vector<std::string> shares;
  for (const BenchRow& row : group.rows) {
    const auto floor = floor_of(row, floors);
    if (!floor) continue;
    shares.push_back(
        fmt::format("{} {} of {}", row.spec.map, percent(floor->ms, row.stats.median), to_string(floor->kind)));
  }
  return shares.empty() ? "" : folded(fmt::format("floors: {}", fmt::join(shares, ", ")), width, 2) + "\n";
}

}  // namespace

std::string table_head(const BenchMeta& meta) {
  std::string text =
      fmt::format("triangulum {} on {}: {}, {}\n", meta.version, meta.host, meta.backend.device, meta.backend.detail);
  if (!meta.floors) return text;
  const auto line = [&](const char* what, const FloorRate& rate, const char* unit) {
    text += fmt::format("  {:<11} {:>8}{}  {}\n", what, with_prefix(rate.per_s), unit, rate.how);
  };
  line("arithmetic", meta.floors->lanes, "/s  ");
  line("memory", meta.floors->bytes, "B/s ");
  line("launches", meta.floors->launches, "/s  ");
  return text;
}

std::string group_name(const BenchSpec& common) {
  const BenchKernelInfo& kernel = info(common.kernel);
  const char* const what = common.law.empty()                     ? kernel.name
                           : kernel.domain == Domain::tetrahedron ? "typed triple law"
                                                                  : "typed law";
  std::string text = fmt::format("{}, n = {}", what, grouped(common.n));
  if (kernel.has(BenchAxis::fractal) && common.fractal != kDefaultFractal) text += fmt::format(", {}", common.fractal);
  describe_axes([&]<class T>(const BenchAxisInfo& axis, T BenchSpec::*field, auto) {
    const bool usual = axis.read_by == BenchAxis::form && common.form == kernel.default_form();
    if (!axis.in_name || usual || !kernel.has(axis.read_by)) return;
    if constexpr (NamedEnum<T>) {
      text += ", " + setting_text(axis.key, to_string(common.*field));
    } else {
      text += ", " + setting_text(axis.key, fmt::format("{}", common.*field));
    }
  });
  return text;
}

std::string telemetry_text(const MeterReading& reading) {
  const auto whole = [](double v) { return grouped(static_cast<u64>(std::llround(std::max(v, 0.0)))); };
  std::vector<std::string> parts;
  if (reading.clock_mhz) {
    parts.push_back(fmt::format("clock {} MHz", whole(*reading.clock_mhz)));
    if (reading.clock_low_mhz) parts.back() += fmt::format(" (low {})", whole(*reading.clock_low_mhz));
  }
  if (reading.memory_clock_mhz) parts.push_back(fmt::format("memory {} MHz", whole(*reading.memory_clock_mhz)));
  if (reading.power_w) parts.push_back(fmt::format("{} W", whole(*reading.power_w)));
  if (reading.temperature_c) parts.push_back(fmt::format("{} C", whole(*reading.temperature_c)));
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!reading.throttling.empty()) {
    text += fmt::format("{}THROTTLED: {}", text.empty() ? "" : "; ", fmt::join(reading.throttling, ", "));
  }
  return text;
}

std::string group_table(const BenchGroup& group, const BenchPlan& plan, u32 width,
                        const std::optional<Floors>& floors) {
  const bool tree = group.common.pairs == BenchPairs::tree;
  const bool wide = width >= kWidthForAll + (plan.energy ? kWidthOfEnergy : 0) + (tree ? kWidthOfTree : 0);
  const bool rates = std::any_of(group.rows.begin(), group.rows.end(), [](const BenchRow& r) { return r.bytes > 0; });
  std::vector<TextTable::Column> columns = {{"map"}, {"median", true}};
  if (wide) columns.push_back({"IQR", true});
  columns.insert(columns.end(), {{fmt::format("faster than {}", plan.baseline)}, {"bound", true}});
  if (wide) columns.insert(columns.end(), {{"launched", true}, {"useful", true}});
  columns.push_back({rates ? "bytes/s" : "items/s", true});
  if (tree) columns.insert(columns.end(), {{"near", true}, {"series", true}});
  if (plan.energy) columns.push_back({"nJ/item", true});  // J in 1e9 items
  columns.push_back({tree ? "error" : "check"});
  TextTable table(columns);
  for (const BenchRow& row : group.rows) {
    if (row.skipped) {
      table.add_spanning(row.spec.map, "skipped: " + *row.skipped);
      continue;
    }
    std::vector<std::string> cells = {row.spec.map, duration_text(row.stats.median)};
    if (wide) cells.push_back(percent(row.stats.iqr, row.stats.median));
    cells.push_back(improvement_text(row, plan));
    cells.push_back(row.bound ? ratio_text(*row.bound) : "-");
    if (wide) {
      cells.push_back(count_text(row.blocks_launched));
      cells.push_back(percent(static_cast<double>(row.blocks_useful), static_cast<double>(row.blocks_launched)));
    }
    cells.push_back(with_prefix(rates ? row.bytes_per_s() : row.items_per_s()));
    if (tree) {  // but for a baseline
      cells.push_back(row.tree ? with_prefix(static_cast<double>(row.tree->near)) : "-");
      cells.push_back(row.tree ? with_prefix(static_cast<double>(row.tree->series)) : "-");
    }
    if (plan.energy) cells.push_back(energy_text(row));
    cells.push_back(check_text(row));
    table.add(std::move(cells));
  }
  std::string text = folded(group_title(group), width, 2) + "\n";
  if (!group.common.law.empty()) text += folded(group.common.law, width, 2) + "\n";
  text += table.text(width);
  for (const BenchRow& row : group.rows) {
    if (const auto side = proved_side(group, row))
      text += fmt::format("{} is proved for m = {}\n", row.spec.map, *side);
  }
  if (group.common.timing == LaunchTiming::averaged) text += means_text(group, width);
  text += shares_text(group, floors, width);
  for (const BenchRow& row : group.rows) {
    if (!row.above_bound) continue;
    const std::string what =
        fmt::format("{}: {} times as fast is more than its blocks explain ({}), also when timed again", row.spec.map,
                    ratio_text(row.improvement->ratio), ratio_text(*row.bound));
    text += folded(what, width, 2) + "\n";
  }
  if (group.load && group.load->matters()) text += folded(group.load->text(), width, 2) + "\n";
  const std::string meters = group.telemetry ? telemetry_text(*group.telemetry) : "";
  const char* of_whom = ranks_of(group) > 1 ? "the first device: " : "";
  if (!meters.empty()) text += folded(of_whom + meters, width, 2) + "\n";
  return text;
}

namespace {

/// A rate that a few cores reach with light kernels, to convey the size of a plan.
constexpr double kItemsPerSecond = 1e9;
constexpr double kLongSeconds = 600;
/// What the groups add up to.
struct Total {
  u64 groups = 0, combinations = 0, skipped = 0;
  double items = 0;  ///< of all sample rounds, with idle blocks
};

/// Of one launch: an idle block of bb takes about the time of an item.
double items_of(const BenchSpec& common, const std::string& map) {
  const double block = common.block;
  const double bound = map == "bb" && common.block != 0 ? launch_bound(common, common.block).value_or(1) : 1;
  return static_cast<double>(item_count(common)) * (bound > 1 ? 1 + (bound - 1) / (block * block) : 1);
}

std::string group_text(const PlannedGroup& group, const BenchPlan& plan, u32 width, Total& total) {
  const BenchSpec& common = group.common;
  std::string head = group_name(common);
  head += common.block != 0 ? fmt::format(", block {}", common.block) : ", the backend's block";
  if (const u64 bytes = data_bytes(common); bytes > 0) {
    head += fmt::format(", {}B a map", with_prefix(static_cast<double>(bytes)));
  }
  std::vector<std::string> run, skipped;
  for (const std::string& map : group.maps) {
    const std::string reason = certain_refusal(spec_of(common, map));
    if (reason.empty()) {
      run.push_back(map);
    } else {
      skipped.push_back("  " + folded(fmt::format("skipped {}: {}", map, reason), width - 2, 4));
    }
  }
  ++total.groups;
  total.combinations += group.maps.size();
  total.skipped += skipped.size();
  const u32 launches = common.timing == LaunchTiming::averaged ? kAveragedLaunches : 1;
  for (const std::string& map : run) total.items += items_of(common, map) * launches * plan.samples;
  std::string text = folded(head, width, 2) + "\n";
  if (!run.empty()) text += "  " + folded(fmt::format("{}", fmt::join(run, ", ")), width - 2, 2) + "\n";
  for (const std::string& line : skipped) text += line + "\n";
  return text;
}

std::string total_text(const Total& total, bool has_budget, u32 width) {
  const std::string sums = fmt::format(
      "{} groups of {} combinations, {} of them certain to be skipped; {} items and idle blocks in the sample rounds.",
      grouped(total.groups), grouped(total.combinations), grouped(total.skipped), with_prefix(total.items));
  std::string text = folded(sums, width, 0) + "\n";
  const double seconds = total.items / kItemsPerSecond;
  if (seconds > kLongSeconds && !has_budget) {
    text +=
        folded(fmt::format("On a few cores, at 1 G items a second, that is {:.1f} hours.", seconds / 3600), width, 0);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string dry_run_text(const BenchPlan& plan, u32 width) {
  std::string text;
  for (const PresetInfo& preset : list_presets()) {
    if (plan.preset != preset.name) continue;
    text += folded(fmt::format("{}: {}.", preset.name, preset.description), width, 2) + "\n";
  }
  const char* timing = plan.common.timing == LaunchTiming::work       ? "timed without the cost of a launch"
                       : plan.common.timing == LaunchTiming::averaged ? "averages of 10 synchronised launches"
                                                                      : "synchronised launches";
  const std::string rounds =
      fmt::format("{} sample rounds, each combination warmed up for {} ms, {}, compared with {}.", plan.samples,
                  plan.warmup_ms, timing, plan.baseline);
  text += folded(rounds, width, 0) + "\n\n";
  Total total;
  for (const PlannedGroup& group : planned_groups(plan)) text += group_text(group, plan, width, total);
  return text + "\n" + total_text(total, plan.budget_s > 0, width);
}

}  // namespace tri::app
