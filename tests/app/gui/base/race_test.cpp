// The race: the bench it runs, and the figures and the sentence made of its results.

#include "app/gui/base/race.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/gui/panel/panels.hpp"
#include "sim/backend/backend.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

BenchRow timed(BenchKernel kernel, BenchForm form, const char* map, double ms, double bb_ms) {
  BenchRow row;
  row.spec.kernel = kernel, row.spec.form = form, row.spec.map = map;
  row.check.passed = true;
  std::vector<double> baseline;
  for (int k = 0; k < 9; ++k)
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
  EXPECT_NEAR(columns[0].rows[1].ms, 1.004, 1e-9);
  const std::string text = race_sentence(columns, 65536);
  for (const char* part : {"9.00 \u00d7", "2.00 \u00d7", "65,536 bodies", "no map is faster"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(Race, TheSentenceFollowsTheFigures) {
  const auto sentence = [](double empty, double write, double forces) {
    BenchStatus status;
    status.groups = {group(BenchKernel::dummy, BenchForm::hold, empty, 1),
                     group(BenchKernel::dummy, BenchForm::store, write, 1),
                     group(BenchKernel::gravity, BenchForm::hold, forces, 1)};
    return race_sentence(race_columns(Domain::triangle, &status), 4096);
  };
  EXPECT_NE(sentence(1, 1, 1).find("all maps are level"), std::string::npos);
  EXPECT_NE(sentence(2, 2, 1.48).find("still gains 1.48"), std::string::npos) << sentence(2, 2, 1.48);
  EXPECT_NE(sentence(2, 2, 1.02).find("the arithmetic takes the time"), std::string::npos);
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
            "On this device an idle block costs next to nothing: at 1,024 bodies no map gains more than 1.02 \u00d7.");
}

TEST(Race, AWrongResultHasNoTime) {
  BenchStatus status;
  status.groups = {group(BenchKernel::dummy, BenchForm::hold, 2, 1)};
  status.groups[0].rows[1].check.passed = false;
  const auto columns = race_columns(Domain::triangle, &status);
  EXPECT_EQ(columns[0].rows[1].reason, "wrong result");
  EXPECT_EQ(columns[0].headline, "no difference") << "nothing that is wrong wins";
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
  state.race.status = status, state.race.timed = 65536;
  const auto draw = [this] { panel::race_items(model, state.race, {0, 0, 1800, 1000}, 1); };
  const std::string text = frame(draw);
  for (const char* part : {"Empty kernel", "One write a cell", "Forces", "up to 9.00 \u00d7", "baseline",
                           "beyond its limit", "The map matters where a block does little"}) {
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

}  // namespace
}  // namespace tri::app::gui
