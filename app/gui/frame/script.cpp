#include "app/gui/frame/script.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <fmt/ranges.h>

#include "app/gui/base/race.hpp"
#include "app/gui/base/settings.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::app::gui {
namespace {

constexpr double kRestSeconds = 2;
constexpr double kFractalSeconds = 5;  // per map of the automaton
constexpr double kStopPatience = 3;    // seconds, with a scene that could not be opened or diverged
constexpr float kTurn = 0.06f;         // radians per second

void colour_by(const char* name, const SessionModel& model, GuiState& state) {
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    const auto quantity = static_cast<render::Quantity>(k);
    if (to_string(quantity) == name && can_colour(quantity, model).ok) state.view.style.quantity = quantity;
  }
}

}  // namespace

void Demo::next_map(const SessionModel& model, GuiState& state) {
  const auto& rows = shown_maps(model);
  if (rows.empty()) return;
  map_ = static_cast<u32>(next_fitting(rows, map_ ? *map_ : rows.size() - 1));
  state.panes.domain.map = map_;
  state.panes.domain.launched = 0;
  state.panes.domain.running = true;
  rest_seconds_ = 0;
}

/// Requests the scene, unless it is open already.
void Demo::begin_stop(const SessionModel& model, GuiState& state, Requests& requests) {
  stop_seconds_ = 0;
  arrived_ = false;
  state.overlay.caption.clear();
  if (begun_ || opens_) {
    requests.push_back(ask::Open{stops_[stop_].scene});
  } else {
    arrive(model, state, requests);
  }
  begun_ = true;
}

/// The scene is open: sets up the view of it.
void Demo::arrive(const SessionModel& model, GuiState& state, Requests& requests) {
  const DemoStop& stop = stops_[stop_];
  arrived_ = true;
  state.overlay.caption = stop.caption;
  state.panes.shown = false;
  show_pane(stop.view, state.panes);
  if (*stop.automaton != '\0') state.panes.fractal.scene = stop.automaton, state.panes.fractal.running = true;
  const std::string& wanted = model.scene.view.colour;  // of the scene; that of the stop has priority
  colour_by(*stop.colour != '\0' ? stop.colour : wanted.empty() ? "speed" : wanted.c_str(), model, state);
  requests.push_back(stop.compare ? Request{ask::Compare{true}} : Request{ask::Run{true}});
  map_.reset();
  next_map(model, state);
}

/// The automaton continues with the next map.
void Demo::next_fractal_map(GuiState& state) {
  const u32 next = (static_cast<u32>(state.panes.fractal.work.map) + 1) % kGasketMapCount;
  state.panes.fractal.work.map = static_cast<GasketMapId>(next);
  fractal_seconds_ = 0;
}

bool Demo::is_over(const SessionModel& model) const {
  if (stops_.size() == 1) return model.broken && stop_seconds_ > kStopPatience;
  return stop_seconds_ > (arrived_ && !model.broken ? stops_[stop_].seconds : kStopPatience);
}

void Demo::frame(double seconds, const SessionModel& model, GuiState& state, Requests& requests) {
  stop_seconds_ += seconds;
  if (!begun_) {
    begin_stop(model, state, requests);
  } else if (!arrived_ && model.spec == stops_[stop_].scene) {
    arrive(model, state, requests);
  } else if (is_over(model)) {
    stop_ = (stop_ + 1) % stops_.size();
    begin_stop(model, state, requests);
  }
  if (state.view.camera.mode == render::CameraMode::orbit) {
    state.view.camera.pose.yaw += kTurn * static_cast<float>(seconds);
  }
  fractal_seconds_ += seconds;
  const bool fractal = arrived_ && *stops_[stop_].automaton != '\0';
  if (fractal && fractal_seconds_ > kFractalSeconds) next_fractal_map(state);
  if (state.panes.domain.running) return;
  rest_seconds_ += seconds;
  if (rest_seconds_ > kRestSeconds) next_map(model, state);
}

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

bool second_pending(const SecondChoice& second) { return second.on != second.shown || second.behind; }

/// All commands, in the order of the documentation.
std::vector<ScriptRow> all_rows() {
  std::vector<ScriptRow> rows;
  for (const auto& part : {session_rows(), view_rows(), touch_rows(), job_rows(), film_rows(), check_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

constexpr u64 kPlotPatience = 100;  // frames, in which a panel opens and counts

/// The act of a command; one that writes a file throws ConfigError where that is an input. What was loaded may be saved
/// again: bodies as bodies, a path as a path. Pictures take free names.
ScriptAct keeping_inputs(const std::string& command, const ScriptWords& w, const ScriptAct& act) {
  const bool path = command == "path" && w[0] == "save", second = path || command == "plot-save";
  const bool named = command == "export" || command == "screenshot" || command == "film";
  if (!second && !named && !command.ends_with("save")) return act;
  return [command, path, act, file = w[second ? 1 : 0]](ScriptHost& h) {
    const std::string loaded = path ? h.state.view.path_file : command == "save" ? h.model.spec : "";
    if (!replaces_input(file, loaded)) return act(h);
    throw ConfigError(fmt::format("{} is also an input, which would be lost; name another file", file));
  };
}

}  // namespace

Script Script::parse(const std::string& text, const std::string& name) {
  Script script;
  const std::vector<ScriptRow> rows = all_rows();
  std::istringstream lines(text);
  u64 number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    std::istringstream in(line.substr(0, line.find('#')));
    ScriptWords words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) continue;
    const std::string first = words.front();
    words.erase(words.begin());
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const ScriptRow& r) { return first == r.name; });
    if (row == rows.end()) {
      std::vector<std::string> names;
      for (const ScriptRow& r : rows) names.emplace_back(r.name);
      throw ConfigError(fmt::format("{}: {}", where, unknown_name("command", first, names)));
    }
    static constexpr std::array kSettled{"screenshot",      "picture", "back",   "goto",   "branch", "add",  "change",
                                         "change-selected", "delete",  "export", "stroke", "path",   "film", "second"};
    const bool stops = first == "film" && words == ScriptWords{"stop"};  // a film would be awaited
    const bool settled = first.starts_with("expect-") || first.ends_with("save") ||
                         (!stops && std::find(kSettled.begin(), kSettled.end(), first) != kSettled.end());
    Command command{fmt::format("{}: {}", where, first), 0, settled, nullptr};
    try {
      if (!row->read) {
        command.wait = whole_number("it", one(words, "a number of frames"), 1, kMaxCount);
      } else {
        command.act = keeping_inputs(first, words, row->read(words));
      }
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}: {} (written: {}).", where, first, error.what(), row->form));
    }
    script.commands_.push_back(std::move(command));
  }
  return script;
}

Script Script::read(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text, piece(kPiece, '\0');
  for (std::size_t got = 1; got > 0; text.append(piece, 0, got)) got = file.read(piece.data(), piece.size());
  return parse(text, path);
}

bool Script::ended() const { return at_ >= commands_.size() && waits_ == 0 && !plots_pending(); }

void Script::frame(ScriptHost host) {
  const std::string plot = plot_not_drawn();
  unseen_ = plot.empty() ? 0 : unseen_ + 1;
  if (unseen_ > kPlotPatience && at_ > 0) {
    throw Error(ExitCode::check_failed, fmt::format("{}: no plot {} is in sight.", commands_[at_ - 1].where, plot));
  }
  if (unseen_ > 0) return;
  if (waits_ > 0 && --waits_ > 0) return;
  while (at_ < commands_.size()) {
    const Command& command = commands_[at_];
    // Expectations, saving, pictures and ways through time wait until earlier commands have taken effect.
    const bool asked = !host.requests.empty() || host.model.steps_asked > 0 || host.model.timeline.seek ||
                       host.model.until || !host.state.pending.open.empty() || !host.state.pending.settings.empty() ||
                       bench_pending(host.state.bench) || race_pending(host.state.race) || host.state.pending.pick ||
                       touch_pending(host.state.touch) || host.state.film.start || host.state.film.now ||
                       host.state.picture.start || host.state.picture.busy || second_pending(host.state.second) ||
                       host.state.gallery.pending > 0;
    if (command.settled && asked) return;
    ++at_;
    if (command.wait > 0) {
      waits_ = command.wait;
      return;
    }
    try {
      command.act(host);
      // A picture is taken at the end of a frame and must not show later commands of the script. A scene is opened then
      // too and sets its own style, which later commands change.
      const bool opens = !host.requests.empty() && std::holds_alternative<ask::Open>(host.requests.back());
      const PendingActions& w = host.state.pending;
      if (opens || !w.open.empty() || !w.settings.empty() || !w.screenshot_path.empty() ||
          !w.transparent_path.empty() || host.state.film.start || host.state.picture.start || plots_pending())
        return;
    } catch (const ConfigError& error) {
      throw Error(ExitCode::check_failed, fmt::format("{}: {}.", command.where, error.what()));
    }
  }
}

std::string script_help() {
  std::string text;
  for (const ScriptRow& row : all_rows()) text += fmt::format("{}\n", row.form);
  return text;
}

// Expectations: commands that end the program when something does not hold.

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

}  // namespace

std::vector<ScriptRow> check_rows() {
  return {
      {"expect-map", "expect-map NAME", expect_map},
      {"expect-notice", "expect-notice TEXT", expect_notice},
      {"expect-bench", "expect-bench SIZES", expect_bench},
      {"expect-errors", "expect-errors COUNT", expect_errors},
      count_row(
          "expect-n", "a number", kMaxCount, [](ScriptHost& h) { return h.model.n; }, "there are {} bodies"),
      {"expect-body", "expect-body NUMBER|none", expect_body},
      {"expect-tour", "expect-tour STOP|off", expect_tour},
      count_row(
          "expect-steps", "a number", kMaxCount, [](ScriptHost& h) { return h.model.steps; }, "{} steps were taken"),
      {"expect-lane", "expect-lane step-thread|draw-thread|gpu-step|gpu-draw work|empty", expect_lane},
      {"expect-backend", "expect-backend NAME", expect_backend},
      {"expect-automaton", "expect-automaton GENERATION ALIVE", expect_automaton},
      {"expect-fractal", "expect-fractal HASH", expect_fractal},
  };
}

// Commands for benchmarks, files and the window.

namespace {

ScriptAct read_bench(const ScriptWords& w) {
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
    BenchChoice& now = h.state.bench.choice;
    now.kernel = choice.kernel, now.sizes = choice.sizes, now.maps = choice.maps, now.samples = choice.samples;
    h.state.bench.start = true;
    h.state.panels.open = "Bench";
  };
}

ScriptAct read_race(const ScriptWords& w) {
  const std::string text = one(w, "a number of bodies, or none");
  if (text == "none") return [](ScriptHost& h) { h.state.race.shown = false; };
  return [n = whole_number("it", text, 2, u64{1} << 24)](ScriptHost& h) {
    open_race(h.model, h.state.race);
    h.state.race.n = n, h.state.race.maps.clear(), h.state.race.start = true;
  };
}

ScriptAct read_race_extra(const ScriptWords& w) {
  const auto extra = static_cast<RaceExtra>(choice("it", one(w, "what to time"), {"over-n", "triples", "gasket"}));
  return [extra](ScriptHost& h) { h.state.race.extra = extra; };
}

ScriptAct read_plot_save(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes a plot, with - for blanks, and a file");
  std::string id = w[0];
  std::replace(id.begin(), id.end(), '-', ' ');
  return [id, path = w[1]](ScriptHost&) { save_plot(id, path); };
}

ScriptAct read_resize(const ScriptWords& w) {
  if (w.size() != 2) throw ConfigError("it takes width and height in pixels");
  const auto side = [](const std::string& t) { return static_cast<u32>(whole_number("it", t, 64, 16384)); };
  return [width = side(w[0]), height = side(w[1])](ScriptHost& h) { h.resize(width, height); };
}

}  // namespace

std::vector<ScriptRow> job_rows() {
  return {
      {"bench", "bench KERNEL SIZES [MAPS [SAMPLES]]", read_bench},
      {"bench-cancel", "bench-cancel",
       [](const ScriptWords& w) -> ScriptAct { return none(w), [](ScriptHost& h) { h.state.bench.cancel = true; }; }},
      file_row("bench-save", "bench-save FILE.csv|json|svg",
               [](ScriptHost& h, auto& path) { h.state.bench.save = path; }),
      {"race", "race BODIES|none", read_race},
      {"race-extra", "race-extra over-n|triples|gasket", read_race_extra},
      file_row("race-save", "race-save FILE.csv", [](ScriptHost& h, auto& path) { h.state.race.save = path; }),
      {"plot-save", "plot-save PLOT FILE.csv", read_plot_save},
      {"demo", "demo NAME|none",
       [](const ScriptWords& w) -> ScriptAct {
         std::vector<std::string_view> names = demo_names();
         names.emplace_back("none");
         return [name = std::string(names[choice("it", one(w, "a demonstration, or none"), names)])](ScriptHost& h) {
           h.state.pending.demo = name;
         };
       }},
      file_row("settings", "settings FILE", [](ScriptHost& h, auto& path) { h.state.pending.settings = path; }),
      {"resize", "resize WIDTH HEIGHT", read_resize},
  };
}

// Commands that become requests to the session.

namespace {

ScriptAct read_map(const ScriptWords& w) {
  const std::string name = one(w, "the name of a map");
  const auto pair = find_triangle_map(name);
  const auto triple = find_tetra_map(name);
  if (!pair && !triple) triangle_map_from(name);  // throws, with the nearest name
  return [pair, triple](ScriptHost& h) {
    const bool pairs = pair && (!h.model.pair_maps.empty() || !triple);
    h.requests.push_back(pairs ? Request{ask::PairMap{*pair}} : Request{ask::TripleMap{*triple}});
  };
}

ScriptAct read_blocks(const ScriptWords& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes the tile side of pairs, and if wanted that of triples");
  const auto side = [](const std::string& t) { return static_cast<u32>(whole_number("it", t, 0, 1u << 20)); };
  return asks(ask::Blocks{side(w[0]), w.size() > 1 ? side(w[1]) : 0});
}

ScriptAct read_accuracy(const ScriptWords& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes auto, float32 or tensor, and if wanted a tolerance");
  return asks(ask::Accuracy{from_name<Arithmetic>(w[0]),
                            w.size() > 1 ? enum_from<Tolerance>("it", w[1]) : Tolerance::automatic});
}

ScriptAct read_pairs(const ScriptWords& w) {
  if (w.empty() || w.size() > 2) throw ConfigError("it takes auto, all or tree, and if wanted a tolerance");
  return asks(ask::Accuracy{Arithmetic::automatic,
                            w.size() > 1 ? enum_from<Tolerance>("it", w[1]) : Tolerance::automatic,
                            from_name<PairSearch>(w[0])});
}

}  // namespace

std::vector<ScriptRow> session_rows() {
  return {
      {"wait", "wait FRAMES", nullptr},
      {"scene", "scene NAME:key=value,...", [](const ScriptWords& w) { return asks(ask::Open{one(w, "a scene")}); }},
      file_row("open", "open FILE", [](ScriptHost& h, auto& path) { h.state.pending.open = path; }),
      {"save", "save FILE", [](const ScriptWords& w) { return asks(ask::Save{one(w, "a file")}); }},
      asks_row("run", ask::Run{true}),
      asks_row("pause", ask::Run{false}),
      {"step", "step COUNT",
       [](const ScriptWords& w) { return asks(ask::Take{whole_number("it", one(w, "a number"), 1, kMaxCount)}); }},
      {"run-until", "run-until TIME",
       [](const ScriptWords& w) { return asks(ask::RunUntil{finite_number("it", one(w, "a time"))}); }},
      {"steps-per-frame", "steps-per-frame COUNT",
       [](const ScriptWords& w) {
         return asks(ask::StepsPerFrame{static_cast<u32>(whole_number("it", one(w, "a number"), 1, 1000000))});
       }},
      {"pace-of-time", "pace-of-time TIME",
       [](const ScriptWords& w) {
         return asks(ask::PaceOfTime{non_negative_number("it", one(w, "a time a second, or 0"))});
       }},
      asks_row("reset", ask::Reset{}),
      asks_row("reverse", ask::Reverse{}),
      {"back", "back [STEPS]",
       [](const ScriptWords& w) {
         return asks(ask::StepBack{w.empty() ? 1 : whole_number("it", one(w, "a number"), 1, kMaxCount)});
       }},
      {"goto", "goto STEP",
       [](const ScriptWords& w) { return asks(ask::GoTo{whole_number("it", one(w, "a step"), 0, kMaxCount)}); }},
      {"branch", "branch [other]",
       [](const ScriptWords& w) {
         if (w.empty()) return asks(ask::Branch{});
         choice("it", one(w, "nothing, or other"), {"other"});
         return asks(ask::OtherBranch{});
       }},
      asks_row("undo", ask::Undo{}),
      asks_row("redo", ask::Redo{}),
      {"dt", "dt LENGTH",
       [](const ScriptWords& w) { return asks(ask::TimeStep{positive_number("it", one(w, "a number"))}); }},
      {"dt-auto", "dt-auto ETA",
       [](const ScriptWords& w) { return asks(ask::AutoStep{non_negative_number("it", one(w, "a number"))}); }},
      {"integrator", "integrator NAME",
       [](const ScriptWords& w) { return asks(ask::Scheme{integrator_from(one(w, "the name of an integrator"))}); }},
      {"map", "map NAME", read_map},
      {"block", "block PAIRS [TRIPLES]", read_blocks},
      {"accumulate", "accumulate fast|ordered",
       [](const ScriptWords& w) { return asks(ask::Sums{from_name<Accumulate>(one(w, "fast or ordered"))}); }},
      {"arithmetic", "arithmetic auto|float32|tensor [TOLERANCE]", read_accuracy},
      {"pairs", "pairs auto|all|tree [TOLERANCE]", read_pairs},
      {"broad-phase", "broad-phase auto|all-pairs|grid",
       [](const ScriptWords& w) {
         return asks(ask::Contacts{from_name<BroadPhase>(one(w, "auto, all-pairs or grid"))});
       }},
      {"lose-device", "lose-device STEPS",
       [](const ScriptWords& w) {
         return asks(ask::LoseDevice{whole_number("it", one(w, "a number of steps"), 0, kMaxCount)});
       }},
      {"compare", "compare on|off", [](const ScriptWords& w) { return asks(ask::Compare{on_off(w)}); }},
  };
}

}  // namespace tri::app::gui
