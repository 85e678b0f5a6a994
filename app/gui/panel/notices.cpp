// Notices: what was said, the newest first.

#include <imgui.h>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {

void notices(const SessionModel& model, GuiState&) {
  if (model.notices.empty()) ImGui::TextDisabled("none");
  for (auto n = model.notices.rbegin(); n != model.notices.rend(); ++n) {
    ImGui::PushStyleColor(ImGuiCol_Text, n->error ? colour::bad() : ImGui::GetColorU32(ImGuiCol_Text));
    if (n->count > 1) {
      ImGui::TextWrapped("%s (%u times)", n->text.c_str(), n->count);
    } else {
      ImGui::TextWrapped("%s", n->text.c_str());
    }
    ImGui::PopStyleColor();
  }
}

}  // namespace tri::app::gui::panel
