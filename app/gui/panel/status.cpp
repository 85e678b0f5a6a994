// The line at the bottom, and the help over the scene.

#include <fmt/format.h>
#include <imgui.h>

#include <vector>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/keys.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

/// Frames drawn, and where the display takes fewer, how many it shows.
std::string rates(const GuiState& state) {
  double ms = 0;  // on the whole: frames that wait for the display's driver are few and long
  for (const FrameCost& f : state.frames) ms += static_cast<double>(f.whole);
  const double drawn = ms > 0 ? 1000 * static_cast<double>(state.frames.size()) / ms : 0;
  std::string text = fmt::format("{:.0f} frames/s", drawn);
  if (state.shown_per_second > 0 && state.shown_per_second < 0.9 * drawn) {
    text += fmt::format(", {:.0f} shown", state.shown_per_second);
  }
  return text;
}

}  // namespace

void status(const SessionModel& model, const GuiState& state, const Rect& place) {
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * state.scale, 2 * state.scale});
  ImGui::Begin("status", nullptr, kFixed);
  const std::vector<std::string> left{model.broken    ? "stopped: a bad number"
                                      : model.running ? (model.comparing ? "comparing" : "running")
                                                      : "paused",
                                      fmt::format("n = {}", model.n), fmt::format("step {}", model.steps),
                                      fmt::format("t = {:.6g}", model.time)};
  // In the order in which they may be left out, the last first.
  const std::vector<std::string> right{rates(state), fmt::format("present: {}", state.present),
                                       fmt::format("{}: {}", model.backend.name, model.backend.device)};
  constexpr const char* kGap = "   ";
  std::string line;
  for (const std::string& part : left) line += (line.empty() ? "" : kGap) + part;
  ImGui::TextUnformatted(line.c_str());
  float room = ImGui::GetWindowWidth() - ImGui::CalcTextSize(line.c_str()).x - 40 * state.scale;
  std::string end;
  for (const std::string& part : right) {
    std::string longer = part;
    if (!end.empty()) longer.append(kGap).append(end);
    if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
    end = longer;
  }
  ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::CalcTextSize(end.c_str()).x - 8 * state.scale);
  ImGui::TextUnformatted(end.c_str());
  ImGui::End();
  ImGui::PopStyleVar();
}

void help(GuiState& state, const Rect& scene) {
  const float window = ImGui::GetIO().DisplaySize.x;
  // In the middle of the scene, or of the window where letters are too large for the scene.
  const bool wide = scene.w >= 420 * state.scale;
  ImGui::SetNextWindowPos({wide ? scene.x + scene.w / 2 : window / 2, scene.y + scene.h / 2}, ImGuiCond_Always,
                          {0.5f, 0.5f});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window, scene.h});  // higher, it scrolls
  ImGui::Begin("Keys", &state.help, kFlags);
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const KeyHelp& row : key_help()) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(row.key);
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", row.does);
    }
    ImGui::EndTable();
  }
  ImGui::TextDisabled(
      "Drag: turn. Right button: move. Wheel: nearer.\nClick: choose a body.\nDrop a file of bodies or a screenshot to "
      "open it.");
  ImGui::End();
}

}  // namespace tri::app::gui::panel
