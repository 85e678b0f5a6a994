#include "app/gui/base/widgets.hpp"

#include <imgui_stdlib.h>

#include <algorithm>

namespace tri::app::gui::panel {

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

namespace {

/// Draws a field; true when it was left with another value, by Enter, Tab or a click elsewhere. `draw` returns whether
/// the text was edited in this frame. Until the field is left, `value` stays; after Esc, too.
template <class T, class Draw>
bool edit(const char* label, T& value, const char* text, const Draw& draw) {
  static ImGuiID edited = 0;  // one field is active at a time
  static T typed{};
  const ImGuiID id = ImGui::GetID(label);
  T shown = value;
  ImGui::SetNextItemWidth(field_width(13));
  if (draw(shown)) edited = id, typed = shown;
  const bool left = edited == id && ImGui::IsItemDeactivatedAfterEdit();
  tip(text);
  if (!left) return false;
  edited = 0;
  if (typed == value || ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) return false;
  value = typed;
  return true;
}

}  // namespace

bool number(const char* label, double& value, const char* text) {
  return edit(label, value, text, [&](double& shown) { return ImGui::InputDouble(label, &shown, 0, 0, "%.6g"); });
}

bool numbers(const char* label, std::array<double, 3>& values, const char* text) {
  return edit(label, values, text, [&](std::array<double, 3>& shown) {
    return ImGui::InputScalarN(label, ImGuiDataType_Double, shown.data(), 3, nullptr, nullptr, "%.4g");
  });
}

bool whole(const char* label, u64& value, const char* text) {
  return edit(label, value, text, [&](u64& shown) { return ImGui::InputScalar(label, ImGuiDataType_U64, &shown); });
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
  std::string typed = text;
  if (ImGui::InputText(("##" + id).c_str(), &typed, ImGuiInputTextFlags_EnterReturnsTrue)) text = typed;
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
