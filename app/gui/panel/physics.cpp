// Physics: the parameters of the laws that act.

#include <imgui.h>

#include "app/gui/base/widgets.hpp"
#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

bool gravity(GravityParams& p) {
  bool changed = number("G", p.G, "Gravitational constant, length^3 / (mass time^2): any number. Enter takes it.");
  changed |= number("softening", p.softening, "Plummer length, 0 or more. 0 lets close pairs fling each other out.");
  return changed;
}

bool lennard_jones(LennardJonesParams& p) {
  bool changed = number("epsilon", p.epsilon, "Depth of the well, an energy more than 0.");
  changed |= number("sigma", p.sigma, "Distance of zero potential, a length more than 0.");
  changed |= number("cutoff", p.cutoff, "Length beyond which pairs give nothing; 0 = none.");
  ImGui::BeginDisabled(!(p.cutoff > 0));
  bool shifted = p.shifted;
  if (ImGui::Checkbox("shifted", &shifted) && p.cutoff > 0) p.shifted = shifted, changed = true;  // keys reach all
  tip(p.cutoff > 0 ? "The potential ends in 0 at the cutoff." : "There is no cutoff at which the potential could end.");
  ImGui::EndDisabled();
  return changed;
}

bool contact(ContactParams& p) {
  bool changed = ImGui::Checkbox("impulses", &p.impulse);
  tip("Overlaps are resolved at once, by restitution, instead of by springs.");
  if (p.impulse) return changed | number("restitution", p.restitution, "0 to 1: 0 sticks, 1 loses nothing.");
  changed |= number("stiffness", p.stiffness, "Normal spring, force / length, more than 0.");
  changed |= number("damping", p.damping, "Normal dashpot, force / velocity, 0 or more.");
  changed |= number("shear", p.shear, "Tangential dashpot, force / velocity, 0 or more; 0 has no friction.");
  return changed;
}

bool box(Box& b) {
  static const std::vector<std::string> kBoundaries{to_string(Boundary::open), to_string(Boundary::reflecting),
                                                    to_string(Boundary::periodic)};
  u32 boundary = static_cast<u32>(b.boundary);
  bool changed = choose("boundary", boundary, kBoundaries);
  tip("What the sides of the box do.");
  b.boundary = static_cast<Boundary>(boundary);
  if (b.boundary == Boundary::open) return changed;
  changed |= numbers("box low", b.low, "The lower corner x, y, z: lengths, each less than that of the upper one.");
  changed |= numbers("box high", b.high, "The upper corner x, y, z.");
  return changed;
}

}  // namespace

void physics(const SessionModel& model, GuiState&, Requests& requests) {
  ForceField field = model.scene.field;
  bool changed = false;
  if (!model.scene.units.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyle().Colors[ImGuiCol_TextDisabled]);
    ImGui::TextWrapped("units: %s", model.scene.units.c_str());
    ImGui::PopStyleColor();
  }
  ImGui::TextDisabled("pairs: %s", to_string(field.pair).c_str());
  if (field.triple != TripleLaw::none) ImGui::TextDisabled("triples: %s", to_string(field.triple).c_str());
  if (field.pair == PairLaw::gravity) changed |= gravity(field.gravity);
  if (field.pair == PairLaw::lennard_jones) changed |= lennard_jones(field.lennard_jones);
  if (field.pair == PairLaw::contact) changed |= contact(field.contact);
  if (field.pair == PairLaw::contact) {
    u32 phase = static_cast<u32>(model.asked.broad_phase);
    const std::vector<std::string> phases{to_string(BroadPhase::automatic), to_string(BroadPhase::all_pairs),
                                          to_string(BroadPhase::grid)};
    if (choose("contacts by", phase, phases)) requests.push_back(ask::Contacts{static_cast<BroadPhase>(phase)});
    tip("Which pairs are looked at: all along the map, or those of neighbouring cells.");
  }
  if (field.triple == TripleLaw::axilrod_teller) {
    changed |= number("nu", field.axilrod_teller.nu, "Strength of the triple law, energy length^9: any number.");
  }
  changed |= box(field.box);
  changed |=
      numbers("field", field.field, "A uniform acceleration x, y, z, as of gravity near the ground: any numbers.");
  if (changed) requests.push_back(ask::Field{field});
}

}  // namespace tri::app::gui::panel
