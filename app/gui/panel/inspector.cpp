// Body: selecting one, its state, and following it.

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

std::string vector(const std::array<double, 3>& v) { return fmt::format("{:.4g}  {:.4g}  {:.4g}", v[0], v[1], v[2]); }

}  // namespace

void inspector(const SessionModel& model, SceneView& view) {
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
  if (!ImGui::BeginTable("figures", 2, ImGuiTableFlags_SizingFixedFit)) return;
  const auto& v = seen->velocity;
  const UnitSystem* units = find_unit_system(model.scene.units);
  const std::string length = unit_behind(units, "length"), speed = unit_behind(units, "velocity");
  const std::string per_time = units == nullptr || speed.empty() ? "" : fmt::format("{}/{}", speed, units->time);
  row("body", fmt::format("{} of {}", seen->body, model.n));
  row("position", vector(seen->place) + length);
  row("velocity", vector(v) + speed);
  row("speed", fmt::format("{:.5g}{}", std::hypot(v[0], v[1], v[2]), speed));
  row("acceleration", fmt::format("{:.5g}{}", seen->acceleration, per_time));
  row("mass", fmt::format("{:.5g}{}", seen->mass, unit_behind(units, "mass")));
  row("radius", seen->radius > 0 ? fmt::format("{:.5g}{}", seen->radius, length) : "none: a point");
  if (seen->group) row("group", fmt::format("{} of {}", *seen->group, model.groups));
  if (seen->contacts) row("in contact", fmt::format("with {}", *seen->contacts));
  row("at step", fmt::format("{}", seen->step));
  ImGui::EndTable();
}

}  // namespace tri::app::gui::panel
