// Integrator: direction, time step and scheme.

#include <imgui.h>

#include <algorithm>

#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {

void integrator(const SessionModel& model, Requests& requests) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
  const auto button = [&](const char* label, const char* text) {
    const bool pressed = ImGui::Button(label, {half, 0});
    tip(text);
    return pressed;
  };
  if (button(model.backwards ? "Forwards###reverse" : "Backwards###reverse", "Reverses time (B)")) {
    requests.push_back(ask::Reverse{});
  }
  ImGui::SameLine();
  ImGui::BeginDisabled(model.undoable == 0);
  const bool undo = button("Undo", "Undoes the last change of a parameter, map or block (Ctrl+Z)");
  if (undo && model.undoable > 0) requests.push_back(ask::Undo{});
  ImGui::EndDisabled();

  constexpr u32 kIntegrators = static_cast<u32>(Integrator::hermite) + 1;
  Integrator scheme = model.scene.integrator;
  if (choose_enum("integrator", scheme, kIntegrators)) requests.push_back(ask::Scheme{scheme});
  bool automatic = model.scene.eta > 0;
  const bool switched = ImGui::Checkbox("dt auto", &automatic);
  tip("Steps whose length follows from the motion: kdk or hermite, gravity, float64");
  if (switched) requests.push_back(ask::AutoStep{automatic ? usual_eta(scheme) : 0});
  if (model.scene.eta > 0) {
    double eta = model.scene.eta;
    if (number("accuracy", eta, "The smaller, the shorter the steps. Esc keeps the old one.")) {
      requests.push_back(ask::AutoStep{eta});
    }
    ImGui::Text("time step %.3g", model.last_step);
  }
  double dt = model.scene.dt;
  const std::string unit = unit_behind(find_unit_system(model.scene.units), "time");
  const bool fixed = model.scene.eta == 0;
  if (fixed && number("time step", dt, "In the scene's unit of time, more than 0. Esc keeps the old one.", unit)) {
    requests.push_back(ask::TimeStep{dt});
  }
  double pace = model.pace;
  if (number("pace of time", pace,
             "Simulated time a second of the clock, in the scene's unit, as far as the processor keeps up. 0: "
             "steps/frame sets the speed.")) {
    requests.push_back(ask::PaceOfTime{pace});
  }
  constexpr double kBehind = 0.9;
  if (model.pace > 0 && model.pace_reached > 0 && model.pace_reached < kBehind * model.pace) {
    ImGui::TextDisabled("as fast as it can: %.3g a second", model.pace_reached);
  }
  u64 steps = model.steps_per_frame;
  if (whole("steps/frame", steps,
            "At most this many, as far as a frame has time; at least one. Ends a pace of time.")) {
    requests.push_back(ask::StepsPerFrame{static_cast<u32>(std::clamp<u64>(steps, 1, 1000000))});
  }
}

}  // namespace tri::app::gui::panel
