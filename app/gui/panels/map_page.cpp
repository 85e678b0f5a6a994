// A map's page: its figure, formula, limit, idle blocks, and where it fails.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/sketches.hpp"
#include "app/support/option_values.hpp"

namespace tri::app::gui {
namespace {

constexpr u32 kSide = 12, kDepth = 6;  // tiles a side of the figure
constexpr float kPageSweepSeconds = 6;

/// What a page shows of a map; made when it is opened first.
struct MapFacts {
  MapTrace trace;
  std::optional<MapFault> fault;                ///< right above its limit
  std::vector<std::pair<double, double>> idle;  ///< tiles a side, share of the blocks launched
};

LaunchCounts counts_of(Domain domain, u32 map, u64 side) {
  return domain == Domain::triangle ? map_counts(static_cast<TriangleMapId>(map), side)
                                    : map_counts(static_cast<TetraMapId>(map), side);
}

u32 map_number(const MapInfo& about) { return static_cast<u32>(&about - maps_of(about.domain).data()); }

/// Tiles a side of the scene for a map of this domain; elements for one of threads. 0: the scene has none.
u64 side_of_scene(const SessionModel& model, const MapInfo& about) {
  const bool pairs = about.domain == Domain::triangle;
  const u64 block = pairs ? model.engine.pair_block : model.engine.triple_block;
  if ((pairs ? model.pair_maps : model.triple_maps).empty() || block == 0) return 0;
  return about.space == Space::thread ? model.n : (model.n + block - 1) / block;
}

MapFacts make_facts(Domain domain, u32 map) {
  const MapInfo& about = maps_of(domain)[map];
  const bool pairs = domain == Domain::triangle;
  MapFacts facts{trace_map(domain, map, pairs ? kSide : kDepth), {}, {}};
  const u64 beyond = about.max_side + 1;
  if (about.historical && beyond <= (pairs ? kMaxFaultSide : kMaxTetraFaultSide)) {
    const auto side = static_cast<u32>(beyond);
    facts.fault =
        pairs ? find_fault(static_cast<TriangleMapId>(map), side) : find_fault(static_cast<TetraMapId>(map), side);
  }
  const double most = pairs ? 4096 : 512;
  for (double side = 1; side <= most; side = std::max(side + 1, std::floor(side * 1.07))) {
    const LaunchCounts counts = counts_of(domain, map, static_cast<u64>(side));
    facts.idle.emplace_back(side, static_cast<double>(counts.idle()) / static_cast<double>(counts.launched));
  }
  return facts;
}

const MapFacts& facts_of(Domain domain, u32 map) {
  static std::map<std::pair<Domain, u32>, MapFacts> made;
  const auto at = made.find({domain, map});
  return at != made.end() ? at->second : made.emplace(std::pair{domain, map}, make_facts(domain, map)).first->second;
}

void card(ImDrawList& draw, const Rect& r, float scale) {
  draw.AddRectFilled({r.x, r.y}, {r.x + r.w, r.y + r.h}, theme().panel, 4 * scale);
  draw.AddRect({r.x, r.y}, {r.x + r.w, r.y + r.h}, theme().line, 4 * scale);
}

/// Text in lines no wider than `room`; returns its height.
float wrapped(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, const std::string& english, float room) {
  const InFace in(which);
  const std::string text = tr(english), lines = in_lines(text, room);
  ImGui::LogText("%s | ", text.c_str());
  draw.AddText(at, colour, lines.c_str());
  return ImGui::CalcTextSize(lines.c_str()).y;
}

/// Of the four at the right of the head, with the gap before them.
float buttons_width(float scale) {
  float width = 16 * scale + 3 * ImGui::GetStyle().ItemSpacing.x;
  for (const char* label : {"Previous", "Next", "In use", "Race it"}) width += button_width(label);
  return width;
}

void head(const SessionModel& model, PageChoice& choice, RaceState& race, const MapInfo& about, float width,
          float scale, Requests& requests) {
  const auto maps = maps_of(choice.domain);
  if (ImGui::Button("Back to the scene###scene")) choice.shown = false;
  ImGui::SameLine(0, 16 * scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + ImGui::GetFrameHeight() / 2;
  write_middle(draw, Face::figure, {at.x, y}, map_ink(about.name).colour, about.name);
  const float name = width_in(Face::figure, about.name) + 16 * scale, buttons = buttons_width(scale);
  const float left = ImGui::GetWindowPos().x + 24 * scale, room = left + width - buttons - at.x - name;
  if (room > 60 * scale) {
    write_middle(draw, Face::body, {at.x + name, y}, theme().text2, fitting(Face::body, about.source, room));
  }
  ImGui::SetCursorScreenPos({left + width - buttons + 16 * scale, at.y});
  const auto count = static_cast<u32>(maps.size());
  if (ImGui::Button("Previous")) choice.map = (choice.map + count - 1) % count;
  ImGui::SameLine();
  if (ImGui::Button("Next")) choice.map = (choice.map + 1) % count;
  ImGui::SameLine();
  const bool pairs = choice.domain == Domain::triangle;
  const auto& rows = pairs ? model.pair_maps : model.triple_maps;
  const u32 now = pairs ? static_cast<u32>(model.asked.pair_map) : static_cast<u32>(model.asked.triple_map);
  const bool fits = choice.map < rows.size() && rows[choice.map].fits(), in_use = fits && now == choice.map;
  const char* about_use = rows.empty() ? "The scene has no law of this domain"
                          : fits       ? "The map of the next step"
                                       : "It does not fit";
  if (button(in_use ? "In use###use" : "Use###use", about_use, {fits && !in_use, ""})) {
    requests.push_back(pairs ? Request(ask::PairMap{static_cast<TriangleMapId>(choice.map)})
                             : Request(ask::TripleMap{static_cast<TetraMapId>(choice.map)}));
  }
  ImGui::SameLine();
  const bool racing = race_pending(race);
  if (button("Race it###race",
             racing ? "A race is on" : "Times this map beside bb: an empty kernel, one write a cell, forces",
             {!racing, ""})) {
    race_map(model, race, choice.domain, about.name);
  }
}

void figure(PageChoice& choice, const MapTrace& trace, const Rect& r, float seconds, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  card(draw, r, scale);
  const float pad = 16 * scale, half = (r.w - 3 * pad) / 2, line = ImGui::GetFrameHeight();
  const auto all = static_cast<u32>(trace.cells.size());
  const auto launched = static_cast<u32>(std::lround(choice.launched * static_cast<float>(all)));
  write_head(draw, {r.x + pad, r.y + pad / 2}, "Parallel space",
             phrase("{} as the GPU starts them", counted(all, "block")), half, scale);
  write_head(draw, {r.x + 2 * pad + half, r.y + pad / 2}, "Data space",
             phrase("{}, {} a side", counted(trace.tiles.size(), "tile"), trace.side), half, scale);
  const float top = r.y + pad / 2 + 28 * scale, tall = r.y + r.h - line - pad - top;
  std::optional<u32> block;  // under the pointer, else the one launched last
  if (launched > 0) block = launched - 1;
  if (tall > 20 * scale && half > 20 * scale) {
    const GridLayout cells = place_cells(trace, {r.x + pad, top, half, tall});
    const GridLayout tiles = place_tiles(trace, {r.x + 2 * pad + half, top, half, tall});
    const PointedBlocks pointed = blocks_at_pointer(trace, cells, tiles, launched);
    paint_cells(draw, trace, cells, launched, true);
    paint_numbers(draw, trace, cells, launched, pointed.visible.has_value());
    paint_tiles(draw, trace, tiles, launched, true);
    if (pointed.visible) block = pointed.visible;
    if (block && (pointed.visible || launched < all)) link_block(draw, trace, cells, tiles, *block, scale);
  }
  const float foot = r.y + r.h - line - pad / 2;
  ImGui::SetCursorScreenPos({r.x + pad, foot});
  sweep_button("Play###sweep", "Pause###sweep", 64 * scale, "", choice.sweeps, choice.launched);
  ImGui::SameLine();
  write(draw, Face::formula, {ImGui::GetCursorScreenPos().x, foot + 2 * scale}, theme().text2, "\u03c9");
  ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x + 20 * scale, foot});
  ImGui::SetNextItemWidth(half - 92 * scale);
  launched_slider("##omega", choice.launched, static_cast<u32>(trace.cells.size()));
  const u32 useful = useful_of(trace, launched);
  const std::string counts = phrase("{} launched \u00b7 {} useful \u00b7 {} idle", launched, useful, launched - useful);
  std::string where = block ? block_text(trace, *block) + "     " + counts : counts;
  const Face size = width_in(Face::body, where.c_str()) <= half ? Face::body : Face::caption;
  if (width_in(size, where.c_str()) > half) where = counts;
  write(draw, size, {r.x + 2 * pad + half, foot + 5 * scale}, theme().text, fitting(size, where, half));
  sweep(choice.sweeps, choice.launched, seconds / kPageSweepSeconds);
}

/// What a map's source means by a short name.
struct Paper {
  const char *name, *whole;
};
constexpr Paper kPapers[] = {
    {"LTM", "LTM: Navarro, Hitschfeld 2014: GPU Maps for the Space of Computation in Triangular Domain Problems"},
    {"TRI",
     "TRI: Navarro, Bustos, Hitschfeld 2016: A Non-linear GPU Thread Map for Triangular Domains, arXiv 1609.01490"},
    {"Jung & O'Leary 2008", "Jung, O'Leary 2008: Exploiting Structure of Symmetric or Triangular Matrices on a GPU"},
    {"Ries et al. 2009",
     "Ries, De Marco, Zivieri, Guerrieri 2009: Triangular Matrix Inversion on Graphics Processing Unit"},
    {"Avril et al. 2012",
     "Avril, Gouranton, Arnaldi 2012: Fast Collision Culling in Large-Scale Environments Using GPU Mapping Function"},
    {"Navarro et al. 2022",
     "Navarro and others 2022: A Scalable and Energy Efficient GPU Thread Map for m-Simplex Domains, arXiv 2208.11617"},
    {"Graham 1969", "Graham 1969: Bounds on Multiprocessing Timing Anomalies"},
};

void formula_card(const MapInfo& about, const Rect& r, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  card(draw, r, scale);
  const float pad = 16 * scale;
  write(draw, Face::strong, {r.x + pad, r.y + pad}, theme().text, "Formula");
  float y = r.y + pad + 30 * scale;
  draw.PushClipRect({r.x, r.y}, {r.x + r.w - 4 * scale, r.y + r.h}, true);
  std::vector<FormulaBox> clauses = set_formula(about.formula, scale, true);
  const auto wide = [&clauses] {
    return std::max_element(clauses.begin(), clauses.end(), [](auto& a, auto& b) { return a.width < b.width; })->width;
  };
  float tall = 0;
  for (const FormulaBox& c : clauses) tall += c.up + c.down + 12 * scale;
  const float across = r.w - 2 * pad;
  if (wide() > across || tall > r.h / 2) clauses = set_formula(about.formula, scale);
  if (wide() > across) clauses = set_formula(about.formula, scale, false, across / wide());
  for (const FormulaBox& clause : clauses) {
    draw_formula(draw, clause, {r.x + pad, y + clause.up}, theme().text, scale);
    y += clause.up + clause.down + 12 * scale;
  }
  draw.PopClipRect();
  ImGui::LogText("%s | ", about.formula);
  y += 4 * scale;
  std::vector<std::string> lines{phrase("Source: {}", about.source)};
  for (const Paper& paper : kPapers) {
    if (std::string_view(about.source).find(paper.name) != std::string_view::npos) lines.emplace_back(paper.whole);
  }
  const float room = r.w - 2 * pad, left = r.y + r.h - 8 * scale - y;
  const auto height = [&](Face which, const std::string& line) {
    return wrapped_height(which, line, room) + 6 * scale;
  };
  float whole = 0;
  for (const std::string& line : lines) whole += height(Face::body, line);
  const Face which = whole < left ? Face::body : Face::caption;
  for (const std::string& line : lines) {
    if (y + height(which, line) > r.y + r.h) continue;
    y += wrapped(draw, which, {r.x + pad, y}, &line == lines.data() ? theme().text : theme().text2, line, room) +
         6 * scale;
  }
  const float copy_width = width_in(Face::body, "Copy") + 16 * scale;
  ImGui::SetCursorScreenPos({r.x + r.w - pad - copy_width, r.y + pad / 2});
  if (button("Copy###copy", "Copies the formula as text", {true, ""}, copy_width))
    ImGui::SetClipboardText(about.formula);
}

/// Rows of tiles around the first wrong one.
void fault_figure(ImDrawList& draw, const MapFault& fault, bool pairs, ImVec2 at, float cell, float scale) {
  const u32 row = fault.tile.y, first = row >= 2 ? row - 2 : 0;
  constexpr u32 kCells = 9;
  const u32 left = fault.tile.x > kCells / 2 ? fault.tile.x - kCells / 2 : 0;
  for (u32 r = first; r <= row; ++r) {
    const float y = at.y + cell * static_cast<float>(r - first);
    if (r == row || cell >= 14 * scale) {
      write_middle(draw, Face::caption, {at.x + 44 * scale, y + cell / 2}, theme().text2, grouped(r), Align::right);
    }
    for (u32 c = left; c < left + kCells && c <= r; ++c) {
      const float x = at.x + 54 * scale + cell * static_cast<float>(c - left);
      const ImVec2 low{x, y}, high{x + cell - 2, y + cell - 2};
      if (r != row || c != fault.tile.x) {
        draw.AddRectFilled(low, high, omega_colour(r - first + 4, 9));
        continue;
      }
      draw.AddRect(low, high, theme().fault, 0, 0, 2 * scale);
      draw.AddLine({low.x + 4, low.y + 4}, {high.x - 4, high.y - 4}, theme().fault, 2 * scale);
      draw.AddLine({low.x + 4, high.y - 4}, {high.x - 4, low.y + 4}, theme().fault, 2 * scale);
    }
  }
  if (!pairs) write(draw, Face::caption, {at.x, at.y - 16 * scale}, theme().text2, phrase("layer {}", fault.tile.z));
}

/// What is proved, and how: what tests/sim/maps walks, and what it only samples.
std::string proof_text(const MapInfo& about, bool pairs) {
  std::string text =
      tr(pairs ? "The tests walk every position at each side up to 200, and around 256, 512 and 1,024: each tile is "
                 "met once, none outside. "
               : "The tests walk every position at each side up to 90, and some up to 256: each tile is met once, "
                 "none outside. ");
  text += tr(about.table_bytes != nullptr
                 ? "Above, the table is made by a root that is repaired in whole numbers. "
                 : "Above, it is not walked: the map computes in whole numbers, or repairs its root in them, and the "
                   "tests compare samples up to the limit. ");
  return text + phrase("A side of yours: triangulum verify map {} --n SIDE.", about.name);
}

/// The first wrong tile between its neighbours, and what is wrong, from `at` down to `foot`.
void fault_part(ImDrawList& draw, const MapFault& f, bool pairs, ImVec2 at, float foot, float room, float scale) {
  const std::string what = f.visits == 0 ? tr("is missed") : phrase("is met {} times", f.visits);
  const std::string where = pairs ? phrase("row {}, column {}", grouped(f.tile.y), grouped(f.tile.x))
                                  : fmt::format("({}, {}, {})", f.tile.x, f.tile.y, f.tile.z);
  at.y += (pairs ? 8 : 22) * scale;
  const float cell = std::min((foot - at.y - 60 * scale) / 3, (room - 54 * scale) / 9);
  if (cell > 8 * scale) {
    fault_figure(draw, f, pairs, at, std::min(cell, 40 * scale), scale);
    at.y += 3 * std::min(cell, 40 * scale) + 8 * scale;
  }
  wrapped(draw, Face::caption, at, theme().fault,
          phrase("{} {}; missed: {}; visits beyond the domain: {}.", where, what, counted(f.missed, "tile"),
                 grouped(f.outside)),
          room);
}

/// The published formula that the map repairs, of the farthest limit; null: it repairs none.
const MapInfo* repaired_by(const MapInfo& about) {
  const MapInfo* best = nullptr;
  for (const MapInfo& map : maps_of(about.domain)) {
    const bool repaired =
        map.historical && map.alternative != nullptr && std::string_view(map.alternative) == about.name;
    if (repaired && (best == nullptr || map.max_side > best->max_side)) best = &map;
  }
  return best;
}

void limit_card(const MapInfo& about, const MapFacts& facts, bool pairs, const Rect& r, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  card(draw, r, scale);
  const float pad = 16 * scale, room = r.w - 2 * pad, x = r.x + pad, foot = r.y + r.h;
  write(draw, Face::strong, {x, r.y + pad}, theme().text, "Exact limit");
  float y = r.y + pad + 28 * scale;
  y += wrapped(draw, Face::title, {x, y}, theme().text, with_powers(tr(about.limit)), room) + 8 * scale;
  draw.PushClipRect({r.x, r.y}, {r.x + r.w, foot}, true);
  if (facts.fault) {
    y += wrapped(draw, Face::body, {x, y}, theme().text2,
                 phrase("With {} tiles a side the first wrong tile is:", grouped(facts.fault->side)), room);
    fault_part(draw, *facts.fault, pairs, {x, y}, foot, room, scale);
  } else {
    std::string text = about.historical ? tr("Beyond it the published formula is wrong.") : proof_text(about, pairs);
    if (about.alternative != nullptr) text += phrase(" Beyond it use {}.", about.alternative);
    const float tall = wrapped_height(Face::body, text, room);
    const Face which = y + tall < foot - 4 * scale ? Face::body : Face::caption;
    y += wrapped(draw, which, {x, y}, theme().text2, text, room) + 8 * scale;
    const MapInfo* const published = repaired_by(about);
    if (published != nullptr && foot - y > 130 * scale) {
      const MapFacts& its = facts_of(about.domain, map_number(*published));
      const std::string said =
          phrase("Without the repair, as {} has it, {} tiles a side go wrong here:", published->name,
                 grouped(its.fault ? its.fault->side : 0));
      if (its.fault) {
        y += wrapped(draw, Face::body, {x, y}, theme().text2, said, room);
        fault_part(draw, *its.fault, pairs, {x, y}, foot, room, scale);
      }
    }
  }
  draw.PopClipRect();
}

/// side_now: tiles a side of the scene; 0: it has none of this domain.
void idle_card(const MapInfo& about, const MapFacts& own, const MapFacts& bb, u64 side_now, const Rect& r,
               float scale) {
  const bool pairs = about.domain == Domain::triangle;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  card(draw, r, scale);
  const float pad = 16 * scale;
  write_head(draw, {r.x + pad, r.y + pad}, "Idle blocks", "share of those launched", r.w, scale);
  const Rect in{r.x + pad + 34 * scale, r.y + pad + 40 * scale, r.w - 2 * pad - 40 * scale, r.h - 2 * pad - 98 * scale};
  if (in.w < 40 || in.h < 30) return;
  const double most_side = own.idle.back().first, most = pairs ? 0.55 : 0.9;
  const auto point = [&](double side, double share) {
    return ImVec2{in.x + in.w * static_cast<float>(std::log2(side) / std::log2(most_side)),
                  in.y + in.h * static_cast<float>(1 - share / most)};
  };
  for (double share = 0; share <= most; share += 0.25) {
    const float y = point(1, share).y;
    draw.AddLine({in.x, y}, {in.x + in.w, y}, theme().line);
    write_middle(draw, Face::caption, {in.x - 6 * scale, y}, theme().text2, fmt::format("{:.0f} %", 100 * share),
                 Align::right);
  }
  for (double side = 1; side <= most_side; side *= 4) {
    write(draw, Face::caption, {point(side, 0).x, in.y + in.h + 4 * scale}, theme().text2,
          grouped(static_cast<u64>(side)), Align::centre);
  }
  write(draw, Face::caption, {in.x + in.w / 2, in.y + in.h + 20 * scale}, theme().text2, "tiles a side", Align::centre);
  for (const auto& [facts, name] : {std::pair{&bb, "bb"}, std::pair{&own, about.name}}) {
    std::vector<ImVec2> line;
    for (const auto& [side, share] : facts->idle) line.push_back(point(side, share));
    draw_inked(draw, line, map_ink(name), 1.8f * scale);
  }
  if (side_now > 0) {
    const double shown = std::min(static_cast<double>(side_now), most_side);
    const float x = point(shown, 0).x;
    for (float y = in.y; y < in.y + in.h; y += 6 * scale) {
      draw.AddLine({x, y}, {x, std::min(y + 3 * scale, in.y + in.h)}, theme().text2, scale);
    }
    const std::string text =
        phrase("now: {}{}", counted(side_now, "tile"), static_cast<double>(side_now) > most_side ? ", farther" : "");
    const bool left = x > in.x + in.w / 2;
    write(draw, Face::caption, {x + (left ? -5 : 5) * scale, in.y - 14 * scale}, theme().text2, text,
          left ? Align::right : Align::left);
    for (const auto& [name, map] : {std::pair{"bb", 0u}, std::pair{about.name, map_number(about)}}) {
      const LaunchCounts counts = counts_of(about.domain, map, side_now);
      draw.AddCircleFilled(point(shown, static_cast<double>(counts.idle()) / static_cast<double>(counts.launched)),
                           4 * scale, map_ink(name).colour);
    }
  }
  const double last = own.idle.back().second;
  const std::string text = phrase("{} {:.2g} % at {} tiles a side, bb {:.1f} %", about.name, 100 * last,
                                  grouped(static_cast<u64>(most_side)), 100 * bb.idle.back().second);
  write(draw, Face::caption, {r.x + pad, r.y + r.h - pad - 14 * scale}, theme().text,
        fitting(Face::caption, text, r.w - 2 * pad));
}

}  // namespace

void map_page(const SessionModel& model, PageChoice& choice, RaceState& race, const Rect& place, float seconds,
              float scale, Requests& requests) {
  choice.map = std::min<u32>(choice.map, static_cast<u32>(maps_of(choice.domain).size()) - 1);
  const MapInfo& about = maps_of(choice.domain)[choice.map];
  const bool pairs = choice.domain == Domain::triangle;
  const MapFacts &facts = facts_of(choice.domain, choice.map), &bb = facts_of(choice.domain, 0);
  const float width = place.w - 48 * scale, gap = 16 * scale;
  head(model, choice, race, about, width, scale, requests);
  const float top = place.y + 60 * scale, all = place.y + place.h - 16 * scale - top;
  const bool wide = place.w >= 900 * scale;
  // The cards take what their texts need, and the figure the rest; the longest text has the widest card.
  const float lower = std::min(all * (wide ? 0.47f : 0.4f), 330 * scale), upper = all - lower - gap,
              left = place.x + 24 * scale;
  figure(choice, facts.trace, {left, top, width, upper}, seconds, scale);
  const float cards = wide ? width - 2 * gap : width - gap;
  const float first = cards * (wide ? 0.3f : 0.5f), second = cards * (wide ? 0.38f : 0.5f);
  const float y = top + upper + gap, chart = left + first + second + 2 * gap;
  formula_card(about, {left, y, first, lower}, scale);
  limit_card(about, facts, pairs, {left + first + gap, y, second, lower}, scale);
  if (wide) idle_card(about, facts, bb, side_of_scene(model, about), {chart, y, left + width - chart, lower}, scale);
}

// Why bb, the bounding box, starts more blocks: it and the map in use launch side by side, and what that costs here.

namespace {

constexpr const char* kWhyTitle = "Why bb, the bounding box, starts more blocks";

/// What a block is started for, and why some have nothing to do.
std::string work_words(bool pairs) {
  return pairs
             ? tr("A pair of bodies i and j is the pair j and i: only tiles on and below the diagonal have work. bb "
                  "starts a block for each tile of the square around them; those beyond the diagonal (struck through) "
                  "find nothing to do.")
             : tr("Three bodies are one triple in any order: of the cube of tiles about a sixth has work. bb starts a "
                  "block for each tile of the cube around it; the others (small and grey) find nothing to do.");
}

/// Of one map on the page: its blocks in the figure and in the scene, and what the scene's cost here.
struct WhySide {
  u32 map;
  const MapTrace& trace;
  const MapRow& row;
  const MapFigures& figures;
};

/// Cost of an idle block over that of a useful one, by the times of both maps; 0 where they do not differ.
double idle_weight(const WhySide& bb, const WhySide& own) {
  const auto& turns = own.figures.turns;
  if (!turns || !turns->improvement.differs()) return 0;
  const double more = static_cast<double>(bb.row.blocks.idle()) - static_cast<double>(own.row.blocks.idle());
  const double useful = own.figures.ms / static_cast<double>(std::max<u64>(1, own.row.blocks.useful));
  return more > 0 && useful > 0 ? std::max(0.0, (bb.figures.ms - own.figures.ms) / more / useful) : 0;
}

std::string microseconds(double ms) {
  const double us = 1e3 * ms;
  return us < 99.5 ? number_text(us, 2) + " \u00b5s" : grouped(static_cast<u64>(std::llround(us))) + " \u00b5s";
}

void why_side(ImDrawList& draw, const WhySide& side, u32 launched, double weight, const Rect& r, float scale) {
  const MapTrace& trace = side.trace;
  const auto all = static_cast<u32>(trace.cells.size()), now = std::min(launched, all);
  const u32 useful = useful_of(trace, now), idle = now - useful;
  const auto cost = [weight](u32 with, u32 without) { return with + weight * without; };
  card(draw, r, scale);
  const float pad = 16 * scale, room = r.w - 2 * pad, x = r.x + pad;
  write(draw, Face::title, {x, r.y + pad / 2}, map_ink(side.row.name).colour, side.row.name);
  const std::string counts = phrase("{} launched, {} useful, {} idle", grouped(now), grouped(useful), grouped(idle));
  write(draw, Face::body, {x, r.y + pad / 2 + 26 * scale}, theme().text, fitting(Face::body, counts, room));
  const float top = r.y + pad / 2 + 52 * scale, foot = r.y + r.h - pad / 2 - 44 * scale;
  if (foot - top > 20 * scale && room > 20 * scale) {
    const Rect figure{x, top, room, foot - top - 8 * scale};
    if (side.map == 0) {
      paint_cells(draw, trace, place_cells(trace, figure), now, true);
    } else {
      paint_tiles(draw, trace, place_tiles(trace, figure), now, true);
    }
  }
  if (!(side.figures.ms > 0)) return;
  const u32 whole = trace.useful();
  const double share = cost(useful, idle) / std::max(1e-300, cost(whole, all - whole));
  const std::string spent = microseconds(share * side.figures.ms);
  write(draw, Face::figure, {x, foot}, theme().text, spent);
  const float after = width_in(Face::figure, spent.c_str()) + 8 * scale;
  const auto beside = [&](float y, const std::string& text) {
    write(draw, Face::caption, {x + after, foot + y * scale}, theme().text2,
          fitting(Face::caption, text, room - after));
  };
  const Interval& in = side.figures.interval;
  const bool known = in.low > 0 && in.high > in.low;  // one time alone has none
  beside(known ? 3 : 14, phrase("of {} an evaluation here", microseconds(side.figures.ms)));
  if (known) beside(18, phrase("{} to {}", microseconds(in.low), microseconds(in.high)));
}

/// Where the interval of the ratio holds 1, though the two times may stand far apart. most: ms that bb may take more.
std::string no_difference_words(const Improvement& gain, const std::string& map, double most, u64 more) {
  constexpr double kSame = 1.1;
  const std::string over =
      phrase("{} and bb take as long as each other, as far as their times tell ({}, {} to {})", map,
             times_text(gain.ratio), ratio_text(gain.interval.low), ratio_text(gain.interval.high));
  if (gain.interval.high < kSame) return phrase("An idle block is free here: {}", over);
  const std::string text = phrase("On this machine {}", over);
  return more == 0 ? text
                   : text + phrase("; an idle block costs {} at most", microseconds(most / static_cast<double>(more)));
}

/// What an idle block costs, by these figures of the map.
std::string idle_cost_words(const MapRow& bb, const MapRow& map, const MapFigures& of_bb, const MapFigures& of_map,
                            Domain domain, bool on_cpu) {
  if (!of_map.turns || !of_map.turns->improvement.decided()) {
    return phrase(
        "Maps are timed while the scene runs: {} of {} beside bb so far, too few to say what an idle "
        "block costs here.",
        counted(map.turns.own.values().size(), "turn"), map.name);
  }
  const Improvement& gain = of_map.turns->improvement;
  const std::string interval = phrase("{} to {}", ratio_text(gain.interval.low), ratio_text(gain.interval.high));
  const u64 more = bb.blocks.idle() > map.blocks.idle() ? bb.blocks.idle() - map.blocks.idle() : 0;
  const double cost = of_bb.ms - of_map.ms;
  std::string text;
  if (!gain.differs()) {
    text = no_difference_words(gain, map.name, of_bb.ms - of_map.interval.low, more);
  } else if (gain.ratio > 1 && more > 0) {
    text = phrase("An idle block costs {} here: the {} more of bb take {}, and {} is {} over it, {}",
                  microseconds(cost / static_cast<double>(more)), grouped(more), microseconds(cost), map.name,
                  times_text(gain.ratio), interval);
  } else {
    text = phrase("Idle blocks are not what decides here: {} is {} over bb, {}", map.name, times_text(gain.ratio),
                  interval);
  }
  const auto best = on_cpu ? shipped_figure(domain) : std::nullopt;
  if (!best) return text + ".";
  text += phrase("; on an {}, measured with {}, {} is {} over bb with an empty kernel", best->device,
                 counted(best->n, "body", "bodies"), best->map, times_text(best->over_bb.ratio));
  const auto own = shipped_figure(domain, map.name);
  return text +
         (own && own->map != best->map ? fmt::format(", {} {}.", own->map, times_text(own->over_bb.ratio)) : ".");
}

}  // namespace

void why_page(const SessionModel& model, PageChoice& choice, const Rect& place, float seconds, float scale) {
  const bool pairs = choice.domain == Domain::triangle;
  const auto& rows = pairs ? model.pair_maps : model.triple_maps;
  if (ImGui::Button("Back to the scene###scene") || rows.size() < 2) choice.shown = false;
  if (rows.size() < 2) return;
  const std::size_t now =
      pairs ? static_cast<std::size_t>(model.asked.pair_map) : static_cast<std::size_t>(model.asked.triple_map);
  const auto map = static_cast<u32>(now != 0 && now < rows.size() ? now : next_fitting(rows, 0));
  const u64 block = pairs ? model.engine.pair_block : model.engine.triple_block;
  const u64 in_scene = block > 0 ? (model.n + block - 1) / block : 0;
  // Of a scene of few tiles the figure would show nothing.
  const u64 least = pairs ? 8 : 4, most_side = pairs ? 32 : 8;
  const auto side = static_cast<u32>(std::clamp<u64>(in_scene, least, most_side));
  const std::vector<MapFigures> figures = figures_of(rows);
  const WhySide bb{0, trace_for(choice.domain, 0, side), rows[0], figures[0]};
  const WhySide own{map, trace_for(choice.domain, map, side), rows[map], figures[map]};
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float left = place.x + 24 * scale, width = place.w - 48 * scale, gap = 16 * scale;
  ImGui::SameLine(0, gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = left + width - at.x, line = ImGui::GetFrameHeight();
  const std::string sides = phrase("{} tiles a side{}", side,
                                   in_scene == side ? tr(", as in the scene")
                                   : in_scene > 0   ? phrase("; the scene has {}", grouped(in_scene))
                                                    : "");
  write_middle(draw, Face::title, {at.x, at.y + line / 2}, theme().text, fitting(Face::title, kWhyTitle, room));
  const float after = width_in(Face::title, kWhyTitle) + gap;
  if (room > after + 60 * scale) {
    write_middle(draw, Face::body, {at.x + after, at.y + line / 2}, theme().text2,
                 fitting(Face::body, sides, room - after));
  }
  const std::string words =
      work_words(pairs) + "\n" +
      idle_cost_words(bb.row, own.row, bb.figures, own.figures, choice.domain, model.backend.name == "cpu");
  const float said = wrapped_height(Face::body, words, width);
  const float top = place.y + 60 * scale, foot = place.y + place.h - said - line - 36 * scale;
  const auto most = static_cast<u32>(std::max(bb.trace.cells.size(), own.trace.cells.size()));
  const auto launched = static_cast<u32>(std::lround(choice.launched * static_cast<float>(most)));
  const float half = (width - gap) / 2, weight_room = foot - gap - top;
  const double weight = idle_weight(bb, own);
  if (weight_room > 60 * scale) {
    why_side(draw, bb, launched, weight, {left, top, half, weight_room}, scale);
    why_side(draw, own, launched, weight, {left + half + gap, top, half, weight_room}, scale);
  }
  ImGui::SetCursorScreenPos({left, foot});
  sweep_button("Play###sweep", "Pause###sweep", 64 * scale, "Launches the blocks of both maps one by one",
               choice.sweeps, choice.launched);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::max(20 * scale, width - 80 * scale));
  launched_slider("##omega", choice.launched, most);
  wrapped(draw, Face::body, {left, foot + line + 10 * scale}, theme().text, words, width);
  sweep(choice.sweeps, choice.launched, seconds / kPageSweepSeconds);
}

}  // namespace tri::app::gui
