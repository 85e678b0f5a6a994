// Maps: a row a map, with its thumbnail, its share of idle blocks, its time and its improvement over bb.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "app/gui/base/keys.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/gui/panel/map_columns.hpp"
#include "app/gui/panel/map_thumb.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/axes.hpp"
#include "app/support/sample_stats.hpp"

namespace tri::app::gui::panel {
namespace {

/// What a row shows: the times of the turns that bb takes part in, else that of its steps; in ms.
struct Figures {
  double ms = 0;
  Interval interval;
  std::optional<PairedFigures> turns;
};

Figures figures_of(const MapRow& map) {
  if (map.turns.own.empty()) {
    if (map.force.empty()) return {};
    return {map.force.median(), median_interval(map.force.values()), {}};
  }
  const PairedFigures turns = paired_figures(map.turns.baseline.values(), map.turns.own.values());
  Interval interval = median_interval(map.turns.own.values());
  interval.low = std::min(interval.low, turns.other), interval.high = std::max(interval.high, turns.other);
  return {turns.other, interval, turns};
}

/// The rows of one domain as they are drawn.
struct Table {
  const SessionModel& model;
  const std::vector<MapRow>& maps;
  Domain domain;
  std::size_t in_use;
  bool has_keys;
  PageChoice& page;
  const Columns& columns;
  float row_height, scale;
  double longest = 0;  ///< time of the longest bar, in ms
  float useful = 1;    ///< length of the useful blocks, as a share of the bar's room
  std::vector<Figures> figures{};
};

/// Why a map does not fit, in the words of a row; hovering tells the rest.
std::string short_reason(const MapRow& map, const MapInfo& about) {
  if (about.space == Space::thread && map.reason.find("tiles") != std::string::npos) {
    return "not for forces: maps threads, not tiles";
  }
  return about.table_bytes != nullptr && map.reason.find("table") != std::string::npos ? "its table does not fit"
                                                                                       : "beyond its limit";
}

/// Idle beside useful blocks; `useful` is the length of the latter in pixels, and the bar ends at `most`.
void blocks_bar(ImDrawList& draw, const LaunchCounts& blocks, ImVec2 at, float useful, float most, float height) {
  if (blocks.launched == 0) return;
  draw.AddRectFilled(at, {at.x + useful, at.y + height}, theme().text2, 2);
  if (blocks.idle() == 0) return;
  const double all = static_cast<double>(blocks.launched) / static_cast<double>(std::max<u64>(blocks.useful, 1));
  const ImVec2 low{at.x + useful + 1, at.y},
      high{at.x + std::min(most, useful * static_cast<float>(all)), at.y + height};
  if (high.x <= low.x) return;
  draw.AddRectFilled(low, high, faded(theme().idle, 0.35f));
  draw.PushClipRect(low, high, true);
  for (float x = low.x - height; x < high.x; x += 5) {
    draw.AddLine({x, high.y}, {x + height, low.y}, theme().idle, 1.5f);
  }
  draw.PopClipRect();
}

/// Length by the time, and the interval of the median as a whisker.
void time_bar(ImDrawList& draw, const Table& t, const Figures& f, ImU32 colour, ImVec2 at, float height) {
  if (!(f.ms > 0) || !(t.longest > 0)) return;
  const auto x_of = [&](double ms) {
    return at.x + t.columns.bar_width * static_cast<float>(std::min(1.0, ms / t.longest));
  };
  draw.AddRectFilled(at, {x_of(f.ms), at.y + height}, colour, 2);
  if (f.ms > t.longest) {  // beyond the scale
    const float end = at.x + t.columns.bar_width;
    draw.AddLine({end - 7 * t.scale, at.y + height}, {end - 3 * t.scale, at.y}, theme().panel, 2 * t.scale);
    return;
  }
  const float middle = at.y + height / 2, out = 3 * t.scale;
  draw.AddLine({x_of(f.interval.low), middle}, {x_of(f.interval.high), middle}, theme().text, t.scale);
  for (const double ms : {f.interval.low, f.interval.high}) {
    draw.AddLine({x_of(ms), at.y - out}, {x_of(ms), at.y + height + out}, theme().text, t.scale);
  }
}

void improvement_over_bb(ImDrawList& draw, const Table& t, std::size_t k, float y, ImVec2 corner) {
  const Figures& f = t.figures[k];
  const Columns& c = t.columns;
  const ImVec2 end{corner.x + c.gain, y};
  if (k == 0) return write_middle(draw, Face::body, end, theme().text2, "baseline", Align::right);
  if (!f.turns || !f.turns->improvement.decided()) return;
  const Improvement& gain = f.turns->improvement;
  if (!gain.differs()) {
    const ImVec2 far{corner.x + (c.has_interval ? c.interval : c.gain), y};
    return write_middle(draw, Face::caption, far, theme().text3, "no difference", Align::right);
  }
  write_middle(draw, Face::strong, end, theme().text, times_text(f.turns->ratio()), Align::right);
  if (!c.has_interval) return;
  write_middle(draw, Face::caption, {corner.x + c.interval, y}, theme().text2,
               fmt::format("{:.2f} to {:.2f}", gain.interval.low, gain.interval.high), Align::right);
}

/// All that a row knows, in words.
std::string row_tip(const Table& t, std::size_t k) {
  const MapRow& map = t.maps[k];
  if (!map.fits()) return map.reason;
  std::string text = map.formula;
  text += fmt::format("\n{} blocks launched, {} useful, {} idle", grouped(map.blocks.launched),
                      grouped(map.blocks.useful), grouped(map.blocks.idle()));
  const Figures& f = t.figures[k];
  if (f.turns && f.turns->improvement.decided()) {
    const Interval& i = f.turns->improvement.interval;
    text += fmt::format("\nbb {}, {} {} in one turn; of {} turns the ratio is {:.3f} to {:.3f} with {:.0f} %",
                        time_text(f.turns->baseline), map.name, time_text(f.turns->other),
                        map.turns.own.values().size(), i.low, i.high, 100 * i.confidence);
  }
  return text;
}

bool draw_row(const Table& t, std::size_t k) {
  const MapRow& map = t.maps[k];
  const Columns& c = t.columns;
  const bool in_use = k == t.in_use;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool pressed = ImGui::InvisibleButton(map.name.c_str(), {width, t.row_height});
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 end{corner.x + width, corner.y + t.row_height};
  const ImU32 ink = map_ink(map.name).colour;
  if (in_use || hovered) draw.AddRectFilled(corner, end, in_use ? theme().selected : theme().raised);
  if (in_use) draw.AddRectFilled(corner, {corner.x + 3 * t.scale, end.y}, ink);
  const float y = (corner.y + end.y) / 2;
  if (t.has_keys && k < 9) {
    write_middle(draw, Face::caption, {corner.x + c.key, y}, theme().text3, std::to_string(k + 1));
  }
  map_thumb(draw, t.domain, static_cast<u32>(k), {corner.x + c.thumb, y - c.thumb_size / 2}, c.thumb_size, !map.fits());
  write_middle(draw, in_use ? Face::strong : Face::body, {corner.x + c.name, y},
               map.fits() ? theme().text : theme().disabled, map.name);
  if (!map.fits()) {
    const float at = c.has_blocks ? c.blocks : c.bar;
    const std::string why = short_reason(map, maps_of(t.domain)[k]);
    write_middle(draw, Face::caption, {corner.x + at, y}, theme().disabled,
                 fitting(Face::caption, why, width - at - 8 * t.scale));
  } else {
    const float bar = 8 * t.scale;
    if (c.has_blocks) {
      blocks_bar(draw, map.blocks, {corner.x + c.blocks, y - bar / 2}, t.useful * c.blocks_width, c.blocks_width, bar);
    }
    time_bar(draw, t, t.figures[k], ink, {corner.x + c.bar, y - bar / 2}, bar);
    if (t.figures[k].ms > 0) {
      write_middle(draw, Face::body, {corner.x + c.time, y}, theme().text, time_text(t.figures[k].ms), Align::right);
    }
    improvement_over_bb(draw, t, k, y, corner);
  }
  if (hovered) tip(row_tip(t, k));
  const bool twice = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (twice || (pressed && t.page.shown)) {
    t.page.shown = true, t.page.domain = t.domain, t.page.map = static_cast<u32>(k);
    return false;
  }
  return pressed && map.fits();
}

/// A column's head that sorts by it.
void sort_head(MapSort key, const char* label, float at, Align align, float y, ImVec2 corner, MapSort& sort) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const std::string text = fmt::format("{}{}", label, sort == key ? " \u25bc" : "");
  const float width = width_in(Face::caption, text.c_str());
  const float left = corner.x + at - (align == Align::right ? width : 0), height = height_of(face(Face::caption));
  ImGui::SetCursorScreenPos({left, y - height / 2});
  if (ImGui::InvisibleButton(label, {std::max(1.0f, width), height})) sort = key;
  tip(key == MapSort::key ? "In the order of the keys" : fmt::format("Sorts the maps by {}", label));
  write_middle(draw, Face::caption, {left, y}, sort == key ? theme().text : theme().text2, text);
}

void table_head(const Columns& c, float scale, MapSort& sort) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float height = 26 * scale, y = corner.y + height / 2;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  sort_head(MapSort::key, "map", c.thumb, Align::left, y, corner, sort);
  if (c.has_blocks) sort_head(MapSort::blocks, "blocks", c.blocks, Align::left, y, corner, sort);
  sort_head(MapSort::time, "time a step", c.has_blocks ? c.bar : c.time, c.has_blocks ? Align::left : Align::right, y,
            corner, sort);
  sort_head(MapSort::gain, "over bb", c.gain, Align::right, y, corner, sort);
  if (c.has_interval) {
    write_middle(draw, Face::caption, {corner.x + c.interval, y}, theme().text2, "95 %", Align::right);
  }
  ImGui::SetCursorScreenPos({corner.x, corner.y + height});
}

/// The rows in the order asked for; those without a figure last, in the order of the keys.
std::vector<std::size_t> order_of(const Table& t, MapSort sort) {
  std::vector<std::size_t> order(t.maps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sort == MapSort::key) return order;
  const auto value = [&](std::size_t k) {
    constexpr double kLast = 1e300;
    const MapRow& map = t.maps[k];
    if (!map.fits()) return kLast;
    if (sort == MapSort::blocks) return static_cast<double>(map.blocks.idle());
    const Figures& f = t.figures[k];
    if (sort == MapSort::time) return f.ms > 0 ? f.ms : kLast;
    if (k == 0) return -1.0;  // bb over bb
    return f.turns && f.turns->improvement.decided() ? -f.turns->ratio() : kLast;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  return order;
}

std::optional<std::size_t> draw_table(Table t, MapSort sort) {
  double most = 1;  // blocks launched for a useful one; a map of threads with 3 for one ends its bar early
  std::vector<double> times;
  for (const MapRow& map : t.maps) {
    t.figures.push_back(figures_of(map));
    if (t.figures.back().ms > 0) times.push_back(t.figures.back().ms);
    if (map.blocks.useful > 0) {
      most = std::max(most, static_cast<double>(map.blocks.launched) / static_cast<double>(map.blocks.useful));
    }
  }
  constexpr double kOutlier = 2.5, kMostIdle = 2.0;
  if (!times.empty()) {  // one slow map does not flatten the others
    std::sort(times.begin(), times.end());
    t.longest = std::min(times.back(), kOutlier * times[times.size() / 2]);
  }
  t.useful = static_cast<float>(1 / std::min(most, kMostIdle));
  std::optional<std::size_t> chosen;
  ImGui::PushID(t.domain == Domain::tetrahedron ? "triples" : "pairs");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  for (const std::size_t k : order_of(t, sort)) {
    if (draw_row(t, k)) chosen = k;
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen;
}

/// The map right of the line across the scene.
void split_menu(const SessionModel& model, SplitChoice& split) {
  const auto& maps = shown_maps(model);
  if (!ImGui::BeginPopup("split with")) return;
  if (ImGui::Selectable("off", !split.map)) split.map.reset();
  for (std::size_t k = 0; k < maps.size(); ++k) {
    if (maps[k].fits() && ImGui::Selectable(maps[k].name.c_str(), split.map == k)) split.map = k;
  }
  ImGui::EndPopup();
}

constexpr const char* kTurnsTip = "Each map that fits computes a frame in turn, and is timed beside bb (M)";
constexpr const char* kSplitTip = "The same state by another map, right of a line across the scene that you can drag";

bool small_button(const char* id, const char* glyph, bool on, float size, float scale, const char* about) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, {size, size});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size, at.y + size};
  if (on || ImGui::IsItemHovered()) draw.AddRectFilled(at, end, theme().selected, 4 * scale);
  draw.AddRect(at, end, on ? theme().text2 : theme().edge, 4 * scale);
  write_middle(draw, Face::icon, {at.x + size / 2, at.y + size / 2}, theme().text, glyph, Align::centre);
  tip(about);
  return pressed;
}

/// Opens the race.
void race_button(const SessionModel& model, RaceState& race, ImVec2 at, ImVec2 size, float scale) {
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton("race", size)) open_race(model, race);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  draw.AddRectFilled(at, end, ImGui::IsItemHovered() ? theme().text2 : theme().text, 4 * scale);
  const float y = at.y + size.y / 2;
  write_middle(draw, Face::icon, {at.x + 10 * scale, y}, theme().panel, icon::kRace);
  write_middle(draw, Face::strong, {at.x + 34 * scale, y}, theme().panel, "Race");
  tip("Three workloads side by side: where the map matters, and where it does not");
}

void title(const SessionModel& model, bool compact, SplitChoice& split, RaceState& race, float scale,
           Requests& requests) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float pad = 12 * scale, height = 44 * scale;
  write_middle(draw, Face::title, {corner.x + pad, corner.y + height / 2}, theme().text, "Maps");
  const float at = pad + width_in(Face::title, "Maps") + pad;
  const u64 n = model.n;
  std::string text = fmt::format("{} bodies, {} pairs", grouped(n), grouped(n * (n > 0 ? n - 1 : 0) / 2));
  const float size = 28 * scale, width = ImGui::GetContentRegionAvail().x;
  const float room = width - at - pad - (compact ? 2 * size + pad : 0) - 84 * scale;
  for (const char* shorter : {"{} bodies", "n = {}"}) {
    if (width_in(Face::caption, text.c_str()) > room) text = fmt::format(fmt::runtime(shorter), grouped(n));
  }
  write_middle(draw, Face::caption, {corner.x + at, corner.y + height / 2}, theme().text2, text);
  const float race_width = 78 * scale, y = corner.y + (height - size) / 2;
  race_button(model, race, {corner.x + width - pad - race_width, y}, {race_width, size}, scale);
  if (compact && !shown_maps(model).empty()) {
    const float right = corner.x + width - pad - race_width - 8 * scale;
    ImGui::SetCursorScreenPos({right - 2 * size - 6 * scale, y});
    if (small_button("turns", icon::kTurns, model.comparing, size, scale, kTurnsTip)) {
      requests.push_back(ask::Compare{!model.comparing});
    }
    ImGui::SetCursorScreenPos({right - size, y});
    if (small_button("split", icon::kSplit, split.map.has_value(), size, scale, kSplitTip)) {
      ImGui::OpenPopup("split with");
    }
    split_menu(model, split);
  }
  ImGui::SetCursorScreenPos({corner.x, corner.y + height});
}

void table_foot(const SessionModel& model, SplitChoice& split, float scale, Requests& requests) {
  const float pad = 12 * scale;
  ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x + pad, ImGui::GetCursorScreenPos().y + 8 * scale});
  const bool comparing = model.comparing;
  if (ImGui::Button(comparing ? "End the turns###turns" : "All take turns###turns")) {
    requests.push_back(ask::Compare{!comparing});
  }
  tip(kTurnsTip);
  ImGui::SameLine();
  const auto& rows = shown_maps(model);
  const bool splits = split.map && *split.map < rows.size();
  const std::string label = splits ? fmt::format("Beside {}###split", rows[*split.map].name) : "Side by side###split";
  if (ImGui::Button(label.c_str())) ImGui::OpenPopup("split with");
  tip(kSplitTip);
  split_menu(model, split);
  ImGui::SameLine();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = ImGui::GetCursorScreenPos().y + ImGui::GetFrameHeight() / 2, bar = 8 * scale, wide = 14 * scale;
  float x = ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - pad - wide;
  blocks_bar(draw, {2, 1}, {x - wide, y - bar / 2}, wide - 1, 2 * wide, bar);
  write_middle(draw, Face::caption, {x - wide - 6 * scale, y}, theme().text2, "useful, idle", Align::right);
  ImGui::NewLine();
}

}  // namespace

void maps(const SessionModel& model, const MapsPlace& place, MapSort& sort, SplitChoice& split, PageChoice& page,
          RaceState& race, Requests& requests) {
  const float scale = place.scale;
  const Columns columns = columns_of(ImGui::GetContentRegionAvail().x, scale, place.compact);
  title(model, place.compact, split, race, scale, requests);
  if (model.pair_maps.empty() && model.triple_maps.empty()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    write(*ImGui::GetWindowDrawList(), Face::body, {at.x + 12 * scale, at.y}, theme().text2,
          "This scene has no law of pairs or triples.");
    ImGui::Dummy({1, place.row});
    return;
  }
  table_head(columns, scale, sort);
  if (!model.triple_maps.empty()) {
    const auto in_use = static_cast<std::size_t>(model.asked.triple_map);
    const Table t{model, model.triple_maps, Domain::tetrahedron, in_use, true, page, columns, place.row, scale};
    if (const auto k = draw_table(t, sort)) requests.push_back(ask::TripleMap{static_cast<TetraMapId>(*k)});
  }
  if (!model.pair_maps.empty()) {
    const auto in_use = static_cast<std::size_t>(model.asked.pair_map);
    const Table t{model, model.pair_maps, Domain::triangle, in_use, model.triple_maps.empty(),
                  page,  columns,         place.row,        scale};
    if (const auto k = draw_table(t, sort)) requests.push_back(ask::PairMap{static_cast<TriangleMapId>(*k)});
  }
  if (!place.compact) table_foot(model, split, scale, requests);
}

}  // namespace tri::app::gui::panel
