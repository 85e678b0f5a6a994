// Demos, scripts, two runs.
//
// The demo, with a clock set by the test: each fitting map is launched in turn, each scene is shown for its time.

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "app/gui/base/widgets.hpp"
#include "app/gui/frame/script.hpp"
#include "app/gui/frame/view_app.hpp"
#include "app/gui/panels/panes.hpp"
#include "render/offscreen.hpp"
#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/gui/base/gui_support.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app::gui {
namespace {

TEST(Demo, EveryFittingMapIsLaunchedOncePerRound) {
  Demo demo("maps", "");
  const SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  demo.frame(0.1, model, state, requests);
  EXPECT_TRUE(test::only<ask::Compare>(requests)->on);
  EXPECT_TRUE(state.panes.shown);
  std::vector<u32> order;
  for (u32 k = 0; k < kTriangleMapCount - 1; ++k) {
    EXPECT_TRUE(state.panes.domain.running);
    EXPECT_EQ(state.panes.domain.launched, 0);
    order.push_back(state.panes.domain.map.value());
    state.panes.domain.running = false, state.panes.domain.launched = 1;  // as the view does after a sweep
    requests.clear();
    demo.frame(1, model, state, requests);
    EXPECT_FALSE(state.panes.domain.running) << "a pause after each map";
    demo.frame(1.1, model, state, requests);
    EXPECT_TRUE(requests.empty()) << "the bodies do not change";
  }
  EXPECT_EQ(std::set<u32>(order.begin(), order.end()).size(), kTriangleMapCount - 1);
  EXPECT_EQ(order.front(), 0u);
  EXPECT_EQ(state.panes.domain.map, 0u) << "the next round";
}

TEST(Demo, EveryStopLastsItsTimeThenTheTourRepeats) {
  for (const DemoRow& row : demo_rows()) {
    if (row.stops.size() < 2) continue;
    Demo demo(row.name, "");
    SessionModel model = test::gravity_model();
    model.spec = demo.first_scene();
    GuiState state;
    Requests requests;
    std::vector<std::string> opened, captions;
    double total = 0;
    for (const DemoStop& stop : row.stops) total += stop.seconds;
    for (double second = 0; second < total + 10 * static_cast<double>(row.stops.size()); ++second) {
      requests.clear();
      demo.frame(1, model, state, requests);
      for (const Request& r : requests) {
        if (const auto* open = std::get_if<ask::Open>(&r)) opened.push_back(model.spec = open->scene);
      }
      if (captions.empty() || (!state.overlay.caption.empty() && captions.back() != state.overlay.caption)) {
        captions.push_back(state.overlay.caption);
      }
    }
    ASSERT_GE(opened.size(), row.stops.size()) << row.name;
    for (std::size_t k = 0; k < row.stops.size(); ++k) {
      EXPECT_EQ(opened[k], row.stops[(k + 1) % row.stops.size()].scene) << row.name;
      EXPECT_EQ(captions[k], row.stops[k].caption);
    }
  }
}

TEST(Demo, TheAutomatonUsesEveryMapInTurn) {
  Demo demo("gasket", "");
  SessionModel model = test::gravity_model();
  model.spec = demo.first_scene();
  GuiState state;
  state.panes.fractal.running = false;
  Requests requests;
  std::set<GasketMapId> maps;
  for (int second = 0; second < 25; ++second) {
    demo.frame(1, model, state, requests);
    maps.insert(state.panes.fractal.work.map);
  }
  EXPECT_EQ(maps.size(), kGasketMapCount);
  EXPECT_EQ(state.panes.fractal.scene, demo_stops("gasket")[0].automaton);
  EXPECT_TRUE(state.panes.fractal.running);
  EXPECT_STREQ(pane_rows()[state.panes.current].name, "fractal");
  for (const DemoRow& row : demo_rows()) {
    for (const DemoStop& stop : row.stops) {
      EXPECT_NO_THROW(*stop.automaton == '\0' ? AutomatonSpec{} : automaton_from(stop.automaton)) << row.name;
    }
  }
}

TEST(Demo, TheTourShowsEverySceneWithACaption) {
  const std::vector<DemoStop> stops = demo_stops("tour");
  for (const SceneInfo& scene : list_scenes()) {
    EXPECT_TRUE(std::any_of(stops.begin(), stops.end(), [&](const DemoStop& s) {
      return s.scene.substr(0, s.scene.find(':')) == scene.name;
    })) << scene.name;
  }
  for (const DemoStop& stop : stops) EXPECT_FALSE(stop.caption.empty()) << stop.scene;
}

TEST(Demo, EveryStopOfTheTableCanBeShown) {
  for (const DemoRow& row : demo_rows()) {
    for (const DemoStop& stop : row.stops) {
      EXPECT_NO_THROW(open_scene(stop.scene)) << stop.scene;
      const auto views = pane_rows();
      const std::string_view view = stop.view;
      EXPECT_TRUE(view.empty() || std::any_of(views.begin(), views.end(), [&](auto& v) { return v.name == view; }))
          << row.name << ": " << view;
    }
  }
}

TEST(Demo, ScenesThatFailAreSkipped) {
  Demo demo("pairs", "");
  SessionModel model = test::gravity_model();
  model.spec = demo.first_scene();
  GuiState state;
  Requests requests;
  const auto seconds_to_next = [&] {
    requests.clear();
    for (int k = 1; k < 100; ++k) {
      demo.frame(1, model, state, requests);
      for (const Request& r : requests) {
        if (std::holds_alternative<ask::Open>(r)) return k;
      }
    }
    return 100;
  };
  EXPECT_GT(seconds_to_next(), 40);
  EXPECT_LT(seconds_to_next(), 6) << "the second was never opened";
  model.spec = demo_stops("pairs")[2].scene, model.broken = true;
  EXPECT_LT(seconds_to_next(), 6) << "the third ran into a NaN";
}

TEST(Demo, StartedInTheWindowItOpensItsFirstScene) {
  Demo demo("pairs", "", true);
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  demo.frame(0.1, model, state, requests);
  ASSERT_TRUE(test::only<ask::Open>(requests));
  EXPECT_EQ(test::only<ask::Open>(requests)->scene, demo.first_scene());
  model.spec = demo.first_scene();
  requests.clear();
  demo.frame(0.1, model, state, requests);
  EXPECT_TRUE(test::only<ask::Compare>(requests));
  EXPECT_FALSE(state.overlay.caption.empty());
}

TEST(Demo, AStopUsesTheViewOfItsSceneUnlessItHasItsOwn) {
  SessionModel model = test::gravity_model();
  model.groups = 2, model.scene.view.colour = "group";
  GuiState state;
  Requests requests;
  Demo("maps", "").frame(0.1, model, state, requests);
  EXPECT_EQ(state.view.style.quantity, render::Quantity::group);
  model.scene.view.colour.clear();
  Demo("maps", "").frame(0.1, model, state, requests);
  EXPECT_EQ(state.view.style.quantity, render::Quantity::speed);
}

TEST(Demo, AUsersSceneStays) {
  Demo demo("pairs", "kepler");
  EXPECT_EQ(demo.first_scene(), "kepler");
  const SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  for (int second = 0; second < 100; ++second) demo.frame(1, model, state, requests);
  EXPECT_EQ(requests.size(), 1u);
  EXPECT_THROW(Demo("mpas", ""), ConfigError);
}

// Scripts: commands become requests frame by frame; errors name their line before anything runs.

using test::only;

struct Scripts : testing::Test {
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  std::vector<std::pair<u32, u32>> sizes;

  Requests frame(Script& script) {
    requests.clear();
    script.frame({model, state, requests, [this](u32 w, u32 h) { sizes.emplace_back(w, h); }});
    return requests;
  }
};

TEST_F(Scripts, WaitsAreFrames) {
  Script s = Script::parse("run\nwait 3\npause # and rest\n\nwait 1\nstep 5\n", "s");
  EXPECT_TRUE(only<ask::Run>(frame(s))->on);
  EXPECT_TRUE(frame(s).empty());
  EXPECT_TRUE(frame(s).empty());
  EXPECT_FALSE(s.ended());
  EXPECT_FALSE(only<ask::Run>(frame(s))->on);
  EXPECT_FALSE(s.ended());
  EXPECT_EQ(only<ask::Take>(frame(s))->steps, 5u);
  EXPECT_TRUE(s.ended());
}

TEST_F(Scripts, ExpectationsWaitForEarlierRequests) {
  Script s = Script::parse("scene kepler\nexpect-n 1000\nexpect-n 2\n", "s");
  EXPECT_TRUE(only<ask::Open>(frame(s)));
  EXPECT_FALSE(s.ended()) << "the expectation waits for the scene to be opened";
  try {
    frame(s);
    FAIL() << "1000 bodies are not 2";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::check_failed);
    EXPECT_NE(std::string(error.what()).find("s:3"), std::string::npos) << error.what();
  }
}

TEST_F(Scripts, SelectsBodiesAndViews) {
  Script s = Script::parse("body 5\nfollow on\nbookmark keep 2\nexpect-body 5\npick 10 20.5\nexpect-body none\n", "s");
  state.view.camera.pose.distance = 42;
  frame(s);
  EXPECT_EQ(state.view.selected, 5u);
  EXPECT_TRUE(state.view.follow);
  ASSERT_TRUE(state.view.bookmarks[1]);
  EXPECT_EQ(state.view.bookmarks[1]->pose.distance, 42);
  ASSERT_TRUE(state.pending.pick);
  EXPECT_EQ(*state.pending.pick, (std::array{10.0f, 20.5f}));
  EXPECT_FALSE(s.ended()) << "the expectation waits for the pick";
  Script trails = Script::parse("trails 300 40", "s"), off = Script::parse("trails off", "s");
  frame(trails);
  EXPECT_TRUE(state.view.trails.shown && state.view.trails.bodies == 300 && state.view.trails.length == 40);
  frame(off);
  EXPECT_FALSE(state.view.trails.shown);
  state.pending.pick.reset(), state.view.selected.reset();
  frame(s);
  EXPECT_TRUE(s.ended());
  for (const char* wrong : {"body 1000", "bookmark go 4", "expect-body 3"}) {
    Script bad = Script::parse(wrong, "s");
    EXPECT_THROW(frame(bad), Error) << wrong;
  }
  for (const char* wrong : {"body -1", "bookmark keep 6", "bookmark keep 0", "trails", "trails 5000", "trails 5 1",
                            "bookmark lose 1", "pick 3", "pick x y"}) {
    EXPECT_THROW(Script::parse(wrong, "s"), ConfigError) << wrong;
  }
}

TEST_F(Scripts, AScreenshotEndsItsFrame) {
  Script s = Script::parse("run\nscreenshot a.png\npause\n", "s");
  EXPECT_TRUE(only<ask::Run>(frame(s))->on);
  EXPECT_EQ(state.pending.screenshot_path, "") << "it shows what was asked for before";
  model.steps_asked = 2;
  EXPECT_TRUE(frame(s).empty());
  EXPECT_EQ(state.pending.screenshot_path, "");
  model.steps_asked = 0;
  EXPECT_TRUE(frame(s).empty());
  EXPECT_EQ(state.pending.screenshot_path, "a.png");
  state.pending = {};
  EXPECT_FALSE(only<ask::Run>(frame(s))->on);
}

TEST_F(Scripts, InputsStay) {
  const test::TempFolder folder;
  const std::string file = folder.file("t.png", "run"), path = folder.at("p");
  Script::read(file);
  state.view.path.add(0, {});
  for (const char* lost :
       {"save ", "export ", "path save ", "bench-save ", "race-save ", "plot-save mass ", "screenshot ", "film "}) {
    Script s = Script::parse(lost + file, "s");
    test::expect_parts(test::message_of<Error>([&] { frame(s); }), {"s:1: ", "is also an input", "name another file"});
  }
  model.spec = file + ":units=si";
  Script loaded = Script::parse("save " + file, "s");
  EXPECT_TRUE(only<ask::Save>(frame(loaded))) << "what was opened may be saved again";
  Script again = Script::parse("path save " + path + "\npath open " + path + "\npath save " + path, "s");
  EXPECT_NO_THROW(frame(again));
  // The number of a file that is gone may be another's.
  const std::string other = folder.at("u.png");
  std::filesystem::rename(file, other);
  Script::read(other);
  model.spec = other;
  Script moved = Script::parse("save " + other, "s");
  EXPECT_TRUE(only<ask::Save>(frame(moved)));
}

TEST_F(Scripts, PlotsAreInSight) {
  PlotSpec plot{.id = "a b", .title = "", .x = {}, .x_name = "step", .lines = {}};
  Script s = Script::parse("plot-save a-b e.csv\nrun\n", "s"), none = Script::parse("plot-save foo e.csv", "s");
  EXPECT_TRUE(frame(s).empty() && frame(s).empty() && !s.ended()) << "the plot is awaited";
  write_if_asked(plot), release_plot_files();
  EXPECT_TRUE(only<ask::Run>(frame(s)));
  for (int k = 0; k < 100; ++k) frame(none);
  test::expect_parts(test::message_of<Error>([&] { frame(none), frame(none); }),
                     {"s:1: plot-save: no plot foo is in sight"});
  plot.id = "foo", write_if_asked(plot), release_plot_files();
}

TEST_F(Scripts, PathsAndFilms) {
  Script s = Script::parse("path add\npath add 3\npath move 2 5\nexpect-path 2\npath delete 1\npath clear\n", "s");
  model.time = 1;
  state.view.camera.pose.distance = 7;
  frame(s);
  EXPECT_TRUE(s.ended() && state.view.path.empty());
  Script film = Script::parse("film f.mp4 640x360 24 0.5 2.5\nrun\nfilm stop\nexpect-path 0\n", "s");
  EXPECT_TRUE(frame(film).empty()) << "the film begins before what follows";
  EXPECT_TRUE(state.film.start);
  const FilmChoice& c = state.film.choice;
  EXPECT_EQ(c.path, "f.mp4");
  EXPECT_TRUE(c.width == 640 && c.height == 360 && c.fps == 24 && c.speed == 0.5 && c.seconds == 2.5 && !c.panels);
  state.film.start = false, state.film.now = FilmProgress{};
  EXPECT_EQ(frame(film).size(), 1u);
  EXPECT_TRUE(state.film.stop) << "it does not wait for the film";
  EXPECT_FALSE(film.ended()) << "an expectation does";
  state.film.now.reset(), state.film.stop = false;
  frame(film);
  EXPECT_TRUE(film.ended());
  Script still = Script::parse("screenshot a.png --transparent\nsecond on\nexpect-n 1000\n", "s");
  frame(still);
  EXPECT_EQ(state.pending.transparent_path, "a.png");
  frame(still), frame(still);
  EXPECT_TRUE(state.second.on);
  EXPECT_FALSE(still.ended()) << "the second run is awaited";
  Script none = Script::parse("second B\n", "s");
  state.second = {};
  EXPECT_THROW(frame(none), Error);
}

TEST_F(Scripts, StepsBackWaitAndAreAwaited) {
  Script s = Script::parse("step 9\nback\nback 12\ngoto 7\nbranch\nbranch other\nexpect-steps 7\n", "s");
  EXPECT_TRUE(only<ask::Take>(frame(s))) << "the step before goes first";
  model.steps_asked = 9;
  EXPECT_TRUE(frame(s).empty());
  model.steps_asked = 0;
  EXPECT_EQ(only<ask::StepBack>(frame(s))->steps, 1u);
  EXPECT_EQ(only<ask::StepBack>(frame(s))->steps, 12u);
  EXPECT_EQ(only<ask::GoTo>(frame(s))->step, 7u);
  EXPECT_TRUE(only<ask::Branch>(frame(s)));
  EXPECT_TRUE(only<ask::OtherBranch>(frame(s)));
  model.timeline.seek = {0, 7};
  frame(s);
  EXPECT_FALSE(s.ended()) << "on the way";
  model.timeline.seek.reset(), model.steps = 7;
  frame(s);
  EXPECT_TRUE(s.ended());
}

TEST_F(Scripts, StylesApplyAfterTheSceneIsOpened) {
  Script s = Script::parse("scene kepler\nshape points\nopen a.csv\nsize 3\n", "s");
  EXPECT_TRUE(only<ask::Open>(frame(s)));
  EXPECT_NE(state.view.style.shape, render::BodyShape::points);
  EXPECT_TRUE(frame(s).empty());
  EXPECT_EQ(state.view.style.shape, render::BodyShape::points);
  EXPECT_EQ(state.view.style.size, 1);
  state.pending = {};
  frame(s);
  EXPECT_EQ(state.view.style.size, 3);
}

TEST_F(Scripts, MapsApplyToTheirDomain) {
  Script s = Script::parse("map bb\n", "s"), t = Script::parse("map bb\n", "t"),
         u = Script::parse("map tetra-r\n", "u");
  EXPECT_TRUE(only<ask::PairMap>(frame(s)));
  model = test::triples_model();
  EXPECT_TRUE(only<ask::TripleMap>(frame(t)));
  EXPECT_TRUE(only<ask::TripleMap>(frame(u)));
}

TEST_F(Scripts, StylesAndSizes) {
  Script s =
      Script::parse("shape points\ncolour mass\ncolours cividis\nresize 640 480\norbit 90 30\ntheme light\nfit\n", "s");
  frame(s);
  EXPECT_EQ(state.view.style.shape, render::BodyShape::points);
  EXPECT_EQ(state.view.style.quantity, render::Quantity::mass);
  EXPECT_EQ(state.view.style.colours, render::ColourMap::cividis);
  EXPECT_EQ(sizes, (std::vector<std::pair<u32, u32>>{{640, 480}}));
  EXPECT_NEAR(state.view.camera.pose.yaw, 1.5708f, 1e-3);
  EXPECT_NEAR(state.view.camera.pose.pitch, 0.5236f, 1e-3);
  EXPECT_FALSE(state.panels.dark);
  EXPECT_TRUE(state.pending.fit);
}

TEST_F(Scripts, ErrorsNameTheirLine) {
  for (const char* text : {"map lamda",
                           "wait",
                           "wait 0",
                           "wait x",
                           "run fast",
                           "shape cubes",
                           "step",
                           "step -1",
                           "back 0",
                           "goto",
                           "branch here",
                           "nonsense",
                           "resize 10",
                           "theme grey",
                           "bench gravity",
                           "bench edm,dummy 64",
                           "bench gravity 64 lamda",
                           "bench-save",
                           "block",
                           "dt 0",
                           "integrator euler",
                           "path",
                           "path add here",
                           "path move 0 1",
                           "path move 1",
                           "film",
                           "film f 8x8",
                           "film f 64x64 0",
                           "second C",
                           "screenshot a.csv",
                           "expect-n",
                           "panels maybe"}) {
    test::expect_parts(
        test::message_of<ConfigError>([&] { Script::parse(std::string("run\n") + text + "\n", "file"); }), {"file:2"});
  }
  EXPECT_THROW(Script::read("/no/such/file"), FileError);
}

/// Every command stands in a block of the page, in a line of its own with a sentence behind it; and no other does.
TEST_F(Scripts, TheDocumentationExplainsTheCommands) {
  std::set<std::string> explained, commands;
  std::ifstream page(TRI_TEST_DATA "/../../docs/app-scripts.md");
  bool block = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      block = line == "```text";
    } else if (block) {
      const std::size_t remark = line.find("  #");
      ASSERT_NE(remark, std::string::npos) << line;
      explained.insert(line.substr(0, line.find_last_not_of(' ', remark) + 1));
    }
  }
  std::istringstream help(script_help());
  for (std::string line; std::getline(help, line);) commands.insert(line);
  EXPECT_EQ(explained, commands);
}

TEST_F(Scripts, EveryCommandInTheHelpExists) {
  std::istringstream lines(script_help());
  u32 count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string name = line.substr(0, line.find(' '));
    try {
      Script::parse(name + " too many words for any command\n", "s");
      if (name != "expect-notice") ADD_FAILURE() << name;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()).find("unknown"), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(count, 52u);
}

// Two runs side by side.

class TwoRuns : public testing::Test {
 protected:
  TwoRuns() {
    config.common.backend = "cpu";
    a.keep_timeline(), alone.keep_timeline();
    take(10), choice.on = true, settle();
  }
  /// Frames of the window, until B stands with A and nothing is to come.
  void settle() {
    do {
      second.update(a, choice, requests, now += 0.1);
      a.apply(std::exchange(requests, {}));
      if (second.level(a) && a.asked_for_steps()) a.advance(1e9);
    } while (now < 600 && (choice.on != choice.shown || choice.behind || a.asked_for_steps() || !second.level(a)));
    ASSERT_LT(now, 600);
  }
  void ask_for(const Request& request) {
    requests.push_back(request);
    settle();
  }
  /// Of A, and of a run that nobody changes.
  void take(u64 steps) {
    ask_for(ask::Take{steps});
    alone.apply(ask::Take{steps});
    alone.advance(1e9);
  }
  const SessionModel& b() const { return *second.model(); }
  Bodies bodies_of_b() { return second.at_rest()->bodies(); }

  const render::Offscreen screen{64, 36, render::Offscreen::Driver::software};
  RunConfig config;
  Session a{make_backend("cpu"), {"plummer:n=40,dt=0.01"}, {}},
      alone{make_backend("cpu"), {"plummer:n=40,dt=0.01"}, {}};
  SecondRun second{config};
  SecondChoice choice;
  Requests requests;
  double now = 0;
};

/// They went to A, which then had a branch, while B kept its future.
TEST_F(TwoRuns, WhatHandsChangeIsOfTheRunThatIsChosen) {
  ASSERT_TRUE(choice.shown);
  choice.controls_b = true;
  ask_for(ask::ChangeBodies{{1, 2}, {.kick = {0, 0, 0.8}}});
  EXPECT_NEAR(bodies_of_b().vz[2] - a.bodies().vz[2], 0.8, 1e-6);
  EXPECT_EQ(bodies_of_b().vz[3], a.bodies().vz[3]);
  take(5);
  EXPECT_TRUE(test::same_bits(a.bodies().x, alone.bodies().x)) << "an edit of B changed A";
  EXPECT_FALSE(test::same_bits(bodies_of_b().x, alone.bodies().x));
  EXPECT_TRUE(a.model().history.empty());
  EXPECT_FALSE(a.model().timeline.branch);
  EXPECT_EQ(b().history.size(), 1u);
  EXPECT_EQ(b().steps, 15u);
  for (const Request& edit : Requests{ask::ChangeBody{0, {.mass = 0.5}}, ask::DeleteBodies{{7}}, ask::Name{1, "Vega"},
                                      ask::AddBodies{{{{3, 0, 0}, {0, 0, 0}, 0.01, 0}}}, ask::Reverse{}}) {
    ask_for(edit);
  }
  EXPECT_EQ(bodies_of_b().m[0], 0.5);
  EXPECT_EQ(b().population->ids[7], 8u);
  EXPECT_EQ(name_of(b(), 1), "Vega");
  EXPECT_TRUE(b().backwards);
  EXPECT_EQ(a.model().n, 40u);
  EXPECT_TRUE(a.model().names.empty() && a.model().history.empty());
  EXPECT_FALSE(a.model().backwards);
  choice.controls_b = false;
  ask_for(ask::DeleteBodies{{3, 4}});
  EXPECT_EQ(a.model().n, 38u);
  EXPECT_EQ(b().n, 40u) << "40, less one, and one more";
}

TEST_F(TwoRuns, UndoIsOfTheRunThatIsChosenWhereverBothHaveBeen) {
  choice.controls_b = true;
  ask_for(ask::ChangeBodies{{1, 2}, {.kick = {0, 0, 0.8}}});
  take(5);
  const Bodies changed = bodies_of_b();
  ask_for(ask::GoTo{12});  // of A, which B follows
  EXPECT_EQ(b().steps, 12u);
  ask_for(ask::GoTo{15});
  EXPECT_EQ(b().history.size(), 1u) << "where A has been is no change of B";
  EXPECT_TRUE(test::same_bits(bodies_of_b().x, changed.x));
  ask_for(ask::GoTo{0});
  EXPECT_EQ(b().steps, 10u) << "its beginning";
  ask_for(ask::GoTo{15});
  EXPECT_TRUE(test::same_bits(bodies_of_b().x, changed.x)) << "it forgot the change on the way";
  ask_for(ask::Undo{});
  EXPECT_EQ(b().steps, 15u);
  EXPECT_TRUE(test::same_bits(bodies_of_b().x, a.bodies().x));
  ask_for(ask::Redo{});
  EXPECT_EQ(b().steps, 15u);
  EXPECT_TRUE(test::same_bits(bodies_of_b().x, changed.x));
  ask_for(ask::Reset{});
  EXPECT_EQ(b().steps, 0u);
  EXPECT_EQ(b().history.size(), 1u);
}

TEST_F(TwoRuns, AllMapsTakeTurnsInAAlone) {
  choice.controls_b = true;
  ask_for(ask::PairMap{TriangleMapId::fold});
  EXPECT_EQ(b().asked.pair_map, TriangleMapId::fold);
  EXPECT_NE(a.model().asked.pair_map, TriangleMapId::fold);
  ask_for(ask::Compare{true});
  EXPECT_FALSE(a.model().comparing || b().comparing);
  EXPECT_NE(a.model().notices.back().text.find("in A alone"), std::string::npos);
}

/// With bodies of other numbers in A, a selection in B is none of A.
TEST_F(TwoRuns, HandsReachTheBodiesOfB) {
  choice.controls_b = true;
  ask_for(ask::DeleteBodies{{0, 1}});
  GuiState state;
  TouchScene touch;
  state.touch.population = a.model().population, state.touch.selection.bodies = {5, 6}, state.view.selected = 5;
  state.touch.deletes = state.view.rounds = true;
  touch.work(*second.at_rest(), state, {0, 0, 800, 600}, requests);
  EXPECT_EQ(state.view.selected, 3u) << "the same body";
  settle();
  EXPECT_EQ(b().n, 36u);
  EXPECT_EQ(b().population->ids[3], 7u);
  EXPECT_EQ(a.model().n, 40u);
}

/// Galaxies were off the centre once A and B was off again.
TEST(SharedCamera, IsWhereItWasWhenTwoRunsEndUnlessSomebodyMovedIt) {
  const render::CameraPose before{{1, 2, 3}, 7, 0.1f, 0.2f}, fit{{0, 0, 0}, 20, 0.1f, 0.2f};
  enum class Meanwhile : u8 { nothing, turned, fitted, opened, followed };
  const auto after = [&](Meanwhile what, bool& fits) {
    SharedCamera camera;
    SceneView view;
    view.camera.pose = before;
    const bool follows = what == Meanwhile::followed;
    camera.follow(view, follows, false, 1, fits = false);
    EXPECT_FALSE(fits);
    camera.follow(view, follows, true, 1, fits);
    EXPECT_TRUE(std::exchange(fits, false)) << "a half is narrower";
    view.camera.pose = fit, camera.fitted(view);
    camera.follow(view, follows, true, 1, fits);
    if (what == Meanwhile::turned) view.camera.pose.yaw = 3;
    if (what == Meanwhile::fitted) camera.fitted(view);
    if (follows) view.camera.pose.target = {9, 9, 9};
    camera.follow(view, follows, false, what == Meanwhile::opened ? 2 : 1, fits);
    return view.camera.pose;
  };
  bool fits = false;
  EXPECT_EQ(after(Meanwhile::nothing, fits), before);
  EXPECT_FALSE(fits);
  EXPECT_EQ(after(Meanwhile::turned, fits).yaw, 3);
  EXPECT_FALSE(fits);
  after(Meanwhile::fitted, fits);
  EXPECT_TRUE(fits) << "who asked to see all sees all";
  after(Meanwhile::opened, fits);
  EXPECT_TRUE(fits);
  EXPECT_EQ(after(Meanwhile::followed, fits), (render::CameraPose{{9, 9, 9}, before.distance, 0.1f, 0.2f}));
}

}  // namespace
}  // namespace tri::app::gui
