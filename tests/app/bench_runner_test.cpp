// How a plan is made and run: completion by presets, interleaving, skips, interruption.

#include "app/bench/bench_runner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/options.hpp"
#include "fake_backend.hpp"
#include "sim/error.hpp"

namespace tri::app {
namespace {

using test::FakeBackend;

BenchPlan plan_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "bench"});
  return bench_plan(parse_options(arguments));
}

BenchPlan quick_plan(std::vector<std::string> maps, u32 samples) {
  BenchPlan plan;
  plan.parts = {{BenchKernel::gravity, {1000}, std::move(maps), {0}}};
  plan.samples = samples;
  plan.warmup_ms = 0;
  return plan;
}

TEST(BenchPlan, DefaultIsTheDefaultScene) {
  const BenchPlan plan = plan_of({});
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].kernel, BenchKernel::gravity);
  EXPECT_EQ(plan.parts[0].sizes, std::vector<u64>{4096});
  const auto& maps = plan.parts[0].maps;
  EXPECT_EQ(maps.size(), 12u);  // all 14 but the thread-space rb and utm
  EXPECT_EQ(std::count(maps.begin(), maps.end(), "rb") + std::count(maps.begin(), maps.end(), "utm"), 0);
  EXPECT_GE(plan.samples, 6u);  // enough for an interval
}

TEST(BenchPlan, TheUserHasPrecedenceOverThePreset) {
  const BenchPlan plan = plan_of({"--preset", "smoke", "--samples", "9", "--kernel", "edm", "--n", "77"});
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].sizes, std::vector<u64>{77});
  EXPECT_EQ(plan.parts[0].features, std::vector<u32>{4});
  EXPECT_EQ(plan.samples, 9u);
  EXPECT_EQ(plan_of({"--preset", "smoke"}).parts.size(), 6u);
}

TEST(BenchPlan, TheBaselineIsTimedToo) {
  const BenchPlan plan = plan_of({"--kernel", "gravity", "--map", "lambda"});
  EXPECT_EQ(plan.parts[0].maps, (std::vector<std::string>{"bb", "lambda"}));
  EXPECT_TRUE(plan.baseline_added);
  const BenchPlan plain = plan_of({"--kernel", "gravity", "--map", "plain,lambda", "--baseline", "plain"});
  EXPECT_EQ(plain.parts[0].maps, (std::vector<std::string>{"plain", "lambda"}));
  EXPECT_FALSE(plain.baseline_added);
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

TEST(BenchRunner, ARefusalIsARowWithItsReason) {
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

TEST(BenchRunner, AFailedCheckIsSeen) {
  FakeBackend backend;
  backend.scripts["lambda"].passes = false;
  EXPECT_TRUE(any_failed(run_bench(backend, quick_plan({"bb", "lambda"}, 2), {})));
}

TEST(BenchRunner, TooLargeForAllAtOnceIsMadeAnew) {
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

}  // namespace
}  // namespace tri::app
