// Letters: Latin, Greek and Cyrillic are there; others come from a font of the system, once they are asked for.

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/gui/look/imgui_layer.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/system_font.hpp"
#include "app/gui/look/type.hpp"

namespace tri::app::gui {
namespace {

/// Builds the faces, as the window does when it uploads them.
void build_faces() {
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
}

TEST(Letters, OfThreeAlphabetsAreThere) {
  ImguiContext context(1);
  build_faces();
  EXPECT_FALSE(want_letters("caf\u00e9 \u03bb\u03c9 \u0417\u0432\u0451\u0437\u0434\u044b \u2212 \u2026 \u00d7"));
  EXPECT_FALSE(want_letters("\xe4\xb8")) << "cut in the middle of a letter";
  for (const ImWchar letter : {0xe9, 0x3bb, 0x417, 0x451, 0x44b, 0x2212, 0x2026}) {
    EXPECT_NE(letter_of(face(Face::body), letter), nullptr) << letter;
  }
}

TEST(Letters, OfOthersComeFromTheSystem) {
  if (!system_font_with({0x661f})) GTEST_SKIP() << "no font of this system has Chinese letters";
  ImguiContext context(1);
  build_faces();
  EXPECT_EQ(letter_of(face(Face::body), 0x661f), nullptr);
  EXPECT_TRUE(want_letters("\u661f\u56e2.csv"));
  EXPECT_FALSE(want_letters("\u56e2 \u661f")) << "each letter once";
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
  EXPECT_FALSE(system_font_with({0xfff0})) << "not a letter";
}

}  // namespace
}  // namespace tri::app::gui
