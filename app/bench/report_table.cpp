// A bench for a person: one table a group, one line a map.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/bench/report.hpp"
#include "app/text_table.hpp"

namespace tri::app {
namespace {

/// Narrower terminals do without the spread and the launches.
constexpr u32 kWidthForAll = 98;

std::string improvement_text(const BenchRow& row, const BenchPlan& plan) {
  if (!row.improvement) return "-";
  if (row.spec.map == plan.baseline) return "1";
  const Improvement& i = *row.improvement;
  if (!i.decided()) return fmt::format("{:.2f} (few samples)", i.ratio);
  if (!i.differs()) return fmt::format("no difference [{:.2f}, {:.2f}]", i.interval.low, i.interval.high);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", i.ratio, i.interval.low, i.interval.high);
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

std::string count_text(u64 count) { return count < 1000000 ? grouped(count) : with_prefix(static_cast<double>(count)); }

/// "gravity, n = 4096, block 64, fp32, fast": what every row of the table has in common.
std::string group_title(const BenchGroup& group, const BenchPlan& plan) {
  using K = BenchKernel;
  const K k = group.kernel;
  std::string text = fmt::format("{}, n = {}", to_string(k), grouped(group.n));
  // Thread-space maps have a block of their own or none; a size is common when all block-space rows share it.
  u32 block = 0;
  bool same = true;
  for (const BenchRow& row : group.rows) {
    if (row.skipped || row.spec.map == "plain") continue;
    same = same && (block == 0 || block == row.block);
    block = row.block;
  }
  if (same && block > 0) text += fmt::format(", block {}", block);
  if (k == K::edm) text += fmt::format(", {} features", group.features);
  if (k == K::gasket) {
    static constexpr const char* kPlacements[] = {"subbox", "lut", "unroll"};
    text += fmt::format(", {}", kPlacements[static_cast<int>(plan.placement)]);
  }
  if (k != K::dummy && k != K::gasket) text += ", " + to_string(plan.precision);
  if (k == K::gravity || k == K::triplet) text += ", " + to_string(plan.accumulate) + " sums";
  const auto timed = std::find_if(group.rows.begin(), group.rows.end(), [](const BenchRow& r) { return !r.skipped; });
  if (timed == group.rows.end()) return text;
  text += fmt::format(": {} samples", timed->samples_ms.size());
  if (timed->improvement && timed->improvement->decided()) {
    text += fmt::format(", intervals cover {:.1f} %", 100 * timed->improvement->interval.confidence);
  }
  return text;
}

}  // namespace

std::string table_head(const BenchMeta& meta) {
  return fmt::format("triangulum {} on {}: {}, {}\n", meta.version, meta.host, meta.backend.device,
                     meta.backend.detail);
}

std::string group_table(const BenchGroup& group, const BenchPlan& plan, u32 width) {
  const bool wide = width >= kWidthForAll;
  const bool rates = std::any_of(group.rows.begin(), group.rows.end(), [](const BenchRow& r) { return r.bytes > 0; });
  std::vector<TextTable::Column> columns = {{"map"}, {"median", true}};
  if (wide) columns.push_back({"IQR", true});
  columns.insert(columns.end(), {{fmt::format("faster than {}", plan.baseline)}, {"bound", true}});
  if (wide) columns.insert(columns.end(), {{"launched", true}, {"useful", true}});
  columns.insert(columns.end(), {{rates ? "bytes/s" : "items/s", true}, {"check"}});
  TextTable table(columns);
  for (const BenchRow& row : group.rows) {
    if (row.skipped) {
      table.add_spanning(row.spec.map, "skipped: " + *row.skipped);
      continue;
    }
    std::vector<std::string> cells = {row.spec.map, duration_text(row.stats.median)};
    if (wide) cells.push_back(percent(row.stats.iqr, row.stats.median));
    cells.push_back(improvement_text(row, plan));
    cells.push_back(row.bound ? fmt::format("{:.2f}", *row.bound) : "-");
    if (wide) {
      cells.push_back(count_text(row.blocks_launched));
      cells.push_back(percent(static_cast<double>(row.blocks_useful), static_cast<double>(row.blocks_launched)));
    }
    cells.push_back(with_prefix(rates ? row.bytes_per_s() : row.items_per_s()));
    cells.push_back(check_text(row));
    table.add(std::move(cells));
  }
  return fmt::format("{}\n{}", folded(group_title(group, plan), width, 2), table.text(width));
}

}  // namespace tri::app
