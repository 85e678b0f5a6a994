#include "app/gui/views/bottom_panes.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/views/distance_view.hpp"
#include "app/gui/views/domain_view.hpp"
#include "app/gui/views/fractal_view.hpp"
#include "app/gui/views/triangle_automaton_view.hpp"

namespace tri::app::gui {
namespace {

template <class View>
std::unique_ptr<BottomPane> make() {
  return std::make_unique<View>();
}

constexpr LowerViewRow kRows[] = {
    {"domain", "Where the blocks of a map go: parallel space beside data space (O)", make<DomainView>},
    {"distances", "The distances of all pairs of bodies in view, as a heat map", make<DistanceView>},
    {"automaton", "Cells on the triangle that live by their neighbours, tile by tile of the map in use",
     make<TriangleAutomatonView>},
    {"fractal", "Cells on the gasket and its family, in compact or embedded storage", make<FractalView>},
};

void tabs(GuiState& state) {
  for (std::size_t k = 0; k < std::size(kRows); ++k) {
    if (k > 0) ImGui::SameLine();
    const bool shown = k == state.bottom_pane;
    if (shown) ImGui::PushStyleColor(ImGuiCol_Button, colour::accent());
    if (ImGui::Button(kRows[k].name)) state.bottom_pane = k;
    if (shown) ImGui::PopStyleColor();
    panel::tip(kRows[k].about);
  }
  ImGui::SameLine();
  const float width = ImGui::CalcTextSize("close").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
  if (ImGui::Button("close")) state.domain.shown = false;
}

}  // namespace

std::span<const LowerViewRow> lower_view_rows() { return kRows; }

void show_lower_view(std::string_view name, GuiState& state) {
  for (std::size_t k = 0; k < std::size(kRows); ++k) {
    if (kRows[k].name == name) state.domain.shown = true, state.bottom_pane = k;
  }
}

BottomPanes::BottomPanes() {
  for (const LowerViewRow& row : kRows) views_.push_back(row.make());
}

void BottomPanes::work(Session& session, GuiState& state, float seconds) {
  if (state.domain.shown) views_[state.bottom_pane]->work(session, state, seconds);
}

void BottomPanes::draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds) {
  if (!state.domain.shown || place.w < 1 || place.h < 1) return;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::Begin("lower", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus);
  tabs(state);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = place.y + place.h - corner.y;
  views_[state.bottom_pane]->draw(model, state, {place.x, corner.y, place.w, height}, seconds);
  ImGui::End();
}

}  // namespace tri::app::gui
