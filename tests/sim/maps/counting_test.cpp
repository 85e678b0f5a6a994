/// The counting checks: integers that are right only if a map visits every pair and every triple exactly once.
/// Each map is compared with closed forms, on tiles whose side does and does not divide n.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri {
namespace {

template <class Map, class F>
void for_each_tile(const Map& map, F&& f) {
  for_each_position(map, [&](Position p) { tile_visits(map, p, f); });
}

struct Range {
  u64 first, end;
};

Range elements(u32 tile, u32 block, u64 n) { return {u64{tile} * block, std::min(n, (u64{tile} + 1) * block)}; }

struct PairSums {
  u64 pairs = 0;
  u64 products = 0;     ///< sum of (i+1)(j+1)
  u64 differences = 0;  ///< sum of |i-j|
  u64 squares = 0;      ///< sum of (i-j)^2
  friend bool operator==(const PairSums&, const PairSums&) = default;
};

void PrintTo(const PairSums& s, std::ostream* out) {
  *out << s.pairs << " pairs, " << s.products << ", " << s.differences << ", " << s.squares;
}

PairSums sum_pairs(TriangleMapId id, u32 n, u32 block) {
  const bool thread_space = info(id).space == Space::thread;
  const u32 side = thread_space ? n : (n + block - 1) / block;
  const u32 tile_side = thread_space ? 1 : block;
  PairSums sums;
  visit_triangle_map(id, side, thread_space ? Diagonal::without : Diagonal::with, 3, [&](const auto& map) {
    for_each_tile(map, [&](Tile2 tile) {
      const Range rows = elements(tile.row, tile_side, n), columns = elements(tile.col, tile_side, n);
      for (u64 i = rows.first; i < rows.end; ++i) {
        for (u64 j = columns.first; j < std::min(columns.end, i); ++j) {
          ++sums.pairs;
          sums.products += (i + 1) * (j + 1);
          sums.differences += i - j;
          sums.squares += (i - j) * (i - j);
        }
      }
    });
  });
  return sums;
}

TEST(Counting, EveryTriangleMapVisitsEveryPairOnce) {
  const struct {
    u32 n;
    PairSums sums;
  } rows[] = {
      // The last two of n = 1000 are n(n^2-1)/6 and n^2(n^2-1)/12, which those of 1024 and 4096 obey too.
      {1000, {499500, 125083208250, 166666500, 83333250000}},
      {1024, {523776, 137528300800, 178956800, 91625881600}},
  };
  for (const auto& row : rows) {
    for (u32 id = 0; id < kTriangleMapCount; ++id) {
      const auto map = static_cast<TriangleMapId>(id);
      for (const u32 block : {1u, 7u, 16u, 33u, 1024u, 1500u}) {
        SCOPED_TRACE(std::string(info(map).name) + ", n = " + std::to_string(row.n) + ", block " +
                     std::to_string(block));
        ASSERT_EQ(refusal(info(map), row.n, block), "");
        EXPECT_EQ(sum_pairs(map, row.n, block), row.sums);
      }
    }
  }
}

TEST(Counting, SumsOfDifferencesAt4096) {
  const PairSums expected{4096ull * 4095 / 2, 0, 11453245440, 23456246661120};
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    SCOPED_TRACE(info(map).name);
    ASSERT_EQ(refusal(info(map), 4096, 61), "");
    PairSums sums = sum_pairs(map, 4096, 61);
    sums.products = 0;
    EXPECT_EQ(sums, expected);
  }
}

struct TripleSums {
  u64 triples = 0;
  u64 products = 0;  ///< sum of (i+1)(j+1)(k+1)
  friend bool operator==(const TripleSums&, const TripleSums&) = default;
};

void PrintTo(const TripleSums& s, std::ostream* out) { *out << s.triples << " triples, " << s.products; }

TripleSums sum_triples(TetraMapId id, u32 n, u32 block) {
  TripleSums sums;
  visit_tetra_map(id, (n + block - 1) / block, Diagonal::with, 3, [&](const auto& map) {
    for_each_tile(map, [&](Tile3 tile) {
      const Range xs = elements(tile.x, block, n), ys = elements(tile.y, block, n), zs = elements(tile.z, block, n);
      for (u64 k = zs.first; k < zs.end; ++k) {
        for (u64 j = ys.first; j < std::min(ys.end, k); ++j) {
          u64 inner = 0;
          const u64 end = std::min(xs.end, j);
          for (u64 i = xs.first; i < end; ++i) inner += i + 1;
          sums.triples += end > xs.first ? end - xs.first : 0;
          sums.products += inner * (j + 1) * (k + 1);
        }
      }
    });
  });
  return sums;
}

TEST(Counting, EveryTetrahedronMapVisitsEveryTripleOnce) {
  const struct {
    u32 n;
    TripleSums sums;
  } rows[] = {{1000, {166167000, 20812437520875000}}, {1024, {178433024, 23995673067520000}}};
  for (const auto& row : rows) {
    for (u32 id = 0; id < kTetraMapCount; ++id) {
      const auto map = static_cast<TetraMapId>(id);
      u32 checked = 0;
      for (const u32 block : {7u, 16u, 37u, 1100u}) {
        SCOPED_TRACE(std::string(info(map).name) + ", n = " + std::to_string(row.n) + ", block " +
                     std::to_string(block));
        if (!refusal(info(map), row.n, block).empty()) {
          EXPECT_GT((row.n + block - 1) / block, info(map).max_side) << "rejected below its limit";
          continue;
        }
        EXPECT_EQ(sum_triples(map, row.n, block), row.sums);
        ++checked;
      }
      EXPECT_GE(checked, 2u) << info(map).name << " is rejected for nearly every block";
    }
  }
}

TEST(Counting, EveryGasketMapVisitsEveryCellOnce) {
  for (u32 id = 0; id < kGasketMapCount; ++id) {
    const auto gasket = static_cast<GasketMapId>(id);
    for (const auto& [levels, cells] : {std::pair{4u, u64{81}}, std::pair{10u, u64{59049}}}) {
      SCOPED_TRACE(std::string(info(gasket).name) + ", r = " + std::to_string(levels));
      const u32 side = 1u << levels;
      std::vector<u32> met(u64{side} * side, 0);
      visit_gasket_map(gasket, levels, 7, [&](const auto& map) {
        EXPECT_EQ(map.tile_count(), cells);
        for_each_tile(map, [&](CellTile cell) {
          ASSERT_TRUE(cell.x < side && cell.y < side);
          EXPECT_EQ(cell.x & (side - 1 - cell.y), 0u);
          ++met[u64{cell.y} * side + cell.x];
        });
      });
      EXPECT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 1u)), cells);
      EXPECT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 0u)), met.size() - cells);
    }
  }
}

}  // namespace
}  // namespace tri
