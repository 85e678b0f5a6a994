// Where the blocks go: bb beside the map in use, launched at one speed.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/gui/base/keys.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/gui/views/domain_paint.hpp"
#include "app/gui/views/domain_view.hpp"
#include "app/support/axes.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr u32 kPairSide = 12, kTripleSide = 6;  // tiles a side
constexpr float kBlocksPerSecond = 24;

const MapTrace& trace_for(Domain domain, u32 map, u32 side) {
  static std::map<std::pair<Domain, u32>, MapTrace> made;
  const auto [at, is_new] = made.try_emplace({domain, map});
  if (is_new || at->second.side != side) at->second = trace_map(domain, map, side);
  return at->second;
}

/// One map: its name and counts in a line, its blocks below. bb shows parallel space, which holds its idle blocks.
void figure(ImDrawList& draw, Domain domain, u32 map, const MapTrace& trace, u32 launched, const DeepView& view,
            const Rect& place, float scale) {
  const MapInfo& about = maps_of(domain)[map];
  const auto all = static_cast<u32>(trace.cells.size());
  const u32 useful = trace.useful(), idle = all - useful;
  write(draw, Face::strong, {place.x, place.y}, map == 0 ? theme().text2 : map_ink(about.name).colour, about.name);
  const float at = width_in(Face::strong, about.name) + 6 * scale;
  std::string counts = fmt::format("{} launched, {} useful, {} idle", all, useful, idle);
  if (width_in(Face::caption, counts.c_str()) > place.w - at) counts = fmt::format("{} launched, {} idle", all, idle);
  write(draw, Face::caption, {place.x + at, place.y + 2 * scale}, theme().text2,
        fitting(Face::caption, counts, place.w - at));
  const float head = height_of(face(Face::strong)) + 4 * scale;
  const Rect below{place.x, place.y + head, place.w, place.h - head};
  const u32 now = std::min(launched, all);
  if (map == 0 && domain == Domain::triangle) {
    paint_cells(draw, trace, place_cells(trace, below, view), now, true);
  } else {
    paint_tiles(draw, trace, place_tiles(trace, below, view), now, true);
  }
}

/// "After 60 blocks: bb 15 useful, 45 idle; lambda 60 useful, 0 idle."
std::string sentence(const MapTrace& bb, const MapTrace& own, const char* name, u32 launched, bool same) {
  const auto part = [&](const MapTrace& trace, const char* who) {
    const u32 now = std::min<u32>(launched, static_cast<u32>(trace.cells.size())), useful = useful_of(trace, now);
    return fmt::format("{} {} useful, {} idle", who, useful, now - useful);
  };
  const std::string text = fmt::format("After {} blocks: {}", launched, part(bb, "bb"));
  return same ? text + "." : fmt::format("{}; {}.", text, part(own, name));
}

}  // namespace

void blocks(const SessionModel& model, DomainChoice& choice, float height, float seconds, float scale, bool compact) {
  const bool triples = !model.triple_maps.empty();
  if (!triples && model.pair_maps.empty()) return;
  const Domain domain = triples ? Domain::tetrahedron : Domain::triangle;
  const u32 side = triples ? kTripleSide : kPairSide;
  const auto map = static_cast<u32>(map_in_use(model));
  const MapTrace &bb = trace_for(domain, 0, side), &own = trace_for(domain, map, side);
  const auto most = static_cast<u32>(std::max(bb.cells.size(), own.cells.size()));

  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float pad = 12 * scale, width = ImGui::GetContentRegionAvail().x - 2 * pad, line = ImGui::GetFrameHeight();
  ImVec2 at = ImGui::GetCursorScreenPos();
  draw.AddLine(at, {at.x + width + 2 * pad, at.y}, theme().line);
  at.x += pad, at.y += 8 * scale;
  if (!compact) {
    write(draw, Face::strong, at, theme().text, "Where the blocks go");
    const float title = width_in(Face::strong, "Where the blocks go") + 8 * scale;
    write(draw, Face::caption, {at.x + title, at.y + 2 * scale}, theme().text2,
          fitting(Face::caption, fmt::format("{} tiles a side, one speed", side), width - title));
  }
  const float head = compact ? 0 : height_of(face(Face::strong)) + 8 * scale;
  const float tall = height - head - line - height_of(face(Face::body)) - 32 * scale, half = (width - 16 * scale) / 2;
  const auto launched = static_cast<u32>(std::lround(choice.shown * static_cast<float>(most)));
  if (tall > 24 * scale) {
    const DeepView view{choice.yaw, choice.pitch, 0};
    if (triples) turn_figures(choice, {at.x, at.y + head, width, tall});
    figure(draw, domain, 0, bb, launched, view, {at.x, at.y + head, half, tall}, scale);
    if (map != 0) {
      figure(draw, domain, map, own, launched, view, {at.x + half + 16 * scale, at.y + head, half, tall}, scale);
    }
  }
  const float foot = at.y + head + std::max(tall, 0.0f) + 8 * scale;
  write(draw, Face::formula, {at.x, foot + 2 * scale}, theme().text2, "\u03c9");
  ImGui::SetCursorScreenPos({at.x + 22 * scale, foot});
  if (ImGui::Button(choice.sweeps ? "Pause###sweep" : "Play###sweep", {64 * scale, 0})) {
    choice.sweeps = !choice.sweeps;
    if (choice.sweeps && choice.shown >= 1) choice.shown = 0;
  }
  tip("Launches the blocks of both maps one by one, in the order of \u03c9");
  ImGui::SameLine();
  const std::string count = fmt::format("{} of {}", launched, most);
  const float room = width - 94 * scale - width_in(Face::body, count.c_str()) - 16 * scale;
  ImGui::SetNextItemWidth(std::max(room, 20 * scale));
  ImGui::SliderFloat("##omega", &choice.shown, 0, 1, "");
  write(draw, Face::body, {at.x + width, foot + 5 * scale}, theme().text, count, Align::right);
  write(draw, Face::body, {at.x, foot + line + 6 * scale}, theme().text,
        fitting(Face::body, sentence(bb, own, maps_of(domain)[map].name, launched, map == 0), width));
  if (!choice.sweeps) return;
  choice.shown = std::min(1.0f, choice.shown + seconds * kBlocksPerSecond / static_cast<float>(most));
  if (choice.shown >= 1) choice.sweeps = false;
}

}  // namespace tri::app::gui::panel
