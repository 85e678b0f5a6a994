/// The panel Maps: rows, thumbnails, blocks, the editor of map files.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/support/measurement.hpp"
#include "app/support/option_values.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {

/// Left or right edges of what a row holds, in pixels from the left edge of the column.
struct Columns {
  float key, thumb, thumb_size, name, blocks, blocks_width, bar, bar_width, time, gain, interval;
  bool has_blocks = true, has_interval = true;
};

/// width: of the column, in pixels.
inline Columns columns_of(float width, float scale, bool compact) {
  const float w = width / scale;
  Columns c{};
  if (w < 390) {  // name, time and improvement
    c = {8, 18, 18, 42, 0, 0, 0, 0, w - 98, w - 12, 0, false, false};
  } else if (compact || w < 496) {
    c = {10, 23, 20, 52, 168, 36, 217, 37, 312, w - 12, 0, true, false};
  } else {
    const float more = std::max(0.0f, w - 496);
    c = {12, 30, 24, 64, 180, 46, 233, 56 + more, 346 + more, 410 + more, 486 + more, true, true};
  }
  for (float* x : {&c.key, &c.thumb, &c.thumb_size, &c.name, &c.blocks, &c.blocks_width, &c.bar, &c.bar_width, &c.time,
                   &c.gain, &c.interval}) {
    *x *= scale;
  }
  return c;
}

namespace {

constexpr u32 kThumbSide = 6, kThumbLevels = 2, kThumbDepth = 3;

/// Tiles of data space; where blocks are idle on a square grid, those too, at their places.
void squares(ImDrawList& draw, const MapTrace& trace, ImVec2 low, float size, float light) {
  const float cell = size / static_cast<float>(trace.side), gap = cell > 3.2f ? 0.8f : 0.4f;
  const auto put = [&](u32 x, u32 y, ImU32 colour) {
    const ImVec2 at{low.x + cell * static_cast<float>(x), low.y + cell * static_cast<float>(y)};
    draw.AddRectFilled(at, {at.x + cell - gap, at.y + cell - gap}, faded(colour, light));
  };
  const bool square =
      trace.launches.size() == 1 && trace.launches[0].x == trace.side && trace.launches[0].y == trace.side;
  for (const TracePosition& c : trace.cells) {
    if (square && c.count == 0) put(static_cast<u32>(c.at.x), c.at.y, theme().idle);
  }
  for (const TraceTile& tile : trace.tiles) put(tile.x, tile.y, omega_colour(tile.cell, trace.cells.size()));
}

}  // namespace

const MapTrace& thumb_trace(Domain domain, u32 map) {
  static std::map<std::pair<Domain, u32>, MapTrace> made;
  const auto [at, is_new] = made.try_emplace({domain, map});
  if (is_new) {
    const u32 side = domain == Domain::gasket ? kThumbLevels : domain == Domain::triangle ? kThumbSide : kThumbDepth;
    at->second = trace_map(domain, map, side);
  }
  return at->second;
}

void map_thumb(ImDrawList& draw, Domain domain, u32 map, ImVec2 low, float size, bool dim) {
  const MapTrace& trace = thumb_trace(domain, map);
  const float light = dim ? 0.35f : 1.0f;
  if (domain != Domain::tetrahedron) return squares(draw, trace, low, size, light);
  const GridLayout tiles = place_tiles(trace, {low.x, low.y, size, size});
  for (const Spot& s : tiles.spots) {
    const ImU32 colour = omega_colour(trace.tiles[s.index].cell, trace.cells.size());
    draw.AddNgonFilled({s.x, s.y}, tiles.size, faded(colour, light), 6);
    draw.AddNgon({s.x, s.y}, tiles.size, theme().panel, 6);
  }
}

// Maps: a row a map, with its thumbnail, its share of idle blocks, its time and its improvement over bb.

namespace {

using Figures = MapFigures;

}  // namespace

std::vector<MapFigures> figures_of(const std::vector<MapRow>& maps) {
  std::vector<double> bb;
  const std::size_t together = compared_maps(maps);
  for (const MapRow& map : maps) {
    const std::span<const double> times = map.turns.baseline.values();
    bb.insert(bb.end(), times.begin(), times.end());
  }
  const double usual = bb.empty() ? 0 : sample_stats(bb).median;
  std::vector<Figures> figures;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const MapRow& map = maps[k];
    if (!map.turns.own.empty()) {
      const PairedFigures turns = paired_figures(map.turns.baseline.values(), map.turns.own.values(), together);
      const Improvement& i = turns.improvement;
      const Interval time{usual / i.interval.high, usual / i.interval.low, i.interval.confidence};
      const std::span<const double> own = map.turns.own.values();
      figures.push_back(i.decided() ? MapFigures{usual / i.ratio, time, turns}
                                    : MapFigures{sample_stats(own).median, median_interval(own), turns});
    } else if (k == 0 && !bb.empty()) {
      figures.push_back({usual, median_interval(bb), {}});
    } else if (!map.force.empty()) {
      figures.push_back({map.force.median(), median_interval(map.force.values()), {}});
    } else {
      figures.emplace_back();
    }
  }
  return figures;
}

namespace {

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
  double longest = 0;   ///< time of the longest bar, in ms
  float useful = 1;     ///< length of the useful blocks, as a share of the bar's room
  float bar_width = 0;  ///< of the longest time, in pixels
  float widest = 0;     ///< of the times as texts, likewise
  std::vector<Figures> figures{};
};

/// Why a map does not fit, in the words of a row; hovering tells the rest.
std::string short_reason(const MapRow& map, const MapInfo& about) {
  if (about.space == Space::thread && map.reason.find("tiles") != std::string::npos) {
    return "not for forces: maps threads, not tiles";
  }
  if (map.reason.find(" is wrong at ") != std::string::npos) return "wrong map";
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
  if (!(f.ms > 0) || !(t.longest > 0) || t.columns.bar_width <= 0) return;
  const auto x_of = [&](double ms) { return at.x + t.bar_width * static_cast<float>(std::min(1.0, ms / t.longest)); };
  draw.AddRectFilled(at, {x_of(f.ms), at.y + height}, colour, 2);
  if (f.ms > t.longest) {  // beyond the scale
    const float end = at.x + t.bar_width;
    draw.AddLine({end - 7 * t.scale, at.y + height}, {end - 3 * t.scale, at.y}, theme().panel, 2 * t.scale);
    if (f.interval.low >= t.longest) return;
  }
  const float middle = at.y + height / 2, out = 3 * t.scale;
  draw.AddLine({x_of(f.interval.low), middle}, {x_of(f.interval.high), middle}, theme().text, t.scale);
  for (const double ms : {f.interval.low, f.interval.high}) {
    if (f.ms > t.longest && ms > t.longest) continue;  // the line goes on to the end of the scale
    draw.AddLine({x_of(ms), at.y - out}, {x_of(ms), at.y + height + out}, theme().text, t.scale);
  }
}

void improvement_over_bb(ImDrawList& draw, const Table& t, std::size_t k, float y, ImVec2 corner) {
  const Figures& f = t.figures[k];
  const Columns& c = t.columns;
  const ImVec2 end{corner.x + c.gain, y};
  if (k == 0) return write_middle(draw, Face::body, end, theme().text2, "baseline", Align::right);
  if (const std::string none = no_gain(t.model, k, t.maps, f).cell; !none.empty()) {
    const ImVec2 far{corner.x + (c.has_interval ? c.interval : c.gain), y};
    return write_middle(draw, Face::caption, far, theme().text3, none, Align::right);
  }
  const Improvement& gain = f.turns->improvement;
  write_middle(draw, Face::strong, end, theme().text, times_text(gain.ratio), Align::right);
  const std::string ends = phrase("{} to {}", ratio_text(gain.interval.low), ratio_text(gain.interval.high));
  if (!c.has_interval || width_in(Face::caption, ends.c_str()) > c.interval - c.gain - 4 * t.scale) return;
  write_middle(draw, Face::caption, {corner.x + c.interval, y}, theme().text2, ends, Align::right);
}

/// All that a row knows, in words.
std::string row_tip(const Table& t, std::size_t k) {
  const MapRow& map = t.maps[k];
  if (!map.fits()) return stated(map.reason);
  std::string text = map.formula;
  text += phrase("\n{} blocks launched, {} useful, {} idle", grouped(map.blocks.launched), grouped(map.blocks.useful),
                 grouped(map.blocks.idle()));
  const Figures& f = t.figures[k];
  if (f.turns && f.turns->improvement.decided()) {
    const Interval& i = f.turns->improvement.interval;
    text += phrase(
        "\n{} where bb takes {}, by the median of {} turns beside it; ratio {} to {}, with {:.0f} % for all maps",
        time_text(f.ms), time_text(t.figures[0].ms), map.turns.own.values().size(), ratio_text(i.low),
        ratio_text(i.high), 100 * i.confidence);
  }
  const std::string none = no_gain(t.model, k, t.maps, f).whole;
  return none.empty() ? text : text + "\n" + none;
}

bool draw_row(const Table& t, std::size_t k) {
  const MapRow& map = t.maps[k];
  const Columns& c = t.columns;
  const bool in_use = k == t.in_use;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool pressed = invisible_button(map.name.c_str(), {width, t.row_height});
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 end{corner.x + width, corner.y + t.row_height};
  const ImU32 ink = map_ink(map.name).colour;
  if (in_use || hovered) draw.AddRectFilled(corner, end, in_use ? theme().selected : theme().raised);
  if (in_use) draw.AddRectFilled(corner, {corner.x + 3 * t.scale, end.y}, ink);
  const float y = (corner.y + end.y) / 2;
  if (t.has_keys && k < 9) {
    write_middle(draw, Face::caption, {corner.x + c.key, y}, theme().text3, std::to_string(k + 1));
  }
  const float thumb = std::min(c.thumb_size, t.row_height - 4 * t.scale);
  map_thumb(draw, t.domain, static_cast<u32>(k), {corner.x + c.thumb, y - thumb / 2}, thumb, !map.fits());
  const float room = (c.bar_width > 0 ? (c.has_blocks ? c.blocks : c.bar) : c.time - t.widest) - c.name - 4 * t.scale;
  const Face usual = in_use ? Face::strong : Face::body;
  const Face of_name = width_in(usual, map.name.c_str()) > room ? Face::caption : usual;
  write_middle(draw, of_name, {corner.x + c.name, y}, map.fits() ? theme().text : theme().disabled,
               fitting(of_name, map.name, map.fits() ? room : width));
  if (!map.fits()) {
    const float at = c.has_blocks ? c.blocks : c.name + width_in(of_name, map.name.c_str()) + 8 * t.scale;
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
  if (twice || (pressed && t.page.shown && !t.page.why)) {
    t.page.shown = true, t.page.why = false, t.page.domain = t.domain, t.page.map = static_cast<u32>(k);
    return false;
  }
  return pressed && map.fits();
}

/// A column's head that sorts by it.
void sort_head(MapSort key, const char* label, float at, Align align, float y, ImVec2 corner, MapSort& sort) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const std::string text = phrase("{}{}", label, sort == key ? " \u25bc" : "");
  const float width = width_in(Face::caption, text.c_str());
  const float left = corner.x + at - (align == Align::right ? width : 0), height = height_of(face(Face::caption));
  ImGui::SetCursorScreenPos({left, y - height / 2});
  if (invisible_button(label, {std::max(1.0f, width), height})) sort = key;
  tip(key == MapSort::key ? "In the order of the keys" : phrase("Sorts the maps by {}", label));
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
    return f.turns && f.turns->improvement.decided() ? -f.turns->improvement.ratio : kLast;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
  return order;
}

/// The order before while the pointer is over the rows: none goes away under it.
const std::vector<std::size_t>& held_order(const Table& t, MapSort sort) {
  static std::map<Domain, std::pair<MapSort, std::vector<std::size_t>>> shown;
  auto& [by, order] = shown[t.domain];
  const ImVec2 low = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
  const float down = mouse.y - low.y;
  const bool over = ImGui::IsWindowHovered() && down >= 0 && down < t.row_height * static_cast<float>(t.maps.size());
  if (!over || by != sort || order.size() != t.maps.size()) by = sort, order = order_of(t, sort);
  return order;
}

std::optional<std::size_t> draw_table(Table t, MapSort sort) {
  double most = 1;  // blocks launched for a useful one
  std::vector<double> times;
  t.figures = figures_of(t.maps);
  for (const Figures& f : t.figures) {
    if (!(f.ms > 0)) continue;
    times.push_back(f.ms);
    t.widest = std::max(t.widest, width_in(Face::body, time_text(f.ms).c_str()));
  }
  for (const MapRow& map : t.maps) {
    if (map.blocks.useful > 0) {
      most = std::max(most, static_cast<double>(map.blocks.launched) / static_cast<double>(map.blocks.useful));
    }
  }
  constexpr double kOutlier = 2.5;
  if (!times.empty()) {  // one slow map does not flatten the others
    std::sort(times.begin(), times.end());
    t.longest = std::min(times.back(), kOutlier * times[times.size() / 2]);
  }
  t.useful = static_cast<float>(1 / most);
  // A bar and its whisker end before the digits.
  t.bar_width = std::max(4.0f, std::min(t.columns.bar_width, t.columns.time - t.widest - 6 * t.scale - t.columns.bar));
  std::optional<std::size_t> chosen;
  ImGui::PushID(t.domain == Domain::tetrahedron ? "triples" : "pairs");
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  for (const std::size_t k : held_order(t, sort)) {
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

Domain shown_domain(const SessionModel& model) {
  return model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron;
}

/// "499,500 pairs", or triples.
std::string tuples_text(u64 n, Domain domain) {
  const double pairs = static_cast<double>(n) * std::max(0.0, static_cast<double>(n) - 1) / 2;
  if (domain == Domain::triangle) return counted(static_cast<u64>(pairs), "pair");
  return counted(static_cast<u64>(pairs * std::max(0.0, static_cast<double>(n) - 2) / 3), "triple");
}

/// Above the maps of pairs, where those of triples go first.
void pairs_head(const SessionModel& model, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float pad = 12 * scale, height = 30 * scale, width = ImGui::GetContentRegionAvail().x;
  draw.AddLine({at.x, at.y + 3 * scale}, {at.x + width, at.y + 3 * scale}, theme().line);
  write_head(draw, {at.x + pad, at.y + 9 * scale}, "Maps of pairs", tuples_text(model.n, Domain::triangle),
             width - 2 * pad, scale);
  ImGui::SetCursorScreenPos({at.x, at.y + height});
}

void title(const SessionModel& model, bool compact, SplitChoice& split, PageChoice& page, RaceState& race, float scale,
           Requests& requests) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float pad = 12 * scale, height = 44 * scale;
  const bool both = !model.triple_maps.empty() && !model.pair_maps.empty();
  const std::string bodies = counted(model.n, "body", "bodies");
  const bool asks = !shown_maps(model).empty();
  std::string text = bodies + ", " + tuples_text(model.n, shown_domain(model));
  const float size = 28 * scale, width = ImGui::GetContentRegionAvail().x;
  const float why_width = std::max(52 * scale, width_in(Face::body, "Why?") + 2 * ImGui::GetStyle().FramePadding.x);
  const float race_width = std::max(78 * scale, width_in(Face::strong, "Race") + 44 * scale);
  const float all =
      width - 2 * pad - (compact ? 2 * size + pad : 0) - race_width - 6 * scale - (asks ? why_width + 6 * scale : 0);
  const char* name = both ? "Maps of triples" : "Maps";
  if (both && width_in(Face::strong, name) > all + pad) name = "Triples";
  const Face large = width_in(Face::title, name) > all ? Face::strong : Face::title;
  write_middle(draw, large, {corner.x + pad, corner.y + height / 2}, theme().text, fitting(large, name, all + pad));
  const float at = pad + width_in(large, name) + pad, room = all + pad - at;
  for (const std::string& shorter : {bodies, "n = " + grouped(model.n), std::string()}) {
    if (width_in(Face::caption, text.c_str()) > room) text = shorter;
  }
  write_middle(draw, Face::caption, {corner.x + at, corner.y + height / 2}, theme().text2, text);
  const float y = corner.y + (height - size) / 2;
  ImGui::SetCursorScreenPos({corner.x + width - pad - race_width, y});
  if (bold_button("race", icon::kRace, "Race", {race_width, size}, 10, 34, scale,
                  "Three workloads side by side: where the map matters, and where it does not")) {
    press_race(model, race);
  }
  float right = corner.x + width - pad - race_width - 8 * scale;
  if (asks) {
    ImGui::SetCursorScreenPos({right - why_width, y});
    if (button("Why?###why", kAboutWhy, {true, ""}, why_width)) {
      open_why(model, page);
    }
    right -= why_width + 6 * scale;
  }
  if (compact && asks) {
    ImGui::SetCursorScreenPos({right - 2 * size - 6 * scale, y});
    const auto framed = [](bool on) { return IconLook{.on = on, .edge = on ? theme().text2 : theme().edge}; };
    if (icon_button("turns", icon::kTurns, size, scale, kTurnsTip, framed(model.comparing))) {
      requests.push_back(ask::Compare{!model.comparing});
    }
    ImGui::SetCursorScreenPos({right - size, y});
    if (icon_button("split", icon::kSplit, size, scale, kSplitTip, framed(split.map.has_value()))) {
      ImGui::OpenPopup("split with");
    }
    split_menu(model, split);
  }
  ImGui::SetCursorScreenPos({corner.x, corner.y + height});
}

void table_foot(const SessionModel& model, SplitChoice& split, float scale, Requests& requests) {
  const float pad = 12 * scale;
  ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x + pad, ImGui::GetCursorScreenPos().y + 8 * scale});
  if (button(model.comparing ? "End the turns###turns" : "All take turns###turns", kTurnsTip)) {
    requests.push_back(ask::Compare{!model.comparing});
  }
  ImGui::SameLine();
  const auto& rows = shown_maps(model);
  const bool splits = split.map && *split.map < rows.size();
  const std::string label = splits ? phrase("Beside {}###split", rows[*split.map].name) : "Side by side###split";
  if (button(label.c_str(), kSplitTip)) ImGui::OpenPopup("split with");
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
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const TipsBeside tips({low.x, low.y, size.x, size.y});
  const Columns columns = columns_of(ImGui::GetContentRegionAvail().x, scale, place.compact);
  title(model, place.compact, split, page, race, scale, requests);
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
    const bool alone = model.triple_maps.empty();
    if (!alone) pairs_head(model, scale);
    const float row = alone ? place.row : std::max(0.75f * place.row, 20 * scale);  // triples cost more
    const Table t{model, model.pair_maps, Domain::triangle, in_use, alone, page, columns, row, scale};
    if (const auto k = draw_table(t, sort)) requests.push_back(ask::PairMap{static_cast<TriangleMapId>(*k)});
  }
  if (!place.compact) table_foot(model, split, scale, requests);
}

// Where the blocks go: bb beside the map in use, launched at one speed.

namespace {

constexpr float kBlocksPerSecond = 24;

/// One map: its name and counts in a line, its blocks below. bb shows parallel space, which holds its idle blocks.
void figure(ImDrawList& draw, Domain domain, u32 map, const MapTrace& trace, u32 launched, const DeepView& view,
            const Rect& place, float scale) {
  const MapInfo& about = maps_of(domain)[map];
  const auto all = static_cast<u32>(trace.cells.size());
  const u32 useful = trace.useful(), idle = all - useful;
  write(draw, Face::strong, {place.x, place.y}, map == 0 ? theme().text2 : map_ink(about.name).colour, about.name);
  const float at = width_in(Face::strong, about.name) + 6 * scale;
  const auto fits = [&](const std::string& text) { return width_in(Face::caption, text.c_str()) <= place.w - at; };
  std::string counts = phrase("{} launched, {} useful, {} idle", all, useful, idle);
  if (!fits(counts)) counts = phrase("{} launched, {} idle", all, idle);
  if (!fits(counts)) counts = phrase("{} of {} idle", idle, all);
  write(draw, Face::caption, {place.x + at, place.y + 2 * scale}, theme().text2,
        fitting(Face::caption, counts, place.w - at));
  const float head = height_of(face(Face::strong)) + 4 * scale;
  const Rect below{place.x, place.y + head, place.w, place.h - head};
  const u32 now = std::min(launched, all);
  if (map == 0) {
    paint_cells(draw, trace, place_cells(trace, below, view), now, true);
  } else {
    paint_tiles(draw, trace, place_tiles(trace, below, view), now, true);
  }
}

/// "After 60 blocks: bb 15 useful, 45 idle; lambda 60 useful, 0 idle." Short, where no head says how large the figure
/// is: "12 tiles a side: idle bb 45 of 60, lambda 0 of 60."
std::string sentence(const MapTrace& bb, const MapTrace& own, const char* name, u32 launched, bool same, bool short_) {
  const auto part = [&](const MapTrace& trace, const char* who) {
    const u32 now = std::min<u32>(launched, static_cast<u32>(trace.cells.size())), useful = useful_of(trace, now);
    return short_ ? phrase("{} {} of {}", who, now - useful, now)
                  : phrase("{} {} useful, {} idle", who, useful, now - useful);
  };
  const std::string text = fmt::format(
      "{}: {}", short_ ? phrase("{} tiles a side", bb.side) : phrase("After {}", counted(launched, "block")),
      (short_ ? tr("idle ") : "") + part(bb, "bb"));
  return same ? text + "." : fmt::format("{}{} {}.", text, short_ ? "," : ";", part(own, name));
}

}  // namespace

void blocks(const SessionModel& model, DomainChoice& choice, float height, float seconds, float scale, bool compact) {
  const bool triples = !model.triple_maps.empty();
  if (!triples && model.pair_maps.empty()) return;
  const Domain domain = triples ? Domain::tetrahedron : Domain::triangle;
  const u32 side = figure_side(model);
  const auto map = static_cast<u32>(map_in_use(model));
  const MapTrace &bb = trace_for(domain, 0, side), &own = trace_for(domain, map, side);
  const auto most = static_cast<u32>(std::max(bb.cells.size(), own.cells.size()));

  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float pad = 12 * scale, width = ImGui::GetContentRegionAvail().x - 2 * pad, line = ImGui::GetFrameHeight();
  ImVec2 at = ImGui::GetCursorScreenPos();
  draw.AddLine(at, {at.x + width + 2 * pad, at.y}, theme().line);
  at.x += pad, at.y += 8 * scale;
  if (!compact) {
    const u64 in_scene = tiles_of_scene(model);
    std::string about = phrase("{} tiles a side", side);
    if (in_scene > 0)
      about += in_scene == side ? tr(", as in the scene") : phrase("; the scene has {}", grouped(in_scene));
    write_head(draw, at, "Where the blocks go", about, width, scale);
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
  sweep_button("Play###sweep", "Pause###sweep", 64 * scale,
               "Launches the blocks of both maps one by one, in the order of \u03c9", choice.sweeps, choice.shown);
  ImGui::SameLine();
  const std::string count = phrase("{} of {}", launched, most);
  const float room = width - 94 * scale - width_in(Face::body, count.c_str()) - 16 * scale;
  ImGui::SetNextItemWidth(std::max(room, 20 * scale));
  launched_slider("##omega", choice.shown, most);
  write(draw, Face::body, {at.x + width, foot + 5 * scale}, theme().text, count, Align::right);
  std::string said = sentence(bb, own, maps_of(domain)[map].name, launched, map == 0, compact);
  if (compact && width_in(Face::body, said.c_str()) > width) said = sentence(bb, own, "", launched, true, compact);
  write(draw, Face::body, {at.x, foot + line + 6 * scale}, theme().text, fitting(Face::body, said, width));
  sweep(choice.sweeps, choice.shown, seconds * kBlocksPerSecond / static_cast<float>(most));
}

namespace {

/// One layer of the domain: tiles coloured by omega; missed ones are outlined, those met again are crossed.
void draw_layer(const MapSketch& sketch, u32 layer, ImVec2 at, float cell) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = cell >= 6 ? 1.0f : 0.0f;
  for (const SketchTile& t : sketch.tiles) {
    if (t.layer != layer) continue;
    const ImVec2 low{at.x + static_cast<float>(t.col) * cell, at.y + static_cast<float>(t.row) * cell};
    const ImVec2 high{low.x + cell - gap, low.y + cell - gap};
    if (t.times == 0) {
      draw.AddRect(low, high, theme().fault, 0, 0, std::max(1.0f, cell / 8));
      continue;
    }
    draw.AddRectFilled(low, high, omega_colour(static_cast<u32>(t.omega), sketch.proof.launched));
    if (t.times == 1) continue;
    draw.AddLine(low, high, theme().fault, std::max(1.0f, cell / 8));
    draw.AddLine({low.x, high.y}, {high.x, low.y}, theme().fault, std::max(1.0f, cell / 8));
  }
}

void draw_sketch(const MapSketch& sketch, float scale) {
  const u32 side = sketch.proof.side, layers = sketch.proof.domain == Domain::tetrahedron ? side : 1;
  const float width = ImGui::GetContentRegionAvail().x, between = 8 * scale;
  const u32 across = layers == 1 ? 1 : std::min<u32>(layers, 4), down = (layers + across - 1) / across;
  const float room = (width - static_cast<float>(across - 1) * between) / static_cast<float>(across);
  const float cell = std::max(1.0f, std::floor(std::min(room, 240 * scale) / static_cast<float>(side)));
  const float picture = cell * static_cast<float>(side);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  for (u32 layer = 0; layer < layers; ++layer) {
    const u32 column = layer % across, line = layer / across;
    draw_layer(sketch, layer,
               {corner.x + static_cast<float>(column) * (picture + between),
                corner.y + static_cast<float>(line) * (picture + between)},
               cell);
  }
  ImGui::Dummy({width, static_cast<float>(down) * (picture + between)});
  tip("Tiles by the position that meets them, from the first to the last. Red: missed, crossed: met again.");
}

void show_proof(const MapSketch& sketch) {
  const mapfile::Proof& p = sketch.proof;
  if (!p.passed()) return coloured_text(theme().fault, phrase("At m = {}: {}.", p.side, fault_words(p)));
  ImGui::TextWrapped("Proved for m = %u: %s tiles, each once, none outside; %s positions, %s idle.", p.side,
                     grouped(p.expected).c_str(), grouped(p.launched).c_str(), grouped(p.idle()).c_str());
}

}  // namespace

Among among_maps(const MapSketch& sketch) {
  const MapInfo& info = sketch.map->info();
  for (const MapInfo& map : maps_of(info.domain)) {
    if (map.typed == nullptr || info.name != std::string_view(map.name)) continue;
    const mapfile::MapFile* file = mapfile::map_file_of(map);
    return file != nullptr && file->text().file == sketch.map->text().file ? Among::yes : Among::other;
  }
  return Among::no;
}

void map_editor(const SessionModel&, MapEditor& editor, float scale, Requests& requests) {
  {
    const InFace code(Face::code);
    const std::string typed = editor.text;
    ImGui::InputTextMultiline("##map", &editor.text, {-1, 12.6f * ImGui::GetTextLineHeight()});
    if (is_pressed(ImGuiKey_Escape)) editor.text = typed;  // it leaves the text and takes nothing back
  }
  tip("A map file: the launch, and the tile of a position, in whole numbers. docs/typed-maps.md has the language.");
  whole("m, tiles a side", editor.side, "Tiles a side of the picture and its proof.");
  if (editor.text != editor.read || editor.side != editor.read_side) {
    editor.sketch = sketch_map(editor.text, static_cast<u32>(std::min<u64>(editor.side, 1u << 20)));
    editor.read = editor.text, editor.read_side = editor.side;
  }
  const MapSketch& sketch = editor.sketch;
  if (!sketch.error.empty()) show_error(sketch);
  const bool shown = !sketch.tiles.empty(), proved = shown && sketch.proof.passed();
  if (shown) show_proof(sketch), draw_sketch(sketch, scale);
  const Among among = shown ? among_maps(sketch) : Among::no;
  const bool added = among == Among::yes, ready = among == Among::no && proved;
  if (button(added ? "Among the maps###add" : "Add to the maps###add",
             "A map of that name then stands beside the others. Each side is proved before it is used there.",
             {ready, ""})) {
    requests.push_back(ask::AddMap{sketch.map});
  }
  if (!added && !ready) {
    coloured_text(
        theme().text2,
        among == Among::other && proved
            ? phrase("Another map has the name {}; give this one another.", sketch.map->info().name)
        : shown ? phrase("Only a map that is proved joins the others; at m = {} this one is not.", sketch.proof.side)
                : std::string("Only a map that is proved joins the others; this text is none yet."));
  }
}

}  // namespace tri::app::gui
