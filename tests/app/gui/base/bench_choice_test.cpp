// The benchmark panel without a window: from choices to a bench plan, from results to I(n), and its controls.

#include "app/gui/base/bench_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "app/gui/panel/panels.hpp"
#include "app/support/axes.hpp"
#include "sim/base/error.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

BenchRow row(const std::string& map, double ratio, bool passed = true) {
  BenchRow r;
  r.spec.map = map;
  r.samples_ms = {1 / ratio};
  r.stats.median = 1 / ratio;
  r.improvement = Improvement{ratio, {}};
  r.check.passed = passed, r.check.reference = "by hand";
  return r;
}

BenchGroup group(u64 n, std::vector<BenchRow> rows) {
  BenchGroup g;
  g.common.n = n;
  g.rows = std::move(rows);
  return g;
}

TEST(BenchmarkChoice, GivesABenchPlan) {
  BenchChoice choice;
  choice.kernel = BenchKernel::triplet, choice.sizes = "64,2^7", choice.samples = 3, choice.backend = "cpu";
  const RunConfig config = bench_config(choice);
  EXPECT_EQ(config.bench.sizes, (std::vector<u64>{64, 128}));
  EXPECT_EQ(config.common.maps, std::vector<std::string>{"all"});
  const BenchPlan plan = bench_plan(config);
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].maps, maps_of_kernel(BenchKernel::triplet, {"all"}));
  EXPECT_EQ(plan.samples, 3u);
  choice.maps = {"tetra"};
  EXPECT_EQ(bench_config(choice).common.maps, std::vector<std::string>{"tetra"});
  choice.sizes = "many";
  EXPECT_THROW(bench_config(choice), ConfigError);
  choice.sizes = "64", choice.samples = 0;
  EXPECT_THROW(bench_config(choice), ConfigError);
}

TEST(BenchmarkChoice, DefaultSizesWorkForEveryKernel) {
  for (u32 k = 0; k < 6; ++k) {
    BenchChoice choice;
    choice.kernel = static_cast<BenchKernel>(k);
    choice.sizes = info(choice.kernel).panel_n;
    EXPECT_GE(planned_groups(bench_plan(bench_config(choice))).size(), 3u) << k;
  }
}

TEST(BenchmarkPlot, HasOneLinePerMapOverSortedSizes) {
  const PlotSpec plot = improvement_plot({group(256, {row("bb", 1), row("lambda", 1.5), row("fold", 1.25)}),
                                          group(64, {row("bb", 1), row("lambda", 1.2)}),
                                          group(128, {row("bb", 1), row("lambda", 1.3, false), row("fold", 1.1)})});
  EXPECT_EQ(plot.x, (std::vector<double>{64, 128, 256}));
  ASSERT_EQ(plot.lines.size(), 2u) << "bb is what the others are measured by";
  EXPECT_EQ(plot.lines[0].name, "lambda");
  EXPECT_DOUBLE_EQ(plot.lines[0].y[0], 1.2);
  EXPECT_TRUE(std::isnan(plot.lines[0].y[1])) << "a wrong answer has no speed";
  EXPECT_DOUBLE_EQ(plot.lines[0].y[2], 1.5);
  EXPECT_EQ(plot.lines[1].name, "fold");
  EXPECT_TRUE(std::isnan(plot.lines[1].y[0])) << "it was not timed there";
  EXPECT_TRUE(improvement_plot({}).lines.empty());
}

TEST(BenchmarkPlot, ShowsTheEightFastestMaps) {
  std::vector<BenchRow> rows{row("bb", 1)};
  for (int k = 0; k < 11; ++k) rows.push_back(row("m" + std::to_string(k), 1 + 0.1 * k));
  const PlotSpec plot = improvement_plot({group(64, rows)});
  ASSERT_EQ(plot.lines.size(), 8u);
  EXPECT_EQ(plot.lines.front().name, "m10");
  EXPECT_EQ(plot.lines.back().name, "m3");
}

class BenchmarkPanel : public PanelFixture {
 protected:
  std::string frame() {
    return PanelFixture::frame([this] { panel::benchmark(state.bench, 1); });
  }
  void press(const char* name) {
    PanelFixture::press({name}, [this] { panel::benchmark(state.bench, 1); });
  }
  void show(BenchStatus status) { state.bench.status = std::make_shared<BenchStatus>(std::move(status)); }
};

TEST_F(BenchmarkPanel, ShowsTheCommandAndStarts) {
  state.bench.choice.sizes = "64,128", state.bench.choice.maps = {"bb", "fold"};
  const std::string text = frame();
  EXPECT_NE(text.find("triangulum bench --kernel gravity --map bb,fold --n 64,128 --samples 7"), std::string::npos)
      << text;
  press("###go");
  EXPECT_TRUE(state.bench.start);
  EXPECT_FALSE(state.bench.cancel);
}

TEST_F(BenchmarkPanel, AnInvalidChoiceShowsTheReasonAndDoesNotStart) {
  state.bench.choice.sizes = "12..4";
  EXPECT_NE(frame().find("takes a whole number"), std::string::npos);
  press("###go");
  EXPECT_FALSE(state.bench.start);
}

TEST_F(BenchmarkPanel, ARunningBenchCanBeCancelled) {
  BenchStatus status;
  status.running = true, status.finished = 1, status.planned = 4, status.progress = "round 2 of 7";
  show(status);
  const std::string text = frame();
  EXPECT_NE(text.find("1 of 4 sizes"), std::string::npos) << text;
  EXPECT_NE(text.find("round 2 of 7"), std::string::npos) << text;
  press("###go");
  EXPECT_TRUE(state.bench.cancel);
  EXPECT_FALSE(state.bench.start);
}

TEST_F(BenchmarkPanel, ShowsTimesImprovementsAndChecks) {
  BenchStatus status;
  status.finished = status.planned = 2;
  BenchRow refused;
  refused.spec.map = "utm", refused.skipped = "it ends earlier";
  status.groups = {group(64, {row("bb", 1), row("lambda", 2)}),
                   group(128, {row("bb", 1), row("lambda", 1.25), row("fold", 1.6, false), refused})};
  show(status);
  std::string text = frame();
  for (const char* part : {"n = 128", "lambda", "1.250", "0.8", "WRONG", "skipped"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  state.bench.shown_group = 0;
  text = frame();
  EXPECT_NE(text.find("2.000"), std::string::npos) << text;
  EXPECT_EQ(text.find("WRONG"), std::string::npos) << text;
  state.bench.path = "mine.csv";
  press("Export");
  EXPECT_EQ(state.bench.save, "mine.csv");
}

TEST_F(BenchmarkPanel, FiguresOfARowAreOfOneRoundAndNoDifferenceIsSaid) {
  BenchStatus status;
  status.finished = status.planned = 1;
  BenchRow bb = row("bb", 1), slower = row("lambda", 1), same = row("fold", 1);
  // Medians of 10.9 and 30.7 whose rounds have the ratio 1.07; and one that is level.
  bb.samples_ms = {10.9, 10.8, 33.0, 10.7, 32.8, 10.6, 33.2};
  slower.samples_ms.clear(), same.samples_ms.clear();
  for (std::size_t k = 0; k < 7; ++k) {
    slower.samples_ms.push_back(k == 0 || k == 5 ? 30.7 : bb.samples_ms[k] / 1.07);
    same.samples_ms.push_back(k % 2 == 0 ? bb.samples_ms[k] * 1.01 : bb.samples_ms[k] / 1.01);
  }
  slower.samples_ms[0] = bb.samples_ms[0] / 1.08, slower.samples_ms[5] = bb.samples_ms[5] / 1.06;
  status.groups = {group(64, {bb, slower, same})};
  add_statistics(status.groups[0], "bb");
  show(status);
  const std::string text = frame();
  EXPECT_NE(text.find("1.070"), std::string::npos) << text;
  EXPECT_NE(text.find("no difference"), std::string::npos) << text;
  double own = 0, baseline = 0, ratio = 0;
  const std::size_t at = text.find("| lambda");
  ASSERT_NE(at, std::string::npos) << text;
  ASSERT_EQ(std::sscanf(text.c_str() + at, "| lambda | %lf | %lf | %lf", &own, &baseline, &ratio), 3) << text;
  EXPECT_NEAR(baseline / own, ratio, 1e-3);
}

/// The cells of a map's row, as its log shows it.
std::vector<std::string> cells_of(const std::string& text, const std::string& map) {
  const std::size_t at = text.find("\n| " + map + " |");
  if (at == std::string::npos) return {};
  const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  std::vector<std::string> cells;
  for (std::size_t bar = 0, next; (next = line.find('|', bar + 1)) != std::string::npos; bar = next) {
    cells.push_back(next > bar + 2 ? line.substr(bar + 2, next - bar - 3) : "");
  }
  return cells;
}

TEST_F(BenchmarkPanel, EveryCellIsInItsColumn) {
  using Cells = std::vector<std::string>;
  BenchStatus status;
  status.finished = status.planned = 1;
  BenchRow refused;
  refused.spec.map = "utm", refused.skipped = "it ends earlier";
  BenchRow half = row("fold", 4);
  half.samples_ms = {0.5, 0.5, 8, 0.5, 0.5};  // of a bench that was cancelled: bb has a round more
  BenchRow bb = row("bb", 1);
  bb.samples_ms = {1, 1, 12, 1, 1, 100};
  BenchRow wrong = row("lambda", 2, false);
  wrong.samples_ms = {0.25, 0.25, 3, 0.25, 0.25, 25};
  status.groups = {group(64, {bb, wrong, half, refused})};
  show(status);
  const std::string text = frame();
  EXPECT_EQ(cells_of(text, "bb"), (Cells{"bb", "1", "1", "baseline", "ok"})) << text;
  EXPECT_EQ(cells_of(text, "lambda"), (Cells{"lambda", "0.25", "1", "4.000", "WRONG"})) << text;
  EXPECT_EQ(cells_of(text, "fold"), (Cells{"fold", "0.5", "1", "2.000", "ok"})) << text;
  EXPECT_EQ(cells_of(text, "utm"), (Cells{"utm", "skipped"})) << text;
  // Where bb has no times, there is nothing to compare with.
  BenchRow no_bb;
  no_bb.spec.map = "bb", no_bb.skipped = "too large";
  BenchRow alone = row("lambda", 2);
  alone.stats.median = 0.75;
  status.groups = {group(64, {no_bb, alone})};
  show(status);
  const std::string without = frame();
  EXPECT_EQ(cells_of(without, "bb"), (Cells{"bb", "skipped"})) << without;
  EXPECT_EQ(cells_of(without, "lambda"), (Cells{"lambda", "0.75", "", "ok"})) << "its check is not under bb's times";
}

TEST_F(BenchmarkPanel, ShowsErrors) {
  BenchStatus status;
  status.error = "the card is gone.";
  show(status);
  EXPECT_NE(frame().find("the card is gone."), std::string::npos);
}

}  // namespace
}  // namespace tri::app::gui
