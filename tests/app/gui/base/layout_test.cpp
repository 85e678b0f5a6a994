// The parts of the window: no overlap and no gap at any size and scale.

#include <gtest/gtest.h>

#include <cmath>

#include "app/gui/base/layout.hpp"

namespace tri::app::gui {
namespace {

float area(const Rect& r) { return r.w * r.h; }

TEST(Layout, ThePartsFillTheWindowWithoutOverlap) {
  for (const float scale : {0.5f, 1.0f, 1.5f, 2.0f, 4.0f}) {
    for (const float width : {64.0f, 400.0f, 800.0f, 1280.0f, 1920.0f, 3840.0f}) {
      for (const float height : {16.0f, 300.0f, 720.0f, 2160.0f}) {
        for (const bool panels : {false, true}) {
          const Layout l = layout(width, height, scale, {panels});
          const float sum = area(l.rail) + area(l.right) + area(l.scene) + area(l.strip) + area(l.status);
          EXPECT_NEAR(sum, width * height, 1e-3 * width * height) << width << " x " << height << " at " << scale;
          EXPECT_FLOAT_EQ(l.scene.x, l.rail.w);
          EXPECT_FLOAT_EQ(l.scene.x + l.scene.w, l.right.w > 0 ? l.right.x : width);
          EXPECT_FLOAT_EQ(l.strip.y + l.strip.h, panels ? l.status.y : 0);
          EXPECT_GE(l.scene.w, 0.35f * width - 1) << "the scene keeps a good part: " << width << " at " << scale;
        }
      }
    }
  }
}

TEST(Layout, TheBottomPaneTakesTheLowerHalfOfTheScene) {
  for (const float height : {101.0f, 720.0f, 1081.0f}) {
    const Layout without = layout(1280, height, 1, {}), with = layout(1280, height, 1, {.pane = true});
    EXPECT_FLOAT_EQ(with.scene.h + with.pane.h, without.scene.h);
    EXPECT_FLOAT_EQ(with.pane.y, with.scene.h);
    EXPECT_FLOAT_EQ(with.pane.x, with.scene.x);
    EXPECT_FLOAT_EQ(with.pane.w, with.scene.w);
    EXPECT_LE(std::abs(with.scene.h - with.pane.h), 1);
    EXPECT_FLOAT_EQ(with.free.h, with.scene.h);
  }
}

TEST(Layout, PanelsOpenOverTheScene) {
  const Layout closed = layout(1920, 1080, 1, {}), open = layout(1920, 1080, 1, {.left = true});
  EXPECT_FLOAT_EQ(open.scene.w, closed.scene.w) << "the picture stays where it is";
  EXPECT_FLOAT_EQ(open.left.w, 320);
  EXPECT_FLOAT_EQ(open.free.x, open.left.x + open.left.w);
  EXPECT_FLOAT_EQ(open.free.x + open.free.w, open.right.x);
}

TEST(Layout, TheColumnIsAsWideAsTheWindowAllows) {
  EXPECT_EQ(layout(1280, 720, 1, {}).right.w, 408);
  EXPECT_EQ(layout(1920, 1080, 1, {}).right.w, 496);
  EXPECT_EQ(layout(3840, 2160, 2, {}).right.w, 2 * 496);
  EXPECT_EQ(layout(2560, 1440, 1, {}).right.w, 560);
  EXPECT_EQ(layout(1000, 700, 1, {}).right.w, 300);
  EXPECT_EQ(layout(1920, 1080, 2, {.column_width = 350}).right.w, 700);
  EXPECT_EQ(layout(3840, 1080, 1, {.column_width = 5000}).right.w, 900);
  EXPECT_EQ(layout(1000, 700, 1, {.column_width = 900}).right.w, 600) << "the scene keeps a good part";
  const Layout narrow = layout(800, 600, 1, {}), over = layout(800, 600, 1, {.column = true});
  EXPECT_EQ(narrow.right.w, 0) << "a button of the rail opens it";
  EXPECT_EQ(over.right.w, 300);
  EXPECT_EQ(over.scene.w, narrow.scene.w) << "over the scene";
  EXPECT_FLOAT_EQ(over.free.x + over.free.w, over.right.x);
  EXPECT_EQ(layout(1280, 720, 1, {.panels = false}).scene.w, 1280);
}

TEST(Layout, APinnedPanelNarrowsTheScene) {
  const Layout over = layout(1280, 720, 1, {.left = true}),
               beside = layout(1280, 720, 1, {.left = true, .pinned = true});
  EXPECT_FLOAT_EQ(beside.scene.x, beside.left.x + beside.left.w);
  EXPECT_FLOAT_EQ(beside.scene.x + beside.scene.w, over.scene.x + over.scene.w);
  EXPECT_FLOAT_EQ(beside.free.x, over.free.x);
  EXPECT_FLOAT_EQ(beside.free.w, over.free.w) << "what no panel covers is the same";
  EXPECT_FLOAT_EQ(layout(1280, 720, 1, {.pinned = true}).scene.w, layout(1280, 720, 1, {}).scene.w) << "none is open";
  EXPECT_FLOAT_EQ(layout(1280, 720, 1, {.left = true, .left_width = 410}).left.w, 410);
  EXPECT_FLOAT_EQ(layout(1280, 720, 2, {.left = true, .left_width = 9}).left.w, 480) << "the least, at scale 2";
  const Layout narrow = layout(500, 400, 1, {.left = true, .pinned = true, .left_width = 400});
  EXPECT_FLOAT_EQ(narrow.scene.x, narrow.rail.w) << "no scene would be left beside it";
}

TEST(Layout, LanesStandBetweenTheSceneAndTheStrip) {
  for (const bool pane : {false, true}) {
    for (const float h : {200.0f, 400.0f, 720.0f, 1080.0f}) {
      const Layout without = layout(1280, h, 1, {.pane = pane}),
                   with = layout(1280, h, 1, {.pane = pane, .lanes = true});
      EXPECT_FLOAT_EQ(with.lanes.y + with.lanes.h, with.strip.y);
      EXPECT_FLOAT_EQ(with.scene.h + with.pane.h + with.lanes.h, without.scene.h + without.pane.h);
      EXPECT_LE(with.lanes.h, 196);
      EXPECT_GE(with.scene.h + with.pane.h, with.lanes.h - 1);
    }
  }
  EXPECT_EQ(layout(1280, 720, 1, {.panels = false, .lanes = true}).lanes.h, 0);
  for (const bool pinned : {false, true}) {
    const Layout l = layout(1280, 720, 1, {.left = true, .pinned = pinned, .lanes = true});
    const bool beside = l.left.x + l.left.w <= l.lanes.x, above = l.left.y + l.left.h <= l.lanes.y;
    EXPECT_TRUE(beside || above) << "no lane covers a panel";
  }
  const Layout whole = layout(1280, 720, 1, {.pane = true, .whole = true});
  EXPECT_EQ(whole.scene.h, 0);
  EXPECT_EQ(whole.pane.h, layout(1280, 720, 1, {}).scene.h);
}

TEST(Layout, APictureKeepsItsShapeInAnotherSize) {
  const auto expect = [](const Rect& got, const Rect& want) {
    EXPECT_FLOAT_EQ(got.x, want.x);
    EXPECT_FLOAT_EQ(got.y, want.y);
    EXPECT_FLOAT_EQ(got.w, want.w);
    EXPECT_FLOAT_EQ(got.h, want.h);
  };
  expect(fitted(1920, 1080, 1920, 1080), {0, 0, 1920, 1080});
  expect(fitted(3840, 2160, 960, 720), {0, 90, 960, 540});
  expect(fitted(100, 200, 800, 600), {250, 0, 300, 600});
  expect(fitted(100, 200, 0, 0), {0, 0, 0, 0});
}

}  // namespace
}  // namespace tri::app::gui
