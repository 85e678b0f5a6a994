// Reports of devices as pages: what stands on them, in words and in places.

#include "app/plot/report_page.hpp"

#include <gtest/gtest.h>

#include "app/plot/plot_svg.hpp"
#include "sim/base/error.hpp"
#include "tests/app/plot/plot_results.hpp"
#include "tests/app/plot/plot_xml.hpp"

namespace tri::app {
namespace {

using test::Element;
using test::Json;
using test::Xml;

Json with_floor(Json row, const char* by, double share) {
  const double ms = row["median_ms"];
  row["floor"] = {{"by", by}, {"ms", share * ms}, {"share", share}};
  return row;
}

Json floors() {
  return {{"arithmetic", {{"per_s", 3.05e13}, {"how", "multiply-adds"}}},
          {"memory", {{"per_s", 4.5e12}, {"how", "stores"}}},
          {"launches", {{"per_s", 1.66e9}, {"how", "empty blocks"}}}};
}

/// gravity at n on bb (25 % of arithmetic) and lambda (50 %), utm skipped; edm on bb (80 % of memory).
Json report(const std::string& device = "a card", int n = 4096) {
  Json d = test::document({with_floor(test::timed_row("gravity", "bb", n, 4, 1), "arithmetic", 0.25),
                           with_floor(test::timed_row("gravity", "lambda", n, 2, 2), "arithmetic", 0.5),
                           test::skipped_row("gravity", "utm", n, "too large for it."),
                           with_floor(test::timed_row("edm", "bb", 1024, 1, 1), "memory", 0.8)},
                          device);
  d["meta"]["floors"] = floors();
  d["meta"]["clocks"] = {{"mhz", 1980.0}, {"low_mhz", 1755.0}};
  d["meta"]["detail"] = "sm_90";
  return d;
}

PlotData reports_of(const std::vector<Json>& documents) {
  PlotData data;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    add_document(data, "file" + std::to_string(i) + ".json", documents[i].dump());
  }
  return data;
}

Xml page(const std::vector<Json>& documents, PlotOptions options = {}) {
  return Xml(plot_svg(reports_of(documents), options));
}

/// The middle of a mark: of a circle, or of the box of a polygon.
double middle_of(const Xml& svg, const std::string& group) {
  for (const Element& e : svg.elements) {
    if (e.group != group) continue;
    if (e.name == "circle") return e.number("cx");
    if (e.name != "polygon") continue;
    std::istringstream words(e.attributes.at("points"));
    double least = 1e9, most = -1e9;
    for (std::string word; words >> word;)
      least = std::min(least, std::stod(word)), most = std::max(most, std::stod(word));
    return (least + most) / 2;
  }
  ADD_FAILURE() << "no mark in '" << group << "'";
  return 0;
}

TEST(Report, OnlyDocumentsWithFloorsAreReports) {
  EXPECT_TRUE(is_report(reports_of({report()})));
  EXPECT_FALSE(is_report(reports_of({report(), test::simple_document()})));
  EXPECT_FALSE(is_report(PlotData{}));
  PlotOptions options;
  options.kind = PlotKind::report;
  EXPECT_THROW(page({test::simple_document()}, options), ConfigError);
  options.kind = PlotKind::both;
  page({report()}, options).text("time (ms)");
}

TEST(Report, APageHasFloorsSharesTimesChecksClocksAndTheCommand) {
  const Xml svg = page({report()});
  svg.text("a card");
  svg.text("sm_90; 1.2; clock 1,980 MHz (low 1,755); triangulum 0.1.0+abc; 2026-01-31T12:34:56Z");
  svg.text("arithmetic: 30.50 T/s  (multiply-adds)");
  svg.text("memory: 4.500 TB/s  (stores)");
  svg.text("launches: 1.660 G/s  (empty blocks)");
  for (const char* words :
       {"gravity, n = 4,096", "edm, n = 1,024", "% of arithmetic", "% of memory", "lambda", "50 %", "25 %", "80 %",
        "2.00 ms", "4.00 ms", "2.00", "exact", "over bb", "Made by: triangulum bench --n 2^10:2^12",
        "Not timed: gravity on utm: too large for it."}) {
    svg.text(words);
  }
}

TEST(Report, MarksStandAtTheirShares) {
  const Xml svg = page({report()});
  const double zero = svg.text("0").number("x"), whole = svg.text("100").number("x");
  ASSERT_GT(whole - zero, 30);
  EXPECT_NEAR(middle_of(svg, "bb: 25 % of arithmetic (4.00 ms)"), zero + 0.25 * (whole - zero), 0.1);
  EXPECT_NEAR(middle_of(svg, "lambda: 50 % of arithmetic (2.00 ms)"), zero + 0.5 * (whole - zero), 0.1);
}

TEST(Report, WhatDoesNotDifferHasASign) {
  Json d = report();
  d["results"][1]["improvement_low"] = 0.9;
  const Xml svg = page({d});
  svg.text("=");
  svg.text("A sign = means no difference from bb: the interval of the ratios contains 1.");
  for (const Element& e : svg.all("text")) EXPECT_NE(e.text, "2.00");
}

TEST(Report, BarsReachFromQuartileToQuartile) {
  // Times 0.9 and 1.1 of the median: shares of 50 % over those.
  const Xml svg = page({report()});
  const double zero = svg.text("0").number("x"), whole = svg.text("100").number("x");
  const auto bars = svg.all("line", "lambda: 50 % of arithmetic (2.00 ms)");
  ASSERT_EQ(bars.size(), 1u);
  EXPECT_NEAR(bars[0].number("x1"), zero + 0.5 / 1.1 * (whole - zero), 0.1);
  EXPECT_NEAR(bars[0].number("x2"), zero + 0.5 / 0.9 * (whole - zero), 0.1);
}

TEST(Report, AFailedCheckHasNoFigures) {
  Json d = report();
  d["results"][1]["check"]["passed"] = false;
  const Xml svg = page({d});
  svg.text("FAILED");
  for (const Element& e : svg.all("text")) EXPECT_NE(e.text, "50 %");
}

TEST(Report, SeveralReportsShareTheirPanels) {
  Json other = report("another card", 65536);
  other["results"][0]["floor"]["share"] = 0.75;
  const Xml svg = page({report(), other});
  svg.text("2 reports of devices");
  svg.text("gravity, n = 4,096 / 65,536");
  svg.text("arithmetic: (1) 30.50 T/s,  (2) 30.50 T/s");
  svg.text("Made (2) by: triangulum bench --n 2^10:2^12");
  EXPECT_GT(middle_of(svg, "0.1.0+abc on another card, bb: 75 % of arithmetic (4.00 ms)"),
            middle_of(svg, "0.1.0+abc on a card, bb: 25 % of arithmetic (4.00 ms)"));
}

TEST(Report, SeveralSizesOfAReportHavePanelsOfTheirOwn) {
  Json d = report();
  d["results"].push_back(with_floor(test::timed_row("gravity", "bb", 8192, 8, 1), "arithmetic", 0.3));
  const auto panels = report_panels(reports_of({d}), {});
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].title, "gravity, n = 4,096");
  EXPECT_EQ(panels[1].title, "gravity, n = 8,192");
  EXPECT_EQ(panels[2].title, "edm, n = 1,024");
}

TEST(Report, KernelsAndMapsCanBeChosen) {
  PlotOptions options;
  options.kernels = {"gravity"}, options.maps = {"lambda"};
  const auto panels = report_panels(reports_of({report()}), options);
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].maps, std::vector<std::string>{"lambda"});
  options.maps = {"lambada"};
  EXPECT_THROW(report_panels(reports_of({report()}), options), ConfigError);
}

TEST(Report, NothingIsOutsideThePageAndNoTextOverlaps) {
  std::vector<Json> rows;
  for (const char* kernel : {"dummy", "edm", "collision", "gravity", "dummy3"}) {
    int i = 1;
    for (const char* map : {"bb", "lambda", "lambda-grouped", "lambda-longest", "lambda-stream", "utm-block"}) {
      rows.push_back(with_floor(test::timed_row(kernel, map, 65536, 1234.0 / i, i), "arithmetic", 0.003 * i * i * i)),
          ++i;
    }
  }
  Json wide =
      test::document(rows, "A processor with a name that is long enough to be wrapped on narrow pages @ 2.40 GHz");
  wide["meta"]["floors"] = floors();
  Json other = wide;
  other["meta"]["device"] = "another";
  for (const u32 width : {85u, 180u, 297u}) {
    PlotOptions options;
    options.width_mm = width;
    test::expect_readable(page({wide}, options), width);
    test::expect_readable(page({wide, other}, options), width);
    test::expect_readable(page({report()}, options), width);
  }
}

TEST(Report, AWebPageNeedsNothingElse) {
  Json other = report("<another> card");
  const std::string html = report_html(reports_of({report(), other}), {});
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  for (const char* word : {"<script", "src=", "href=", "@import", "url(http", "<?xml"}) {
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  }
  for (const char* word :
       {"<svg ", "&lt;another&gt; card", "50 % of arithmetic", "not timed: too large for it.", "2.00 [1.95, 2.05]",
        "<code>triangulum bench --n 2^10:2^12</code>", "30.50 T/s", "1,980 MHz (low 1,755)", "exact"}) {
    EXPECT_NE(html.find(word), std::string::npos) << word;
  }
}

TEST(Report, ThrottledDevicesAreTold) {
  Json d = report();
  d["results"][0]["telemetry"] = {{"throttling", {"power cap"}}};
  page({d}).text("0.1.0+abc on a card was throttled: power cap.");
}

TEST(Report, DamagedFloorsAreLeftOut) {
  Json d = report();
  d["meta"]["floors"]["memory"] = "fast";
  d["results"][0]["floor"] = {{"by", 3}, {"ms", -1}, {"share", "x"}};
  d["results"][1]["telemetry"] = {{"throttling", {1, 2}}};
  d["meta"]["clocks"] = 7;
  const PlotData data = reports_of({d});
  EXPECT_EQ(data.sources[0].floors.size(), 2u);
  EXPECT_FALSE(data.results[0].floor);
  EXPECT_TRUE(data.results[1].throttling.empty());
}

}  // namespace
}  // namespace tri::app
