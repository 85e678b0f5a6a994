// The palette: actions, maps, scenes, demonstrations and panels by words.

#include "app/gui/panel/palette.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "app/gui/base/keys.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panel_table.hpp"
#include "app/gui/views/bottom_panes.hpp"
#include "app/views/demo_table.hpp"
#include "sim/scene/scene.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr std::size_t kShown = 9;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const SessionModel& model) {
  std::vector<PaletteEntry> entries;
  for (const Action& action : actions()) {
    if (action.act != nullptr) entries.push_back({action.does, action.keys, action.act});
  }
  const auto& maps = shown_maps(model);
  for (std::size_t k = 0; k < maps.size(); ++k) {
    if (!maps[k].fits()) continue;
    entries.push_back({"use map " + maps[k].name, k < 9 ? std::to_string(k + 1) : "",
                       [k](const ActionContext& c) { c.requests.push_back(map_request(c.model, k)); }});
  }
  const Domain domain = model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    entries.push_back({"page of map " + maps[k].name, "", [k, domain](const ActionContext& c) {
                         c.state.page.shown = true, c.state.page.domain = domain,
                         c.state.page.map = static_cast<u32>(k);
                       }});
  }
  for (const SceneInfo& scene : list_scenes()) {
    entries.push_back(
        {fmt::format("open scene {}: {}", scene.name, scene.title), "",
         [name = std::string(scene.name)](const ActionContext& c) { c.requests.push_back(ask::Open{name}); }});
  }
  for (const std::string_view name : demo_names()) {
    entries.push_back({fmt::format("demonstration {}", name), "",
                       [name = std::string(name)](const ActionContext& c) { c.state.pending.demo = name; }});
  }
  for (const PanelRow& row : panel_rows()) {
    entries.push_back({fmt::format("panel {}: {}", row.name, row.about), "",
                       [name = row.name](const ActionContext& c) { c.state.panels.open = name; }});
  }
  for (const PaneRow& row : pane_rows()) {
    entries.push_back({fmt::format("bottom pane {}: {}", row.name, row.about), "",
                       [name = row.name](const ActionContext& c) { show_pane(name, c.state.panes); }});
  }
  return entries;
}

std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries, const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(lower(text));
  for (std::string word; stream >> word;) words.push_back(word);
  std::vector<std::pair<std::size_t, std::size_t>> found;  // where the words stand, and the entry
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::string where = lower(entries[k].text);
    std::size_t rank = 0;
    const bool all = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      const std::size_t at = where.find(word);
      if (at == std::string::npos) return false;
      const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(where[at - 1])) == 0;
      rank += at + (begins ? 0 : 1000);
      return true;
    });
    if (all) found.emplace_back(rank, k);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::size_t> matches;
  for (const auto& [rank, k] : found) matches.push_back(k);
  return matches;
}

void palette(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests) {
  PaletteState& p = state.palette;
  if (!p.shown) return;
  const std::vector<PaletteEntry> entries = palette_entries(model);
  const float scale = state.panels.scale, row = 30 * scale, pad = 8 * scale;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float width = std::min(560 * scale, window.x - 2 * pad);
  const float middle = scene.w > width ? scene.x + scene.w / 2 : window.x / 2;
  ImGui::SetNextWindowPos({std::floor(middle - width / 2), std::floor(scene.y + 56 * scale)});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad, pad});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 2 * scale});
  ImGui::Begin("palette", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
  if (p.focus) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(width - 2 * pad);
  if (ImGui::InputTextWithHint("##find", "an action, a map, a scene, a panel", &p.text)) p.at = 0;
  p.focus = p.focus && !ImGui::IsItemActive();
  const std::vector<std::size_t> matches = palette_matches(entries, p.text);
  if (!matches.empty()) p.at = std::min(p.at, matches.size() - 1);
  const std::size_t first = p.at >= kShown ? p.at - kShown + 1 : 0;
  std::optional<std::size_t> chosen;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::size_t k = first; k < std::min(matches.size(), first + kShown); ++k) {
    const PaletteEntry& entry = entries[matches[k]];
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::InvisibleButton("entry", {width - 2 * pad, row})) chosen = matches[k];
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered || k == p.at) {
      draw.AddRectFilled(at, {at.x + width - 2 * pad, at.y + row}, k == p.at ? theme().selected : theme().raised,
                         4 * scale);
    }
    const float y = at.y + row / 2, keys = width_in(Face::caption, entry.keys.c_str());
    write_middle(draw, Face::body, {at.x + pad, y}, theme().text,
                 fitting(Face::body, entry.text, width - 5 * pad - keys));
    write_middle(draw, Face::caption, {at.x + width - 3 * pad, y}, theme().text2, entry.keys, Align::right);
  }
  if (matches.empty()) ImGui::TextDisabled("Nothing has these words.");
  const bool left = ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ImGui::IsWindowHovered();
  ImGui::End();
  ImGui::PopStyleVar(4);
  if (std::exchange(p.accepted, false) && !matches.empty()) chosen = matches[p.at];
  if (chosen || left) p.shown = false;
  if (chosen) entries[*chosen].act({model, state, requests});
}

}  // namespace tri::app::gui::panel
