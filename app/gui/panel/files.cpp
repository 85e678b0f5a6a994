// The window that chooses a file to open, or a name to save to.

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/gui/base/file_browser.hpp"
#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

/// The rows of the folder; the one that was chosen by a double click, or gone into.
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
    ImGui::TextDisabled("nothing here that can be %s",
                        files.purpose() == FileBrowser::Purpose::open ? "opened" : "replaced");
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
  tip("The folder above");
  ImGui::SameLine();
  bool all = files.all_kinds();
  if (ImGui::Checkbox("all kinds", &all)) files.set_all_kinds(all);
  tip("Also files whose ending no reader knows");
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
  bool stays = true;
  ImGui::Begin(opens ? "Open###files" : "Save as###files", &stays,
               ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                   ImGuiWindowFlags_NoSavedSettings);
  folder_line(files);
  std::string wish = recent_rows(recent);
  const float below = 3 * ImGui::GetFrameHeightWithSpacing();
  const std::string row = folder_rows(files, ImGui::GetContentRegionAvail().y - below);
  if (!row.empty()) wish = row;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::InputTextWithHint("##path", "name or path", &files.typed, ImGuiInputTextFlags_EnterReturnsTrue)) {
    wish = files.typed;
  }
  if (ImGui::Button(opens ? "Open" : "Save")) wish = files.typed;
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) stays = false;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, colour::bad());
  ImGui::TextWrapped("%s", files.fault().c_str());
  ImGui::PopStyleColor();
  ImGui::End();
  std::optional<std::string> chosen = files.choose(wish);
  if (!stays) files.hide();
  return chosen;
}

}  // namespace tri::app::gui::panel
