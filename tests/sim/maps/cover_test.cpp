/// Every map visits every tile of its domain once, and no other. The tests walk whole launches.

#include <algorithm>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "sim/base/numbers.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/maps/triangle_band.hpp"
#include "sim/maps/triangle_batch.hpp"
#include "sim/maps/triangle_blocks.hpp"
#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

/// The map page of the app and docs/maps.md name these sides, and those of the tetrahedron.
std::vector<u32> pair_sides() {
  std::vector<u32> sides;
  for (u32 m = 0; m <= 200; ++m) sides.push_back(m);
  for (u32 m : {255u, 256u, 257u, 511u, 512u, 513u, 1023u, 1024u, 1025u}) sides.push_back(m);
  return sides;
}

TEST(Cover, EveryTriangleMapVisitsEachTileOnce) {
  for (const TriangleMapId id : all_triangle_maps()) {
    for (const Diagonal diagonal : kBothDiagonals) {
      for (const u32 m : pair_sides()) {
        const MapReport r = report(id, m, diagonal);
        ASSERT_TRUE(r.passed()) << r.sentence << " " << text(diagonal);
        ASSERT_EQ(r.tiles, diagonal == Diagonal::with ? u64{m} * (m + 1) / 2 : u64{m} * (u64{m} - 1) / 2);
        const Facts f = facts(id, m, diagonal);
        ASSERT_EQ(f.side, m);
        ASSERT_EQ(f.tiles, r.tiles);
        ASSERT_EQ(f.counts.launched, r.launched) << info(id).name << " m = " << m;
        ASSERT_EQ(f.counts.useful, r.useful) << info(id).name << " m = " << m;
      }
    }
  }
}

TEST(Cover, PersistentMapsSupportAnyNumberOfWorkers) {
  for (const u32 workers : {0u, 1u, 2u, 5u, 64u, 1000u, 4000000000u}) {
    for (const Diagonal diagonal : kBothDiagonals) {
      for (const u32 m : {1u, 2u, 3u, 13u, 44u, 45u}) {
        const MapReport pairs = report(TriangleMapId::lambda_stream, m, diagonal, workers);
        EXPECT_TRUE(pairs.passed()) << pairs.sentence;
        EXPECT_EQ(pairs.launched, std::min<u64>(std::max(workers, 1u), pairs.expected));
        EXPECT_EQ(pairs.useful, pairs.launched) << "no worker is idle";
        const MapReport triples = report(TetraMapId::tetra_stream, m, diagonal, workers);
        EXPECT_TRUE(triples.passed()) << triples.sentence;
        EXPECT_EQ(triples.launched, std::min<u64>(std::max(workers, 1u), triples.expected));
      }
    }
  }
}

/// next_row() visits the same tiles as next().
TEST(Cover, RunsOfTheTetrahedronRowByRow) {
  for (const Diagonal diagonal : kBothDiagonals) {
    for (const u32 workers : {1u, 3u, 7u, 50u}) {
      const TetraStream map(11, diagonal, workers);
      for (u64 worker = 0; worker < positions(map.launch(0)); ++worker) {
        std::vector<Tile3> single, rows;
        for (auto run = map.begin(Position{worker, 0, 0, 0}); run.valid(); run.next()) single.push_back(run.tile());
        for (auto run = map.begin(Position{worker, 0, 0, 0}); run.valid(); run.next_row()) {
          Tile3 tile = run.tile();
          for (u32 left = run.row_left(); left > 0; --left, ++tile.x) rows.push_back(tile);
        }
        ASSERT_EQ(single, rows) << workers << " workers, " << worker << " " << text(diagonal);
      }
    }
  }
}

TEST(Cover, RecOfEveryBaseAndDepth) {
  for (const u32 m0 : {1u, 2u, 3u, 5u, 6u, 8u, 12u}) {
    for (u32 k = 0; k <= 5; ++k) {
      const u32 n = m0 << k;
      const TriangleRec full(n, Diagonal::with, m0, k);
      const MapReport r = check_triangle_map(full);
      EXPECT_TRUE(r.passed()) << r.sentence;
      EXPECT_EQ(r.launched, r.expected) << "none idle for m0 2^k";
      EXPECT_EQ(full.launch_count(), k + 1);
      const MapReport strict = check_triangle_map(TriangleRec(n + 1, Diagonal::without, m0, k));
      EXPECT_TRUE(strict.passed()) << strict.sentence;
      for (u32 cut = 1; cut < n; cut += 1 + n / 7) {
        const MapReport padded = check_triangle_map(TriangleRec(n - cut, Diagonal::with, m0, k));
        EXPECT_TRUE(padded.passed()) << padded.sentence;
        EXPECT_EQ(padded.launched, triangular(n)) << "padding is launched and masked";
      }
    }
  }
}

TEST(Cover, RecPadsByLessThanAnEighth) {
  for (u32 m = 1; m < 5000; ++m) {
    const TriangleRec map(m, Diagonal::with);
    ASSERT_GE(map.padded_rows(), m);
    ASSERT_LT((map.padded_rows() - m) * 8, m) << m;
    if ((m & (m - 1)) == 0) {
      ASSERT_EQ(map.padded_rows(), m);
    }
    if (m >= 16) {
      ASSERT_TRUE(map.base() >= 8 && map.base() <= 15) << m;
    }
  }
}

TEST(Cover, EveryTetraMapVisitsEachTileOnce) {
  std::vector<u32> sides;
  for (u32 m = 0; m <= 90; ++m) sides.push_back(m);
  for (u32 m : {127u, 128u, 129u, 200u, 203u, 256u}) sides.push_back(m);
  for (const TetraMapId id : all_tetra_maps()) {
    for (const Diagonal diagonal : kBothDiagonals) {
      for (const u32 m : sides) {
        if (m > info(id).max_side) continue;
        const MapReport r = report(id, m, diagonal);
        ASSERT_TRUE(r.passed()) << r.sentence << " " << text(diagonal);
        const u64 n = m;
        ASSERT_EQ(r.tiles,
                  diagonal == Diagonal::with ? n * (n + 1) * (n + 2) / 6 : n * (n - 1) * (n < 2 ? 0 : n - 2) / 6);
        const Facts f = facts(id, m, diagonal);
        ASSERT_EQ(f.counts.launched, r.launched) << info(id).name << " m = " << m;
        ASSERT_EQ(f.counts.useful, r.useful);
      }
    }
  }
}

/// Lexicographic steps from the first tile to the last, as many as there are tiles: a bijection without a counter per
/// tile.
template <class M>
bool is_lexicographic(const M& map) {
  const bool strict = map.diagonal() == Diagonal::without;
  bool in_order = true;
  Tile3 before{};
  u64 count = 0;
  for_each_position(map, [&](Position p) {
    tile_visits(map, p, [&](Tile3 tile) {
      in_order = in_order && (count++ == 0 ? tile == Tile3{0, strict, 2 * u32{strict}} : follows(before, tile, strict));
      before = tile;
    });
  });
  if (count == 0) return map.tile_count() == 0;
  return in_order && count == map.tile_count() && before.z == map.side() - 1 && before.x + strict == before.y &&
         before.y + strict == before.z;
}

TEST(Cover, TetraInOrderAtEverySideTo200AndBeyond) {
  for (const Diagonal diagonal : kBothDiagonals) {
    for (u32 m = 1; m <= 200; ++m) EXPECT_TRUE(is_lexicographic(TetraStream(m, diagonal, 77))) << m;
    for (u32 m = 91; m <= 200; m += 4) EXPECT_TRUE(is_lexicographic(TetraExact(m, diagonal))) << m;
    for (const u32 m : {255u, 256u, 257u, 511u, 512u, 513u}) {
      EXPECT_TRUE(is_lexicographic(TetraStream(m, diagonal, 1000))) << m;
    }
  }
  for (const u32 m : {255u, 257u, 512u}) EXPECT_TRUE(is_lexicographic(TetraExact(m, Diagonal::with))) << m;
  EXPECT_TRUE(is_lexicographic(TetraStream(1025, Diagonal::with, 100000)));
  const std::vector<u64> prefix = TetraLut::make_table(257, Diagonal::without);
  EXPECT_TRUE(is_lexicographic(TetraLut(257, Diagonal::without, prefix.data())));
}

TEST(Cover, EveryGasketMapVisitsEachCellOnce) {
  for (const GasketMapId id : all_gasket_maps()) {
    for (u32 levels = 0; levels <= 12; ++levels) {
      const MapReport r = report(id, levels);
      ASSERT_TRUE(r.passed()) << r.sentence;
      ASSERT_EQ(r.tiles, power_of_three(levels));
      const Facts f = facts(id, levels);
      ASSERT_EQ(f.side, 1u << levels);
      ASSERT_EQ(f.counts.launched, r.launched);
      ASSERT_EQ(f.counts.useful, r.useful);
    }
  }
}

TEST(Cover, GasketStreamSupportsAnyNumberOfWorkers) {
  for (const u32 workers : {0u, 1u, 2u, 5u, 64u, 1000u, 4000000000u}) {
    for (const u32 levels : {0u, 1u, 4u, 7u}) {
      const MapReport r = report(GasketMapId::gasket_stream, levels, workers);
      EXPECT_TRUE(r.passed()) << r.sentence;
      EXPECT_EQ(r.launched, std::min<u64>(std::max(workers, 1u), r.expected));
      EXPECT_EQ(r.useful, r.launched) << "no worker is idle";
    }
  }
}

/// A checker that took a tile beyond the domain for one of it would call a wrong map right.
TEST(Cover, TheDomainsOfTheCheckHoldTheirTilesAlone) {
  for (const bool strict : {false, true}) {
    for (u32 m = 3; m <= 9; ++m) {
      u64 pairs = 0, triples = 0, cells = 0;
      for (u32 z = 0; z < m + 3; ++z) {
        for (u32 y = 0; y < m + 3; ++y) {
          const bool below = strict ? y < z : y <= z;
          ASSERT_EQ((TriangleCells{m, strict}.holds({z, y})), z < m && below) << m << ": " << z << ", " << y;
          pairs += TriangleCells{m, strict}.holds({z, y});
          cells += GasketCells{8}.holds({y, z});
          for (u32 x = 0; x < m + 3; ++x) {
            const bool ordered = below && (strict ? x < y : x <= y);
            ASSERT_EQ((TetraCells{m, strict}.holds({x, y, z})), z < m && ordered) << m << ": " << x << y << z;
            triples += TetraCells{m, strict}.holds({x, y, z});
          }
        }
      }
      EXPECT_EQ(pairs, (TriangleCells{m, strict}.count()));
      EXPECT_EQ(triples, (TetraCells{m, strict}.count()));
      if (m >= 5) {
        EXPECT_EQ(cells, GasketCells{8}.count());
      }
    }
  }
}

/// The numbers that the pictures in the headers show for side 4: tiles in launch order.
TEST(Cover, PicturesOfTheHeadersAreRight) {
  const auto order = [](TriangleMapId id, Diagonal diagonal) {
    std::string digits;
    for_each_tile(id, 4, diagonal, 3, [&](Tile2 t) { digits += std::to_string(t.row) + std::to_string(t.col) + " "; });
    return digits;
  };
  const std::string rows = "00 10 11 20 21 22 30 31 32 33 ";
  EXPECT_EQ(order(TriangleMapId::bb, Diagonal::with), rows);
  EXPECT_EQ(order(TriangleMapId::lambda, Diagonal::with), rows);
  EXPECT_EQ(order(TriangleMapId::lambda_lut, Diagonal::with), rows);
  EXPECT_EQ(order(TriangleMapId::lambda_stream, Diagonal::with), rows);
  EXPECT_EQ(order(TriangleMapId::lambda_x, Diagonal::with), rows);
  EXPECT_EQ(order(TriangleMapId::fold, Diagonal::with), "30 31 32 33 00 20 21 22 10 11 ");
  EXPECT_EQ(order(TriangleMapId::rb, Diagonal::with), "33 32 00 22 10 11 20 21 30 31 ");
  EXPECT_EQ(order(TriangleMapId::h, Diagonal::with), "10 32 20 21 30 31 00 11 22 33 ");
  EXPECT_EQ(order(TriangleMapId::utm, Diagonal::without), "10 20 30 21 31 32 ");
  EXPECT_EQ(order(TriangleMapId::utm_block, Diagonal::without), "10 20 30 21 31 32 ");
  EXPECT_EQ(order(TriangleMapId::circulant, Diagonal::with), "00 11 22 33 10 21 32 30 20 31 ");
  EXPECT_EQ(order(TriangleMapId::lambda_longest, Diagonal::with), "10 20 21 30 31 32 00 11 22 33 ");
  EXPECT_EQ(order(TriangleMapId::lambda_longest, Diagonal::without), "10 20 21 30 31 32 ");
}

// Batches of triangles: every tile of every problem once, by brute force.

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

// Bands of rectangles: every tile once, row after row.

bool in_band(i64 row, i64 col, i64 shift, u32 window) {
  return col <= row + shift && (window == TriangleBand::kNoWindow || col > row + shift - window);
}

void expect_band(u32 rows, u32 cols, i64 shift, u32 window) {
  const TriangleBand band(rows, cols, shift, window);
  u64 w = 0;
  for (u32 row = 0; row < rows; ++row) {
    for (u32 col = 0; col < cols; ++col) {
      if (!in_band(row, col, shift, window)) continue;
      ASSERT_LT(w, positions(band.launch(0))) << rows << " x " << cols << ", shift " << shift << ", window " << window;
      ASSERT_EQ(band.begin({w, 0, 0, 0}).tile(), (Tile2{row, col}))
          << rows << " x " << cols << ", shift " << shift << ", window " << window << ", position " << w;
      ++w;
    }
  }
  ASSERT_EQ(w, band.tile_count()) << rows << " x " << cols << ", shift " << shift << ", window " << window;
}

TEST(Band, SmallOnesByBruteForce) {
  for (u32 rows = 0; rows <= 8; ++rows) {
    for (u32 cols = 0; cols <= 8; ++cols) {
      for (i64 shift = -10; shift <= 10; ++shift) {
        for (u32 window = 0; window <= 11; ++window) expect_band(rows, cols, shift, window);
        expect_band(rows, cols, shift, TriangleBand::kNoWindow);
      }
    }
  }
}

TEST(Band, RandomOnesByBruteForce) {
  Random random;
  for (u32 round = 0; round < 60; ++round) {
    const u32 rows = static_cast<u32>(random.below(300)), cols = static_cast<u32>(random.below(300));
    const i64 shift = static_cast<i64>(random.below(600)) - 300;
    expect_band(rows, cols, shift,
                random.below(3) == 0 ? TriangleBand::kNoWindow : static_cast<u32>(random.below(400)));
  }
}

/// The tile after a tile of the band, in the order of rows.
Tile2 next_in_band(Tile2 t, u32 cols, i64 shift, u32 window) {
  if (t.col + 1 < cols && in_band(t.row, i64{t.col} + 1, shift, window)) return {t.row, t.col + 1};
  const i64 lowest = window == TriangleBand::kNoWindow ? 0 : i64{t.row} + 1 + shift - window + 1;
  return {t.row + 1, static_cast<u32>(lowest > 0 ? lowest : 0)};
}

TEST(Band, LargeOnesFollowEachOther) {
  constexpr u32 kMaxSide = 1u << 31, kNone = TriangleBand::kNoWindow;
  struct Case {
    u32 rows, cols;
    i64 shift;
    u32 window;
  };
  Random random;
  for (const Case& c :
       {Case{kMaxSide, kMaxSide, 0, kNone}, Case{kMaxSide, kMaxSide, 0, 4097},
        Case{1, kMaxSide, i64{kMaxSide} - 1, kNone}, Case{1u << 20, 1u << 24, (1 << 24) - (1 << 20), 1u << 22},
        Case{kMaxSide, 1000, -5, 70000}, Case{100000, kMaxSide, 7, kMaxSide - 1}}) {
    const TriangleBand band(c.rows, c.cols, c.shift, c.window);
    const auto tile = [&](u64 w) { return band.begin({w, 0, 0, 0}).tile(); };
    const u64 count = band.tile_count();
    ASSERT_GT(count, 0u);
    for (u32 k = 0; k < 4000 && count > 1; ++k) {
      const u64 span = k % 2 == 0 ? count - 1 : std::min<u64>(count - 1, 100000);
      const u64 w = k % 4 < 2 ? random.below(span) : count - 2 - random.below(span);
      const Tile2 t = tile(w);
      ASSERT_TRUE(t.row < c.rows && t.col < c.cols && in_band(t.row, t.col, c.shift, c.window)) << w;
      ASSERT_EQ(tile(w + 1), next_in_band(t, c.cols, c.shift, c.window)) << "position " << w;
    }
    const Tile2 last = tile(count - 1);
    const i64 row = std::min<i64>(c.rows, i64{c.window} + c.cols - 1 - c.shift) - 1;
    EXPECT_EQ(last, (Tile2{static_cast<u32>(row), static_cast<u32>(std::min<i64>(c.cols - 1, row + c.shift))}));
  }
}

TEST(Batch, RefusesWhatDoesNotFit) {
  const std::vector<u32> wide{(1u << 31) + 1}, many(5, 1u << 31);
  EXPECT_THROW(TriangleBatch::make_table(wide, Diagonal::with), std::length_error);
  EXPECT_THROW(TriangleBatch::make_table(many, Diagonal::with), std::length_error);
  EXPECT_NO_THROW(TriangleBatch::make_table(std::vector<u32>(3, 1u << 31), Diagonal::with));
}

// AnyTriangleMap and AnyTetraMap find the same tiles as the maps that they hold.

constexpr u32 kSides[] = {1, 2, 3, 7, 8, 33, 100};

template <class Any, class M>
void expect_same_tiles(const Any& any, const M& map, const std::string& what) {
  u64 tiles = 0;
  for_each_position(map, [&](Position p) {
    if (testing::Test::HasFatalFailure()) return;
    auto own = map.begin(p);
    for (auto through = any.begin(p); through.valid(); through.next(), own.next(), ++tiles) {
      ASSERT_TRUE(own.valid()) << what;
      ASSERT_EQ(through.tile(), own.tile()) << what;
    }
    ASSERT_FALSE(own.valid()) << what;
  });
  EXPECT_EQ(tiles, map.tile_count()) << what;
}

TEST(AnyMap, HoldsEveryTriangleMapWithOneTileABlock) {
  for (const TriangleMapId id : all_triangle_maps()) {
    for (const u32 side : kSides) {
      for (const Diagonal diagonal : kBothDiagonals) {
        visit_triangle_map(id, side, diagonal, 5, [&](const auto& map) {
          using M = std::decay_t<decltype(map)>;
          if constexpr (std::is_same_v<M, TypedTriangle>) {
            ADD_FAILURE() << "a typed map in the list of built-in ones";
          } else if constexpr (AnyTriangleMap::kHolds<M>) {
            expect_same_tiles(AnyTriangleMap(map), map, info(id).name + std::string(" ") + std::to_string(side));
          } else if (M::kInfo.space == Space::block && side == 100) {
            EXPECT_LT(launch_counts(map).launched, map.tile_count()) << info(id).name << " is not persistent";
          }
        });
      }
    }
  }
}

TEST(AnyMap, HoldsEveryTetrahedronMap) {
  for (const TetraMapId id : all_tetra_maps()) {
    for (const u32 side : kSides) {
      for (const Diagonal diagonal : kBothDiagonals) {
        visit_tetra_map(id, side, diagonal, 5, [&](const auto& map) {
          if constexpr (std::is_same_v<std::decay_t<decltype(map)>, TypedTetra>) {
            ADD_FAILURE() << "a typed map in the list of built-in ones";
          } else {
            expect_same_tiles(AnyTetraMap(map), map, info(id).name + std::string(" ") + std::to_string(side));
          }
        });
      }
    }
  }
}

/// A run made of one tile has one row.
TEST(AnyMap, OneTileIsARunOfOneRow) {
  for (const Diagonal diagonal : kBothDiagonals) {
    const TetraExact map(9, diagonal);
    const AnyTetraMap any(map);
    for_each_position(map, [&](Position p) {
      TetraRun run = any.begin(p);
      ASSERT_TRUE(run.valid());
      EXPECT_EQ(run.row_left(), 1u);
      EXPECT_EQ(run.tile(), map.begin(p).tile());
      run.next_row();
      EXPECT_FALSE(run.valid());
    });
  }
}

// Storage by blocks.

/// Every cell of the lower triangle of blocks, row by row, and the cells of each.
TEST(Blocks, IndexAndCellAreInverse) {
  for (const u32 block : {1u, 2u, 3u, 16u, 32u}) {
    for (const u32 n : {0u, 1u, block - 1, block, block + 1, 2 * block, 2 * block + 1, 5 * block - 1}) {
      u64 index = 0;
      const u32 side = blocks_side(n, block);
      for (u32 tile_row = 0; tile_row < side; ++tile_row) {
        for (u32 tile_col = 0; tile_col <= tile_row; ++tile_col) {
          for (u32 cell = 0; cell < block * block; ++cell, ++index) {
            const u32 i = tile_row * block + cell / block, j = tile_col * block + cell % block;
            ASSERT_EQ(blocks_index(i, j, block), index) << n << ", " << block;
            if (tile_row != tile_col) {
              ASSERT_EQ(blocks_index(j, i, block), index) << n << ", " << block;
            }
            const RowCol got = blocks_cell(index, block);
            ASSERT_TRUE(got.row == i && got.col == j) << n << ", " << block << ", " << index;
          }
        }
      }
      EXPECT_EQ(blocks_count(n, block), index) << n << ", " << block;
    }
  }
}

/// Beside products of 128 bits, up to the last row.
TEST(Blocks, ExactForLargeSides) {
  __extension__ using Whole = unsigned __int128;
  SplitMix64 random{11};
  const auto below = [&](u64 n) { return static_cast<u32>(random.next() % n); };
  for (const u32 block : {1u, 2u, 31u, 32u, 1000u, 65536u, 1u << 31}) {
    for (const u64 n : {(u64{1} << 31) - 1, u64{1} << 31, (u64{1} << 31) + 1, (u64{1} << 32) - 1}) {
      for (u32 k = 0; k < 2000; ++k) {
        const u32 row = k < 40 ? static_cast<u32>(n - 1 - k) : below(n);
        const u32 col = k % 40 == 0 ? row : below(u64{row} + 1);
        const Whole tile = Whole{row / block} * (u64{row} / block + 1) / 2 + col / block;
        const auto expected = static_cast<u64>((tile * block + row % block) * block + col % block);
        ASSERT_EQ(blocks_index(row, col, block), expected) << row << ", " << col << ", " << block;
        ASSERT_LT(expected, blocks_count(static_cast<u32>(n), block));
        if (n > u64{1} << 31) continue;
        const RowCol got = blocks_cell(expected, block);
        ASSERT_TRUE(got.row == row && got.col == col) << row << ", " << col << ", " << block;
      }
    }
  }
}

}  // namespace
}  // namespace tri::test
