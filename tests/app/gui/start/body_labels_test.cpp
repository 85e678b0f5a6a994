// Names beside bodies: within the scene, off each other, and on the side that has room.

#include "app/gui/start/body_labels.hpp"

#include <gtest/gtest.h>

namespace tri::app::gui::start {
namespace {

constexpr Rect kScene{48, 0, 800, 600};

TEST(BodyLabels, StandOnTheSideThatHasRoom) {
  const std::vector<LabelSpot> spots{{300, 300, 60, 12, true}, {840, 100, 60, 12, true},  {100, 3, 60, 12, true},
                                     {300, 300, 60, 12, true}, {300, 300, 60, 12, true},  {300, 300, 60, 12, true},
                                     {300, 300, 60, 12, true}, {500, 500, 60, 12, false}, {2000, 300, 60, 12, true}};
  const auto places = place_labels(spots, kScene, 8);
  ASSERT_EQ(places.size(), spots.size());
  ASSERT_TRUE(places[0] && places[1] && places[2]);
  EXPECT_FLOAT_EQ(places[0]->x, 308) << "right";
  EXPECT_FLOAT_EQ(places[1]->x + 60, 832) << "left, at the right edge";
  EXPECT_FLOAT_EQ(places[2]->y, 11) << "below, at the upper edge";
  EXPECT_FLOAT_EQ(places[3]->x + 60, 292) << "left, as the right is taken";
  EXPECT_FLOAT_EQ(places[4]->y + 12, 292) << "above";
  EXPECT_FLOAT_EQ(places[5]->y, 308) << "below";
  EXPECT_FALSE(places[6]) << "no side is left";
  EXPECT_FALSE(places[7]) << "behind the camera";
  EXPECT_FALSE(places[8]) << "outside";
}

TEST(BodyLabels, NeverOverlap) {
  std::vector<LabelSpot> spots;
  u32 random = 1;
  for (int k = 0; k < 48; ++k) {
    const auto next = [&](float range) {
      random = random * 1664525u + 1013904223u;
      return range * static_cast<float>(random >> 8) / static_cast<float>(1u << 24);
    };
    const float x = next(900), y = next(620);
    spots.push_back({x, y, 20 + next(60), 12, true});
  }
  const auto places = place_labels(spots, kScene, 8);
  std::size_t shown = 0;
  for (std::size_t a = 0; a < places.size(); ++a) {
    if (!places[a]) continue;
    ++shown;
    EXPECT_TRUE(places[a]->x >= kScene.x && places[a]->x + places[a]->w <= kScene.x + kScene.w) << a;
    EXPECT_TRUE(places[a]->y >= kScene.y && places[a]->y + places[a]->h <= kScene.y + kScene.h) << a;
    for (std::size_t b = 0; b < a; ++b) {
      if (!places[b]) continue;
      const bool apart = places[a]->x + places[a]->w <= places[b]->x || places[b]->x + places[b]->w <= places[a]->x ||
                         places[a]->y + places[a]->h <= places[b]->y || places[b]->y + places[b]->h <= places[a]->y;
      EXPECT_TRUE(apart) << a << " " << b;
    }
  }
  EXPECT_GT(shown, 30u);
}

}  // namespace
}  // namespace tri::app::gui::start
