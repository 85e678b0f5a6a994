// Layout of the window: no overlap and no gap at any size and scale.

#include <gtest/gtest.h>

#include <cmath>

#include "app/gui/base/layout.hpp"

namespace tri::app::gui {
namespace {

TEST(Layout, PanelsFillTheWindowWithoutOverlap) {
  for (const float scale : {0.5f, 1.0f, 1.5f, 2.0f, 4.0f}) {
    for (const float width : {64.0f, 400.0f, 1280.0f, 1920.0f, 3840.0f}) {
      for (const float height : {16.0f, 300.0f, 720.0f, 2160.0f}) {
        for (const bool panels : {false, true}) {
          const Layout l = layout(width, height, scale, panels);
          const float area =
              l.left.w * l.left.h + l.right.w * l.right.h + l.scene.w * l.scene.h + l.status.w * l.status.h;
          EXPECT_NEAR(area, width * height, 1e-3 * width * height);
          EXPECT_FLOAT_EQ(l.scene.x, l.left.w);
          EXPECT_FLOAT_EQ(l.scene.x + l.scene.w, panels ? l.right.x : width);
          EXPECT_FLOAT_EQ(l.status.y, l.scene.h);
          EXPECT_GE(l.scene.w, 0.35f * width - 1) << "the scene keeps a good part: " << width << " at " << scale;
        }
      }
    }
  }
}

TEST(Layout, TheBottomPaneTakesTheLowerHalfOfTheScene) {
  for (const float height : {101.0f, 720.0f, 1081.0f}) {
    const Layout without = layout(1280, height, 1, true), with = layout(1280, height, 1, true, true);
    EXPECT_FLOAT_EQ(with.scene.h + with.pane.h, without.scene.h);
    EXPECT_FLOAT_EQ(with.pane.y, with.scene.h);
    EXPECT_FLOAT_EQ(with.pane.x, with.scene.x);
    EXPECT_FLOAT_EQ(with.pane.w, with.scene.w);
    EXPECT_LE(std::abs(with.scene.h - with.pane.h), 1);
  }
}

TEST(Layout, TwoColumnsIfThereIsRoom) {
  EXPECT_GT(layout(1280, 720, 1, true).left.w, 0);
  EXPECT_EQ(layout(1280, 720, 2, true).left.w, 0);
  EXPECT_GT(layout(1280, 720, 2, true).right.w, 0);
  EXPECT_EQ(layout(1280, 720, 1, false).scene.w, 1280);
}

}  // namespace
}  // namespace tri::app::gui
