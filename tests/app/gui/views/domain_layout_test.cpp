// Geometry of the domain view: items stay in the view, do not overlap, and hit tests find what is drawn.

#include "app/gui/views/domain_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/gui/views/domain_view.hpp"

namespace tri::app::gui {
namespace {

constexpr Rect kPlace{100, 50, 320, 240};

void check_flat(const GridLayout& m) {
  for (std::size_t i = 0; i < m.spots.size(); ++i) {
    const Spot& a = m.spots[i];
    ASSERT_GE(a.x - m.size / 2, kPlace.x - 0.01f);
    ASSERT_LE(a.x + m.size / 2, kPlace.x + kPlace.w + 0.01f);
    ASSERT_GE(a.y - m.size / 2, kPlace.y - 0.01f);
    ASSERT_LE(a.y + m.size / 2, kPlace.y + kPlace.h + 0.01f);
    ASSERT_EQ(m.at(a.x, a.y), std::vector<u32>{a.index});
    for (std::size_t j = 0; j < i; ++j) {
      const Spot& b = m.spots[j];
      ASSERT_GE(std::max(std::abs(a.x - b.x), std::abs(a.y - b.y)), 0.99f * m.size) << i << " over " << j;
    }
  }
}

TEST(DomainLayout, FlatMapsFillTheViewWithoutOverlap) {
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    for (const u32 side : {1u, 5u, 12u, 20u}) {
      const MapTrace p = trace_map(static_cast<TriangleMapId>(id), side);
      const GridLayout cells = place_cells(p, kPlace), tiles = place_tiles(p, kPlace);
      EXPECT_EQ(cells.spots.size(), p.cells.size());
      EXPECT_EQ(tiles.spots.size(), p.tiles.size());
      check_flat(cells);
      check_flat(tiles);
    }
  }
}

TEST(DomainLayout, CubesStayInTheViewAndTheNearestIsHit) {
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const MapTrace p = trace_map(static_cast<TetraMapId>(id), 6);
    const GridLayout tiles = place_tiles(p, kPlace);
    ASSERT_TRUE(tiles.deep);
    float depth = -1;
    for (const Spot& s : tiles.spots) {
      EXPECT_GE(s.depth, depth) << "what is nearer is drawn later";
      depth = s.depth;
      EXPECT_GE(s.y - tiles.size, kPlace.y - 0.01f);
      EXPECT_LE(s.y + tiles.size, kPlace.y + kPlace.h + 0.01f);
    }
    const Spot& front = tiles.spots.back();
    EXPECT_EQ(tiles.at(front.x, front.y).front(), front.index);
    EXPECT_TRUE(tiles.at(kPlace.x - 50, kPlace.y).empty());
    for (const Spot& s : tiles.spots) {  // every cube is found where it is, behind those that hide it
      const std::vector<u32> found = tiles.at(s.x, s.y);
      EXPECT_EQ(std::count(found.begin(), found.end(), s.index), 1);
    }
  }
}

TEST(DomainLayout, TheVisibleBlockIsPointedAtAndThoseBehindItAreTold) {
  const PointedBlocks all = pointed_blocks({7, 3, 3, 9}, 10);
  EXPECT_EQ(all.visible, 7u);
  EXPECT_EQ(all.hidden, (std::vector<u32>{3, 9}));
  const PointedBlocks some = pointed_blocks({7, 3, 9, 1}, 5);
  EXPECT_EQ(some.visible, 3u) << "7 is faint: 3 shows through it";
  EXPECT_EQ(some.hidden, (std::vector<u32>{9, 1}));
  EXPECT_EQ(pointed_blocks({7, 9}, 5).visible, 7u) << "only faint ones";
  EXPECT_EQ(pointed_blocks({}, 5).visible, std::nullopt);
}

TEST(DomainLayout, DataSpaceIsATriangleWithRowsGoingDown) {
  const MapTrace p = trace_map(TriangleMapId::lambda, 4);
  const GridLayout tiles = place_tiles(p, kPlace);
  for (const Spot& s : tiles.spots) {
    const TraceTile& t = p.tiles[s.index];
    EXPECT_NEAR(s.x - tiles.spots[0].x, static_cast<float>(t.x) * tiles.size, 0.01f);
    EXPECT_NEAR(s.y - tiles.spots[0].y, static_cast<float>(t.y) * tiles.size, 0.01f);
  }
}

}  // namespace
}  // namespace tri::app::gui
