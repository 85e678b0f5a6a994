// Notices, the newest first.

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {

void notices(const SessionModel& model) {
  if (model.notices.empty()) ImGui::TextDisabled("none");
  for (auto n = model.notices.rbegin(); n != model.notices.rend(); ++n) {
    coloured_text(n->error ? colour::bad() : ImGui::GetColorU32(ImGuiCol_Text),
                  n->count > 1 ? fmt::format("{} ({} times)", n->text, n->count) : n->text);
  }
}

}  // namespace tri::app::gui::panel
