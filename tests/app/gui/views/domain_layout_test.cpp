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

// A turned cube is where its faces are drawn, it stays in the view, and what is nearer along the view comes later.
TEST(DomainLayout, TurnedFiguresStayInTheViewAndHideWhatIsBehind) {
  const MapTrace p = trace_map(TetraMapId::tetra, 5);
  for (const float yaw : {0.0f, 0.4f, kCornerYaw, 2.0f, 3.14159265f, -1.9f, -0.3f}) {
    for (const float pitch : {0.05f, 0.3f, kCornerPitch, 1.2f, 1.52f}) {
      const GridLayout tiles = place_tiles(p, kPlace, {yaw, pitch, 0});
      ASSERT_EQ(tiles.spots.size(), p.tiles.size());
      for (std::size_t i = 0; i < tiles.spots.size(); ++i) {
        const Spot& s = tiles.spots[i];
        for (const auto& corner : tiles.outline(s)) {
          EXPECT_GE(corner[0], kPlace.x - 0.01f);
          EXPECT_LE(corner[0], kPlace.x + kPlace.w + 0.01f);
          EXPECT_GE(corner[1], kPlace.y - 0.01f);
          EXPECT_LE(corner[1], kPlace.y + kPlace.h + 0.01f);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {  // a point of a face is within the cube
          const auto f = tiles.face(s, axis);
          const float x = (f[0][0] + f[1][0] + f[2][0] + f[3][0]) / 4, y = (f[0][1] + f[1][1] + f[2][1] + f[3][1]) / 4;
          const std::vector<u32> hit = tiles.at(x, y);
          EXPECT_NE(std::find(hit.begin(), hit.end(), s.index), hit.end());
        }
        // No later cube is a neighbour behind this one.
        const TraceTile& a = p.tiles[s.index];
        const double d[] = {std::cos(yaw) * std::cos(pitch), std::sin(yaw) * std::cos(pitch), std::sin(pitch)};
        for (std::size_t j = i + 1; j < tiles.spots.size(); ++j) {
          const TraceTile& b = p.tiles[tiles.spots[j].index];
          const double towards = d[0] * (static_cast<double>(b.x) - a.x) + d[1] * (static_cast<double>(b.y) - a.y) +
                                 d[2] * (static_cast<double>(b.z) - a.z);
          EXPECT_GE(towards, -1e-4);
        }
      }
    }
  }
}

// Each layer taken off is that of the highest z, and the tiles below it are then the ones that the pointer meets.
TEST(DomainLayout, LayersAreTakenOffFromAbove) {
  constexpr u32 kSide = 6;
  const MapTrace p = trace_map(TetraMapId::tetra, kSide);
  for (u32 removed = 0; removed < kSide; ++removed) {
    const GridLayout tiles = place_tiles(p, kPlace, {kCornerYaw, kCornerPitch, removed});
    const auto left = static_cast<std::size_t>(
        std::count_if(p.tiles.begin(), p.tiles.end(), [&](const TraceTile& t) { return t.z < kSide - removed; }));
    ASSERT_EQ(tiles.spots.size(), left);
    for (const Spot& s : tiles.spots) EXPECT_LT(p.tiles[s.index].z, kSide - removed);
    if (removed == 0) continue;
    const auto hidden = std::find_if(p.tiles.begin(), p.tiles.end(), [&](const TraceTile& t) {
      return t.z == kSide - removed - 1 && t.x == 0 && t.y == 0;
    });
    const auto index = static_cast<u32>(hidden - p.tiles.begin());
    const auto spot =
        std::find_if(tiles.spots.begin(), tiles.spots.end(), [&](const Spot& s) { return s.index == index; });
    ASSERT_NE(spot, tiles.spots.end());
    const auto top = tiles.face(*spot, 2);
    EXPECT_EQ(tiles.at((top[0][0] + top[2][0]) / 2, (top[0][1] + top[2][1]) / 2).front(), index);
  }
  EXPECT_EQ(place_tiles(p, kPlace, {kCornerYaw, kCornerPitch, 0}).size,
            place_tiles(p, kPlace, {kCornerYaw, kCornerPitch, 3}).size)
      << "nothing moves";
}

}  // namespace
}  // namespace tri::app::gui
