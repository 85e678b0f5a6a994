// Bodies by hand: the tools, the body to be added, the selected bodies, and what is measured.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

void tool_button(const char* name, Tool tool, TouchState& touch, const char* about) {
  const bool on = touch.tool == tool;
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
  if (ImGui::Button(name)) {
    touch.tool = on ? Tool::look : tool;
    touch.stroke.reset(), touch.draft.reset(), touch.picked.clear();
  }
  if (on) ImGui::PopStyleColor();
  tip(about);
}

/// A number that is the usual one until another is chosen.
void chosen(const char* label, std::optional<double>& value, double usual, const std::string& unit, const char* about) {
  double shown = value.value_or(usual);
  if (number(label, shown, about, unit)) value = shown;
}

void new_body(const SessionModel& model, TouchState& touch) {
  const UnitSystem* units = find_unit_system(model.scene.units);
  const bool known = model.population != nullptr;
  static const Bodies kNone;
  const Bodies& bodies = known ? model.population->bodies : kNone;
  chosen("new mass", touch.mass, median_of(bodies.m), unit_behind(units, "mass"), "Of bodies to be added, more than 0");
  chosen("new radius", touch.radius, median_of(bodies.r), unit_behind(units, "length"), "Of bodies to be added");
  ImGui::BeginDisabled(!touch.mass && !touch.radius);
  if (ImGui::Button("As the others")) touch.mass.reset(), touch.radius.reset();
  tip("Mass and radius are the medians of the scene");
  ImGui::EndDisabled();
}

void selected(TouchState& touch, Requests& requests) {
  Selection& s = touch.selection;
  const std::size_t count = s.bodies.size();
  ImGui::TextDisabled(count == 0 ? "Shift+drag in the scene selects bodies." : "%s selected",
                      count == 1 ? "1 body" : fmt::format("{} bodies", grouped(count)).c_str());
  if (count == 0) return;
  ImGui::Checkbox("hide", &s.hidden);
  ImGui::SameLine();
  ImGui::Checkbox("colour##selected", &s.coloured);
  ImGui::SameLine();
  ImGui::Checkbox("follow##selected", &s.followed);
  tip("The camera moves with their centre of mass");
  if (ImGui::Button("Delete")) touch.deletes = true;
  tip("Ctrl+Z brings them back");
  ImGui::SameLine();
  if (ImGui::Button("Clear")) s.bodies.clear();
  tip("Selects no bodies (Esc)");
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::InputText("##path", &s.path);
  tip("A file of bodies; the extension names the format");
  ImGui::SameLine();
  if (ImGui::Button("Export")) requests.push_back(ask::Export{s.path, s.bodies});
  tip("Writes the selected bodies alone");
}

std::string measured(const Measure& m, const std::string& length) {
  const bool angle = m.bodies.size() == 3;
  return fmt::format("{}: {}{}", fmt::join(m.bodies, " - "),
                     m.places.empty() ? std::string("...") : fmt::format("{:.5g}", m.value()),
                     angle ? "\u00b0" : length);
}

void measures(const SessionModel& model, TouchState& touch) {
  const std::string length = unit_behind(find_unit_system(model.scene.units), "length");
  std::size_t gone = touch.measures.size();
  for (std::size_t k = 0; k < touch.measures.size(); ++k) {
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::SmallButton("x")) gone = k;
    tip("Removes it (Esc removes the last)");
    ImGui::PopID();
    ImGui::SameLine();
    ImGui::TextUnformatted(measured(touch.measures[k], length).c_str());
  }
  if (gone < touch.measures.size()) touch.measures.erase(touch.measures.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace

void hands(const SessionModel& model, TouchState& touch, Requests& requests) {
  ImGui::BeginDisabled(model.timeline.recorded);
  tool_button("Add", Tool::add, touch,
              "A drag in the scene adds a body with this velocity, or throws the one under it (J)");
  ImGui::EndDisabled();
  ImGui::SameLine();
  tool_button("Measure", Tool::measure, touch, "Clicks on two bodies pin their distance, a third one the angle (K)");
  if (touch.tool == Tool::add) new_body(model, touch);
  measures(model, touch);
  selected(touch, requests);
}

}  // namespace tri::app::gui::panel
