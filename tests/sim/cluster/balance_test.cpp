// How the shares of ranks follow their speed.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sim/backend/ranks.hpp"

namespace tri {
namespace {

using Marks = std::vector<u64>;

Marks equal_marks(u64 ranks) {
  Marks marks;
  for (u64 r = 0; r <= ranks; ++r) marks.push_back(RankShare::kWhole * r / ranks);
  return marks;
}

TEST(RankShares, CoverEveryCountOnce) {
  for (const u64 count : {u64{0}, u64{1}, u64{7}, u64{1000003}, (u64{1} << 52) + 12345, ~u64{0}}) {
    for (const Marks& marks : {equal_marks(1), equal_marks(3), Marks{0, 1, 2, 16777215, RankShare::kWhole}}) {
      u64 at = 0;
      for (std::size_t r = 0; r + 1 < marks.size(); ++r) {
        const RankShare share{marks[r], marks[r + 1]};
        EXPECT_EQ(share.first(count), at);
        EXPECT_EQ(share.part_of(count), share.last(count) - at);
        at = share.last(count);
      }
      EXPECT_EQ(at, count);
    }
  }
}

/// The time of each rank where the work at x in [0, 1) is density(x), and rank r is as fast as speed[r].
Marks times(const Marks& marks, const std::vector<double>& speed, double (*integral)(double)) {
  Marks ns;
  for (std::size_t r = 0; r + 1 < marks.size(); ++r) {
    const double whole = RankShare::kWhole, from = static_cast<double>(marks[r]),
                 to = static_cast<double>(marks[r + 1]);
    ns.push_back(static_cast<u64>(1e9 * (integral(to / whole) - integral(from / whole)) / speed[r]));
  }
  return ns;
}

double unevenness(const Marks& ns) {
  const double mean =
      static_cast<double>(std::accumulate(ns.begin(), ns.end(), u64{0})) / static_cast<double>(ns.size());
  return static_cast<double>(*std::max_element(ns.begin(), ns.end())) / mean;
}

// Ranks of unlike speed, and a bounding box, where later positions have more work.
TEST(RankShares, EndUpTakingEquallyLong) {
  const auto even = +[](double x) { return x; };
  const auto triangle = +[](double x) { return x * x; };
  const std::vector<std::vector<double>> speeds{
      {1, 1}, {1, 3}, {2, 1, 1}, {1, 1, 0.2, 1, 5}, {1, 1, 1, 1, 1, 1, 1, 0.5}};
  for (const auto integral : {even, triangle}) {
    for (const std::vector<double>& speed : speeds) {
      Marks marks = equal_marks(speed.size());
      for (int step = 0; step < 40; ++step) marks = balanced_marks(marks, times(marks, speed, integral));
      EXPECT_LT(unevenness(times(marks, speed, integral)), 1.01) << speed.size();
      EXPECT_TRUE(std::is_sorted(marks.begin(), marks.end()));
      EXPECT_EQ(marks.front(), 0u);
      EXPECT_EQ(marks.back(), RankShare::kWhole);
    }
  }
}

TEST(RankShares, NoRankLosesAllWork) {
  Marks marks = equal_marks(3);
  for (int step = 0; step < 100; ++step) marks = balanced_marks(marks, Marks{1000000, 1000, 0});
  for (std::size_t r = 0; r < 3; ++r) EXPECT_GT(marks[r + 1], marks[r]);
  EXPECT_EQ(balanced_marks(marks, Marks{0, 0, 0}), marks) << "without a measurement nothing moves";
}

}  // namespace
}  // namespace tri
