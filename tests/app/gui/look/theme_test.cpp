// Colours: contrast in both themes, computed.

#include "app/gui/look/theme.hpp"
#include "app/gui/look/imgui_versions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_layer.hpp"
#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/rank_ink.hpp"
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

/// CIE Lab of a colour as seen by this kind of reader: a matrix on linear RGB (Machado, Oliveira and Fernandes 2009).
std::array<double, 3> lab_of(ImU32 colour, const std::array<double, 9>& seen) {
  std::array<double, 3> linear{}, rgb{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double v = (colour >> (8 * k) & 255) / 255.0;
    linear[k] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t c = 0; c < 3; ++c) rgb[k] += seen[3 * k + c] * linear[c];
    rgb[k] = std::clamp(rgb[k], 0.0, 1.0);
  }
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4125 * rgb[0] + 0.3576 * rgb[1] + 0.1804 * rgb[2]) / 0.9505);
  const double y = f(0.2127 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = f((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9503 * rgb[2]) / 1.0888);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(Theme, EveryoneTellsRanksApart) {
  static_assert(IM_COL32_R_SHIFT == 0 && IM_COL32_G_SHIFT == 8 && IM_COL32_B_SHIFT == 16);
  const std::array<double, 9> readers[] = {
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},   // protanopia
      {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},    // deuteranopia
      {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900}};  // tritanopia
  for (const bool dark : {true, false}) {
    ImguiContext context(1);
    context.set_theme(dark);
    for (u32 a = 0; a < kRankColours; ++a) {
      EXPECT_GE(contrast(rank_colour(a), theme().panel), 3) << a << dark;
      EXPECT_GE(contrast(ink_on(rank_colour(a)), rank_colour(a)), 3.9) << a << dark;
      EXPECT_EQ(rank_colour(a), rank_colour(a + kRankColours));
      for (u32 b = 0; b < a; ++b) {
        for (const auto& seen : readers) {
          const auto x = lab_of(rank_colour(a), seen), y = lab_of(rank_colour(b), seen);
          EXPECT_GE(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]), 15) << a << b << dark << &seen - readers;
        }
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
        EXPECT_NE(letter_of(face(which), letter), nullptr) << static_cast<unsigned>(letter);
      }
    }
    for (const ImWchar letter : {u'\u03c9', u'\u230a', u'\u221a', u'i', u'7'}) {
      EXPECT_NE(letter_of(face(Face::formula), letter), nullptr) << static_cast<unsigned>(letter);
    }
    EXPECT_NE(letter_of(face(Face::icon), 0xe037), nullptr);
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
