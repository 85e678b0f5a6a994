// Commands of scripts: for the view, for films, for tools of the pointer.

#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <string_view>
#include <tuple>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/script.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/session/automata.hpp"
#include "app/session/sketches.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::app::gui {
namespace {

/// A command that takes the name of a value of an enum.
template <class Enum, class Act>
ScriptRow enum_row(const char* name, const char* what, Act act) {
  return value_row(
      name, fmt::format("{} {}", name, fmt::join(kNamesOf<Enum>.names, "|")),
      [=](const ScriptWords& w) { return enum_from<Enum>(what, one(w, what)); }, act);
}

/// One that switches a property of the window on or off.
ScriptRow flag_row(const char* name) {
  return value_row(name, fmt::format("{} on|off", name), on_off,
                   [name](ScriptHost& h, bool on) { flag_of(property(name), h.state) = on; });
}

ScriptAct read_orbit(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes two angles in degrees: about z, and above the xy plane");
  const auto radians = [](const std::string& t) {
    return static_cast<float>(finite_number("it", t) * 3.14159265358979 / 180);
  };
  return [yaw = radians(w[0]), pitch = radians(w[1])](ScriptHost& h) {
    h.state.view.camera.pose.yaw = yaw;
    h.state.view.camera.pose.pitch = 0;
    h.state.view.camera.turn(0, pitch, 0);
    h.state.view.camera.stop();
  };
}

ScriptAct read_pick(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes a place in the scene, in pixels from its upper left corner");
  const auto pixels = [](const std::string& t) { return static_cast<float>(non_negative_number("it", t)); };
  return [x = pixels(w[0]), y = pixels(w[1])](ScriptHost& h) { h.state.pending.pick = std::array{x, y}; };
}

ScriptAct read_body(const ScriptWords& w) {
  return [body = body_or_none(w)](ScriptHost& h) {
    if (body && *body >= h.model.n)
      throw ConfigError(fmt::format("the last of {} bodies is {}", h.model.n, h.model.n - 1));
    h.state.view.select(body);
  };
}

void set_colour(ScriptHost& h, render::Quantity quantity) {
  const Availability can = can_colour(quantity, h.model);
  if (!can.ok) throw ConfigError(can.reason.substr(0, can.reason.size() - 1));
  h.state.view.style.quantity = quantity;
}

ScriptAct read_trails(const ScriptWords& w) {
  if (w.size() == 1 && w[0] == "off") return [](ScriptHost& h) { h.state.view.trails.shown = false; };
  if (w.empty() || w.size() > 2) throw ConfigError("it takes off, or how many bodies leave trails, and how long ones");
  const auto bodies = static_cast<u32>(whole_number("it", w[0], 0, render::Trails::kMaxBodies));
  const u64 length = w.size() > 1 ? whole_number("it", w[1], 2, render::Trails::kMaxLength) : TrailChoice{}.length;
  return [bodies, length](ScriptHost& h) { h.state.view.trails = {true, bodies, static_cast<u32>(length)}; };
}

ScriptAct read_panel(const ScriptWords& w) {
  std::vector<std::string_view> names{"none"};
  for (const PanelRow& row : panel_rows()) names.emplace_back(row.name);
  const std::string name = one(w, "the name of a panel, or none");
  const bool none = choice("it", name, names) == 0;
  return [open = none ? std::string() : name](ScriptHost& h) { h.state.panels.open = open; };
}

/// Of the triangle, else of the tetrahedron.
ScriptAct read_page(const ScriptWords& w) {
  const std::string name = one(w, "the name of a map, or none");
  if (name == "none") return [](ScriptHost& h) { h.state.page.shown = false; };
  PageChoice page;
  page.shown = true;
  if (const auto pairs = find_triangle_map(name)) {
    page.map = static_cast<u32>(*pairs);
  } else if (const auto triples = find_tetra_map(name)) {
    page.domain = Domain::tetrahedron, page.map = static_cast<u32>(*triples);
  } else {
    throw ConfigError(fmt::format("there is no map {} of pairs or triples", name));
  }
  return [page](ScriptHost& h) { h.state.page = page; };
}

ScriptAct read_puzzle(const ScriptWords& w) {
  std::vector<std::string_view> names{"none"};
  for (const Puzzle& puzzle : puzzles()) names.emplace_back(puzzle.name);
  const std::size_t at = choice("it", one(w, "the name of a level, or none"), names);
  return [at](ScriptHost& h) {
    h.state.puzzle.shown = at > 0;
    if (at > 0) h.state.puzzle.level = at - 1;
  };
}

ScriptAct read_bookmark(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes keep or go, and the number of a view");
  const bool go = choice("it", w[0], {"keep", "go"}) == 1;
  const std::size_t number = whole_number("it", w[1], 1, SceneView::kBookmarks) - 1;
  return [go, number](ScriptHost& h) {
    if (!go) {
      h.state.view.save_bookmark(number);
    } else if (!h.state.view.restore_bookmark(number)) {
      throw ConfigError(fmt::format("no view is kept as {}", number + 1));
    }
  };
}

ScriptAct read_domain(const ScriptWords& w) {
  const std::string what = one(w, "on, off, triangle, tetrahedron or gasket");
  const auto at = choice("it", what, {"triangle", "tetrahedron", "gasket", "on", "off"});
  return [at](ScriptHost& h) {
    h.state.panes.shown = at != 4;
    h.state.panes.current = 0;
    if (at < 3) h.state.panes.domain.domain = static_cast<Domain>(at);
  };
}

ScriptAct read_view(const ScriptWords& w) {
  std::vector<std::string_view> names{"off"};
  for (const PaneRow& row : pane_rows()) names.emplace_back(row.name);
  const auto at = choice("it", one(w, "the name of a view, or off"), names);
  return [at](ScriptHost& h) {
    h.state.panes.shown = at > 0;
    if (at > 0) h.state.panes.current = static_cast<std::size_t>(at) - 1;
  };
}

ScriptAct read_split(const ScriptWords& w) {
  if (w.size() == 1 && w[0] == "off") return [](ScriptHost& h) { h.state.split.map.reset(); };
  if (w.empty() || w.size() > 2) throw ConfigError("it takes off, or a map, and if wanted where the line is, 0 to 1");
  const double line = w.size() > 1 ? non_negative_number("it", w[1]) : 0.5;
  if (line > 1) throw ConfigError("the line stands at 0 to 1");
  if (!find_triangle_map(w[0]) && !find_tetra_map(w[0])) triangle_map_from(w[0]);  // throws, with the nearest name
  return [name = w[0], line](ScriptHost& h) {
    const auto& maps = shown_maps(h.model);
    const auto at = std::find_if(maps.begin(), maps.end(), [&](const MapRow& m) { return m.name == name; });
    if (at == maps.end() || !at->fits()) throw ConfigError(fmt::format("{} does not fit this scene", name));
    h.state.split = {static_cast<std::size_t>(at - maps.begin()), static_cast<float>(line)};
  };
}

ScriptAct read_automaton(const ScriptWords& w) {
  if (w.empty() || w.size() > 3) throw ConfigError("it takes a rule, and if wanted cells a side and a seed");
  triangle_rule_from(w[0]);
  const u32 least = TriangleAutomaton::kMinSide, most = TriangleAutomaton::kMaxSide;
  const u64 side = w.size() > 1 ? whole_number("it", w[1], least, most) : AutomatonChoice{}.side;
  const u64 seed = w.size() > 2 ? whole_number("it", w[2], 0, ~u64{0}) : AutomatonChoice{}.seed;
  return [rule = w[0], side, seed](ScriptHost& h) {
    AutomatonChoice& c = h.state.panes.automaton;
    c.rule = rule, c.side = static_cast<u32>(side), c.seed = seed;
    c.running = false;
    ++c.restarts;
  };
}

/// Of the automaton, which is then paused.
ScriptAct read_generations(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number"), 1, 1000000)](ScriptHost& h) {
    h.state.panes.automaton.running = false;
    h.state.panes.automaton.pending_steps += count;
  };
}

ScriptAct read_distances(const ScriptWords& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes number or middle, and if wanted how many bodies at most");
  const bool by_centre = choice("it", w[0], {"number", "middle"}) == 1;
  const u64 most = w.size() > 1 ? whole_number("it", w[1], 1, 4096) : DistanceChoice{}.most;
  return [by_centre, most](ScriptHost& h) {
    h.state.panes.distances.by_centre = by_centre, h.state.panes.distances.most = static_cast<u32>(most);
  };
}

ScriptAct read_omega(const ScriptWords& w) {
  const double share = non_negative_number("it", one(w, "a share of the blocks, 0 to 1"));
  if (share > 1) throw ConfigError("it takes a share of the blocks, 0 to 1");
  return [share](ScriptHost& h) { h.state.panes.domain.launched = static_cast<float>(share); };
}

/// The figures of the tetrahedron.
ScriptAct read_turn(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes two angles in degrees: about z, and above the xy plane");
  const auto radians = [](const std::string& t) {
    return static_cast<float>(finite_number("it", t) * 0.017453292519943);
  };
  return [yaw = radians(w[0]), pitch = radians(w[1])](ScriptHost& h) {
    h.state.panes.domain.yaw = yaw, h.state.panes.domain.pitch = std::clamp(pitch, 0.05f, 1.52f);
  };
}

ScriptAct read_fractal(const ScriptWords& w) {
  const std::string scene = one(w, "an automaton, as gasket:r=10,rule=B3/S23");
  automaton_from(scene);
  return [scene](ScriptHost& h) { h.state.panes.fractal.scene = scene; };
}

ScriptAct read_fractal_work(const ScriptWords& w) {
  if (w.empty() || w.size() > 3) throw ConfigError("it takes a map of the gasket, then a placement and a block");
  CellWork work;
  work.map = gasket_map_from(w[0]);
  if (w.size() > 1) work.placement = from_name<GasketPlacement>(w[1]);
  if (w.size() > 2) work.block = static_cast<u32>(whole_number("it", w[2], 1, 1024));
  return [work](ScriptHost& h) { h.state.panes.fractal.work = work; };
}

ScriptAct read_fractal_steps(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number of steps"), 0, kMaxCount)](ScriptHost& h) {
    h.state.panes.fractal.running = false;
    h.state.panes.fractal.pending_steps += count;
  };
}

ScriptAct read_tour(const ScriptWords& w) {
  const std::string word = one(w, "on, off, next, back, or the number of a stop");
  if (word == "on") return [](ScriptHost& h) { start_tour(h.state); };
  if (word == "off") return [](ScriptHost& h) { leave_tour(h.state); };
  if (word == "next") return [](ScriptHost& h) { next_stop(h.state); };
  if (word == "back") return [](ScriptHost& h) { previous_stop(h.state); };
  const u64 stop = whole_number("it", word, 1, TourState::kStops);
  return [stop](ScriptHost& h) { start_tour(h.state, stop - 1); };
}

}  // namespace

std::optional<u32> body_or_none(const ScriptWords& w) {
  const std::string word = one(w, "the number of a body, or none");
  if (word == "none") return std::nullopt;
  return static_cast<u32>(whole_number("it", word, 0, ~u32{0} - 1));
}

std::vector<ScriptRow> view_rows() {
  using H = ScriptHost&;
  return {
      enum_row<render::BodyShape>("shape", "a shape", [](H h, auto shape) { h.state.view.style.shape = shape; }),
      enum_row<render::Quantity>("colour", "a quantity", set_colour),
      enum_row<render::ColourMap>("colours", "a colour map", [](H h, auto map) { h.state.view.style.colours = map; }),
      flag_row("logarithm"),
      value_row(
          "size", "size FACTOR", [](const ScriptWords& w) { return positive_number("it", one(w, "a number")); },
          [](H h, double f) { h.state.view.style.size = static_cast<float>(f); }),
      {"fit", "fit",
       [](const ScriptWords& w) -> ScriptAct { return none(w), [](ScriptHost& h) { h.state.pending.fit = true; }; }},
      {"orbit", "orbit YAW PITCH", read_orbit},
      {"pick", "pick X Y", read_pick},
      {"body", "body NUMBER|none", read_body},
      value_row("follow", "follow on|off", on_off,
                [](H h, bool on) { h.state.view.follow = on && h.state.view.selected; }),
      {"trails", "trails off|BODIES [LENGTH]", read_trails},
      {"bookmark", "bookmark keep|go NUMBER", read_bookmark},
      {"domain", "domain on|off|triangle|tetrahedron|gasket", read_domain},
      {"view", "view off|NAME", read_view},
      {"split", "split off|MAP [SHARE]", read_split},
      {"automaton", "automaton RULE [SIDE [SEED]]", read_automaton},
      {"generations", "generations COUNT", read_generations},
      {"distances", "distances number|middle [BODIES]", read_distances},
      {"omega", "omega SHARE", read_omega},
      {"turn", "turn YAW PITCH", read_turn},
      value_row(
          "layers-off", "layers-off COUNT",
          [](const ScriptWords& w) { return whole_number("it", one(w, "a number of layers"), 0, kMaxTetraSide - 1); },
          [](H h, u64 count) { h.state.panes.domain.removed = static_cast<u32>(count); }),
      {"fractal", "fractal NAME:key=value,...", read_fractal},
      {"fractal-work", "fractal-work MAP [PLACEMENT [BLOCK]]", read_fractal_work},
      {"fractal-steps", "fractal-steps COUNT", read_fractal_steps},
      flag_row("panels"),
      {"panel", "panel NAME|none", read_panel},
      enum_row<SurveyOf>("profile", "what to count",
                         [](H h, auto of) { h.state.survey.of = of, h.state.panels.open = "Profile"; }),
      flag_row("lanes"),
      {"page", "page MAP|none", read_page},
      {"puzzle", "puzzle LEVEL|none", read_puzzle},
      flag_row("contrast"),
      flag_row("reduced-motion"),
      {"screen-text", "screen-text",
       [](const ScriptWords& w) -> ScriptAct {
         return none(w), [](ScriptHost& h) { h.state.pending.screen_text = true; };
       }},
      flag_row("present"),
      flag_row("clock"),
      flag_row("names"),
      enum_row<StarColours>("stars", "a choice", [](H h, auto as) { set_star_colours(h.state.view.style, as); }),
      {"tour", "tour on|off|next|back|STOP", read_tour},
      flag_row("help"),
      value_row(
          "theme", "theme dark|light",
          [](const ScriptWords& w) {
            return choice("it", one(w, "dark or light"), {"light", "dark"}) == 1;
          },
          [](H h, bool dark) { h.state.panels.dark = dark; }),
  };
}

// Commands for the camera's path, films and pictures.

namespace {

/// Number of a bookmark, from 1 on.
std::size_t mark_of(const std::string& word) {
  return static_cast<std::size_t>(whole_number("it", word, 1, CameraPath::kMax)) - 1;
}

std::size_t existing(const SceneView& view, std::size_t mark) {
  const std::size_t count = view.path.marks().size();
  if (mark >= count) throw ConfigError(fmt::format("the path has {} bookmarks", count));
  return mark;
}

ScriptAct read_path(const ScriptWords& w) {
  if (w.empty()) throw ConfigError("it takes add, move, delete, clear, play, save or open");
  const auto what = choice("it", w[0], {"add", "move", "delete", "clear", "play", "save", "open"});
  const ScriptWords rest(w.begin() + 1, w.end());
  switch (what) {
    case 0: {
      std::optional<double> time;
      if (!rest.empty()) time = finite_number("it", one(rest, "a time, or nothing"));
      return [time](ScriptHost& h) {
        SceneView& view = h.state.view;
        if (view.path.marks().size() == CameraPath::kMax) throw ConfigError("the path is full");
        view.mark = view.path.add(time.value_or(h.model.time), view.camera.pose);
      };
    }
    case 1: {
      if (rest.size() != 2) throw ConfigError("it takes the number of a bookmark and a time");
      return [mark = mark_of(rest[0]), time = finite_number("it", rest[1])](ScriptHost& h) {
        h.state.view.mark = h.state.view.path.move(existing(h.state.view, mark), time);
      };
    }
    case 2:
      return [mark = mark_of(one(rest, "the number of a bookmark"))](ScriptHost& h) {
        h.state.view.path.remove(existing(h.state.view, mark));
      };
    case 3:
      return none(rest), [](ScriptHost& h) { h.state.view.path.clear(); };
    case 4:
      return none(rest), [](ScriptHost& h) {
        if (h.state.view.path.empty()) throw ConfigError("the path has no bookmark");
        play_path(h.model, h.state.view, h.requests);
      };
    case 5:
      return [file = one(rest, "a file")](ScriptHost& h) { write_camera_path(file, h.state.view.path); };
    default:
      return [file = one(rest, "a file")](ScriptHost& h) {
        h.state.view.path = read_camera_path(file), h.state.view.path_file = file;
      };
  }
}

/// The marks of a picture; false for another word.
bool read_mark(const std::string& word, PictureMarks& marks) {
  const std::pair<std::string_view, bool*> all[] = {
      {"axes", &marks.axes}, {"scale-bar", &marks.scale_bar}, {"legend", &marks.legend}, {"clock", &marks.clock}};
  for (const auto& [name, mark] : all) {
    if (word == name) return *mark = true;
  }
  return false;
}

ScriptAct read_film(ScriptWords w) {
  FilmChoice choice;
  while (!w.empty() && read_mark(w.back(), choice.marks)) w.pop_back();
  if (w.empty() || w.size() > 5) {
    throw ConfigError("it takes stop, or a file, and if wanted a size or window, frames a second, speed and seconds");
  }
  if (w == ScriptWords{"stop"}) return [](ScriptHost& h) { h.state.film.stop = true; };
  choice.path = w[0];
  if (w.size() > 1) {
    constexpr std::string_view kWindow = "window";
    choice.panels = w[1].starts_with(kWindow);
    if (w[1] == kWindow) {
      choice.width = choice.height = 0;
    } else {
      const std::string size = choice.panels && w[1][kWindow.size()] == ':' ? w[1].substr(kWindow.size() + 1) : w[1];
      std::tie(choice.width, choice.height) = picture_size("it", size, FilmChoice::kMinSide);
    }
  }
  if (choice.panels && choice.marks.any()) throw ConfigError("the window has marks of its own; leave them out");
  if (w.size() > 2) choice.fps = static_cast<u32>(whole_number("it", w[2], 1, FilmChoice::kMaxFps));
  if (w.size() > 3) choice.speed = non_negative_number("it", w[3]);
  if (w.size() > 4) choice.seconds = positive_number("it", w[4]);
  return [choice](ScriptHost& h) { h.state.film.choice = choice, h.state.film.start = true; };
}

ScriptAct read_screenshot(const ScriptWords& w) {
  const bool clear = w.size() == 2 && w[1] == "--transparent";
  if ((w.size() != 1 && !clear) || !w[0].ends_with(".png")) {
    throw ConfigError("it takes a file that ends in .png, and if wanted --transparent");
  }
  if (!clear) return [path = w[0]](ScriptHost& h) { h.state.pending.screenshot_path = path; };
  return [path = w[0]](ScriptHost& h) { h.state.pending.transparent_path = path; };
}

ScriptAct read_picture(const ScriptWords& w) {
  if (w.empty()) throw ConfigError("it takes a file, and if wanted a size, a ground and marks");
  PictureState picture;
  PictureForm& form = picture.form;
  picture.path = w[0], picture.start = true;
  for (const std::string& word : std::span(w).subspan(1)) {
    if (word.ends_with("dpi")) {
      form.dpi = static_cast<u32>(whole_number("it", word.substr(0, word.size() - 3), 1, PictureForm::kMaxDpi));
    } else if (word.find('x') != std::string::npos && std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      std::tie(form.width, form.height) = picture_size("it", word, FilmChoice::kMinSide);
    } else {
      if (!read_mark(word, form.marks)) form.ground = enum_from<Ground>("it", word);
    }
  }
  return [picture](ScriptHost& h) { h.state.picture = picture; };
}

ScriptAct read_second(const ScriptWords& w) {
  const auto what = choice("it", one(w, "on, copy, off, A or B"), {"off", "on", "copy", "A", "B"});
  return [what](ScriptHost& h) {
    SecondChoice& second = h.state.second;
    if (what < 3) second.on = what > 0, second.of_branch = what != 2;
    if (what >= 3 && !second.shown) throw ConfigError("there is no second run");
    second.controls_b = what == 4;
  };
}

}  // namespace

std::vector<ScriptRow> film_rows() {
  return {
      {"screenshot", "screenshot FILE.png [--transparent]", read_screenshot},
      {"picture", "picture FILE.png [WxH] [Ndpi] [dark|white|transparent] [axes] [scale-bar] [legend] [clock]",
       read_picture},
      {"path", "path add [TIME]|move NUMBER TIME|delete NUMBER|clear|play|save FILE|open FILE", read_path},
      {"film", "film FILE [WxH|window|window:WxH [FPS [SPEED [SECONDS]]]] [axes] [scale-bar] [legend] [clock]|stop",
       read_film},
      {"second", "second on|copy|off|A|B", read_second},
      count_row(
          "expect-path", "a number of bookmarks", CameraPath::kMax,
          [](ScriptHost& h) { return h.state.view.path.marks().size(); }, "the path has {} bookmarks"),
  };
}

// Commands for bodies by hand: added, changed, deleted, selected, measured.

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

/// Of the selected bodies.
ScriptAct read_change_selected(const ScriptWords& w) {
  if (w.empty()) throw ConfigError("it takes what changes, and its values");
  const auto what = choice("it", w[0], {"kick", "speed", "mass", "group"});
  if (w.size() != (what == 0 ? 4u : 2u)) throw ConfigError("kick takes three values, the others one");
  BodiesChange to;
  if (what == 0) to.kick = three(w, 1);
  if (what == 1) to.speed = real(w[1]);
  if (what == 2) to.mass = real(w[1]);
  if (what == 3) to.group = static_cast<u32>(whole_number("it", w[1], 0, ~u32{0}));
  return [to](ScriptHost& h) { h.requests.push_back(ask::ChangeBodies{h.state.touch.selection.bodies, to}); };
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

}  // namespace

std::vector<ScriptRow> touch_rows() {
  return {
      {"add", "add X Y Z VX VY VZ MASS RADIUS", read_add},
      {"change", "change NUMBER place|velocity|mass|radius VALUE...", read_change},
      {"change-selected", "change-selected kick|speed|mass|group VALUE...", read_change_selected},
      {"delete", "delete [NUMBER...]", read_delete},
      {"select", "select none|box X Y X Y|NUMBER...", read_select},
      {"selection", "selection show|hide|plain|colour|leave|follow", read_selection},
      {"export", "export FILE", read_export},
      {"measure", "measure none|NUMBER NUMBER [NUMBER]", read_measure},
      {"tool", "tool look|add|measure", read_tool},
      {"new-body", "new-body usual|MASS RADIUS", read_new_body},
      {"stroke", "stroke X Y X Y [hold]", read_stroke},
      count_row(
          "expect-selected", "a number", kMaxCount, [](ScriptHost& h) { return h.state.touch.selection.bodies.size(); },
          "{} bodies are selected"),
      {"expect-measure", "expect-measure VALUE OFF", expect_measure},
  };
}

}  // namespace tri::app::gui
