// A bench for a spreadsheet: one line a result, the columns of the JSON form. New columns come last.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/bench/report.hpp"
#include "app/support/axes.hpp"
#include "sim/fractal/automaton.hpp"

namespace tri::app {
namespace {

using Cells = std::vector<std::string>;

constexpr const char* kColumns =
    "kernel,map,backend,n,block,features,samples,median_ms,min_ms,max_ms,iqr_ms,improvement,improvement_low,"
    "improvement_high,bound,blocks_launched,blocks_useful,work_items,items_per_s,bytes_per_s,check_passed,"
    "check_max_rel_err,check_reference,skipped,form,layout,dimensions,placement,rec,timing,precision,accumulate,"
    "clock_mhz,clock_low_mhz,memory_clock_mhz,power_w,temperature_c,throttling,energy_per_item_j,"
    "fractal,mean_ms\n";

/// Number of columns from samples to check_reference.
constexpr std::size_t kTimedColumns = 17;

std::string quoted_if_needed(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

void add_timed(Cells& cells, const BenchRow& r) {
  const auto add = [&cells](const auto& value) { cells.push_back(fmt::format("{}", value)); };
  const auto add_optional = [&cells](bool there, double v) { cells.push_back(there ? fmt::format("{}", v) : ""); };
  add(r.samples_ms.size()), add(r.stats.median), add(r.stats.min), add(r.stats.max), add(r.stats.iqr);
  const bool i = r.improvement.has_value();
  add_optional(i, i ? r.improvement->ratio : 0);
  add_optional(i, i ? r.improvement->interval.low : 0);
  add_optional(i, i ? r.improvement->interval.high : 0);
  cells.push_back(cell(r.bound));
  add(r.blocks_launched), add(r.blocks_useful), add(r.work_items), add(r.items_per_s());
  add_optional(r.bytes > 0, r.bytes_per_s());
  add(r.check.passed), add(r.check.max_rel_err), add(r.check.reference);
}

/// The axes that the kernel, or the map, reads.
void add_axes(Cells& cells, const BenchSpec& s) {
  const BenchKernelInfo& k = info(s.kernel);
  cells.emplace_back(k.forms.empty() ? "" : to_string(s.form));
  cells.emplace_back(k.has(BenchAxis::layout) ? to_string(s.layout) : "");
  cells.emplace_back(k.has(BenchAxis::dimensions) ? fmt::format("{}", s.dimensions) : "");
  cells.emplace_back(k.has(BenchAxis::fractal) ? to_string(s.placement) : "");
  cells.emplace_back(s.map == "rec" ? to_string(s.rec) : "");
  cells.emplace_back(to_string(s.timing));
  cells.push_back(to_string(s.precision));
  cells.push_back(k.has(BenchAxis::accumulate) ? to_string(s.accumulate) : "");
}

void add_meters(Cells& cells, const BenchGroup& group, const BenchRow& row) {
  const bool there = group.telemetry && !row.skipped;
  const MeterReading reading = there ? *group.telemetry : MeterReading{};
  for (const auto& value :
       {reading.clock_mhz, reading.clock_low_mhz, reading.memory_clock_mhz, reading.power_w, reading.temperature_c}) {
    cells.push_back(cell(value));
  }
  cells.push_back(fmt::format("{}", fmt::join(reading.throttling, "; ")));
  cells.push_back(cell(row.energy_per_item()));
}

}  // namespace

std::string report_csv(const std::vector<BenchGroup>& groups) {
  std::string text = kColumns;
  for (const BenchGroup& group : groups) {
    const BenchSpec& common = group.common;
    const BenchKernelInfo& kernel = info(common.kernel);
    for (const BenchRow& row : group.rows) {
      Cells cells = {kernel.name,
                     row.spec.map,
                     row.backend,
                     fmt::format("{}", common.n),
                     fmt::format("{}", row.block),
                     kernel.has(BenchAxis::features) ? fmt::format("{}", common.features) : ""};
      if (row.skipped) {
        cells.emplace_back("0");
        cells.resize(cells.size() + kTimedColumns - 1);
      } else {
        add_timed(cells, row);
      }
      cells.push_back(row.skipped.value_or(""));
      add_axes(cells, row.spec);
      add_meters(cells, group, row);
      cells.push_back(kernel.has(BenchAxis::fractal) ? row.spec.fractal : "");
      cells.push_back(row.skipped ? "" : fmt::format("{}", row.stats.mean));
      for (std::string& c : cells) c = quoted_if_needed(c);
      text += fmt::format("{}\n", fmt::join(cells, ","));
    }
  }
  return text;
}

}  // namespace tri::app
