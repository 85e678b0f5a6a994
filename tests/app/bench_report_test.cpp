// The three forms of a report: the schema that other programs read, and a table that people can.

#include "app/bench/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "fake_backend.hpp"

namespace tri::app {
namespace {

using Json = nlohmann::ordered_json;

struct Reported {
  BenchPlan plan;
  std::vector<BenchGroup> groups;
};

Reported reported(BenchKernel kernel, u32 samples) {
  test::FakeBackend backend;
  backend.scripts["bb"] = {2.0, true, "", kernel == BenchKernel::edm ? 4000u : 0u};
  backend.scripts["lambda"] = {1.0, true, "", kernel == BenchKernel::edm ? 4000u : 0u};
  backend.scripts["utm"].refusal = "--map utm is exact to n = 4097 in float32; n = 8192.";
  Reported r;
  r.plan.parts = {{kernel, {8192}, {"bb", "lambda", "utm"}, {kernel == BenchKernel::edm ? 3u : 0u}}};
  r.plan.samples = samples;
  r.plan.warmup_ms = 0;
  r.groups = run_bench(backend, r.plan, {});
  return r;
}

Json json_of(const Reported& r) {
  RunConfig config;
  config.argv = {"triangulum", "bench"};
  return Json::parse(report_json(bench_meta(config, {"cpu", "processor", "2 threads"}), r.plan, r.groups));
}

std::vector<std::string> keys(const Json& object, std::size_t most) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) {
    if (names.size() < most) names.push_back(key);
  }
  return names;
}

TEST(BenchJson, SchemaOne) {
  const Json j = json_of(reported(BenchKernel::edm, 7));
  EXPECT_EQ(keys(j, 9), (std::vector<std::string>{"schema", "meta", "results"}));
  EXPECT_EQ(j["schema"], 1);
  EXPECT_EQ(keys(j["meta"], 7),
            (std::vector<std::string>{"version", "argv", "utc", "host", "device", "driver", "clocks"}));
  ASSERT_EQ(j["results"].size(), 3u);
  const std::vector<std::string> schema = {
      "kernel",        "map",        "backend",     "n",           "block",       "features", "samples",
      "median_ms",     "min_ms",     "max_ms",      "iqr_ms",      "improvement", "bound",    "blocks_launched",
      "blocks_useful", "work_items", "items_per_s", "bytes_per_s", "check",       "skipped"};
  for (const Json& row : j["results"]) EXPECT_EQ(keys(row, schema.size()), schema);
  EXPECT_EQ(keys(j["results"][0]["check"], 9), (std::vector<std::string>{"passed", "max_rel_err", "reference"}));
}

TEST(BenchJson, ValuesOfATimedRow) {
  const Json row = json_of(reported(BenchKernel::edm, 7))["results"][1];
  EXPECT_EQ(row["kernel"], "edm");
  EXPECT_EQ(row["map"], "lambda");
  EXPECT_EQ(row["n"], 8192);
  EXPECT_EQ(row["block"], 256);
  EXPECT_EQ(row["features"], 3);
  EXPECT_EQ(row["samples"], 7);
  EXPECT_DOUBLE_EQ(row["median_ms"], 1.0);
  EXPECT_DOUBLE_EQ(row["improvement"], 2.0);
  EXPECT_DOUBLE_EQ(row["bound"], 2.0 * 32 / 33);
  EXPECT_DOUBLE_EQ(row["items_per_s"], 1e6);
  EXPECT_DOUBLE_EQ(row["bytes_per_s"], 4e6);
  EXPECT_EQ(row["check"]["passed"], true);
  EXPECT_TRUE(row["skipped"].is_null());
  EXPECT_TRUE(row["directed_per_s"].is_null());
  EXPECT_DOUBLE_EQ(row["confidence"], 1 - 2.0 / 128);
  EXPECT_EQ(row["differs"], true);
}

TEST(BenchJson, ForcesCountDirectedInteractionsTwice) {
  const Json row = json_of(reported(BenchKernel::gravity, 7))["results"][1];
  EXPECT_DOUBLE_EQ(row["directed_per_s"], 2e6);
  EXPECT_TRUE(row["bytes_per_s"].is_null());
  EXPECT_TRUE(row["features"].is_null());
}

TEST(BenchJson, ASkippedRowHasNoFigures) {
  const Json row = json_of(reported(BenchKernel::edm, 7))["results"][2];
  EXPECT_EQ(row["skipped"], "--map utm is exact to n = 4097 in float32; n = 8192.");
  for (const char* key : {"median_ms", "improvement", "bound", "work_items", "items_per_s", "check"}) {
    EXPECT_TRUE(row[key].is_null()) << key;
  }
  EXPECT_EQ(row["samples"], 0);
}

TEST(BenchCsv, EveryLineHasAllColumns) {
  std::istringstream lines(report_csv(reported(BenchKernel::edm, 7).groups));
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    // The reason of the skipped row holds no comma, so plain commas can be counted.
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 23) << line;
  }
  EXPECT_EQ(rows, 4u);
}

TEST(BenchTable, FitsAndSaysWhatMatters) {
  for (const u32 width : {80u, 100u, 120u}) {
    const Reported r = reported(BenchKernel::gravity, 7);
    const std::string table = group_table(r.groups[0], r.plan, width);
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    EXPECT_NE(table.find("2.00 [2.00, 2.00]"), std::string::npos) << table;
    EXPECT_NE(table.find("skipped: --map utm is exact"), std::string::npos) << table;
    EXPECT_NE(table.find("ok 1.0e-07"), std::string::npos) << table;
    EXPECT_EQ(table.find("launched") != std::string::npos, width >= 100) << table;
  }
}

TEST(BenchTable, NoDifferenceAndFailure) {
  test::FakeBackend backend;
  backend.scripts["lambda"].passes = false;
  BenchPlan plan;
  plan.parts = {{BenchKernel::gravity, {512}, {"bb", "lambda", "fold"}, {0}}};
  plan.samples = 6, plan.warmup_ms = 0;
  const auto groups = run_bench(backend, plan, {});
  const std::string table = group_table(groups[0], plan, 100);
  EXPECT_NE(table.find("no difference [1.00, 1.00]"), std::string::npos) << table;
  EXPECT_NE(table.find("FAILED"), std::string::npos) << table;
}

}  // namespace
}  // namespace tri::app
