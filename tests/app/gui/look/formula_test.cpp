// Formulas: how their parts are read, and that every map's can be set.

#include "app/gui/look/formula.hpp"

#include <gtest/gtest.h>

#include <string>

#include "app/gui/look/imgui_layer.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

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
}

TEST_F(FormulaTest, UnfinishedTextsAreSetToo) {
  for (const char* text : {"", "floor(", "sqrt(2w", "^", "(", ")", "1/", "a^", ",,;"})
    EXPECT_NO_THROW(set_formula(text, 1));
}

}  // namespace
}  // namespace tri::app::gui
