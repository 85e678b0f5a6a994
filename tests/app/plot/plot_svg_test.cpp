// Written figures: well-formed SVG, correct positions, no overlapping text.

#include <cmath>

#include <zlib.h>

#include "app/plot/picture.hpp"
#include "app/plot/plot.hpp"
#include "sim/base/error.hpp"
#include "tests/app/plot/plot_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::app {
namespace {

using test::Element;
using test::Json;
using test::Xml;

std::vector<Place> points_of(const Element& e) {
  std::vector<Place> points;
  std::istringstream words(e.attributes.at("points"));
  for (std::string word; words >> word;)
    points.push_back({std::stod(word), std::stod(word.substr(word.find(',') + 1))});
  return points;
}

Xml svg_of(const std::vector<Json>& documents, const PlotOptions& options = {}) {
  PlotData data;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    add_document(data, "file" + std::to_string(i) + ".json", documents[i].dump());
  }
  return Xml(plot_svg(data, options));
}

PlotOptions kind(PlotKind k) {
  PlotOptions options;
  options.kind = k;
  return options;
}

constexpr double kNear = 0.011;  // positions are written in hundredths

TEST(PlotSvg, PointsAgreeWithTheTicks) {
  const Xml svg = svg_of({test::simple_document()}, kind(PlotKind::time));
  const auto lines = svg.all("polyline", "bb");
  ASSERT_EQ(lines.size(), 1u);
  const auto points = points_of(lines[0]);
  ASSERT_EQ(points.size(), 3u);
  // n = 1024, 2048, 4096 on labelled powers of two.
  EXPECT_NEAR(points[0].x, svg.text("1,024").number("x"), kNear);
  EXPECT_NEAR(points[1].x, svg.text("2,048").number("x"), kNear);
  EXPECT_NEAR(points[2].x, svg.text("4,096").number("x"), kNear);
  // T = 1, 4, 16 ms: equal steps on a logarithmic axis. Baselines of labels are 0.35 of their size below the tick.
  const auto tick = [&](const char* label) { return svg.text(label).number("y") - 0.35 * 7; };
  EXPECT_NEAR(points[0].y, tick("1"), kNear);
  const double decade = (tick("1") - tick("10"));
  EXPECT_GT(decade, 20);
  EXPECT_NEAR(points[1].y, tick("1") - decade * std::log10(4), 2 * kNear);
  EXPECT_NEAR(points[2].y, tick("1") - decade * std::log10(16), 2 * kNear);
}

TEST(PlotSvg, TheBoundFollowsItsFormula) {
  const Xml svg = svg_of({test::simple_document()}, kind(PlotKind::improvement));
  const auto lines = svg.all("polyline", "bound by launched blocks");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].attributes.at("stroke-dasharray"), "");
  const auto points = points_of(lines[0]);
  ASSERT_EQ(points.size(), 3u);
  const double one = svg.text("1.0").number("y"), two = svg.text("2.0").number("y");
  for (std::size_t i = 0; i < 3; ++i) {
    const double side = std::exp2(6 + static_cast<double>(i));
    const double value = 2 * side / (side + 1);
    EXPECT_NEAR(points[i].y, one + (two - one) * (value - 1) - 0.35 * 7, 2 * kNear);
  }
  svg.text("bound by launched blocks, 2B/(B + 1) with B blocks a side");
}

TEST(PlotSvg, BandsReachFromQuartileToQuartile) {
  const Xml svg = svg_of({test::simple_document()}, kind(PlotKind::improvement));
  std::vector<Element> bands;
  for (const Element& e : svg.all("polygon")) {
    if (e.attributes.count("fill-opacity")) bands.push_back(e);
  }
  ASSERT_EQ(bands.size(), 2u);
  const auto points = points_of(bands[1]);
  ASSERT_EQ(points.size(), 6u);
  const double one = svg.text("1.0").number("y"), two = svg.text("2.0").number("y");
  EXPECT_NEAR(points[0].y, one + (two - one) * 1.05 - 0.35 * 7, 2 * kNear);  // 2.05
  EXPECT_NEAR(points[5].y, one + (two - one) * 0.95 - 0.35 * 7, 2 * kNear);  // 1.95
  EXPECT_NEAR(points[0].x, points[5].x, kNear);
}

TEST(PlotSvg, SkippedRowsAreGapsAndFailedOnesCrosses) {
  Json d = test::simple_document();
  for (const int n : {8192, 16384}) {
    for (const char* map : {"bb", "lambda"}) d["results"].push_back(test::timed_row("dummy", map, n, 64, 1));
  }
  d["results"][5] = test::skipped_row("dummy", "lambda", 4096, "no.");
  Xml svg = svg_of({d}, kind(PlotKind::time));
  EXPECT_EQ(points_of(svg.all("polyline", "bb").at(0)).size(), 5u);
  ASSERT_EQ(svg.all("polyline", "lambda").size(), 2u);
  EXPECT_EQ(points_of(svg.all("polyline", "lambda")[0]).size(), 2u);
  EXPECT_EQ(svg.all("line", "lambda: its check failed").size(), 0u);

  d["results"][5] = test::timed_row("dummy", "lambda", 4096, 8, 2);
  d["results"][5]["check"]["passed"] = false;
  svg = svg_of({d}, kind(PlotKind::time));
  ASSERT_EQ(svg.all("polyline", "lambda").size(), 2u);
  for (const Element& part : svg.all("polyline", "lambda")) EXPECT_EQ(points_of(part).size(), 2u);
  const auto cross = svg.all("line", "lambda: its check failed");
  ASSERT_EQ(cross.size(), 2u);
  EXPECT_NEAR((cross[0].number("x1") + cross[0].number("x2")) / 2, svg.text("4,096").number("x"), 2 * kNear);
  svg.text("check failed");
}

TEST(PlotSvg, OneSizeIsAChartOfDots) {
  const Json d =
      test::document({test::timed_row("dummy", "bb", 1000, 4, 1), test::timed_row("dummy", "lambda", 1000, 2, 2),
                      test::timed_row("dummy", "fold", 1000, 1, 4)});
  const Xml svg = svg_of({d}, kind(PlotKind::time));
  EXPECT_TRUE(svg.all("polyline").empty());
  EXPECT_NEAR(svg.all("circle", "bb").at(0).number("cx"), svg.text("4.0").number("x"), kNear);
  EXPECT_LT(svg.text("bb").number("y"), svg.text("lambda").number("y"));
  EXPECT_LT(svg.text("lambda").number("y"), svg.text("fold").number("y"));
  svg.text("4.00"), svg.text("2.00"), svg.text("1.00");
  svg.text("dummy, n = 1,000, block 16");
  const auto bar = svg.all("line", "bb").at(0);  // quartiles 3.6 and 4.4 on an axis from 0
  const double zero = svg.text("0").number("x"), four = svg.text("4.0").number("x");
  EXPECT_NEAR(bar.number("x1"), zero + 0.9 * (four - zero), kNear);
  EXPECT_NEAR(bar.number("x2"), zero + 1.1 * (four - zero), kNear);
}

TEST(PlotSvg, RatesHaveTheirUnit) {
  Json d = test::simple_document();
  svg_of({d}, kind(PlotKind::rate)).text("rate (G items/s)");
  for (Json& row : d["results"]) row["bytes_per_s"] = 3e12;
  const Xml svg = svg_of({d}, kind(PlotKind::rate));
  svg.text("rate (TB/s)");
  EXPECT_NEAR(points_of(svg.all("polyline", "bb").at(0))[0].y, svg.text("3.0").number("y") - 0.35 * 7, kNear);
}

TEST(PlotSvg, TextIsEscaped) {
  Json d = test::simple_document();
  d["meta"]["device"] = "<GPU> & \"Co\"\x01 ünïcode";
  d["meta"]["argv"] = {"/a b/tri", "--map", "it's <&>", std::string(500, 'x')};
  for (Json& row : d["results"]) {
    if (row["map"] == "lambda") row["map"] = "</svg>&amp;";
  }
  const Xml svg = svg_of({d});
  svg.text("<GPU> & \"Co\"  ünïcode, driver 1.2; triangulum 0.1.0+abc; 2026-01-31");
  svg.text("</svg>&amp;");
  EXPECT_EQ(escaped("a<b>&\"c\n\x7f"), "a&lt;b&gt;&amp;&quot;c  ");
}

/// 16 maps at 30 sizes in facets for 4 kernels, the size of a preset.
Json large_document() {
  std::vector<Json> rows;
  const char* maps[] = {
      "bb", "lambda", "lambda-x", "lambda-n", "lambda-r",  "lambda-lut", "lambda-stream",  "fold",
      "rb", "rec",    "h",        "utm",      "utm-block", "circulant",  "lambda-grouped", "lambda-longest"};
  for (const char* kernel : {"dummy", "edm", "collision", "gravity"}) {
    for (int n = 1024; n <= 30720; n += 1024) {
      double i = 1;
      for (const char* map : maps) rows.push_back(test::timed_row(kernel, map, n, n * 1e-3 * n / i, i)), i += 0.6;
    }
  }
  return test::document(std::move(rows));
}

TEST(PlotSvg, NothingIsOutsideThePageAndNoTextOverlaps) {
  const Json large = large_document(), small = test::simple_document();
  for (const Json& document : {large, small}) {
    for (const u32 width : {60u, 85u, 180u, 400u}) {
      for (const PlotKind k : {PlotKind::both, PlotKind::improvement}) {
        PlotOptions options = kind(k);
        options.width_mm = width;
        const Xml svg = svg_of({document}, options);
        test::expect_readable(svg, width);
      }
    }
  }
}

TEST(PlotStyle, AllStylesDiffer) {
  std::vector<std::string> maps;
  for (std::size_t i = 0; i < kStyles; ++i) maps.push_back("map" + std::to_string(i));
  const auto styles = series_styles(maps);
  for (std::size_t i = 0; i < styles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const SeriesStyle &a = styles[i], &b = styles[j];
      EXPECT_TRUE(a.colour != b.colour || a.marker != b.marker || a.hollow != b.hollow) << i << " " << j;
      // In grey, and where a line shows no marker.
      if (i < 14) {
        EXPECT_TRUE(a.marker != b.marker || a.hollow != b.hollow) << i << " " << j;
        EXPECT_TRUE(a.dash != b.dash || a.colour != b.colour) << i << " " << j;
      }
    }
  }
  EXPECT_EQ(series_styles(std::vector<std::string>(50, "x")).size(), 50u);
}

TEST(PlotStyle, AMapHasTheSameStyleInEveryFigure) {
  const auto many = series_styles({"bb", "lambda", "fold", "circulant"}), few = series_styles({"circulant", "bb"});
  EXPECT_EQ(many[3].colour, few[0].colour);
  EXPECT_EQ(many[3].marker, few[0].marker);
  EXPECT_EQ(many[0].colour, few[1].colour);
}

TEST(PlotCanvas, PowersAreSuperscripts) {
  Canvas canvas;
  canvas.text({1, 2}, "5×10^-3 s", {}, true);
  canvas.text({1, 2}, "2^k", {});
  const Xml svg(canvas.document(10, 20, "t", "d"));
  const auto texts = svg.all("text");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[1].text, "2^k");
  ASSERT_EQ(svg.all("tspan").size(), 2u);
  EXPECT_EQ(svg.all("tspan")[0].text, "-3");
  EXPECT_EQ(svg.all("tspan")[1].text, " s");
  EXPECT_NEAR(svg.all("tspan")[0].number("dy"), -svg.all("tspan")[1].number("dy"), 1e-9);
}

// Reports of devices as pages: what stands on them, in words and in places.

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

Xml page(const std::vector<Json>& documents, PlotOptions options = {}) {
  return Xml(plot_svg(test::data_of(documents), options));
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
  EXPECT_TRUE(is_report(test::data_of({report()})));
  EXPECT_FALSE(is_report(test::data_of({report(), test::simple_document()})));
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
  const auto panels = report_panels(test::data_of({d}), {});
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0].title, "gravity, n = 4,096");
  EXPECT_EQ(panels[1].title, "gravity, n = 8,192");
  EXPECT_EQ(panels[2].title, "edm, n = 1,024");
}

TEST(Report, KernelsAndMapsCanBeChosen) {
  PlotOptions options;
  options.kernels = {"gravity"}, options.maps = {"lambda"};
  const auto panels = report_panels(test::data_of({report()}), options);
  ASSERT_EQ(panels.size(), 1u);
  EXPECT_EQ(panels[0].maps, std::vector<std::string>{"lambda"});
  options.maps = {"lambada"};
  EXPECT_THROW(report_panels(test::data_of({report()}), options), ConfigError);
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
  const std::string html = report_html(test::data_of({report(), other}), {});
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
  const PlotData data = test::data_of({d});
  EXPECT_EQ(data.sources[0].floors.size(), 2u);
  EXPECT_FALSE(data.results[0].floor);
  EXPECT_TRUE(data.results[1].throttling.empty());
}

// Figures as PNG and PDF.

/// 72 x 36 points, white, with a black square in its right half.
std::string figure() {
  Canvas canvas;
  canvas.rectangle({36, 0, 36, 36}, "#000000");
  return canvas.document(72, 36, "t", "d");
}

class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    if (const Availability there = pictures_available(); !there) GTEST_SKIP() << there.reason;
  }
};

u32 big_endian(const std::string& bytes, std::size_t at) {
  u32 value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

/// The bytes of the rows, each behind the number of its filter.
std::string rows_of_png(const std::string& png, std::size_t bytes) {
  std::string packed;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const u32 size = big_endian(png, at);
    if (png.compare(at + 4, 4, "IDAT") == 0) packed += png.substr(at + 8, size);
    at += 12 + size;
  }
  std::string rows(bytes, '\0');
  uLongf got = bytes;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &got, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  EXPECT_EQ(got, bytes);
  return rows;
}

TEST_F(Pictures, APngHasTheSizeAndTheColoursOfTheFigure) {
  const std::string png = png_of(figure(), "f.png");
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  ASSERT_EQ(png.substr(12, 4), "IHDR");
  const u32 width = big_endian(png, 16), height = big_endian(png, 20);
  EXPECT_EQ(width, 300u) << "an inch";
  EXPECT_EQ(height, 150u);
  ASSERT_EQ(png.at(24), 8) << "bits";
  ASSERT_EQ(png.at(25), 2) << "red, green, blue";
  const std::string rows = rows_of_png(png, height * (1 + 3 * std::size_t{width}));
  // The first row refers to no other: filter 0 as it is, 1 to its left, 2 above (nothing), 4 as 1 here.
  ASSERT_NE(rows[0], 3);
  std::string row = rows.substr(1, 3 * std::size_t{width});
  if (rows[0] == 1 || rows[0] == 4) {
    for (std::size_t i = 3; i < row.size(); ++i) row[i] = static_cast<char>(row[i] + row[i - 3]);
  }
  EXPECT_EQ(row.substr(0, 3), "\xff\xff\xff");
  EXPECT_EQ(row.substr(3 * 149, 3), "\xff\xff\xff");
  EXPECT_EQ(row.substr(3 * 150, 3), std::string(3, '\0'));
  EXPECT_EQ(row.substr(3 * 299, 3), std::string(3, '\0'));
}

TEST_F(Pictures, APdfHasOnePageOfTheFiguresSize) {
  const std::string pdf = pdf_of(figure(), "f.pdf");
  EXPECT_EQ(pdf.rfind("%PDF-1.", 0), 0u);
  tri::test::expect_parts(pdf, {"%%EOF", "/Count 1"});
  const std::size_t box = pdf.find("/MediaBox [ 0 0 ");
  ASSERT_NE(box, std::string::npos);
  EXPECT_EQ(pdf.find("/MediaBox", box + 1), std::string::npos) << "a second page";
  std::istringstream numbers(pdf.substr(box + 16, 40));
  double width = 0, height = 0;
  numbers >> width >> height;
  EXPECT_NEAR(width, 72, 0.01);
  EXPECT_NEAR(height, 36, 0.01);
}

TEST_F(Pictures, WhatCannotBeDrawnIsTold) {
  EXPECT_THROW(png_of("no figure", "f.png"), ConfigError);
  EXPECT_THROW(pdf_of("", "f.pdf"), ConfigError);
  EXPECT_THROW(png_of(Canvas().document(72 * 200, 72, "t", "d"), "f.png"), ConfigError) << "60,000 pixels";
}

}  // namespace
}  // namespace tri::app
