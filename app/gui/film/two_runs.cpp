// Two runs side by side: their marks over the scene, and the choice of which one the panels control.

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>

#include "app/gui/base/keys.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/film/time_lanes.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::film {
namespace {

std::string map_name(const SessionModel& model) {
  const auto& rows = shown_maps(model);
  return rows.empty() ? std::string("no map") : rows[std::min(map_in_use(model), rows.size() - 1)].name;
}

void mark_run(ImDrawList& draw, const SessionModel& model, const char* name, bool controlled, const Rect& half,
              float scale) {
  const Theme& dark = theme_of(true);
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  const std::string what = fmt::format("{}, {}", map_name(model), to_string(model.asked.accumulate));
  const std::string where =
      fmt::format("step {}, t = {}{}", grouped(model.steps), three_digits(clock.size * model.time), clock.behind);
  const float x = half.x + 20 * scale, y = half.y + 58 * scale, room = half.w - 60 * scale;
  if (room < 60 * scale) return;
  write(draw, Face::title, {x, y}, dark.text, name);
  write(draw, Face::body, {x + 24 * scale, y + 3 * scale}, dark.text2, fitting(Face::body, what, room));
  write(draw, Face::caption, {x, y + 26 * scale}, dark.text, fitting(Face::caption, where, room));
  if (controlled) draw.AddLine({x, y + 24 * scale}, {x + 14 * scale, y + 24 * scale}, dark.text, 2 * scale);
}

}  // namespace

void two_runs_marks(const SessionModel& a, const SessionModel& b, bool controls_b, float scale, const Rect& scene) {
  if (scene.w < 1) return;
  ImDrawList& draw = *ImGui::GetBackgroundDrawList();
  const float half = std::floor(scene.w / 2);
  draw.AddLine({scene.x + half, scene.y}, {scene.x + half, scene.y + scene.h}, theme_of(true).edge, 2 * scale);
  mark_run(draw, a, "A", !controls_b, {scene.x, scene.y, half, scene.h}, scale);
  mark_run(draw, b, "B", controls_b, {scene.x + half, scene.y, scene.w - half, scene.h}, scale);
}

void two_runs_part(const SessionModel& model, SecondChoice& choice) {
  ImGui::BeginDisabled(model.timeline.recorded);
  ImGui::Checkbox("A and B", &choice.on);
  panel::tip("A second run of this scene beside this one, both from the start");
  ImGui::EndDisabled();
  if (!choice.shown) return;
  ImGui::SameLine();
  if (ImGui::RadioButton("panels of A", !choice.controls_b)) choice.controls_b = false;
  ImGui::SameLine();
  if (ImGui::RadioButton("of B", choice.controls_b)) choice.controls_b = true;
  panel::tip("Maps, laws, sums and steps that are chosen then are those of B; both take the same number of steps");
}

}  // namespace tri::app::gui::film
