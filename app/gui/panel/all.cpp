// All panels in their columns, and the notices.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/gui/base/tour.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/charts/lanes.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/gui/start/focus.hpp"
#include "app/gui/start/tour_card.hpp"
#include "app/gui/views/map_page.hpp"

namespace tri::app::gui::panel {
namespace {

/// The column of maps: the rows, where their blocks go, and the energy error, as far as there is room.
void column(const SessionModel& model, const ShownRuns& runs, GuiState& state, const Layout& places, float seconds,
            Requests& requests) {
  const Rect& place = places.right;
  if (place.w < 1) return;
  const float scale = state.panels.scale;
  const bool compact = places.compact || place.w < 400 * scale;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("right", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  state.tour.mark(TourPart::pairs, {place.x, place.y, place.w - 180 * scale, 44 * scale});
  state.tour.mark(TourPart::race, {place.x + place.w - 98 * scale, place.y, 98 * scale, 44 * scale});
  maps(model, {scale, places.row, compact}, state.panels.sort, state.split, state.page, state.race, requests);
  const float chart = 110 * scale, least = 130 * scale, most = 320 * scale;
  const float rows = place.y + 44 * scale;
  state.tour.mark(TourPart::maps, {place.x, rows, place.w, ImGui::GetCursorScreenPos().y - rows});
  const float left = place.y + place.h - ImGui::GetCursorScreenPos().y;
  const bool has_chart = left > chart + least + 24 * scale;
  const float figure = std::min(most, left - (has_chart ? chart + 16 * scale : 0));
  ImGui::SetCursorScreenPos({place.x, ImGui::GetCursorScreenPos().y + (compact ? 0 : 8 * scale)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (figure > least) state.tour.mark(TourPart::blocks, {at.x, at.y, place.w, figure});
  if (figure > least) blocks(model, state.panes.domain, figure - 8 * scale, seconds, scale, compact);
  if (has_chart) {
    const float pad = 12 * scale;
    ImGui::SetCursorScreenPos({at.x, at.y + figure});
    ImGui::GetWindowDrawList()->AddLine({at.x, at.y + figure}, {at.x + place.w, at.y + figure}, theme().line);
    ImGui::SetCursorScreenPos({at.x + pad, at.y + figure + 8 * scale});
    ImGui::PushItemWidth(-pad);
    energy_chart(runs.first, runs.second, (left - figure - 28 * scale) / scale, place.w - 2 * pad, scale);
    ImGui::PopItemWidth();
  }
  ImGui::GetWindowDrawList()->AddLine({place.x, place.y}, {place.x, place.y + place.h}, theme().line);
  ImGui::End();
  ImGui::PopStyleVar();
  bool again = false;
  if (const auto x = dragged_edge("right edge", place.x, place.y, place.h, scale, &again)) {
    state.panels.column = std::clamp((place.x + place.w - *x) / scale, kLeastColumn, kMostColumn);
  }
  if (again) state.panels.column = 0;
}

}  // namespace

/// The newest first.
void notices(const SessionModel& model) {
  if (model.notices.empty()) ImGui::TextDisabled("none");
  for (auto n = model.notices.rbegin(); n != model.notices.rend(); ++n) {
    coloured_text(n->error ? theme().fault : ImGui::GetColorU32(ImGuiCol_Text),
                  n->count > 1 ? fmt::format("{} ({} times)", n->text, n->count) : n->text);
  }
}

void all(const ShownRuns& runs, GuiState& state, const Layout& layout, double seconds, double now, Requests& requests) {
  const SessionModel& model = runs.first;
  // What these show and change is of the run that is chosen; there is one clock.
  const SessionModel& chosen = runs.second != nullptr && state.second.controls_b ? *runs.second : model;
  const float scale = state.panels.scale;
  start::turn_focus(std::exchange(state.panels.focus_turn, 0));
  follow_tour(model, state, now, layout.narrow);
  state.tour.places = {};
  if (state.panels.visible()) {
    state.tour.mark(TourPart::strip, layout.strip);
    if (!state.page.shown && !state.race.shown) {
      scene_head(model, state, layout.free);
      run_bar(model, state, layout.free, requests);
    }
    // A page that opens is not covered by a panel that nobody pinned.
    const bool paged = state.page.shown || state.race.shown;
    if (paged && !state.panels.paged && !state.panels.pinned && state.panels.open != kMapsPanel)
      state.panels.open.clear();
    state.panels.paged = paged;
    Rect page = layout.scene;
    page.h += layout.pane.h;
    map_page(model, state.page, state.race, page, static_cast<float>(seconds), scale, requests);
    Rect beside_rail = page;
    beside_rail.w = layout.status.w - page.x;
    race(model, state.race, beside_rail, scale);
    rail(model, state, layout);
    if (!state.race.shown) column(chosen, runs, state, layout, static_cast<float>(seconds), requests);
    frame_strip(model, state, now, layout.strip);
    charts::lanes(state.lanes, state.frames, step_colour(model), now, layout.lanes, scale);
    status(model, state.frames, scale, layout.status);
    left_panel(state.panels.open == "Time" ? model : chosen, state, layout.left, requests);
  }
  if (const auto path = files(state.files.browser, state.files.recent, scale)) {
    if (state.files.browser.purpose() == FileBrowser::Purpose::open) {
      state.pending.open = *path;
    } else {
      requests.push_back(ask::Save{*path});
      state.files.save_path = *path;
      state.files.recent.add(*path);
    }
  }
  start::tour_card(model, state, layout);
  palette(model, state, layout.scene, requests);
  if (state.panels.help) help(state, scale, layout.scene);
  start::draw_focus(scale);
}

}  // namespace tri::app::gui::panel
