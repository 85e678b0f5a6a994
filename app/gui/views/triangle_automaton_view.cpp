#include "app/gui/views/triangle_automaton_view.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

constexpr double kMaxSeconds = 0.01;  // of a frame; what does not fit is let go
constexpr u32 kSides[] = {64, 128, 256, 512, 1024, 2048, 4096};
constexpr std::array<std::pair<const char*, const char*>, 6> kRules{{{"B3/S23", "Life"},
                                                                     {"B36/S23", "HighLife"},
                                                                     {"B3678/S34678", "Day & Night"},
                                                                     {"B2/S", "Seeds"},
                                                                     {"B1357/S1357", "Replicator"},
                                                                     {"B3/S12345", "Maze"}}};

CellPaint paint(bool dark) {
  CellPaint p;
  p.ramp = dark ? std::vector<std::array<float, 3>>{{0.13f, 0.14f, 0.17f}, {0.99f, 0.85f, 0.35f}, {1, 0.2f, 0.2f}}
                : std::vector<std::array<float, 3>>{{0.86f, 0.88f, 0.91f}, {0.10f, 0.25f, 0.55f}, {0.9f, 0, 0}};
  p.high = TriangleAutomaton::kWrong;
  return p;
}

}  // namespace

void TriangleAutomatonView::Source::read(const CellWindow& window, std::span<float> texels) const {
  mean_cells(automaton->cells(), automaton->side(), TriangleAutomaton::kOutside, window, texels);
}

std::string TriangleAutomatonView::Source::tell(Cell cell) const {
  if (cell.col > cell.row) return "";
  const u8 value = automaton->cells()[std::size_t{cell.row} * automaton->side() + cell.col];
  return fmt::format("row {}, column {}: {}", cell.row, cell.col,
                     value == TriangleAutomaton::kAlive  ? "alive"
                     : value == TriangleAutomaton::kDead ? "dead"
                                                         : "not exactly one turn in this generation");
}

/// A new one where size or seed are others or a restart is asked for; a rule takes its place in the one there is.
void TriangleAutomatonView::take(const AutomatonChoice& choice) {
  const bool other = choice.side != taken_.side || choice.seed != taken_.seed || choice.restarts != taken_.restarts;
  const LifeRule rule = triangle_rule_from(choice.rule);
  if (!source_.automaton || other) {
    source_.automaton.emplace(choice.side, rule, choice.seed);
    map_.reset();
    ++source_.changes;
  }
  source_.automaton->set_rule(rule);
  taken_ = choice;
}

void TriangleAutomatonView::work(Session& session, GuiState& state, float seconds) {
  AutomatonChoice& choice = state.automaton;
  try {
    take(choice);
  } catch (const ConfigError& error) {
    session.note(error.what(), true);
    choice.rule = taken_.rule;
    take(choice);
  }
  const TriangleMapId map = session.model().asked.pair_map;
  if (map_ != map) tiles_ = trace_map(map, std::min(kMaxTriangleSide, choice.side)), map_ = map;
  if (choice.running) owed_ += choice.speed * static_cast<double>(std::min(seconds, 0.1f));
  const auto begin = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < kMaxSeconds;
  };
  // What was asked for is taken to the last; what merely runs, as far as the frame allows.
  while (choice.asked > 0 || owed_ >= 1) {
    source_.automaton->step(tiles_);
    ++source_.changes;
    if (choice.asked > 0) {
      --choice.asked;
    } else {
      owed_ = in_time() ? owed_ - 1 : 0;
    }
  }
  choice.generation = source_.automaton->generation(), choice.alive = source_.automaton->alive();
  choice.wrong = source_.automaton->wrong();
}

namespace {

void choose_rule(AutomatonChoice& choice, float unit) {
  ImGui::SetNextItemWidth(15 * unit);
  std::string text = choice.rule;
  if (ImGui::InputText("##rule", &text, ImGuiInputTextFlags_EnterReturnsTrue)) choice.rule = text;
  panel::tip("B: with how many living neighbours a cell is born; S: with how many it stays. Enter takes it.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(16 * unit);
  const auto known = std::find_if(kRules.begin(), kRules.end(), [&](auto& r) { return choice.rule == r.first; });
  if (!ImGui::BeginCombo("##rules", known == kRules.end() ? "other" : known->second)) return;
  for (const auto& [rule, name] : kRules) {
    if (ImGui::Selectable(name, choice.rule == rule)) choice.rule = rule;
  }
  ImGui::EndCombo();
}

void choose_side(AutomatonChoice& choice, float unit) {
  ImGui::SetNextItemWidth(13 * unit);
  if (!ImGui::BeginCombo("##side", fmt::format("n = {}", choice.side).c_str())) return;
  for (const u32 side : kSides) {
    if (ImGui::Selectable(fmt::format("{}", side).c_str(), side == choice.side)) choice.side = side;
  }
  ImGui::EndCombo();
}

void choices(AutomatonChoice& c) {
  const float unit = ImGui::CalcTextSize("0").x;
  const panel::Pressed pressed = panel::run_step_restart(c.running);
  c.asked += pressed.step ? 1 : 0, c.restarts += pressed.restart ? 1 : 0;
  panel::same_line(36 * unit);
  choose_rule(c, unit);
  panel::same_line(14 * unit);
  choose_side(c, unit);
  panel::same_line(28 * unit);
  panel::rate(c.speed, 14 * unit, "Generations a second");
  panel::same_line(22 * unit);
  ImGui::SetNextItemWidth(12 * unit);
  ImGui::InputScalar("seed", ImGuiDataType_U64, &c.seed, nullptr, nullptr, nullptr,
                     ImGuiInputTextFlags_EnterReturnsTrue);
}

}  // namespace

void TriangleAutomatonView::draw(const SessionModel& model, GuiState& state, const Rect& place, float) {
  choices(state.automaton);
  if (!source_.automaton) return;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float pad = 8 * state.scale;
  const TriangleAutomaton& a = *source_.automaton;
  const u64 cells = u64{a.side()} * (a.side() + 1) / 2;
  std::string text = fmt::format("generation {}: {} of {} cells alive, ", a.generation(), a.alive(), cells);
  text += a.wrong() == 0 ? fmt::format("each met once by {}", info(model.asked.pair_map).name)
                         : fmt::format("{} not met once by {}", a.wrong(), info(model.asked.pair_map).name);
  const std::string coarse = coarseness(view_.lens().window());
  if (!coarse.empty()) text += fmt::format(" ({})", coarse);
  const float below = ImGui::CalcTextSize(text.c_str(), nullptr, false, place.w - 2 * pad).y + 2 * pad;
  view_.draw("automaton", source_, paint(state.dark), place.w - 2 * pad, place.y + place.h - corner.y - below);
  if (a.wrong() > 0) ImGui::PushStyleColor(ImGuiCol_Text, colour::bad());
  ImGui::TextWrapped("%s", text.c_str());
  if (a.wrong() > 0) ImGui::PopStyleColor();
}

}  // namespace tri::app::gui
