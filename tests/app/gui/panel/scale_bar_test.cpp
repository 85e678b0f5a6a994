// The scale bar over the scene: what it draws, and where.

#include "app/gui/panel/scale_bar.hpp"

#include <algorithm>

#include "app/gui/base/gui_state.hpp"
#include "render/scale_bar.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

class ScaleBarTest : public PanelFixture {
 protected:
  /// The box around all that is drawn over this scene; empty: low is above high.
  struct Drawn {
    ImVec2 low{1e9f, 1e9f}, high{-1e9f, -1e9f};
    int count = 0;
  };
  Drawn draw(const Rect& scene, const std::string& unit, const std::string& clock, float scale) {
    Drawn drawn;
    frame([&] {
      ImDrawList list(ImGui::GetDrawListSharedData());
      list._ResetForNewFrame();
      list.PushClipRectFullScreen();
      list.PushTextureID(ImGui::GetIO().Fonts->TexID);
      panel::scale_bar(list, camera, scene, unit, clock, scale);
      drawn.count = list.VtxBuffer.Size;
      for (const ImDrawVert& v : list.VtxBuffer) {
        drawn.low = {std::min(drawn.low.x, v.pos.x), std::min(drawn.low.y, v.pos.y)};
        drawn.high = {std::max(drawn.high.x, v.pos.x), std::max(drawn.high.y, v.pos.y)};
      }
    });
    return drawn;
  }
  render::Camera camera;
};

TEST_F(ScaleBarTest, StandsInTheCornerAtItsLength) {
  const Rect scene{48, 10, 700, 500};
  for (const float scale : {1.0f, 1.5f}) {
    const Drawn bar = draw(scene, "", "", scale);
    ASSERT_GT(bar.count, 8) << "a line, its shadow and a number";
    const float right = scene.x + scene.w - 16 * scale, bottom = scene.y + scene.h - 16 * scale;
    EXPECT_NEAR(bar.high.x, right + scale, 1);
    EXPECT_NEAR(bar.high.y, bottom + scale, 1);
    EXPECT_NEAR(bar.low.x, right - render::scale_bar(camera, scene.h, 120 * scale).pixels, 1);
    const Drawn more = draw(scene, "kpc", "t = 887 Myr", scale);
    EXPECT_GT(more.count, bar.count) << "unit and clock";
    EXPECT_LT(more.low.y, bar.low.y - 8) << "the clock is above";
  }
}

TEST_F(ScaleBarTest, LeavesASmallSceneAlone) {
  EXPECT_EQ(draw({0, 0, 150, 500}, "kpc", "t = 1", 1).count, 0);
  EXPECT_EQ(draw({0, 0, 350, 350}, "kpc", "t = 1", 2).count, 0);
}

}  // namespace
}  // namespace tri::app::gui
