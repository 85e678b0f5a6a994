#include "app/gui/base/bench_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/support/axes.hpp"

namespace tri::app::gui {
namespace {

constexpr u32 kMaxSamples = 1000;
constexpr std::size_t kMaxLines = 8;

const BenchRow* row_of(const BenchGroup& group, const std::string& map) {
  const auto at = std::find_if(group.rows.begin(), group.rows.end(), [&](const BenchRow& r) {
    return r.spec.map == map && r.improvement.has_value() && r.check.passed;
  });
  return at == group.rows.end() ? nullptr : &*at;
}

}  // namespace

RunConfig bench_config(const BenchChoice& choice) {
  RunConfig config;
  config.command = Command::bench;
  config.bench.kernels = {choice.kernel};
  config.bench.sizes = parse_sizes("n", choice.sizes);
  config.bench.samples = static_cast<u32>(whole_number("samples", fmt::format("{}", choice.samples), 1, kMaxSamples));
  config.common.maps = choice.maps.empty() ? std::vector<std::string>{"all"} : choice.maps;
  config.common.backend = choice.backend;
  config.common.device = choice.device;
  config.common.threads = choice.threads;
  return config;
}

bool bench_pending(const BenchPanel& b) {
  return b.start || b.cancel || !b.save.empty() || (b.status != nullptr && b.status->running);
}

PlotSpec improvement_plot(const std::vector<BenchGroup>& groups) {
  PlotSpec plot;
  plot.id = "I(n)", plot.title = "I(n) against bb", plot.x_name = "n";
  plot.logarithmic_x = plot.maps = true, plot.legend = false;
  std::vector<const BenchGroup*> sorted;
  for (const BenchGroup& g : groups) sorted.push_back(&g);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->common.n < b->common.n; });
  if (sorted.empty()) return plot;
  for (const BenchGroup* g : sorted) plot.x.push_back(static_cast<double>(g->common.n));
  std::vector<const BenchRow*> last;
  for (const BenchRow& row : sorted.back()->rows) {
    if (row.spec.map != "bb" && row_of(*sorted.back(), row.spec.map) != nullptr) last.push_back(&row);
  }
  std::stable_sort(last.begin(), last.end(),
                   [](auto* a, auto* b) { return a->improvement->ratio > b->improvement->ratio; });
  if (last.size() > kMaxLines) last.resize(kMaxLines);
  for (const BenchRow* row : last) {
    PlotLine line{row->spec.map, {}};
    for (const BenchGroup* g : sorted) {
      const BenchRow* there = row_of(*g, row->spec.map);
      line.y.push_back(there != nullptr ? there->improvement->ratio : std::numeric_limits<double>::quiet_NaN());
    }
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

}  // namespace tri::app::gui
