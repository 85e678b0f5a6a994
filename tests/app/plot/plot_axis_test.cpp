// Axes: round tick values, never more than requested, at exact positions.

#include "app/plot/plot_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
  if (most >= 5) {
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

}  // namespace
}  // namespace tri::app
