// The benchmark panel without a window: from choices to a bench plan, from results to I(n), and its controls.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "app/gui/base/race.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/support/option_values.hpp"
#include "sim/backend/backend.hpp"
#include "sim/base/error.hpp"
#include "tests/app/gui/base/gui_support.hpp"
#include "tests/support/temp_folder.hpp"

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
    return PanelFixture::frame([this] { benchmark(state.bench, 1); });
  }
  void press(const char* name) {
    PanelFixture::press({name}, [this] { benchmark(state.bench, 1); });
  }
  void show(BenchStatus status) { state.bench.status = std::make_shared<BenchStatus>(std::move(status)); }
};

TEST_F(BenchmarkPanel, ShowsTheCommandAndStarts) {
  state.bench.choice.sizes = "64,128", state.bench.choice.maps = {"bb", "fold"};
  const std::string text = frame();
  EXPECT_NE(text.find("triangulum bench --kernel gravity --map bb,fold --n 64,128 --samples 11"), std::string::npos)
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
  for (const char* part : {"n = 128", "lambda", "1.25", "0.8", "WRONG", "skipped"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  state.bench.shown_group = 0;
  text = frame();
  EXPECT_NE(text.find("2.00 "), std::string::npos) << text;
  EXPECT_EQ(text.find("WRONG"), std::string::npos) << text;
  state.bench.path = "mine.csv";
  press("Export");
  EXPECT_EQ(state.bench.save, "mine.csv");
  const test::TempFolder folder;
  state.bench.path = folder.file("mine.csv", "kept");
  press("Export");
  EXPECT_EQ(state.bench.save, folder.at("mine-2.csv")) << "a file that is there stays";
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
  EXPECT_NE(text.find("1.07"), std::string::npos) << text;
  EXPECT_NE(text.find("no difference"), std::string::npos) << text;
  double own = 0, baseline = 0, ratio = 0;
  const std::size_t at = text.find("| lambda");
  ASSERT_NE(at, std::string::npos) << text;
  ASSERT_EQ(std::sscanf(text.c_str() + at, "| lambda | %lf | %lf | %lf", &own, &baseline, &ratio), 3) << text;
  EXPECT_NEAR(baseline / own, ratio, 1e-2);
}

/// The cells of a map's row, as its log shows it.
std::vector<std::string> cells_of(const std::string& text, const std::string& map) {
  const std::size_t at = text.find("| " + map + " |");  // versions of ImGui differ in what is before it
  if (at == std::string::npos) return {};
  const std::string line = text.substr(at, text.find('\n', at) - at);
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
  EXPECT_EQ(cells_of(text, "bb"), (Cells{"bb", "1.00", "1.00", "baseline", "ok"})) << text;
  EXPECT_EQ(cells_of(text, "lambda"), (Cells{"lambda", "0.25", "1.00", "4.00", "WRONG"})) << text;
  EXPECT_EQ(cells_of(text, "fold"), (Cells{"fold", "0.5", "1.00", "2.00", "ok"})) << text;
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

// The race: the bench it runs, and the figures and the sentence made of its results.

BenchRow timed(BenchKernel kernel, BenchForm form, const char* map, double ms, double bb_ms) {
  BenchRow row;
  row.spec.kernel = kernel, row.spec.form = form, row.spec.map = map;
  row.check.passed = true;
  std::vector<double> baseline;
  for (int k = 0; k < 15; ++k)
    row.samples_ms.push_back(ms * (1 + 0.001 * k)), baseline.push_back(bb_ms * (1 + 0.001 * k));
  row.stats = sample_stats(row.samples_ms);
  row.improvement = improvement(baseline, row.samples_ms);
  return row;
}

BenchGroup group(BenchKernel kernel, BenchForm form, double bb_ms, double lambda_ms) {
  BenchGroup g;
  g.common.kernel = kernel, g.common.form = form;
  g.rows = {timed(kernel, form, "bb", bb_ms, bb_ms), timed(kernel, form, "lambda", lambda_ms, bb_ms)};
  BenchRow utm;
  utm.spec.map = "utm", utm.skipped = "--map utm is exact to n = 4097; n = 65536.";
  g.rows.push_back(utm);
  return g;
}

TEST(Race, ColumnsAreInOrderWhateverTheOrderOfTheResults) {
  BenchStatus status;
  status.groups = {group(BenchKernel::gravity, BenchForm::hold, 1, 1),
                   group(BenchKernel::dummy, BenchForm::store, 4, 2), group(BenchKernel::dummy, BenchForm::hold, 9, 1)};
  const auto columns = race_columns(Domain::triangle, &status);
  ASSERT_EQ(columns.size(), 3u);
  EXPECT_EQ(columns[0].headline, "up to 9.00 \u00d7");
  EXPECT_EQ(columns[1].headline, "up to 2.00 \u00d7");
  EXPECT_EQ(columns[2].headline, "no difference");
  EXPECT_EQ(columns[0].rows[2].reason, "beyond its limit");
  EXPECT_NEAR(columns[0].rows[1].ms, 1.007, 1e-9);
  const std::string text = race_sentence(columns, 65536);
  for (const char* part : {"9.00 \u00d7", "2.00 \u00d7", "65,536 bodies", "with forces no difference"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(Race, TheSentenceFollowsTheFigures) {
  const auto sentence = [](double empty, double write, double forces, double others = 0) {
    BenchStatus status;
    status.groups = {group(BenchKernel::dummy, BenchForm::hold, empty, 1),
                     group(BenchKernel::dummy, BenchForm::store, write, 1),
                     group(BenchKernel::gravity, BenchForm::hold, forces, 1)};
    status.groups[2].load = MachineLoad{others, 2};
    return race_sentence(race_columns(Domain::triangle, &status), 4096);
  };
  EXPECT_EQ(
      sentence(1, 1, 1),
      "On this device an idle block costs next to nothing. At 4,096 bodies with an empty kernel no difference; with "
      "one write a cell no difference; with forces no difference.");
  EXPECT_EQ(sentence(2, 2, 1.48),
            "The map matters for forces, too. At 4,096 bodies with an empty kernel up to 2.00 \u00d7; with one write a "
            "cell up to 2.00 \u00d7; with forces up to 1.48 \u00d7.");
  EXPECT_EQ(
      sentence(2, 2, 1.02),
      "The map matters where a block does little. At 4,096 bodies with an empty kernel up to 2.00 \u00d7; with one "
      "write a cell up to 2.00 \u00d7; with forces up to 1.02 \u00d7.");
  EXPECT_EQ(
      sentence(1, 1, 0.0056),
      "On this device an idle block costs next to nothing. At 4,096 bodies with an empty kernel no difference; with "
      "one write a cell no difference; with forces no map is faster than bb, and lambda is slower, 0.0056 \u00d7.")
      << "not: all maps are level";
  BenchStatus status;
  status.groups = {group(BenchKernel::dummy, BenchForm::hold, 1, 1), group(BenchKernel::dummy, BenchForm::store, 1, 1),
                   group(BenchKernel::gravity, BenchForm::hold, 1, 10)};
  for (const char* map : {"rb", "rec"}) {
    status.groups[2].rows.push_back(timed(BenchKernel::gravity, BenchForm::hold, map, 20, 1));
  }
  const std::string three = race_sentence(race_columns(Domain::triangle, &status), 4096);
  EXPECT_NE(three.find("lambda, rb and rec are slower, down to 0.05"), std::string::npos) << three << " not: 1 more";
  EXPECT_EQ(sentence(1, 1, 1.95, 1.4).find("Other programs ran: race again before you rely on a gain. At 4,096"), 0u);
  EXPECT_EQ(sentence(1, 1, 1, 1.4).find("On this device an idle block costs next to nothing. "), 0u) << "no gain";
  EXPECT_EQ(sentence(2, 1, 1, 1.4).find("The map matters where a block does little. "), 0u) << "at rest then";
}

/// A row of a race in which other programs slow down every second run: times are those of bb or of the map.
BenchGroup disturbed_group(BenchKernel kernel, BenchForm form, std::size_t maps, u64 seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  BenchGroup g;
  g.common.kernel = kernel, g.common.form = form;
  for (std::size_t k = 0; k <= maps; ++k) {
    BenchRow row;
    row.spec.kernel = kernel, row.spec.map = k == 0 ? "bb" : "m" + std::to_string(k);
    row.check.passed = true;
    for (int round = 0; round < 15; ++round) row.samples_ms.push_back(share(random) < 0.5 ? 1 + 9 * share(random) : 1);
    g.rows.push_back(std::move(row));
  }
  add_statistics(g, "bb");
  return g;
}

/// Five races of maps that are all as fast as bb, on a busy machine: their intervals hold 1, and they say the same.
TEST(Race, RacesOnABusyMachineAgree) {
  int wrong = 0;
  for (u64 seed = 1; seed <= 40; ++seed) {
    BenchStatus status;
    status.groups = {disturbed_group(BenchKernel::dummy, BenchForm::hold, 15, seed),
                     disturbed_group(BenchKernel::dummy, BenchForm::store, 15, seed + 50),
                     disturbed_group(BenchKernel::gravity, BenchForm::hold, 15, seed + 99)};
    status.groups[0].load = MachineLoad{1.3, 2};
    status.groups[1].load = MachineLoad{0.4, 2};
    const auto columns = race_columns(Domain::triangle, &status);
    wrong += columns[0].headline != "no difference" || columns[2].headline != "no difference";
    EXPECT_DOUBLE_EQ(race_load(&status)->others, 1.3);
    const std::string text = race_sentence(columns, 4096);
    EXPECT_NE(text.find("with forces"), std::string::npos) << text;
    EXPECT_EQ(text.find("next to nothing"), std::string::npos) << "intervals this wide do not say that: " << text;
  }
  EXPECT_LE(wrong, 3) << "of 40 races, one of 20 may";
}

/// What blocks do not explain is no headline, and the sentence says so.
TEST(Race, ARatioAboveItsBoundIsNoHeadline) {
  BenchStatus status;
  status.groups = {group(BenchKernel::dummy, BenchForm::hold, 3.71, 1),
                   group(BenchKernel::dummy, BenchForm::store, 1, 1),
                   group(BenchKernel::gravity, BenchForm::hold, 1, 1)};
  status.groups[0].rows[1].bound = 1.88, status.groups[0].rows[1].above_bound = true;
  const auto columns = race_columns(Domain::triangle, &status);
  EXPECT_EQ(columns[0].headline, "no difference");
  EXPECT_EQ(columns[0].rows[1].above, 1.88);
  const std::string text = race_sentence(columns, 4096);
  EXPECT_NE(text.find("The 3.71 \u00d7 of lambda is more than the 1.88 \u00d7 that its blocks explain"),
            std::string::npos)
      << text;
}

/// Half of bb's rounds were slow, and its median with them: the time of a map is not set beside it.
TEST(Race, TimeAndRatioOfARowAreOfTheSameRounds) {
  BenchGroup g;
  g.common.kernel = BenchKernel::dummy;
  BenchRow bb, lambda;
  bb.spec.map = "bb", lambda.spec.map = "lambda";
  bb.check.passed = lambda.check.passed = true;
  for (int k = 0; k < 15; ++k)
    bb.samples_ms.push_back(k < 8 ? 10.3 : 2.2), lambda.samples_ms.push_back(k < 7 ? 9.0 : 2.0);
  g.rows = {bb, lambda};
  add_statistics(g, "bb");
  BenchStatus status;
  status.groups = {g};
  const auto columns = race_columns(Domain::triangle, &status);
  const auto& rows = columns[0].rows;
  EXPECT_NEAR(rows[0].ms / rows[1].ms, rows[1].improvement->ratio, 1e-12);
  EXPECT_LE(rows[1].interval.low, rows[1].ms);
  EXPECT_GE(rows[1].interval.high, rows[1].ms);
}

TEST(Race, WithoutResultsItSaysNothing) {
  BenchStatus running;
  running.running = true;
  for (const BenchStatus* status :
       {static_cast<const BenchStatus*>(nullptr), static_cast<const BenchStatus*>(&running)}) {
    const auto columns = race_columns(Domain::triangle, status);
    ASSERT_EQ(columns.size(), 3u);
    EXPECT_EQ(race_sentence(columns, 4096), "");
    EXPECT_EQ(columns[0].headline, status == nullptr ? "" : "waits");
  }
}

TEST(Race, SmallGainsAreNoReasonForAMap) {
  BenchStatus status;
  status.groups = {group(BenchKernel::dummy, BenchForm::hold, 1.02, 1),
                   group(BenchKernel::dummy, BenchForm::store, 1, 1),
                   group(BenchKernel::gravity, BenchForm::hold, 1.01, 1)};
  for (BenchRow& row : status.groups[1].rows) {
    row.samples_ms.clear(), row.improvement.reset();
    row.skipped = "the cpu backend times the dummy kernels in their form hold only; leave the choice out, or use cuda.";
  }
  const auto columns = race_columns(Domain::triangle, &status);
  EXPECT_EQ(columns[1].headline, "not timed here");
  EXPECT_EQ(columns[1].rows[1].reason, "needs a GPU");
  EXPECT_EQ(race_sentence(columns, 1024),
            "On this device an idle block costs next to nothing. At 1,024 bodies with an empty kernel up to 1.02 "
            "\u00d7; with "
            "forces up to 1.01 \u00d7.");
}

TEST(Race, AWrongResultHasNoTime) {
  BenchStatus status;
  status.groups = {group(BenchKernel::dummy, BenchForm::hold, 2, 1)};
  status.groups[0].rows[1].check.passed = false;
  const auto columns = race_columns(Domain::triangle, &status);
  EXPECT_EQ(columns[0].rows[1].reason, "wrong result");
  EXPECT_EQ(columns[0].headline, "not timed here") << "nothing that is wrong wins";
}

TEST(Race, RunsOnTheCpuInBothDomains) {
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron}) {
    CommonOptions common;
    common.backend = "cpu", common.threads = 1;
    RunConfig config = race_config(domain, 48, common);
    config.bench.samples = 1, config.bench.warmup_ms = 0.01;
    BenchStatus status;
    const auto backend = make_backend("cpu");
    status.groups = run_bench(*backend, bench_plan(config), {});
    const auto columns = race_columns(domain, &status);
    for (const RaceColumn& column : columns) {
      EXPECT_GE(column.rows.size(), 5u) << column.title;
      for (const RaceRow& row : column.rows) EXPECT_TRUE(row.ms > 0 || !row.reason.empty()) << column.title << row.map;
    }
  }
}

TEST(Race, OfOneMapSaysItsFiguresAndNoOthers) {
  BenchStatus status;
  status.groups = {group(BenchKernel::dummy, BenchForm::hold, 9, 1), group(BenchKernel::dummy, BenchForm::store, 4, 2),
                   group(BenchKernel::gravity, BenchForm::hold, 1, 1)};
  for (BenchGroup& g : status.groups) g.rows.resize(2);
  EXPECT_EQ(race_sentence(race_columns(Domain::triangle, &status), 4096),
            "lambda over bb at 4,096 bodies: 9.00 \u00d7 with an empty kernel, 2.00 \u00d7 with one write a cell, no "
            "difference with forces.");
}

TEST(Race, BeginsWhenPressedUnlessThereIsOne) {
  const SessionModel model = test::gravity_model();
  RaceState race;
  press_race(model, race);
  EXPECT_TRUE(race.shown && race.start);
  race = {}, race.cancel = true;
  press_race(model, race);
  EXPECT_FALSE(race.start) << "one is under way";
  race = {}, race.status = std::make_shared<BenchStatus>();
  press_race(model, race);
  EXPECT_TRUE(race.shown);
  EXPECT_FALSE(race.start) << "its figures are there";
}

/// What an H200 does is read in the report that comes with the program.
TEST(Race, ShippedFiguresAreThoseOfTheReport) {
  const auto best = shipped_figure(Domain::triangle), lambda = shipped_figure(Domain::triangle, "lambda");
  ASSERT_TRUE(best && lambda);
  EXPECT_EQ(best->device, "NVIDIA H200");
  EXPECT_EQ(best->map, "lambda-stream");
  EXPECT_GT(best->over_bb.ratio, 4);
  EXPECT_TRUE(best->over_bb.differs());
  EXPECT_NEAR(lambda->over_bb.ratio, 2, 0.05);
  EXPECT_EQ(lambda->n, 65536u);
  EXPECT_NEAR(shipped_figure(Domain::tetrahedron, "tetra")->over_bb.ratio, 5.9, 0.2);
  EXPECT_FALSE(shipped_figure(Domain::triangle, "utm")) << "beyond its limit there";
  EXPECT_FALSE(shipped_figure(Domain::triangle, "mine"));
}

TEST(Race, OpensAtTheSizeNearestToTheScenes) {
  SessionModel model = test::gravity_model();
  RaceState race;
  const auto opened = [&](u64 n) {
    model.n = n;
    open_race(model, race);
    return race.n;
  };
  EXPECT_EQ(opened(3), 4096u);
  EXPECT_EQ(opened(8000), 4096u);
  EXPECT_EQ(opened(8200), 16384u);
  EXPECT_EQ(opened(5000000), 262144u);
  race.n = 65536;
  EXPECT_EQ(opened(5000000), 65536u) << "what was chosen stays";
  EXPECT_EQ(opened(16384), 16384u) << "until the scene has another number of bodies";
  race_map(model, race, Domain::tetrahedron, "tetra");
  EXPECT_EQ(race.n, 2048u);
}

TEST(Race, RaceItTimesOneMapBesideBb) {
  const SessionModel model = test::gravity_model();
  RaceState race;
  race_map(model, race, Domain::tetrahedron, "tetra");
  EXPECT_TRUE(race.shown && race.start && race_pending(race));
  EXPECT_EQ(race.maps, (std::vector<std::string>{"bb", "tetra"}));
  const RunConfig config = race_config(race, {});
  EXPECT_EQ(config.common.maps, race.maps);
  EXPECT_EQ(config.bench.kernels, (std::vector{BenchKernel::dummy3, BenchKernel::triplet}));
}

TEST(Race, ExtrasAreMeasuredAndNamed) {
  RaceState race;
  race.n = 64;
  CommonOptions common;
  common.backend = "cpu", common.threads = 1;
  const auto backend = make_backend("cpu");
  for (u32 k = 0; k < kRaceExtras; ++k) {
    RunConfig config = race_extra_config(static_cast<RaceExtra>(k), race, common, false);
    config.bench.samples = 1, config.bench.warmup_ms = 0.01;
    if (k == 0) {
      EXPECT_EQ(config.bench.sizes, (std::vector<u64>{16, 32, 64})) << "down to 16 bodies";
      EXPECT_EQ(config.common.maps, (std::vector<std::string>{"bb", "lambda"}));
    } else {
      config.bench.sizes = {64};
    }
    BenchStatus status;
    status.groups = run_bench(*backend, bench_plan(config), {});
    for (const BenchGroup& g : status.groups) {
      for (const BenchRow& row : g.rows) EXPECT_TRUE(row.skipped || row.check.passed) << row.spec.map;
    }
    if (k != 0) continue;
    const PlotSpec plot = race_plot(&status);
    EXPECT_EQ(plot.x, (std::vector<double>{16, 32, 64}));
    ASSERT_EQ(plot.lines.size(), 2u);
    for (const PlotLine& line : plot.lines) {
      for (const double ms : line.y) EXPECT_GT(ms, 0) << line.name;
    }
  }
}

TEST(Race, ForcesOverNAreThoseOfItsBestMap) {
  auto status = std::make_shared<BenchStatus>();
  status->groups = {group(BenchKernel::gravity, BenchForm::hold, 3, 2)};
  status->groups[0].rows.push_back(timed(BenchKernel::gravity, BenchForm::hold, "fold", 1, 3));
  RaceState race;
  race.status = status;
  const RunConfig config = race_extra_config(RaceExtra::over_n, race, {}, false);
  EXPECT_EQ(config.common.maps, (std::vector<std::string>{"bb", "fold"}));
  EXPECT_EQ(config.bench.sizes, (std::vector<u64>{256, 512, 1024, 2048, 4096}));
}

TEST(Race, FiguresAndCsvAreThoseOfTheResults) {
  EXPECT_FALSE(race_figure(nullptr));
  auto status = std::make_shared<BenchStatus>();
  status->groups = {group(BenchKernel::dummy3, BenchForm::hold, 5.89, 1)};
  status->groups[0].common.n = 1024;
  const auto figure = race_figure(status.get());
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->map, "lambda");
  EXPECT_NEAR(figure->over_bb.ratio, 5.89, 1e-9);
  EXPECT_EQ(figure->n, 1024u);
  status->groups[0].rows[1].check.passed = false;
  EXPECT_FALSE(race_figure(status.get())) << "nothing that is wrong wins";
  RaceState race;
  EXPECT_EQ(race_csv(race), "");
  race.extras[1] = status;
  const std::string one = race_csv(race);
  race.status = status;
  const std::string two = race_csv(race);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(one), 4) << one;
  EXPECT_EQ(lines(two), 7) << two;
}

class RacePage : public PanelFixture {};

TEST_F(RacePage, ShowsTheThreeWorkloads) {
  auto status = std::make_shared<BenchStatus>();
  status->groups = {group(BenchKernel::dummy, BenchForm::hold, 9, 1), group(BenchKernel::dummy, BenchForm::store, 4, 2),
                    group(BenchKernel::gravity, BenchForm::hold, 1, 1)};
  status->groups[1].load = MachineLoad{1.31, 2};
  status->groups[0].rows[1].bound = 1.88, status->groups[0].rows[1].above_bound = true;
  state.race.status = status, state.race.timed = 65536;
  const auto draw = [this] { race(model, state.race, {0, 0, 1800, 1000}, 1); };
  const std::string text = frame(draw);
  for (const char* part :
       {"Empty kernel", "One write a cell", "Forces", "up to 2.00 \u00d7", "baseline", "9.00 > 1.88 \u00d7",
        "other programs used 1.3 of 2 cores", "beyond its limit", "Other programs ran: race again"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  press({"###go"}, draw);
  EXPECT_TRUE(state.race.start);
  state.race.start = false;
  press({"###csv"}, draw);
  EXPECT_EQ(state.race.save, "triangulum-race.csv");
  state.race.save.clear();
  press({"Race the gasket"}, draw);
  EXPECT_EQ(state.race.extra, RaceExtra::gasket);
  state.race.shown = true;
  press({"###scene"}, draw);
  EXPECT_FALSE(state.race.shown);
}

TEST_F(RacePage, ItsSentenceEndsAboveTheFootWhereverItTakesManyLines) {
  auto status = std::make_shared<BenchStatus>();
  for (int k = 0; k < 24; ++k) status->error += "a sentence of many words ";
  state.race.status = status;
  constexpr float kTall = 540, kFoot = 26;
  frame([this] { race(model, state.race, {0, 0, 752, kTall}, 1); });
  float lowest = 0;
  for (const ImDrawVert& v : ImGui::FindWindowByName("test")->DrawList->VtxBuffer) {
    if (v.col == theme().fault) lowest = std::max(lowest, v.pos.y);
  }
  EXPECT_GT(lowest, 400) << "it is drawn";
  EXPECT_LE(lowest, kTall - kFoot);
}

TEST_F(RacePage, IsFilledFromTheStartByTheShippedReport) {
  const auto draw = [this] { race(model, state.race, {0, 0, 1800, 1000}, 1); };
  const std::string before = frame(draw);
  for (const char* part : {"NVIDIA H200, 65,536 bodies, shipped report", "up to 9.09 \u00d7", "10.1 ms", "1.42 ms",
                           "beyond its limit", "not timed yet", "The reports that come with the program",
                           "Nothing is timed here yet: these are figures of an NVIDIA H200"}) {
    EXPECT_NE(before.find(part), std::string::npos) << part << " in " << before;
  }
  EXPECT_EQ(race_csv(state.race), "") << "what was not measured here is not written";
  // A processor's own figures have those of the GPU beside them.
  auto status = std::make_shared<BenchStatus>();
  status->groups = {group(BenchKernel::dummy, BenchForm::hold, 1.5, 1),
                    group(BenchKernel::dummy, BenchForm::store, 4, 2),
                    group(BenchKernel::gravity, BenchForm::hold, 1, 1)};
  state.race.status = status, state.race.timed = 4096;
  const std::string after = frame(draw);
  EXPECT_NE(after.find("up to 1.50 \u00d7"), std::string::npos);
  EXPECT_EQ(after.find("9.09"), std::string::npos) << "no headline of another device";
  EXPECT_NE(after.find("2.00 \u00d7"), std::string::npos) << "lambda's on the H200: " << after;
  EXPECT_NE(after.find("NVIDIA H200: shipped report, 65,536 bodies"), std::string::npos);
  EXPECT_NE(after.find("a number into every cell; in no shipped report"), std::string::npos) << after;
  const std::string at_800 = frame([this] { race(model, state.race, {0, 0, 752, 548}, 1); });
  EXPECT_EQ(at_800.find("\u2026"), std::string::npos) << "nothing is cut off: " << at_800;
  state.race.status.reset();
  const std::string stands_in = frame([this] { race(model, state.race, {0, 0, 752, 548}, 1); });
  EXPECT_NE(stands_in.find("NVIDIA H200 "), std::string::npos) << "whose figures these are: " << stands_in;
  EXPECT_EQ(stands_in.find("\u2026"), std::string::npos) << stands_in;
  state.race.status = status;
  const std::string narrow = frame([this] { race(model, state.race, {0, 0, 1232, 668}, 1); });
  EXPECT_NE(narrow.find("ms; in no shipped report"), std::string::npos) << "it was cut off: " << narrow;
  model.backend.name = "cuda";
  EXPECT_EQ(frame(draw).find("NVIDIA H200"), std::string::npos) << "a GPU has its own";
}

TEST(ShippedRace, SpeaksTheLanguageThatIsChosen) {
  const std::string english = shipped_race(Domain::triangle).columns[0].headline;
  use_texts(texts_of(Language::german));
  const std::string german = shipped_race(Domain::triangle).columns[0].headline;
  use_texts(texts_of(Language::english));
  EXPECT_NE(german, english);
  EXPECT_EQ(shipped_race(Domain::triangle).columns[0].headline, english);
}

TEST(ShippedRace, HasEveryMapInTheOrderOfThePage) {
  for (const Domain domain : {Domain::triangle, Domain::tetrahedron}) {
    const ShippedRace& race = shipped_race(domain);
    EXPECT_EQ(race.device, "NVIDIA H200");
    EXPECT_GT(race.n, 1000u);
    for (const std::size_t k : {0, 2}) {
      ASSERT_GE(race.columns[k].rows.size(), 6u);
      for (std::size_t row = 0; row < race.columns[k].rows.size(); ++row) {
        EXPECT_EQ(race.columns[k].rows[row].map, maps_of(domain)[row].name);
      }
    }
    const bool pairs = domain == Domain::triangle;
    EXPECT_EQ(race.columns[1].rows.empty(), pairs) << "no report has writes of pairs";
    if (pairs) continue;
    const RaceRow &bb = race.columns[1].rows[0], &tetra = race.columns[1].rows[1];
    EXPECT_NEAR(bb.ms, 12.566, 1e-3) << "of 2,048 points in blocks of 8";
    EXPECT_NEAR(tetra.improvement->ratio, 1.943, 1e-3);
    EXPECT_NEAR(tetra.ms, 6.467, 2e-3);
    EXPECT_EQ(race.columns[1].headline, "up to 6.57 \u00d7");
  }
}

TEST(RaceProgress, NamesTheWorkloadAsItsColumnDoes) {
  const auto columns = race_columns(Domain::triangle, nullptr);
  BenchStatus status;
  status.progress = "dummy n = 4,096: round 13 of 15 (group 2 of 3, 20 s left)", status.finished = 1;
  EXPECT_EQ(race_progress(columns, status), "One write a cell: round 13 of 15 (workload 2 of 3, 20 s left)");
  status.progress = "opening the device";
  EXPECT_EQ(race_progress(columns, status), status.progress);
}

}  // namespace
}  // namespace tri::app::gui
