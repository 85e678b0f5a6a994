#include "app/gui/views/bottom_panes.hpp"

#include <imgui.h>

#include <algorithm>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/views/distance_view.hpp"
#include "app/gui/views/domain_view.hpp"
#include "app/gui/views/fractal_view.hpp"
#include "app/gui/views/triangle_automaton_view.hpp"

namespace tri::app::gui {
namespace {

template <class View, auto kChoice>
std::unique_ptr<BottomPane> make(PaneChoices& choices, const CommonOptions&) {
  return std::make_unique<View>(choices.*kChoice);
}

std::unique_ptr<BottomPane> make_fractal(PaneChoices& choices, const CommonOptions& common) {
  return std::make_unique<FractalView>(choices.fractal, common);
}

constexpr PaneRow kPaneRows[] = {
    {"domain", "Where the blocks of a map go: parallel space beside data space (O)",
     make<DomainView, &PaneChoices::domain>},
    {"distances", "Distances of all pairs of bodies in view, as a heat map",
     make<DistanceView, &PaneChoices::distances>},
    {"automaton", "A cellular automaton on the triangle, stepped tile by tile by the map in use",
     make<TriangleAutomatonView, &PaneChoices::automaton>},
    {"fractal", "A cellular automaton on the gasket and its family, in compact or embedded storage", make_fractal},
};

void tabs(PaneChoices& choices) {
  for (std::size_t k = 0; k < std::size(kPaneRows); ++k) {
    if (k > 0) ImGui::SameLine();
    const bool current = k == choices.current;
    if (current) ImGui::PushStyleColor(ImGuiCol_Button, theme().selected);
    if (ImGui::Button(kPaneRows[k].name)) choices.current = k;
    if (current) ImGui::PopStyleColor();
    panel::tip(kPaneRows[k].about);
  }
  ImGui::SameLine();
  const char* size = choices.whole ? "Half###size" : "Whole scene###size";
  const float width = ImGui::CalcTextSize("close").x + ImGui::CalcTextSize(size, nullptr, true).x +
                      4 * ImGui::GetStyle().FramePadding.x + ImGui::GetStyle().ItemSpacing.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - width));
  if (ImGui::Button(size)) choices.whole = !choices.whole;
  panel::tip("How much of the scene's place the pane takes");
  ImGui::SameLine();
  if (ImGui::Button("close")) choices.shown = false;
}

}  // namespace

std::span<const PaneRow> pane_rows() { return kPaneRows; }

void show_pane(std::string_view name, PaneChoices& choices) {
  for (std::size_t k = 0; k < std::size(kPaneRows); ++k) {
    if (kPaneRows[k].name == name) choices.shown = true, choices.current = k;
  }
}

BottomPanes::BottomPanes(PaneChoices& choices, const CommonOptions& common) : choices_(choices) {
  for (const PaneRow& row : kPaneRows) panes_.push_back(row.make(choices, common));
}

void BottomPanes::work(Session& session, const PaneContext& context) {
  if (choices_.shown) panes_[choices_.current]->work(session, context);
}

void BottomPanes::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  if (!choices_.shown || place.w < 1 || place.h < 1) return;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::Begin("lower", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus);
  tabs(choices_);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  panes_[choices_.current]->draw(model, context, {place.x, corner.y, place.w, place.y + place.h - corner.y});
  ImGui::End();
}

}  // namespace tri::app::gui
