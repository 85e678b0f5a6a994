// Texts of ImGui in the language in use (look.hpp).

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

#include <imgui_internal.h>
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

float width_of(std::string_view text) { return ::ImGui::CalcTextSize(text.data(), text.data() + text.size()).x; }

/// Whether the space at this place is within a number: in "1.48 \u00d7", "1920 \u00d7 1080", "2 \u00d7 10\u207b\u2077".
bool within_number(std::string_view text, std::size_t space) {
  constexpr std::string_view kTimes = "\u00d7";
  const auto digit = [&](std::size_t k) { return k < text.size() && text[k] >= '0' && text[k] <= '9'; };
  const bool times_before = space >= kTimes.size() && text.substr(space - kTimes.size(), kTimes.size()) == kTimes;
  const bool times_after = text.substr(space + 1).starts_with(kTimes);
  return (times_after && space > 0 && digit(space - 1)) || (times_before && digit(space + 1));
}

/// Where the word that begins there ends.
std::size_t end_of_word(std::string_view text, std::size_t from) {
  for (std::size_t k = from; k < text.size(); ++k) {
    if (text[k] == '\n' || (text[k] == ' ' && !within_number(text, k))) return k;
  }
  return text.size();
}

/// Bytes of the letters of a word that fit; those of the first at least.
std::size_t bytes_that_fit(std::string_view word, float room) {
  std::size_t fitting = 0;
  for (std::size_t end = 1; end <= word.size(); ++end) {
    const bool within_letter = end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0u) == 0x80u;
    if (within_letter) continue;
    if (fitting > 0 && width_of(word.substr(0, end)) > room) break;
    fitting = end;
  }
  return fitting;
}

}  // namespace

std::string in_lines(std::string_view text, float width) {
  std::string out;
  float used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find_first_not_of(' ', at), text.size());
    std::string_view gap = text.substr(at, begin - at);
    std::string_view word = text.substr(begin, end_of_word(text, begin) - begin);
    at = begin + word.size();
    const float wide = width_of(word);
    const bool anew = used > 0 && used + width_of(gap) + wide > width;
    if (anew && wide <= width) out += '\n', used = 0, gap = {};
    out += gap, used += width_of(gap);
    while (!word.empty() && used + width_of(word) > width) {
      const bool nothing_fits = used > 0 && width_of(word.substr(0, bytes_that_fit(word, 0))) > width - used;
      const std::size_t cut = nothing_fits ? 0 : bytes_that_fit(word, width - used);
      if (cut == word.size()) break;
      out += word.substr(0, cut), out += '\n', used = 0;
      word.remove_prefix(cut);
    }
    out += word, used += width_of(word);
    if (at < text.size() && text[at] == '\n') out += '\n', used = 0, ++at;
  }
  return out;
}

namespace {

/// Where the part of a command line that begins there ends, the finer the higher the level: before the next option, at
/// the next space, behind the next comma.
std::size_t end_of_part(std::string_view text, std::size_t from, int level) {
  for (std::size_t k = from + 1; k < text.size(); ++k) {
    const bool option = text.substr(k, 2) == " -" && k + 2 < text.size() && (text[k + 2] < '.' || text[k + 2] > '9');
    if (level == 0 ? option : level == 1 ? text[k] == ' ' : text[k - 1] == ',') return k;
  }
  return text.size();
}

std::string parts_in_lines(std::string_view text, float width, int level) {
  constexpr int kLevels = 3;
  if (level == kLevels) return in_lines(text, width);
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_part(text, at, level);
    std::string_view part = text.substr(at, end - at);
    at = end;
    if (!line.empty() && width_of(line + std::string(part)) > width) {
      out += line + "\n", line.clear();
      if (part.front() == ' ') part.remove_prefix(1);
    }
    line += part;
    if (width_of(line) <= width) continue;
    const std::string finer = parts_in_lines(line, width, level + 1);
    const std::size_t last = finer.rfind('\n') + 1;  // 0: it is one line
    out += finer.substr(0, last), line = finer.substr(last);
  }
  return out + line;
}

}  // namespace

std::string command_in_lines(std::string_view command, float width) { return parts_in_lines(command, width, 0); }

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
  if (wrap <= 0) return ::ImGui::CalcTextSize(shown, end, hides_id);
  return ::ImGui::CalcTextSize(in_lines(end == nullptr ? shown : std::string(shown, end), wrap).c_str());
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
  const std::string text = line_of(pattern, arguments);
  va_end(arguments);
  TextInLines(text, in_lines(text, ::ImGui::GetContentRegionAvail().x));
}
void TextInLines(const std::string& text, const std::string& lines) {
  ImGuiWindow* const window = ::ImGui::GetCurrentWindow();
  if (window->SkipItems) return;
  const ImVec2 at{window->DC.CursorPos.x, window->DC.CursorPos.y + window->DC.CurrLineTextBaseOffset};
  const ImVec2 size = ::ImGui::CalcTextSize(lines.c_str());
  ::ImGui::ItemSize(size, 0);
  if (!::ImGui::ItemAdd({at, {at.x + size.x, at.y + size.y}}, 0)) return;
  window->DrawList->AddText(at, ::ImGui::GetColorU32(ImGuiCol_Text), lines.c_str());
  if (GImGui->LogEnabled) ::ImGui::LogRenderedText(&at, text.c_str());  // as one line
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
