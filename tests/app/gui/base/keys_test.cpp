// Keys: numbers, Page Down and Page Up select maps that fit, the others do what the help says.

#include "app/gui/base/keys.hpp"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "tests/app/gui/gui_models.hpp"

namespace tri::app::gui {
namespace {

using test::only;

struct Keys : testing::Test {
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests press(int key, bool shift = false, bool ctrl = false) {
    Requests requests;
    on_key({key, ctrl, shift}, model, state, requests);
    return requests;
  }
};

TEST_F(Keys, NumbersSelectTheRowsOfTheMaps) {
  for (int k = 0; k < 9; ++k) {
    const Requests r = press(GLFW_KEY_1 + k);
    ASSERT_TRUE(only<ask::PairMap>(r));
    EXPECT_EQ(static_cast<int>(only<ask::PairMap>(r)->map), k);
  }
  model = test::triples_model();
  EXPECT_EQ(only<ask::TripleMap>(press(GLFW_KEY_3))->map, static_cast<TetraMapId>(2));
  EXPECT_TRUE(press(GLFW_KEY_9).empty()) << "there are five";
}

TEST_F(Keys, PagesCycleThroughTheMapsThatFit) {
  for (const bool back : {false, true}) {
    std::set<u32> seen;
    for (u32 k = 0; k < kTriangleMapCount - 1; ++k) {
      const Requests r = press(back ? GLFW_KEY_PAGE_UP : GLFW_KEY_PAGE_DOWN);
      ASSERT_TRUE(only<ask::PairMap>(r));
      model.asked.pair_map = only<ask::PairMap>(r)->map;
      EXPECT_TRUE(model.pair_maps[static_cast<u32>(model.asked.pair_map)].fits());
      seen.insert(static_cast<u32>(model.asked.pair_map));
    }
    EXPECT_EQ(seen.size(), kTriangleMapCount - 1);
    EXPECT_EQ(model.asked.pair_map, TriangleMapId::lambda) << "and is back";
  }
}

TEST_F(Keys, PagesWithOneFittingMapRequestNothing) {
  for (MapRow& row : model.pair_maps) row.reason = "no";
  EXPECT_TRUE(press(GLFW_KEY_PAGE_DOWN).empty());
}

TEST_F(Keys, TabTurnsTheFocusAndNoMap) {
  EXPECT_TRUE(press(GLFW_KEY_TAB).empty());
  EXPECT_TRUE(press(GLFW_KEY_TAB).empty());
  EXPECT_EQ(state.panels.focus_turn, 2);
  EXPECT_TRUE(press(GLFW_KEY_TAB, true).empty());
  EXPECT_EQ(state.panels.focus_turn, 1);
}

TEST_F(Keys, SpaceTogglesRunning) {
  EXPECT_TRUE(only<ask::Run>(press(GLFW_KEY_SPACE))->on);
  model.running = true;
  EXPECT_FALSE(only<ask::Run>(press(GLFW_KEY_SPACE))->on);
  model.comparing = true;
  EXPECT_FALSE(only<ask::Compare>(press(GLFW_KEY_M))->on);
}

TEST_F(Keys, BackspaceAndShiftNStepBack) {
  EXPECT_EQ(only<ask::StepBack>(press(GLFW_KEY_BACKSPACE))->steps, 1u);
  EXPECT_EQ(only<ask::StepBack>(press(GLFW_KEY_N, true))->steps, 1u);
  EXPECT_TRUE(only<ask::Take>(press(GLFW_KEY_N)));
}

TEST_F(Keys, ControlMakesAnotherShortcut) {
  EXPECT_TRUE(only<ask::Undo>(press(GLFW_KEY_Z, false, true)));
  EXPECT_TRUE(press(GLFW_KEY_Z).empty());
  press(GLFW_KEY_Q);
  EXPECT_FALSE(state.pending.quit);
  press(GLFW_KEY_Q, false, true);
  EXPECT_TRUE(state.pending.quit);
  EXPECT_TRUE(press(GLFW_KEY_R, false, true).empty()) << "Ctrl+R is not R";
}

TEST_F(Keys, F9Records) {
  EXPECT_TRUE(press(GLFW_KEY_F9).empty());
  EXPECT_TRUE(state.pending.record);
  EXPECT_FALSE(state.pending.screenshot);
}

TEST_F(Keys, StylesCycle) {
  const render::BodyStyle before = state.view.style;
  for (u32 k = 0; k < render::kBodyShapeCount; ++k) press(GLFW_KEY_V);
  for (u32 k = 0; k < render::kQuantityCount - 2; ++k) press(GLFW_KEY_C);  // points have no groups and no contacts
  EXPECT_EQ(state.view.style.shape, before.shape);
  EXPECT_EQ(state.view.style.quantity, before.quantity);
  press(GLFW_KEY_V);
  EXPECT_NE(state.view.style.shape, before.shape);
  for (int k = 0; k < 100; ++k) press(GLFW_KEY_MINUS);
  EXPECT_GT(state.view.style.size, 0);
}

TEST_F(Keys, ViewsAreSavedAndRestored) {
  state.view.camera.pose = {{1, 2, 3}, 7, 0.5f, -0.25f};
  state.view.camera.mode = render::CameraMode::fly;
  EXPECT_TRUE(press(GLFW_KEY_2, false, true).empty()) << "Ctrl+2 is no map";
  state.view.camera = {};
  state.view.camera.turn(1, 0.1f, 0.01f);
  state.view.selected = 4, state.view.follow = true;
  const render::CameraPose before = state.view.camera.pose;
  EXPECT_TRUE(press(GLFW_KEY_3, true).empty()) << "Shift+3 is no map";
  EXPECT_EQ(state.view.camera.pose.yaw, before.yaw) << "nothing is kept under 3";
  EXPECT_TRUE(state.view.follow);
  press(GLFW_KEY_2, true);
  EXPECT_EQ(state.view.camera.pose.target, glm::vec3(1, 2, 3));
  EXPECT_EQ(state.view.camera.pose.distance, 7);
  EXPECT_EQ(state.view.camera.mode, render::CameraMode::fly);
  EXPECT_FALSE(state.view.follow) << "or the body would take the view away";
  state.view.camera.mode = render::CameraMode::orbit;
  state.view.camera.drift(0.1f, false);
  EXPECT_EQ(state.view.camera.pose.yaw, 0.5f) << "at rest";
  EXPECT_TRUE(only<ask::PairMap>(press(GLFW_KEY_6, true))) << "there are five views";
}

TEST_F(Keys, FollowNeedsASelectedBody) {
  press(GLFW_KEY_Z);
  EXPECT_FALSE(state.view.follow);
  state.view.selected = 3;
  press(GLFW_KEY_Z);
  EXPECT_TRUE(state.view.follow);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.view.selected || state.view.follow);
}

TEST_F(Keys, EscClosesTheHelpBeforeItDeselects) {
  state.view.selected = 3;
  press(GLFW_KEY_F1);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.panels.help);
  EXPECT_TRUE(state.view.selected);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.view.selected);
}

TEST_F(Keys, EscEndsTheToolBeforeItClosesThePanel) {
  state.panels.open = "Bodies";
  press(GLFW_KEY_J);
  ASSERT_EQ(state.touch.tool, Tool::add);
  press(GLFW_KEY_ESCAPE);
  EXPECT_EQ(state.touch.tool, Tool::look);
  EXPECT_EQ(state.panels.open, "Bodies");
  press(GLFW_KEY_ESCAPE);
  EXPECT_EQ(state.panels.open, "");
}

TEST_F(Keys, APresentationHidesThePanelsUntilEscape) {
  state.panels.open = "View";
  press(GLFW_KEY_F11);
  EXPECT_TRUE(state.panels.presents);
  EXPECT_FALSE(state.panels.visible());
  press(GLFW_KEY_ESCAPE);
  EXPECT_TRUE(state.panels.visible());
  EXPECT_EQ(state.panels.open, "View") << "one Esc ends one thing";
  press(GLFW_KEY_F11), press(GLFW_KEY_H);
  EXPECT_TRUE(state.panels.visible()) << "H brings the panels back";
  press(GLFW_KEY_H), press(GLFW_KEY_F11), press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.panels.visible()) << "they were hidden before";
}

TEST_F(Keys, ADialogOwnsTheKeyboard) {
  state.files.browser.show(FileBrowser::Purpose::save, "result.hdf5");
  const bool panels = state.panels.shown, panes = state.panes.shown;
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) {
    if (key == GLFW_KEY_ESCAPE) continue;
    for (const bool ctrl : {false, true}) EXPECT_TRUE(press(key, false, ctrl).empty()) << key;
  }
  EXPECT_EQ(state.panels.shown, panels);
  EXPECT_EQ(state.panes.shown, panes);
  EXPECT_FALSE(state.panels.help || state.pending.quit || state.pending.fit || state.pending.screenshot);
  EXPECT_TRUE(state.files.browser.shown());
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.files.browser.shown());
}

TEST_F(Keys, EveryActionHasItsOwnKeyAndDoesSomething) {
  std::set<std::tuple<int, bool, bool>> keys;
  for (const Action& action : actions()) {
    EXPECT_GT(std::string(action.keys).size(), 0u);
    EXPECT_GT(std::string(action.does).size(), 3u);
    if (action.act == nullptr) continue;
    EXPECT_TRUE(keys.emplace(action.press.key, action.press.ctrl, action.press.shift).second) << action.keys;
  }
  for (const int key : {GLFW_KEY_KP_ADD, GLFW_KEY_KP_SUBTRACT, GLFW_KEY_F2}) {
    const float size = state.view.style.size;
    const bool shown = state.panels.shown;
    press(key, true);
    EXPECT_TRUE(state.view.style.size != size || state.panels.shown != shown) << key;
  }
}

TEST_F(Keys, ThePaletteOwnsTheKeyboard) {
  press(GLFW_KEY_P, false, true);
  ASSERT_TRUE(state.palette.shown);
  EXPECT_TRUE(state.palette.focus);
  for (const int key : {GLFW_KEY_SPACE, GLFW_KEY_R, GLFW_KEY_1, GLFW_KEY_M}) EXPECT_TRUE(press(key).empty()) << key;
  press(GLFW_KEY_DOWN), press(GLFW_KEY_DOWN), press(GLFW_KEY_UP);
  EXPECT_EQ(state.palette.at, 1u);
  press(GLFW_KEY_ENTER);
  EXPECT_TRUE(state.palette.accepted);
  press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(state.palette.shown);
}

}  // namespace
}  // namespace tri::app::gui
