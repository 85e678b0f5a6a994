#pragma once
/// Formulas of maps set as in a book: italic names, fractions, roots and floors as drawn lines.
///
/// The text is that of MapInfo::formula: names, numbers, operators, brackets, and the functions floor, sqrt, sqrtf,
/// cbrt, rsqrtf and log2; `w` is omega. Longer words are set as words.

#include <imgui.h>

#include <string>
#include <string_view>
#include <vector>

namespace tri::app::gui {

/// A part of a formula. Sizes are pixels; `up` and `down` are measured from the base line.
struct FormulaBox {
  enum class Kind : unsigned char { text, row, fraction, root, floor, raised, lowered };
  Kind kind = Kind::row;
  std::string text;               ///< of a text; the index of a root
  bool italic = false;            ///< of a text
  bool words = false;             ///< in the letters of the panels
  bool large = false;             ///< in Face::display
  std::vector<FormulaBox> parts;  ///< of a fraction: above and below
  float width = 0, up = 0, down = 0;
};

/// The clauses of a formula, which commas and semicolons outside brackets separate; each is to have a line.
/// large: in Face::display.
std::vector<FormulaBox> set_formula(std::string_view text, float scale, bool large = false);
/// Draws one, at the scale at which it was set, with the left end of its base line there.
void draw_formula(ImDrawList& draw, const FormulaBox& box, ImVec2 base, ImU32 colour, float scale);

}  // namespace tri::app::gui
