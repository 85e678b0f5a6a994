// Running a plan: interleaving, skipped rows, memory, meters, interruption.

#include "app/bench/bench_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/fake_backend.hpp"

namespace tri::app {
namespace {

using test::FakeBackend;

BenchPlan quick_plan(std::vector<std::string> maps, u32 samples) {
  BenchPlan plan;
  plan.parts = {{BenchKernel::gravity, {1000}, std::move(maps)}};
  plan.samples = samples;
  plan.warmup_ms = 0;
  return plan;
}

TEST(BenchRunner, MapsAreInterleavedAndRotated) {
  FakeBackend backend;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda", "fold"}, 3), {});
  const std::vector<std::string> want{"bb",     "lambda", "fold",     // warm-up
                                      "bb",     "lambda", "fold",     // round 1
                                      "lambda", "fold",   "bb",       // round 2
                                      "fold",   "bb",     "lambda"};  // round 3
  EXPECT_EQ(backend.order, want);
  EXPECT_EQ(backend.made, 3u);
  EXPECT_EQ(backend.checked, 3u);
  ASSERT_EQ(groups.size(), 1u);
  for (const BenchRow& row : groups[0].rows) EXPECT_EQ(row.samples_ms.size(), 3u);
}

TEST(BenchRunner, ImprovementAndBound) {
  FakeBackend backend;
  backend.scripts["bb"].ms = 3;
  backend.scripts["lambda"].ms = 2;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 7), {});
  const BenchRow& lambda = groups[0].rows[1];
  EXPECT_DOUBLE_EQ(lambda.improvement->ratio, 1.5);
  EXPECT_TRUE(lambda.improvement->differs());
  EXPECT_DOUBLE_EQ(*lambda.bound, 1.6);  // n = 1000 in blocks of 256: 4 a side
  EXPECT_DOUBLE_EQ(lambda.items_per_s(), 1000 / 2e-3);
  EXPECT_FALSE(groups[0].rows[0].improvement->differs());
}

TEST(BenchRunner, ASkippedMapIsARowWithItsReason) {
  FakeBackend backend;
  backend.scripts["utm"].refusal = "--map utm is exact to n = 4097";
  const auto groups = run_bench(backend, quick_plan({"bb", "utm"}, 2), {});
  ASSERT_EQ(groups[0].rows.size(), 2u);
  EXPECT_FALSE(groups[0].rows[0].skipped.has_value());
  EXPECT_EQ(groups[0].rows[1].skipped, "--map utm is exact to n = 4097");
  EXPECT_TRUE(groups[0].rows[1].samples_ms.empty());
  EXPECT_FALSE(any_failed(groups));
}

TEST(BenchRunner, WithoutATimedBaselineNothingIsCompared) {
  FakeBackend backend;
  backend.scripts["bb"].refusal = "no";
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 2), {});
  EXPECT_FALSE(groups[0].rows[1].improvement.has_value());
}

TEST(BenchRunner, AFailedCheckIsReported) {
  FakeBackend backend;
  backend.scripts["lambda"].passes = false;
  EXPECT_TRUE(any_failed(run_bench(backend, quick_plan({"bb", "lambda"}, 2), {})));
}

TEST(BenchRunner, CasesTooLargeToCoexistAreRecreated) {
  FakeBackend backend;
  backend.scripts["lambda"].bytes = u64{1} << 50;  // more than any machine has
  backend.scripts["lambda"].ms = 0.5;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda"}, 6), {});
  EXPECT_GE(backend.made, 12u);
  EXPECT_EQ(backend.checked, 2u);
  for (const BenchRow& row : groups[0].rows) {
    EXPECT_EQ(row.samples_ms.size(), 6u);
    EXPECT_TRUE(row.check.passed);
  }
  EXPECT_DOUBLE_EQ(groups[0].rows[1].improvement->ratio, 2.0);
}

TEST(BenchRunner, InterruptedKeepsWhatWasTimedAndChecksIt) {
  FakeBackend backend;
  std::atomic<bool> stop{false};
  backend.on_run = [&] { stop = backend.order.size() >= 6; };  // warm-up 3, then bb, lambda, fold of round 1
  BenchHooks hooks;
  hooks.stop = &stop;
  BenchPlan plan = quick_plan({"bb", "lambda", "fold"}, 5);
  plan.parts[0].sizes = {1000, 2000};
  const auto groups = run_bench(backend, plan, hooks);
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].rows.size(), 3u);
  for (const BenchRow& row : groups[0].rows) {
    EXPECT_EQ(row.samples_ms.size(), 1u);
    EXPECT_TRUE(row.check.passed);
  }
}

TEST(BenchRunner, TheDevicesMemoryIsTheLimit) {
  FakeBackend backend;
  backend.memory = 1000;
  for (const char* map : {"bb", "lambda"}) backend.scripts[map].bytes = 120;
  run_bench(backend, quick_plan({"bb", "lambda"}, 2), {});
  EXPECT_EQ(backend.made, 2u);  // 240 bytes are less than a quarter of 1000
  backend.made = 0;
  backend.scripts["bb"].bytes = 140;
  run_bench(backend, quick_plan({"bb", "lambda"}, 2), {});
  EXPECT_EQ(backend.made, 6u);  // made once to query it, and for each of two samples
}

TEST(BenchRunner, ACaseThatFitsOnlyAloneIsMadeAlone) {
  FakeBackend backend;
  backend.most_alive = 2;
  const auto groups = run_bench(backend, quick_plan({"bb", "lambda", "fold"}, 3), {});
  ASSERT_EQ(groups[0].rows.size(), 3u);
  for (const BenchRow& row : groups[0].rows) {
    EXPECT_FALSE(row.skipped.has_value()) << *row.skipped;
    EXPECT_EQ(row.samples_ms.size(), 3u);
    EXPECT_TRUE(row.check.passed);
  }
  EXPECT_EQ(backend.alive, 0u);
}

MeterReading some_reading() {
  MeterReading reading;
  reading.seconds = 0.75, reading.energy_j = 300, reading.power_w = 400;
  reading.clock_mhz = 1980, reading.clock_low_mhz = 1755;
  return reading;
}

/// Neither warm-up nor check lies within the span of the rounds; each map's energy has a span of its own.
TEST(BenchRunner, MetersRunOverTheRoundsAndOverEachMap) {
  FakeBackend backend;
  backend.reading = some_reading();
  std::string why;
  const auto meter = backend.make_meter(why);
  BenchHooks hooks;
  hooks.meter = meter.get();
  BenchPlan plan = quick_plan({"bb", "lambda"}, 2);
  plan.energy = true;
  const auto groups = run_bench(backend, plan, hooks);
  const std::vector<std::string> want{"bb",    "lambda",                                        // warm-up
                                      "begin", "bb",          "lambda", "lambda", "bb", "end",  // two rounds
                                      "begin", "bb long",     "end",                            //
                                      "begin", "lambda long", "end"};
  EXPECT_EQ(backend.order, want);
  EXPECT_DOUBLE_EQ(backend.energy_seconds, 0.75);  // the meter's minimum, which exceeds that of the bench
  EXPECT_DOUBLE_EQ(*groups[0].telemetry->clock_low_mhz, 1755);
  EXPECT_DOUBLE_EQ(*groups[0].rows[1].energy_per_item(), 300.0 / (20 * 1000));
}

/// The energy counter advances in steps; a span of few steps gives clocks, but neither energy nor power.
TEST(BenchRunner, AShortSpanGivesNoPower) {
  FakeBackend backend;
  BenchHooks hooks;
  for (const double seconds : {0.37, 0.38}) {  // the meter's minimum is 0.75
    backend.reading = some_reading();
    backend.reading->seconds = seconds;
    std::string why;
    const auto meter = backend.make_meter(why);
    hooks.meter = meter.get();
    const auto groups = run_bench(backend, quick_plan({"bb"}, 2), hooks);
    EXPECT_EQ(groups[0].telemetry->power_w.has_value(), seconds > 0.375);
    EXPECT_EQ(groups[0].telemetry->energy_j.has_value(), seconds > 0.375);
    EXPECT_DOUBLE_EQ(*groups[0].telemetry->clock_mhz, 1980);
  }
}

TEST(BenchRunner, NothingIsMeteredWhereNothingRuns) {
  FakeBackend backend;
  backend.reading = some_reading();
  backend.scripts["bb"].refusal = backend.scripts["utm"].refusal = "no";
  std::string why;
  const auto meter = backend.make_meter(why);
  BenchHooks hooks;
  hooks.meter = meter.get();
  const auto groups = run_bench(backend, quick_plan({"bb", "utm"}, 2), hooks);
  EXPECT_FALSE(groups[0].telemetry.has_value());
  EXPECT_TRUE(backend.order.empty());
}

TEST(BenchRunner, KnownResultsAreNotRunAgain) {
  FakeBackend backend;
  BenchPlan plan = quick_plan({"bb", "lambda"}, 1);
  plan.parts[0].sizes = {10, 20, 30};
  BenchSlots slots(3);
  slots[2] = BenchGroup{{}, false, {}, {}};
  slots[2]->common.n = 77;
  std::vector<std::size_t> known;
  BenchHooks hooks;
  hooks.group_finished = [&](const BenchGroup&, const BenchSlots& all) { known.push_back(filled(all).size()); };
  const auto groups = run_bench(backend, plan, hooks, slots);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].common.n, 10u);
  EXPECT_EQ(groups[2].common.n, 77u);
  EXPECT_EQ(backend.made, 4u);
  EXPECT_EQ(known, (std::vector<std::size_t>{2, 3}));  // resumed entries later in the plan are reported at the start
}

}  // namespace
}  // namespace tri::app
