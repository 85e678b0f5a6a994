// All panels in their columns, and the notices.

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
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

/// A section that folds; `open`: initially.
template <class Draw>
void section(const char* name, bool open, Draw draw) {
  if (!ImGui::CollapsingHeader(name, open ? ImGuiTreeNodeFlags_DefaultOpen : 0)) return;
  ImGui::PushID(name);
  draw();
  ImGui::PopID();
}

}  // namespace

/// The newest first.
void notices(const SessionModel& model) {
  if (model.notices.empty()) ImGui::TextDisabled("none");
  for (auto n = model.notices.rbegin(); n != model.notices.rend(); ++n) {
    coloured_text(n->error ? colour::bad() : ImGui::GetColorU32(ImGuiCol_Text),
                  n->count > 1 ? fmt::format("{} ({} times)", n->text, n->count) : n->text);
  }
}

void all(const SessionModel& model, GuiState& state, const Layout& layout, Requests& requests) {
  const float scale = state.panels.scale;
  const bool one_column = layout.left.w <= 0;
  const auto run = [&] { section("Integrator", true, [&] { integrator(model, requests); }); };
  const auto left = [&] {
    section("Scene", true, [&] { scene(model, state.files, state.overlay.demo, state.pending, requests); });
    if (!one_column) run();
    section("Body", true, [&] { inspector(model, state.view); });
    section("View", true, [&] {
      view(model, state.view, state.frames.recording, state.pending);
      window(state.panels, state.panes.shown);
    });
    section("Physics", true, [&] { physics(model, state, requests); });
  };
  if (!one_column) {
    begin_column("left", layout.left);
    left();
    ImGui::End();
  }
  if (layout.right.w > 0) {
    begin_column("right", layout.right);
    if (one_column) run();  // above all that scrolls
    section("Map", true, [&] { map(model, state.panels.all_formulas, state.split, requests); });
    section("Timing", true, [&] { timing(model, state.frames, scale); });
    if (one_column) left();
    if (state.bench.reveal_frames > 0) {
      --state.bench.reveal_frames;  // ImGui knows the length of a window one frame late
      ImGui::SetNextItemOpen(true);
      ImGui::SetScrollHereY(0);
    }
    section("Benchmark", false, [&] { benchmark(state.bench, scale); });
    section("Notices", !model.notices.empty(), [&] { notices(model); });
    section("Diagnostics", true, [&] { diagnostics(model, scale); });
    ImGui::End();
  }
  status(model, state.frames, scale, layout.status);
  if (const auto path = files(state.files.browser, state.files.recent, scale)) {
    if (state.files.browser.purpose() == FileBrowser::Purpose::open) {
      state.pending.open = *path;
    } else {
      requests.push_back(ask::Save{*path});
      state.files.save_path = *path;
      state.files.recent.add(*path);
    }
  }
  if (state.panels.help) help(state.panels.help, scale, layout.scene);
}

}  // namespace tri::app::gui::panel
