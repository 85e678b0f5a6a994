// Colours: contrast in both themes, computed.

#include "app/gui/look/theme.hpp"

#include <gtest/gtest.h>

#include <string>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_layer.hpp"
#include "app/gui/look/map_ink.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

TEST(Theme, ContrastIsThatOfTheGuidelines) {
  EXPECT_NEAR(contrast(IM_COL32_BLACK, IM_COL32_WHITE), 21, 1e-9);
  EXPECT_NEAR(contrast(IM_COL32(119, 119, 119, 255), IM_COL32_WHITE), 4.48, 0.005);
  EXPECT_DOUBLE_EQ(contrast(IM_COL32(10, 90, 30, 255), IM_COL32(200, 9, 0, 255)),
                   contrast(IM_COL32(200, 9, 0, 255), IM_COL32(10, 90, 30, 255)));
}

TEST(Theme, TextAndMarksStandOutInBothThemes) {
  for (const bool dark : {true, false}) {
    const Theme& t = theme_of(dark);
    for (const ImU32 below : {t.panel, t.raised, t.selected, t.page}) {
      for (const ImU32 ink : {t.text, t.text2, t.text3}) EXPECT_GE(contrast(ink, below), 4.5) << dark;
      for (const ImU32 ink : {t.record, t.fault, t.running, t.focus}) EXPECT_GE(contrast(ink, below), 3) << dark;
    }
    EXPECT_GE(contrast(t.disabled, t.panel), 4.5) << dark;
    EXPECT_GE(contrast(t.idle, t.panel), 3) << dark;
    for (const ImU32 below : {t.edge, t.line}) EXPECT_GE(contrast(t.text, below), 4.5) << "the frame strip " << dark;
    EXPECT_GE(contrast(t.panel, t.text), 4.5) << "the button Play " << dark;
  }
}

TEST(Theme, EveryMapIsReadableOnItsRow) {
  for (const bool dark : {true, false}) {
    ImguiContext context(1);
    context.set_theme(dark);
    for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
      for (const MapInfo& map : maps) {
        EXPECT_GE(contrast(map_ink(map.name).colour, theme().panel), 4.5) << map.name << dark;
        EXPECT_GE(contrast(map_ink(map.name).colour, theme().selected), 4.5) << map.name << dark;
        EXPECT_GE(contrast(map_ink(map.name).colour, theme().page), 4.5) << "steps in the strip " << map.name << dark;
      }
    }
  }
}

TEST(Type, DigitsHaveOneWidthAndLettersAreThere) {
  for (const float scale : {1.0f, 1.5f, 2.0f, 3.0f}) {
    ImguiContext context(scale);
    unsigned char* pixels = nullptr;
    int w = 0, h = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);
    EXPECT_LE(w, 4096) << scale;
    EXPECT_LE(h, 8192) << scale;
    for (const Face which : {Face::body, Face::strong, Face::caption, Face::title, Face::figure}) {
      for (char digit = '1'; digit <= '9'; ++digit) {
        const char text[] = {digit, 0};
        EXPECT_EQ(width_in(which, text), width_in(which, "0")) << digit;
      }
      for (const ImWchar letter : {u'\u03c9', u'\u0436', u'\u00d7', u'\u2212', u'\u2077', u'\u00b5'}) {
        EXPECT_NE(face(which)->FindGlyphNoFallback(letter), nullptr) << static_cast<unsigned>(letter);
      }
    }
    for (const ImWchar letter : {u'\u03c9', u'\u230a', u'\u221a', u'i', u'7'}) {
      EXPECT_NE(face(Face::formula)->FindGlyphNoFallback(letter), nullptr) << static_cast<unsigned>(letter);
    }
    EXPECT_NE(face(Face::icon)->FindGlyphNoFallback(0xe037), nullptr);
  }
}

TEST(Figures, AreWrittenAsPeopleReadThem) {
  EXPECT_EQ(three_digits(0.0123), "0.0123");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(-1234.4), "\u22121,234");
  EXPECT_EQ(three_digits(1.5e7), "1.5e+07");
  EXPECT_EQ(time_text(0.0162), "16.2 \u00b5s");
  EXPECT_EQ(time_text(0.9999), "1.00 ms");
  EXPECT_EQ(time_text(1420), "1.42 s");
  EXPECT_EQ(time_text(0), "0 ms");
  EXPECT_EQ(times_text(1.476), "1.48 \u00d7");
  EXPECT_EQ(times_text(0.0261), "0.026 \u00d7");
  EXPECT_EQ(power_text(-3.14e-7), "\u22123.1 \u00d7 10\u207b\u2077");
  EXPECT_EQ(power_text(2.5e12, 2), "2.5 \u00d7 10\u00b9\u00b2");
  EXPECT_EQ(power_text(0), "0");
}

TEST(Figures, TextThatDoesNotFitEndsInAnEllipsis) {
  ImguiContext context(1);
  unsigned char* pixels = nullptr;
  int w = 0, h = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);
  const std::string text = "two disk galaxies collide";
  const float all = width_in(Face::body, text.c_str());
  EXPECT_EQ(fitting(Face::body, text, all), text);
  for (const float room : {all - 1, all / 2, 20.0f}) {
    const std::string cut = fitting(Face::body, text, room);
    EXPECT_TRUE(cut.ends_with("\u2026")) << cut;
    EXPECT_LE(width_in(Face::body, cut.c_str()), room) << cut;
  }
}

}  // namespace
}  // namespace tri::app::gui
