// The page of puzzles: blocks that the user's own map sends onto tiles.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/race.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/puzzles.hpp"
#include "app/support/option_values.hpp"

namespace tri::app::gui {
namespace {

constexpr float kSeconds = 6;  // omega from the first block to the last

/// Squares, layer beside layer: of a cube of that side everything is seen.
GridLayout in_layers(const std::vector<std::array<u32, 3>>& at, const Rect& place) {
  GridLayout map;
  u32 wide = 1, layers = 1;
  for (const auto& [x, y, z] : at) wide = std::max({wide, x + 1, y + 1}), layers = std::max(layers, z + 1);
  u32 across = 1;
  const auto size = [&](u32 columns) {
    const u32 rows = (layers + columns - 1) / columns;
    return std::min(place.w / static_cast<float>(columns * (wide + 2) - 2),
                    place.h / static_cast<float>(rows * (wide + 2) - 2));
  };
  for (u32 k = 2; k <= layers; ++k) across = size(k) > size(across) ? k : across;
  map.size = size(across);
  for (u32 k = 0; k < at.size(); ++k) {
    const auto& [x, y, z] = at[k];
    const auto place_of = [&](u32 part, u32 within) {
      return (static_cast<float>(part * (wide + 2) + within) + 0.5f) * map.size;
    };
    map.spots.push_back({place.x + place_of(z % across, x), place.y + place_of(z / across, y), 0, k});
  }
  return map;
}

/// The same figure at the top of its place.
GridLayout raised(GridLayout map, float top) {
  float first = 1e9f;
  for (const Spot& s : map.spots) first = std::min(first, s.y - map.size / 2);
  for (Spot& s : map.spots) s.y -= first - top;
  return map;
}

GridLayout blocks_of(const MapTrace& trace, const Rect& place) {
  if (trace.launches.size() != 1 || trace.launches[0].z == 1) return raised(place_cells(trace, place), place.y);
  std::vector<std::array<u32, 3>> at;
  for (const TracePosition& c : trace.cells) at.push_back({static_cast<u32>(c.at.x), c.at.y, c.at.z});
  return in_layers(at, place);
}

GridLayout tiles_of(const MapTrace& trace, const Rect& place) {
  if (trace.domain != Domain::tetrahedron) return raised(place_tiles(trace, place), place.y);
  std::vector<std::array<u32, 3>> at;
  for (const TraceTile& t : trace.tiles) at.push_back({t.x, t.y, t.z});
  return in_layers(at, place);
}

/// Red outlines of what is wrong; crossed: more than one block meets it.
void mark_faults(ImDrawList& draw, const MapSketch& sketch, const GridLayout& cells, const GridLayout& tiles) {
  const auto outline = [&](const GridLayout& map, const Spot& s, bool crossed) {
    const float half = map.size / 2 - 1, width = std::max(1.0f, map.size / 10);
    const ImVec2 low{s.x - half, s.y - half}, high{s.x + half, s.y + half};
    draw.AddRect(low, high, theme().page, 0, 0, width + 2);  // so that the red is seen on every colour
    draw.AddRect(low, high, theme().fault, 0, 0, width);
    if (!crossed) return;
    for (const auto& [colour, more] : {std::pair{theme().page, 2.0f}, std::pair{theme().fault, 0.0f}}) {
      draw.AddLine(low, high, colour, width + more);
      draw.AddLine({low.x, high.y}, {high.x, low.y}, colour, width + more);
    }
  };
  for (const Spot& s : tiles.spots) {
    if (sketch.tiles[s.index].times != 1) outline(tiles, s, sketch.tiles[s.index].times > 1);
  }
  for (const Spot& s : cells.spots) {
    if (std::binary_search(sketch.strays.begin(), sketch.strays.end(), s.index)) outline(cells, s, false);
  }
}

/// What is under the pointer, in words; empty: nothing.
std::string pointed_text(const MapSketch& sketch, const GridLayout& tiles, std::optional<u32> block) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (const u32 tile : tiles.at(mouse.x, mouse.y)) {
    const SketchTile& t = sketch.tiles[tile];
    if (t.times == 1) continue;
    const std::string where = mapfile::text_of(sketch.proof.domain, mapfile::AnyTile{t.row, t.col, t.layer});
    return t.times == 0 ? phrase("{} is missed", where) : phrase("{} is met by {} blocks", where, t.times);
  }
  if (!block) return {};
  if (std::binary_search(sketch.strays.begin(), sketch.strays.end(), *block)) {
    return phrase("block \u03c9 = {} is sent outside, or has no value", *block);
  }
  return block_text(sketch.trace, *block);
}

void figures(PuzzleState& state, const Rect& r, float seconds, float scale) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const MapSketch& sketch = state.figure;
  const MapTrace& trace = sketch.trace;
  if (sketch.tiles.empty()) return;
  const float gap = 32 * scale, half = (r.w - gap) / 2, line = ImGui::GetFrameHeight(), head = 26 * scale;
  const auto all = static_cast<u32>(trace.cells.size());
  const auto launched = static_cast<u32>(std::lround(state.choice.launched * static_cast<float>(all)));
  write_head(draw, {r.x, r.y}, "Parallel space", counted(all, "block"), half, scale);
  write_head(draw, {r.x + half + gap, r.y}, "Data space",
             phrase("{}, {} a side", counted(trace.tiles.size(), "tile"), trace.side), half, scale);
  const bool deep = trace.domain == Domain::tetrahedron;
  const float tall = r.h - head - 2 * line - 16 * scale, solid = deep ? 0.45f * tall : 0;
  if (tall > 40 * scale && half > 40 * scale) {
    const Rect left{r.x, r.y + head, half, tall}, right{r.x + half + gap, r.y + head, half, tall - solid - 8 * scale};
    const GridLayout cells = blocks_of(trace, left), tiles = tiles_of(trace, right);
    const PointedBlocks pointed = blocks_at_pointer(trace, cells, tiles, launched);
    paint_cells(draw, trace, cells, launched, true);
    paint_numbers(draw, trace, cells, launched, pointed.visible.has_value());
    paint_tiles(draw, trace, tiles, launched, true);
    mark_faults(draw, sketch, cells, tiles);
    if (deep) {
      const Rect place{right.x, r.y + head + tall - solid, half, solid};
      turn_figures(state.choice, place);
      paint_tiles(draw, trace, place_tiles(trace, place, {state.choice.yaw, state.choice.pitch, 0}), launched);
    }
    if (pointed.visible) link_block(draw, trace, cells, tiles, *pointed.visible, scale);
    const std::string text = pointed_text(sketch, tiles, pointed.visible);
    write(draw, Face::body, {r.x, r.y + r.h - line + 5 * scale}, theme().text2,
          fitting(Face::body, text.empty() ? "Point at a block or a tile: it shows where it goes." : text, r.w));
  }
  ImGui::SetCursorScreenPos({r.x, r.y + r.h - 2 * line - 4 * scale});
  sweep_button("Play###sweep", "Pause###sweep", 64 * scale, "Launches the blocks one by one", state.choice.running,
               state.choice.launched);
  ImGui::SameLine();
  const std::string count = phrase("{} of {}", launched, all);
  ImGui::SetNextItemWidth(std::max(20 * scale, r.w - 88 * scale - width_in(Face::body, count.c_str())));
  launched_slider("##omega", state.choice.launched, all);
  write(draw, Face::body, {r.x + r.w, ImGui::GetItemRectMin().y + 5 * scale}, theme().text, count, Align::right);
  sweep(state.choice.running, state.choice.launched, seconds / kSeconds);
}

/// The text of the level is another one; the old one can come back.
void replace_text(PuzzleState& state, std::string text) {
  state.before[state.level] = std::exchange(state.texts[state.level], std::move(text));
}

void judge_again(PuzzleState& state) {
  for (std::size_t k = 0; k < kPuzzleCount; ++k) {
    std::string& text = state.texts[k];
    if (text.empty()) text = puzzles()[k].begin;
    if (!state.judged && text != puzzles()[k].begin) state.solved[k] = judge(puzzles()[k], text).solved;
  }
  state.judged = true;
  const std::string& text = state.texts[state.level];
  if (state.read_level == state.level && state.read == text) return;
  if (state.read_level != state.level)
    state.figure = judge(puzzles()[state.level], puzzles()[state.level].begin).sketch;
  state.read = text, state.read_level = state.level, state.to_race.clear();
  state.verdict = judge(puzzles()[state.level], text);
  state.solved[state.level] = state.solved[state.level] || state.verdict.solved;
  if (!state.verdict.sketch.tiles.empty()) state.figure = state.verdict.sketch;
}

void levels(PuzzleState& state, float scale) {
  ImGui::PushID("levels");
  for (std::size_t k = 0; k < kPuzzleCount; ++k) {
    const std::string label =
        fmt::format("{} {}{}", k + 1, puzzles()[k].name, state.solved[k] ? tr(" \u00b7 solved") : "");
    if (k > 0) same_line(width_in(Face::body, label.c_str()) + 24 * scale);
    if (chosen_button(fmt::format("{}###{}", label, puzzles()[k].name).c_str(), k == state.level, theme().edge)) {
      state.level = k, state.choice.launched = 1, state.choice.running = false;
    }
    tip(puzzles()[k].task);
  }
  ImGui::PopID();
}

/// Adds a solved map to the others, and races it once it is there.
void race_own(const SessionModel& model, GuiState& gui, Requests& requests) {
  PuzzleState& state = gui.puzzle;
  const Puzzle& puzzle = puzzles()[state.level];
  const bool solved = state.verdict.solved;
  const bool of_bodies = puzzle.domain != Domain::gasket && puzzle.of == SketchOf::domain;
  const Among among = solved && of_bodies ? among_maps(state.verdict.sketch) : Among::no;
  const bool racing = race_pending(gui.race);
  const std::string name = solved ? state.verdict.sketch.map->info().name : "";
  const std::string about = !of_bodies ? "No law of bodies works on this figure, so there is nothing to race"
                            : !solved  ? "Solve the level first: only a map that is proved may race"
                            : among == Among::other ? phrase("Another map has the name {}; change the name", name)
                            : racing                ? "A race is on"
                                                    : "Adds your map to the others and times it beside bb";
  if (button("Race your own###race", about, {of_bodies && solved && among != Among::other && !racing, ""})) {
    if (among == Among::no) requests.push_back(ask::AddMap{state.verdict.sketch.map});
    state.to_race = name;
  }
  if (of_bodies && solved && among == Among::other) coloured_text(theme().text2, tr(about) + ".");
  if (state.to_race.empty() || among != Among::yes || racing) return;
  race_map(model, gui.race, puzzle.domain, std::exchange(state.to_race, {}));
}

/// The task, the text and what it is worth; in `height` pixels.
void work(const SessionModel& model, GuiState& gui, float height, float scale, Requests& requests) {
  PuzzleState& state = gui.puzzle;
  const Puzzle& puzzle = puzzles()[state.level];
  std::string& text = state.texts[state.level];
  {
    const InFace strong(Face::strong);
    ImGui::TextWrapped("%s", puzzle.task);
  }
  coloured_text(theme().text2, puzzle.hint);
  const float line = ImGui::GetFrameHeightWithSpacing(), words = 8 * ImGui::GetTextLineHeight();
  const float room = height - (ImGui::GetCursorScreenPos().y - ImGui::GetWindowPos().y) - 2 * line - words;
  {
    const InFace code(Face::code);
    const auto lines = static_cast<float>(std::count(text.begin(), text.end(), '\n') + 2);
    const std::string typed = text;
    ImGui::InputTextMultiline(
        "##map", &text,
        {-1, std::clamp(room, 6 * ImGui::GetTextLineHeight(), std::max(lines, 12.0f) * ImGui::GetTextLineHeight())});
    if (is_pressed(ImGuiKey_Escape)) text = typed;  // it leaves the text and takes nothing back
  }
  tip("A map file: the launch, and the tile of a block, in whole numbers: w is the block's number, x, y, z its place "
      "in the "
      "launch, m the side in tiles");
  if (button("Begin again", "The text as the level begins", {text != puzzle.begin, "It is this one."})) {
    replace_text(state, puzzle.begin);
  }
  const float wide = 110 * scale;
  same_line(wide, "Show a solution");
  if (button("Show a solution", "One of many", {text != puzzle.solution, "It is this one."})) {
    replace_text(state, puzzle.solution);
  }
  same_line(wide, "Text before");
  const std::string& before = state.before[state.level];
  if (button("Text before", "What a beginning or a solution took the place of",
             {!before.empty() && before != text, "Neither has yet."})) {
    replace_text(state, std::string(before));
  }
  same_line(wide, "To the editor");
  if (ImGui::Button("To the editor")) {
    gui.map_editor.before = std::exchange(gui.map_editor.text, text);
    gui.map_editor.side = puzzle.sides[0], gui.map_editor.shown = true;
    gui.panels.open = "Editor", state.shown = false;
  }
  tip("There it is saved as a file, and drawn at any side");
  const PuzzleVerdict& v = state.verdict;
  if (v.text.empty() || !v.sketch.error.empty()) {
    show_error(v.sketch);
  } else {
    coloured_text(v.solved ? theme().running : theme().fault, v.text);
  }
  race_own(model, gui, requests);
  if (!state.solved[state.level] || state.level + 1 >= kPuzzleCount) return;
  ImGui::SameLine();
  if (ImGui::Button("Next level")) ++state.level, state.choice.launched = 1;
}

}  // namespace

void puzzle_page(const SessionModel& model, GuiState& gui, const Rect& place, float seconds, Requests& requests) {
  PuzzleState& state = gui.puzzle;
  const float scale = gui.panels.scale, gap = 24 * scale, width = place.w - 2 * gap;
  state.level = std::min(state.level, kPuzzleCount - 1);
  judge_again(state);
  if (ImGui::Button("Back to the scene###scene")) state.shown = false;
  ImGui::SameLine(0, 16 * scale);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + ImGui::GetFrameHeight() / 2, left = place.x + gap;
  write_middle(draw, Face::figure, {at.x, y}, theme().text, "Puzzle");
  const float word = width_in(Face::figure, "Puzzle") + 16 * scale;
  const std::string send = phrase("Send {}", puzzle_size(puzzles()[state.level]));
  write_middle(draw, Face::body, {at.x + word, y}, theme().text2,
               fitting(Face::body, send, left + width - at.x - word));
  ImGui::SetCursorScreenPos({left, at.y + ImGui::GetFrameHeight() + 12 * scale});
  levels(state, scale);
  const float top = ImGui::GetCursorScreenPos().y + 8 * scale, tall = place.y + place.h - 16 * scale - top;
  const float column = std::clamp(0.4f * width, std::min(300 * scale, width / 2), 520 * scale);
  ImGui::SetCursorScreenPos({left, top});
  ImGui::BeginChild("work", {column, tall}, false, ImGuiWindowFlags_NavFlattened);
  work(model, gui, tall, scale, requests);
  ImGui::EndChild();
  figures(state, {left + column + gap, top, width - column - gap, tall}, seconds, scale);
}

}  // namespace tri::app::gui
