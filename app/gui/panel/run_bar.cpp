// The run bar over the scene: back to the start, play, step, speed, time, record.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr float kWide = 608, kNarrow = 544, kLeast = 330, kHeight = 48, kAbove = 16;

bool icon_button(const char* id, const char* glyph, float size, float scale, const std::string& about) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, {size, size});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size, at.y + size};
  if (ImGui::IsItemHovered()) draw.AddRectFilled(at, end, theme().selected, 4 * scale);
  write_middle(draw, Face::icon, {at.x + size / 2, at.y + size / 2}, theme().text, glyph, Align::centre);
  tip(about);
  ImGui::SameLine(0, 4 * scale);
  return pressed;
}

void play_button(const SessionModel& model, float size, float scale, Requests& requests) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = 92 * scale;
  if (ImGui::InvisibleButton("run", {width, size})) requests.push_back(ask::Run{!model.running});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + size};
  draw.AddRectFilled(at, end, ImGui::IsItemHovered() ? theme().text2 : theme().text, 4 * scale);
  const float y = at.y + size / 2;
  write_middle(draw, Face::icon, {at.x + 12 * scale, y}, theme().panel, model.running ? icon::kPause : icon::kPlay);
  write_middle(draw, Face::strong, {at.x + 38 * scale, y}, theme().panel, model.running ? "Pause" : "Play");
  tip("Space");
  ImGui::SameLine(0, 4 * scale);
}

/// Simulated time a second on a logarithmic slider; its middle is the pace that the scene came with.
void speed(const SessionModel& model, double usual, float width, float scale, Requests& requests) {
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const bool paced = model.pace > 0;
  const std::string now =
      paced ? fmt::format("{}{} / s", three_digits(clock.size * model.pace), clock.behind)
            : fmt::format("{} step{} a frame", model.steps_per_frame, model.steps_per_frame == 1 ? "" : "s");
  write(draw, Face::caption, {at.x, at.y + 1 * scale}, theme().text2, "Speed");
  write(draw, Face::caption, {at.x + width_in(Face::caption, "Speed "), at.y + 1 * scale}, theme().text,
        fitting(Face::caption, now, width - width_in(Face::caption, "Speed ")));
  ImGui::SetCursorScreenPos({at.x, at.y + 18 * scale});
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {4 * scale, 0});
  constexpr float kDecades = 2;
  const bool steps = !paced;
  const double middle = steps ? 1 : usual;
  float power = static_cast<float>(std::log10((steps ? model.steps_per_frame : model.pace) / middle));
  if (ImGui::SliderFloat("##speed", &power, steps ? 0 : -kDecades, kDecades, "")) {
    const double value = middle * std::pow(10.0, static_cast<double>(power));
    if (steps) {
      requests.push_back(ask::StepsPerFrame{static_cast<u32>(std::max(1.0, std::round(value)))});
    } else {
      requests.push_back(ask::PaceOfTime{value});
    }
  }
  ImGui::PopStyleVar();
  const bool behind = paced && model.pace_reached > 0 && model.pace_reached < 0.9 * model.pace;
  tip(behind ? fmt::format("As fast as it can: {}{} a second. The panel Physics takes any number.",
                           three_digits(clock.size * model.pace_reached), clock.behind)
             : "Simulated time a second of the clock. The panel Physics takes any number.");
  ImGui::SetCursorScreenPos({at.x + width + 10 * scale, at.y});
}

void divider(float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x + 4 * scale, at.y + 2 * scale}, {at.x + 4 * scale, at.y + 34 * scale},
                                      theme().line);
  ImGui::SetCursorScreenPos({at.x + 12 * scale, at.y});
}

void record_button(bool recording, bool words, float size, float scale, PendingActions& pending) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = (words ? 98 : 36) * scale;
  if (ImGui::InvisibleButton("record", {width, size})) pending.record = true;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + width, at.y + size};
  draw.AddRectFilled(at, end, ImGui::IsItemHovered() ? theme().selected : theme().raised, 4 * scale);
  draw.AddRect(at, end, recording ? theme().record : theme().edge, 4 * scale);
  const float y = at.y + size / 2;
  const ImVec2 dot{at.x + 18 * scale, y};
  if (recording) {
    draw.AddRectFilled({dot.x - 5 * scale, dot.y - 5 * scale}, {dot.x + 5 * scale, dot.y + 5 * scale}, theme().record);
  } else {
    draw.AddCircleFilled(dot, 6 * scale, theme().record);
  }
  if (words) write_middle(draw, Face::strong, {at.x + 32 * scale, y}, theme().text, recording ? "Stop" : "Record");
  tip("Records the window: as a video where ffmpeg is installed, else as PNG files in a folder (F9)");
}

}  // namespace

void run_bar(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests) {
  const float scale = state.panels.scale, w = scene.w / scale;
  if (w < kLeast + 16 || scene.h < 2 * kHeight * scale) {
    if (scene.w < 150 * scale || scene.h < kHeight * scale) return;
  }
  const float wide = w >= kWide + 24 ? kWide : w >= kNarrow + 16 ? kNarrow : std::max(140.0f, w - 16);
  const bool has_speed = wide >= kLeast + 90, has_time = wide >= kLeast + 200, words = wide >= kWide;
  ImGui::SetNextWindowPos(
      {std::floor(scene.x + (scene.w - wide * scale) / 2), std::floor(scene.y + scene.h - (kAbove + kHeight) * scale)});
  ImGui::SetNextWindowSize({wide * scale, kHeight * scale});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * scale);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * scale, 6 * scale});
  ImGui::Begin("run bar", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoFocusOnAppearing);
  const float size = 36 * scale;
  if (icon_button("reset", icon::kReset, size, scale, "Back to the start, with the present laws and time step (R)")) {
    requests.push_back(ask::Reset{});
  }
  if (wide >= kNarrow && icon_button("back", icon::kBack, size, scale, "One step back (Backspace)")) {
    requests.push_back(ask::StepBack{});
  }
  play_button(model, size, scale, requests);
  if (icon_button("step", icon::kStep, size, scale, "One step (N)")) requests.push_back(ask::Take{1});
  if (has_speed) {
    divider(scale);
    const double usual = model.scene.pace > 0 ? model.scene.pace : std::max(model.pace, 1e-12);
    speed(model, usual, (words ? 140 : 110) * scale, scale, requests);
  }
  if (has_time) {
    divider(scale);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
    write(draw, Face::caption, {at.x, at.y + scale}, theme().text2, "Time");
    const float room = (words ? 96 : 80) * scale;
    write(draw, Face::strong, {at.x, at.y + 16 * scale}, theme().text,
          fitting(Face::strong, three_digits(clock.size * model.time) + clock.behind, room));
  }
  const float record = (words ? 98 : 36) * scale;
  ImGui::SetCursorScreenPos(
      {ImGui::GetWindowPos().x + wide * scale - 8 * scale - record, ImGui::GetWindowPos().y + 6 * scale});
  record_button(state.frames.recording, words, size, scale, state.pending);
  ImGui::End();
  ImGui::PopStyleVar(3);
}

}  // namespace tri::app::gui::panel
