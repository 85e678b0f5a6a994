// The file browser.

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/gui/base/file_browser.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

/// The entries of the folder; returns the folder clicked or the file double-clicked, if any.
std::string folder_rows(FileBrowser& files, float height) {
  std::string chosen;
  ImGui::BeginChild("rows", {0, height}, true);
  for (const FileRow& row : files.rows()) {
    const std::string label = row.folder ? row.name + "/" : row.name;
    const bool pressed =
        ImGui::Selectable(label.c_str(), row.name == files.typed, ImGuiSelectableFlags_AllowDoubleClick);
    if (!row.folder) {
      const std::string size = bytes_text(row.bytes);
      ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(size.c_str()).x);
      ImGui::TextDisabled("%s", size.c_str());
    }
    if (!pressed) continue;
    if (row.folder || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      chosen = row.name;
    } else {
      files.typed = row.name;
    }
  }
  if (files.rows().empty())
    ImGui::TextDisabled("%s", files.purpose() == FileBrowser::Purpose::open ? "nothing to open here" : "nothing here");
  ImGui::EndChild();
  return chosen;
}

std::string recent_rows(const RecentFiles& recent) {
  std::string chosen;
  if (recent.paths().empty()) return chosen;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (!ImGui::BeginCombo("##recent", "recent files")) return chosen;
  for (const std::string& path : recent.paths()) {
    if (ImGui::Selectable(path.c_str())) chosen = path;
  }
  ImGui::EndCombo();
  return chosen;
}

void folder_line(FileBrowser& files) {
  if (ImGui::Button("Up")) files.up();
  tip("Parent folder");
  ImGui::SameLine();
  bool all = files.all_kinds();
  if (ImGui::Checkbox("all files", &all)) files.set_all_kinds(all);
  tip("Also files with unknown extensions");
  ImGui::SameLine();
  ImGui::TextDisabled("%s", files.folder().c_str());
}

}  // namespace

std::optional<std::string> files(FileBrowser& files, const RecentFiles& recent, float scale) {
  if (!files.shown()) return std::nullopt;
  const bool opens = files.purpose() == FileBrowser::Purpose::open;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 size{std::min(560 * scale, screen.x * 0.96f), std::min(460 * scale, screen.y * 0.94f)};
  ImGui::SetNextWindowPos({(screen.x - size.x) / 2, (screen.y - size.y) / 2});
  ImGui::SetNextWindowSize(size);
  bool open = true;
  ImGui::Begin(opens ? "Open###files" : "Save as###files", &open,
               ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoSavedSettings);
  folder_line(files);
  std::string text = recent_rows(recent);
  const float below = 3 * ImGui::GetFrameHeightWithSpacing();
  const std::string row = folder_rows(files, ImGui::GetContentRegionAvail().y - below);
  if (!row.empty()) text = row;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  // Once: the request takes the activation of the next frame, which is then no other item's.
  if (std::exchange(files.takes_keys, false)) ImGui::SetKeyboardFocusHere();
  constexpr ImGuiInputTextFlags kFlags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll;
  if (ImGui::InputTextWithHint("##path", "name or path", &files.typed, kFlags)) {
    text = files.typed;
    files.takes_keys = true;  // where the dialog stays: a folder was entered, or a file is there already
  }
  if (ImGui::Button(opens ? "Open" : "Save")) text = files.typed;
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) open = false;
  ImGui::SameLine();
  coloured_text(theme().fault, files.fault());
  ImGui::End();
  std::optional<std::string> chosen = files.choose(text);
  if (!open) files.hide();
  return chosen;
}

}  // namespace tri::app::gui::panel
