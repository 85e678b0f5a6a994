/// Maps whose point is the order of the tiles: lambda-grouped and lambda-longest.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

/// The tiles of a map in launch order, as "row,col".
template <class M>
std::string order_of(const M& map) {
  std::string text;
  for_each_position(map, [&](Position p) {
    tile_visits(map, p, [&](Tile2 t) { text += std::to_string(t.row) + std::to_string(t.col) + " "; });
  });
  return text;
}

TEST(Grouped, PicturesOfTheHeaderAreRight) {
  EXPECT_EQ(order_of(TriangleGroupedBy<1>(6, Diagonal::with)),
            "00 10 11 20 21 30 31 22 32 33 40 41 50 51 42 43 52 53 44 54 55 ");
  EXPECT_EQ(order_of(TriangleGroupedBy<1>(5, Diagonal::with)), "00 10 11 20 21 30 31 22 32 33 40 41 42 43 44 ");
}

TEST(Grouped, EveryGroupSideCovers) {
  const auto check = [](const auto& map) {
    const MapReport r = check_triangle_map(map);
    EXPECT_TRUE(r.passed()) << r.sentence << " in groups of " << map.kGroup;
    EXPECT_EQ(r.launched, r.expected);
  };
  for (const Diagonal diagonal : kBothDiagonals) {
    for (u32 m = 1; m <= 70; ++m) {
      check(TriangleGroupedBy<0>(m, diagonal));
      check(TriangleGroupedBy<1>(m, diagonal));
      check(TriangleGroupedBy<3>(m, diagonal));
      check(TriangleGroupedBy<5>(m, diagonal));
    }
  }
}

/// Rows and columns of tiles that `blocks` consecutive positions touch, on average.
double touched(TriangleMapId id, u32 side, u64 blocks) {
  std::vector<Tile2> tiles;
  for_each_tile(id, side, Diagonal::with, 1, [&](Tile2 t) { tiles.push_back(t); });
  u64 sum = 0, windows = 0;
  for (u64 first = 0; first + blocks <= tiles.size(); first += blocks, ++windows) {
    std::set<u32> met;  // of the rows and the columns together: both are tiles of bodies
    for (u64 k = first; k < first + blocks; ++k) met.insert({tiles[k].row, tiles[k].col});
    sum += met.size();
  }
  return static_cast<double>(sum) / static_cast<double>(windows);
}

TEST(Grouped, BlocksThatRunTogetherShareRowsAndColumns) {
  EXPECT_NEAR(touched(TriangleMapId::lambda_grouped, 512, 256), 47, 1);
  EXPECT_NEAR(touched(TriangleMapId::lambda, 512, 256), 236, 1);
  EXPECT_LT(touched(TriangleMapId::lambda_grouped, 512, 512), 65);
  EXPECT_LT(touched(TriangleMapId::lambda_grouped, 503, 512), 65) << "the last band is short";
}

TEST(Longest, NoTileHasMorePairsThanOneBefore) {
  for (const u32 rho : {1u, 16u}) {
    for (u32 m = 1; m <= 40; ++m) {
      u64 before = ~u64{0}, diagonal = 0;
      for_each_tile(TriangleMapId::lambda_longest, m, Diagonal::with, 1, [&](Tile2 t) {
        const u64 pairs = active_pairs(t, rho, u64{m} * rho, Diagonal::with);
        ASSERT_LE(pairs, before) << m << " tile " << t.row << ", " << t.col;
        before = pairs;
        diagonal += t.row == t.col;
      });
      ASSERT_EQ(diagonal, m);
    }
  }
}

/// Workers that take the next tile as they end the last one: at most half a tile apart at the end, a whole one in row
/// order. (Work in halves of a full tile.)
u64 spread(TriangleMapId id, u32 side, u32 workers) {
  std::vector<u64> busy_until(workers, 0);
  for_each_tile(id, side, Diagonal::with, 1,
                [&](Tile2 t) { *std::min_element(busy_until.begin(), busy_until.end()) += t.row == t.col ? 1 : 2; });
  return *std::max_element(busy_until.begin(), busy_until.end()) -
         *std::min_element(busy_until.begin(), busy_until.end());
}

TEST(Longest, WorkersEndHalfATileApartAtMost) {
  u64 worst_in_row_order = 0;
  for (const u32 workers : {2u, 7u, 16u}) {
    for (u32 m = 2 * workers; m <= 80; ++m) {
      ASSERT_LE(spread(TriangleMapId::lambda_longest, m, workers), 1u) << m << " rows, " << workers << " workers";
      worst_in_row_order = std::max(worst_in_row_order, spread(TriangleMapId::lambda, m, workers));
    }
  }
  EXPECT_EQ(worst_in_row_order, 2u);
}

}  // namespace
}  // namespace tri::test
