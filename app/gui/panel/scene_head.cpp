// Over the scene, at the top: its name and one sentence; buttons to fit, photograph and fill the window.

#include <imgui.h>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/scene_spec.hpp"

namespace tri::app::gui::panel {
namespace {

bool scene_button(const char* id, const char* glyph, float size, float scale, const char* about) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, {size, size});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) {
    draw.AddRectFilled(at, {at.x + size, at.y + size}, faded(theme_of(true).selected, 0.9f), 4 * scale);
  }
  write_middle(draw, Face::icon, {at.x + size / 2, at.y + size / 2}, theme_of(true).text, glyph, Align::centre);
  tip(about);
  ImGui::SameLine(0, 0);
  return pressed;
}

}  // namespace

void scene_head(const SessionModel& model, GuiState& state, const Rect& scene) {
  const float scale = state.panels.scale, size = 36 * scale, pad = 20 * scale;
  if (scene.w < 5 * size || scene.h < 4 * size) return;
  const float buttons = 3 * size, room = scene.w - buttons - 3 * pad;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const std::string name = fitting(Face::title, scene_name(model.spec), room);
  const float y = scene.y + 10 * scale + size / 2;
  write_middle(draw, Face::title, {scene.x + pad, y}, theme_of(true).text, name);
  const float after = width_in(Face::title, name.c_str()) + 14 * scale;
  if (room > after + 60 * scale) {
    write_middle(draw, Face::body, {scene.x + pad + after, y}, theme_of(true).text2,
                 fitting(Face::body, model.scene.title, room - after));
  }
  ImGui::SetNextWindowPos({scene.x + scene.w - buttons - pad / 2, scene.y + 10 * scale});
  ImGui::SetNextWindowSize({buttons, size});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("scene head", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  if (scene_button("fit", icon::kFit, size, scale, "Shows all bodies (F)")) state.pending.fit = true;
  if (scene_button("still", icon::kStill, size, scale, "Saves a PNG file, which opens again as this scene (F12)")) {
    state.pending.screenshot = true;
  }
  if (scene_button("full", icon::kFull, size, scale,
                   "Presentation: the scene alone (F11); Esc brings the panels back")) {
    state.panels.presents = true;
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
}

}  // namespace tri::app::gui::panel
