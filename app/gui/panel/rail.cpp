// The rail at the left edge: a button for each panel, and the open panel beside it.

#include <imgui.h>

#include <algorithm>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panel_table.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                                    ImGuiWindowFlags_NoBringToFrontOnFocus;

bool rail_button(const char* name, const char* glyph, const char* about, bool open, float width, float height,
                 float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(name, {width, height});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 low{at.x + 2 * scale, at.y}, high{at.x + width - 2 * scale, at.y + height};
  if (open || ImGui::IsItemHovered()) draw.AddRectFilled(low, high, theme().selected, 4 * scale);
  const ImU32 ink = open ? theme().text : theme().text2;
  const float middle = at.x + width / 2, line = height_of(face(Face::rail));
  const bool has_words = height > 20 * scale + line;
  write_middle(draw, Face::icon, {middle, at.y + (height - (has_words ? line : 0)) / 2}, ink, glyph, Align::centre);
  if (has_words) write(draw, Face::rail, {middle, at.y + height - line - scale}, ink, name, Align::centre);
  if (!open) tip(about);
  return pressed;
}

}  // namespace

void rail(const SessionModel&, GuiState& state, const Layout& places) {
  const Rect& place = places.rail;
  if (place.w < 1) return;
  const float scale = state.panels.scale;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Begin("rail", nullptr, kFixed);
  std::size_t ends = 2;  // find and help
  for (const PanelRow& row : panel_rows()) ends += row.at_end;
  const std::size_t count = panel_rows().size() + 2 + (places.narrow ? 1 : 0);
  const float most = 50 * scale, height = std::min(most, (place.h - 8 * scale) / static_cast<float>(count));
  const auto button = [&](const PanelRow& row) {
    if (&row == panel_rows().data()) {
      state.tour.mark(TourPart::scenes, {place.x, ImGui::GetCursorScreenPos().y, place.w, height});
    }
    if (rail_button(row.name, row.glyph, row.about, state.panels.open == row.name, place.w, height, scale)) {
      toggle_panel(state.panels, row.name);
    }
  };
  ImGui::SetCursorPosY(6 * scale);
  if (places.narrow && rail_button(kMapsPanel, icon::kRace, "The maps and their times", state.panels.open == kMapsPanel,
                                   place.w, height, scale)) {
    toggle_panel(state.panels, kMapsPanel);
  }
  for (const PanelRow& row : panel_rows()) {
    if (!row.at_end) button(row);
  }
  ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), place.h - height * static_cast<float>(ends) - 2 * scale));
  if (rail_button("Find", icon::kFind, "Finds actions, maps, scenes and panels (Ctrl+P)", state.palette.shown, place.w,
                  height, scale)) {
    state.palette.show();
  }
  if (rail_button("Help", icon::kHelp, "Keys (F1)", state.panels.help, place.w, height, scale)) {
    state.panels.help = !state.panels.help;
  }
  for (const PanelRow& row : panel_rows()) {
    if (row.at_end) button(row);
  }
  ImGui::GetWindowDrawList()->AddLine({place.x + place.w - 1, place.y}, {place.x + place.w - 1, place.y + place.h},
                                      theme().line);
  ImGui::End();
  ImGui::PopStyleVar(2);
}

namespace {

/// A button with an icon at the upper right.
bool corner_button(const char* id, const char* glyph, const char* about, bool on, ImVec2 at, float side, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(at);
  const bool pressed = ImGui::InvisibleButton(id, {side, side});
  if (on || ImGui::IsItemHovered()) draw.AddRectFilled(at, {at.x + side, at.y + side}, theme().selected, 4 * scale);
  tip(about);
  write_middle(draw, Face::icon, {at.x + side / 2, at.y + side / 2}, on ? theme().text : theme().text2, glyph,
               Align::centre);
  return pressed;
}

}  // namespace

void left_panel(const SessionModel& model, GuiState& state, const Rect& place, Requests& requests) {
  const PanelRow* row = find_panel(state.panels.open);
  if (row == nullptr || place.w < 1) return;
  const float scale = state.panels.scale;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::Begin("left", nullptr, kFixed);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  write(draw, Face::title, at, theme().text, row->name);
  const float side = 24 * scale;
  const ImVec2 corner{place.x + place.w - side - 8 * scale, at.y};
  if (corner_button("close", icon::kClose, "Closes the panel (Esc)", false, corner, side, scale)) {
    state.panels.open.clear();
  }
  if (corner_button("pin", icon::kPin, "Pinned, the panel narrows the scene, and Esc leaves it open",
                    state.panels.pinned, {corner.x - side - 4 * scale, at.y}, side, scale)) {
    state.panels.pinned = !state.panels.pinned;
  }
  ImGui::SetCursorScreenPos({at.x, at.y + 32 * scale});
  ImGui::BeginChild("body", {0, 0}, false, ImGuiWindowFlags_NavFlattened);  // it scrolls, and the head stays
  ImGui::PushID(row->name);
  row->draw({model, state, requests});
  ImGui::PopID();
  ImGui::EndChild();
  draw.AddLine({place.x + place.w - 1, place.y}, {place.x + place.w - 1, place.y + place.h}, theme().line);
  ImGui::End();
  if (const auto x = dragged_edge("left edge", place.x + place.w - 6 * scale, place.y, place.h, scale)) {
    state.panels.width = std::clamp((*x - place.x) / scale, kLeastLeft, kMostLeft);
  }
}

}  // namespace tri::app::gui::panel
