#include "app/gui/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

#include "app/bench/axes.hpp"
#include "app/gui/benchmark.hpp"
#include "app/option_values.hpp"
#include "sim/error.hpp"
#include "sim/map_choice.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/suggest.hpp"

namespace tri::app::gui {
namespace {

using Act = std::function<void(ScriptHost&)>;
using Words = std::vector<std::string>;

constexpr u64 kMost = u64{1} << 40;

/// A command by name: how it is written, and its reader, which gets the words after the name.
struct Row {
  const char* name;
  const char* form;
  Act (*read)(const Words& words);
};

Act asks(Request request) {
  return [request = std::move(request)](ScriptHost& h) { h.requests.push_back(request); };
}

std::string one(const Words& w, const char* what) {
  if (w.size() != 1) throw ConfigError(fmt::format("it takes {}", what));
  return w[0];
}
void none(const Words& w) {
  if (!w.empty()) throw ConfigError("it takes nothing");
}
bool on_off(const Words& w) { return choice("it", one(w, "on or off"), {"off", "on"}) == 1; }

template <class Enum>
Enum named(const Words& w, u32 count, const char* what) {
  const std::string name = one(w, what);
  std::vector<std::string_view> names;
  for (u32 k = 0; k < count; ++k) names.push_back(to_string(static_cast<Enum>(k)));
  return static_cast<Enum>(choice(what, name, names));
}

Act read_map(const Words& w) {
  const std::string name = one(w, "the name of a map");
  const auto pair = find_triangle_map(name);
  const auto triple = find_tetra_map(name);
  if (!pair && !triple) triangle_map_from(name);  // throws, with the nearest name
  return [pair, triple](ScriptHost& h) {
    const bool pairs = pair && (!h.model.pair_maps.empty() || !triple);
    h.requests.push_back(pairs ? Request{ask::PairMap{*pair}} : Request{ask::TripleMap{*triple}});
  };
}

Act read_bench(const Words& w) {
  if (w.size() < 2 || w.size() > 4) throw ConfigError("it takes a kernel and sizes, and if wanted maps and samples");
  BenchChoice choice;
  const std::vector<BenchKernel> kernels = parse_kernels(w[0]);
  if (kernels.size() != 1) throw ConfigError("it takes one kernel");
  choice.kernel = kernels.front();
  choice.sizes = w[1];
  if (w.size() > 2 && w[2] != "all") choice.maps = name_list("maps", w[2]);
  if (w.size() > 3) choice.samples = static_cast<u32>(whole_number("samples", w[3], 1, 1000));
  bench_plan(bench_config(choice));  // throws where there is no such bench
  return [choice](ScriptHost& h) {
    BenchChoice& bench = h.state.bench;
    bench.kernel = choice.kernel, bench.sizes = choice.sizes, bench.maps = choice.maps, bench.samples = choice.samples;
    bench.start = true, bench.shown = 3;
  };
}

/// Of the benchmark that has ended; it is waited for.
Act expect_bench(const Words& w) {
  return [count = whole_number("it", one(w, "a number of sizes"), 0, kMost)](ScriptHost& h) {
    const auto& status = h.state.bench.status;
    const std::size_t timed = status == nullptr ? 0 : status->groups.size();
    if (status != nullptr && !status->error.empty()) throw ConfigError(status->error);
    if (timed != count) throw ConfigError(fmt::format("{} sizes were timed", timed));
  };
}

Act read_blocks(const Words& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes the tile side of pairs, and if wanted that of triples");
  const auto side = [](const std::string& t) { return static_cast<u32>(whole_number("it", t, 0, 1u << 20)); };
  return asks(ask::Blocks{side(w[0]), w.size() > 1 ? side(w[1]) : 0});
}

Act read_orbit(const Words& w) {
  if (w.size() != 2) throw ConfigError("it takes two angles in degrees: about z, and above the xy plane");
  const auto radians = [](const std::string& t) {
    return static_cast<float>(finite_number("it", t) * 3.14159265358979 / 180);
  };
  return [yaw = radians(w[0]), pitch = radians(w[1])](ScriptHost& h) {
    h.state.camera.pose.yaw = yaw;
    h.state.camera.pose.pitch = 0;
    h.state.camera.turn(0, pitch, 0);
    h.state.camera.stop();
  };
}

Act read_pick(const Words& w) {
  if (w.size() != 2) throw ConfigError("it takes a place in the scene, in pixels from its upper left corner");
  const auto pixels = [](const std::string& t) { return static_cast<float>(non_negative_number("it", t)); };
  return [x = pixels(w[0]), y = pixels(w[1])](ScriptHost& h) { h.state.wishes.pick = std::array{x, y}; };
}

/// A body by its number, or nobody.
std::optional<u32> body_or_none(const Words& w) {
  const std::string word = one(w, "the number of a body, or none");
  if (word == "none") return std::nullopt;
  return static_cast<u32>(whole_number("it", word, 0, ~u32{0} - 1));
}

Act read_body(const Words& w) {
  return [body = body_or_none(w)](ScriptHost& h) {
    if (body && *body >= h.model.n)
      throw ConfigError(fmt::format("the last of {} bodies is {}", h.model.n, h.model.n - 1));
    h.state.marked = body;
    if (!body) h.state.follow = false;
  };
}

Act read_trails(const Words& w) {
  if (w.size() == 1 && w[0] == "off") return [](ScriptHost& h) { h.state.trails.shown = false; };
  if (w.empty() || w.size() > 2) throw ConfigError("it takes off, or how many bodies leave trails, and how long ones");
  const auto bodies = static_cast<u32>(whole_number("it", w[0], 0, render::Trails::kMostBodies));
  const u64 length = w.size() > 1 ? whole_number("it", w[1], 2, render::Trails::kMostLength) : TrailChoice{}.length;
  return [bodies, length](ScriptHost& h) { h.state.trails = {true, bodies, static_cast<u32>(length)}; };
}

Act read_bookmark(const Words& w) {
  if (w.size() != 2) throw ConfigError("it takes keep or go, and the number of a view");
  const bool go = choice("it", w[0], {"keep", "go"}) == 1;
  const std::size_t number = whole_number("it", w[1], 1, GuiState::kBookmarks) - 1;
  return [go, number](ScriptHost& h) {
    if (!go) {
      keep_view(h.state, number);
    } else if (!go_to_view(h.state, number)) {
      throw ConfigError(fmt::format("no view is kept as {}", number + 1));
    }
  };
}

Act read_resize(const Words& w) {
  if (w.size() != 2) throw ConfigError("it takes width and height in pixels");
  const auto side = [](const std::string& t) { return static_cast<u32>(whole_number("it", t, 64, 16384)); };
  return [width = side(w[0]), height = side(w[1])](ScriptHost& h) { h.resize(width, height); };
}

Act read_domain(const Words& w) {
  const std::string what = one(w, "on, off, triangle, tetrahedron or gasket");
  const auto at = choice("it", what, {"triangle", "tetrahedron", "gasket", "on", "off"});
  return [at](ScriptHost& h) {
    h.state.domain.shown = at != 4;
    if (at < 3) h.state.domain.domain = static_cast<u32>(at);
  };
}

Act read_omega(const Words& w) {
  const double share = non_negative_number("it", one(w, "a share of the blocks, 0 to 1"));
  if (share > 1) throw ConfigError("it takes a share of the blocks, 0 to 1");
  return [share](ScriptHost& h) { h.state.domain.launched = static_cast<float>(share); };
}

std::string joined(const Words& w) { return fmt::format("{}", fmt::join(w, " ")); }

Act expect_map(const Words& w) {
  return [name = one(w, "the name of a map")](ScriptHost& h) {
    const auto& m = h.model;
    const std::string now = m.pair_maps.empty() ? info(m.engine.triple_map).name : info(m.engine.pair_map).name;
    if (now != name) throw ConfigError(fmt::format("the map is {}", now));
  };
}

Act expect_notice(const Words& w) {
  return [part = joined(w)](ScriptHost& h) {
    for (const Notice& n : h.model.notices) {
      if (n.text.find(part) != std::string::npos) return;
    }
    throw ConfigError(h.model.notices.empty() ? "there is no notice" : "the last is: " + h.model.notices.back().text);
  };
}

Act expect_errors(const Words& w) {
  return [count = whole_number("it", one(w, "a number"), 0, 1000)](ScriptHost& h) {
    const auto errors = std::count_if(h.model.notices.begin(), h.model.notices.end(), [](auto& n) { return n.error; });
    if (static_cast<u64>(errors) == count) return;
    throw ConfigError(
        fmt::format("there are {}{}", errors, errors == 0 ? "" : ", the last: " + h.model.notices.back().text));
  };
}

Act expect_n(const Words& w) {
  return [count = whole_number("it", one(w, "a number"), 0, kMost)](ScriptHost& h) {
    if (h.model.n != count) throw ConfigError(fmt::format("there are {} bodies", h.model.n));
  };
}

Act expect_body(const Words& w) {
  return [body = body_or_none(w)](ScriptHost& h) {
    const auto& now = h.state.marked;
    if (now != body) throw ConfigError(now ? fmt::format("body {} is chosen", *now) : "no body is chosen");
  };
}

Act expect_steps(const Words& w) {
  return [count = whole_number("it", one(w, "a number"), 0, kMost)](ScriptHost& h) {
    if (h.model.steps != count) throw ConfigError(fmt::format("{} steps were taken", h.model.steps));
  };
}

const std::array<Row, 48> kRows{{
    {"wait", "wait FRAMES", nullptr},
    {"scene", "scene NAME:key=value,...", [](const Words& w) { return asks(ask::Open{one(w, "a scene")}); }},
    {"open", "open FILE",
     [](const Words& w) -> Act { return [path = one(w, "a file")](ScriptHost& h) { h.state.wishes.open = path; }; }},
    {"save", "save FILE", [](const Words& w) { return asks(ask::Save{one(w, "a file")}); }},
    {"run", "run", [](const Words& w) { return none(w), asks(ask::Run{true}); }},
    {"pause", "pause", [](const Words& w) { return none(w), asks(ask::Run{false}); }},
    {"step", "step COUNT",
     [](const Words& w) { return asks(ask::Take{whole_number("it", one(w, "a number"), 1, kMost)}); }},
    {"steps-per-frame", "steps-per-frame COUNT",
     [](const Words& w) {
       return asks(ask::StepsPerFrame{static_cast<u32>(whole_number("it", one(w, "a number"), 1, 1000000))});
     }},
    {"reset", "reset", [](const Words& w) { return none(w), asks(ask::Reset{}); }},
    {"reverse", "reverse", [](const Words& w) { return none(w), asks(ask::Reverse{}); }},
    {"undo", "undo", [](const Words& w) { return none(w), asks(ask::Undo{}); }},
    {"dt", "dt LENGTH", [](const Words& w) { return asks(ask::TimeStep{positive_number("it", one(w, "a number"))}); }},
    {"integrator", "integrator NAME",
     [](const Words& w) { return asks(ask::Scheme{integrator_from(one(w, "the name of an integrator"))}); }},
    {"map", "map NAME", read_map},
    {"block", "block PAIRS [TRIPLES]", read_blocks},
    {"accumulate", "accumulate fast|ordered",
     [](const Words& w) { return asks(ask::Sums{accumulate_from(one(w, "fast or ordered"))}); }},
    {"broad-phase", "broad-phase auto|all-pairs|grid",
     [](const Words& w) { return asks(ask::Contacts{broad_phase_from(one(w, "auto, all-pairs or grid"))}); }},
    {"compare", "compare on|off", [](const Words& w) { return asks(ask::Compare{on_off(w)}); }},
    {"shape", "shape spheres|glow|points",
     [](const Words& w) -> Act {
       return [shape = named<render::BodyShape>(w, render::kBodyShapeCount, "a shape")](ScriptHost& h) {
         h.state.style.shape = shape;
       };
     }},
    {"colour", "colour speed|acceleration|mass|radius|index",
     [](const Words& w) -> Act {
       return [q = named<render::Quantity>(w, render::kQuantityCount, "a quantity")](ScriptHost& h) {
         h.state.style.quantity = q;
       };
     }},
    {"colours", "colours viridis|inferno|cividis",
     [](const Words& w) -> Act {
       return [map = named<render::ColourMap>(w, render::kColourMapCount, "a colour map")](ScriptHost& h) {
         h.state.style.colours = map;
       };
     }},
    {"logarithm", "logarithm on|off",
     [](const Words& w) -> Act { return [on = on_off(w)](ScriptHost& h) { h.state.style.logarithmic = on; }; }},
    {"size", "size FACTOR",
     [](const Words& w) -> Act {
       return [f = positive_number("it", one(w, "a number"))](ScriptHost& h) {
         h.state.style.size = static_cast<float>(f);
       };
     }},
    {"fit", "fit", [](const Words& w) -> Act { return none(w), [](ScriptHost& h) { h.state.wishes.fit = true; }; }},
    {"orbit", "orbit YAW PITCH", read_orbit},
    {"pick", "pick X Y", read_pick},
    {"body", "body NUMBER|none", read_body},
    {"follow", "follow on|off",
     [](const Words& w) -> Act { return [on = on_off(w)](ScriptHost& h) { h.state.follow = on && h.state.marked; }; }},
    {"trails", "trails off|BODIES [LENGTH]", read_trails},
    {"bookmark", "bookmark keep|go NUMBER", read_bookmark},
    {"domain", "domain on|off|triangle|tetrahedron|gasket", read_domain},
    {"omega", "omega SHARE", read_omega},
    {"panels", "panels on|off",
     [](const Words& w) -> Act { return [on = on_off(w)](ScriptHost& h) { h.state.panels = on; }; }},
    {"help", "help on|off",
     [](const Words& w) -> Act { return [on = on_off(w)](ScriptHost& h) { h.state.help = on; }; }},
    {"theme", "theme dark|light",
     [](const Words& w) -> Act {
       return [dark = choice("it", one(w, "dark or light"), {"light", "dark"}) == 1](ScriptHost& h) {
         h.state.dark = dark;
       };
     }},
    {"bench", "bench KERNEL SIZES [MAPS [SAMPLES]]", read_bench},
    {"bench-cancel", "bench-cancel",
     [](const Words& w) -> Act { return none(w), [](ScriptHost& h) { h.state.bench.cancel = true; }; }},
    {"bench-save", "bench-save FILE.csv|json|svg",
     [](const Words& w) -> Act { return [path = one(w, "a file")](ScriptHost& h) { h.state.bench.save = path; }; }},
    {"settings", "settings FILE",
     [](const Words& w) -> Act {
       return [path = one(w, "a file")](ScriptHost& h) { h.state.wishes.settings = path; };
     }},
    {"resize", "resize WIDTH HEIGHT", read_resize},
    {"screenshot", "screenshot FILE.png",
     [](const Words& w) -> Act {
       return [path = one(w, "a file")](ScriptHost& h) { h.state.wishes.screenshot_path = path; };
     }},
    {"expect-map", "expect-map NAME", expect_map},
    {"expect-notice", "expect-notice TEXT", expect_notice},
    {"expect-bench", "expect-bench SIZES", expect_bench},
    {"expect-errors", "expect-errors COUNT", expect_errors},
    {"expect-n", "expect-n COUNT", expect_n},
    {"expect-body", "expect-body NUMBER|none", expect_body},
    {"expect-steps", "expect-steps COUNT", expect_steps},
}};

const Row* find_row(const std::string& name) {
  const auto at = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return name == r.name; });
  return at == kRows.end() ? nullptr : &*at;
}

}  // namespace

Script Script::parse(const std::string& text, const std::string& name) {
  Script script;
  std::istringstream lines(text);
  u64 number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    std::istringstream in(line.substr(0, line.find('#')));
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) continue;
    const std::string first = words.front();
    words.erase(words.begin());
    const Row* row = find_row(first);
    if (row == nullptr) {
      std::vector<std::string> names;
      for (const Row& r : kRows) names.emplace_back(r.name);
      throw ConfigError(fmt::format("{}: {}", where, unknown_name("command", first, names)));
    }
    Command command{where + ": " + first, 0, first.starts_with("expect-") || first == "bench-save", nullptr};
    try {
      if (row->read == nullptr) {
        command.wait = whole_number("it", one(words, "a number of frames"), 1, kMost);
      } else {
        command.act = row->read(words);
      }
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}: {} (written: {}).", where, first, error.what(), row->form));
    }
    script.commands_.push_back(std::move(command));
  }
  return script;
}

Script Script::read(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw FileError(fmt::format("--script {}: the file cannot be read.", path));
  return parse(text.str(), path);
}

void Script::frame(ScriptHost host) {
  if (waits_ > 0 && --waits_ > 0) return;
  while (at_ < commands_.size()) {
    const Command& command = commands_[at_];
    // What is expected is looked at after what was asked for has happened.
    const bool asked = !host.requests.empty() || !host.state.wishes.open.empty() ||
                       !host.state.wishes.settings.empty() || bench_pending(host.state.bench) || host.state.wishes.pick;
    if (command.looks && asked) return;
    ++at_;
    if (command.wait > 0) {
      waits_ = command.wait;
      return;
    }
    try {
      command.act(host);
      // A picture is taken at the end of a frame, and shows nothing that comes after it in the script; a scene is
      // opened there too, and brings looks of its own, which later commands change.
      const bool opens = !host.requests.empty() && std::holds_alternative<ask::Open>(host.requests.back());
      const Wishes& w = host.state.wishes;
      if (opens || !w.open.empty() || !w.settings.empty() || !w.screenshot_path.empty()) return;
    } catch (const ConfigError& error) {
      throw Error(ExitCode::check_failed, fmt::format("{}: {}.", command.where, error.what()));
    }
  }
}

std::string script_help() {
  std::string text;
  for (const Row& row : kRows) text += fmt::format("{}\n", row.form);
  return text;
}

}  // namespace tri::app::gui
