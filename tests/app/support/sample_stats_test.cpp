// Statistics against closed forms.

#include "app/support/sample_stats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tri::app {
namespace {

TEST(SampleStats, Quartiles) {
  // 1..9: quartiles at positions 2, 4, 6 of nine.
  const std::vector<double> nine{9, 1, 8, 2, 7, 3, 6, 4, 5};
  const SampleStats s = sample_stats(nine);
  EXPECT_DOUBLE_EQ(s.median, 5);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.max, 9);
  EXPECT_DOUBLE_EQ(s.iqr, 4);
  // 1..4: positions 0.75, 1.5, 2.25.
  const std::vector<double> four{4, 2, 1, 3};
  EXPECT_DOUBLE_EQ(sample_stats(four).median, 2.5);
  EXPECT_DOUBLE_EQ(sample_stats(four).iqr, 1.5);
  const std::vector<double> one{3};
  EXPECT_DOUBLE_EQ(sample_stats(one).median, 3);
  EXPECT_DOUBLE_EQ(sample_stats(one).iqr, 0);
}

TEST(SampleStats, QuantileAtTheEnds) {
  const std::vector<double> sorted{10, 20, 40};
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0), 10);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 1), 40);
  EXPECT_DOUBLE_EQ(sorted_quantile(sorted, 0.75), 30);
}

std::vector<double> first_numbers(int n) {
  std::vector<double> v;
  for (int i = n; i >= 1; --i) v.push_back(i);
  return v;
}

TEST(SampleStats, IntervalOfTheMedianByBinomials) {
  // n = 11: P(Bin(11, 1/2) <= 1) = 12/2048, so [x_2, x_10] covers 1 - 24/2048; with P(<= 2) = 67/2048 it would be
  // 0.9346.
  const Interval eleven = median_interval(first_numbers(11));
  EXPECT_DOUBLE_EQ(eleven.low, 2);
  EXPECT_DOUBLE_EQ(eleven.high, 10);
  EXPECT_NEAR(eleven.confidence, 1 - 24.0 / 2048, 1e-12);
  // n = 6: the whole range covers 1 - 2/64 = 0.96875.
  const Interval six = median_interval(first_numbers(6));
  EXPECT_DOUBLE_EQ(six.low, 1);
  EXPECT_DOUBLE_EQ(six.high, 6);
  EXPECT_NEAR(six.confidence, 1 - 2.0 / 64, 1e-12);
  // n = 20, the textbook case: [x_6, x_15], 0.9586.
  const Interval twenty = median_interval(first_numbers(20));
  EXPECT_DOUBLE_EQ(twenty.low, 6);
  EXPECT_DOUBLE_EQ(twenty.high, 15);
  EXPECT_NEAR(twenty.confidence, 0.9586, 5e-5);
}

TEST(SampleStats, TooFewSamplesReportTheirCoverage) {
  EXPECT_DOUBLE_EQ(median_interval(first_numbers(1)).confidence, 0);
  EXPECT_DOUBLE_EQ(median_interval(first_numbers(2)).confidence, 0.5);
  EXPECT_DOUBLE_EQ(median_interval(first_numbers(5)).confidence, 0.9375);
  EXPECT_DOUBLE_EQ(median_interval(first_numbers(5)).low, 1);
}

TEST(SampleStats, IntervalOfManySamples) {
  // Normal approximation: n/2 -+ 1.96 sqrt(n)/2 ranks; no underflow or overflow at n = 10,001.
  const Interval many = median_interval(first_numbers(10001));
  EXPECT_NEAR(many.low, 5001 - 98, 2);
  EXPECT_NEAR(many.high, 5001 + 98, 2);
  EXPECT_GE(many.confidence, 0.95);
  EXPECT_LT(many.confidence, 0.9525);  // one rank less would be below 0.95
}

TEST(Improvement, PairsCancelADrift) {
  // The machine slows down by a factor of three during the run; the ratio is 2 in every round.
  std::vector<double> baseline, other;
  for (int round = 0; round < 11; ++round) {
    const double drift = 1 + 0.2 * round;
    baseline.push_back(2 * drift), other.push_back(drift);
  }
  const Improvement i = improvement(baseline, other);
  EXPECT_NEAR(i.ratio, 2, 1e-12);
  EXPECT_NEAR(i.interval.low, 2, 1e-12);
  EXPECT_NEAR(i.interval.high, 2, 1e-12);
  EXPECT_TRUE(i.differs());
}

TEST(Improvement, NoDifferenceWhenTheIntervalSpansOne) {
  const std::vector<double> a{1.0, 1.1, 0.9, 1.2, 1.0, 0.8, 1.1, 0.9, 1.0, 1.05, 0.95};
  const std::vector<double> b{1.1, 1.0, 1.0, 1.0, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  EXPECT_FALSE(improvement(a, b).differs());
  EXPECT_TRUE(improvement(a, b).interval.spans(1.0));
  EXPECT_FALSE(improvement(a, a).differs());
}

TEST(Improvement, TheFiguresOfARowAreThoseOfOneRound) {
  // Half of the rounds are slow for both, and one for the other alone: the medians are 3 and 10, their ratio is 0.3.
  const std::vector<double> baseline{1.2, 12, 3, 11, 1.1}, other{1, 10, 30, 10, 1};
  const PairedFigures figures = paired_figures(baseline, other);
  EXPECT_DOUBLE_EQ(figures.improvement.ratio, 1.1);
  EXPECT_DOUBLE_EQ(figures.ratio(), 1.1);
  EXPECT_DOUBLE_EQ(figures.baseline, 11);
  EXPECT_DOUBLE_EQ(figures.other, 10);
  const std::vector<double> two{3, 4}, ones{1, 1};
  EXPECT_DOUBLE_EQ(paired_figures(two, ones).improvement.ratio, 3.5);
  EXPECT_DOUBLE_EQ(paired_figures(two, ones).ratio(), 3) << "of a round, not between two";
}

TEST(Improvement, FewSamplesDecideNothing) {
  const std::vector<double> slow{2, 2, 2, 2}, fast{1, 1, 1, 1};
  EXPECT_FALSE(improvement(slow, fast).decided());
  EXPECT_FALSE(improvement(slow, fast).differs());
  const std::vector<double> slow5(5, 2.0), fast5(5, 1.0);
  EXPECT_TRUE(improvement(slow5, fast5).differs());
}

}  // namespace
}  // namespace tri::app
