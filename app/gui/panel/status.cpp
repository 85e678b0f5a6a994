// The status line, and the help over the scene.

#include <fmt/format.h>
#include <imgui.h>

#include <vector>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/keys.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

/// Frames drawn per second and, where the display shows fewer, those shown.
std::string rates(const FrameState& frames) {
  double ms = 0;  // in total: frames that wait for the display's driver are few and long
  for (const FrameCost& f : frames.costs) ms += static_cast<double>(f.whole());
  const double drawn = ms > 0 ? 1000 * static_cast<double>(frames.costs.size()) / ms : 0;
  std::string text = fmt::format("{:.0f} frames/s", drawn);
  if (frames.shown_per_second > 0 && frames.shown_per_second < 0.9 * drawn) {
    text += fmt::format(", {:.0f} shown", frames.shown_per_second);
  }
  return text;
}

}  // namespace

void status(const SessionModel& model, const FrameState& frames, float scale, const Rect& place) {
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                      ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                      ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {8 * scale, 2 * scale});
  ImGui::Begin("status", nullptr, kFixed);
  const std::vector<std::string> left{
      model.broken    ? "stopped: numbers not finite"
      : model.running ? (model.comparing ? "comparing" : "running")
                      : "paused",
      fmt::format("n = {}", model.n), fmt::format("step {}", model.steps),
      fmt::format("t = {:.6g}{}", model.time, unit_behind(find_unit_system(model.scene.units), "time"))};
  // The last one is left out first.
  const std::vector<std::string> right{rates(frames), fmt::format("present: {}", frames.present),
                                       fmt::format("{}: {}", model.backend.name, model.backend.device)};
  constexpr const char* kGap = "   ";
  std::string line;
  for (const std::string& part : left) line += (line.empty() ? "" : kGap) + part;
  ImGui::TextUnformatted(line.c_str());
  const float room = ImGui::GetWindowWidth() - ImGui::CalcTextSize(line.c_str()).x - 40 * scale;
  std::string end;
  for (const std::string& part : right) {
    std::string longer = part;
    if (!end.empty()) longer.append(kGap).append(end);
    if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
    end = longer;
  }
  ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::CalcTextSize(end.c_str()).x - 8 * scale);
  ImGui::TextUnformatted(end.c_str());
  ImGui::End();
  ImGui::PopStyleVar();
}

void help(bool& open, float scale, const Rect& scene) {
  const float window = ImGui::GetIO().DisplaySize.x;
  // In the centre of the scene, or of the window where the scene is too narrow.
  const bool wide = scene.w >= 420 * scale;
  ImGui::SetNextWindowPos({wide ? scene.x + scene.w / 2 : window / 2, scene.y + scene.h / 2}, ImGuiCond_Always,
                          {0.5f, 0.5f});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window, scene.h});  // beyond that it scrolls
  ImGui::Begin("Keys", &open, kFlags);
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
      "Drag: rotate. Right button: pan. Wheel: zoom.\nClick: select a body.\nDrop a file of bodies or a screenshot to "
      "open it.");
  ImGui::End();
}

}  // namespace tri::app::gui::panel
