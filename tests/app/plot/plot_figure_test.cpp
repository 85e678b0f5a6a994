// Axes and figures of benches.
//
// Axes: round tick values, never more than requested, at exact positions.

#include <cmath>

#include "app/plot/plot.hpp"
#include "sim/base/error.hpp"
#include "tests/app/plot/plot_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::app {
namespace {

std::string labels(const Axis& axis) {
  std::string text;
  for (const Tick& t : axis.ticks) {
    if (!t.label.empty()) text += (text.empty() ? "" : " ") + t.label;
  }
  return text;
}

Axis axis(Scale scale, double low, double high, u32 most) { return make_axis(scale, {low, high, false}, most); }

TEST(PlotAxis, LinearLabels) {
  EXPECT_EQ(labels(axis(Scale::linear, 0, 1, 6)), "0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(labels(axis(Scale::linear, 0, 1, 11)), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0");
  EXPECT_EQ(labels(axis(Scale::linear, 0, 1, 5)), "0 0.5 1.0");
  EXPECT_EQ(labels(axis(Scale::linear, -3, 7, 4)), "0 5");
  EXPECT_EQ(labels(axis(Scale::linear, 0.97, 2.03, 6)), "1.0 1.2 1.4 1.6 1.8 2.0");
  EXPECT_EQ(labels(axis(Scale::linear, 0, 31000, 8)), "0 5,000 10,000 15,000 20,000 25,000 30,000");
  EXPECT_EQ(labels(axis(Scale::linear, 0, 4e9, 5)), "0 10^9 2×10^9 3×10^9 4×10^9");
  EXPECT_EQ(labels(axis(Scale::linear, -0.002, 0.002, 3)), "-0.002 0 0.002");
  EXPECT_EQ(labels(axis(Scale::linear, -4.9e-6, 4.9e-6, 4)), "-4×10^-6 0 4×10^-6") << "one label is no scale";
  EXPECT_EQ(labels(axis(Scale::linear, -4.5, 4.9, 4)), "-4 0 4");
}

TEST(PlotAxis, TicksOfTenthsAreExact) {
  const Axis a = axis(Scale::linear, 0, 1, 11);
  ASSERT_EQ(a.ticks.size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(a.ticks[i].value, static_cast<double>(i) / 10);
}

/// Invariants of every axis: enough ticks, not too many, ascending, in range.
void check_axis(const Axis& a, u32 most) {
  u32 labelled = 0;
  for (std::size_t i = 0; i < a.ticks.size(); ++i) {
    labelled += !a.ticks[i].label.empty();
    EXPECT_GE(a.at(a.ticks[i].value), -1e-9);
    EXPECT_LE(a.at(a.ticks[i].value), 1 + 1e-9);
    if (i > 0) {
      EXPECT_GT(a.ticks[i].value, a.ticks[i - 1].value);
    }
  }
  EXPECT_GE(labelled, 1u) << a.low << " " << a.high << " " << most;
  if (most >= 4) {
    EXPECT_GE(labelled, 2u) << a.low << " " << a.high << " " << most;
  }
  EXPECT_LE(labelled, most) << a.low << " " << a.high << " " << most;
}

TEST(PlotAxis, EveryRangeHasTicksAndNotTooMany) {
  u64 state = 12345;
  const auto random = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 11; };
  for (int i = 0; i < 3000; ++i) {
    const double low = std::pow(10.0, static_cast<double>(random() % 1000) / 100 - 5);
    const double high = low * (1.01 + static_cast<double>(random() % 1000) / (i % 2 ? 500 : 0.5));
    const u32 most = 2 + static_cast<u32>(random() % 10);
    for (const Scale scale : {Scale::linear, Scale::log2, Scale::log10}) check_axis(axis(scale, low, high, most), most);
    check_axis(axis(Scale::linear, -low, high, most), most);
  }
}

TEST(PlotAxis, StepsAreOneTwoFive) {
  for (double high = 1.1; high < 1e6; high *= 1.37) {
    const Axis a = axis(Scale::linear, 0, high, 6);
    ASSERT_GE(a.ticks.size(), 2u);
    const double step = a.ticks[1].value - a.ticks[0].value;
    const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::abs(mantissa - 1) < 1e-6 || std::abs(mantissa - 2) < 1e-6 || std::abs(mantissa - 5) < 1e-6)
        << step;
    // The next smaller step would have been too many.
    const double finer = mantissa < 1.5 ? step / 2 : mantissa < 3 ? step / 2 : step / 2.5;
    EXPECT_GT(std::floor(high / finer) + 1, 6) << high;
  }
}

TEST(PlotAxis, Decades) {
  const Axis a = axis(Scale::log10, 0.5, 2000, 8);
  EXPECT_EQ(labels(a), "1 10 100 1,000");
  EXPECT_EQ(a.ticks.size(), 34u);  // 0.5 to 0.9, 1 to 1000 in nines, 1000 and 2000
  EXPECT_DOUBLE_EQ(a.ticks[5].value, 1.0);
  EXPECT_EQ(a.ticks[4].label, "");
  EXPECT_EQ(labels(axis(Scale::log10, 1000, 30000, 8)), "1,000 2,000 5,000 10,000 20,000");
  EXPECT_EQ(labels(axis(Scale::log10, 1e-4, 1, 8)), "10^-4 10^-3 10^-2 10^-1 10^0");
  EXPECT_EQ(labels(axis(Scale::log10, 1, 1e9, 4)), "10^0 10^3 10^6 10^9");
  EXPECT_EQ(labels(axis(Scale::log10, 1.5e6, 6e6, 8)), "2×10^6 5×10^6");
  // The range contains fewer than two of 1, 2, 5: linear steps on the logarithmic scale.
  EXPECT_EQ(labels(axis(Scale::log10, 80, 160, 6)), "80 100 120 140 160");
}

TEST(PlotAxis, PowersOfTwo) {
  const Axis a = axis(Scale::log2, 1024, 65536, 8);
  EXPECT_EQ(labels(a), "1,024 2,048 4,096 8,192 16,384 32,768 65,536");
  for (std::size_t i = 0; i < a.ticks.size(); ++i) EXPECT_DOUBLE_EQ(a.at(a.ticks[i].value), static_cast<double>(i) / 6);
  EXPECT_EQ(labels(axis(Scale::log2, 1024, 65536, 4)), "1,024 4,096 16,384 65,536");
  EXPECT_EQ(axis(Scale::log2, 1024, 65536, 4).ticks.size(), 7u);
  EXPECT_EQ(labels(axis(Scale::log2, 1 << 10, 1 << 20, 6)), "2^10 2^12 2^14 2^16 2^18 2^20");
  EXPECT_EQ(labels(axis(Scale::log2, 0.24, 9, 8)), "0.25 0.5 1 2 4 8");
  EXPECT_EQ(labels(axis(Scale::log2, 1.1, 1.9, 6)), "1.2 1.4 1.6 1.8");
}

TEST(PlotAxis, Positions) {
  const Axis linear = axis(Scale::linear, -1, 3, 5), ten = axis(Scale::log10, 0.1, 1000, 5);
  EXPECT_DOUBLE_EQ(linear.at(-1), 0);
  EXPECT_DOUBLE_EQ(linear.at(0), 0.25);
  EXPECT_DOUBLE_EQ(linear.at(5), 1.5);
  EXPECT_NEAR(ten.at(1), 0.25, 1e-12);
  EXPECT_NEAR(ten.at(0.01), -0.25, 1e-12);
}

TEST(PlotAxis, WidenedByAFractionOfTheLength) {
  const Range linear = widened(Scale::linear, {2, 4, false}, 0.05);
  EXPECT_DOUBLE_EQ(linear.low, 1.9);
  EXPECT_DOUBLE_EQ(linear.high, 4.1);
  const Range ten = widened(Scale::log10, {1, 100, false}, 0.5);
  EXPECT_NEAR(ten.low, 0.1, 1e-12);
  EXPECT_NEAR(ten.high, 1000, 1e-9);
  for (const double one : {0.0, -3.0, 1e-9, 7e12}) {
    const Range r = widened(Scale::linear, {one, one, false}, 0);
    EXPECT_LT(r.low, one);
    EXPECT_GT(r.high, one);
  }
  const Range r = widened(Scale::log2, {8, 8, false}, 0);
  EXPECT_LT(r.low, 8);
  EXPECT_GT(r.high, 8);
  EXPECT_GT(r.low, 0);
}

TEST(PlotAxis, RangesIgnoreNonFiniteValues) {
  Range r;
  r.add(NAN), r.add(INFINITY);
  EXPECT_TRUE(r.empty);
  r.add(3), r.add(-1), r.add(2);
  EXPECT_EQ(r.low, -1);
  EXPECT_EQ(r.high, 3);
  EXPECT_FALSE(r.empty);
}

TEST(PlotAxis, NaturalScale) {
  using V = std::vector<double>;
  EXPECT_EQ(natural_scale(V{1024, 2048, 4096}), Scale::log2);
  EXPECT_EQ(natural_scale(V{1024, 65536}), Scale::log2);
  EXPECT_EQ(natural_scale(V{1, 2}), Scale::linear);
  EXPECT_EQ(natural_scale(V{1024, 2048, 3072, 4096}), Scale::linear);
  EXPECT_EQ(natural_scale(V{1000, 2000, 3000, 30000}), Scale::log10);
  EXPECT_EQ(natural_scale(V{1000, 2000, 5000}), Scale::linear);
  EXPECT_EQ(natural_scale(V{5}), Scale::linear);
  V steps;
  for (int i = 1; i <= 30; ++i) steps.push_back(1024.0 * i);
  EXPECT_EQ(natural_scale(steps), Scale::linear);
}

// From documents to figures: what shares a facet, what separates facets, and what is rejected.

using test::data_of;
using test::document;
using test::Json;
using test::skipped_row;
using test::timed_row;
using tri::test::expect_parts;
using tri::test::message_of;

PlotFigure figure_of(const Json& one, const PlotOptions& options = {}) { return plot_figure(data_of({one}), options); }

std::string titles(const PlotFigure& figure) {
  std::string text;
  for (const PlotFacet& f : figure.facets) text += (text.empty() ? "" : " | ") + f.title;
  return text;
}

Json with(Json row, const char* key, const Json& value) {
  row[key] = value;
  return row;
}

/// The document with the blocks that bb and lambda launch at a block side of 16.
Json counted_document() {
  Json document = test::simple_document();
  for (Json& row : document["results"]) {
    const u64 side = row["n"].get<u64>() / 16, useful = side * (side + 1) / 2;
    row["blocks_useful"] = useful, row["blocks_launched"] = row["map"] == "bb" ? side * side : useful;
  }
  return document;
}

TEST(PlotFigure, IdleBlocksOverN) {
  PlotOptions options;
  options.kind = PlotKind::idle;
  const PlotFigure f = figure_of(counted_document(), options);
  EXPECT_EQ(f.panels, (std::vector<Quantity>{Quantity::idle}));
  for (std::size_t i = 0; i < 3; ++i) {
    const double side = f.facets[0].x[i] / 16;
    EXPECT_DOUBLE_EQ(f.facets[0].series[0].points[i]->idle.mid, (side - 1) / (2 * side)) << "bb";
    EXPECT_EQ(f.facets[0].series[1].points[i]->idle.mid, 0) << "lambda";
  }
  const PanelScale scale = panel_scale(f, f.facets[0], Quantity::idle, PlotLog::automatic);
  EXPECT_EQ(scale.y_scale, Scale::linear);
  EXPECT_EQ(scale.y.low, 0);
  EXPECT_NEAR(scale.y.high, 50, 5);
  EXPECT_THROW(figure_of(test::simple_document(), options), ConfigError) << "no counts";
  options.log = PlotLog::xy;
  EXPECT_THROW(figure_of(counted_document(), options), ConfigError) << "zeros";
}

TEST(PlotFigure, TheoryIsTheBoundOverTheCostOfABlock) {
  Json document = test::simple_document();
  const double ratios[] = {0.9, 1.6, 1.6, 2.0};  // of bound over improvement: their median is the cost
  document["results"].push_back(test::timed_row("dummy", "bb", 32, 1, 1));
  document["results"].push_back(test::timed_row("dummy", "lambda", 32, 1, 1));
  std::size_t k = 0;
  for (Json& row : document["results"]) {
    if (row["map"] == "lambda") row["improvement"] = row["bound"].get<double>() / ratios[k++];
  }
  PlotOptions options;
  options.kind = PlotKind::theory;
  const PlotFigure f = figure_of(document, options);
  EXPECT_EQ(f.panels, (std::vector<Quantity>{Quantity::improvement, Quantity::theory}));
  ASSERT_EQ(f.facets[0].x, (std::vector<double>{32, 1024, 2048, 4096}));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_DOUBLE_EQ(f.facets[0].series[1].points[i]->theory.mid, *f.facets[0].bound[i] / 1.6);
    EXPECT_TRUE(std::isnan(f.facets[0].series[0].points[i]->theory.mid)) << "the baseline is 1";
  }
  // Two blocks a side: 4/3 against 1.6.
  EXPECT_EQ(f.captions.back(), "cost of a block in blocks of bb: lambda 1.6, n0 = 1,024 (measured 1,024).");
  for (Json& row : document["results"]) row["bound"] = nullptr;
  EXPECT_THROW(figure_of(document, options), ConfigError);
}

TEST(PlotFigure, OneKernelOverN) {
  const PlotFigure f = figure_of(test::simple_document());
  ASSERT_EQ(f.facets.size(), 1u);
  EXPECT_EQ(f.facets[0].title, "");
  EXPECT_EQ(f.facets[0].x, (std::vector<double>{1024, 2048, 4096}));
  EXPECT_EQ(f.maps, (std::vector<std::string>{"bb", "lambda"}));
  EXPECT_EQ(f.panels, (std::vector<Quantity>{Quantity::time, Quantity::improvement}));
  EXPECT_EQ(f.baseline, "bb");
  EXPECT_EQ(f.title, "dummy, block 16");
  EXPECT_EQ(f.subtitle, "a device, driver 1.2; triangulum 0.1.0+abc; 2026-01-31");
  EXPECT_EQ(f.captions.at(0), "Made by: triangulum bench --n 2^10:2^12");
  const PlotPoint& p = *f.facets[0].series[1].points[1];
  EXPECT_DOUBLE_EQ(p.time_ms.mid, 2);
  EXPECT_DOUBLE_EQ(p.time_ms.low, 1.8);
  EXPECT_DOUBLE_EQ(p.time_ms.high, 2.2);
  EXPECT_DOUBLE_EQ(p.improvement.mid, 2);
  EXPECT_DOUBLE_EQ(p.improvement.low, 1.95);
  EXPECT_DOUBLE_EQ(p.rate.mid, 2048 * 2049 / 2 / 2e-3);
  EXPECT_DOUBLE_EQ(p.rate.low, p.rate.mid / 1.1);
  for (std::size_t i = 0; i < 3; ++i) {
    const double side = f.facets[0].x[i] / 16;
    EXPECT_DOUBLE_EQ(*f.facets[0].bound[i], 2 * side / (side + 1));
  }
}

TEST(PlotFigure, VaryingSettingsBecomeFacets) {
  std::vector<Json> rows;
  for (const int n : {512, 1024}) {
    rows.push_back(timed_row("dummy", "bb", n, 1, 1));
    for (const int features : {1, 4}) rows.push_back(with(timed_row("edm", "bb", n, 1, 1), "features", features));
  }
  const PlotFigure f = figure_of(document(rows));
  EXPECT_EQ(titles(f), "dummy | edm, 1 feature | edm, 4 features");
  // Settings unknown to this version separate results that would otherwise coincide.
  rows.clear();
  for (const int n : {512, 1024}) {
    for (const char* swirl : {"left", "right"}) rows.push_back(with(timed_row("dummy", "bb", n, 1, 1), "swirl", swirl));
    for (const int knots : {1, 2}) {
      rows.push_back(with(with(timed_row("dummy", "bb", n, 1, 1), "swirl", "none"), "knots", knots));
    }
  }
  EXPECT_EQ(figure_of(document(rows)).facets.size(), 4u);
}

/// How many intervals hold together, and whether a ratio is above its bound, are figures: the line goes on.
TEST(PlotFigure, HowARowWasJudgedIsNoAxis) {
  std::vector<Json> rows;
  for (const int n : {512, 1024}) {
    rows.push_back(timed_row("dummy", "bb", n, 1, 1));
    rows.push_back(with(with(timed_row("dummy", "lambda", n, 1, 2), "above_bound", n == 512), "together", n / 512 + 1));
  }
  const PlotFigure f = figure_of(document(rows));
  ASSERT_EQ(f.facets.size(), 1u);
  EXPECT_EQ(f.title, "dummy, block 16");
  bool said = false;
  for (const std::string& caption : f.captions)
    said |= caption.find("with those of all maps beside it") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(PlotFigure, AnUnknownSettingThatFollowsTheMapIsNoAxis) {
  const PlotFigure f = figure_of(document({with(timed_row("dummy", "bb", 512, 1, 1), "note", "cold"),
                                           with(timed_row("dummy", "bb", 1024, 1, 1), "note", "warm")}));
  EXPECT_EQ(f.facets.size(), 1u);
}

TEST(PlotFigure, OnlyBlocksThatAUserChoseAreAnAxis) {
  const PlotFigure chosen = figure_of(document({with(timed_row("dummy", "bb", 512, 1, 1), "block", 16),
                                                with(timed_row("dummy", "bb", 1024, 1, 1), "block", 32)}));
  ASSERT_EQ(chosen.facets.size(), 1u);
  EXPECT_EQ(chosen.facets[0].x.size(), 2u);
  std::vector<Json> rows;
  for (const int n : {512, 1024}) {
    for (const int block : {8, 16}) rows.push_back(with(timed_row("dummy", "bb", n, 1, 1), "block", block));
  }
  EXPECT_EQ(titles(figure_of(document(rows))), "block 8 | block 16");
  rows.resize(2);
  const PlotFigure over = figure_of(document(rows));  // one n, so the block varies
  EXPECT_EQ(over.x_label, "block side");
  EXPECT_EQ(over.facets.at(0).x, (std::vector<double>{8, 16}));
}

TEST(PlotFigure, ThreadSpaceMapsStayInTheirGroup) {
  std::vector<Json> rows;
  for (const int n : {512, 1024}) {
    for (const int block : {8, 16}) {
      for (const char* map : {"bb", "lambda", "fold"}) {
        rows.push_back(with(with(timed_row("dummy", map, n, 1, 1), "block", block), "bound", 1.5));
      }
      rows.push_back(with(with(timed_row("dummy", "rb", n, 1, 1), "block", 1), "bound", 1.99));
    }
  }
  const PlotFigure f = figure_of(document(rows));
  ASSERT_EQ(titles(f), "block 8 | block 16");
  for (const PlotFacet& facet : f.facets) {
    EXPECT_EQ(facet.series.size(), 4u);
    EXPECT_EQ(*facet.bound[0], 1.5);  // not that of rb
  }
  PlotOptions alone;
  alone.maps = {"rb"};
  EXPECT_EQ(*plot_figure(data_of({document(rows)}), alone).facets[0].bound[0], 1.99);
}

TEST(PlotFigure, ASettingOfSomeRowsHoldsForTheirGroup) {
  std::vector<Json> rows;
  for (const int n : {512, 1024}) {
    for (const char* rec : {"launches", "graph"}) {
      rows.push_back(with(timed_row("dummy", "bb", n, 1, 1), "rec", nullptr));
      rows.push_back(with(timed_row("dummy", "rec", n, 1, 1), "rec", rec));
    }
  }
  const PlotFigure f = figure_of(document(rows));
  ASSERT_EQ(f.facets.size(), 2u);
  for (const PlotFacet& facet : f.facets) EXPECT_EQ(facet.series.size(), 2u);
}

TEST(PlotFigure, DevicesAndFilesAreDistinguished) {
  const Json one = test::simple_document();
  Json other = one;
  other["meta"]["device"] = "another";
  EXPECT_EQ(titles(plot_figure(data_of({one, other}), {})), "a device | another");
  EXPECT_EQ(titles(plot_figure(data_of({one, one}), {})), "file0.json | file1.json");
  other = one;
  other["meta"]["version"] = "0.2.0";
  EXPECT_EQ(titles(plot_figure(data_of({one, other}), {})), "triangulum 0.1.0+abc | triangulum 0.2.0");
}

TEST(PlotFigure, TwoResultsForOnePointAreRejected) {
  const Json row = timed_row("dummy", "bb", 512, 1, 1);
  const std::string said = message_of<ConfigError>([&] { figure_of(document({row, with(row, "median_ms", 3.0)})); });
  EXPECT_NE(said.find("'file0.json' has two results of dummy on map bb at n = 512"), std::string::npos) << said;
}

TEST(PlotFigure, SkippedRowsLeaveGapsAndAreNamed) {
  Json d = test::simple_document();
  d["results"][3] = skipped_row("dummy", "lambda", 2048, "it is too large.");
  const PlotFigure f = figure_of(d);
  const PlotSeries& lambda = f.facets[0].series[1];
  EXPECT_TRUE(lambda.points[0] && !lambda.points[1] && lambda.points[2]);
  EXPECT_EQ(f.captions.back(), "Not timed: lambda, 1 of 3: it is too large.");
}

TEST(PlotFigure, FailedChecksAreMarked) {
  Json d = test::simple_document();
  d["results"][3]["check"]["passed"] = false;
  const PlotFigure f = figure_of(d);
  EXPECT_TRUE(f.any_failed);
  EXPECT_TRUE(f.facets[0].series[1].points[1]->failed);
  EXPECT_FALSE(f.facets[0].series[1].points[0]->failed);
  EXPECT_FALSE(figure_of(test::simple_document()).any_failed);
}

TEST(PlotFigure, WithoutABaselineOnlyTimesAreDrawn) {
  Json d = test::simple_document();
  for (Json& row : d["results"]) row["improvement"] = nullptr;
  EXPECT_EQ(figure_of(d).panels, std::vector<Quantity>{Quantity::time});
  PlotOptions options;
  options.kind = PlotKind::improvement;
  EXPECT_NE(message_of<ConfigError>([&] { figure_of(d, options); }).find("no baseline was timed"), std::string::npos);
}

TEST(PlotFigure, Choices) {
  Json d = test::simple_document("edm");
  for (Json& row : d["results"]) row["features"] = 4;
  const Json dummy = test::simple_document();
  for (const Json& row : dummy["results"]) d["results"].push_back(row);
  PlotOptions options;
  options.kernels = {"edm"}, options.maps = {"lambda"};
  const PlotFigure f = figure_of(d, options);
  EXPECT_EQ(f.facets.size(), 1u);
  EXPECT_EQ(f.maps, std::vector<std::string>{"lambda"});
  options.maps = {"lamda"};
  EXPECT_NE(message_of<ConfigError>([&] { figure_of(d, options); }).find("Did you mean 'lambda'?"), std::string::npos);
  options = {};
  options.kernels = {"gravity"};
  EXPECT_NE(message_of<ConfigError>([&] { figure_of(d, options); }).find("gravity"), std::string::npos);
  options = {};
  options.x = PlotX::features;
  const PlotFigure by_features = figure_of(d, options);
  EXPECT_EQ(by_features.facets.size(), 3u);  // one per size, and no dummy
  EXPECT_EQ(by_features.captions.back(), "Left out, because they have no features: dummy.");
}

TEST(PlotFigure, NothingToDraw) {
  const std::string said = message_of<ConfigError>(
      [] { figure_of(document({skipped_row("dummy", "utm", 9000, "--map utm is exact to n = 4097.")})); });
  EXPECT_EQ(said, "nothing to draw: every result was skipped; the first because: --map utm is exact to n = 4097.");
  EXPECT_NE(message_of<ConfigError>([] { figure_of(document({})); }), "");
}

TEST(PlotData, InvalidResultsAreRejectedWithFileAndPosition) {
  const auto said = [](const std::string& text) {
    return message_of<FileError>([&] {
      PlotData data;
      add_document(data, "x.json", text);
    });
  };
  EXPECT_EQ(said("{\n\"schema\": 1,\n oops}").rfind("'x.json' is not JSON (line 3)", 0), 0u);
  EXPECT_NE(said(""), "");
  EXPECT_NE(said("[1, 2]").find("is not the result of a bench"), std::string::npos);
  EXPECT_NE(said(R"({"checks": 3})").find("is not the result of a bench"), std::string::npos);
  EXPECT_NE(said(R"({"schema": 2, "results": []})").find("has schema 2"), std::string::npos);
  EXPECT_NE(said(R"({"schema": 1})").find("has no \"results\""), std::string::npos);
  EXPECT_NE(said(R"({"schema": 1, "results": [7]})").find("(number 1) that is no object"), std::string::npos);
  for (const char* key : {"kernel", "map", "n", "check"}) {
    Json d = test::simple_document();
    d["results"][1].erase(key);
    const std::string message = said(d.dump());
    EXPECT_NE(message.find(std::string("(number 2) without \"") + key + "\""), std::string::npos) << message;
    EXPECT_NE(message.find("triangulum bench --format json"), std::string::npos);
  }
}

TEST(PlotData, TextsThatNoBenchWritesAreRefused) {
  const auto said = [](const std::string& text) {
    return message_of<FileError>([&] {
      PlotData data;
      add_document(data, "x.json", text);
    });
  };
  const auto said_with = [&](const char* key, const Json& value) {
    Json d = test::simple_document();
    d["results"][1][key] = value;
    return said(d.dump());
  };
  const std::string deep(80000, '[');
  expect_parts(said(deep), {"x.json", "more than 32 levels of brackets (line 1)"});
  expect_parts(said("{\n\"schema\": " + deep), {"more than 32 levels of brackets (line 2)"});
  std::string many = "{";
  for (int k = 0; k < 20000; ++k) many += "\"" + std::to_string(k) + "\":1,";
  expect_parts(said(many), {"an object with more than 1024 members (line 1)"});
  for (const char* key : {"improvement", "median_ms", "bound", "bytes_per_s"}) {
    expect_parts(said_with(key, 1e-320), {"holds the number '1e-320', which is not within 1e-100 to 1e+100"});
    EXPECT_EQ(said_with(key, 1e-99), "");
  }
  expect_parts(said_with("samples_ms", {1.0, 1e300}), {"holds the number '1e+300'"});
  expect_parts(said("{\"schema\": 1e999}"), {"x.json", "holds the number '1e999'"});
  expect_parts(said_with("samples", 1e40), {"(number 2) with \"samples\": 1e+40, which is no count"});
  expect_parts(said_with("features", -5), {"\"features\": -5, which is no count"});
  Json d = test::simple_document();
  for (std::size_t k = 0; k < 300; ++k) d["results"][k % 2]["setting " + std::to_string(k)] = k;
  expect_parts(said(d.dump()), {"more than 256 settings"});
}

TEST(PlotData, ATimeOfZeroIsNotDrawn) {
  Json d = test::simple_document();
  d["results"][1]["median_ms"] = 0.0;
  EXPECT_TRUE(data_of({d}).results[1].skipped.has_value());
}

}  // namespace
}  // namespace tri::app
