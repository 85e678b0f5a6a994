#include "app/gui/editor/law_editor.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>
#include <cmath>

#include "app/gui/base/plot.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/look/theme.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/uses.hpp"

namespace tri::app::gui::editor {
namespace {

using expression::Over;

constexpr std::array<Example, 7> kOfPairs{{
    {"Lennard-Jones", "energy = 4*eps*((s/r)^12 - (s/r)^6)\neps = 1\ns = 1\ncutoff = 2.5\nshifted = 1"},
    {"gravity", "energy = -G*mi*mj/r\nG = 1\nsoftening = 0.05"},
    {"Coulomb", "energy = k*qi*qj/r\nk = 1\nsoftening = 0.05"},
    {"Morse", "energy = D*((1 - exp(-a*(r - r0)))^2 - 1)\nD = 1\na = 6\nr0 = 1.1"},
    {"Yukawa", "energy = A*exp(-k*r)/r\nA = 1\nk = 2"},
    {"Buckingham", "energy = A*exp(-B*r) - C/r^6\nA = 1e5\nB = 12\nC = 2"},
    {"soft spheres", "energy = select(step(d - r), k/2*(d - r)^2, 0)\nd = ri + rj\nk = 1000"},
}};
constexpr std::array<Example, 2> kOfTriples{{
    {"Axilrod-Teller",
     "energy = nu*(1 + 3*cosines)/(a*b*c)^3\n"
     "cosines = (a^2+b^2-c^2)*(b^2+c^2-a^2)*(c^2+a^2-b^2)/(8*a^2*b^2*c^2)\nnu = 0.072"},
    {"Gaussian", "energy = A*exp(-(a^2 + b^2 + c^2)/w^2)\nA = 0.1\nw = 1.5"},
}};

void read_text(LawEditor& editor) {
  editor.sketch = sketch_law(editor.text, editor.over);
  editor.read = editor.text, editor.read_over = editor.over;
  if (!editor.sketch.law) return;
  const LawRange range = usual_range(editor.sketch.law);
  editor.curves = sketch_curves(editor.sketch.law, range);
}

/// What is wrong, and the line with a mark beneath the place.
void show_error(const LawSketch& sketch, float scale) {
  panel::coloured_text(theme().fault, sketch.error);
  if (sketch.line.empty()) return;
  // The part of a long line around the place.
  constexpr std::size_t kAround = 28;
  const std::size_t from = sketch.column > kAround ? sketch.column - kAround : 0;
  const std::string part = sketch.line.substr(from, 2 * kAround);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::TextUnformatted(part.c_str());
  const char* text = part.c_str();
  const float x = at.x + ImGui::CalcTextSize(text, text + std::min<std::size_t>(sketch.column - from, part.size())).x;
  const float y = at.y + ImGui::GetTextLineHeight(), size = 4 * scale;
  ImGui::GetWindowDrawList()->AddTriangleFilled({x + size, y}, {x + 2 * size, y + 1.5f * size}, {x, y + 1.5f * size},
                                                theme().fault);
  ImGui::Dummy({1, 1.5f * size});
}

/// What was understood, in one line.
std::string meaning_of(const expression::Law& law) {
  std::string reads;
  const auto add = [&](u32 bit, const char* name) {
    if ((law.uses() & bit) != 0) reads += (reads.empty() ? "" : ", ") + std::string(name);
  };
  add(laws::kMass, "masses"), add(laws::kRadius, "radii"), add(laws::kCharge, "charges");
  const std::size_t operations = law.strength().code.size();
  return fmt::format("{} operations a {}{}{}. Symmetric; the force is the derivative to {:.0e}, at {} random {}.",
                     operations, law.over() == Over::pairs ? "pair" : "triple", reads.empty() ? "" : ", reads ", reads,
                     law.check().derivative, law.check().samples, law.over() == Over::pairs ? "pairs" : "triples");
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

panel::Dragged typed_parameters(expression::TypedLaw& law) {
  panel::Dragged changed = panel::Dragged::no;
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
    const panel::Dragged dragged =
        panel::dragged_number(law.law->parameters()[k].name.c_str(), law.values[k],
                              "A parameter of the typed law. Drag it, or click twice to type.", takes);
    if (dragged != panel::Dragged::no) changed = dragged;
  }
  return changed;
}

void law_editor(const SessionModel& model, LawEditor& editor, float scale, Requests& requests) {
  static const std::vector<std::string> kOver{"of pairs", "of triples"};
  u32 over = static_cast<u32>(editor.over);
  if (panel::choose("##over", over, kOver, 90 * scale)) {
    editor.over = static_cast<Over>(over);
    editor.text = examples(editor.over).front().text;
  }
  ImGui::SameLine();
  std::vector<std::string> names;
  u32 at = static_cast<u32>(examples(editor.over).size());
  for (const Example& e : examples(editor.over)) {
    if (editor.text == e.text) at = static_cast<u32>(names.size());
    names.emplace_back(e.name);
  }
  if (panel::choose("##examples", at, names, ImGui::GetContentRegionAvail().x, at < names.size() ? "" : "examples")) {
    editor.text = examples(editor.over)[at].text;
  }
  ImGui::InputTextMultiline("##law", &editor.text, {-1, 5.6f * ImGui::GetTextLineHeight()});
  panel::tip(
      editor.over == Over::pairs
          ? "The energy of a pair at the distance r; mi, mj, ri, rj, qi, qj are masses, radii and charges. A name "
            "with a number is a parameter; cutoff, shifted and softening have a meaning of their own."
          : "The energy of a triple with the sides a, b and c.");
  if (editor.text != editor.read || editor.over != editor.read_over) read_text(editor);
  if (!editor.sketch.law) return show_error(editor.sketch, scale);
  show_curves(editor, scale);
  ImGui::TextWrapped("%s", meaning_of(*editor.sketch.law.law).c_str());
  const bool in_use = acts(model, editor);
  ImGui::BeginDisabled(in_use);
  if (ImGui::Button(in_use ? "In use###use" : "Use this law###use") && !in_use) {
    ForceField field = model.scene.field;
    if (editor.over == Over::pairs) {
      field.pair = PairLaw::typed, field.typed_pair = editor.sketch.law;
    } else {
      field.triple = TripleLaw::typed, field.typed_triple = editor.sketch.law;
    }
    requests.push_back(ask::Field{field});
  }
  ImGui::EndDisabled();
  panel::tip("The bodies of the scene act by it from the next step on.");
}

}  // namespace tri::app::gui::editor
