// The ink of maps: one for each map of a domain, by its name alone.

#include "app/gui/look/map_ink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "app/gui/base/bench_choice.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

class Inks : public PanelFixture {
 protected:
  static void expect_own_inks(std::span<const MapInfo> maps) {
    for (const MapInfo& a : maps) {
      EXPECT_NE(map_ink(a.name).colour, map_ink("fill").colour) << a.name << " has no family";
      for (const MapInfo& b : maps) {
        EXPECT_EQ(map_ink(a.name) == map_ink(b.name), std::string(a.name) == b.name) << a.name << ", " << b.name;
      }
    }
  }
};

TEST_F(Inks, EveryMapOfADomainHasItsOwn) {
  for (const bool dark : {true, false}) {
    context.set_theme(dark);
    expect_own_inks(triangle_maps());
    expect_own_inks(tetra_maps());
    expect_own_inks(gasket_maps());
  }
  EXPECT_EQ(map_ink("lambda").colour, map_ink("lambda-stream").colour) << "of one family";
  EXPECT_NE(map_ink("h").colour, map_ink("hybrid").colour) << "a name that only begins like a family's";
}

TEST_F(Inks, ADashedLineHasGapsAndEndsWhereItShould) {
  ImGui::NewFrame();
  ImGui::Begin("test");
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto drawn = [&](const MapInk& ink) {
    const int from = draw.VtxBuffer.Size;
    draw_inked(draw, {{100, 100}, {150, 100}, {150, 160}}, ink, 1);
    float right = 0, below = 0;
    for (int k = from; k < draw.VtxBuffer.Size; ++k) {
      right = std::max(right, draw.VtxBuffer[k].pos.x), below = std::max(below, draw.VtxBuffer[k].pos.y);
    }
    EXPECT_LE(right, 153);
    EXPECT_LE(below, 163);
    EXPECT_GE(below, 150);
    return draw.VtxBuffer.Size - from;
  };
  const int solid = drawn({IM_COL32_WHITE}), dashed = drawn({IM_COL32_WHITE, 1, {6, 4}});
  EXPECT_GE(dashed, 11 * solid / 3) << "110 pixels of 6 drawn and 4 left out are 11 pieces or more";
  ImGui::End();
  ImGui::Render();
}

}  // namespace
}  // namespace tri::app::gui
