// What is timed beside the race: forces over n, triples, gasket.

#include <algorithm>
#include <limits>

#include "app/gui/base/race.hpp"

namespace tri::app::gui {
namespace {

constexpr u32 kRounds = 15;

/// The map whose forces are the fastest over bb in the race; lambda (tetra) before it.
std::string best_of_forces(const RaceState& race) {
  std::string best = race.domain == Domain::triangle ? "lambda" : "tetra";
  double most = 0;
  const std::vector<RaceColumn> columns = race_columns(race.domain, race.status.get());
  for (const RaceRow& row : columns[2].rows) {
    if (row.map == "bb" || !(row.ms > 0) || !row.improvement || row.improvement->ratio <= most) continue;
    most = row.improvement->ratio, best = row.map;
  }
  return best;
}

}  // namespace

RunConfig race_extra_config(RaceExtra extra, const RaceState& race, const CommonOptions& common, bool device) {
  RunConfig config;
  config.command = Command::bench;
  config.common = common;
  config.common.maps = {"all"}, config.common.blocks.clear();
  config.bench.samples = kRounds;
  if (extra == RaceExtra::over_n) {
    const bool pairs = race.domain == Domain::triangle;
    config.bench.kernels = {pairs ? BenchKernel::gravity : BenchKernel::triplet};
    config.common.maps = {"bb", best_of_forces(race)};
    for (u64 part = 16; part >= 1; part /= 2) {
      if (race.n / part >= 16) config.bench.sizes.push_back(race.n / part);
    }
  } else if (extra == RaceExtra::triples) {
    config.bench.kernels = {BenchKernel::dummy3}, config.bench.forms = {BenchForm::hold};
    config.bench.sizes = {device ? u64{1024} : u64{256}};
  } else {
    config.bench.kernels = {BenchKernel::gasket}, config.bench.forms = {BenchForm::write};
    config.bench.sizes = {device ? u64{65536} : u64{2048}};
    if (device) config.bench.placements = {GasketPlacement::sectors};
  }
  bench_plan(config);
  return config;
}

std::optional<RaceFigure> race_figure(const BenchStatus* status) {
  std::optional<RaceFigure> best;
  if (status == nullptr) return best;
  for (const BenchGroup& group : status->groups) {
    for (const BenchRow& row : group.rows) {
      if (row.skipped || !row.check.passed || !row.improvement || !row.improvement->differs()) continue;
      const bool better = row.improvement->ratio > (best ? best->over_bb.ratio : 1);
      if (better) best = RaceFigure{row.spec.map, *row.improvement, group.common.n};
    }
  }
  return best;
}

PlotSpec race_plot(const BenchStatus* status) {
  PlotSpec plot{"race over n", "", {}, "bodies", {}};
  plot.logarithmic = plot.logarithmic_x = plot.maps = true;
  std::vector<const BenchGroup*> groups;
  if (status != nullptr) {
    for (const BenchGroup& g : status->groups) groups.push_back(&g);
  }
  std::sort(groups.begin(), groups.end(), [](auto* a, auto* b) { return a->common.n < b->common.n; });
  for (const BenchGroup* group : groups) {
    plot.x.push_back(static_cast<double>(group->common.n));
    for (const BenchRow& row : group->rows) {
      auto line = std::find_if(plot.lines.begin(), plot.lines.end(), [&](auto& l) { return l.name == row.spec.map; });
      if (line == plot.lines.end()) line = plot.lines.insert(line, {row.spec.map, {}});
      line->y.resize(plot.x.size() - 1, std::numeric_limits<double>::quiet_NaN());
      const bool timed = !row.skipped && row.check.passed && !row.samples_ms.empty();
      line->y.push_back(timed ? row.stats.median : std::numeric_limits<double>::quiet_NaN());
    }
  }
  for (PlotLine& line : plot.lines) line.y.resize(plot.x.size(), std::numeric_limits<double>::quiet_NaN());
  return plot;
}

std::string race_csv(const RaceState& race) {
  std::vector<BenchGroup> groups;
  const auto add = [&](const std::shared_ptr<const BenchStatus>& status) {
    if (status != nullptr) groups.insert(groups.end(), status->groups.begin(), status->groups.end());
  };
  add(race.status);
  for (const auto& extra : race.extras) add(extra);
  return groups.empty() ? std::string() : report_csv(groups);
}

}  // namespace tri::app::gui
