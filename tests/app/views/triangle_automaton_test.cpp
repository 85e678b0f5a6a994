// The automaton on the triangle against a plain one, on every map; and the errors that a wrong map leaves visible.

#include "app/views/triangle_automaton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "sim/base/error.hpp"
#include "sim/fractal/life_rule_text.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app {
namespace {

using Plain = std::map<std::pair<int, int>, bool>;

Plain plain_of(const TriangleAutomaton& a) {
  Plain p;
  const int n = static_cast<int>(a.side());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const u8 v = a.cells()[static_cast<std::size_t>(i * n + j)];
      EXPECT_EQ(v == TriangleAutomaton::kOutside, j > i);
      if (j <= i) p[{i, j}] = v == TriangleAutomaton::kAlive;
    }
  }
  return p;
}

Plain plain_step(const Plain& before, const LifeRule& rule) {
  Plain after;
  for (const auto& [cell, alive] : before) {
    u32 living = 0;
    for (int di = -1; di <= 1; ++di) {
      for (int dj = -1; dj <= 1; ++dj) {
        const auto at = before.find({cell.first + di, cell.second + dj});
        if ((di != 0 || dj != 0) && at != before.end() && at->second) ++living;
      }
    }
    after[cell] = ((alive ? rule.survive : rule.birth) >> living & 1u) != 0;
  }
  return after;
}

TEST(TriangleAutomaton, EveryMapGivesTheCellsOfThePlainOne) {
  for (const char* name : {"B3/S23", "B1357/S1357", "B2/S"}) {
    const LifeRule rule = triangle_rule_from(name);
    for (const auto& [side, tiles] : {std::pair{8u, 8u}, {37u, 12u}, {50u, 1u}, {64u, 64u}}) {
      const TriangleAutomaton start(side, rule, 5);
      Plain plain = plain_of(start);
      for (int k = 0; k < 5; ++k) plain = plain_step(plain, rule);
      for (u32 id = 0; id < kTriangleMapCount; ++id) {
        TriangleAutomaton a = start;
        const MapTrace picture = trace_map(static_cast<TriangleMapId>(id), tiles);
        for (int k = 0; k < 5; ++k) a.step(picture);
        ASSERT_EQ(plain_of(a), plain) << info(static_cast<TriangleMapId>(id)).name << " " << side << " " << tiles;
        ASSERT_EQ(a.wrong(), 0u);
        ASSERT_EQ(a.generation(), 5u);
        ASSERT_EQ(static_cast<long>(a.alive()),
                  std::count_if(plain.begin(), plain.end(), [](auto& c) { return c.second; }));
      }
    }
  }
}

TEST(TriangleAutomaton, AMissingOrRepeatedTileShows) {
  const TriangleAutomaton start(40, {}, 9);
  const MapTrace right = trace_map(TriangleMapId::lambda, 5);
  for (const bool twice : {false, true}) {
    MapTrace wrong = right;
    const TraceTile odd = wrong.tiles[4];  // one off the diagonal has 64 cells, one on it 36
    twice ? wrong.tiles.push_back(odd) : void(wrong.tiles.erase(wrong.tiles.begin() + 4));
    TriangleAutomaton a = start;
    a.step(wrong);
    EXPECT_EQ(a.wrong(), odd.diagonal ? 36u : 64u);
    EXPECT_EQ(a.cells()[odd.y * 8 * 40 + odd.x * 8], TriangleAutomaton::kWrong);
    a.step(right);
    EXPECT_EQ(a.wrong(), 0u) << "still the previous generation";
  }
}

TEST(TriangleAutomaton, AGliderMovesDownTheTriangle) {
  TriangleAutomaton a(48, {}, 1);
  for (u32 i = 0; i < 48; ++i) {
    for (u32 j = 0; j <= i; ++j) a.set(i, j, false);
  }
  // .#. / ..# / ### moves one cell right and down in four generations.
  for (const auto& [i, j] : {std::pair{20u, 6u}, {21u, 7u}, {22u, 5u}, {22u, 6u}, {22u, 7u}}) a.set(i, j, true);
  const MapTrace tiles = trace_map(TriangleMapId::h, 6);
  for (int k = 0; k < 40; ++k) a.step(tiles);
  EXPECT_EQ(a.alive(), 5u);
  for (const auto& [i, j] : {std::pair{30u, 16u}, {31u, 17u}, {32u, 15u}, {32u, 16u}, {32u, 17u}}) {
    EXPECT_EQ(a.cells()[i * 48 + j], TriangleAutomaton::kAlive) << i << " " << j;
  }
}

TEST(TriangleAutomaton, ASeedGivesTheSameCellsEverywhere) {
  const TriangleAutomaton a(200, {}, 1), b(200, {}, 1), c(200, {}, 2);
  EXPECT_TRUE(std::ranges::equal(a.cells(), b.cells()));
  EXPECT_FALSE(std::ranges::equal(a.cells(), c.cells()));
  EXPECT_NEAR(static_cast<double>(a.alive()) / (200 * 201 / 2), 0.3, 0.02);
}

TEST(TriangleAutomaton, RulesRoundTrip) {
  EXPECT_EQ(triangle_rule_from("B3/S23"), LifeRule{});
  for (const char* text : {"B3/S23", "B/S", "B0/S8", "B012345678/S012345678", "B2/S"}) {
    EXPECT_EQ(to_string(triangle_rule_from(text)), text);
  }
  for (const char* text :
       {"", "B3", "3/23", "B3S23", "B9/S23", "B3/S2.10", "B3/S2x", "S23/B3", "b3/s23", "B3/", "/S3"}) {
    EXPECT_THROW(triangle_rule_from(text), ConfigError) << text;
  }
}

}  // namespace
}  // namespace tri::app
