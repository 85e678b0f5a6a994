// The panel Physics: laws and their parameters, editors of typed laws, the integrator, what is computed.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panels.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::app::gui {
namespace {

using expression::Over;

constexpr std::array<Example, 7> kOfPairs{{
    {"Lennard-Jones", "energy = 4*eps*((s/r)^12-(s/r)^6)\neps = 1\ns = 1\ncutoff = 2.5\nshifted = 1"},
    {"gravity", "energy = -G*mi*mj/r\nG = 1\nsoftening = 0.05"},
    {"Coulomb", "energy = k*qi*qj/r\nk = 1\nsoftening = 0.05"},
    {"Morse", "energy = D*((1 - s)^2 - 1)\ns = exp(-a*(r - r0))\nD = 1\na = 6\nr0 = 1.1"},
    {"Yukawa", "energy = A*exp(-k*r)/r\nA = 1\nk = 2"},
    {"Buckingham", "energy = A*exp(-B*r) - C/r^6\nA = 1e5\nB = 12\nC = 2"},
    {"soft spheres", "energy = select(step(s), k/2*s^2, 0)\ns = ri + rj - r\nk = 1000"},
}};
constexpr std::array<Example, 2> kOfTriples{{
    {"Axilrod-Teller",
     "energy = nu*(1 + 3*cosines)/(a*b*c)^3\n"
     "cosines = u*v*w/(8*a^2*b^2*c^2)\nu = a^2 + b^2 - c^2\nv = b^2 + c^2 - a^2\nw = c^2 + a^2 - b^2\nnu = 0.072"},
    {"Gaussian", "energy = A*exp(-s/w^2)\ns = a^2 + b^2 + c^2\nA = 0.1\nw = 1.5"},
}};

void read_text(LawEditor& editor) {
  editor.sketch = sketch_law(editor.text, editor.over);
  editor.read = editor.text, editor.read_over = editor.over;
  if (!editor.sketch.law) return;
  const LawRange range = usual_range(editor.sketch.law);
  editor.curves = sketch_curves(editor.sketch.law, range);
}

/// Of UTF-8.
std::size_t count_glyphs(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void show_error(const TextFault& fault) {
  coloured_text(theme().fault, fault.error);
  if (fault.line.empty()) return;
  // The part of a long line around the place, as far as the panel is wide.
  const InFace code(Face::code);
  const auto room = static_cast<std::size_t>(ImGui::GetContentRegionAvail().x / ImGui::CalcTextSize("0").x);
  const std::size_t from = fault.column > room / 2 && fault.line.size() > room ? fault.column - room / 2 : 0;
  const std::size_t before = count_glyphs(fault.line.substr(from, fault.column - from));
  ImGui::TextUnformatted(fault.line.substr(from, room).c_str());
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
  ImGui::PushStyleColor(ImGuiCol_Text, theme().fault);
  ImGui::TextUnformatted((std::string(before, ' ') + "^").c_str());
  ImGui::PopStyleColor();
}

void text_buttons(FileBrowser& files, FileBrowser::Kind kind, const std::string& path, std::string& text,
                  std::string& before) {
  ImGui::PushID(path.c_str());
  using enum FileBrowser::Purpose;
  if (button("Open...", "A text in place of this one, which \"Text before\" brings back")) files.show(open, path, kind);
  ImGui::SameLine();
  if (button("Save as...", "This text as a file. It is kept as a draft in any case.")) files.show(save, path, kind);
  same_line(0, "Text before");
  const Availability has_before{!before.empty(), "No example and no file has taken the place of a text yet."};
  if (button("Text before", "The text that an example or a file took the place of", has_before)) text.swap(before);
  ImGui::PopID();
}

namespace {

/// What was understood, in one line.
std::string meaning_of(const expression::Law& law) {
  std::string reads;
  const auto add = [&](u32 bit, const char* name) {
    if ((law.uses() & bit) != 0) reads += (reads.empty() ? "" : ", ") + std::string(tr(name));
  };
  add(laws::kMass, "masses"), add(laws::kRadius, "radii"), add(laws::kCharge, "charges");
  const std::size_t operations = law.strength().code.size();
  return phrase("{} operations a {}{}{}. Symmetric; the force is the derivative to {}, at {} random {}.", operations,
                law.over() == Over::pairs ? "pair" : "triple", reads.empty() ? "" : ", reads ", reads,
                number_text(law.check().derivative, 1), law.check().samples,
                law.over() == Over::pairs ? "pairs" : "triples");
}

void show_curves(const LawEditor& editor, float scale) {
  PlotSpec plot{"typed law", "energy and force", editor.curves.r, {}, {}};
  plot.x_name = editor.over == Over::pairs ? "r" : "side";
  plot.lines = {{"energy", editor.curves.energy}, {"force", editor.curves.force}};
  plot.height = 150;
  draw_plot(plot, scale);
}

bool acts(const SessionModel& model, const LawEditor& editor) {
  const ForceField& field = model.scene.field;
  const expression::TypedLaw& typed = editor.over == Over::pairs ? field.typed_pair : field.typed_triple;
  const bool on = editor.over == Over::pairs ? field.pair == PairLaw::typed : field.triple == TripleLaw::typed;
  return on && typed.law && typed.text() == editor.sketch.law.text();
}

}  // namespace

std::span<const Example> examples(Over over) {
  return over == Over::pairs ? std::span<const Example>(kOfPairs) : std::span<const Example>(kOfTriples);
}

Dragged typed_parameters(expression::TypedLaw& law) {
  Dragged changed = Dragged::no;
  for (std::size_t k = 0; k < law.law->parameters().size(); ++k) {
    const auto takes = [&](double number) {
      std::vector<double> values = law.values;
      values[k] = number;
      try {
        law.law->uniforms(values);
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    const Dragged dragged = dragged_number(law.law->parameters()[k].name.c_str(), law.values[k],
                                           "A parameter of the typed law. Drag it, or click twice to type.", takes);
    if (dragged != Dragged::no) changed = dragged;
  }
  return changed;
}

void law_editor(const SessionModel& model, LawEditor& editor, float scale, Requests& requests) {
  static const std::vector<std::string> kOver{"of pairs", "of triples"};
  u32 over = static_cast<u32>(editor.over);
  if (choose("##over", over, kOver, 90 * scale)) {
    editor.over = static_cast<Over>(over);
    editor.text.swap(editor.other);
    if (editor.text.empty()) editor.text = examples(editor.over).front().text;
  }
  ImGui::SameLine();
  std::vector<std::string> names;
  u32 at = static_cast<u32>(examples(editor.over).size());
  for (const Example& e : examples(editor.over)) {
    if (editor.text == e.text) at = static_cast<u32>(names.size());
    names.emplace_back(e.name);
  }
  const bool is_typed = at == names.size();
  if (choose("##examples", at, names, ImGui::GetContentRegionAvail().x, at < names.size() ? "" : "examples")) {
    if (is_typed) editor.before = editor.text;
    editor.text = examples(editor.over)[at].text;
  }
  {
    const InFace code(Face::code);
    const std::string typed = editor.text;
    ImGui::InputTextMultiline("##law", &editor.text, {-1, 6.4f * ImGui::GetTextLineHeight()});
    if (is_pressed(ImGuiKey_Escape)) editor.text = typed;  // it leaves the text and takes nothing back
  }
  tip(editor.over == Over::pairs
          ? "The energy of a pair at the distance r; mi, mj, ri, rj, qi, qj are masses, radii and charges. A name "
            "with a number is a parameter; cutoff, shifted and softening have a meaning of their own."
          : "The energy of a triple with the sides a, b and c.");
  if (editor.text != editor.read || editor.over != editor.read_over) read_text(editor);
  if (!editor.sketch.law) return show_error(editor.sketch);
  show_curves(editor, scale);
  ImGui::TextWrapped("%s", meaning_of(*editor.sketch.law.law).c_str());
  const bool in_use = acts(model, editor);
  if (button(in_use ? "In use###use" : "Use this law###use",
             in_use ? "The bodies of the scene act by it." : "The bodies of the scene act by it from the next step on.",
             {!in_use, ""})) {
    ForceField field = model.scene.field;
    if (editor.over == Over::pairs) {
      field.pair = PairLaw::typed, field.typed_pair = editor.sketch.law;
    } else {
      field.triple = TripleLaw::typed, field.typed_triple = editor.sketch.law;
    }
    requests.push_back(ask::Field{field});
  }
}

// Physics: the parameters of the laws that act.
namespace {

/// What a tip says of a parameter: "Depth of the well. Energy, more than 0."
std::string tip_of(const LawParameter& p) {
  if (p.real == nullptr) return p.text;
  return phrase("{} {}{}{}.", p.text, p.unit, *p.unit ? ", " : "", tr(p.range.text()));
}

/// The parameters of a law that have an effect as the others stand.
bool parameters(const LawInfo& law, const UnitSystem* units, ForceField& field) {
  bool changed = false;
  for (const LawParameter& p : law.parameters) {
    if (!p.matters(field)) continue;
    if (p.real != nullptr) {
      changed |= number_in(reading_unit(units, p.unit), p.key, p.value(field), tip_of(p).c_str());
    } else {
      changed |= checkbox(p.key, p.is_set(field), tip_of(p));
    }
  }
  return changed;
}

bool box(Box& b) {
  static const std::vector<std::string> kBoundaries(kNamesOf<Boundary>.names.begin(), kNamesOf<Boundary>.names.end());
  u32 boundary = static_cast<u32>(b.boundary);
  bool changed = choose("boundary", boundary, kBoundaries);
  tip("What the sides of the box do.");
  b.boundary = static_cast<Boundary>(boundary);
  if (b.boundary == Boundary::open) return changed;
  changed |= numbers("box low", b.low, "The lower corner x, y, z: lengths, each less than that of the upper one.");
  changed |= numbers("box high", b.high, "The upper corner x, y, z.");
  return changed;
}

constexpr std::array<u32, 9> kTileSides{0, 8, 16, 32, 64, 128, 256, 512, 1024};

void block_choice(const char* label, u32 asked, u32 used, u32 other, bool pairs, Requests& requests) {
  std::vector<std::string> names;
  std::vector<u32> sides(kTileSides.begin(), kTileSides.end());
  if (std::find(sides.begin(), sides.end(), asked) == sides.end()) sides.push_back(asked);
  u32 at = 0;
  for (u32 k = 0; k < sides.size(); ++k) {
    names.push_back(sides[k] == 0 ? phrase("auto ({})", used) : fmt::format("{}", sides[k]));
    if (sides[k] == asked) at = k;
  }
  if (!choose(label, at, names)) return;
  requests.push_back(pairs ? ask::Blocks{sides[at], other} : ask::Blocks{other, sides[at]});
}

/// As units_text(), with the words between the units in the language in use.
std::string units_words(const Scene& scene) {
  const std::string text = units_text(scene);
  const UnitSystem* s = find_unit_system(scene.units);
  if (s == nullptr || *s->length == '\0') return tr(text);
  const std::size_t known = std::string(s->name).size() + 2 + s->text().size();
  return phrase("{}: length {}, mass {}, time {}, G = {:.6g}", std::string(s->name), std::string(s->length),
                std::string(s->mass), std::string(s->time), s->G) +
         text.substr(known);
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
  if (choose_enum("accumulation", accumulate)) requests.push_back(ask::Sums{accumulate});
  tip("ordered: bit-equal results over maps, block sizes and threads");
  ask::Accuracy accuracy{asked.arithmetic, asked.tolerance, asked.pairs};
  if (tree_refusal(model.scene.field, asked).empty()) {
    if (choose_enum("pairs", accuracy.pairs)) requests.push_back(accuracy);
    tip("tree: near pairs one by one, far ones together by series; faster for many bodies");
  }
  if (used.pairs == PairSearch::tree) {
    if (choose_enum("tolerance", accuracy.tolerance)) requests.push_back(accuracy);
    tip("rms error of accelerations, relative to their rms, at most");
    return;
  }
  if (model.backend.name != "cuda" || !tensor_refusal(model.scene.field, used).empty()) return;
  const bool triples = !model.triple_maps.empty();
  if (choose_enum("arithmetic", accuracy.arithmetic)) requests.push_back(accuracy);
  tip(triples ? "tensor: triples as matrix products on tensor cores, over a map of pairs; auto: under the usual map"
              : "tensor: on tensor cores, faster for many bodies; auto: from 65,536 bodies on");
  if (used.arithmetic != Arithmetic::tensor || triples) return;
  if (choose_enum("tolerance", accuracy.tolerance)) requests.push_back(accuracy);
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
    ImGui::TextWrapped("units: %s", units_words(model.scene).c_str());
    ImGui::PopStyleColor();
  }
  for (const LawInfo& law : all_laws()) {
    if (law.acts(field)) changed |= parameters(law, units, field);
  }
  bool goes_on = false;
  for (const auto& [acts, law] : {std::pair{field.pair == PairLaw::typed, &field.typed_pair},
                                  {field.triple == TripleLaw::typed, &field.typed_triple}}) {
    const Dragged dragged = acts ? typed_parameters(*law) : Dragged::no;
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

// Integrator: direction, time step and scheme.

void integrator(const SessionModel& model, Requests& requests) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
  if (button(model.backwards ? "Forwards###reverse" : "Backwards###reverse", "Reverses time (B)", {true, ""}, half)) {
    requests.push_back(ask::Reverse{});
  }
  ImGui::SameLine();
  const float quarter = (half - gap) / 2;
  if (button("Undo", "Takes the last change back: History says which (Ctrl+Z)",
             {model.undoable > 0, "Nothing was changed yet."}, quarter)) {
    requests.push_back(ask::Undo{});
  }
  ImGui::SameLine();
  if (button("Redo", "Makes it again (Ctrl+Y)", {model.undoable < model.history.size(), "Nothing was taken back."},
             quarter)) {
    requests.push_back(ask::Redo{});
  }

  Integrator scheme = model.scene.integrator;
  if (choose_enum("integrator", scheme)) requests.push_back(ask::Scheme{scheme});
  bool automatic = model.scene.eta > 0;
  if (checkbox("dt auto", automatic, "Steps whose length follows from the motion: kdk or hermite, gravity, float64")) {
    requests.push_back(ask::AutoStep{automatic ? usual_eta(scheme) : 0});
  }
  if (model.scene.eta > 0) {
    double eta = model.scene.eta;
    if (number("accuracy", eta, "The smaller, the shorter the steps. Esc keeps the old one.")) {
      requests.push_back(ask::AutoStep{eta});
    }
    if (model.last_step > 0) ImGui::Text("time step %s", clock_text(model, model.last_step).c_str());
  }
  double dt = model.scene.dt;
  const bool fixed = model.scene.eta == 0;
  if (fixed && time_number("time step", model, dt, "More than 0. Esc keeps the old one.")) {
    requests.push_back(ask::TimeStep{dt});
  }
  double pace = model.pace;
  if (time_number("pace of time", model, pace,
                  "Simulated time a second of the clock, as far as the processor keeps up. 0: steps/frame sets the "
                  "speed.",
                  " / s", "none")) {
    requests.push_back(ask::PaceOfTime{pace});
  }
  constexpr double kKeepsUp = 0.9;
  if (model.pace > 0) {  // a line at all times, so that nothing below it moves
    const bool late = model.pace_reached > 0 && model.pace_reached < kKeepsUp * model.pace;
    const std::string reached = phrase("as fast as it can: {} a second", clock_text(model, model.pace_reached));
    coloured_text(theme().text2, late ? reached : model.pace_reached > 0 ? tr("the processor keeps up") : " ");
  }
  u64 steps = model.steps_per_frame;
  if (whole("steps/frame", steps,
            "At most this many, as far as a frame has time; at least one. Ends a pace of time.")) {
    requests.push_back(ask::StepsPerFrame{static_cast<u32>(std::clamp<u64>(steps, 1, 1000000))});
  }
}

void history(const SessionModel& model, Requests& requests) {
  const std::size_t all = model.history.size();
  if (all == 0) return ImGui::TextDisabled("nothing was changed yet");
  // The newest first; a row leads to where it was the last change.
  for (std::size_t k = all + 1; k-- > 0;) {
    ImGui::PushID(static_cast<int>(k));
    const std::string text = k == 0 ? "as it was opened" : model.history[k - 1];
    const bool undone = k > model.undoable;
    if (undone) ImGui::PushStyleColor(ImGuiCol_Text, theme().disabled);
    if (ImGui::Selectable(text.c_str(), k == model.undoable)) {
      for (std::size_t n = k; n < model.undoable; ++n) requests.push_back(ask::Undo{});
      for (std::size_t n = model.undoable; n < k; ++n) requests.push_back(ask::Redo{});
    }
    if (undone) ImGui::PopStyleColor();
    ImGui::PopID();
  }
}

// Bodies by hand: the tools, the body to be added, the selected bodies, and what is measured.

namespace {

void tool_button(const char* name, Tool tool, TouchState& touch, const std::string& about) {
  const bool on = touch.tool == tool;
  if (chosen_button(name, on, ImGui::GetColorU32(ImGuiCol_ButtonActive))) {
    touch.tool = on ? Tool::look : tool;
    touch.stroke.reset(), touch.draft.reset(), touch.picked.clear();
  }
  tip(about);
}

/// A number that is the usual one until another is chosen.
void chosen(const char* label, std::optional<double>& value, double usual, const std::string& unit, const char* about) {
  double shown = value.value_or(usual);
  if (number(label, shown, about, unit)) value = shown;
}

void new_body(const SessionModel& model, TouchState& touch) {
  const UnitSystem* units = find_unit_system(model.scene.units);
  const bool known = model.population != nullptr;
  static const Bodies kNone;
  const Bodies& bodies = known ? model.population->bodies : kNone;
  chosen("new mass", touch.mass, median_of(bodies.m), unit_behind(units, "mass"), "Of bodies to be added, more than 0");
  chosen("new radius", touch.radius, median_of(bodies.r), unit_behind(units, "length"), "Of bodies to be added");
  if (button("As the others", "Mass and radius are the medians of the scene",
             {touch.mass || touch.radius, "They are that already."})) {
    touch.mass.reset(), touch.radius.reset();
  }
}

std::string mean_velocity_text(const SessionModel& model, const Place& v) {
  const auto [size, behind] = reading_unit(find_unit_system(model.scene.units), "velocity");
  return phrase("Their mean now: {}, {}, {}{}; speed {}", number_text(size * v[0], 3), number_text(size * v[1], 3),
                number_text(size * v[2], 3), behind, speed_text(model, std::hypot(v[0], v[1], v[2]), 3));
}

/// Velocities, masses and groups of the selected bodies together.
void change_selected(const SessionModel& model, const Selection& selection, Requests& requests) {
  const Disabled recorded(model.timeline.recorded);
  const UnitSystem* units = find_unit_system(model.scene.units);
  const auto asks_for = [&](const BodiesChange& to) { requests.push_back(ask::ChangeBodies{selection.bodies, to}); };
  std::array<double, 3> kick{};
  if (velocities("add velocity", kick, "Added to the velocity of each: x, y, z", units)) asks_for({.kick = kick});
  if (selection.velocity) coloured_text(theme().text2, mean_velocity_text(model, *selection.velocity));
  double factor = 1;
  if (number("speed times", factor,
             "The velocity of each becomes so many times as large; 0 stops them, -1 turns them")) {
    asks_for({.speed = factor});
  }
  std::vector<double> masses, numbers;
  for (const u32 i : selection.bodies) {
    if (!model.population || i >= model.population->bodies.size()) continue;
    const Bodies& b = model.population->bodies;
    masses.push_back(b.m[i]);
    numbers.push_back(b.group.empty() ? 0 : b.group[i]);
  }
  double mass = 0, group = 0;
  if (number_of_each("mass of each", mass, masses, "More than 0", unit_behind(units, "mass"))) asks_for({.mass = mass});
  if (number_of_each("group of each", group, numbers, "From 0 on. Colour by group tells them apart.")) {
    asks_for({.group = static_cast<u32>(std::clamp(group, 0.0, 4294967295.0))});
  }
  if (model.undoable > 0) coloured_text(theme().text2, phrase("Last change: {}", model.history[model.undoable - 1]));
}

/// A button for each group, which selects its bodies.
void groups(const SessionModel& model, Selection& s) {
  constexpr std::size_t kMaxButtons = 8;
  const auto* group = model.population ? &model.population->bodies.group : nullptr;
  if (group == nullptr || group->empty() || model.groups < 2 || model.groups > kMaxButtons) return;
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("select all of");
  for (u32 g = 0; g < model.groups; ++g) {
    const auto& names = model.scene.groups;
    const std::string name = g < names.size() && !names[g].empty() ? names[g] : phrase("group {}", g);
    const std::string label = fmt::format("{}###group {}", name, g);
    same_line(0, label.c_str());
    if (!button(label.c_str(), "Selects the bodies of this group")) continue;
    s.bodies.clear();
    for (u32 i = 0; i < group->size(); ++i) {
      if ((*group)[i] == g) s.bodies.push_back(i);
    }
  }
}

void selected(const SessionModel& model, TouchState& touch, Requests& requests) {
  Selection& s = touch.selection;
  groups(model, s);
  const std::size_t count = s.bodies.size();
  ImGui::TextDisabled(count == 0 ? "Shift+drag in the scene selects bodies." : "%s selected",
                      counted(count, "body", "bodies").c_str());
  if (count == 0) return;
  ImGui::Checkbox("hide", &s.hidden);
  ImGui::SameLine();
  checkbox("highlight##selected", s.coloured, "The others are dim; all keep their colours");
  ImGui::SameLine();
  checkbox("follow##selected", s.followed, "The camera moves with their centre of mass");
  s.in_sight = true;
  change_selected(model, s, requests);
  if (button("Delete", "Ctrl+Z brings them back")) touch.deletes = true;
  ImGui::SameLine();
  if (button("Clear", "Selects no bodies (Esc)")) s.bodies.clear();
  ImGui::SetNextItemWidth(field_width(13));
  ImGui::InputText("##path", &s.path);
  tip("A file of bodies; the extension names the format, and a name that is taken gets a number");
  ImGui::SameLine();
  if (button("Export", "Writes the selected bodies alone"))
    requests.push_back(ask::Export{free_path(s.path), s.bodies});
}

std::string measured(const Measure& m, const std::string& length) {
  const bool angle = m.bodies.size() == 3;
  return fmt::format("{}: {}{}", fmt::join(m.bodies, " - "),
                     m.places.empty() ? std::string("...") : number_text(m.value(), 5), angle ? "\u00b0" : length);
}

void measures(const SessionModel& model, TouchState& touch) {
  const std::string length = unit_behind(find_unit_system(model.scene.units), "length");
  std::size_t gone = touch.measures.size();
  for (std::size_t k = 0; k < touch.measures.size(); ++k) {
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::SmallButton("x")) gone = k;
    tip("Removes it (Esc removes the last)");
    ImGui::PopID();
    ImGui::SameLine();
    ImGui::TextUnformatted(measured(touch.measures[k], length).c_str());
  }
  if (gone < touch.measures.size()) touch.measures.erase(touch.measures.begin() + static_cast<std::ptrdiff_t>(gone));
}

}  // namespace

void touch_controls(const SessionModel& model, TouchState& touch, Requests& requests) {
  {
    const Disabled recorded(model.timeline.recorded);
    tool_button("Add", Tool::add, touch,
                tr("A drag in the scene adds a body with this velocity, or throws the one under it (J)") +
                    (model.timeline.recorded ? std::string("\n") + tr(kRecorded) : ""));
  }
  ImGui::SameLine();
  tool_button("Measure", Tool::measure, touch, "Clicks on two bodies pin their distance, a third one the angle (K)");
  if (touch.tool == Tool::add) new_body(model, touch);
  measures(model, touch);
  selected(model, touch, requests);
}

// Body: picking one, its state and changes of it, and following it.

namespace {

void row(const char* name, const std::string& value) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", name);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(value.c_str());
}

/// Fields for what can be changed by hand; the others stay as they are when the change is made.
void fields(const Inspected& seen, const UnitSystem* units, Requests& requests) {
  BodyValues b{seen.place, seen.velocity, seen.mass, seen.radius};
  const std::string length = unit_behind(units, "length"), mass = unit_behind(units, "mass");
  if (numbers("position", b.place, "x, y, z", length.empty() ? length : tr(" in") + length)) {
    requests.push_back(ask::ChangeBody{seen.body, {.place = b.place}});
  }
  if (velocities("velocity", b.velocity, "x, y, z", units)) {
    requests.push_back(ask::ChangeBody{seen.body, {.velocity = b.velocity}});
  }
  if (number("mass", b.mass, "More than 0", mass)) requests.push_back(ask::ChangeBody{seen.body, {.mass = b.mass}});
  if (number("radius", b.radius, "0: a point, where bodies do not touch", length)) {
    requests.push_back(ask::ChangeBody{seen.body, {.radius = b.radius}});
  }
}

constexpr const char* kNoBody = "No body is selected: click one in the scene.";

Availability can_orbit(const SessionModel& model, bool selected) {
  return {selected && model.scene.field.pair == PairLaw::gravity && !model.timeline.recorded,
          model.timeline.recorded ? kRecorded
          : !selected             ? kNoBody
                                  : "Orbits are of gravity, and another law acts."};
}

}  // namespace

void inspector(const SessionModel& model, SceneView& view, Requests& requests) {
  u64 body = view.selected.value_or(0);
  if (whole("body", body, "Index of a body, from 0, which is drawn brighter. Or click one in the scene.")) {
    view.selected = static_cast<u32>(std::min<u64>(body, model.n - 1));
  }
  {
    const Disabled none(!view.selected);
    checkbox("follow", view.follow, "The camera orbits the body and moves with it (Z)");
    if (!view.selected) tip(kNoBody);
  }
  ImGui::SameLine();
  if (button("Circular orbit",
             "The selected body goes round at its distance, the way that the others go (Ctrl+Z undoes)",
             can_orbit(model, view.selected.has_value()))) {
    view.rounds = true;
  }
  ImGui::SameLine();
  if (button("Deselect", "Selects no body (Esc)", {view.selected.has_value(), kNoBody})) view.select(std::nullopt);
  if (!view.selected) {
    ImGui::TextDisabled("Click a body to see its state.");
    return;
  }
  const auto& seen = model.inspected;
  if (!seen || seen->body != *view.selected) return;
  std::string name = name_of(model, seen->body);
  if (text_or_usual("name", name, "none")) requests.push_back(ask::Name{seen->body, name});
  tip("Stands beside the body in the scene, while names are shown (panel View)");
  const auto& v = seen->velocity;
  const UnitSystem* units = find_unit_system(model.scene.units);
  const ClockUnit gain = reading_unit(units, "acceleration");
  {
    const Disabled recorded(model.timeline.recorded);
    fields(*seen, units, requests);
  }
  if (!ImGui::BeginTable("figures", 2, ImGuiTableFlags_SizingFixedFit)) return;
  row("body", phrase("{} (from 0), of {}", grouped(seen->body), grouped(model.n)));
  row("speed", speed_text(model, std::hypot(v[0], v[1], v[2]), 5));
  row("acceleration", seen->acceleration ? number_text(gain.size * *seen->acceleration, 5) + with_powers(gain.behind)
                                         : tr("after a step"));
  if (seen->charge) row("charge", number_text(*seen->charge, 6));
  if (seen->group) row("group", phrase("{} (from 0), of {}", *seen->group, model.groups));
  if (seen->contacts) row("in contact", phrase("with {}", *seen->contacts));
  row("at step", grouped(seen->step));
  ImGui::EndTable();
}

// Profile: the density of the bodies over the distance from their centre of mass, or how many have which speed, mass,
// radius or distance.

namespace {

constexpr const char* kSurveyNames[kSurveyCount] = {"density over radius", "speed", "mass", "radius of the bodies",
                                                    "distance from the centre"};

const char* unit_of(SurveyOf of) {
  return of == SurveyOf::speed ? "velocity" : of == SurveyOf::mass ? "mass" : "length";
}

/// Of density with the interval of Poisson's law around each value, one standard deviation wide either side.
PlotSpec survey_plot(const Survey& survey, const UnitSystem* units) {
  const bool density = survey.of == SurveyOf::density;
  const ClockUnit read = reading_unit(units, unit_of(survey.of));
  const std::string unit = read.behind, mass = unit_behind(units, "mass");
  const std::string of_density =
      unit.empty() || mass.empty() ? "" : with_powers(fmt::format("{}/{}^3", mass, unit.substr(1)));
  PlotSpec plot{"distribution", density ? "density" : "bodies", {}, {}, {}};
  plot.x_name = tr(density ? "radius" : to_string(survey.of)) + (unit.empty() ? "" : tr(" in") + unit);
  PlotLine value{density ? "density" : "bodies", {}}, low{"less an error", {}}, high{"and an error", {}};
  for (std::size_t k = 0; k < survey.value.size(); ++k) {
    const double from = read.size * survey.edges[k], to = read.size * survey.edges[k + 1];
    plot.x.push_back(density && from > 0 ? std::sqrt(from * to) : (from + to) / 2);
    const double share = survey.bodies[k] > 0 ? 1 / std::sqrt(static_cast<double>(survey.bodies[k]))
                                              : std::numeric_limits<double>::quiet_NaN();
    value.y.push_back(survey.value[k]);
    low.y.push_back(survey.value[k] * (1 - share)), high.y.push_back(survey.value[k] * (1 + share));
  }
  if (density && !of_density.empty()) plot.title = phrase("density,{}", of_density), plot.unit = of_density;
  plot.lines = {value};
  if (density) plot.lines.insert(plot.lines.end(), {low, high});
  plot.legend = false;
  plot.logarithmic = density, plot.logarithmic_x = density;
  plot.height = 240;
  return plot;
}

}  // namespace

void distribution(const PanelContext& c) {
  SurveyState& state = c.state.survey;
  state.in_sight = true;
  u32 at = static_cast<u32>(state.of);
  if (choose("##of", at, {kSurveyNames, kSurveyNames + kSurveyCount})) state.of = static_cast<SurveyOf>(at);
  const std::optional<Survey>& survey = c.model.survey;
  if (!survey || survey->of != state.of) return ImGui::TextDisabled("being computed");
  draw_plot(survey_plot(*survey, find_unit_system(c.model.scene.units)), c.state.panels.scale);
  std::string text =
      phrase("Step {}, {} in {}", grouped(survey->step), counted(c.model.n - survey->left_out, "body", "bodies"),
             counted(survey->edges.empty() ? 0 : survey->value.size(), "bin"));
  if (state.of == SurveyOf::density) text += tr("; the outer lines are one standard error (Poisson) away");
  if (survey->left_out > 0) text += phrase("; {} are not finite", grouped(survey->left_out));
  ImGui::TextWrapped("%s.", text.c_str());
}

}  // namespace tri::app::gui
