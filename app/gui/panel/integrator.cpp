// Integrator: running, stepping, the step and its scheme.

#include <imgui.h>

#include <algorithm>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {

void integrator(const SessionModel& model, GuiState&, Requests& requests) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float third = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
  const auto button = [&](const char* label, const char* text) {
    const bool pressed = ImGui::Button(label, {third, 0});
    tip(text);
    return pressed;
  };
  if (model.running) ImGui::PushStyleColor(ImGuiCol_Button, colour::accent());
  const bool was_running = model.running;
  if (button(was_running ? "Pause###run" : "Run###run", "Space")) requests.push_back(ask::Run{!was_running});
  if (was_running) ImGui::PopStyleColor();
  ImGui::SameLine();
  if (button("Step", "One step (N)")) requests.push_back(ask::Take{1});
  ImGui::SameLine();
  if (button("Reset", "Back to the start, with the laws and the step as they are (R)"))
    requests.push_back(ask::Reset{});
  if (button(model.backwards ? "Forwards###reverse" : "Backwards###reverse", "Turns time round (B)")) {
    requests.push_back(ask::Reverse{});
  }
  ImGui::SameLine();
  ImGui::BeginDisabled(model.undoable == 0);
  const bool undo = button("Undo", "Takes back the last change of a parameter, map or block (Ctrl+Z)");
  if (undo && model.undoable > 0) requests.push_back(ask::Undo{});
  ImGui::EndDisabled();

  const std::vector<std::string> names{to_string(Integrator::kdk), to_string(Integrator::symplectic_euler),
                                       to_string(Integrator::yoshida4)};
  u32 at = static_cast<u32>(model.scene.integrator);
  if (choose("integrator", at, names)) requests.push_back(ask::Scheme{static_cast<Integrator>(at)});
  double dt = model.scene.dt;
  if (number("time step", dt, "In the scene's unit of time, more than 0. Enter takes it.")) {
    requests.push_back(ask::TimeStep{dt});
  }
  u64 steps = model.steps_per_frame;
  if (whole("steps a frame", steps, "As many as fit into a frame are taken, one at least.")) {
    requests.push_back(ask::StepsPerFrame{static_cast<u32>(std::clamp<u64>(steps, 1, 1000000))});
  }
}

}  // namespace tri::app::gui::panel
