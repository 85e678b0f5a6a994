// A bench against an older report, in cases whose answer is known.

#include "app/bench/compare.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "sim/base/error.hpp"

namespace tri::app {
namespace {

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
  const std::string text = comparison_text(c, 100);
  EXPECT_NE(text.find("These are different devices"), std::string::npos) << text;
  EXPECT_NE(text.find("version 0.1.0, now 0.2.0"), std::string::npos) << text;
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
