// Body: picking one, its state and changes of it, and following it.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(value.c_str());
}

/// Fields for what can be changed by hand; the others stay as they are when the change is made.
void fields(const Inspected& seen, const std::string& length, const std::string& speed, const std::string& mass,
            Requests& requests) {
  BodyValues b{seen.place, seen.velocity, seen.mass, seen.radius};
  const auto with = [](const char* name, const std::string& unit) {
    return unit.empty() ? std::string(name) : name + (" in" + unit);
  };
  if (numbers(with("position", length).c_str(), b.place, "x, y, z", true)) {
    requests.push_back(ask::ChangeBody{seen.body, {.place = b.place}});
  }
  if (numbers(with("velocity", speed).c_str(), b.velocity, "x, y, z", true)) {
    requests.push_back(ask::ChangeBody{seen.body, {.velocity = b.velocity}});
  }
  if (number("mass", b.mass, "More than 0", mass)) requests.push_back(ask::ChangeBody{seen.body, {.mass = b.mass}});
  if (number("radius", b.radius, "0: a point, where bodies do not touch", length)) {
    requests.push_back(ask::ChangeBody{seen.body, {.radius = b.radius}});
  }
}

}  // namespace

void inspector(const SessionModel& model, SceneView& view, Requests& requests) {
  u64 body = view.selected.value_or(0);
  if (whole("body", body, "Index of a body, which is drawn brighter. Or click one in the scene.")) {
    view.selected = static_cast<u32>(std::min<u64>(body, model.n - 1));
  }
  ImGui::BeginDisabled(!view.selected);
  ImGui::Checkbox("follow", &view.follow);
  tip("The camera orbits the body and moves with it (Z)");
  ImGui::SameLine();
  if (ImGui::Button("Deselect")) view.select(std::nullopt);
  tip("Selects no body (Esc)");
  ImGui::EndDisabled();
  if (!view.selected) {
    ImGui::TextDisabled("Click a body to see its state.");
    return;
  }
  const auto& seen = model.inspected;
  if (!seen || seen->body != *view.selected) return;
  const auto& v = seen->velocity;
  const UnitSystem* units = find_unit_system(model.scene.units);
  const std::string length = unit_behind(units, "length"), speed = unit_behind(units, "velocity");
  const std::string per_time = units == nullptr || speed.empty() ? "" : fmt::format("{}/{}", speed, units->time);
  ImGui::BeginDisabled(model.timeline.recorded);
  fields(*seen, length, speed, unit_behind(units, "mass"), requests);
  ImGui::EndDisabled();
  if (!ImGui::BeginTable("figures", 2, ImGuiTableFlags_SizingFixedFit)) return;
  row("body", fmt::format("{} of {}", seen->body, model.n));
  row("speed", fmt::format("{:.5g}{}", std::hypot(v[0], v[1], v[2]), speed));
  row("acceleration", fmt::format("{:.5g}{}", seen->acceleration, per_time));
  if (seen->charge) row("charge", fmt::format("{:.6g}", *seen->charge));
  if (seen->group) row("group", fmt::format("{} of {}", *seen->group, model.groups));
  if (seen->contacts) row("in contact", fmt::format("with {}", *seen->contacts));
  row("at step", fmt::format("{}", seen->step));
  ImGui::EndTable();
}

}  // namespace tri::app::gui::panel
