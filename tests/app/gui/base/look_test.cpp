// How the window looks: themes, inks, glyphs, formulas, plots.
//
// Colours: contrast in both themes, computed.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "app/gui/base/widgets.hpp"
#include "tests/app/gui/base/gui_support.hpp"

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

TEST(Theme, HighContrastIsHigh) {
  for (const bool dark : {true, false}) {
    const Theme& t = theme_of(dark, true);
    for (const ImU32 below : {t.panel, t.raised, t.selected, t.page}) {
      for (const ImU32 ink : {t.text, t.text2, t.text3, t.record, t.fault, t.running}) {
        EXPECT_GE(contrast(ink, below), 7) << dark << below;
      }
      EXPECT_GE(contrast(t.focus, below), 7) << dark;
    }
    EXPECT_GE(contrast(t.disabled, t.panel), 7) << dark;
    for (const ImU32 mark : {t.idle, t.line, t.edge}) EXPECT_GE(contrast(mark, t.panel), 3) << dark;
    for (const ImU32 below : {t.edge, t.line}) EXPECT_GE(contrast(t.text, below), 4.5) << "the frame strip " << dark;
  }
  ImguiContext context(1);
  context.set_theme(true, true);
  EXPECT_EQ(&theme(), &theme_of(true, true));
  const ImU32 rank = rank_colour(0);
  context.set_scale(2);
  EXPECT_EQ(&theme(), &theme_of(true, true)) << "after another scale, too";
  context.set_theme(true);
  EXPECT_EQ(rank_colour(0), rank) << "ranks have the colours of the dark theme";
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
  forget_system_glyphs();  // of tests before this one
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
    for (const char* letter : {"i", "m", ".", "7", "^", "\u03c9"}) {
      EXPECT_EQ(width_in(Face::code, letter), width_in(Face::code, "0")) << letter;
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
  EXPECT_EQ(three_digits(1.5e7), "1.5 \u00d7 10\u2077");
  EXPECT_EQ(three_digits(-2e-5), "\u22122 \u00d7 10\u207b\u2075");
  EXPECT_EQ(three_digits(123456), "123,000");
  EXPECT_EQ(three_digits(0.0005), "0.0005");
  EXPECT_EQ(three_digits(-0.5), "\u22120.5");
  EXPECT_EQ(number_text(-2e-5, 4), "\u22122 \u00d7 10\u207b\u2075");
  EXPECT_EQ(number_text(1378, 6), "1,378");
  EXPECT_EQ(number_text(1378.25, 6), "1,378.25");
  EXPECT_EQ(number_text(99999.6, 4), "100,000");
  EXPECT_EQ(number_text(-0.0125, 4), "\u22120.0125");
  EXPECT_EQ(number_text(0, 4), "0");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity(), 4), "not finite");
  EXPECT_EQ(with_powers("rows below 2^31, 10^-4"), "rows below 2\u00b3\u00b9, 10\u207b\u2074");
  EXPECT_EQ(time_text(0.0162), "16.2 \u00b5s");
  EXPECT_EQ(time_text(0.9999), "1.00 ms");
  EXPECT_EQ(time_text(0.0007), "0.700 \u00b5s") << "below 0.655 \u00b5s in a column";
  EXPECT_EQ(time_text(1420), "1.42 s");
  EXPECT_EQ(time_text(0), "0 ms");
  EXPECT_EQ(times_text(1.476), "1.48 \u00d7");
  EXPECT_EQ(times_text(0.0261), "0.026 \u00d7");
  EXPECT_EQ(power_text(-3.14e-7), "\u22123.1 \u00d7 10\u207b\u2077");
  EXPECT_EQ(power_text(2.5e12, 2), "2.5 \u00d7 10\u00b9\u00b2");
  EXPECT_EQ(power_text(0), "0");
  EXPECT_EQ(power_text(0.27), "0.27") << "and not 2.7 \u00d7 10\u207b\u00b9";
  EXPECT_EQ(power_text(-0.00123), "\u22120.0012");
  EXPECT_EQ(power_text(9.99e-4), "0.001") << "it is rounded first";
  EXPECT_EQ(power_text(9.94e-4), "9.9 \u00d7 10\u207b\u2074");
  EXPECT_EQ(power_text(12345), "12,000");
  EXPECT_EQ(power_text(99'600), "1.0 \u00d7 10\u2075");
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

// The ink of maps: one for each map of a domain, by its name alone.

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
double ink_contrast(ImU32 a, ImU32 b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST_F(Inks, AreReadableInBothThemes) {
  for (const bool dark : {true, false}) {
    context.set_theme(dark);
    const ImU32 panel = ImGui::GetColorU32(ImGuiCol_WindowBg);
    for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
      for (const MapInfo& map : maps) EXPECT_GE(ink_contrast(map_ink(map.name).colour, panel), 4.9) << map.name << dark;
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

// Letters: Latin, Greek and Cyrillic are there; others come from a font of the system, once they are asked for.

/// Builds the faces, as the window does when it uploads them.
void build_faces() {
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
}

TEST(Letters, OfThreeAlphabetsAreThere) {
  ImguiContext context(1);
  build_faces();
  EXPECT_FALSE(want_glyphs("caf\u00e9 \u03bb\u03c9 \u0417\u0432\u0451\u0437\u0434\u044b \u2212 \u2026 \u00d7"));
  EXPECT_FALSE(want_glyphs("\xe4\xb8")) << "cut in the middle of a letter";
  for (const ImWchar letter : {0xe9, 0x3bb, 0x417, 0x451, 0x44b, 0x2212, 0x2026}) {
    EXPECT_NE(letter_of(face(Face::body), letter), nullptr) << letter;
  }
}

TEST(Letters, OfOthersComeFromTheSystem) {
  if (!system_font_with({0x661f})) GTEST_SKIP() << "no font of this system has Chinese letters";
  ImguiContext context(1);
  build_faces();
  EXPECT_EQ(letter_of(face(Face::body), 0x661f), nullptr);
  EXPECT_TRUE(want_glyphs("\u661f\u56e2.csv"));
  EXPECT_FALSE(want_glyphs("\u56e2 \u661f")) << "each letter once";
  load_faces(1);
  build_faces();
  for (const Face which : {Face::body, Face::strong, Face::caption, Face::title}) {
    const ImFontGlyph* glyph = letter_of(face(which), 0x661f);
    ASSERT_NE(glyph, nullptr);
    EXPECT_GT(glyph->X1 - glyph->X0, 0.5f * height_of(face(which))) << "a wide letter";
    EXPECT_EQ(letter_of(face(which), 0x9f8d), nullptr) << "nobody asked for it";
    EXPECT_NE(letter_of(face(which), 'a'), nullptr);
  }
}

TEST(SystemFont, IsNoneForLettersThatNobodyHas) {
  EXPECT_FALSE(system_font_with({}));
  EXPECT_FALSE(system_font_with({0xfdd0})) << "not a letter";
}

// Formulas: how their parts are read, and that every map's can be set.

using Kind = FormulaBox::Kind;

/// The structure as text: floor{...}, sqrt{...}, 1/4, a^{..}, a_{..}.
std::string shape(const FormulaBox& box) {
  std::string inside;
  for (const FormulaBox& part : box.parts) inside += shape(part);
  switch (box.kind) {
    case Kind::text:
      return box.text;
    case Kind::fraction:
      return shape(box.parts[0]) + "/" + shape(box.parts[1]);
    case Kind::root:
      return "root" + box.text + "{" + inside + "}";
    case Kind::floor:
      return "floor{" + inside + "}";
    case Kind::raised:
      return "^{" + inside + "}";
    case Kind::lowered:
      return "_{" + inside + "}";
    case Kind::row:
      break;
  }
  return inside;
}

struct FormulaTest : testing::Test {
  ImguiContext context{1};
  FormulaTest() {
    unsigned char* pixels = nullptr;
    int w = 0, h = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &w, &h);
  }
  static std::string all(const char* text) {
    std::string out;
    for (const FormulaBox& clause : set_formula(text, 1)) out += (out.empty() ? "" : " | ") + shape(clause);
    return out;
  }
};

TEST_F(FormulaTest, PartsAreReadAsTheyAreMeant) {
  EXPECT_EQ(all("i = floor(sqrt(2w + 1/4) - 1/2)"), "i = floor{root{2\u03c9 + 1/4} \u2212 1/2}");
  EXPECT_EQ(all("j = w - i(i+1)/2"), "j = \u03c9 \u2212 i(i + 1)/2");
  EXPECT_EQ(all("z = floor(cbrt(6w)), (y, x) = lambda(w - T3(z))"),
            "z = floor{root3{6\u03c9}} | (y, x) =  lambda (\u03c9 \u2212 T_{3}(z))");
  EXPECT_EQ(all("s = m0 2^(l-1)"), "s = m_{0}2^{l \u2212 1}");
  EXPECT_EQ(all("c < m ? a : b"), "c < m ? a : b");
}

TEST_F(FormulaTest, SizesContainTheirParts) {
  for (const auto maps : {triangle_maps(), tetra_maps(), gasket_maps()}) {
    for (const MapInfo& map : maps) {
      const auto clauses = set_formula(map.formula, 1);
      ASSERT_FALSE(clauses.empty()) << map.name;
      for (const FormulaBox& clause : clauses) {
        EXPECT_GT(clause.width, 0) << map.name;
        EXPECT_GT(clause.up, 0);
        for (const FormulaBox& part : clause.parts) {
          EXPECT_LE(part.up, clause.up) << map.name;
          EXPECT_LE(part.down, clause.down) << map.name;
        }
      }
    }
  }
  const auto root = set_formula("sqrt(1/4)", 1), plain = set_formula("1/4", 1);
  EXPECT_GT(root[0].up, plain[0].up) << "the line above";
  EXPECT_GT(root[0].width, plain[0].width) << "the sign before";
  const auto large = set_formula("sqrt(1/4)", 1, true);
  EXPECT_NEAR(large[0].width, 1.5 * root[0].width, 3);
  EXPECT_NEAR(large[0].up, 1.5 * root[0].up, 1e-3);
  const auto small = set_formula("floor(sqrt(1/4) - 1/2) + 1", 1, false, 0.6f);
  const auto usual = set_formula("floor(sqrt(1/4) - 1/2) + 1", 1);
  EXPECT_NEAR(small[0].width, 0.6 * usual[0].width, 3) << "fractions, too";
}

TEST_F(FormulaTest, UnfinishedTextsAreSetToo) {
  for (const char* text : {"", "floor(", "sqrt(2w", "^", "(", ")", "1/", "a^", ",,;"})
    EXPECT_NO_THROW(set_formula(text, 1));
}

// A number under the pointer: which frames change it, and which of them begins what undo takes back.

class DraggedNumber : public PanelFixture {
 protected:
  /// A frame with the pointer so many pixels right of the middle of the field; what the field says.
  Dragged at(float pixels, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {middle_.x + pixels, middle_.y};
    io.MouseDown[0] = down;
    Dragged dragged = Dragged::no;
    frame([&] {
      dragged = dragged_number("eps", value, "", [&](double number) { return takes(number); });
      const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
      middle_ = {least.x + 100, (least.y + most.y) / 2};
    });
    return dragged;
  }
  /// Releases the button, and presses it later than a double click would.
  void press_it() {
    ImGui::GetIO().DeltaTime = 1;
    at(0, false);
    at(0, false);
    at(0, true);
  }
  ~DraggedNumber() override { at(0, false); }

  double value = 1;
  std::function<bool(double)> takes = [](double) { return true; };

 private:
  ImVec2 middle_{};
};

TEST_F(DraggedNumber, BeginsOnceAndGoesOn) {
  press_it();
  EXPECT_EQ(at(50, true), Dragged::begins);
  EXPECT_GT(value, 1.1);
  const double before = value;
  EXPECT_EQ(at(50, true), Dragged::no) << "the pointer rests";
  EXPECT_EQ(at(100, true), Dragged::goes_on);
  EXPECT_GT(value, before);
  press_it();
  EXPECT_EQ(at(-50, true), Dragged::begins) << "another drag";
}

TEST_F(DraggedNumber, WhatIsRefusedBeginsNothing) {
  takes = [](double number) { return number < 1 || number > 1.2; };
  press_it();
  EXPECT_EQ(at(20, true), Dragged::no);
  EXPECT_EQ(value, 1) << "refused";
  EXPECT_EQ(at(100, true), Dragged::begins) << "the first that is taken begins what undo takes back";
  EXPECT_GT(value, 1.2);
  const double taken = value;
  EXPECT_EQ(at(30, true), Dragged::no);
  EXPECT_EQ(value, taken) << "refused on the way";
  EXPECT_EQ(at(120, true), Dragged::goes_on);
}

// Sliders beside a number, tooltips, and what cannot be used.

class Hands : public PanelFixture {
 protected:
  void point(ImVec2 at, bool down, bool ctrl, const std::function<void()>& panel) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = at, io.MouseDown[0] = down;
    set_control(ctrl);
    frame(panel);
  }
  ImVec2 middle{};
  std::function<void()> slider = [this] {
    changed = bare_slider("##speed", value, 0.02, 200, "%.4g", true) || changed;
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    middle = {(low.x + high.x) / 2, (low.y + high.y) / 2};
  };
  double value = 2;
  bool changed = false;
};

TEST_F(Hands, ANumberIsReadOnTheHandleOfItsSlider) {
  context.set_theme(true);
  float share = 0.5f;
  frame([&] { ImGui::SliderFloat("share", &share, 0, 1, "%.2f", 0); });
  const auto& drawn = ImGui::FindWindowByName("test")->DrawList->VtxBuffer;
  const auto has = [&](ImU32 colour) {
    return std::any_of(drawn.begin(), drawn.end(), [&](const ImDrawVert& v) { return v.col == colour; });
  };
  EXPECT_TRUE(has(theme().idle)) << "the handle";
  EXPECT_GE(contrast(theme().text, theme().idle), 4);
}

TEST_F(Hands, ASliderMovesByItsLogarithm) {
  frame(slider), frame(slider);
  const ImVec2 at = middle;
  point(at, false, false, slider), point(at, true, false, slider), point(at, true, false, slider);
  EXPECT_NEAR(value, 2, 0.1);
  point({at.x + 60, at.y}, true, false, slider), point({at.x + 60, at.y}, false, false, slider);
  EXPECT_GT(value, 4);
  EXPECT_LT(value, 200);
}

TEST_F(Hands, ControlAndAClickTypeTheNumberThatIsShown) {
  value = 13.04;
  frame(slider), frame(slider);
  const ImVec2 at = middle;
  point(at, false, true, slider), point(at, true, true, slider), point(at, false, false, slider);
  const std::string shown = frame(slider);
  EXPECT_NE(shown.find("13.04"), std::string::npos) << shown;
  frame(slider);
  ImGui::GetIO().AddInputCharactersUTF8("250");
  frame(slider);
  EXPECT_FALSE(changed) << "not before it is left";
  set_key(ImGuiKey_Enter, true), frame(slider), set_key(ImGuiKey_Enter, false), frame(slider);
  EXPECT_TRUE(changed);
  EXPECT_EQ(value, 250) << "beyond the end of the slider";
  EXPECT_EQ(frame(slider).find("250"), std::string::npos) << "a slider again";
  float share = 0.5f;
  const auto launched = [&] { launched_slider("##omega", share, 60); };
  frame(launched);
  EXPECT_FLOAT_EQ(share, 0.5f);
}

TEST_F(Hands, WhatCannotBeUsedHasItsInk) {
  const auto inks = [&](bool enabled) {
    std::vector<ImU32> found;
    frame([&] {
      ImDrawList& draw = *ImGui::GetWindowDrawList();
      const int from = draw.VtxBuffer.Size;
      button("words", "", {enabled, "a reason"});
      for (int k = from; k < draw.VtxBuffer.Size; ++k) found.push_back(draw.VtxBuffer[k].col);
    });
    return found;
  };
  const auto has = [&](bool enabled, ImU32 ink) {
    const std::vector<ImU32> all = inks(enabled);
    return std::find(all.begin(), all.end(), ink) != all.end();
  };
  EXPECT_TRUE(has(true, theme().text) && !has(true, theme().disabled));
  EXPECT_TRUE(has(false, theme().disabled) && !has(false, theme().text));
}

// Plots under a user's hands: wheel, drag, box, double click, axes, CSV.

PlotSpec squares(const char* id) {
  PlotSpec plot{id, "squares", {}, "x", {{"x^2", {}}, {"none", {}}}};
  for (int k = 1; k <= 16; ++k) {
    plot.x.push_back(k), plot.lines[0].y.push_back(k * k);
    plot.lines[1].y.push_back(k % 2 ? std::numeric_limits<double>::quiet_NaN() : 0);
  }
  plot.height = 200, plot.width = 400;
  return plot;
}

class Plots : public PanelFixture {
 protected:
  void hold_ctrl(bool down) {
#if IMGUI_VERSION_NUM >= 18700
    io.AddKeyEvent(ImGuiMod_Ctrl, down);
#else
    io.KeyCtrl = down;
#endif
  }
  /// A frame in which the pointer is there; the plot's upper left corner is that of the window's content.
  void look(const PlotSpec& plot, float x, float y) {
    ImGui::GetIO().MousePos = {x, y};
    frame([&] { draw_plot(plot, 1); });
  }
  ImGuiIO& io = ImGui::GetIO();
};

TEST_F(Plots, TheWheelZoomsAndADoubleClickShowsAll) {
  const PlotSpec plot = squares("wheel");
  const PlotView& view = plot_view("wheel");
  look(plot, 200, 150);
  look(plot, 200, 150);
  EXPECT_FALSE(view.x || view.y);
  io.MouseWheel = 2;
  look(plot, 200, 150);
  ASSERT_TRUE(view.x && view.y);
  EXPECT_NEAR(view.x->length(), 15 / (kZoomStep * kZoomStep), 1e-9);
  EXPECT_GE(view.x->low, 1);
  EXPECT_LE(view.x->high, 16);
  const Extent before = *view.x;
  io.MouseWheel = 0, io.MouseDown[0] = true;
  look(plot, 200, 150);
  look(plot, 240, 150);
  EXPECT_LT(view.x->low, before.low) << "the plot follows the pointer";
  EXPECT_NEAR(view.x->length(), before.length(), 1e-9);
  io.MouseDown[0] = false;
  look(plot, 240, 150);
  for (const bool down : {true, false, true}) {
    io.MouseDown[0] = down;
    look(plot, 240, 150);
  }
  EXPECT_FALSE(view.x || view.y);
}

/// A chart under the pointer held up the panel, and ended far from where it was.
TEST_F(Plots, InAPanelThatScrollsTheWheelScrolls) {
  const PlotSpec plot = squares("low");
  const PlotView& view = plot_view("low");
  float scrolled = 0;
  const auto look_at = [&] {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({520, 150});
    ImGui::Begin("low panel");
    draw_plot(plot, 1);
    scrolled = ImGui::GetScrollY();
    ImGui::End();
    ImGui::Render();
  };
  io.MousePos = {200, 100};
  look_at(), look_at();
  io.MouseWheel = -1;
  look_at();
  io.MouseWheel = 0;
  look_at(), look_at();
  EXPECT_FALSE(view.x || view.y);
  EXPECT_GT(scrolled, 0);
  const float before = scrolled;
  hold_ctrl(true);
  io.MouseWheel = 1;
  look_at();
  io.MouseWheel = 0;
  look_at(), look_at();
  hold_ctrl(false);
  EXPECT_TRUE(view.x && view.y);
  EXPECT_EQ(scrolled, before);
}

TEST_F(Plots, ABoxIsShown) {
  const PlotSpec plot = squares("box");
  const PlotView& view = plot_view("box");
  look(plot, 150, 100);
  look(plot, 150, 100);
  io.MouseDown[1] = true;
  look(plot, 150, 100);
  look(plot, 250, 160);
  io.MouseDown[1] = false;
  look(plot, 250, 160);
  ASSERT_TRUE(view.x && view.y);
  EXPECT_LT(view.x->length(), 5);
  EXPECT_LT(view.y->length(), 128);
  EXPECT_GT(view.x->low, 1);
}

TEST_F(Plots, EachAxisMayBeLogarithmic) {
  const PlotSpec plot = squares("axes");
  plot_view("axes").log_x = true, plot_view("axes").log_y = true;
  look(plot, 200, 150);
  io.MouseWheel = 1;
  look(plot, 200, 150);
  const PlotView& view = plot_view("axes");
  ASSERT_TRUE(view.x && view.y);
  EXPECT_NEAR(view.x->length(), std::log10(16.0) / kZoomStep, 1e-9) << "zoomed on its own scale";
  EXPECT_LE(view.y->high, std::log10(256.0) * 1.06);
}

TEST_F(Plots, AreWrittenAsCsvWhenDrawnNext) {
  const PlotSpec plot = squares("csv");
  const std::string text = plot_csv(plot);
  EXPECT_EQ(text.substr(0, text.find("3,")), "x,x^2,none\n1,1,\n2,4,0\n");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 17);
  save_plot("csv", "a.csv");
  EXPECT_TRUE(release_plot_files().empty()) << "not drawn yet";
  look(squares("another"), 0, 0);
  EXPECT_TRUE(release_plot_files().empty());
  look(plot, 0, 0);
  const std::vector<PlotFile> files = release_plot_files();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].path, "a.csv");
  EXPECT_EQ(files[0].text, text);
  look(plot, 0, 0);
  EXPECT_TRUE(release_plot_files().empty()) << "once";
}

}  // namespace
}  // namespace tri::app::gui
