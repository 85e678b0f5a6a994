/// Launches of maps: positions launched and idle, masks that pass each element once, grids that a GPU accepts.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

TEST(LaunchCounts, IdlePositionsOfEachMap) {
  for (u32 m = 1; m <= 600; ++m) {
    const u64 tiles = triangular(m);
    const auto idle = [&](TriangleMapId id) { return facts(id, m, Diagonal::with).counts.idle(); };
    ASSERT_EQ(idle(TriangleMapId::bb), u64{m} * (m - 1) / 2);
    for (const auto id : {TriangleMapId::lambda, TriangleMapId::lambda_lut, TriangleMapId::fold, TriangleMapId::rb,
                          TriangleMapId::h, TriangleMapId::utm, TriangleMapId::utm_block, TriangleMapId::circulant,
                          TriangleMapId::lambda_stream, TriangleMapId::lambda_grouped, TriangleMapId::lambda_longest}) {
      ASSERT_EQ(idle(id), 0u) << info(id).name << " " << m;
      ASSERT_EQ(facts(id, m, Diagonal::without).counts.idle(), 0u) << info(id).name << " " << m;
    }
    u64 square = 0;
    while (square * square < tiles) ++square;
    for (const auto id : {TriangleMapId::lambda_x, TriangleMapId::lambda_n, TriangleMapId::lambda_r}) {
      const Facts f = facts(id, m, Diagonal::with);
      ASSERT_EQ(f.launches.at(0).x, square);
      ASSERT_EQ(f.launches.at(0).y, square);
      ASSERT_EQ(f.counts.idle(), square * square - tiles);
      ASSERT_LE(static_cast<double>(f.counts.idle()), 1.5 * m);
    }
    const u32 padded = TriangleRec(m, Diagonal::with).padded_rows();
    ASSERT_EQ(idle(TriangleMapId::rec), triangular(padded) - tiles);
  }
}

TEST(LaunchCounts, SquareGridIdles071BlocksASide) {
  double sum = 0;
  for (u32 m = 1000; m < 4600; ++m) {
    sum += static_cast<double>(launch_counts(TriangleLambdaX(m, Diagonal::with)).idle()) / m;
  }
  EXPECT_NEAR(sum / 3600, 0.71, 0.01);
}

TEST(LaunchCounts, OfTriplesAndGaskets) {
  for (u32 m = 1; m <= 60; ++m) {
    const u64 cube = u64{m} * m * m;
    EXPECT_EQ(facts(TetraMapId::bb, m, Diagonal::with).counts.idle(), cube - tetrahedral(m));
    EXPECT_EQ(facts(TetraMapId::tetra, m, Diagonal::with).counts.idle(), 0u);
    EXPECT_EQ(facts(TetraMapId::tetra_lut, m, Diagonal::with).counts.idle(), 0u);
    EXPECT_EQ(facts(TetraMapId::tetra_stream, m, Diagonal::with).counts.idle(), 0u);
    for (const Diagonal diagonal : kBothDiagonals) {
      EXPECT_EQ(facts(TetraMapId::tetra_h, m, diagonal).counts.idle(), 0u) << m << " " << text(diagonal);
    }
    u64 s = 0;
    while (s * s * s < tetrahedral(m)) ++s;
    EXPECT_EQ(facts(TetraMapId::tetra_r, m, Diagonal::with).counts.launched, s * s * s);
  }
  const LaunchCounts box = facts(GasketMapId::bb, 16).counts;
  EXPECT_NEAR(static_cast<double>(box.launched) / static_cast<double>(box.useful), 99.8, 0.05);
  EXPECT_EQ(facts(GasketMapId::gasket, 16).counts.idle(), 0u);
  EXPECT_EQ(facts(GasketMapId::gasket_digits, 16).counts.idle(), 0u);
  EXPECT_NEAR(GasketSubbox(3).threads() / 27.0, 2.37, 0.005);
  EXPECT_NEAR(GasketSubbox(4).threads() / 81.0, 3.16, 0.005);
  EXPECT_NEAR(GasketSubbox(5).threads() / 243.0, 4.21, 0.005);
}

/// Threads of a block of rho x rho that the element mask passes, counted one by one.
u64 counted_pairs(Tile2 t, u32 rho, u64 n, Diagonal d) {
  u64 active = 0;
  for (u32 y = 0; y < rho; ++y) {
    for (u32 x = 0; x < rho; ++x) active += holds_pair(u64{t.row} * rho + y, u64{t.col} * rho + x, n, d);
  }
  return active;
}

TEST(Mask, ActiveThreadsSumToTheTriangle) {
  for (const u32 rho : {1u, 3u, 8u, 16u}) {
    for (const u32 n : {1u, rho > 1 ? rho - 1 : 1, rho, rho + 1, 127u, 130u}) {
      for (const Diagonal diagonal : kBothDiagonals) {
        const u64 expected = diagonal == Diagonal::with ? u64{n} * (n + 1) / 2 : u64{n} * (n - 1) / 2;
        for (const TriangleMapId id : all_triangle_maps()) {
          const bool threads = info(id).space == Space::thread;
          u64 active = 0;
          if (threads) {
            for_each_tile(id, n, diagonal, 5, [&](Tile2 t) { active += holds_pair(t.row, t.col, n, diagonal); });
          } else {
            // Tiles on the diagonal contain strict pairs too, so the tiles include the diagonal.
            for_each_tile(id, (n + rho - 1) / rho, Diagonal::with, 5, [&](Tile2 t) {
              const u64 here = counted_pairs(t, rho, n, diagonal);
              ASSERT_EQ(active_pairs(t, rho, n, diagonal), here);
              active += here;
            });
          }
          ASSERT_EQ(active, expected) << info(id).name << " n = " << n << " rho = " << rho;
        }
      }
    }
  }
}

TEST(Mask, ActiveThreadsSumToTheTetrahedron) {
  for (const u32 rho : {1u, 2u, 4u, 5u}) {
    for (const u32 n : {1u, 2u, rho > 1 ? rho - 1 : 1, rho, rho + 1, 21u, 23u}) {
      for (const Diagonal diagonal : kBothDiagonals) {
        u64 active = 0;
        for_each_tile(TetraMapId::tetra, (n + rho - 1) / rho, Diagonal::with, 1, [&](Tile3 t) {
          u64 here = 0;
          for (u32 z = 0; z < rho; ++z) {
            for (u32 y = 0; y < rho; ++y) {
              for (u32 x = 0; x < rho; ++x) {
                here += holds_triple(u64{t.x} * rho + x, u64{t.y} * rho + y, u64{t.z} * rho + z, n, diagonal);
              }
            }
          }
          ASSERT_EQ(active_triples(t, rho, n, diagonal), here) << "n = " << n << " rho = " << rho;
          active += here;
        });
        const u64 k = n;
        EXPECT_EQ(active, diagonal == Diagonal::with ? k * (k + 1) * (k + 2) / 6
                          : k < 3                    ? 0
                                                     : k * (k - 1) * (k - 2) / 6);
      }
    }
  }
}

TEST(Agreement, IntegerReductionsOfAllMapsAreEqual) {
  const auto mix = [](u64 a, u64 b) { return Random{a * 0x100000001b3u + b}.next(); };
  for (const Diagonal diagonal : kBothDiagonals) {
    u64 first = 0;
    for (const TriangleMapId id : all_triangle_maps()) {
      u64 sum = 0;
      for_each_tile(id, 333, diagonal, 17, [&](Tile2 t) { sum += mix(t.row, t.col); });
      if (id == TriangleMapId::bb) first = sum;
      EXPECT_EQ(sum, first) << info(id).name;
    }
    for (const TetraMapId id : all_tetra_maps()) {
      u64 sum = 0;
      for_each_tile(id, 77, diagonal, 17, [&](Tile3 t) { sum += mix(mix(t.x, t.y), t.z); });
      if (id == TetraMapId::bb) first = sum;
      EXPECT_EQ(sum, first) << info(id).name;
    }
  }
}

TEST(Split, SmallLimitsCoverEachPositionOnce) {
  const GridLimits tiny{5, 3, 2};
  for (const Launch launch : {Launch{1, 1, 1, 0}, Launch{5, 3, 2, 1}, Launch{6, 4, 3, 2}, Launch{17, 1, 1, 0},
                              Launch{1, 10, 5, 3}, Launch{4, 7, 4, 0}}) {
    std::map<std::array<u64, 3>, u32> met;
    for_each_grid(
        launch,
        [&](const GridPiece& g) {
          EXPECT_TRUE(g.x >= 1 && g.x <= tiny.x && g.y >= 1 && g.y <= tiny.y && g.z >= 1 && g.z <= tiny.z);
          for (u32 z = 0; z < g.z; ++z) {
            for (u32 y = 0; y < g.y; ++y) {
              for (u32 x = 0; x < g.x; ++x) {
                const Position p = position_in(g, x, y, z);
                EXPECT_TRUE(contains(launch, p));
                EXPECT_EQ(p.pass, launch.pass);
                ++met[{p.x, p.y, p.z}];
              }
            }
          }
        },
        tiny);
    EXPECT_EQ(met.size(), positions(launch));
    for (const auto& [position, count] : met) EXPECT_EQ(count, 1u);
  }
}

// A rank has every step-th position of a row, and blocks that are beyond their row have none.
TEST(Split, RanksShareEachPositionOnce) {
  for (const u32 ranks : {1U, 2U, 3U, 4U, 7U}) {
    for (const GridPiece& whole : {GridPiece{1, 1, 1, {0, 0, 0, 0}}, GridPiece{5, 3, 2, {7, 1, 2, 1}},
                                   GridPiece{12, 4, 1, {0, 9, 0, 3}}, GridPiece{97, 1, 1, {u64{1} << 40, 0, 0, 0}}}) {
      std::map<std::array<u64, 3>, u32> met;
      u64 most = 0, least = ~u64{0};
      for (u32 rank = 0; rank < ranks; ++rank) {
        GridPiece piece = whole;
        piece.step = ranks, piece.first = rank;
        u64 mine = 0;
        for (u32 z = 0; z < piece.z; ++z) {
          for (u32 y = 0; y < piece.y; ++y) {
            for (u32 x = 0; x <= (piece.x - 1) / ranks; ++x) {
              Position p;
              if (!share_of(piece, x, y, z, p)) continue;
              EXPECT_EQ(p.pass, whole.origin.pass);
              EXPECT_TRUE(p.x >= whole.origin.x && p.x < whole.origin.x + whole.x);
              ++met[{p.x, p.y, p.z}];
              ++mine;
            }
          }
        }
        most = std::max(most, mine), least = std::min(least, mine);
      }
      EXPECT_EQ(met.size(), u64{whole.x} * whole.y * whole.z) << ranks;
      for (const auto& [position, count] : met) EXPECT_EQ(count, 1U);
      EXPECT_LE(most - least, u64{whole.y} * whole.z);
    }
  }
}

TEST(Split, EveryLaunchOfEveryMapIsSplitIntoLegalGrids) {
  const auto check = [](const Facts& f, const char* name) {
    for (const Launch& launch : f.launches) {
      u64 sum = 0, end_x = 0, end_y = 0;
      for_each_grid(launch, [&](const GridPiece& g) {
        ASSERT_LE(g.x, 2147483647u);
        ASSERT_LE(g.y, 65535u);
        ASSERT_LE(g.z, 65535u);
        sum += u64{g.x} * g.y * g.z;
        end_x = std::max(end_x, g.origin.x + g.x);
        end_y = std::max(end_y, u64{g.origin.y} + g.y);
      });
      ASSERT_EQ(sum, positions(launch)) << name;
      if (sum != 0) {
        ASSERT_TRUE(end_x == launch.x && end_y == launch.y) << name;
      }
    }
  };
  for (const u32 m : {1u, 65535u, 65536u, 92682u, 1000000u}) {
    for (const TriangleMapId id : all_triangle_maps()) {
      if (id == TriangleMapId::lambda_lut && m > 1) continue;
      for (const Diagonal diagonal : kBothDiagonals) check(facts(id, m, diagonal), info(id).name);
    }
  }
  for (const TetraMapId id : all_tetra_maps()) {
    for (const u32 m : {1u, 2u, 2343u, 2344u, 66000u}) check(facts(id, m, Diagonal::without), info(id).name);
  }
  for (const GasketMapId id : all_gasket_maps()) {
    for (const u32 levels : {0u, 17u, 21u, 22u, 24u}) check(facts(id, levels), info(id).name);
  }
}

/// Side 0 has no tile, and small sides none without their diagonal: nothing is launched, and the map is what it was
/// made.
TEST(Split, ALaunchWithoutPositionsHasNoGrid) {
  for_each_grid({0, 1, 1, 0}, [](const GridPiece&) { FAIL(); });
  const auto without_tiles = [](u32 side, Diagonal diagonal) {
    return [=](const auto& map) {
      EXPECT_EQ(map.side(), side) << map.kInfo.name;
      EXPECT_EQ(map.diagonal(), diagonal) << map.kInfo.name;
      EXPECT_EQ(map.tile_count(), 0u) << map.kInfo.name << " " << side;
      EXPECT_EQ(launched_positions(map), 0u) << map.kInfo.name << " " << side;
      for_each_grid(map, [&](const GridPiece&) { ADD_FAILURE() << map.kInfo.name << " " << side; });
    };
  };
  for (const auto& [diagonal, sides] : {std::pair(Diagonal::with, 1u), {Diagonal::without, 2u}}) {
    for (u32 m = 0; m < sides; ++m) {
      for (const auto id : all_triangle_maps()) visit_triangle_map(id, m, diagonal, 7, without_tiles(m, diagonal));
    }
    for (u32 m = 0; m < 2 * sides - 1; ++m) {
      for (const auto id : all_tetra_maps()) visit_tetra_map(id, m, diagonal, 7, without_tiles(m, diagonal));
    }
  }
}

/// As docs/maps-in-code.md launches a map: 1.5 million elements in tiles of 16.
TEST(Split, AllLaunchesOfAMapPassEachOfMoreBlocksThanAGridHas) {
  const auto blocks = [](const auto& map) {
    u64 sum = 0;
    for_each_grid(map, [&](const GridPiece& g) { sum += u64{g.x} * g.y * g.z; });
    return sum;
  };
  EXPECT_EQ(blocks(TriangleLambda(93750, Diagonal::with)), 4'394'578'125u);
  EXPECT_EQ(blocks(TriangleBb(93750, Diagonal::with)), 93750u * u64{93750});
  const TriangleRec rec(93750, Diagonal::with);
  EXPECT_EQ(blocks(rec), launched_positions(rec));
}

TEST(Split, ThreadLaunchesInBlocks) {
  const Launch b = in_blocks({100, 33, 1, 2}, 32, 16);
  EXPECT_EQ(b.x, 4u);
  EXPECT_EQ(b.y, 3u);
  EXPECT_EQ(b.pass, 2u);
}

// Maps whose point is the order of the tiles: lambda-grouped and lambda-longest.

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

// Names, limits and refusals.

/// Each name finds its id, so that no two maps of a domain share one.
template <class Id, class Find>
void expect_found(std::span<const MapInfo> maps, Domain domain, Find find) {
  for (u32 i = 0; i < maps.size(); ++i) {
    EXPECT_EQ(find(maps[i].name), static_cast<Id>(i)) << maps[i].name;
    EXPECT_EQ(&info(static_cast<Id>(i)), &maps[i]);
    EXPECT_EQ(maps[i].domain, domain) << maps[i].name;
  }
}

TEST(Registry, EachNameFindsItsId) {
  expect_found<TriangleMapId>(triangle_maps(), Domain::triangle, find_triangle_map);
  expect_found<TetraMapId>(tetra_maps(), Domain::tetrahedron, find_tetra_map);
  expect_found<GasketMapId>(gasket_maps(), Domain::gasket, find_gasket_map);
  EXPECT_EQ(triangle_maps().size(), kTriangleMapCount);
  EXPECT_EQ(tetra_maps().size(), kTetraMapCount);
  EXPECT_EQ(gasket_maps().size(), kGasketMapCount);
}

TEST(Registry, NamesAsTyped) {
  EXPECT_EQ(find_triangle_map("bb"), TriangleMapId::bb);
  EXPECT_EQ(find_triangle_map("lambda"), TriangleMapId::lambda);
  EXPECT_EQ(find_triangle_map("lambda-x"), TriangleMapId::lambda_x);
  EXPECT_EQ(find_triangle_map("lambda-n"), TriangleMapId::lambda_n);
  EXPECT_EQ(find_triangle_map("lambda-r"), TriangleMapId::lambda_r);
  EXPECT_EQ(find_triangle_map("lambda-lut"), TriangleMapId::lambda_lut);
  EXPECT_EQ(find_triangle_map("lambda-stream"), TriangleMapId::lambda_stream);
  EXPECT_EQ(find_triangle_map("fold"), TriangleMapId::fold);
  EXPECT_EQ(find_triangle_map("rb"), TriangleMapId::rb);
  EXPECT_EQ(find_triangle_map("rec"), TriangleMapId::rec);
  EXPECT_EQ(find_triangle_map("h"), TriangleMapId::h);
  EXPECT_EQ(find_triangle_map("utm"), TriangleMapId::utm);
  EXPECT_EQ(find_triangle_map("utm-block"), TriangleMapId::utm_block);
  EXPECT_EQ(find_triangle_map("circulant"), TriangleMapId::circulant);
  EXPECT_EQ(find_triangle_map("lambda-grouped"), TriangleMapId::lambda_grouped);
  EXPECT_EQ(find_triangle_map("lambda-longest"), TriangleMapId::lambda_longest);
  EXPECT_EQ(find_tetra_map("bb"), TetraMapId::bb);
  EXPECT_EQ(find_tetra_map("tetra"), TetraMapId::tetra);
  EXPECT_EQ(find_tetra_map("tetra-r"), TetraMapId::tetra_r);
  EXPECT_EQ(find_tetra_map("tetra-lut"), TetraMapId::tetra_lut);
  EXPECT_EQ(find_tetra_map("tetra-stream"), TetraMapId::tetra_stream);
  EXPECT_EQ(find_tetra_map("tetra-h"), TetraMapId::tetra_h);
  EXPECT_EQ(find_gasket_map("bb"), GasketMapId::bb);
  EXPECT_EQ(find_gasket_map("gasket"), GasketMapId::gasket);
  EXPECT_EQ(find_gasket_map("gasket-digits"), GasketMapId::gasket_digits);
  EXPECT_EQ(find_gasket_map("gasket-stream"), GasketMapId::gasket_stream);
  EXPECT_EQ(find_triangle_map("lamda"), std::nullopt);
  EXPECT_EQ(find_triangle_map(""), std::nullopt);
  EXPECT_EQ(find_tetra_map("lambda"), std::nullopt);
  EXPECT_EQ(find_gasket_map("subbox"), std::nullopt);
}

TEST(Registry, VisitGivesTheMapOfThatName) {
  for (const TriangleMapId id : all_triangle_maps()) {
    visit_triangle_map(id, 5, Diagonal::without, 2, [&](const auto& map) {
      EXPECT_STREQ(map.kInfo.name, info(id).name);
      EXPECT_EQ(map.side(), 5u);
      EXPECT_EQ(map.diagonal(), Diagonal::without);
    });
  }
  for (const TetraMapId id : all_tetra_maps()) {
    visit_tetra_map(id, 5, Diagonal::with, 2, [&](const auto& map) {
      EXPECT_STREQ(map.kInfo.name, info(id).name);
      EXPECT_EQ(map.diagonal(), Diagonal::with);
    });
  }
  for (const GasketMapId id : all_gasket_maps()) {
    visit_gasket_map(id, 5, 7, [&](const auto& map) {
      EXPECT_STREQ(map.kInfo.name, info(id).name);
      EXPECT_EQ(map.side(), 32u);
    });
  }
}

TEST(Registry, EveryAlternativeExistsAndReachesFurther) {
  const auto check = [](std::span<const MapInfo> maps) {
    for (const MapInfo& map : maps) {
      EXPECT_STRNE(map.formula, "");
      EXPECT_STRNE(map.source, "");
      EXPECT_STRNE(map.limit, "");
      EXPECT_EQ(map.historical && map.alternative == nullptr, false) << map.name;
      if (map.alternative == nullptr) continue;
      bool found = false;
      for (const MapInfo& other : maps) {
        if (std::string_view(other.name) != map.alternative) continue;
        found = true;
        EXPECT_FALSE(other.historical);
        EXPECT_GE(other.max_side, map.max_side);
      }
      EXPECT_TRUE(found) << map.name;
    }
  };
  check(triangle_maps());
  check(tetra_maps());
  check(gasket_maps());
}

TEST(Refusal, NamesTheLimitAndTheExactAlternative) {
  EXPECT_EQ(refusal(info(TriangleMapId::utm), 8192, 32),
            "--map utm is exact to n = 4097 in float32; n = 8192. Use --map utm-block, or --n 4097 or less.");
  EXPECT_EQ(refusal(info(TriangleMapId::utm), 4097, 32), "");
  EXPECT_EQ(
      refusal(info(TriangleMapId::lambda_x), 200000, 32),
      "--map lambda-x is exact to 4607 tiles a side in float32, with --block 32 to n = 147424; n = 200000. Use --map "
      "lambda, or --n 147424 or less.");
  EXPECT_EQ(refusal(info(TetraMapId::tetra_r), 1633, 8),
            "--map tetra-r is exact to 203 tiles a side in float32, with --block 8 to n = 1624; n = 1633. Use --map "
            "tetra, or "
            "--n 1624 or less.");
}

TEST(Refusal, ComesExactlyBeyondTheLimit) {
  const auto check = [](const MapInfo& map, u32 block) {
    const u64 width = map.space == Space::thread ? 1 : block;
    EXPECT_EQ(refusal(map, map.max_side * width, block, ~u64{0}), "") << map.name;
    EXPECT_EQ(refusal(map, 1, block), "") << map.name;
    const std::string text = refusal(map, map.max_side * width + 1, block, ~u64{0});
    EXPECT_NE(text.find(std::to_string(map.max_side * width)), std::string::npos) << text;
    if (map.alternative != nullptr) {
      EXPECT_NE(text.find(map.alternative), std::string::npos) << text;
    }
  };
  for (const u32 block : {1u, 7u, 32u}) {
    for (const MapInfo& map : triangle_maps()) check(map, block);
    for (const MapInfo& map : tetra_maps()) check(map, block);
  }
}

TEST(Refusal, LookUpTableThatDoesNotFit) {
  const MapInfo& lut = info(TriangleMapId::lambda_lut);
  // 1 MiB holds 131072 entries of 8 bytes: 511 rows (130816 entries), not 512.
  EXPECT_EQ(refusal(lut, 511 * 16, 16, 1u << 20), "");
  EXPECT_EQ(refusal(lut, 512 * 16, 16, 1u << 20),
            "--map lambda-lut needs a table of 1 MiB at n = 8192 with --block 16, and 1 MiB may be taken. Use --map "
            "lambda, or "
            "--n 8176 or less.");
  EXPECT_NE(refusal(lut, u64{1} << 31, 1), "") << "no machine has 16 EiB";
}

TEST(Registry, TablesAreAsLargeAsTheirMapsSay) {
  const u32 side = 37;
  const auto bytes = [](const auto& table) { return table.size() * sizeof(table[0]); };
  EXPECT_EQ(table_bytes(info(TriangleMapId::lambda_lut), side * 16, 16),
            bytes(TriangleLambdaLut::make_table(side, Diagonal::with)));
  EXPECT_EQ(table_bytes(info(TetraMapId::tetra_lut), side * 8, 8), bytes(TetraLut::make_table(side, Diagonal::with)));
  EXPECT_EQ(table_bytes(info(TriangleMapId::lambda), 1u << 20, 16), 0u);
}

TEST(Refusal, GasketSides) {
  const MapInfo& map = info(GasketMapId::gasket);
  for (u32 r = 0; r <= 31; ++r) EXPECT_EQ(refusal(map, u64{1} << r, 1), "");
  EXPECT_EQ(refusal(map, 1000, 8),
            "--map gasket needs a side that is a power of two; n = 1000. Use --n 512 or --n 1024.");
  EXPECT_NE(refusal(map, 0, 8), "");
  EXPECT_EQ(refusal(map, 1024, 12),
            "--map gasket needs a block side that is a power of two and at most n = 1024; block = 12. Use --block 16.");
  EXPECT_NE(refusal(map, 8, 16), "");
  EXPECT_NE(refusal(map, u64{1} << 40, 16), "");
}

TEST(Registry, TilesPerSideRoundUp) {
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::lambda), 1025, 32), 33u);
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::lambda), 1024, 32), 32u);
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::rb), 1025, 32), 1025u);
  EXPECT_EQ(tiles_per_side(info(TriangleMapId::lambda), 7, 0), 7u);
}

}  // namespace
}  // namespace tri::test
