// The ink of maps: one for each map of a domain, by its name alone.

#include "app/gui/look/map_ink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
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

/// Relative luminance of sRGB, and the contrast of two colours (WCAG 2.1).
double luminance(ImU32 colour) {
  const auto linear = [&](int shift) {
    const double v = (colour >> shift & 255) / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(IM_COL32_R_SHIFT) + 0.7152 * linear(IM_COL32_G_SHIFT) + 0.0722 * linear(IM_COL32_B_SHIFT);
}
double contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST_F(Inks, AreReadableInBothThemes) {
  for (const bool dark : {true, false}) {
    context.set_theme(dark);
    const ImU32 panel = ImGui::GetColorU32(ImGuiCol_WindowBg);
    for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
      for (const MapInfo& map : maps) EXPECT_GE(contrast(map_ink(map.name).colour, panel), 4.9) << map.name << dark;
    }
    EXPECT_EQ(map_ink("fill").colour, ImGui::GetColorU32(ImGuiCol_Text));
  }
}

class Strokes : public Inks {
 protected:
  /// Which of the points k + 3/4 along 55 pixels right and 65 down, from (100, 100), the stroke covers (ImGui's lines
  /// are half a pixel off its polylines, so points are between both); and the widest that it is.
  struct Stroke {
    std::array<bool, 120> on{};
    float width = 0;
  };
  static Stroke drawn(const MapInk& ink, float width) {
    ImGui::NewFrame();
    ImGui::Begin("test");
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.Flags = ImDrawListFlags_None;  // without the soft edges, whose pixels are outside the stroke
    const int from = draw.IdxBuffer.Size;
    draw_inked(draw, {{100, 100}, {155, 100}, {155, 165}}, ink, width);
    Stroke stroke;
    for (int k = from; k + 2 < draw.IdxBuffer.Size; k += 3) {
      ImVec2 low(1e9f, 1e9f), high(-1e9f, -1e9f);
      for (int c = 0; c < 3; ++c) {
        const ImDrawVert& v = draw.VtxBuffer[draw.IdxBuffer[k + c]];
        EXPECT_EQ(v.col, ink.colour);
        low.x = std::min(low.x, v.pos.x), low.y = std::min(low.y, v.pos.y);
        high.x = std::max(high.x, v.pos.x), high.y = std::max(high.y, v.pos.y);
      }
      // Triangles of an axis-parallel piece have its box.
      stroke.width = std::max(stroke.width, std::min(high.x - low.x, high.y - low.y));
      for (std::size_t at = 0; at < stroke.on.size(); ++at) {
        const float along = static_cast<float>(at) + 0.75f;
        const ImVec2 p = along < 55 ? ImVec2{100 + along, 100.25f} : ImVec2{155.25f, 45 + along};
        if (low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y) stroke.on[at] = true;
      }
    }
    ImGui::End();
    ImGui::Render();
    return stroke;
  }
};

TEST_F(Strokes, HaveTheirDashesAlsoAroundACorner) {
  const Stroke stroke = drawn({IM_COL32_WHITE, 1, {6, 4, 2, 4}}, 1);
  for (std::size_t at = 0; at < stroke.on.size(); ++at) {
    if (at >= 52 && at < 58) continue;  // the corner, where the pieces are as wide as they are long
    const std::size_t phase = at % 16;
    EXPECT_EQ(stroke.on[at], phase < 6 || (phase >= 10 && phase < 12)) << "pixel " << at;
  }
}

TEST_F(Strokes, AreAsLongAndAsWideAsTheirInk) {
  for (const auto& dash : {std::vector<float>{}, std::vector<float>{6, 3}}) {
    const Stroke thin = drawn({IM_COL32_WHITE, 0.6f, dash}, 2), wide = drawn({IM_COL32_WHITE, 2, dash}, 2);
    if (dash.empty()) {
      EXPECT_EQ(std::count(wide.on.begin(), wide.on.end(), true), 120) << "without gaps";
    } else {
      // 12 pixels and 6: the pattern is in widths of the line.
      for (const std::size_t at : {6u, 24u, 42u}) EXPECT_TRUE(wide.on[at]) << at;
      for (const std::size_t at : {15u, 33u, 51u}) EXPECT_FALSE(wide.on[at]) << at;
      EXPECT_NEAR(thin.width, 1.2, 0.01);
      EXPECT_NEAR(wide.width, 4, 0.01);
    }
  }
}

}  // namespace
}  // namespace tri::app::gui
