#include "app/gui/views/triangle_automaton_view.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/theme.hpp"
#include "app/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

constexpr double kMaxCycleSeconds = 0.01;  // of a frame
constexpr u32 kSides[] = {64, 128, 256, 512, 1024, 2048, 4096};
constexpr panel::Preset kRules[]{{"B3/S23", "Life"}, {"B36/S23", "HighLife"},       {"B3678/S34678", "Day & Night"},
                                 {"B2/S", "Seeds"},  {"B1357/S1357", "Replicator"}, {"B3/S12345", "Maze"}};

CellPaint triangle_paint(bool dark) {
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

std::string TriangleAutomatonView::Source::describe(Cell cell) const {
  if (cell.col > cell.row) return "";
  const u8 value = automaton->cells()[std::size_t{cell.row} * automaton->side() + cell.col];
  return fmt::format("row {}, column {}: {}", cell.row, cell.col,
                     value == TriangleAutomaton::kAlive  ? "alive"
                     : value == TriangleAutomaton::kDead ? "dead"
                                                         : "not visited exactly once in this generation");
}

/// Restarts where size or seed changed or a restart is requested; a new rule applies to the present cells.
void TriangleAutomatonView::apply_choice() {
  const bool changed =
      choice_.side != applied_.side || choice_.seed != applied_.seed || choice_.restarts != applied_.restarts;
  const LifeRule rule = triangle_rule_from(choice_.rule);
  if (!source_.automaton || changed) {
    source_.automaton.emplace(choice_.side, rule, choice_.seed);
    map_.reset();
    ++source_.changes;
  }
  source_.automaton->set_rule(rule);
  applied_ = choice_;
}

void TriangleAutomatonView::work(Session& session, const PaneContext& context) {
  AutomatonChoice& choice = choice_;
  try {
    apply_choice();
  } catch (const ConfigError& error) {
    session.note(error.what(), true);
    choice.rule = applied_.rule;
    apply_choice();
  }
  const TriangleMapId map = session.model().asked.pair_map;
  if (map_ != map) tiles_ = trace_map(map, std::min(kMaxTriangleSide, choice.side)), map_ = map;
  take_steps(choice, owed_, static_cast<double>(context.seconds), kMaxCycleSeconds, [&] {
    source_.automaton->step(tiles_);
    ++source_.changes;
  });
  choice.generation = source_.automaton->generation(), choice.alive = source_.automaton->alive();
  choice.wrong = source_.automaton->wrong();
}

namespace {

void controls(AutomatonChoice& c) {
  const float unit = ImGui::CalcTextSize("0").x;
  panel::run_step_restart(c);
  panel::same_line(36 * unit);
  panel::text_or_preset("rule", c.rule, kRules, 15 * unit, 16 * unit,
                        "B: numbers of living neighbours with which a cell is born; S: those with which it survives. "
                        "Enter applies it.");
  panel::same_line(14 * unit);
  panel::choose_number("##side", c.side, kSides, 13 * unit, fmt::format("n = {}", c.side));
  panel::same_line(28 * unit);
  panel::rate(c.speed, 14 * unit, "Generations per second");
  panel::same_line(22 * unit);
  ImGui::SetNextItemWidth(12 * unit);
  ImGui::InputScalar("seed", ImGuiDataType_U64, &c.seed, nullptr, nullptr, nullptr,
                     ImGuiInputTextFlags_EnterReturnsTrue);
}

}  // namespace

void TriangleAutomatonView::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  controls(choice_);
  if (!source_.automaton) return;
  const TriangleAutomaton& a = *source_.automaton;
  const u64 cells = u64{a.side()} * (a.side() + 1) / 2;
  std::string text = fmt::format("generation {}: {} of {} cells alive, ", a.generation(), a.alive(), cells);
  text += a.wrong() == 0 ? fmt::format("each visited once by {}", info(model.asked.pair_map).name)
                         : fmt::format("{} not visited exactly once by {}", a.wrong(), info(model.asked.pair_map).name);
  ImGui::PushStyleColor(ImGuiCol_Text, a.wrong() > 0 ? theme().fault : ImGui::GetColorU32(ImGuiCol_Text));
  view_.draw("automaton", source_, triangle_paint(context.dark), place, context.scale, text);
  ImGui::PopStyleColor();
}

}  // namespace tri::app::gui
