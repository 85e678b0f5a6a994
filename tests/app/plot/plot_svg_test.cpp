// Written figures: well-formed SVG, correct positions, no overlapping text.

#include "app/plot/plot_svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <sstream>

#include "app/plot/plot_canvas.hpp"
#include "app/plot/plot_style.hpp"
#include "sim/base/error.hpp"
#include "tests/app/plot/plot_results.hpp"
#include "tests/app/plot/plot_xml.hpp"

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

}  // namespace
}  // namespace tri::app
