// Windows that stay at their place, and the text of a screen of them.

#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/gui/base/widgets.hpp"
#include "app/support/language.hpp"

namespace tri::app::gui {
namespace {

struct ScreenText {
  bool on = false;
  std::string text;
} screen_text;

/// Icons are letters that nobody hears.
std::string without_icons(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    const auto next = k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0u;
    if (byte == 0xEE || (byte == 0xEF && next < 0xA4)) {  // U+E000 to U+F8FF
      k += 2;
    } else {
      out += text[k];
    }
  }
  return out;
}

void add_lines(const std::string& title, const std::string& log) {
  std::string text = without_icons(log), last;
  const auto replace = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  replace(" | ", "\n"), replace("[ ]", "\noff:"), replace("[x]", "\non:"), replace(" ]", " ]\n");
  std::istringstream lines(text);
  bool headed = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" |"), end = line.find_last_not_of(" |");
    if (first == std::string::npos) continue;
    line = line.substr(first, end - first + 1);
    if (line == std::exchange(last, line)) continue;
    if (!std::exchange(headed, true)) screen_text.text += fmt::format("== {} ==\n", tr(title));
    screen_text.text += line + "\n";
  }
}

}  // namespace

bool reads_screen() { return screen_text.on; }
void begin_screen_text() { screen_text = {true, {}}; }
std::string end_screen_text() {
  screen_text.on = false;
  return std::exchange(screen_text.text, {});
}

FixedWindow::FixedWindow(const char* id, const Rect& place, ImGuiWindowFlags flags, const WindowLook& look) {
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  const auto set = [this](ImGuiStyleVar variable, const auto& value) {
    ImGui::PushStyleVar(variable, value);
    ++variables_;
  };
  if (look.padding) set(ImGuiStyleVar_WindowPadding, *look.padding);
  if (look.spacing) set(ImGuiStyleVar_ItemSpacing, *look.spacing);
  if (look.rounding > 0) set(ImGuiStyleVar_WindowRounding, look.rounding), set(ImGuiStyleVar_WindowBorderSize, 1.0f);
  if (look.small) set(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  if (look.ground) ImGui::PushStyleColor(ImGuiCol_WindowBg, *look.ground), ++colours_;
  // What lies over the scene has room for all that it holds: End and Page Down would only cut it off.
  const bool is_bar = look.rounding > 0 && (flags & ImGuiWindowFlags_NoScrollbar) != 0;
  if (is_bar) ::ImGui::SetNextWindowScroll({0, 0});
  ::ImGui::Begin(id, nullptr, flags);
  is_read_ = screen_text.on && !ImGui::GetCurrentContext()->LogEnabled;
  if (is_read_) ImGui::LogToBuffer();
}

FixedWindow::~FixedWindow() {
  if (is_read_) {
    add_lines(ImGui::GetCurrentWindow()->Name, ImGui::GetCurrentContext()->LogBuffer.c_str());
    ImGui::LogFinish();
  }
  ImGui::End();
  ImGui::PopStyleVar(variables_);
  ImGui::PopStyleColor(colours_);
}

}  // namespace tri::app::gui
