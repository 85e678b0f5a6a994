// The status line, and the help over the scene.

#include <fmt/format.h>
#include <imgui.h>

#include <vector>

#include "app/gui/base/keys.hpp"
#include "app/gui/base/tour.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/charts/lanes.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "sim/base/clock.hpp"

namespace tri::app::gui::panel {
namespace {

/// Frames drawn per second and, where the display shows fewer, those shown.
std::string rates(const FrameState& frames) {
  double ms = 0;  // in total: frames that wait for the display's driver are few and long
  for (const FrameCost& f : frames.costs) ms += static_cast<double>(f.whole());
  const double drawn = ms > 0 ? 1000 * static_cast<double>(frames.costs.size()) / ms : 0;
  std::string text = fmt::format("{:.0f} frames/s", drawn);
  if (frames.shown_per_second > 0 && frames.shown_per_second < 0.9 * drawn) {
    text += fmt::format(", {:.0f} shown", frames.shown_per_second);
  }
  return text;
}

/// "interop", or "copy" without its reason, which `triangulum doctor` and --verbose tell.
std::string present_text(const std::string& present) { return present.substr(0, present.find(" (")); }

std::string notices_text(const SessionModel& model) {
  const std::size_t count = model.notices.size();
  return count == 0 ? "no notices" : fmt::format("{} notice{}", count, count == 1 ? "" : "s");
}

}  // namespace

void status(const SessionModel& model, const FrameState& frames, float scale, const Rect& place) {
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  constexpr ImGuiWindowFlags kStatusFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                            ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                                            ImGuiWindowFlags_NoScrollWithMouse;
  ImGui::Begin("status", nullptr, kStatusFlags);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = place.y + place.h / 2, gap = 20 * scale;
  float x = place.x + 12 * scale;
  draw.AddCircleFilled({x + 4 * scale, y}, 4 * scale,
                       model.broken    ? theme().fault
                       : model.running ? theme().running
                                       : theme().text3);
  x += 14 * scale;
  const std::string busy = charts::step_under_way(frames, clock_s());
  const std::string state = model.broken    ? "stopped: numbers not finite"
                            : !busy.empty() ? busy
                            : model.running ? (model.comparing ? "all maps take turns" : "running")
                                            : "paused";
  write_middle(draw, Face::caption, {x, y}, theme().text, state);
  x += width_in(Face::caption, state.c_str()) + gap;
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  std::vector<std::string> left{fmt::format("step {}", grouped(model.steps)),
                                fmt::format("t = {}{}", three_digits(clock.size * model.time), clock.behind),
                                fmt::format("{} bodies", grouped(model.n))};
  if (!model.diagnostics.empty() && conserves_energy(model.scene.field)) {
    left.push_back("energy error " + power_text(model.diagnostics.back().energy_error));
  }
  if (model.overlap_max > 0) left.push_back(fmt::format("overlap {:.2g} of a radius", model.overlap_max));
  const float end = place.x + place.w - 12 * scale;
  for (const std::string& part : left) {
    const float width = width_in(Face::caption, part.c_str());
    if (x + width > end) break;
    write_middle(draw, Face::caption, {x, y}, theme().text2, part);
    x += width + gap;
  }
  float from = end;  // the last one is left out first
  const u32 ranks = model.backend.ranks;
  const std::string device = (ranks > 1 ? fmt::format("{} ranks \u00b7 ", ranks) : "") + model.backend.device;
  for (const std::string& part :
       {rates(frames), device + " \u00b7 " + present_text(frames.present), notices_text(model)}) {
    const float width = width_in(Face::caption, part.c_str());
    if (from - width < x) break;
    write_middle(draw, Face::caption, {from, y}, theme().text2, part, Align::right);
    from -= width + gap;
  }
  ImGui::End();
}

void help(GuiState& state, float scale, const Rect& scene) {
  const float window = ImGui::GetIO().DisplaySize.x;
  // In the centre of the scene, or of the window where the scene is too narrow.
  const bool wide = scene.w >= 420 * scale;
  ImGui::SetNextWindowPos({wide ? scene.x + scene.w / 2 : window / 2, scene.y + scene.h / 2}, ImGuiCond_Always,
                          {0.5f, 0.5f});
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
  ImGui::SetNextWindowSizeConstraints({0, 0}, {window, scene.h});  // beyond that it scrolls
  ImGui::Begin("Keys", &state.panels.help, kFlags);
  if (ImGui::Button("Take the tour")) start_tour(state);
  tip("Six stops through the window (F3); Esc leaves it");
  if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const Action& row : actions()) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(row.keys);
      ImGui::TableNextColumn();
      ImGui::TextDisabled("%s", row.does);
    }
    ImGui::EndTable();
  }
  ImGui::TextDisabled(
      "Drag: rotate. Right button: pan. Wheel: zoom.\nClick: select a body.\nDrop a file of bodies or a screenshot to "
      "open it.");
  ImGui::End();
}

}  // namespace tri::app::gui::panel
