#include "app/gui/start/tour_card.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/tour.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::start {
namespace {

constexpr float kCardWidth = 312, kPad = 20;

float wrapped_height(Face which, const std::string& text, float width) {
  if (text.empty()) return 0;
  return face(which)->CalcTextSizeA(height_of(face(which)), 1e9f, width, text.c_str()).y;
}

void wrapped(Face which, ImU32 colour, const std::string& text) {
  const InFace in(which);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void dots(const TourState& tour, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImVec2 at = ImGui::GetCursorScreenPos();
  const float size = 6 * scale;
  for (std::size_t k = 0; k < TourState::kStops; ++k) {
    const float width = k == tour.stop ? 16 * scale : size;
    draw.AddRectFilled(at, {at.x + width, at.y + size}, k == tour.stop ? theme().text : theme().edge, size / 2);
    at.x += width + size;
  }
  ImGui::Dummy({1, size});
}

/// A link: words with a line below them.
bool link(const char* text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::CalcTextSize(text);
  const bool pressed = ImGui::InvisibleButton(text, {size.x, ImGui::GetFrameHeight()});
  const ImU32 ink = ImGui::IsItemHovered() ? theme().text : theme().text2;
  const float y = at.y + (ImGui::GetFrameHeight() - size.y) / 2;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  write(draw, Face::body, {at.x, y}, ink, text);
  draw.AddLine({at.x, y + size.y}, {at.x + size.x, y + size.y}, ink);
  return pressed;
}

bool primary_button(const char* text, float width) {
  ImGui::PushStyleColor(ImGuiCol_Button, theme().text);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, theme().text2);
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, theme().text2);
  ImGui::PushStyleColor(ImGuiCol_Text, theme().panel);
  const bool pressed = ImGui::Button(text, {width, 0});
  ImGui::PopStyleColor(4);
  return pressed;
}

/// The ring around the part, and a line from the card to it.
void ring(const Rect& part, const Rect& card, float scale) {
  ImDrawList& draw = *ImGui::GetForegroundDrawList();
  const float in = scale;
  const ImVec2 low{part.x + in, part.y + in}, high{part.x + part.w - in, part.y + part.h - in};
  draw.AddRect(low, high, theme().focus, 4 * scale, 0, 2 * scale);
  const auto nearest = [](float at, float from, float size) { return std::clamp(at, from, from + size); };
  const ImVec2 middle{card.x + card.w / 2, card.y + card.h / 2};
  const ImVec2 to{nearest(middle.x, low.x, high.x - low.x), nearest(middle.y, low.y, high.y - low.y)};
  const ImVec2 from{nearest(to.x, card.x, card.w), nearest(to.y, card.y, card.h)};
  const float dx = to.x - from.x, dy = to.y - from.y, most = 40 * scale;  // farther, it would cross something
  if (dx * dx + dy * dy < most * most) draw.AddLine(from, to, theme().focus, 2 * scale);
}

}  // namespace

void tour_card(const SessionModel& model, GuiState& state, const Layout& places) {
  TourState& tour = state.tour;
  if (!tour.shown || !state.panels.visible() || state.race.shown || state.page.shown || state.files.browser.shown())
    return;
  const float s = state.panels.scale, width = std::min(kCardWidth * s, places.status.w), inner = width - 2 * kPad * s;
  const TourWords words = tour_words(tour.stop, model, state);
  const std::string action = tour.done_at ? "Done." : words.action;
  const float gap = 8 * s, button = ImGui::GetFrameHeight();
  const float least = words.action.empty() ? 0 : gap + wrapped_height(Face::strong, words.action, inner);
  const float height = 2 * kPad * s + height_of(face(Face::caption)) + 4 * s +
                       wrapped_height(Face::title, words.title, inner) + gap +
                       wrapped_height(Face::body, words.text, inner) + least + 2 * gap + 6 * s + 2 * gap + button;
  constexpr float kRunBar = 72, kHints = 194;
  const float top = (state.overlay.hints ? kHints : 8) * s;
  const float bottom = std::max(top + 1, places.strip.y - (places.scene.h > 420 * s ? kRunBar : 8) * s);
  const Rect& part = tour.places[tour.stop];
  Rect beside = part;  // a part of the column: beside that, so that the maps stay in sight
  if (places.right.w > 0 && part.x >= places.right.x) beside.x = places.right.x, beside.w = places.right.w;
  const bool there = part.w > 0;
  const Rect bounds{places.rail.w + 8 * s, top, places.status.w - places.rail.w - 16 * s, bottom - top};
  const Rect card =
      there ? card_place(beside, width, height, bounds, 14 * s) : card_place(bounds, width, height, bounds, 0);
  ImGui::SetNextWindowPos({std::floor(card.x), std::floor(card.y)});
  ImGui::SetNextWindowSize({card.w, card.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * s);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {kPad * s, kPad * s});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
  ImGui::Begin("tour", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, 4 * s});
  wrapped(Face::caption, theme().text2, fmt::format("Step {} of {}", tour.stop + 1, TourState::kStops));
  ImGui::PopStyleVar();
  wrapped(Face::title, theme().text, words.title);
  wrapped(Face::body, theme().text, words.text);
  if (!action.empty()) wrapped(Face::strong, tour.done_at ? theme().running : theme().text, action);
  const ImVec2 corner = ImGui::GetWindowPos();
  const float foot = card.h - kPad * s - button;
  ImGui::SetCursorPos({kPad * s, foot - 2 * gap - 6 * s});
  dots(tour, s);
  ImGui::SetCursorPos({kPad * s, foot});
  bool leaves = link("Leave the tour"), back = false, next = false;
  const float each = 60 * s, right = card.w - kPad * s;
  if (tour.stop > 0) {
    ImGui::SetCursorPos({right - 2 * each - gap, foot});
    back = ImGui::Button("Back", {each, 0});
  }
  ImGui::SetCursorPos({right - each, foot});
  next = primary_button(tour.stop + 1 < TourState::kStops ? "Next###next" : "End###next", each);
  if (there) ring(part, {corner.x, corner.y, card.w, card.h}, s);
  ImGui::End();
  ImGui::PopStyleVar(4);
  if (next) next_stop(state);
  if (back) previous_stop(state);
  if (leaves) leave_tour(state);
}

}  // namespace tri::app::gui::start
