// Physics: the parameters of the laws that act.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/gui/base/widgets.hpp"
#include "app/gui/editor/law_editor.hpp"
#include "app/gui/panel/panels.hpp"
#include "sim/backend/arithmetic.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/typed_text.hpp"

namespace tri::app::gui::panel {
namespace {

/// What a tip says of a parameter: "Depth of the well. Energy, more than 0."
std::string tip_of(const LawParameter& p) {
  if (p.real == nullptr) return p.text;
  return fmt::format("{} {}{}{}.", p.text, p.unit, *p.unit ? ", " : "", p.range.text());
}

/// The parameters of a law that have an effect as the others stand.
bool parameters(const LawInfo& law, const UnitSystem* units, ForceField& field) {
  bool changed = false;
  for (const LawParameter& p : law.parameters) {
    if (!p.matters(field)) continue;
    if (p.real != nullptr) {
      changed |= number(p.key, p.value(field), tip_of(p).c_str(), unit_behind(units, p.unit));
    } else {
      changed |= ImGui::Checkbox(p.key, &p.is_set(field));
      tip(tip_of(p));
    }
  }
  return changed;
}

bool box(Box& b) {
  static const std::vector<std::string> kBoundaries(kBoundaryNames.names.begin(), kBoundaryNames.names.end());
  u32 boundary = static_cast<u32>(b.boundary);
  bool changed = choose("boundary", boundary, kBoundaries);
  tip("What the sides of the box do.");
  b.boundary = static_cast<Boundary>(boundary);
  if (b.boundary == Boundary::open) return changed;
  changed |= numbers("box low", b.low, "The lower corner x, y, z: lengths, each less than that of the upper one.");
  changed |= numbers("box high", b.high, "The upper corner x, y, z.");
  return changed;
}

constexpr std::array<u32, 9> kSides{0, 8, 16, 32, 64, 128, 256, 512, 1024};

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

void computation(const SessionModel& model, Requests& requests) {
  const EngineConfig &asked = model.asked, &used = model.engine;
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
  if (model.backend.name != "cuda" || !tensor_refusal(model.scene.field, used).empty()) return;
  const bool triples = !model.triple_maps.empty();
  ask::Accuracy accuracy{asked.arithmetic, asked.tolerance};
  if (choose_enum("arithmetic", accuracy.arithmetic, 3)) requests.push_back(accuracy);
  tip(triples ? "tensor: triples as matrix products on tensor cores, over a map of pairs; auto: under the usual map"
              : "tensor: on tensor cores, faster for many bodies; auto: from 65,536 bodies on");
  if (used.arithmetic != Arithmetic::tensor || triples) return;
  if (choose_enum("tolerance", accuracy.tolerance, 4)) requests.push_back(accuracy);
  tip("rms error of accelerations, relative to their rms; auto: about as accurate as float32");
}

void physics(const SessionModel& model, GuiState&, Requests& requests) {
  ForceField field = model.scene.field;
  bool changed = false;
  const UnitSystem* units = find_unit_system(model.scene.units);
  ImGui::SameLine();  // behind the heading
  std::string acting = field.pair == PairLaw::none ? "" : to_string(field.pair);
  if (field.triple != TripleLaw::none) acting += (acting.empty() ? "" : ", ") + to_string(field.triple);
  ImGui::TextDisabled("%s", acting.empty() ? "none" : acting.c_str());
  tip("Of pairs, and of triples");
  for (const std::string& text : {pair_law_text(field), triple_law_text(field)}) {
    if (!text.empty()) ImGui::TextWrapped("%s", text.c_str());
  }
  if (!model.scene.units.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyle().Colors[ImGuiCol_TextDisabled]);
    ImGui::TextWrapped("units: %s", units_text(model.scene).c_str());
    ImGui::PopStyleColor();
  }
  for (const LawInfo& law : all_laws()) {
    if (law.acts(field)) changed |= parameters(law, units, field);
  }
  bool goes_on = false;
  for (const auto& [acts, law] : {std::pair{field.pair == PairLaw::typed, &field.typed_pair},
                                  {field.triple == TripleLaw::typed, &field.typed_triple}}) {
    const Dragged dragged = acts ? editor::typed_parameters(*law) : Dragged::no;
    changed |= dragged != Dragged::no, goes_on |= dragged == Dragged::goes_on;
  }
  if (field.pair == PairLaw::contact) {
    u32 phase = static_cast<u32>(model.asked.broad_phase);
    const std::vector<std::string> phases{to_string(BroadPhase::automatic), to_string(BroadPhase::all_pairs),
                                          to_string(BroadPhase::grid)};
    if (choose("contacts by", phase, phases)) requests.push_back(ask::Contacts{static_cast<BroadPhase>(phase)});
    tip("Which pairs are tested: all, along the map, or those of neighbouring cells.");
  }
  changed |= box(field.box);
  changed |=
      numbers("field", field.field, "A uniform acceleration x, y, z, as of gravity near the ground: any numbers.");
  if (!changed) return;
  // In a step that takes longer than a frame, the last of a drag is enough.
  ask::Field* const last = goes_on && !requests.empty() ? std::get_if<ask::Field>(&requests.back()) : nullptr;
  if (last != nullptr) {
    last->field = field;
  } else {
    requests.push_back(ask::Field{field, goes_on});
  }
}

}  // namespace tri::app::gui::panel
