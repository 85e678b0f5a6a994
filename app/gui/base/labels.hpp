#pragma once
/// The functions of ImGui that draw a text, with the text in the language in use.
///
/// Within tri::app::gui the name ImGui means this namespace: what is not here is ImGui's own. Items have the ids of
/// their English labels in every language, "Kopieren###Copy".

#include <string>
#include <string_view>

#include <imgui.h>

#include "app/support/language.hpp"

namespace tri::app::gui {

/// A label in the language in use: what is before "##" is its text, and its id that of the English one. It lives as
/// long as the program.
const char* label_text(const char* english);

/// The text with an end of line wherever it is to be broken to be no wider than `width`, in the present font: between
/// words, but not within a number such as "2 \u00d7 10\u207b\u00b9\u00b3" or "1,378". A word that is wider is cut.
std::string in_lines(std::string_view text, float width);

/// After the language was chosen, once a frame: the texts in use are its texts. Where it needs letters that no font of
/// the system has, it becomes English, with a sentence that says so.
struct LanguageChange {
  bool new_glyphs = false;  ///< the faces are to be loaded again
  std::string refusal;
};
LanguageChange follow_language(Language& chosen);

// NOLINTBEGIN(readability-identifier-naming): these are ImGui's names.
namespace ImGui {

using namespace ::ImGui;

bool Begin(const char* name, bool* open = nullptr, ImGuiWindowFlags flags = 0);
bool Button(const char* label, const ImVec2& size = {});
bool SmallButton(const char* label);
bool RadioButton(const char* label, bool active);
bool Checkbox(const char* label, bool* on);
bool Selectable(const char* label, bool selected = false, ImGuiSelectableFlags flags = 0);
bool MenuItem(const char* label, const char* shortcut = nullptr, bool selected = false, bool enabled = true);
bool CollapsingHeader(const char* label, ImGuiTreeNodeFlags flags = 0);
bool BeginCombo(const char* label, const char* preview, ImGuiComboFlags flags = 0);
bool InputDouble(const char* label, double* value, double step, double fast, const char* format);
bool InputScalar(const char* label, ImGuiDataType type, void* value, const void* step = nullptr,
                 const void* fast = nullptr, const char* format = nullptr, ImGuiInputTextFlags flags = 0);
bool DragScalar(const char* label, ImGuiDataType type, void* value, float speed, const void* low, const void* high,
                const char* format);
bool SliderInt(const char* label, int* value, int low, int high);
bool SliderFloat(const char* label, float* value, float low, float high, const char* format,
                 ImGuiSliderFlags flags = 0);
bool SliderScalar(const char* label, ImGuiDataType type, void* value, const void* low, const void* high,
                  const char* format, ImGuiSliderFlags flags = 0);
/// As of imgui_stdlib.h.
bool InputText(const char* label, std::string* text, ImGuiInputTextFlags flags = 0);
bool InputTextWithHint(const char* label, const char* hint, std::string* text, ImGuiInputTextFlags flags = 0);

ImVec2 CalcTextSize(const char* text, const char* end = nullptr, bool hides_id = false, float wrap = -1);
void TextUnformatted(const char* text);
/// What follows the pattern is ImGui's business; a text that is the whole line is in the language in use, too.
void Text(const char* pattern, ...) IM_FMTARGS(1);
void TextDisabled(const char* pattern, ...) IM_FMTARGS(1);
/// As wide as the room that is left, in lines of in_lines().
void TextWrapped(const char* pattern, ...) IM_FMTARGS(1);
void TextColored(const ImVec4& colour, const char* pattern, ...) IM_FMTARGS(2);
void SetTooltip(const char* pattern, ...) IM_FMTARGS(1);
void TableSetupColumn(const char* label);

}  // namespace ImGui
// NOLINTEND(readability-identifier-naming)

}  // namespace tri::app::gui
