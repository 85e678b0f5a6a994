// The frame strip: where the time of a frame goes, as parts of 100 %.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/base/keys.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr double kRefresh = 0.25;  // seconds; numbers that change more often cannot be read

/// Neighbours joined where they are too narrow for a label.
struct Piece {
  std::string name, about;
  double ms = 0;
  bool steps = false;
  ImU32 colour = 0;
};

std::string label(const Piece& p, double whole, float room) {
  const std::string percent = fmt::format("{:.0f} %", 100 * p.ms / whole);
  const std::string all = fmt::format("{} {} \u00b7 {}", p.name, time_text(p.ms), percent);
  for (const std::string& text : {all, fmt::format("{} {}", p.name, percent), percent}) {
    if (width_in(Face::caption, text.c_str()) <= room) return text;
  }
  return "";
}

std::vector<Piece> pieces_of(const StripTimes& times, float width, float scale, ImU32 map_colour) {
  std::vector<Piece> pieces;
  const float least = 60 * scale;
  bool joins = false;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    const double ms = times.parts[k];
    const bool steps = static_cast<FramePart>(k) == FramePart::steps;
    const bool narrow = !steps && width * static_cast<float>(ms / times.whole) < least;
    const std::string about = fmt::format("{}: {}. {}.", kFrameParts[k].name, time_text(ms), kFrameParts[k].text);
    if (narrow && joins) {
      Piece& last = pieces.back();
      last.name = "other", last.ms += ms, last.about += "\n" + about;
    } else {
      pieces.push_back({kFrameParts[k].name, about, ms, steps, steps ? map_colour : 0});
    }
    joins = narrow;
  }
  return pieces;
}

void refresh(StripTimes& times, const std::deque<FrameCost>& costs, double now) {
  if (costs.empty() || (times.whole > 0 && now - times.at < kRefresh)) return;
  times.at = now;
  times.parts = {};
  for (const FrameCost& f : costs) {
    for (std::size_t k = 0; k < kFramePartCount; ++k) times.parts[k] += static_cast<double>(f.parts[k]);
  }
  times.whole = 0;
  for (double& part : times.parts) part /= static_cast<double>(costs.size()), times.whole += part;
}

}  // namespace

ImU32 step_colour(const SessionModel& model) {
  const auto& maps = shown_maps(model);
  return maps.empty() ? theme().text2 : map_ink(maps[map_in_use(model)].name).colour;
}

void frame_strip(const SessionModel& model, GuiState& state, double now, const Rect& place) {
  if (place.w < 1 || place.h < 1) return;
  StripTimes& times = state.frames.strip;
  refresh(times, state.frames.costs, now);
  const float scale = state.panels.scale;
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin("frame strip", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = place.y + place.h / 2, pad = 12 * scale;
  draw.AddLine({place.x, place.y}, {place.x + place.w, place.y}, theme().line);
  write_middle(draw, Face::caption, {place.x + pad, y}, theme().text2, "Frame");
  const std::string whole = times.whole > 0 ? time_text(times.whole) : "-";
  write_middle(draw, Face::strong, {place.x + pad + width_in(Face::caption, "Frame "), y}, theme().text, whole);
  const float left = place.x + 144 * scale, right = place.x + place.w - 75 * scale;
  write_middle(draw, Face::caption, {place.x + place.w - pad, y}, theme().text2, "100 %", Align::right);
  if (times.whole > 0 && right > left + 40 * scale) {
    const std::vector<Piece> pieces = pieces_of(times, right - left, scale, step_colour(model));
    const float half = (place.h - 8 * scale) / 2;
    double done = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const Piece& p = pieces[k];
      const auto x_of = [&](double ms) { return left + (right - left) * static_cast<float>(ms / times.whole); };
      const ImVec2 low{x_of(done), y - half}, high{std::max(low.x + 1, x_of(done += p.ms) - 1), y + half};
      const ImU32 colour = p.steps ? p.colour : k % 2 == 0 ? theme().edge : theme().line;
      draw.AddRectFilled(low, high, colour, 2);
      const std::string text = label(p, times.whole, high.x - low.x - 8 * scale);
      write_middle(draw, Face::caption, {low.x + 4 * scale, y}, p.steps ? theme().page : theme().text, text);
      if (ImGui::IsMouseHoveringRect(low, high) && ImGui::IsWindowHovered()) {
        ImGui::SetTooltip("%s", p.about.c_str());
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.lanes.shown = !state.lanes.shown;
      }
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace tri::app::gui::panel
