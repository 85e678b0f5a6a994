/// Batches of triangles: every tile of every problem once, by brute force.

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sim/maps/triangle_batch.hpp"
#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

/// The tiles of a batch in the order in which it must visit them: problems one after the other, each in row order.
std::vector<BatchTile> expected_tiles(const std::vector<u32>& sides, Diagonal diagonal) {
  const u32 strict = diagonal == Diagonal::without ? 1 : 0;
  std::vector<BatchTile> tiles;
  for (u32 p = 0; p < sides.size(); ++p) {
    for (u32 row = strict; row < sides[p]; ++row) {
      for (u32 col = 0; col + strict <= row; ++col) tiles.push_back({p, row, col});
    }
  }
  return tiles;
}

TriangleBatch batch_of(const std::vector<u64>& table, Diagonal diagonal) {
  return {table.data(), static_cast<u32>(table.size() - 1), table.back(), diagonal};
}

void expect_covers(const std::vector<u32>& sides) {
  for (const Diagonal diagonal : kBothDiagonals) {
    const std::vector<u64> table = TriangleBatch::make_table(sides, diagonal);
    const TriangleBatch batch = batch_of(table, diagonal);
    const std::vector<BatchTile> expected = expected_tiles(sides, diagonal);
    ASSERT_EQ(table.size(), sides.size() + 1);
    ASSERT_EQ(batch.problems(), sides.size());
    ASSERT_EQ(batch.diagonal(), diagonal);
    ASSERT_EQ(batch.tile_count(), expected.size()) << text(diagonal);
    ASSERT_EQ(positions(batch.launch(0)), expected.size());
    for (u64 w = 0; w < expected.size(); ++w) {
      auto cursor = batch.begin({w, 0, 0, 0});
      ASSERT_TRUE(cursor.valid());
      const BatchTile t = cursor.tile();
      ASSERT_EQ(t, expected[w]) << "position " << w << ": problem " << t.problem << ", " << t.row << ", " << t.col;
      cursor.next();
      ASSERT_FALSE(cursor.valid());
    }
  }
}

TEST(Batch, AwkwardBatches) {
  expect_covers({});
  expect_covers({0});
  expect_covers({1});
  expect_covers({0, 0, 0});
  expect_covers({2, 0, 3, 1});  // of the header
  expect_covers({0, 0, 5, 0, 0, 1, 0, 7, 0, 0});
  expect_covers({1000});
  expect_covers({1, 1, 1, 800, 1, 1, 0});
  expect_covers(std::vector<u32>(1000, 1));
  expect_covers(std::vector<u32>(257, 2));
  std::vector<u32> falling;
  for (u32 side = 64; side > 0; --side) falling.push_back(side);
  expect_covers(falling);
}

TEST(Batch, RandomBatches) {
  Random random;
  for (u32 round = 0; round < 60; ++round) {
    std::vector<u32> sides(random.below(90));
    for (u32& side : sides) side = static_cast<u32>(random.below(random.below(4) == 0 ? 40 : 4));
    expect_covers(sides);
  }
}

/// Of problems with more than 2^32 tiles together, and one whose rows pass 2^30.
TEST(Batch, LargeProblemsKeep64Bits) {
  const std::vector<u32> sides{92681, 3, 0, 1u << 31, 92683, 1};
  for (const Diagonal diagonal : kBothDiagonals) {
    const u32 strict = diagonal == Diagonal::without ? 1 : 0;
    const std::vector<u64> table = TriangleBatch::make_table(sides, diagonal);
    const TriangleBatch batch = batch_of(table, diagonal);
    u64 before = 0;
    for (u32 p = 0; p < sides.size(); ++p) {
      if (sides[p] <= strict) continue;
      const u64 rows = sides[p] - strict;
      for (const u64 row : {u64{0}, rows / 2, rows - 1}) {
        for (const u64 col : {u64{0}, row}) {
          const BatchTile t = batch.begin({before + row * (row + 1) / 2 + col, 0, 0, 0}).tile();
          EXPECT_EQ(t, (BatchTile{p, static_cast<u32>(row) + strict, static_cast<u32>(col)})) << text(diagonal);
        }
      }
      before += rows * (rows + 1) / 2;
    }
    EXPECT_EQ(batch.tile_count(), before);
  }
}

TEST(Batch, RefusesWhatDoesNotFit) {
  const std::vector<u32> wide{(1u << 31) + 1}, many(5, 1u << 31);
  EXPECT_THROW(TriangleBatch::make_table(wide, Diagonal::with), std::length_error);
  EXPECT_THROW(TriangleBatch::make_table(many, Diagonal::with), std::length_error);
  EXPECT_NO_THROW(TriangleBatch::make_table(std::vector<u32>(3, 1u << 31), Diagonal::with));
}

}  // namespace
}  // namespace tri::test
