// Demonstrations by a clock of the test: every map that fits has its turn in the domain view, every scene its time.

#include "app/gui/demo.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sim/error.hpp"
#include "tests/app/gui/gui_models.hpp"

namespace tri::app::gui {
namespace {

TEST(Demo, EveryMapThatFitsIsLaunchedOnceARound) {
  Demo demo("maps", "");
  const SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  demo.frame(0.1, model, state, requests);
  EXPECT_TRUE(test::only<ask::Compare>(requests)->on);
  EXPECT_TRUE(state.domain.shown);
  std::vector<u32> order;
  for (u32 k = 0; k < kTriangleMapCount - 1; ++k) {
    EXPECT_TRUE(state.domain.running);
    EXPECT_EQ(state.domain.launched, 0);
    order.push_back(state.domain.map.value());
    state.domain.running = false, state.domain.launched = 1;  // as the view does at the end of its sweep
    requests.clear();
    demo.frame(1, model, state, requests);
    EXPECT_FALSE(state.domain.running) << "a moment to look at it";
    demo.frame(1.1, model, state, requests);
    EXPECT_TRUE(requests.empty()) << "the bodies go on as they are";
  }
  EXPECT_EQ(std::set<u32>(order.begin(), order.end()).size(), kTriangleMapCount - 1);
  EXPECT_EQ(order.front(), 0u);
  EXPECT_EQ(state.domain.map, 0u) << "and round again";
}

TEST(Demo, ScenesFollowEachOtherAndCompareAgain) {
  Demo demo("pairs", "");
  const SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  std::vector<std::string> opened;
  for (int second = 0; second < 140; ++second) {
    requests.clear();
    demo.frame(1, model, state, requests);
    if (requests.size() != 2) continue;
    opened.push_back(std::get<ask::Open>(requests[0]).scene);
    EXPECT_TRUE(std::get<ask::Compare>(requests[1]).on);
  }
  ASSERT_EQ(opened.size(), 3u);
  EXPECT_EQ(opened[2], demo.first_scene());
  EXPECT_NE(opened[0], opened[1]);
}

TEST(Demo, ASceneOfTheUserStays) {
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
