// Physics: the parameters of the laws that act.

#include <imgui.h>

#include "app/gui/panel/panels.hpp"

namespace tri::app::gui::panel {
namespace {

bool gravity(GravityParams& p) {
  bool changed = number("G", p.G, "Gravitational constant. Enter takes the number.");
  changed |= number("softening", p.softening, "Plummer length, 0 or more. 0 lets close pairs fling each other out.");
  return changed;
}

bool lennard_jones(LennardJonesParams& p) {
  bool changed = number("epsilon", p.epsilon, "Depth of the well, more than 0.");
  changed |= number("sigma", p.sigma, "Distance of zero potential, more than 0.");
  changed |= number("cutoff", p.cutoff, "Radius beyond which pairs give nothing; 0 = none.");
  return changed;
}

bool contact(ContactParams& p) {
  bool changed = ImGui::Checkbox("impulses", &p.impulse);
  tip("Overlaps are resolved at once, by restitution, instead of by springs.");
  if (p.impulse) return changed | number("restitution", p.restitution, "0 sticks, 1 loses nothing.");
  changed |= number("stiffness", p.stiffness, "Normal spring, more than 0.");
  changed |= number("damping", p.damping, "Normal dashpot, 0 or more.");
  changed |= number("shear", p.shear, "Tangential dashpot, 0 or more.");
  return changed;
}

}  // namespace

void physics(const SessionModel& model, GuiState&, Requests& requests) {
  ForceField field = model.scene.field;
  bool changed = false;
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
    changed |= number("nu", field.axilrod_teller.nu, "Strength of the triple law.");
  }
  const std::vector<std::string> boundaries{to_string(Boundary::open), to_string(Boundary::reflecting),
                                            to_string(Boundary::periodic)};
  u32 boundary = static_cast<u32>(field.box.boundary);
  if (choose("boundary", boundary, boundaries)) {
    field.box.boundary = static_cast<Boundary>(boundary);
    changed = true;
  }
  tip("What the sides of the box do.");
  changed |= number("field z", field.field[2], "A uniform acceleration along z, as of gravity near the ground.");
  if (changed) requests.push_back(ask::Field{field});
}

}  // namespace tri::app::gui::panel
