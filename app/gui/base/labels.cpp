#include "app/gui/base/labels.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"

namespace tri::app::gui {
namespace {

/// The line that a pattern and its arguments make, in the language in use.
std::string line_of(const char* pattern, va_list arguments) {
  const char* const text = tr(pattern);
  va_list again;
  va_copy(again, arguments);
  std::string line(static_cast<std::size_t>(std::max(0, std::vsnprintf(nullptr, 0, text, again))), '\0');
  va_end(again);
  std::vsnprintf(line.data(), line.size() + 1, text, arguments);
  return tr(line);
}

/// Handles of sliders that have their number inside: it is read on them, too.
struct InkOnGrab {
  InkOnGrab() {
    for (const ImGuiCol which : {ImGuiCol_SliderGrab, ImGuiCol_SliderGrabActive}) {
      ::ImGui::PushStyleColor(which, theme().idle);
    }
  }
  ~InkOnGrab() { ::ImGui::PopStyleColor(2); }
  InkOnGrab(const InkOnGrab&) = delete;
  InkOnGrab& operator=(const InkOnGrab&) = delete;
};

}  // namespace

const char* label_text(const char* english) {
  if (!translates()) return english;
  static std::map<std::pair<std::string, std::string>, std::string> made;  // by the text, and the English label
  const std::string_view whole(english), shown = whole.substr(0, whole.find("##"));
  std::string text = tr(shown);
  if (text == shown) return english;
  const std::size_t id = whole.find("###");
  const auto [at, is_new] = made.try_emplace({text, std::string(whole)});
  if (is_new)
    at->second = text + (id == std::string_view::npos ? "###" + std::string(whole) : std::string(whole.substr(id)));
  return at->second.c_str();
}

LanguageChange follow_language(Language& chosen) {
  static Language followed = Language::english;
  LanguageChange change;
  if (chosen == followed) return change;
  if (followed == Language::chinese) forget_system_glyphs(), change.new_glyphs = true;
  if (chosen == Language::chinese) {
    std::string letters;
    for (const auto& [english, text] : texts_of(chosen)) letters += text;
    change.new_glyphs = want_glyphs(letters);
    if (!has_system_glyphs()) {
      chosen = Language::english;
      change.refusal =
          "No font of this system has Chinese letters, so the window stays English. Install one, such as "
          "fonts-noto-cjk.";
    }
  }
  followed = chosen;
  use_texts(texts_of(chosen));
  return change;
}

namespace ImGui {

bool Begin(const char* name, bool* open, ImGuiWindowFlags flags) {
  return ::ImGui::Begin(label_text(name), open, flags);
}
bool Button(const char* label, const ImVec2& size) { return ::ImGui::Button(label_text(label), size); }
bool SmallButton(const char* label) { return ::ImGui::SmallButton(label_text(label)); }
bool RadioButton(const char* label, bool active) { return ::ImGui::RadioButton(label_text(label), active); }
bool Checkbox(const char* label, bool* on) { return ::ImGui::Checkbox(label_text(label), on); }
bool Selectable(const char* label, bool selected, ImGuiSelectableFlags flags) {
  return ::ImGui::Selectable(label_text(label), selected, flags);
}
bool MenuItem(const char* label, const char* shortcut, bool selected, bool enabled) {
  return ::ImGui::MenuItem(label_text(label), shortcut, selected, enabled);
}
bool CollapsingHeader(const char* label, ImGuiTreeNodeFlags flags) {
  return ::ImGui::CollapsingHeader(label_text(label), flags);
}
bool BeginCombo(const char* label, const char* preview, ImGuiComboFlags flags) {
  return ::ImGui::BeginCombo(label_text(label), tr(preview), flags);
}
bool InputDouble(const char* label, double* value, double step, double fast, const char* format) {
  return ::ImGui::InputDouble(label_text(label), value, step, fast, format);
}
bool InputScalar(const char* label, ImGuiDataType type, void* value, const void* step, const void* fast,
                 const char* format, ImGuiInputTextFlags flags) {
  return ::ImGui::InputScalar(label_text(label), type, value, step, fast, format, flags);
}
bool DragScalar(const char* label, ImGuiDataType type, void* value, float speed, const void* low, const void* high,
                const char* format) {
  return ::ImGui::DragScalar(label_text(label), type, value, speed, low, high, format);
}
bool SliderInt(const char* label, int* value, int low, int high) {
  const InkOnGrab ink;
  return ::ImGui::SliderInt(label_text(label), value, low, high);
}
bool SliderFloat(const char* label, float* value, float low, float high, const char* format, ImGuiSliderFlags flags) {
  const InkOnGrab ink;
  return ::ImGui::SliderFloat(label_text(label), value, low, high, format, flags);
}
bool SliderScalar(const char* label, ImGuiDataType type, void* value, const void* low, const void* high,
                  const char* format, ImGuiSliderFlags flags) {
  return ::ImGui::SliderScalar(label_text(label), type, value, low, high, format, flags);
}
bool InputText(const char* label, std::string* text, ImGuiInputTextFlags flags) {
  return ::ImGui::InputText(label_text(label), text, flags);
}
bool InputTextWithHint(const char* label, const char* hint, std::string* text, ImGuiInputTextFlags flags) {
  return ::ImGui::InputTextWithHint(label_text(label), tr(hint), text, flags);
}

ImVec2 CalcTextSize(const char* text, const char* end, bool hides_id, float wrap) {
  const char* const shown = end != nullptr ? text : hides_id ? label_text(text) : tr(text);
  return ::ImGui::CalcTextSize(shown, end, hides_id, wrap);
}

void TextUnformatted(const char* text) { ::ImGui::TextUnformatted(tr(text)); }

void Text(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  ::ImGui::TextUnformatted(line_of(pattern, arguments).c_str());
  va_end(arguments);
}
void TextDisabled(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  ::ImGui::TextDisabled("%s", line_of(pattern, arguments).c_str());
  va_end(arguments);
}
void TextWrapped(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  ::ImGui::TextWrapped("%s", line_of(pattern, arguments).c_str());
  va_end(arguments);
}
void TextColored(const ImVec4& colour, const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  ::ImGui::TextColored(colour, "%s", line_of(pattern, arguments).c_str());
  va_end(arguments);
}
void SetTooltip(const char* pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  ::ImGui::SetTooltip("%s", line_of(pattern, arguments).c_str());
  va_end(arguments);
}
void TableSetupColumn(const char* label) { ::ImGui::TableSetupColumn(label_text(label)); }

}  // namespace ImGui

}  // namespace tri::app::gui
