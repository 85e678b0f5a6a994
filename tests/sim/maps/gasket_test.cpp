/// The gasket's maps, their inverses, the placements inside a block, and the family of fractals the gasket belongs to.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

TEST(Gasket, BothMapsAreTheSameInTheirOwnOrder) {
  for (u32 levels = 0; levels <= 9; ++levels) {
    const GasketLambda packed(levels);
    const GasketDigits linear(levels);
    const u32 n = 1u << levels;
    u64 cells = 0;
    for (u32 y = 0; y < n; ++y) {
      for (u32 x = 0; x < n; ++x) {
        if ((x & (n - 1 - y)) != 0) continue;
        const CellTile cell{x, y};
        const Position at = packed.position_of(cell);
        ASSERT_TRUE(contains(packed.launch(0), at));
        ASSERT_EQ(packed.begin(at).tile(), cell);
        const u64 w = linear.position_of(cell);
        ASSERT_LT(w, linear.tile_count());
        ASSERT_EQ(linear.begin({w, 0, 0, 0}).tile(), cell);
        ++cells;
      }
    }
    ASSERT_EQ(cells, power_of_three(levels));
  }
}

TEST(Gasket, LevelsSumToTheMap) {
  for (u32 levels : {1u, 2u, 5u, 8u, 9u}) {
    const GasketLambda map(levels);
    for_each_position(map, [&](Position p) {
      CellTile sum;
      for (u32 u = 1; u <= levels; ++u) {
        const CellTile step = gasket_level(p.x, p.y, u);
        sum.x += step.x;
        sum.y += step.y;
      }
      ASSERT_EQ(map.begin(p).tile(), sum);
    });
  }
}

TEST(Gasket, InverseHoldsAtThirtyOneLevels) {
  Random random;
  for (const u32 levels : {16u, 20u, 21u, 30u, 31u}) {
    const GasketLambda packed(levels);
    const GasketDigits linear(levels);
    for (u32 i = 0; i < 50000; ++i) {
      const u64 w = i == 0 ? linear.tile_count() - 1 : random.below(linear.tile_count());
      const CellTile cell = linear.begin({w, 0, 0, 0}).tile();
      ASSERT_TRUE(in_gasket(cell.x, cell.y));
      ASSERT_LT(cell.y, linear.side());
      ASSERT_EQ(linear.position_of(cell), w);
      ASSERT_EQ(packed.begin(packed.position_of(cell)).tile(), cell);
    }
  }
}

TEST(Gasket, PackedGridIsThePapers) {
  const auto launch = [](u32 r) { return facts(GasketMapId::gasket, r).launches.at(0); };
  EXPECT_EQ(launch(4).x, 9u);
  EXPECT_EQ(launch(4).y, 9u);
  EXPECT_EQ(launch(5).x, 27u);
  EXPECT_EQ(launch(5).y, 9u);
  EXPECT_EQ(sizeof(GasketDigits) - sizeof(GasketBase), 488u) << "486 bytes of table, padded";
}

TEST(GasketPlacement, AllThreeFindTheSameCells) {
  for (u32 q = 0; q <= 7; ++q) {
    const u32 rho = 1u << q;
    std::set<std::pair<u32, u32>> expected;
    for (u32 y = 0; y < rho; ++y) {
      for (u32 x = 0; x < rho; ++x) {
        if ((x & (rho - 1 - y)) == 0) expected.insert({x, y});
      }
    }
    for (const auto placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
      visit_gasket_placement(placement, q, [&](const auto& cells) {
        std::set<std::pair<u32, u32>> met;
        u64 count = 0;
        for (u32 t = 0; t < cells.threads(); ++t) {
          for (auto c = cells.cell(t); c.valid(); c.next(), ++count) met.insert({c.tile().x, c.tile().y});
        }
        EXPECT_EQ(met, expected) << "q = " << q;
        EXPECT_EQ(count, expected.size());
        const double ratio = static_cast<double>(cells.threads()) / static_cast<double>(count);
        const double claimed = placement == GasketPlacement::subbox ? std::pow(4.0 / 3.0, q) : 1.0;
        EXPECT_NEAR(ratio, claimed, 1e-12);
      });
    }
  }
}

TEST(GasketPlacement, BlocksAndPlacementsTileTheWholeGasket) {
  for (const u32 r : {3u, 6u, 8u}) {
    for (u32 q = 0; q <= 3; ++q) {
      for (const GasketMapId id : all_gasket_maps()) {
        for (const auto placement : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
          const u32 n = 1u << r;
          std::vector<u8> met(u64{n} * n);
          visit_gasket_placement(placement, q, [&](const auto& cells) {
            for_each_tile(id, r - q, [&](CellTile tile) {
              for (u32 t = 0; t < cells.threads(); ++t) {
                for (auto c = cells.cell(t); c.valid(); c.next()) {
                  ++met[u64{(tile.y << q) + c.tile().y} * n + (tile.x << q) + c.tile().x];
                }
              }
            });
          });
          for (u32 y = 0; y < n; ++y) {
            for (u32 x = 0; x < n; ++x) ASSERT_EQ(met[u64{y} * n + x], (x & (n - 1 - y)) == 0 ? 1 : 0);
          }
        }
      }
    }
  }
}

/// The cells of a member of the family by its definition: k copies, each shifted by tau times the side of a copy.
template <class Family>
std::set<std::array<u32, 3>> built(const Family& family, u32 levels) {
  std::set<std::array<u32, 3>> cells{{0, 0, 0}};
  u32 side = 1;
  for (u32 u = 0; u < levels; ++u, side *= Family::kS) {
    std::set<std::array<u32, 3>> next;
    for (const FractalCell& tau : family.tau) {
      for (const auto& c : cells) next.insert({c[0] + tau.x * side, c[1] + tau.y * side, c[2] + tau.z * side});
    }
    cells = std::move(next);
  }
  return cells;
}

template <class Family>
void expect_family_member(const Family& family, u32 max_levels, bool flat) {
  for (u32 levels = 0; levels <= max_levels; ++levels) {
    const FractalMap<Family> map(family, levels);
    static_assert(Map<FractalMap<Family>>);
    std::set<std::array<u32, 3>> met;
    for_each_position(map, [&](Position p) {
      const FractalCell c = map.begin(p).tile();
      EXPECT_TRUE(family.holds(c, levels));
      met.insert({c.x, c.y, c.z});
    });
    EXPECT_EQ(met, built(family, levels));
    EXPECT_EQ(met.size(), map.tile_count());
    u64 members = 0;
    for (u32 z = 0; z < (flat ? 1 : map.side()); ++z) {
      for (u32 y = 0; y < map.side(); ++y) {
        for (u32 x = 0; x < map.side(); ++x) members += family.holds({x, y, z}, levels);
      }
    }
    EXPECT_EQ(members, map.tile_count());
  }
}

TEST(FractalFamily, MembersFollowTheirDefinition) {
  expect_family_member(kSierpinskiGasket, 6, true);
  expect_family_member(kVicsek, 4, true);
  expect_family_member(kCarpet, 4, true);
  expect_family_member(kGasket3d, 4, false);
}

TEST(FractalFamily, GasketIsTheMemberThreeTwo) {
  const GasketDigits digits(9);
  for (u64 w = 0; w < digits.tile_count(); ++w) {
    const FractalCell c = kSierpinskiGasket.cell(w, 9);
    ASSERT_EQ(digits.begin({w, 0, 0, 0}).tile(), (CellTile{c.x, c.y}));
  }
}

TEST(FractalFamily, BitFormsOfTheOthers) {
  for (u64 w = 0; w < 4096; ++w) {
    const FractalCell c = kGasket3d.cell(w, 6);
    ASSERT_TRUE((c.x & c.y) == 0 && (c.y & c.z) == 0 && (c.x & c.z) == 0);
  }
  EXPECT_FALSE(kCarpet.holds({1, 1, 0}, 1));
  EXPECT_FALSE(kCarpet.holds({4, 13, 0}, 3)) << "the centre of a centre square";
  EXPECT_TRUE(kVicsek.holds({1, 1, 0}, 1));
  EXPECT_FALSE(kVicsek.holds({0, 0, 0}, 1));
}

/// A persistent map visits the tiles in the order of omega, however they are divided into runs.
TEST(GasketStream, FollowsTheDigits) {
  const GasketDigits digits(9);
  for (const u32 workers : {1u, 7u, 1000u}) {
    const GasketStream stream(9, workers);
    u64 w = 0;
    for_each_position(stream, [&](Position p) {
      for (auto run = stream.begin(p); run.valid(); run.next(), ++w) {
        ASSERT_EQ(run.tile(), digits.begin({w, 0, 0, 0}).tile()) << w;
      }
    });
    EXPECT_EQ(w, digits.tile_count());
  }
  EXPECT_EQ(next_gasket_tile({(1u << 31) - 1, (1u << 31) - 1}).y, 1u << 31) << "a carry through every bit";
}

/// Samples at levels too large to walk: the run that contains w has the tile there that the digits give.
TEST(GasketStream, HoldsAtThirtyOneLevels) {
  Random random;
  for (const u32 levels : {17u, 25u, 31u}) {
    const GasketDigits digits(levels);
    const GasketStream stream(levels, 2112);
    for (u32 i = 0; i < 200; ++i) {
      const u64 worker = random.below(stream.launch(0).x);
      const Share share = share_of(stream.tile_count(), stream.launch(0).x, worker);
      auto run = stream.begin({worker, 0, 0, 0});
      for (u64 w = share.first; run.valid() && w < share.first + 100; run.next(), ++w) {
        ASSERT_EQ(run.tile(), digits.begin({w, 0, 0, 0}).tile());
      }
    }
  }
}

/// Each byte of a written sector equals the bit test of its cell, and every cell of the tile is written once.
TEST(GasketSectors, BytesAreTheTile) {
  std::vector<u32> met(GasketSectors::kSide * GasketSectors::kSide);
  for (u32 t = 0; t < GasketSectors::kThreads; ++t) {
    const CellTile at = GasketSectors::corner(t);
    for (u32 b = 0; b < 16; ++b) {
      const u32 x = at.x + b, byte = GasketSectors::bytes(t, b / 4) >> (8 * (b % 4)) & 255u;
      EXPECT_EQ(byte, (x & (GasketSectors::kSide - 1 - at.y)) == 0 ? 1u : 0u) << x << ", " << at.y;
      ++met[at.y * GasketSectors::kSide + x];
    }
  }
  EXPECT_EQ(std::count(met.begin(), met.end(), 1u), static_cast<i64>(met.size()));
}

template <class Family>
void expect_shape(const Family& family, u32 dimensions, u32 levels) {
  const FractalShape shape(family, dimensions);
  const u64 count = Family::count(levels), width = packed_width(Family::kK, levels);
  EXPECT_EQ(width * packed_height(Family::kK, levels), count);
  std::vector<u8> met(count);
  for (u64 w = 0; w < count; ++w) {
    const FractalCell cell = shape.cell(w, levels);
    ASSERT_EQ(cell, family.cell(w, levels));
    ASSERT_TRUE(shape.holds(cell, levels));
    const PackedCell packed = shape.pack(cell, levels);
    ASSERT_LT(packed.x, width);
    ASSERT_EQ(shape.cell(packed, levels), cell) << "lambda of nu is the cell";
    ++met[packed.x + packed.y * width];
    FractalCell sum;
    for (u32 u = 1; u <= levels; ++u) {
      const FractalCell step = shape.level(packed, u);
      sum = {sum.x + step.x, sum.y + step.y, sum.z + step.z};
    }
    ASSERT_EQ(sum, cell) << "levels sum to the map";
    // A tile's corner in storage, plus the place within the tile.
    for (u32 inner = 0; inner <= levels; ++inner) {
      const u32 block = static_cast<u32>(Family::side(inner));
      const FractalCell tile{cell.x / block, cell.y / block, cell.z / block};
      const FractalCell in{cell.x % block, cell.y % block, cell.z % block};
      const PackedCell corner = shape.pack(tile, levels - inner, inner), own = shape.pack(in, inner);
      ASSERT_EQ((PackedCell{corner.x + own.x, corner.y + own.y}), packed) << inner;
    }
  }
  EXPECT_EQ(std::count(met.begin(), met.end(), 1), static_cast<i64>(count)) << "compact storage has no gap";
  const u32 side = static_cast<u32>(Family::side(levels));
  u64 members = 0;
  for (u32 z = 0; z < (dimensions == 3 ? side : 1); ++z) {
    for (u32 y = 0; y < side; ++y) {
      for (u32 x = 0; x < side; ++x) {
        ASSERT_EQ(shape.holds({x, y, z}, levels), family.holds({x, y, z}, levels));
        members += shape.holds({x, y, z}, levels);
      }
    }
  }
  EXPECT_EQ(members, count);
}

TEST(FractalShape, IsTheFamilyAndItsInverse) {
  for (u32 levels = 0; levels <= 6; ++levels) expect_shape(kSierpinskiGasket, 2, levels);
  for (u32 levels = 0; levels <= 4; ++levels) expect_shape(kVicsek, 2, levels);
  for (u32 levels = 0; levels <= 4; ++levels) expect_shape(kCarpet, 2, levels);
  for (u32 levels = 0; levels <= 5; ++levels) expect_shape(kGasket3d, 3, levels);
}

TEST(FractalShape, OfTheGasketIsThePapersPacking) {
  const FractalShape shape;
  const GasketLambda lambda(16);
  Random random;
  for (u32 i = 0; i < 20000; ++i) {
    const u64 w = random.below(lambda.tile_count());
    const FractalCell cell = shape.cell(w, 16);
    ASSERT_EQ(GasketShape::cell(w, 16), cell);
    const Position at = lambda.position_of({cell.x, cell.y});
    ASSERT_EQ(shape.pack(cell, 16), (PackedCell{static_cast<u32>(at.x), at.y}));
    ASSERT_EQ(GasketShape::pack(cell, 16), shape.pack(cell, 16));
    ASSERT_EQ(GasketShape::pack(cell, 11, 5), shape.pack(cell, 11, 5));
  }
  for (u32 y = 0; y < 64; ++y) {
    for (u32 x = 0; x < 64; ++x) ASSERT_EQ(GasketShape::holds({x, y, 0}, 6), shape.holds({x, y, 0}, 6));
  }
}

/// All four maps visit the cells of the definition, for every member, also with more than 2^32 cells.
template <class Family>
void expect_tiles(const Family& family, u32 dimensions, u32 levels) {
  const FractalShape shape(family, dimensions);
  const auto expected = built(family, levels);
  for (const GasketMapId id : all_gasket_maps()) {
    const FractalTiles map(id, shape, levels, 7);
    static_assert(Map<FractalTiles>);
    std::multiset<std::array<u32, 3>> met;
    for_each_position(map, [&](Position p) {
      for (auto run = map.begin(p); run.valid(); run.next()) met.insert({run.tile().x, run.tile().y, run.tile().z});
    });
    EXPECT_EQ(met.size(), map.tile_count()) << info(id).name;
    EXPECT_EQ(std::set(met.begin(), met.end()), expected) << info(id).name;
  }
}

TEST(FractalTiles, EveryMapVisitsTheCellsOfTheDefinition) {
  for (u32 levels = 0; levels <= 5; ++levels) expect_tiles(kSierpinskiGasket, 2, levels);
  for (u32 levels = 0; levels <= 3; ++levels) {
    expect_tiles(kVicsek, 2, levels);
    expect_tiles(kCarpet, 2, levels);
    expect_tiles(kGasket3d, 3, levels);
  }
}

TEST(FractalTiles, BeyondThirtyTwoBits) {
  const FractalShape carpet(kCarpet, 2);
  Random random;
  const u64 count = power_of(8, 15);
  for (u32 i = 0; i < 5000; ++i) {
    const u64 w = i == 0 ? count - 1 : random.below(count);
    const FractalCell cell = carpet.cell(w, 15);
    ASSERT_EQ(cell, kCarpet.cell(w, 15));
    ASSERT_TRUE(carpet.holds(cell, 15));
  }
}

}  // namespace
}  // namespace tri::test
