#include "app/gui/base/widgets.hpp"

#include <imgui.h>

namespace tri::app::gui::panel {

void tip(const std::string& text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 26);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

float field_width(u32 letters) {
  const float label = ImGui::CalcTextSize("0").x * static_cast<float>(letters);
  return ImGui::GetContentRegionAvail().x - label - ImGui::GetStyle().ItemInnerSpacing.x;
}

bool number(const char* label, double& value, const char* text) {
  ImGui::SetNextItemWidth(field_width(13));
  const bool taken = ImGui::InputDouble(label, &value, 0, 0, "%.6g", ImGuiInputTextFlags_EnterReturnsTrue);
  tip(text);
  return taken;
}

bool numbers(const char* label, std::array<double, 3>& values, const char* text) {
  ImGui::SetNextItemWidth(field_width(13));
  const bool taken = ImGui::InputScalarN(label, ImGuiDataType_Double, values.data(), 3, nullptr, nullptr, "%.4g",
                                         ImGuiInputTextFlags_EnterReturnsTrue);
  tip(text);
  return taken;
}

bool whole(const char* label, u64& value, const char* text) {
  ImGui::SetNextItemWidth(field_width(13));
  const bool taken = ImGui::InputScalar(label, ImGuiDataType_U64, &value, nullptr, nullptr, nullptr,
                                        ImGuiInputTextFlags_EnterReturnsTrue);
  tip(text);
  return taken;
}

bool choose(const char* label, u32& at, const std::vector<std::string>& names) {
  ImGui::SetNextItemWidth(field_width(13));
  if (!ImGui::BeginCombo(label, names[at].c_str())) return false;
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

void same_line(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

Pressed run_step_restart(bool& running) {
  if (ImGui::Button(running ? "Pause###run" : "Run###run")) running = !running;
  ImGui::SameLine();
  const bool step = ImGui::Button("Step");
  ImGui::SameLine();
  return {step, ImGui::Button("Restart")};
}

void rate(double& a_second, float width, const char* text) {
  auto value = static_cast<float>(a_second);
  ImGui::SetNextItemWidth(width);
  if (ImGui::SliderFloat("a second", &value, 1, 60, "%.0f")) a_second = static_cast<double>(value);
  tip(text);
}

}  // namespace tri::app::gui::panel
