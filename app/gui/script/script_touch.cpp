// Commands for bodies by hand: added, changed, deleted, selected, measured.

#include <algorithm>
#include <cmath>

#include "app/gui/script/script_rows.hpp"

namespace tri::app::gui {
namespace {

double real(const std::string& text) { return finite_number("it", text); }
Place three(const ScriptWords& w, std::size_t first) {
  return {real(w[first]), real(w[first + 1]), real(w[first + 2])};
}
u32 index(const std::string& text) { return static_cast<u32>(whole_number("it", text, 0, ~u32{0} - 1)); }

std::vector<u32> indices(const ScriptWords& w) {
  std::vector<u32> bodies;
  for (const std::string& word : w) bodies.push_back(index(word));
  return bodies;
}

/// Throws for an index that the scene does not have.
void check_bodies(const ScriptHost& h, const std::vector<u32>& bodies) {
  for (const u32 body : bodies) {
    if (body >= h.model.n) throw ConfigError(fmt::format("the last of {} bodies is {}", h.model.n, h.model.n - 1));
  }
}

Stroke stroke_of(const ScriptWords& w, std::size_t first) {
  const auto pixels = [&](std::size_t k) { return static_cast<float>(non_negative_number("it", w[first + k])); };
  return {{pixels(0), pixels(1)}, {pixels(2), pixels(3)}, true};
}

ScriptAct read_add(const ScriptWords& w) {
  if (w.size() != 8) throw ConfigError("it takes a place and a velocity of three numbers each, a mass and a radius");
  return asks(ask::AddBodies{{{three(w, 0), three(w, 3), real(w[6]), real(w[7])}}});
}

ScriptAct read_change(const ScriptWords& w) {
  if (w.size() < 3) throw ConfigError("it takes the number of a body, what changes, and its values");
  const auto what = choice("it", w[1], {"place", "velocity", "mass", "radius"});
  if (w.size() != (what < 2 ? 5u : 3u)) throw ConfigError("place and velocity take three values, mass and radius one");
  BodyChange to;
  if (what == 0) to.place = three(w, 2);
  if (what == 1) to.velocity = three(w, 2);
  if (what == 2) to.mass = real(w[2]);
  if (what == 3) to.radius = real(w[2]);
  return asks(ask::ChangeBody{index(w[0]), to});
}

ScriptAct read_delete(const ScriptWords& w) {
  return [bodies = indices(w)](ScriptHost& h) {
    h.requests.push_back(ask::DeleteBodies{bodies.empty() ? h.state.touch.selection.bodies : bodies});
  };
}

ScriptAct read_select(const ScriptWords& w) {
  if (w.empty()) throw ConfigError("it takes none, box and two corners in pixels, or numbers of bodies");
  if (w[0] == "none") return [](ScriptHost& h) { h.state.touch.selection.bodies.clear(); };
  if (w[0] == "box") {
    if (w.size() != 5) throw ConfigError("a box has two corners, in pixels from the scene's upper left one");
    return [box = stroke_of(w, 1)](ScriptHost& h) { h.state.touch.box = box; };
  }
  return [bodies = indices(w)](ScriptHost& h) {
    check_bodies(h, bodies);
    std::vector<u32>& selected = h.state.touch.selection.bodies = bodies;
    std::sort(selected.begin(), selected.end());
    selected.erase(std::unique(selected.begin(), selected.end()), selected.end());
  };
}

ScriptAct read_selection(const ScriptWords& w) {
  const auto at = choice("it", one(w, "what to do"), {"show", "hide", "plain", "colour", "leave", "follow"});
  return [at](ScriptHost& h) {
    Selection& s = h.state.touch.selection;
    (at < 2 ? s.hidden : at < 4 ? s.coloured : s.followed) = at % 2 == 1;
  };
}

ScriptAct read_export(const ScriptWords& w) {
  return [path = one(w, "a file")](ScriptHost& h) {
    h.requests.push_back(ask::Export{path, h.state.touch.selection.bodies});
  };
}

ScriptAct read_measure(const ScriptWords& w) {
  if (w.size() == 1 && w[0] == "none") return [](ScriptHost& h) { h.state.touch.measures.clear(); };
  if (w.size() != 2 && w.size() != 3) throw ConfigError("it takes none, or the numbers of two or three bodies");
  return [bodies = indices(w)](ScriptHost& h) {
    check_bodies(h, bodies);
    h.state.touch.measures.push_back({bodies, {}});
  };
}

ScriptAct read_tool(const ScriptWords& w) {
  return [tool = choice("it", one(w, "a tool"), {"look", "add", "measure"})](ScriptHost& h) {
    h.state.touch.tool = static_cast<Tool>(tool);
  };
}

ScriptAct read_new_body(const ScriptWords& w) {
  if (w.size() == 1 && w[0] == "usual") {
    return [](ScriptHost& h) { h.state.touch.mass.reset(), h.state.touch.radius.reset(); };
  }
  if (w.size() != 2) throw ConfigError("it takes usual, or a mass and a radius");
  return [mass = real(w[0]), radius = real(w[1])](ScriptHost& h) {
    h.state.touch.mass = mass, h.state.touch.radius = radius;
  };
}

ScriptAct read_stroke(const ScriptWords& w) {
  const bool held = w.size() == 5 && w[4] == "hold";
  if (w.size() != 4 && !held) throw ConfigError("it takes two places in pixels, and if wanted hold");
  Stroke stroke = stroke_of(w, 0);
  stroke.done = !held, stroke.held = held;
  return [stroke](ScriptHost& h) {
    if (h.state.touch.tool != Tool::add) throw ConfigError("the tool in use is not add");
    h.state.touch.stroke = stroke;
  };
}

ScriptAct expect_selected(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number"), 0, kMaxCount)](ScriptHost& h) {
    const std::size_t now = h.state.touch.selection.bodies.size();
    if (now != count) throw ConfigError(fmt::format("{} bodies are selected", now));
  };
}

/// The last measure.
ScriptAct expect_measure(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes a value and how far it may be off");
  return [value = real(w[0]), off = non_negative_number("it", w[1])](ScriptHost& h) {
    const auto& all = h.state.touch.measures;
    if (all.empty() || all.back().places.empty()) throw ConfigError("nothing is measured");
    if (const double now = all.back().value(); !(std::abs(now - value) <= off)) {
      throw ConfigError(fmt::format("it is {:.9g}", now));
    }
  };
}

constexpr ScriptRow kTouchRows[] = {
    {"add", "add X Y Z VX VY VZ MASS RADIUS", read_add},
    {"change", "change NUMBER place|velocity|mass|radius VALUE...", read_change},
    {"delete", "delete [NUMBER...]", read_delete},
    {"select", "select none|box X Y X Y|NUMBER...", read_select},
    {"selection", "selection show|hide|plain|colour|leave|follow", read_selection},
    {"export", "export FILE", read_export},
    {"measure", "measure none|NUMBER NUMBER [NUMBER]", read_measure},
    {"tool", "tool look|add|measure", read_tool},
    {"new-body", "new-body usual|MASS RADIUS", read_new_body},
    {"stroke", "stroke X Y X Y [hold]", read_stroke},
    {"expect-selected", "expect-selected COUNT", expect_selected},
    {"expect-measure", "expect-measure VALUE OFF", expect_measure},
};

}  // namespace

std::span<const ScriptRow> touch_rows() { return kTouchRows; }

}  // namespace tri::app::gui
