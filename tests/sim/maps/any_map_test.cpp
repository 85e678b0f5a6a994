/// AnyTriangleMap and AnyTetraMap find the same tiles as the maps that they hold.

#include <gtest/gtest.h>

#include <string>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

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

}  // namespace
}  // namespace tri::test
