// The demo, with a clock set by the test: each fitting map is launched in turn, each scene is shown for its time.

#include "app/gui/script/demo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/gui/views/bottom_panes.hpp"
#include "sim/base/error.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/gui/gui_models.hpp"

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

}  // namespace
}  // namespace tri::app::gui
