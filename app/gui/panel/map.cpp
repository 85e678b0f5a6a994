// Map: one button per map, with its formula, its time and its improvement over bb; block sizes and accumulation.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <optional>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/keys.hpp"
#include "app/gui/base/map_ink.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"
#include "app/support/sample_stats.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr std::array<u32, 9> kSides{0, 8, 16, 32, 64, 128, 256, 512, 1024};

/// "12.3", "0.0123": three digits, without an exponent for usual values.
std::string three_digits(double v) {
  if (v >= 100) return fmt::format("{:.0f}", v);
  if (v >= 10) return fmt::format("{:.1f}", v);
  return v >= 1 ? fmt::format("{:.2f}", v) : fmt::format("{:.3g}", v);
}

/// What a row shows: the times of the turns that bb takes part in, else that of its steps.
struct Figures {
  double ms = 0;
  std::optional<PairedFigures> turns;
};

Figures figures_of(const MapRow& map) {
  if (map.turns.own.empty()) return {map.force.median(), {}};
  const PairedFigures turns = paired_figures(map.turns.baseline.values(), map.turns.own.values());
  return {turns.other, turns};
}

/// Along the lower edge of a button: speed relative to the fastest map.
void speed_bar(ImVec2 low, ImVec2 high, float share, ImU32 colour) {
  const float thick = std::max(2.0f, (high.y - low.y) * 0.14f);
  ImGui::GetWindowDrawList()->AddRectFilled({low.x, high.y - thick}, {low.x + (high.x - low.x) * share, high.y},
                                            colour);
}

/// Median of the fastest map timed so far, in ms; 0 without one.
double fastest_of(const std::vector<MapRow>& maps) {
  double fastest = 0;
  for (const MapRow& map : maps) {
    const double ms = figures_of(map).ms;
    if (ms > 0 && (fastest == 0 || ms < fastest)) fastest = ms;
  }
  return fastest;
}

struct Chosen {
  bool pressed = false, hovered = false;
};

/// The improvement over bb at the right of a row, where there are enough turns to tell.
void improvement_over_bb(const MapRow& map, const PairedFigures& turns, float right) {
  const Improvement& all = turns.improvement;
  if (!all.decided()) return;
  const double ratio = turns.ratio();
  const std::string text = !all.differs() ? "no difference"
                           : ratio >= 0.1 ? fmt::format("{:.2f}x", ratio)
                                          : fmt::format("{:.2g}x", ratio);
  if (!all.differs()) ImGui::SetWindowFontScale(0.8f);
  ImGui::SameLine(right - ImGui::CalcTextSize(text.c_str()).x);
  ImGui::AlignTextToFramePadding();
  all.differs() ? ImGui::TextUnformatted(text.c_str()) : ImGui::TextDisabled("%s", text.c_str());
  ImGui::SetWindowFontScale(1);
  const Interval& i = all.interval;
  tip(fmt::format("bb {} ms, {} {} ms in one turn; of {} turns the ratio is {:.3f} to {:.3f} with {:.0f} %",
                  three_digits(turns.baseline), map.name, three_digits(turns.other), map.turns.own.values().size(),
                  i.low, i.high, 100 * i.confidence));
}

Chosen row(const MapRow& map, std::size_t at, bool in_use, bool keys, double fastest) {
  Chosen chosen;
  const float unit = ImGui::CalcTextSize("0").x;
  const float numbers = 19 * unit;
  const std::string label = keys && at < 9 ? fmt::format("{}  {}###{}", at + 1, map.name, map.name)
                                           : fmt::format("    {}###{}", map.name, map.name);
  if (in_use) ImGui::PushStyleColor(ImGuiCol_Button, colour::accent());
  ImGui::BeginDisabled(!map.fits());
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  // The keyboard can activate disabled items.
  chosen.pressed = ImGui::Button(label.c_str(), {ImGui::GetContentRegionAvail().x - numbers, 0}) && map.fits();
  ImGui::PopStyleVar();
  ImGui::EndDisabled();
  if (in_use) ImGui::PopStyleColor();
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  chosen.hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled);
  tip(map.fits() ? map.formula : map.reason);
  const float right = ImGui::GetWindowContentRegionMax().x;
  const auto column = [&](const std::string& text, float from_right) {
    ImGui::SameLine(right - from_right - ImGui::CalcTextSize(text.c_str()).x);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text.c_str());
  };
  if (!map.fits()) {
    column("does not fit", 0);
    tip(map.reason);
    return chosen;
  }
  const Figures figures = figures_of(map);
  if (!(figures.ms > 0)) return chosen;
  speed_bar(low, high, static_cast<float>(fastest / figures.ms), map_ink(map.name).colour);
  column(three_digits(figures.ms), 8 * unit);
  if (figures.turns) improvement_over_bb(map, *figures.turns, right);
  return chosen;
}

void formula(const MapRow& map) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyle().Colors[ImGuiCol_TextDisabled]);
  ImGui::TextWrapped("%s", map.fits() ? map.formula.c_str() : map.reason.c_str());
  ImGui::PopStyleColor();
}

/// One line in a smaller font, cut where there is no room; the tooltip shows all of it.
void formula_line(const MapRow& map) {
  constexpr float kSmall = 0.86f;
  const std::string& text = map.fits() ? map.formula : map.reason;
  ImGui::SetWindowFontScale(kSmall);
  const float room = ImGui::GetContentRegionAvail().x;
  const char *begin = text.data(), *end = begin + text.size();
  const bool cut = ImGui::CalcTextSize(begin, end).x > room;
  if (cut) {
    const float dots = ImGui::CalcTextSize("...").x;
    ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), room - dots, 0, begin, end, &end);
  }
  ImGui::TextDisabled("%.*s%s", static_cast<int>(end - begin), begin, cut ? "..." : "");
  ImGui::SetWindowFontScale(1);
  tip(map.fits() ? map.formula : map.reason);
}

void rows(const std::vector<MapRow>& maps, std::size_t in_use, bool keys, const char* of, bool all_formulas,
          Requests& requests, Request (*request)(std::size_t)) {
  const float unit = ImGui::CalcTextSize("0").x;
  ImGui::PushID(of);
  ImGui::TextDisabled("maps of %s", of);
  const float right = ImGui::GetWindowContentRegionMax().x;
  ImGui::SameLine(right - 8 * unit - ImGui::CalcTextSize("ms").x);
  ImGui::TextDisabled("ms");
  ImGui::SameLine(right - ImGui::CalcTextSize("vs bb").x);
  ImGui::TextDisabled("vs bb");
  std::size_t shown = in_use;
  const double fastest = fastest_of(maps);
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const Chosen chosen = row(maps[k], k, k == in_use, keys, fastest);
    if (chosen.pressed) requests.push_back(request(k));
    if (chosen.hovered) shown = k;
    if (all_formulas) formula_line(maps[k]);
  }
  if (!all_formulas) {
    ImGui::Text("%s", maps[shown].name.c_str());
    // Always two lines, so that nothing below moves when the pointer goes to another map.
    const float before = ImGui::GetCursorPosY();
    formula(maps[shown]);
    ImGui::SetCursorPosY(before + 2 * ImGui::GetTextLineHeightWithSpacing());
  }
  ImGui::PopID();
}

/// The map right of the line across the scene.
void split_choice(const SessionModel& model, SplitChoice& split) {
  const auto& maps = shown_maps(model);
  if (maps.empty()) return;
  std::vector<std::string> names{"off"};
  std::vector<std::size_t> of{maps.size()};
  u32 at = 0;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    if (!maps[k].fits()) continue;
    if (split.map == k) at = static_cast<u32>(names.size());
    names.push_back(maps[k].name), of.push_back(k);
  }
  if (choose("side by side", at, names)) split.map = at > 0 ? std::optional(of[at]) : std::nullopt;
  tip("The same state by another map, right of a line across the scene that you can drag");
}

void block_choice(const char* label, u32 asked, u32 used, u32 other, bool pairs, Requests& requests) {
  std::vector<std::string> names;
  std::vector<u32> sides(kSides.begin(), kSides.end());
  if (std::find(sides.begin(), sides.end(), asked) == sides.end()) sides.push_back(asked);
  u32 at = 0;
  for (u32 k = 0; k < sides.size(); ++k) {
    names.push_back(sides[k] == 0 ? fmt::format("auto ({})", used) : fmt::format("{}", sides[k]));
    if (sides[k] == asked) at = k;
  }
  if (!choose(label, at, names)) return;
  requests.push_back(pairs ? ask::Blocks{sides[at], other} : ask::Blocks{other, sides[at]});
}

}  // namespace

void map(const SessionModel& model, bool& all_formulas, SplitChoice& split, Requests& requests) {
  const EngineConfig &asked = model.asked, &used = model.engine;
  if (!model.pair_maps.empty()) {
    rows(model.pair_maps, static_cast<std::size_t>(asked.pair_map), model.triple_maps.empty(), "pairs", all_formulas,
         requests, [](std::size_t k) -> Request { return ask::PairMap{static_cast<TriangleMapId>(k)}; });
  }
  if (!model.triple_maps.empty()) {
    rows(model.triple_maps, static_cast<std::size_t>(asked.triple_map), true, "triples", all_formulas, requests,
         [](std::size_t k) -> Request { return ask::TripleMap{static_cast<TetraMapId>(k)}; });
  }
  if (model.pair_maps.empty() && model.triple_maps.empty())
    ImGui::TextDisabled("this scene has no law of pairs or triples");
  bool comparing = model.comparing;
  if (ImGui::Checkbox("all take turns", &comparing)) requests.push_back(ask::Compare{comparing});
  tip("Each map that fits computes a frame in turn, and is timed beside bb (M)");
  ImGui::SameLine();
  ImGui::Checkbox("formulas", &all_formulas);
  split_choice(model, split);
  if (!model.pair_maps.empty()) {
    block_choice("block", asked.pair_block, used.pair_block, asked.triple_block, true, requests);
    tip("Side of a tile of pairs, in bodies");
  }
  if (!model.triple_maps.empty()) {
    block_choice("triple block", asked.triple_block, used.triple_block, asked.pair_block, false, requests);
    tip("Side of a tile of triples, in bodies");
  }
  Accumulate accumulate = asked.accumulate;
  if (choose_enum("accumulation", accumulate, 2)) requests.push_back(ask::Sums{accumulate});
  tip("ordered: bit-equal results over maps, block sizes and threads");
}

}  // namespace tri::app::gui::panel
