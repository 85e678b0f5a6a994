#include "app/gui/base/widgets.hpp"

#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "app/gui/look/imgui_versions.hpp"

namespace tri::app::gui::panel {
namespace {

/// A field for a value that panels pass anew in every frame. True when the field is left with another one: by Enter,
/// Tab or a click elsewhere, but not by Esc. draw(&shown): draws it; true when its text was changed.
template <class T, class Draw>
bool edit(const char* label, T& value, const Draw& draw) {
  // One field is active at a time. What was typed into it is kept here, because the field left may be drawn after the
  // one that is now active.
  static ImGuiID field = 0;
  static T typed{};
  const ImGuiID id = ImGui::GetID(label);
  T shown = field == id ? typed : value;
  if (draw(&shown)) field = id, typed = shown;
  if (field != id || ImGui::IsItemActive()) return false;
  field = 0;
  const bool cancelled = is_pressed(ImGuiKey_Escape);
  if (!ImGui::IsItemDeactivated() || cancelled || shown == value) return false;
  value = shown;
  return true;
}

bool edit_number(const char* label, double& value, const char* format) {
  return edit(label, value, [&](double* shown) { return ImGui::InputDouble(label, shown, 0, 0, format); });
}

}  // namespace

std::optional<float> dragged_edge(const char* id, float x, float top, float height, float scale, bool* again) {
  const float grip = 6 * scale;
  ImGui::SetNextWindowPos({x, top});
  ImGui::SetNextWindowSize({grip, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin(id, nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::InvisibleButton("edge", {grip, height});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (hovered || active) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (again != nullptr) *again = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  ImGui::End();
  ImGui::PopStyleVar(2);
  if (!active || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) return std::nullopt;
  return ImGui::GetIO().MousePos.x;
}
void tip(const std::string& text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 26);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void coloured_text(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

float field_width(u32 characters) {
  const float label = ImGui::CalcTextSize("0").x * static_cast<float>(characters);
  return ImGui::GetContentRegionAvail().x - label - ImGui::GetStyle().ItemInnerSpacing.x;
}

bool number(const char* label, double& value, const char* text, const std::string& unit) {
  ImGui::SetNextItemWidth(field_width(13));
  const std::string format = "%.6g" + unit;
  const bool taken = edit_number(label, value, format.c_str());
  tip(text);
  return taken;
}

Dragged dragged_number(const char* label, double& value, const char* text, const std::function<bool(double)>& takes) {
  // One is active at a time. What it shows is kept here, because a value that was taken arrives only after a step.
  struct Held {
    ImGuiID field = 0;
    double begin = 0, shown = 0;
    bool taken = false;
  };
  static Held held;
  const ImGuiID id = ImGui::GetID(label);
  const bool mine = held.field == id;
  double shown = mine ? held.shown : value;
  // Two hundred pixels double the number.
  const auto speed = static_cast<float>(std::max(std::abs(mine ? held.begin : value), 1e-3) / 200);
  ImGui::SetNextItemWidth(field_width(13));
  const bool changed = ImGui::DragScalar(label, ImGuiDataType_Double, &shown, speed, nullptr, nullptr, "%.6g");
  const bool active = ImGui::IsItemActive();
  tip(text);
  if (active && !mine) held = {id, value, shown, false};
  if (!active && !mine) return Dragged::no;
  const bool cancelled = !active && is_pressed(ImGuiKey_Escape);
  held.shown = shown;
  if (!active) held.field = 0;
  // A number that is typed is taken when the field is left.
  const bool take = active ? changed && !ImGui::GetIO().WantTextInput : !cancelled;
  if (!take || shown == value || !takes(shown)) return Dragged::no;
  value = shown;
  return std::exchange(held.taken, true) ? Dragged::goes_on : Dragged::begins;
}

bool numbers(const char* label, std::array<double, 3>& values, const char* text, bool label_above) {
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x, width = (field_width(label_above ? 0 : 13) - 2 * gap) / 3;
  if (label_above) ImGui::TextDisabled("%s", label);
  bool taken = false;
  ImGui::BeginGroup();
  ImGui::PushID(label);
  for (int axis = 0; axis < 3; ++axis) {
    ImGui::PushID(axis);
    ImGui::SetNextItemWidth(width);
    taken |= edit_number("", values[static_cast<std::size_t>(axis)], "%.4g");
    ImGui::SameLine(0, gap);
    ImGui::PopID();
  }
  ImGui::PopID();
  label_above ? ImGui::NewLine() : ImGui::TextUnformatted(label);
  ImGui::EndGroup();
  tip(text);
  return taken;
}

bool whole(const char* label, u64& value, const char* text) {
  ImGui::SetNextItemWidth(field_width(13));
  const bool taken =
      edit(label, value, [&](u64* shown) { return ImGui::InputScalar(label, ImGuiDataType_U64, shown); });
  tip(text);
  return taken;
}

bool choose(const char* label, u32& at, const std::vector<std::string>& names, float width,
            const std::string& preview) {
  ImGui::SetNextItemWidth(width > 0 ? width : field_width(13));
  if (!ImGui::BeginCombo(label, preview.empty() ? names[at].c_str() : preview.c_str())) return false;
  bool chosen = false;
  for (u32 k = 0; k < names.size(); ++k) {
    if (ImGui::Selectable(names[k].c_str(), k == at) && k != at) {
      at = k;
      chosen = true;
    }
  }
  ImGui::EndCombo();
  return chosen;
}

void choose_number(const char* label, u32& value, std::span<const u32> numbers, float width,
                   const std::string& preview) {
  std::vector<std::string> names;
  for (const u32 n : numbers) names.push_back(n == 0 ? "auto" : std::to_string(n));
  auto at = static_cast<u32>(std::find(numbers.begin(), numbers.end(), value) - numbers.begin());
  if (choose(label, at, names, width, preview)) value = numbers[at];
}

void text_or_preset(const std::string& id, std::string& text, std::span<const Preset> presets, float text_width,
                    float combo_width, const char* explanation) {
  ImGui::SetNextItemWidth(text_width);
  const std::string field = "##" + id;
  edit(field.c_str(), text, [&](std::string* shown) { return ImGui::InputText(field.c_str(), shown); });
  tip(explanation);
  ImGui::SameLine();
  std::vector<std::string> names;
  u32 at = static_cast<u32>(presets.size());
  for (u32 k = 0; k < presets.size(); ++k) {
    names.emplace_back(presets[k].name);
    if (text == presets[k].text) at = k;
  }
  const std::string preview = at < names.size() ? names[at] : "other";
  if (choose(("##" + id + "s").c_str(), at, names, combo_width, preview)) text = presets[at].text;
}

void same_line(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

void run_step_restart(StepChoice& choice) {
  if (ImGui::Button(choice.running ? "Pause###run" : "Run###run")) choice.running = !choice.running;
  ImGui::SameLine();
  if (ImGui::Button("Step")) ++choice.pending_steps;
  ImGui::SameLine();
  if (ImGui::Button("Restart")) ++choice.restarts;
}

void rate(double& per_second, float width, const char* text) {
  auto value = static_cast<float>(per_second);
  ImGui::SetNextItemWidth(width);
  if (ImGui::SliderFloat("per second", &value, 1, 60, "%.0f")) per_second = static_cast<double>(value);
  tip(text);
}

}  // namespace tri::app::gui::panel
