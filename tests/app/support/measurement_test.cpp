// What is measured: statistics of samples, improvements, the load of the machine, spans of work.

#include <sys/wait.h>
#include <unistd.h>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "app/support/measurement.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {
namespace {

// Statistics against closed forms.

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

/// Of 15 maps that are all as fast as bb, one "differs" in every second run by intervals of 95 % each, and in one of 20
/// by intervals that hold together.
TEST(Improvement, IntervalsOfManyMapsHoldTogether) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.3);
  int alone = 0, together = 0;
  constexpr int kRuns = 400, kMaps = 15, kRounds = 15;
  for (int run = 0; run < kRuns; ++run) {
    bool one = false, all = false;
    std::vector<double> bb(kRounds), other(kRounds);
    for (int map = 0; map < kMaps; ++map) {
      for (double& ms : bb) ms = noise(random);
      for (double& ms : other) ms = noise(random);
      one |= !improvement(bb, other).interval.spans(1);
      const Improvement i = improvement(bb, other, kMaps);
      all |= !i.interval.spans(1);
      EXPECT_GE(i.interval.confidence, 0.95);
    }
    alone += one, together += all;
  }
  EXPECT_GT(alone, kRuns / 4);
  EXPECT_LT(together, kRuns / 14);
  const std::vector<double> slow(8, 2.0), fast(8, 1.0);
  EXPECT_TRUE(improvement(slow, fast).decided());
  EXPECT_FALSE(improvement(slow, fast, kMaps).decided()) << "8 rounds are too few for 15 maps";
}

TEST(Improvement, WhatIsWrittenAsOneIsNoDifference) {
  const auto of = [](double low, double high) { return Improvement{(low + high) / 2, {low, high, 0.95}}; };
  EXPECT_FALSE(of(1.001, 1.004).differs()) << "1.00 to 1.00";
  EXPECT_FALSE(of(1.004, 1.02).differs()) << "1.00 to 1.02";
  EXPECT_FALSE(of(0.99, 0.996).differs()) << "0.99 to 1.00";
  EXPECT_TRUE(of(1.006, 1.02).differs());
  EXPECT_TRUE(of(0.98, 0.994).differs());
}

/// As numbers are written, a value is within its interval, and the shown round is one of the interval.
TEST(Improvement, AValueIsNeverOutsideItsInterval) {
  for (double low = 1e-5; low < 300; low *= 1.37) {
    for (const double width : {1.0, 1.001, 1.02, 1.4}) {
      const double mid = low * std::sqrt(width), high = low * width;
      EXPECT_LE(std::stod(ratio_text(low)), std::stod(ratio_text(mid))) << low;
      EXPECT_LE(std::stod(ratio_text(mid)), std::stod(ratio_text(high))) << low;
    }
  }
  EXPECT_EQ(ratio_text(0.0056), "0.0056");
  EXPECT_EQ(ratio_text(0.00004), "0.000040");
  EXPECT_EQ(ratio_text(0.0999), "0.10");
  EXPECT_EQ(ratio_text(1.476), "1.48");
  EXPECT_EQ(ratio_text(123.4), "123");
  std::vector<double> bb, other;  // half of the rounds at 1, the others between 1.2 and 3.6
  for (int k = 0; k < 240; ++k)
    bb.push_back(k % 2 == 0 ? 1 : 1.2 + 0.01 * k), other.push_back(k == 7 ? 1.0 : 1 + 1e-9 * k);
  const PairedFigures figures = paired_figures(bb, other);
  EXPECT_TRUE(figures.improvement.interval.spans(figures.ratio())) << figures.ratio();
}

TEST(MachineLoad, IsThatOfOtherPrograms) {
  const LoadWatch quiet;
  EXPECT_FALSE(LoadWatch().read()) << "too short to tell";
  const auto spin = [](double seconds) {
    const double end = clock_s() + seconds;
    while (clock_s() < end) {
    }
  };
  const pid_t other = fork();
  if (other == 0) spin(0.6), _exit(0);
  const LoadWatch watch;
  spin(0.4);
  const std::optional<MachineLoad> load = watch.read();
  int status = 0;
  waitpid(other, &status, 0);
  if (!load) GTEST_SKIP() << "this system does not tell the load of its processors";
  EXPECT_GT(load->others, 0.4) << "a busy program beside this one";
  EXPECT_LE(load->others, load->cores);
  EXPECT_TRUE(load->matters());
  EXPECT_EQ((MachineLoad{1.26, 2}.text()), "other programs used 1.3 of 2 cores");
  EXPECT_FALSE((MachineLoad{0.04, 2}.matters()));
}

TEST(Words, CountsHaveTheirPlural) {
  EXPECT_EQ(counted(1, "body", "bodies"), "1 body");
  EXPECT_EQ(counted(1378, "step"), "1,378 steps");
  EXPECT_EQ(counted(0, "keyframe"), "0 keyframes");
}

// Spans of work: sums within a range, what is forgotten, and what a session notes of its steps.

TEST(WorkTrace, SumsOfALaneAreCutToTheRangeAndCountNothingTwice) {
  WorkTrace work;
  work.add({"steps", WorkLane::step_thread, 0, 1.0, 3.0});
  work.add({"force", WorkLane::step_thread, 1, 1.25, 2.75});  // within the steps
  work.add({"steps", WorkLane::step_thread, 0, 4.0, 5.0});
  work.add({"turn", WorkLane::step_thread, 0, 5.0, 5.5});
  work.add({"steps", WorkLane::gpu_step, 0, 1.0, 9.0});
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 0, 10), 3.5);
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 2, 4.25), 1.25);
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 0, 10, "turn"), 0.5);
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 3, 4), 0);
  EXPECT_TRUE(work.has(WorkLane::gpu_step));
  EXPECT_FALSE(work.has(WorkLane::gpu_draw));
}

TEST(WorkTrace, KeepsTheLastFramesAndTheirSpans) {
  WorkTrace work;
  constexpr std::size_t kFrames = WorkTrace::kMaxFrames + 17;
  for (std::size_t k = 0; k < kFrames; ++k) {
    const double begin = static_cast<double>(k), end = begin + 1;
    work.add({"scene", WorkLane::draw_thread, 0, begin, begin + 0.25});
    work.add({"panels", WorkLane::draw_thread, 0, begin + 0.25, end});
    work.end_frame({begin, end});
  }
  ASSERT_EQ(work.frames().size(), WorkTrace::kMaxFrames);
  EXPECT_EQ(work.frames().front().begin, 17);
  EXPECT_EQ(work.spans().front().end, 17) << "what ends where the oldest frame begins is the first one kept";
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::draw_thread, 17, 17 + WorkTrace::kMaxFrames), WorkTrace::kMaxFrames);
  work.add({"backwards", WorkLane::draw_thread, 0, 9, 8});
  EXPECT_STREQ(work.spans().back().name, "panels");
}

TEST(WorkTrace, HoldsManySpansOfOneFrameToItsLimit) {
  WorkTrace work;
  for (std::size_t k = 0; k < 2 * WorkTrace::kMaxSpans; ++k) work.add({"place", WorkLane::gpu_draw, 0, 1, 1 + 1e-9});
  EXPECT_EQ(work.spans().size(), WorkTrace::kMaxSpans);
}

}  // namespace
}  // namespace tri::app
