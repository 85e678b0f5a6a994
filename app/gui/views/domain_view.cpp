#include "app/gui/views/domain_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/rank_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/views/domain_paint.hpp"
#include "app/support/axes.hpp"

namespace tri::app::gui {
namespace {

constexpr float kSweepSeconds = 5;  // omega from the first block to the last

}  // namespace

PointedBlocks pointed_blocks(const std::vector<u32>& covering, u32 launched) {
  PointedBlocks found;
  for (const u32 block : covering) {
    if (!found.visible && block < launched) found.visible = block;
  }
  if (!found.visible && !covering.empty()) found.visible = covering.front();
  bool behind = false;
  for (const u32 block : covering) {
    const bool told = std::find(found.hidden.begin(), found.hidden.end(), block) != found.hidden.end();
    if (behind && block != found.visible && !told) found.hidden.push_back(block);
    behind = behind || block == found.visible;
  }
  return found;
}

void turn_figures(DomainChoice& choice, const Rect& place) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos({place.x, place.y});
  ImGui::InvisibleButton("figures", {place.w, place.h});
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    choice.yaw = kCornerYaw, choice.pitch = kCornerPitch;
  }
  if (!ImGui::IsItemActive()) return;
  constexpr float kTurn = 0.01f, kLeast = 0.05f, kMost = 1.52f;  // radians a pixel; the figure stays upright
  choice.yaw = std::remainder(choice.yaw - kTurn * io.MouseDelta.x, 6.2831853f);
  choice.pitch = std::clamp(choice.pitch + kTurn * io.MouseDelta.y, kLeast, kMost);
}

DomainView::Key DomainView::wanted(const SessionModel& model) const {
  const DomainChoice& choice = choice_;
  Key key;
  key.domain = choice.domain.value_or(model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron);
  if (key.domain == Domain::triangle) {
    key.map = static_cast<u32>(model.asked.pair_map), key.side = std::clamp(choice.side, 1u, kMaxTriangleSide);
  } else if (key.domain == Domain::tetrahedron) {
    key.map = static_cast<u32>(model.asked.triple_map), key.side = std::clamp(choice.side, 1u, kMaxTetraSide);
  } else {
    key.map = choice.gasket_map, key.side = std::clamp(choice.levels, 0u, kMaxLevels);
  }
  if (choice.map && *choice.map < maps_of(key.domain).size()) key.map = *choice.map;
  key.shares = model.shares(key.domain);
  return key;
}

void DomainView::choose_map(const Key& key, float width) {
  const auto maps = maps_of(key.domain);
  const u32 extra = key.domain == Domain::gasket ? 0 : 1;  // bodies know no gasket, so no map of it is in use
  std::vector<std::string> names;
  if (extra > 0) names.emplace_back("map in use");
  for (const MapInfo& map : maps) names.emplace_back(map.name);
  u32 at = extra > 0 && !choice_.map ? 0 : key.map + extra;
  if (!panel::choose("##map", at, names, width, maps[key.map].name)) return;
  if (key.domain == Domain::gasket) {
    choice_.gasket_map = at;
  } else {
    choice_.map = at > 0 ? std::optional(at - 1) : std::nullopt;
  }
}

void DomainView::controls(const SessionModel& model, float seconds) {
  DomainChoice& c = choice_;
  const float unit = ImGui::CalcTextSize("0").x;
  auto domain = static_cast<u32>(wanted(model).domain);
  if (panel::choose("##domain", domain, {"triangle", "tetrahedron", "gasket"}, 16 * unit)) {
    c.domain = static_cast<Domain>(domain), c.map.reset();
  }
  const Key key = wanted(model);
  ImGui::SameLine();
  choose_map(key, 18 * unit);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(14 * unit);
  const bool gasket = key.domain == Domain::gasket;
  int side = static_cast<int>(gasket ? c.levels : key.side);
  const int most = static_cast<int>(gasket                           ? kMaxLevels
                                    : key.domain == Domain::triangle ? kMaxTriangleSide
                                                                     : kMaxTetraSide);
  if (ImGui::SliderInt(gasket ? "levels" : "tiles a side", &side, gasket ? 0 : 1, most)) {
    (gasket ? c.levels : c.side) = static_cast<u32>(side);
  }
  if (key.domain == Domain::tetrahedron) depth_controls(unit);
  if (key.shares.several()) rank_controls(unit);
  omega_controls(unit, seconds);
}

void DomainView::depth_controls(float unit) {
  ImGui::SameLine();
  ImGui::SetNextItemWidth(14 * unit);
  const auto most = static_cast<int>(std::clamp(choice_.side, 1u, kMaxTetraSide)) - 1;
  int removed = std::min(static_cast<int>(choice_.removed), most);
  if (ImGui::SliderInt("layers off", &removed, 0, most)) choice_.removed = static_cast<u32>(removed);
  panel::tip("Takes layers z off, the highest first, so that the tiles below are seen and read");
}

void DomainView::rank_controls(float unit) {
  panel::same_line(14 * unit);
  u32 at = choice_.by_rank ? 0 : 1;
  if (panel::choose("##colours", at, {"by rank", "by \u03c9"}, 14 * unit)) choice_.by_rank = at == 0;
  panel::tip("Colours: the rank that computes a tile, by the present shares, or the order of \u03c9");
}

std::span<const u32> DomainView::shown_owners() const {
  return choice_.by_rank ? std::span<const u32>(owners_) : std::span<const u32>();
}

/// Each rank's colour, number, name and tiles; the names go where there is no room for all.
void DomainView::legend(const SessionModel& model, const Rect& line) const {
  const u32 ranks = made_->shares.ranks;
  std::vector<u32> tiles(ranks, 0);
  for (const TraceTile& tile : trace_.tiles) ++tiles[owners_[tile.cell]];
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float em = height_of(face(Face::caption)), middle = line.y + line.h / 2, swatch = 0.8f * em;
  std::vector<std::string> texts(ranks);
  for (const bool named : {true, false}) {
    float width = 0;
    for (u32 r = 0; r < ranks; ++r) {
      const bool has_name = named && r < model.backend.rank_names.size();
      texts[r] = has_name ? fmt::format("{} {}: {} tiles", r, model.backend.rank_names[r], tiles[r])
                          : fmt::format("{}: {}", r, tiles[r]);
      width += width_in(Face::caption, texts[r].c_str()) + swatch + 1.5f * em;
    }
    if (width <= line.w) break;
  }
  float x = line.x;
  for (u32 r = 0; r < ranks; ++r) {
    const float room = line.x + line.w - x - swatch - 0.5f * em;
    const bool whole = width_in(Face::caption, texts[r].c_str()) <= room;
    if (!whole) return write_middle(draw, Face::caption, {x, middle}, theme().text2, "\u2026");
    draw.AddRectFilled({x, middle - swatch / 2}, {x + swatch, middle + swatch / 2}, rank_colour(r));
    ImGui::LogText("%s | ", texts[r].c_str());
    x += swatch + 0.5f * em;
    write_middle(draw, Face::caption, {x, middle}, theme().text, texts[r]);
    x += width_in(Face::caption, texts[r].c_str()) + em;
  }
}

void DomainView::omega_controls(float unit, float seconds) {
  DomainChoice& c = choice_;
  ImGui::SameLine();
  if (ImGui::Button(c.running ? "Stop###sweep" : "Run \u03c9###sweep")) {
    c.running = !c.running;
    if (c.running && c.launched >= 1) c.launched = 0;
  }
  panel::tip("Launches the blocks one by one, in the order of \u03c9.");
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < 12 * unit) ImGui::NewLine();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  ImGui::SliderFloat("##omega", &c.launched, 0, 1, "\u03c9");
  panel::tip("Share of the blocks launched so far");
  if (c.running) c.launched = std::min(1.0f, c.launched + seconds / kSweepSeconds);
  if (c.launched >= 1) c.running = false;
}

std::string DomainView::text_of(u32 cell) const {
  const TracePosition& c = trace_.cells[cell];
  std::string text = fmt::format("\u03c9 = {}: block ({}, {}, {})", cell, c.at.x, c.at.y, c.at.z);
  if (trace_.launches.size() > 1) text += fmt::format(" of launch {}", c.at.pass);
  if (!owners_.empty()) text += fmt::format(" by rank {}", owners_[cell]);
  if (c.count == 0) text += " is idle";
  for (u32 k = 0; k < std::min(c.count, 4u); ++k) {
    const TraceTile& t = trace_.tiles[c.first + k];
    text += fmt::format("{}", k == 0 ? " -> " : ", ");
    text += trace_.domain == Domain::triangle      ? fmt::format("row {}, column {}", t.y, t.x)
            : trace_.domain == Domain::tetrahedron ? fmt::format("({}, {}, {})", t.x, t.y, t.z)
                                                   : fmt::format("column {}, row {}", t.x, t.y);
  }
  if (c.count > 4) text += fmt::format(" and {} more", c.count - 4);
  return text;
}

void DomainView::describe(const Key& key, const PointedBlocks& pointed) const {
  const auto launched = trace_.cells.size();
  const u32 useful = trace_.useful();
  std::string text = fmt::format(
      "{}: {} launched, {} useful ({:.1f} %), {} idle, {} tiles", maps_of(key.domain)[key.map].name, launched, useful,
      100.0 * useful / static_cast<double>(std::max<std::size_t>(launched, 1)), launched - useful, trace_.tiles.size());
  if (trace_.launches.size() > 1) text += fmt::format(", in {} launches", trace_.launches.size());
  if (pointed.visible) text = text_of(*pointed.visible);
  if (!pointed.hidden.empty()) text += fmt::format("; behind it \u03c9 = {}", fmt::join(pointed.hidden, ", "));
  ImGui::TextUnformatted(text.c_str());
  if (pointed.hidden.empty()) return;
  std::string lines = text_of(*pointed.visible) + "\nbehind it:";
  for (const u32 cell : pointed.hidden) lines += "\n" + text_of(cell);
  ImGui::SetTooltip("%s", lines.c_str());
}

PointedBlocks DomainView::under_pointer(const GridLayout& cells, const GridLayout& tiles, u32 launched) const {
  if (!ImGui::IsWindowHovered()) return {};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::vector<u32> covering = cells.at(mouse.x, mouse.y);
  for (const u32 tile : tiles.at(mouse.x, mouse.y)) covering.push_back(trace_.tiles[tile].cell);
  return pointed_blocks(covering, launched);
}

void DomainView::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  controls(model, context.seconds);
  const Key key = wanted(model);
  if (made_ != key) {
    trace_ = trace_map(key.domain, key.map, key.side, trace_workers(key.shares.ranks));
    owners_ = key.shares.several() ? owners(trace_, key.shares) : std::vector<u32>();
    made_ = key;
  }
  const float line = ImGui::GetTextLineHeightWithSpacing(), pad = 8 * context.scale;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = (place.w - 4 * pad) / 2, bottom = shown_owners().empty() ? 0 : line;
  const float height = place.y + place.h - corner.y - 2 * line - 2 * pad - bottom;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddText({corner.x, corner.y}, theme().text2, "parallel space: blocks as launched");
  draw.AddText({corner.x + width + 2 * pad, corner.y}, theme().text2, "data space: tiles");
  if (height > 4 && width > 4) {
    const u32 layers = key.side == 0 ? 0 : key.side - 1;
    const DeepView view{choice_.yaw, choice_.pitch, std::min(choice_.removed, layers)};
    const GridLayout cells = place_cells(trace_, {corner.x, corner.y + line, width, height}, view);
    const GridLayout tiles = place_tiles(trace_, {corner.x + width + 2 * pad, corner.y + line, width, height}, view);
    if (tiles.deep) turn_figures(choice_, {corner.x, corner.y + line, 2 * width + 2 * pad, height});
    const auto launched = static_cast<u32>(std::lround(choice_.launched * static_cast<float>(trace_.cells.size())));
    const PointedBlocks pointed = under_pointer(cells, tiles, launched);
    paint_cells(draw, trace_, cells, launched, false, shown_owners());
    paint_tiles(draw, trace_, tiles, launched, false, shown_owners());
    for (const Spot& s : cells.spots) {
      if (pointed.visible == s.index) mark_spot(draw, cells, s);
    }
    for (const Spot& s : tiles.spots) {
      if (pointed.visible == trace_.tiles[s.index].cell) mark_spot(draw, tiles, s);
    }
    if (bottom > 0) legend(model, {corner.x, place.y + place.h - 2 * line - pad / 2, place.w - 2 * pad, line});
    ImGui::SetCursorScreenPos({corner.x, place.y + place.h - line - pad / 2});
    describe(key, pointed);
  }
}

}  // namespace tri::app::gui
