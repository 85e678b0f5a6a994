// Expectations: commands that end the program when something does not hold.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/gui/base/bench_choice.hpp"
#include "app/gui/script/script_rows.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

std::string joined(const ScriptWords& w) { return fmt::format("{}", fmt::join(w, " ")); }

/// Waits for the benchmark to end.
ScriptAct expect_bench(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number of sizes"), 0, kMaxCount)](ScriptHost& h) {
    const auto& status = h.state.bench.status;
    const std::size_t timed = status == nullptr ? 0 : status->groups.size();
    if (status != nullptr && !status->error.empty()) throw ConfigError(status->error);
    if (timed != count) throw ConfigError(fmt::format("{} sizes were timed", timed));
  };
}

ScriptAct expect_map(const ScriptWords& w) {
  return [name = one(w, "the name of a map")](ScriptHost& h) {
    const auto& m = h.model;
    const std::string now = m.pair_maps.empty() ? info(m.engine.triple_map).name : info(m.engine.pair_map).name;
    if (now != name) throw ConfigError(fmt::format("the map is {}", now));
  };
}

ScriptAct expect_notice(const ScriptWords& w) {
  return [part = joined(w)](ScriptHost& h) {
    for (const Notice& n : h.model.notices) {
      if (n.text.find(part) != std::string::npos) return;
    }
    throw ConfigError(h.model.notices.empty() ? "there is no notice" : "the last is: " + h.model.notices.back().text);
  };
}

ScriptAct expect_errors(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number"), 0, 1000)](ScriptHost& h) {
    const auto errors = std::count_if(h.model.notices.begin(), h.model.notices.end(), [](auto& n) { return n.error; });
    if (static_cast<u64>(errors) == count) return;
    throw ConfigError(
        fmt::format("there are {}{}", errors, errors == 0 ? "" : ", the last: " + h.model.notices.back().text));
  };
}

ScriptAct expect_n(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number"), 0, kMaxCount)](ScriptHost& h) {
    if (h.model.n != count) throw ConfigError(fmt::format("there are {} bodies", h.model.n));
  };
}

ScriptAct expect_tour(const ScriptWords& w) {
  const std::string word = one(w, "the number of a stop, or off");
  const u64 stop = word == "off" ? 0 : whole_number("it", word, 1, TourState::kStops);
  return [stop](ScriptHost& h) {
    const TourState& tour = h.state.tour;
    const u64 now = tour.shown ? tour.stop + 1 : 0;
    if (now != stop) throw ConfigError(now > 0 ? fmt::format("the tour is at stop {}", now) : "the tour is off");
  };
}

ScriptAct expect_body(const ScriptWords& w) {
  return [body = body_or_none(w)](ScriptHost& h) {
    const auto& now = h.state.view.selected;
    if (now != body) throw ConfigError(now ? fmt::format("body {} is chosen", *now) : "no body is chosen");
  };
}

ScriptAct expect_steps(const ScriptWords& w) {
  return [count = whole_number("it", one(w, "a number"), 0, kMaxCount)](ScriptHost& h) {
    if (h.model.steps != count) throw ConfigError(fmt::format("{} steps were taken", h.model.steps));
  };
}

ScriptAct expect_automaton(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes generations and living cells");
  return [generation = whole_number("it", w[0], 0, kMaxCount),
          alive = whole_number("it", w[1], 0, kMaxCount)](ScriptHost& h) {
    const AutomatonChoice& a = h.state.panes.automaton;
    if (a.generation == generation && a.alive == alive && a.wrong == 0) return;
    throw ConfigError(
        fmt::format("{} cells live in generation {}, {} were not met once", a.alive, a.generation, a.wrong));
  };
}

ScriptAct expect_backend(const ScriptWords& w) {
  return [name = one(w, "cpu or cuda")](ScriptHost& h) {
    if (h.model.backend.name != name) throw ConfigError(fmt::format("the backend is {}", h.model.backend.name));
  };
}

/// The state of the automaton while it is paused.
ScriptAct expect_fractal(const ScriptWords& w) {
  return [hash = one(w, "a state hash, as run prints it")](ScriptHost& h) {
    const FractalChoice& f = h.state.panes.fractal;
    if (!f.error.empty()) throw ConfigError(f.error);
    if (hash_text(f.hash) != hash) {
      throw ConfigError(fmt::format("the hash after {} steps is {}", f.steps, hash_text(f.hash)));
    }
  };
}

/// Whether work of the last frames was noted in a lane.
ScriptAct expect_lane(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes a lane, and work or empty");
  const auto lane = static_cast<WorkLane>(
      choice("it", w[0], {kWorkLaneNames[0], kWorkLaneNames[1], kWorkLaneNames[2], kWorkLaneNames[3]}));
  const bool works = choice("it", w[1], {"empty", "work"}) == 1;
  return [lane, works](ScriptHost& h) {
    if (h.state.frames.work.has(lane) != works) throw ConfigError(works ? "it is empty" : "there is work in it");
  };
}

constexpr ScriptRow kCheckRows[] = {
    {"expect-map", "expect-map NAME", expect_map},
    {"expect-notice", "expect-notice TEXT", expect_notice},
    {"expect-bench", "expect-bench SIZES", expect_bench},
    {"expect-errors", "expect-errors COUNT", expect_errors},
    {"expect-n", "expect-n COUNT", expect_n},
    {"expect-body", "expect-body NUMBER|none", expect_body},
    {"expect-tour", "expect-tour STOP|off", expect_tour},
    {"expect-steps", "expect-steps COUNT", expect_steps},
    {"expect-lane", "expect-lane step-thread|draw-thread|gpu-step|gpu-draw work|empty", expect_lane},
    {"expect-backend", "expect-backend NAME", expect_backend},
    {"expect-automaton", "expect-automaton GENERATION ALIVE", expect_automaton},
    {"expect-fractal", "expect-fractal HASH", expect_fractal},
};

}  // namespace

std::span<const ScriptRow> check_rows() { return kCheckRows; }

}  // namespace tri::app::gui
