#include "app/bench/dry_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/presets.hpp"
#include "app/bench/report.hpp"
#include "app/support/axes.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

/// A rate that a few cores reach with light kernels, to convey the size of a plan.
constexpr double kItemsPerSecond = 1e9;
constexpr double kLongSeconds = 600;
/// How much memory a table may take is up to the backend.
constexpr u64 kAnyMemory = ~u64{0};

/// Null for a baseline.
const MapInfo* find_map(const BenchSpec& spec) {
  for (const MapInfo& map : maps_of(info(spec.kernel).domain)) {
    if (spec.map == map.name) return &map;
  }
  return nullptr;
}

/// What the groups add up to.
struct Total {
  u64 groups = 0, combinations = 0, skipped = 0;
  double items = 0;  ///< of all sample rounds
};

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
  total.items += static_cast<double>(item_count(common)) * static_cast<double>(run.size()) * plan.samples;
  std::string text = folded(head, width, 2) + "\n";
  if (!run.empty()) text += "  " + folded(fmt::format("{}", fmt::join(run, ", ")), width - 2, 2) + "\n";
  for (const std::string& line : skipped) text += line + "\n";
  return text;
}

std::string total_text(const Total& total, bool has_budget, u32 width) {
  const std::string sums =
      fmt::format("{} groups of {} combinations, {} of them certain to be skipped; {} items in the sample rounds.",
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
  const char* timing = plan.timing == LaunchTiming::work       ? "timed without the cost of a launch"
                       : plan.timing == LaunchTiming::averaged ? "averages of 10 synchronised launches"
                                                               : "synchronised launches";
  const std::string rounds =
      fmt::format("{} sample rounds, each combination warmed up for {} ms, {}, compared with {}.", plan.samples,
                  plan.warmup_ms, timing, plan.baseline);
  text += folded(rounds, width, 0) + "\n\n";
  Total total;
  for (const PlannedGroup& group : planned_groups(plan)) text += group_text(group, plan, width, total);
  return text + "\n" + total_text(total, plan.budget_s > 0, width);
}

std::string certain_refusal(const BenchSpec& spec) {
  const MapInfo* map = find_map(spec);
  if (map == nullptr) return {};
  if (map->domain == Domain::gasket && spec.fractal != kDefaultFractal) {
    try {
      fractal_grid(open_fractal(spec.fractal), spec.n, spec.block != 0 ? spec.block : 1);
      return {};
    } catch (const ConfigError& refused) {
      return refused.what();
    }
  }
  if (map->space == Space::thread || spec.block != 0) return refusal(*map, spec.n, spec.block, kAnyMemory);
  // The backend chooses the block; the gasket's side must be a power of two whatever the block.
  const bool power = (spec.n & (spec.n - 1)) == 0;
  return map->domain == Domain::gasket && !power ? refusal(*map, spec.n, 1, kAnyMemory) : std::string();
}

}  // namespace tri::app
