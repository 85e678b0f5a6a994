// The race: the bench it runs, and the figures and the sentence made of its results.

#include "app/gui/base/race.hpp"

#include <gtest/gtest.h>

#include <string>

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
  for (const char* part : {"9.00 \u00d7", "2.00 \u00d7", "65,536 bodies", "no difference"}) {
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
  state.race.shown = true;
  press({"###scene"}, draw);
  EXPECT_FALSE(state.race.shown);
}

}  // namespace
}  // namespace tri::app::gui
