// A bench for a spreadsheet: one line a result, the columns of the JSON form.

#include <fmt/format.h>

#include "app/bench/report.hpp"

namespace tri::app {
namespace {

std::string quoted_if_needed(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string timed_columns(const BenchRow& r) {
  const auto optional = [](bool there, double v) { return there ? fmt::format("{}", v) : std::string(); };
  const bool i = r.improvement.has_value();
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", r.samples_ms.size(), r.stats.median,
                     r.stats.min, r.stats.max, r.stats.iqr, optional(i, i ? r.improvement->ratio : 0),
                     optional(i, i ? r.improvement->interval.low : 0),
                     optional(i, i ? r.improvement->interval.high : 0),
                     optional(r.bound.has_value(), r.bound.value_or(0)), r.blocks_launched, r.blocks_useful,
                     r.work_items, r.items_per_s(), optional(r.bytes > 0, r.bytes_per_s()),
                     r.check.passed ? "true" : "false", r.check.max_rel_err, quoted_if_needed(r.check.reference));
}

}  // namespace

std::string report_csv(const std::vector<BenchGroup>& groups) {
  std::string text =
      "kernel,map,backend,n,block,features,samples,median_ms,min_ms,max_ms,iqr_ms,improvement,improvement_low,"
      "improvement_high,bound,blocks_launched,blocks_useful,work_items,items_per_s,bytes_per_s,check_passed,"
      "check_max_rel_err,check_reference,skipped\n";
  for (const BenchGroup& group : groups) {
    for (const BenchRow& row : group.rows) {
      text += fmt::format("{},{},{},{},{},{},", to_string(group.kernel), row.spec.map, row.backend, group.n, row.block,
                          group.kernel == BenchKernel::edm ? fmt::format("{}", group.features) : "");
      text += row.skipped ? "0" + std::string(17, ',') + quoted_if_needed(*row.skipped) : timed_columns(row) + ",";
      text += "\n";
    }
  }
  return text;
}

}  // namespace tri::app
