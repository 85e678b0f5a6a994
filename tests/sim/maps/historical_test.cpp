/// The maps as published: exact up to their limit and wrong beyond it, which the checker for exact maps detects.
/// The misprints of the papers are negative controls of the checker.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

TEST(Historical, PassAtTheirLimitAndFailAbove) {
  for (const TriangleMapId id : all_triangle_maps()) {
    const MapInfo& map = info(id);
    if (!map.historical) continue;
    const u32 limit = static_cast<u32>(map.max_side);
    const MapReport below = report(id, limit, Diagonal::with);
    EXPECT_TRUE(below.passed()) << below.sentence;
    const MapReport above = report(id, limit + 1, Diagonal::with);
    EXPECT_FALSE(above.passed()) << map.name << " should be wrong at side " << limit + 1;
    EXPECT_GT(above.holes, 0u);
    const MapReport strict = report(id, limit, Diagonal::without);
    EXPECT_TRUE(strict.passed()) << strict.sentence;
  }
  const u32 limit = static_cast<u32>(info(TetraMapId::tetra_r).max_side);
  EXPECT_TRUE(report(TetraMapId::tetra_r, limit, Diagonal::with).passed());
  EXPECT_FALSE(report(TetraMapId::tetra_r, limit + 1, Diagonal::with).passed());
}

/// The first wrong row, and how it is wrong, pins each emulation to the published operations.
TEST(Historical, FailWhereDocumented) {
  EXPECT_EQ(first_wrong_row(historical_row<HistoricalRoot::x>, 0, 20000000), triangular(4608) - 1);
  EXPECT_EQ(historical_row<HistoricalRoot::x>(triangular(4608) - 1), 4608u);
  EXPECT_EQ(first_wrong_row(historical_row<HistoricalRoot::n>, 0, 20000000), triangular(1949));
  EXPECT_EQ(historical_row<HistoricalRoot::n>(triangular(1949)), 1948u);
  EXPECT_EQ(first_wrong_row(historical_row<HistoricalRoot::r>, 0, 20000000), triangular(2054));
  EXPECT_EQ(historical_row<HistoricalRoot::r>(triangular(2054)), 2053u);
  EXPECT_EQ(first_wrong_layer(tetra_r_layer, 0, 20000000), tetrahedral(204) - 1);
  EXPECT_EQ(tetra_r_layer(tetrahedral(204) - 1), 204u);
}

TEST(Historical, BoundaryRowsPassBelowTheLimit) {
  for (const u32 row : kBoundaryRows) {
    if (row < 4607) {
      EXPECT_TRUE(check_row_boundaries(historical_row<HistoricalRoot::x>, row)) << row;
    }
    if (row < 1949) {
      EXPECT_TRUE(check_row_boundaries(historical_row<HistoricalRoot::n>, row)) << row;
    }
    if (row < 2054) {
      EXPECT_TRUE(check_row_boundaries(historical_row<HistoricalRoot::r>, row)) << row;
    }
  }
}

TEST(Historical, WrongMapAtSide3000IsCaughtByTheChecker) {
  const MapReport r = report(TriangleMapId::lambda_r, 3000, Diagonal::with);
  EXPECT_FALSE(r.passed());
  EXPECT_NE(r.sentence.find("tile (2054, 0) is never met"), std::string::npos) << r.sentence;
  EXPECT_NE(r.sentence.find("answers tile (2053, 2054), which is outside"), std::string::npos) << r.sentence;
  const MapReport n = report(TriangleMapId::lambda_n, 3000, Diagonal::with);
  EXPECT_NE(n.sentence.find("tile (1949, 0) is never met"), std::string::npos) << n.sentence;
  EXPECT_TRUE(report(TriangleMapId::lambda_x, 3000, Diagonal::with).passed());
  EXPECT_TRUE(report(TriangleMapId::lambda, 3000, Diagonal::with).passed());
}

/// The published float32 index depends on n itself: both ends of each row, for every n up to the limit.
TEST(Historical, UtmIsExactForEveryNTo4097) {
  const auto rows_hold = [](u32 n) {
    const TriangleUtm map(n, Diagonal::without);
    u64 k = 0;
    for (u32 a = 0; a + 1 < n; ++a) {
      const u64 last = k + (n - 2 - a);
      if (!(map.begin({k, 0, 0, 0}).tile() == Tile2{a + 1, a})) return false;
      if (!(map.begin({last, 0, 0, 0}).tile() == Tile2{n - 1, a})) return false;
      k = last + 1;
    }
    return true;
  };
  for (u32 n = 1; n <= 4097; ++n) ASSERT_TRUE(rows_hold(n)) << n;
  EXPECT_FALSE(rows_hold(4098));
  EXPECT_FALSE(rows_hold(8192));
}

/// A triangle map made of one function (side, position) -> tile, which shows misprints to the checker.
template <class F>
class Printed : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"printed", Domain::triangle, Space::block, "", "", "", 0, nullptr, true};
  Printed(u32 side, Diagonal diagonal, Launch launch, F f) : TriangleBase(side, diagonal), launch_(launch), f_(f) {}
  Launch launch(u32) const { return launch_; }
  Cursor begin(Position p) const { return {f_(p), true}; }

 private:
  Launch launch_;
  F f_;
};

TEST(Misprint, RootWithTheHalfInsideFailsAtFive) {
  // sqrt(1/4 + 2w - 1/2) for sqrt(1/4 + 2w) - 1/2.
  const auto row = [](u64 w) {
    return static_cast<u32>(std::sqrt(std::max(0.0, 0.25 + 2.0 * static_cast<double>(w) - 0.5)));
  };
  u64 first = 0;
  while (row_is_right(first, row(first))) ++first;
  EXPECT_EQ(first, 5u);
  const auto tile = [&](Position p) { return Tile2{row(p.x), static_cast<u32>(p.x - triangular(row(p.x)))}; };
  EXPECT_FALSE(check_triangle_map(Printed(4, Diagonal::with, {10, 1, 1, 0}, tile)).passed());
}

TEST(Misprint, StrictColumnFailsAtZero) {
  // Strict i = diagonal i + 1 with j = w - i(i+1)/2; correct is i(i-1)/2.
  const auto wrong = [](Position p) {
    const u32 i = triangular_root(p.x) + 1;
    return Tile2{i, static_cast<u32>(p.x - triangular(i))};
  };
  const auto right = [](Position p) {
    const u32 i = triangular_root(p.x) + 1;
    return Tile2{i, static_cast<u32>(p.x - triangular(i - 1))};
  };
  EXPECT_FALSE(wrong({0, 0, 0, 0}) == (Tile2{1, 0}));
  const MapReport bad = check_triangle_map(Printed(9, Diagonal::without, {36, 1, 1, 0}, wrong));
  EXPECT_EQ(bad.outside, 36u) << "wrong at every omega";
  EXPECT_EQ(bad.holes, 36u);
  EXPECT_TRUE(check_triangle_map(Printed(9, Diagonal::without, {36, 1, 1, 0}, right)).passed());
}

TEST(Misprint, RbColumnCovers26Of36CellsAtEight) {
  // The column n - i - 1 of the folded part, with i the row just found, for n - x - e.
  const u32 n = 8;
  const auto printed = [](Position p) {
    const u32 x = static_cast<u32>(p.x), i = n - 1 - p.y;
    return p.y >= x + 1 ? Tile2{p.y - 1, x} : Tile2{i, n - i - 1};
  };
  const auto corrected = [](Position p) {
    const u32 x = static_cast<u32>(p.x), i = n - 1 - p.y;
    return p.y >= x + 1 ? Tile2{p.y - 1, x} : Tile2{i, n - x - 1};
  };
  const MapReport bad = check_triangle_map(Printed(n, Diagonal::with, {4, 9, 1, 0}, printed));
  EXPECT_EQ(bad.expected - bad.holes, 26u);
  EXPECT_TRUE(check_triangle_map(Printed(n, Diagonal::with, {4, 9, 1, 0}, corrected)).passed());
}

TEST(Misprint, UtmFromOneFails) {
  const u32 n = 12;
  const auto published = [](double k) {
    const double a = std::floor((-(2.0 * n + 1) + std::sqrt(4.0 * n * n - 4.0 * n - 8 * k + 1)) / -2);
    const double b = (a + 1) + k - (a - 1) * (2.0 * n - a) / 2;
    return Tile2{static_cast<u32>(b - 1), static_cast<u32>(a - 1)};
  };
  const auto from_zero = [&](Position p) { return published(static_cast<double>(p.x)); };
  // k = 66 alone would be the root of a negative number, so the last position is left out.
  const auto from_one = [&](Position p) { return published(static_cast<double>(p.x + 1)); };
  EXPECT_TRUE(check_triangle_map(Printed(n, Diagonal::without, {66, 1, 1, 0}, from_zero)).passed());
  const MapReport bad = check_triangle_map(Printed(n, Diagonal::without, {65, 1, 1, 0}, from_one));
  EXPECT_FALSE(bad.passed());
  EXPECT_NE(bad.sentence.find("tile (1, 0) is never met"), std::string::npos) << bad.sentence;
}

}  // namespace
}  // namespace tri::test
