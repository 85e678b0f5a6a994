#include "app/gui/start/focus.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::start {
namespace {

/// By the names of their ImGui windows, in the order of Tab.
constexpr const char* kParts[] = {"tour",  "rail",     "left", "scene head", "run bar",
                                  "right", "map page", "race", "lower",      "Keys"};

}  // namespace

void take_navigation_keys() {
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  activate_by_enter();
}

void turn_focus(int parts) {
  if (parts == 0) return;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  std::vector<ImGuiWindow*> shown;
  for (const char* name : kParts) {
    ImGuiWindow* window = ImGui::FindWindowByName(name);
    if (window != nullptr && window->WasActive && !window->Hidden) shown.push_back(window);
  }
  if (shown.empty()) return;
  const auto count = static_cast<int>(shown.size());
  int now = parts > 0 ? -1 : count;
  for (int k = 0; k < count; ++k) {
    if (g.NavWindow != nullptr && g.NavWindow->RootWindow == shown[static_cast<std::size_t>(k)]) now = k;
  }
  ImGuiWindow* next = shown[static_cast<std::size_t>(((now + parts) % count + count) % count)];
  ImGui::ClearActiveID();
  ImGui::FocusWindow(next);
  if (g.NavId == 0) ImGui::NavInitWindow(next, true);
  show_focus();
}

void draw_focus(float scale) {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiWindow* window = g.NavWindow;
  if (!shows_focus() || window == nullptr || g.NavId == 0 || !window->Active) return;
  if ((window->Flags & ImGuiWindowFlags_NoNavInputs) != 0) return;
  const ImRect item = ImGui::WindowRectRelToAbs(window, window->NavRectRel[g.NavLayer]);
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  draw.PushClipRect(window->OuterRectClipped.Min, window->OuterRectClipped.Max);
  draw.AddRect({item.Min.x + scale, item.Min.y + scale}, {item.Max.x - scale, item.Max.y - scale}, theme().focus,
               4 * scale, 0, 2 * scale);
  draw.PopClipRect();
}

}  // namespace tri::app::gui::start
