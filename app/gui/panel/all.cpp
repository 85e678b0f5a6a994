// All panels at their places.

#include <imgui.h>

#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

bool begin_column(const char* name, const Rect& place) {
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  return ImGui::Begin(name, nullptr,
                      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                          ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                          ImGuiWindowFlags_NoBringToFrontOnFocus);
}

/// A section that folds; `open`: at the start.
template <class Draw>
void section(const char* name, bool open, Draw draw) {
  if (!ImGui::CollapsingHeader(name, open ? ImGuiTreeNodeFlags_DefaultOpen : 0)) return;
  ImGui::PushID(name);
  draw();
  ImGui::PopID();
}

}  // namespace

void all(const SessionModel& model, GuiState& state, const Layout& layout, Requests& requests) {
  const auto left = [&] {
    section("Scene", true, [&] { scene(model, state, requests); });
    section("Integrator", true, [&] { integrator(model, state, requests); });
    section("Body", true, [&] { inspector(model, state); });
    section("View", true, [&] { view(model, state); });
    section("Physics", true, [&] { physics(model, state, requests); });
  };
  if (layout.left.w > 0) {
    begin_column("left", layout.left);
    left();
    ImGui::End();
  }
  if (layout.right.w > 0) {
    begin_column("right", layout.right);
    section("Map", true, [&] { map(model, state, requests); });
    section("Timing", true, [&] { timing(model, state); });
    if (layout.left.w <= 0) left();
    if (state.bench.shown > 0) {
      --state.bench.shown;  // a window knows its length a frame late
      ImGui::SetNextItemOpen(true);
      ImGui::SetScrollHereY(0);
    }
    section("Benchmark", false, [&] { benchmark(state); });
    section("Notices", !model.notices.empty(), [&] { notices(model, state); });
    section("Diagnostics", true, [&] { diagnostics(model, state); });
    ImGui::End();
  }
  status(model, state, layout.status);
  if (const auto path = files(state.files, state.recent, state.scale)) {
    state.recent.add(*path);
    if (state.files.purpose() == FileBrowser::Purpose::open) {
      state.pending.open = *path;
    } else {
      requests.push_back(ask::Save{*path});
      state.save_path = *path;
    }
  }
  if (state.help) help(state, layout.scene);
}

}  // namespace tri::app::gui::panel
