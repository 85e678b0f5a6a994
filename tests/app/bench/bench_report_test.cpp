// The three forms of a report: JSON and CSV for programs, a table for people.

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/bench/report.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/fake_backends.hpp"

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
  r.plan.parts = {{{}, kernel, {8192}, {"bb", "lambda", "utm"}}};
  r.plan.parts[0].features = {3};
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

TEST(BenchJson, AComparisonComesLast) {
  const Reported r = reported(BenchKernel::edm, 7);
  RunConfig config;
  const BenchMeta meta = bench_meta(config, {"cpu", "processor", "2 threads"});
  const std::string alone = report_json(meta, r.plan, r.groups);
  const Comparison comparison = compare_reports("old.json", alone, alone, 1.05);
  const Json j = Json::parse(report_json(meta, r.plan, r.groups, comparison));
  EXPECT_EQ(keys(j, 9), (std::vector<std::string>{"schema", "meta", "results", "comparison"}));
  EXPECT_EQ(j["comparison"], Json::parse(comparison_json(comparison)));
  EXPECT_EQ(j["comparison"]["rows"].size(), 3u);
  EXPECT_EQ(j["results"], Json::parse(alone)["results"]);
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
  EXPECT_EQ(row["together"], 1) << "one map beside bb";
  EXPECT_EQ(row["above_bound"], false);
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

TEST(BenchJson, TheAxesThatARowReads) {
  const Json edm = json_of(reported(BenchKernel::edm, 7))["results"][1];
  EXPECT_EQ(edm["layout"], "condensed");
  EXPECT_TRUE(edm["form"].is_null());
  EXPECT_TRUE(edm["dimensions"].is_null());
  EXPECT_TRUE(edm["rec"].is_null());
  EXPECT_EQ(edm["timing"], "work");
  EXPECT_EQ(edm["bytes"], 4000);
  EXPECT_TRUE(edm["requested_block"].is_null());
  test::FakeBackend backend;
  Reported r;
  r.plan.parts = {{{}, BenchKernel::dummy, {100}, {"bb", "rec"}}};
  r.plan.parts[0].forms = {BenchForm::write}, r.plan.parts[0].blocks = {16};
  r.plan.common.rec = RecForm::graph, r.plan.common.timing = LaunchTiming::synchronised, r.plan.samples = 1,
  r.plan.warmup_ms = 0;
  r.groups = run_bench(backend, r.plan, {});
  const Json rows = json_of(r)["results"];
  EXPECT_EQ(rows[1]["form"], "write");
  EXPECT_EQ(rows[1]["rec"], "graph");
  EXPECT_TRUE(rows[0]["rec"].is_null());
  EXPECT_EQ(rows[1]["timing"], "synchronised");
  EXPECT_EQ(rows[1]["requested_block"], 16);
  test::expect_parts(group_table(r.groups[0], r.plan, 100),
                     {"dummy, n = 100, write, block 256, rec by graph, synchronised launches"});
}

TEST(BenchReport, AFillHasNoBound) {
  test::FakeBackend backend;
  Reported r;
  r.plan.parts = {{{}, BenchKernel::edm, {8192}, {"bb", "fill", "lambda-alone"}}};
  r.plan.samples = 1, r.plan.warmup_ms = 0;
  r.groups = run_bench(backend, r.plan, {});
  const Json rows = json_of(r)["results"];
  EXPECT_TRUE(rows[1]["bound"].is_null());
  EXPECT_DOUBLE_EQ(rows[2]["bound"], 2.0 * 32 / 33);
}

/// A run with every meter reading, including energy.
Reported metered(std::vector<std::string> throttling) {
  test::FakeBackend backend;
  MeterReading reading;
  reading.seconds = 0.8, reading.energy_j = 300, reading.power_w = 511.6;
  reading.clock_mhz = 1980, reading.clock_low_mhz = 1755, reading.memory_clock_mhz = 3201, reading.temperature_c = 61;
  reading.throttling = std::move(throttling);
  backend.reading = reading;
  backend.scripts["utm"].refusal = "no, and again no";
  std::string why;
  const auto meter = backend.make_meter(why);
  BenchHooks hooks;
  hooks.meter = meter.get();
  Reported r;
  r.plan.parts = {{{}, BenchKernel::collision, {512}, {"bb", "lambda", "utm"}}};
  r.plan.samples = 6, r.plan.warmup_ms = 0, r.plan.energy = true;
  r.groups = run_bench(backend, r.plan, hooks);
  return r;
}

TEST(BenchReport, TelemetryIsInEveryForm) {
  const Reported r = metered({"power cap", "temperature"});
  for (const u32 width : {80u, 100u, 120u}) {
    const std::string table = group_table(r.groups[0], r.plan, width);
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    std::string one_line = table;
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    EXPECT_NE(one_line.find("clock 1,980 MHz (low 1,755), memory 3,201 MHz, 512 W, 61 C; THROTTLED:"),
              std::string::npos)
        << table;
    test::expect_parts(table, {"nJ/item", "1.5e+07"});  // 300 J in 20 times 1000 items
  }
  const Json j = json_of(r);
  const Json& row = j["results"][1];
  EXPECT_EQ(row["telemetry"]["clock_low_mhz"], 1755.0);
  EXPECT_EQ(row["telemetry"]["throttling"], (Json{"power cap", "temperature"}));
  EXPECT_DOUBLE_EQ(row["energy_per_item_j"], 300.0 / 20000);
  EXPECT_EQ(row["energy_run"]["times"], 20);
  EXPECT_TRUE(j["results"][2]["telemetry"].is_null());
  EXPECT_TRUE(j["results"][2]["energy_per_item_j"].is_null());
  test::expect_parts(report_csv(r.groups),
                     {",1980,1755,3201,511.6,61,power cap; temperature,0.015,,1,,,1,,,0.96875,1,false,,,,,\n",
                      ",\"no, and again no\",,,3,,,work,fp32,,,,,,,,,,,,,1,,,,,,,,,,\n"});
}

TEST(BenchReport, SaysHowManyRanksShareARow) {
  for (const char* name : {"cuda", "cpu"}) {
    test::FakeBackend backend;
    backend.about.name = name, backend.about.ranks = 2;
    MeterReading reading;
    reading.seconds = 1, reading.clock_mhz = 1980;
    backend.reading = reading;
    std::string unused;
    const auto meter = backend.make_meter(unused);
    BenchHooks hooks;
    hooks.meter = meter.get();
    Reported r;
    r.plan.parts = {{{}, BenchKernel::gravity, {4096}, {"bb", "lambda"}}, {{}, BenchKernel::dummy, {100}, {"bb"}}};
    r.plan.samples = 1, r.plan.warmup_ms = 0;
    r.groups = run_bench(backend, r.plan, hooks);
    const Json rows = json_of(r)["results"];
    EXPECT_EQ(rows[1]["ranks"], 2);
    EXPECT_EQ(rows[2]["ranks"], 1) << "dummy is not shared";
    const std::string table = group_table(r.groups[0], r.plan, 100), alone = group_table(r.groups[1], r.plan, 100);
    const std::string words =
        std::string(", fast sums, 2 ") + (std::string(name) == "cuda" ? "devices" : "ranks") + ": ";
    test::expect_parts(table, {words, "the first device: clock 1,980 MHz"});
    EXPECT_EQ(alone.find("2 "), std::string::npos) << alone;
    EXPECT_EQ(alone.find("first device"), std::string::npos) << alone;
    std::string last;
    std::istringstream lines(report_csv(r.groups));
    std::getline(lines, last);
    EXPECT_TRUE(
        last.ends_with(",ranks,law,pairs,confidence,together,above_bound,load_others,load_cores,near,series,error"))
        << last;
    std::getline(lines, last);
    EXPECT_TRUE(last.ends_with(",2,,all,,,false,,,,,")) << last;
  }
}

/// 1.88 here and 1.87 there are two figures for who reads them.
TEST(BenchReport, ABoundIsWrittenAsTheRatiosBesideIt) {
  Reported r = reported(BenchKernel::edm, 7);
  for (const double bound : {1.875, 133.64, 0.0124}) {
    r.groups[0].rows[1].bound = bound, r.groups[0].rows[1].above_bound = true;
    const std::string table = group_table(r.groups[0], r.plan, 200);
    EXPECT_NE(table.find(fmt::format(" {} ", ratio_text(bound))), std::string::npos) << table;
    EXPECT_NE(table.find(fmt::format("({})", ratio_text(bound))), std::string::npos) << table;
  }
}

TEST(BenchReport, WithoutMetersTheReasonIsGivenOnce) {
  const Reported r = reported(BenchKernel::edm, 7);
  RunConfig config;
  BenchMeta meta = bench_meta(config, {"cuda", "card", "", "driver for CUDA 13.0"});
  meta.no_meter = "NVML is missing";
  const Json j = Json::parse(report_json(meta, r.plan, r.groups));
  EXPECT_EQ(j["meta"]["no_telemetry"], "NVML is missing");
  EXPECT_NE(j["meta"]["driver"].get<std::string>().find("driver for CUDA 13.0"), std::string::npos);
  EXPECT_TRUE(j["meta"]["clocks"].is_null());
  EXPECT_TRUE(j["results"][0]["telemetry"].is_null());
  const Json with = Json::parse(report_json(bench_meta(config, {"cuda", "card", ""}), r.plan, metered({}).groups));
  EXPECT_EQ(with["meta"]["clocks"]["mhz"], 1980.0);
  EXPECT_EQ(with["meta"]["clocks"]["low_mhz"], 1755.0);
  EXPECT_EQ(telemetry_text({}), "");
}

TEST(BenchCsv, EveryLineHasAllColumns) {
  std::istringstream lines(report_csv(reported(BenchKernel::edm, 7).groups));
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    // The reason for the skipped row contains no comma, so commas can be counted.
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 53) << line;
  }
  EXPECT_EQ(rows, 4u);
}

TEST(BenchTable, FitsTheTerminalAndShowsTheMainFigures) {
  for (const u32 width : {80u, 100u, 120u}) {
    const Reported r = reported(BenchKernel::gravity, 7);
    const std::string table = group_table(r.groups[0], r.plan, width);
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    test::expect_parts(table, {"2.00 [2.00, 2.00]", "skipped: --map utm is exact", "ok 1.0e-07"});
    EXPECT_EQ(table.find("launched") != std::string::npos, width >= 100) << table;
  }
}

TEST(BenchTable, NoDifferenceAndFailure) {
  test::FakeBackend backend;
  backend.scripts["lambda"].passes = false;
  BenchPlan plan;
  plan.parts = {{{}, BenchKernel::gravity, {512}, {"bb", "lambda", "fold"}}};
  plan.samples = 6, plan.warmup_ms = 0;
  const auto groups = run_bench(backend, plan, {});
  test::expect_parts(group_table(groups[0], plan, 100), {"no difference [1.00, 1.00]", "FAILED"});
}

// A bench against an older report, in cases whose answer is known.

using Json = nlohmann::ordered_json;

/// 11 times around `ms`, from 0.98 to 1.02 of it. The interval of the median is that of the second and the tenth.
std::vector<double> times_around(double ms) {
  std::vector<double> times;
  for (int i = -5; i <= 5; ++i) times.push_back(ms * (1 + 0.004 * i));
  return times;
}

Json row_of(const std::string& kernel, const std::string& map, int n, const std::vector<double>& times) {
  return {{"kernel", kernel},   {"map", map},         {"n", n}, {"samples_ms", times}, {"check", {{"passed", true}}},
          {"skipped", nullptr}, {"precision", "fp32"}};
}

Json skipped_row_of(const std::string& kernel, const std::string& map, int n) {
  Json row = row_of(kernel, map, n, {});
  row["check"] = nullptr, row["skipped"] = "no memory for it.";
  return row;
}

std::string report_of(std::vector<Json> rows, const std::string& device = "a card",
                      const std::string& version = "0.1.0") {
  Json j = {{"schema", 1}};
  j["meta"] = {{"version", version},
               {"device", device},
               {"backend", "cuda"},
               {"utc", "2026-01-01T00:00:00Z"},
               {"argv", {"triangulum", "bench", "--kernel", "edm"}},
               {"clocks", {{"mhz", 1980}}}};
  j["results"] = Json::array();
  for (Json& row : rows) j["results"].push_back(std::move(row));
  return j.dump();
}

Verdict verdict(double before, double now, double threshold = 1.05) {
  return verdict_of(time_ratio(times_around(before), times_around(now)), threshold);
}

TEST(Compare, TheRatioIsThatOfTheMediansAndItsIntervalThatOfBoth) {
  const TimeRatio r = time_ratio(times_around(2), times_around(3));
  EXPECT_DOUBLE_EQ(r.ratio, 1.5);
  // l = 2 of 11: each covers 1 - 2 (1 + 11) / 2^11, from 1 - 0.016 to 1 + 0.016.
  EXPECT_NEAR(r.interval.low, 1.5 * 0.984 / 1.016, 1e-12);
  EXPECT_NEAR(r.interval.high, 1.5 * 1.016 / 0.984, 1e-12);
  EXPECT_NEAR(r.interval.confidence, 1 - 4.0 * 12 / 2048, 1e-9);
}

TEST(Compare, EqualSlowerAndFaster) {
  EXPECT_EQ(verdict(1, 1), Verdict::same);
  EXPECT_EQ(verdict(1, 1.2), Verdict::slower);
  EXPECT_EQ(verdict(1.2, 1), Verdict::faster);
}

TEST(Compare, TheThresholdAllowsAsMuch) {
  EXPECT_EQ(verdict(1, 1.04), Verdict::same) << "its interval is above 1, the ratio within 1.05";
  EXPECT_EQ(verdict(1, 1.04, 1.03), Verdict::slower);
  EXPECT_EQ(verdict(1.04, 1, 1.03), Verdict::faster);
  EXPECT_EQ(verdict(1, 1.2, 1.25), Verdict::same);
  EXPECT_EQ(verdict(1, 1.02, 1), Verdict::same) << "an interval that contains 1 decides, whatever the threshold";
}

TEST(Compare, FewSamplesDecideNothing) {
  const std::vector<double> five{1, 1, 1, 1, 1}, six{1, 1, 1, 1, 1, 1};
  EXPECT_EQ(verdict_of(time_ratio(five, std::vector<double>(5, 3.0)), 1.05), Verdict::few);
  EXPECT_EQ(verdict_of(time_ratio(six, std::vector<double>(6, 3.0)), 1.05), Verdict::slower);
  EXPECT_EQ(verdict_of(time_ratio(std::vector<double>{1}, std::vector<double>{9}), 1.05), Verdict::few);
}

TEST(Compare, RowsAreFoundByAllTheirAxes) {
  Json fp64 = row_of("edm", "lambda", 1024, times_around(4));
  fp64["precision"] = "fp64";
  const std::string before = report_of({row_of("edm", "lambda", 1024, times_around(1)), fp64});
  const std::string now = report_of({fp64, row_of("edm", "lambda", 1024, times_around(2))});
  const Comparison c = compare_reports("old.json", before, now, 1.05);
  ASSERT_EQ(c.rows.size(), 2u);
  EXPECT_EQ(c.rows[0].verdict, Verdict::same);
  EXPECT_EQ(c.rows[0].name, "edm, n = 1024, fp64");
  EXPECT_EQ(c.rows[1].verdict, Verdict::slower);
  EXPECT_DOUBLE_EQ(c.rows[1].ratio->ratio, 2);
  EXPECT_TRUE(c.any(Verdict::slower));
  EXPECT_FALSE(c.any(Verdict::faster));
  EXPECT_FALSE(c.other_device);
}

TEST(Compare, TypedLawsAreRowsOfTheirOwn) {
  Json typed = row_of("gravity", "lambda", 1024, times_around(3));
  typed["law"] = "-1/r";
  const std::string both = report_of({row_of("gravity", "lambda", 1024, times_around(1)), typed});
  const Comparison c = compare_reports("old.json", both, report_of({typed}), 1.05);
  ASSERT_EQ(c.rows.size(), 2u);
  EXPECT_EQ(c.rows[0].verdict, Verdict::same);
  EXPECT_EQ(c.rows[1].verdict, Verdict::gone);
}

TEST(Compare, MissingNewAndUntimedRowsAreTold) {
  Json wrong = row_of("edm", "fold", 1024, times_around(1));
  wrong["check"]["passed"] = false;
  const std::string before =
      report_of({row_of("edm", "bb", 1024, times_around(1)), row_of("edm", "rb", 1024, times_around(1)),
                 row_of("edm", "h", 1024, times_around(1)), skipped_row_of("edm", "utm", 1024), wrong});
  const std::string now = report_of({row_of("edm", "bb", 1024, times_around(1)), skipped_row_of("edm", "h", 1024),
                                     skipped_row_of("edm", "utm", 1024), row_of("edm", "fold", 1024, times_around(1)),
                                     row_of("edm", "rec", 1024, times_around(1))});
  const Comparison c = compare_reports("old.json", before, now, 1.05);
  std::map<std::string, Verdict> found;
  for (const ComparedRow& row : c.rows) found[row.map] = row.verdict;
  const std::map<std::string, Verdict> expected = {{"bb", Verdict::same},   {"h", Verdict::untimed},
                                                   {"utm", Verdict::same},  {"fold", Verdict::untimed},
                                                   {"rec", Verdict::fresh}, {"rb", Verdict::gone}};
  EXPECT_EQ(found, expected);
  EXPECT_FALSE(c.any(Verdict::slower));
  const std::string text = comparison_text(c, 120);
  for (const char* words :
       {"not timed (now: skipped: no memory for it.)", "not timed (before: its check failed)",
        "gone: edm, n = 1024 on rb\n", "new: edm, n = 1024 on rec\n", "2 of 6 rows did not change: by 5 % at most",
        "cover 97.7 %", "old.json: triangulum 0.1.0 of 2026-01-01"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  }
}

TEST(Compare, AProgramFindsTheSame) {
  const std::string before = report_of({row_of("edm", "bb", 1024, times_around(1)), row_of("edm", "h", 1024, {1.0}),
                                        row_of("edm", "rb", 1024, times_around(2))});
  const std::string now = report_of({row_of("edm", "bb", 1024, times_around(2)), row_of("edm", "h", 1024, {1.0}),
                                     row_of("edm", "rec", 1024, times_around(3)), skipped_row_of("edm", "utm", 1024)},
                                    "another \"card\"");
  const Comparison c = compare_reports("a \"file\".json", before, now, 1.1);
  const Json j = Json::parse(comparison_json(c));
  const Json head = {{"file", "a \"file\".json"}, {"version", "0.1.0"},   {"utc", "2026-01-01T00:00:00Z"},
                     {"device", "a card"},        {"other_device", true}, {"differences", Json::array()},
                     {"threshold", 1.1},          {"slower", true}};
  for (const auto& [key, value] : head.items()) EXPECT_EQ(j[key], value) << key;
  ASSERT_EQ(j["rows"].size(), c.rows.size());
  const Json slower = {{"what", "edm, n = 1024"},
                       {"map", "bb"},
                       {"before_ms", 1.0},
                       {"now_ms", 2.0},
                       {"ratio", c.rows[0].ratio->ratio},
                       {"ratio_low", c.rows[0].ratio->interval.low},
                       {"ratio_high", c.rows[0].ratio->interval.high},
                       {"confidence", c.rows[0].ratio->interval.confidence},
                       {"verdict", "slower"},
                       {"reason", nullptr}};
  EXPECT_EQ(j["rows"][0], slower);
  // One sample has a ratio and no interval.
  EXPECT_EQ(j["rows"][1]["verdict"], "few samples");
  EXPECT_EQ(j["rows"][1]["ratio"], 1);
  EXPECT_TRUE(j["rows"][1]["ratio_low"].is_null() && j["rows"][1]["confidence"].is_null());
  EXPECT_EQ(j["rows"][2]["verdict"], "new");
  EXPECT_TRUE(j["rows"][2]["before_ms"].is_null() && j["rows"][2]["ratio"].is_null());
  EXPECT_EQ(j["rows"][2]["now_ms"], 3.0);
  EXPECT_EQ(j["rows"][3]["reason"], "skipped: no memory for it.");
  EXPECT_EQ(j["rows"][4]["verdict"], "gone");
  EXPECT_EQ(j["rows"][4]["before_ms"], 2.0);
  EXPECT_TRUE(j["rows"][4]["now_ms"].is_null());
}

TEST(Compare, OtherDevicesAndSettingsAreTold) {
  const std::string before = report_of({row_of("edm", "bb", 1024, times_around(1))}, "a card");
  const std::string now = report_of({row_of("edm", "bb", 1024, times_around(2))}, "another card", "0.2.0");
  const Comparison c = compare_reports("old.json", before, now, 1.05);
  EXPECT_TRUE(c.other_device);
  EXPECT_EQ(c.rows[0].verdict, Verdict::slower);
  test::expect_parts(comparison_text(c, 100), {"These are different devices", "version 0.1.0, now 0.2.0"});
}

TEST(Compare, ReportsWithoutACommonRowAreRefusedWithTheCommand) {
  const std::string before = report_of({row_of("edm", "bb", 1024, times_around(1))});
  const std::string now = report_of({row_of("edm", "bb", 2048, times_around(1))});
  try {
    compare_reports("old.json", before, now, 1.05);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("triangulum bench --kernel edm"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("a card"), std::string::npos) << error.what();
  }
}

TEST(Compare, FilesThatAreNoReportsAreRefused) {
  const std::string now = report_of({row_of("edm", "bb", 1024, times_around(1))});
  for (const char* text : {"", "[]", "{}", R"({"schema": 2, "results": []})", R"({"schema": 1})",
                           R"({"schema": 1, "results": [3]})", R"({"schema": 1, "results": [{"kernel": "edm"}]})"}) {
    EXPECT_THROW(compare_reports("old.json", text, now, 1.05), FileError) << text;
  }
  // Odd values are no times.
  const std::string odd = R"({"schema": 1, "meta": 3, "results": [{"kernel": "edm", "map": "bb", "n": 1024,
    "precision": "fp32", "check": {"passed": true}, "samples_ms": [-1, "x", null], "median_ms": []}]})";
  EXPECT_EQ(compare_reports("old.json", odd, now, 1.05).rows[0].verdict, Verdict::untimed);
}

}  // namespace
}  // namespace tri::app
