// The camera's path and the film in the panel Time: what their buttons do, and what they say.

#include "app/gui/film/time_lanes.hpp"

#include <gtest/gtest.h>

#include "app/gui/panel/panels.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

class TimeLanes : public PanelFixture {
 protected:
  TimeLanes() {
    model.steps = 400, model.time = 4, model.scene.dt = 0.01;
    model.timeline.kept = true;
    model.timeline.last = 1000, model.timeline.last_time = 10;
    for (u64 step = 0; step <= 1000; step += 100) model.timeline.keyframes.push_back({step, 0.01 * double(step)});
  }
  std::function<void()> draw() {
    return [this] { panel::timeline(model, state, requests); };
  }
};

TEST_F(TimeLanes, BookmarksAreAddedShownAndDeleted) {
  SceneView& view = state.view;
  view.camera.pose = {{1, 2, 3}, 4, 0.5f, 0.25f};
  const render::CameraPose first = view.camera.pose;
  press({"Add here"}, draw());
  ASSERT_EQ(view.path.marks().size(), 1u);
  EXPECT_EQ(view.path.marks()[0], (CameraPath::Mark{4, first}));
  press({"###path"}, draw());
  EXPECT_FALSE(view.on_path) << "one bookmark is no path";
  model.time = 14, view.camera.pose.yaw = -1;
  press({"Add here"}, draw());
  ASSERT_EQ(view.path.marks().size(), 2u);
  EXPECT_EQ(view.mark, 1u);
  EXPECT_NE(frame(draw()).find("2 bookmarks"), std::string::npos);
  press({"###path"}, draw());
  EXPECT_TRUE(view.on_path);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(std::get<ask::GoTo>(requests[0]).step, 400u) << "the keyframe of the first bookmark";
  EXPECT_TRUE(std::get<ask::Run>(requests[1]).on);
  press({"Delete"}, draw());
  ASSERT_EQ(view.path.marks().size(), 1u);
  EXPECT_EQ(view.path.marks()[0].time, 4);
  press({"Delete"}, draw());
  EXPECT_EQ(view.path.marks().size(), 1u) << "none is chosen";
}

/// The second of three bookmarks is dragged beyond the third: it stays before it, and keeps its view.
TEST_F(TimeLanes, ADragGivesABookmarkAnotherTime) {
  SceneView& view = state.view;
  for (const double t : {0.0, 4.0, 10.0}) view.path.add(t, {{0, 0, 0}, static_cast<float>(1 + t), 0, 0});
  float left = 0, right = 0;
  frame([&] {
    panel::timeline(model, state, requests);
    const ImGuiWindow* window = ImGui::GetCurrentWindow();
    left = window->ContentRegionRect.Min.x + 6, right = window->ContentRegionRect.Max.x - 6;
  });
  ImGuiIO& io = ImGui::GetIO();
  const int second = 1;
  const ImGuiID mark = ImHashStr("mark", 0, ImHashData(&second, sizeof second, ImGui::FindWindowByName("test")->ID));
  const auto at = [&](float time) { return left + time / 10 * (right - left); };
  for (float y = 0; y < 400 && ImGui::GetCurrentContext()->HoveredId != mark; y += 3) {
    io.MousePos = {at(4), y};
    frame(draw()), frame(draw());
  }
  ASSERT_EQ(ImGui::GetCurrentContext()->HoveredId, mark);
  const auto drag = [&](float time, bool down) {
    io.MousePos.x = at(time), io.MouseDown[0] = down;
    frame(draw()), frame(draw());
  };
  drag(4, true);
  drag(7, true);
  EXPECT_NEAR(view.path.marks()[1].time, 7, 0.05);
  EXPECT_EQ(view.path.marks()[1].pose.distance, 5);
  drag(12, true);
  drag(12, false);
  ASSERT_EQ(view.path.marks().size(), 3u);
  EXPECT_LT(view.path.marks()[1].time, 10);
  EXPECT_GT(view.path.marks()[1].time, 9.99);
  EXPECT_EQ(view.path.marks()[1].pose.distance, 5);
}

TEST_F(TimeLanes, AFaultOfAFileIsSaid) {
  state.view.path_file = "/nowhere/p.toml";
  press({"Open path"}, draw());
  EXPECT_NE(frame(draw()).find("/nowhere/p.toml"), std::string::npos);
}

TEST_F(TimeLanes, KeyframesAndBranchesSayWhatTheyAre) {
  model.scene.units = "kpc-kms-msun";
  model.timeline.branch = 300, model.timeline.other_keyframes = {{700, 7.5}};
  EXPECT_EQ(film::tick_text(model, 510, 10, false), "Keyframe: step 500, t = 4888.96 Myr");
  EXPECT_EQ(film::tick_text(model, 511, 10, false), "");
  EXPECT_EQ(film::tick_text(model, 295, 10, false), "The runs part at step 300");
  EXPECT_EQ(film::tick_text(model, 295, 10, true), "The runs part at step 300");
  EXPECT_EQ(film::tick_text(model, 700, 0, true), "Keyframe of the other branch: step 700, t = 7333.44 Myr");
  EXPECT_EQ(film::tick_text(model, 500, 10, true), "");
  model.timeline.recorded = true;
  EXPECT_EQ(film::tick_text(model, 0, 10, false), "Recorded state: step 0, t = 0 Myr");
}

TEST_F(TimeLanes, TheAxisHoldsTheWholePath) {
  const film::TimeAxis axis{100, 300, -2, 8};
  EXPECT_FLOAT_EQ(axis.x(-2), 100);
  EXPECT_FLOAT_EQ(axis.x(3), 200);
  EXPECT_DOUBLE_EQ(axis.time(250), 5.5);
  EXPECT_DOUBLE_EQ(axis.time(999), 8);
}

TEST_F(TimeLanes, TheFilmSaysItsFramesAndSpeed) {
  FilmChoice& film = state.film.choice;
  film.fps = 50, film.seconds = 4, film.speed = 2.4;
  std::string text = frame(draw());
  for (const char* part : {"200 frames from here, 5 steps each: 2.50 a second", "The camera is that of the window"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  press({"Make film"}, draw());
  EXPECT_TRUE(state.film.start);
  state.film.now = FilmProgress{50, 200, 5, "film.mp4"};
  text = frame(draw());
  for (const char* part : {"25 %, 50 of 200 frames", "about 15 s left"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  press({"Stop and keep"}, draw());
  EXPECT_TRUE(state.film.stop);
}

TEST_F(TimeLanes, TheMarkSaysSecondsAndSpeed) {
  EXPECT_EQ(film::mark_text(model, {0, 0}), "REC 0 s");
  EXPECT_EQ(film::mark_text(model, {23.9, 0.4}), "REC 23 s, 0.4 a second");
  model.scene.units = "kpc-kms-msun";
  EXPECT_NE(film::mark_text(model, {1, 2}).find("a second"), std::string::npos);
}

TEST_F(TimeLanes, ASecondRunIsAskedForAndChosen) {
  press({"A and B"}, draw());
  EXPECT_TRUE(state.second.on);
  press({"of B"}, draw());
  EXPECT_FALSE(state.second.controls_b) << "it is not there yet";
  state.second.shown = true;
  press({"of B"}, draw());
  EXPECT_TRUE(state.second.controls_b);
}

}  // namespace
}  // namespace tri::app::gui
