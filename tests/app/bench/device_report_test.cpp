// The preset device-report: its plan, its floors, its report, and how it keeps its time.

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/bench/dry_run.hpp"
#include "app/bench/presets.hpp"
#include "app/bench/resume.hpp"
#include "app/options/options.hpp"
#include "app/support/axes.hpp"
#include "app/support/engine_choice.hpp"
#include "sim/base/error.hpp"
#include "tests/support/fake_backend.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

BenchPlan plan_for(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"triangulum", "bench", "--preset", "device-report"});
  return bench_plan(parse_options(arguments));
}

/// 1e9 lanes, 1e9 bytes, 1e6 launches a second.
Floors round_floors() { return {{1e9, "lanes"}, {1e9, "bytes"}, {1e6, "launches"}}; }

TEST(DeviceReport, EveryKernelOnEveryMapAtOneSizeForEachKindOfDevice) {
  for (const char* backend : {"cpu", "cuda"}) {
    BenchPlan plan = plan_for({});
    EXPECT_TRUE(plan.floors);
    choose_sizes(plan, backend);
    ASSERT_EQ(plan.parts.size(), bench_kernels().size());
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
      const BenchPart& part = plan.parts[i];
      EXPECT_EQ(part.kernel, bench_kernels()[i].id);
      EXPECT_EQ(part.sizes.size(), 1u);
      EXPECT_EQ(part.maps, maps_of_kernel(part.kernel, {"all"}));
      EXPECT_TRUE(part.gpu_sizes.empty());
    }
  }
  BenchPlan cpu = plan_for({}), gpu = plan_for({});
  choose_sizes(cpu, "cpu"), choose_sizes(gpu, "cuda");
  for (std::size_t i = 0; i < cpu.parts.size(); ++i) EXPECT_LT(cpu.parts[i].sizes, gpu.parts[i].sizes);
}

TEST(DeviceReport, SizesOfTheCommandLineHoldOnEveryDevice) {
  BenchPlan plan = plan_for({"--kernel", "gravity", "--n", "500"});
  choose_sizes(plan, "cuda");
  ASSERT_EQ(plan.parts.size(), 1u);
  EXPECT_EQ(plan.parts[0].sizes, std::vector<u64>{500});
}

TEST(DeviceReport, ADryRunSaysWhatWouldRun) {
  BenchPlan plan = plan_for({"--backend", "cuda"});
  CommonOptions common;
  common.backend = "cuda";
  choose_sizes(plan, chosen_backend(common));
  const std::string text = dry_run_text(plan, 200);
  for (const char* words : {"device-report: every kernel on every map", "gravity, n = 65,536", "gasket, n = 32,768",
                            "7 groups of 80 combinations"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
  EXPECT_EQ(text.find("hours"), std::string::npos) << text;
}

struct FakeRun {
  test::FakeBackend backend;
  BenchPlan plan;
  BenchMeta meta;
  std::vector<BenchGroup> groups;
};

void make(FakeRun& r, u32 samples) {
  r.backend.rates = round_floors();
  r.backend.scripts["lambda"].ms = 2;
  r.backend.scripts["utm"].refusal = "too large.";
  r.plan.parts = {{BenchKernel::gravity, {1001}, {"bb", "lambda", "utm"}}};
  r.plan.parts[0].gpu_sizes = {9999};
  r.plan.samples = samples, r.plan.warmup_ms = 0, r.plan.floors = true;
  r.meta = bench_meta(RunConfig{}, r.backend.info());
  settle_on(r.backend, r.plan, r.meta);
  r.groups = run_bench(r.backend, r.plan, {});
}

TEST(DeviceReport, TheReportHasFloorsAndShares) {
  FakeRun r;
  make(r, 7);
  const Json j = Json::parse(report_json(r.meta, r.plan, r.groups));
  EXPECT_EQ(j["meta"]["floors"]["arithmetic"], (Json{{"per_s", 1e9}, {"how", "lanes"}}));
  EXPECT_EQ(j["meta"]["floors"]["memory"]["per_s"], 1e9);
  EXPECT_EQ(j["meta"]["floors"]["launches"]["how"], "launches");
  // 1001 * 1000 / 2 pairs of 23 lanes at 1e9 a second.
  const Json& floor = j["results"][1]["floor"];
  EXPECT_EQ(floor["by"], "arithmetic");
  EXPECT_DOUBLE_EQ(floor["ms"], 500500 * 23.0 / 1e6);
  EXPECT_DOUBLE_EQ(floor["share"], 500500 * 23.0 / 1e6 / 2);
  EXPECT_TRUE(j["results"][2]["floor"].is_null()) << "skipped";
  const std::string table = group_table(r.groups[0], r.plan, 100, r.meta.floors);
  EXPECT_NE(table.find("floors: bb"), std::string::npos) << table;
  EXPECT_NE(table.find("of arithmetic"), std::string::npos) << table;
  EXPECT_NE(table_head(r.meta).find("1.000 GB/s"), std::string::npos) << table_head(r.meta);
  EXPECT_EQ(group_table(r.groups[0], r.plan, 100).find("floors"), std::string::npos);
}

TEST(DeviceReport, AReportIsReadAsItWasWritten) {
  FakeRun r;
  make(r, 7);
  const std::string text = report_json(r.meta, r.plan, r.groups);
  EXPECT_EQ(report_json(r.meta, r.plan, filled(resumed_slots("r.json", text, r.meta, r.plan))), text);
}

TEST(DeviceReport, ABackendWithoutFloorsIsRefused) {
  test::FakeBackend backend;
  BenchPlan plan;
  plan.floors = true;
  BenchMeta meta;
  plan.threads = 3;
  EXPECT_THROW(settle_on(backend, plan, meta), ConfigError);
  EXPECT_EQ(backend.floor_threads, 3u);
}

TEST(DeviceReport, ASlowDeviceTakesFewerRoundsAndTheyCount) {
  FakeRun r;
  r.plan.budget_s = 1e-9;
  make(r, 50);
  for (const BenchRow& row : r.groups[0].rows) {
    if (row.skipped) continue;
    EXPECT_EQ(row.samples_ms.size(), kLeastRounds);
    EXPECT_TRUE(row.check.passed);
  }
  EXPECT_TRUE(r.groups[0].rows[1].improvement->decided());
  const std::string text = report_json(r.meta, r.plan, r.groups);
  EXPECT_EQ(filled(resumed_slots("r.json", text, r.meta, r.plan)).size(), 1u) << "complete, as there was no more time";
  r.plan.budget_s = 0;
  EXPECT_TRUE(filled(resumed_slots("r.json", text, r.meta, r.plan)).empty());
  r.plan.budget_s = 3600;
  EXPECT_EQ(run_bench(r.backend, r.plan, {})[0].rows[0].samples_ms.size(), 50u);
}

}  // namespace
}  // namespace tri::app
