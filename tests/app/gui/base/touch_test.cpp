// Bodies by hand without a window: strokes, measures, places under the pointer, and bodies that come and go.

#include "app/gui/base/touch.hpp"

#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/keys.hpp"
#include "app/gui/script/script.hpp"
#include "sim/base/error.hpp"
#include "tests/app/gui/gui_models.hpp"

namespace tri::app::gui {
namespace {

PopulationPtr with_ids(std::vector<u32> ids) {
  Population p;
  p.bodies.resize(ids.size());
  p.ids = std::move(ids);
  return std::make_shared<Population>(std::move(p));
}

TEST(Touch, TheToolHasThePointerWhileItIsInUse) {
  TouchState t;
  EXPECT_FALSE(take_pointer(t, {{10, 20}, true, true, false})) << "the camera turns";
  EXPECT_TRUE(take_pointer(t, {{10, 20}, true, true, true}));
  EXPECT_TRUE(take_pointer(t, {{30, 5}, false, true, false})) << "Shift may be let go";
  EXPECT_TRUE(take_pointer(t, {{40, 6}, false, false, false}));
  ASSERT_TRUE(t.box);
  EXPECT_TRUE(t.box->done);
  EXPECT_EQ(t.box->from, (Pixels{10, 20}));
  EXPECT_EQ(t.box->to, (Pixels{40, 6}));
  EXPECT_TRUE(touch_pending(t));
  EXPECT_FALSE(take_pointer(t, {{40, 6}, false, false, false}));
  t.box.reset();
  t.tool = Tool::add;
  EXPECT_TRUE(take_pointer(t, {{1, 2}, true, true, false}));
  EXPECT_FALSE(t.stroke->done);
  EXPECT_TRUE(leave_touch(t)) << "the stroke goes first";
  EXPECT_FALSE(t.stroke);
  EXPECT_EQ(t.tool, Tool::add);
  t.measures.push_back({{1, 2}, {}}), t.measures.push_back({{1, 3}, {}}), t.selection.bodies = {4};
  EXPECT_TRUE(leave_touch(t));
  EXPECT_EQ(t.tool, Tool::look);
  EXPECT_TRUE(leave_touch(t) && t.measures.size() == 1);
  EXPECT_TRUE(leave_touch(t) && t.measures.empty());
  EXPECT_TRUE(leave_touch(t) && t.selection.bodies.empty());
  EXPECT_FALSE(leave_touch(t));
}

TEST(Touch, KeysTakeTheToolsAndDelete) {
  const SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  on_key({GLFW_KEY_J, false, false}, model, state, requests);
  EXPECT_EQ(state.touch.tool, Tool::add);
  on_key({GLFW_KEY_K, false, false}, model, state, requests);
  EXPECT_EQ(state.touch.tool, Tool::measure);
  on_key({GLFW_KEY_K, false, false}, model, state, requests);
  EXPECT_EQ(state.touch.tool, Tool::look);
  on_key({GLFW_KEY_DELETE, false, false}, model, state, requests);
  EXPECT_TRUE(state.touch.deletes);
  state.touch.selection.bodies = {1, 2}, state.view.selected = 7;
  on_key({GLFW_KEY_ESCAPE, false, false}, model, state, requests);
  EXPECT_TRUE(state.touch.selection.bodies.empty() && state.view.selected == 7u);
  on_key({GLFW_KEY_ESCAPE, false, false}, model, state, requests);
  EXPECT_FALSE(state.view.selected);
  EXPECT_TRUE(requests.empty());
}

TEST(Touch, MeasuresAreDistancesAndAngles) {
  Measure m{{0, 1}, {{0, 0, 0}, {3, 4, 12}}};
  EXPECT_DOUBLE_EQ(m.value(), 13);
  m = {{0, 1, 2}, {{2, 0, 0}, {0, 0, 0}, {0, 0, 5}}};
  EXPECT_DOUBLE_EQ(m.value(), 90);
  m = {{0, 1, 2}, {{1, 0, 0}, {0, 0, 0}, {-1, 1e-9, 0}}};
  EXPECT_NEAR(m.value(), 180 - 1e-9 * 180 / 3.14159265358979, 1e-10) << "also where a cosine has no digits left";
  TouchState t;
  measure_body(t, 5), measure_body(t, 5);
  EXPECT_TRUE(t.measures.empty());
  measure_body(t, 9);
  ASSERT_EQ(t.measures.size(), 1u);
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{5, 9}));
  measure_body(t, 2);
  ASSERT_EQ(t.measures.size(), 1u);
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{5, 9, 2}));
  measure_body(t, 1), measure_body(t, 3);
  EXPECT_EQ(t.measures.size(), 2u);
}

TEST(Touch, BodiesStayTheSameWhenOthersComeAndGo) {
  TouchState t;
  SceneView view;
  t.population = with_ids({0, 1, 2, 3, 4, 5, 6});
  t.selection.bodies = {1, 3, 6};
  t.measures = {{{5, 2}, {{}, {}}}, {{6, 3, 4}, {{}, {}, {}}}};
  t.picked = {3}, view.selected = 4;
  follow_population(t, view, with_ids({0, 2, 4, 5, 6, 7}));
  EXPECT_EQ(t.selection.bodies, (std::vector<u32>{4}));
  ASSERT_EQ(t.measures.size(), 1u);
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{3, 1}));
  EXPECT_TRUE(t.picked.empty());
  EXPECT_EQ(view.selected, 2u);
  follow_population(t, view, with_ids({0, 1, 2, 3, 5, 6}));
  EXPECT_EQ(t.selection.bodies, (std::vector<u32>{5}));
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{4, 2}));
  EXPECT_FALSE(view.selected) << "it is gone";
}

TEST(Touch, ThePlaceUnderThePointerIsDrawnThere) {
  SceneView view;
  view.camera.pose = {{1, 2, 3}, 7, 0.4f, 0.9f};
  const Rect scene{100, 50, 640, 360};
  for (const Place& through : {Place{1, 2, 3}, Place{0, 0, 0}}) {
    for (const Pixels& at : {Pixels{320, 180}, Pixels{0, 0}, Pixels{600, 33.5f}}) {
      const Place p = place_at(view.camera, scene, at, through);
      const auto back = pixels_of(view.camera, scene, p);
      ASSERT_TRUE(back);
      EXPECT_NEAR((*back)[0], at[0], 0.01);
      EXPECT_NEAR((*back)[1], at[1], 0.01);
      const glm::vec3 ahead = view.camera.forward();
      double off = 0;
      for (int a = 0; a < 3; ++a)
        off += ahead[a] * (p[static_cast<std::size_t>(a)] - through[static_cast<std::size_t>(a)]);
      EXPECT_NEAR(off, 0, 1e-5) << "in the plane that the camera looks at";
    }
  }
  const glm::vec3 behind = view.camera.eye() - view.camera.forward();
  EXPECT_FALSE(pixels_of(view.camera, scene, {behind.x, behind.y, behind.z}));
}

TEST(Touch, SpeedsSuitTheScene) {
  Bodies b;
  b.add(0, 0, 0, 3, 4, 0, 8), b.add(1, 0, 0, 0, 0, 1, 8);
  ForceField field;
  field.pair = PairLaw::gravity, field.gravity.G = 2;
  EXPECT_DOUBLE_EQ(usual_speed(b, field, 8), 4) << "sqrt(G M / (extent / 4))";
  field.pair = PairLaw::contact;
  EXPECT_DOUBLE_EQ(usual_speed(b, field, 8), 5) << "the median, of two the larger";
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({}), 0);
}

struct TouchScripts : testing::Test {
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests run(const std::string& text) {
    Requests requests;
    Script script = Script::parse(text, "s");
    script.frame({model, state, requests, [](u32, u32) {}});
    return requests;
  }
};

TEST_F(TouchScripts, CommandsBecomeRequestsAndState) {
  const std::string add = "add 1 2 3 4 5 6 7 0.5\n", move = "change 4 place 1 -1 0\n", weigh = "change 5 mass 2.5\n";
  for (const std::string& second : {add, move, weigh, std::string("delete 3 1\n")}) {
    EXPECT_EQ(run(add + second).size(), 1u) << second << " waits for what comes before it";
  }
  EXPECT_EQ(std::get<ask::AddBodies>(run(add).front()).bodies.front(), (BodyValues{{1, 2, 3}, {4, 5, 6}, 7, 0.5}));
  EXPECT_EQ(std::get<ask::ChangeBody>(run(move).front()).to.place, (Place{1, -1, 0}));
  const ask::ChangeBody weighed = std::get<ask::ChangeBody>(run(weigh).front());
  EXPECT_EQ(weighed.to.mass, 2.5);
  EXPECT_FALSE(weighed.to.place);
  EXPECT_EQ(std::get<ask::DeleteBodies>(run("delete 3 1").front()).bodies, (std::vector<u32>{3, 1}));
  run("select 9 4 4\nselection hide\nselection follow\nmeasure 1 2\ntool add\nnew-body 3 0.25\n");
  EXPECT_EQ(state.touch.selection.bodies, (std::vector<u32>{4, 9}));
  EXPECT_TRUE(state.touch.selection.hidden && state.touch.selection.followed);
  EXPECT_EQ(state.touch.tool, Tool::add);
  EXPECT_EQ(state.touch.mass, 3);
  state.touch.measures[0].places = {{0, 0, 0}, {0, 3, 4}};
  EXPECT_EQ(std::get<ask::DeleteBodies>(run("delete").front()).bodies, (std::vector<u32>{4, 9}));
  EXPECT_EQ(std::get<ask::Export>(run("export a.csv").front()).path, "a.csv");
  run("expect-selected 2\nexpect-measure 5 0\nselection show\nselection leave\nnew-body usual\nmeasure none");
  EXPECT_TRUE(state.touch.measures.empty() && !state.touch.mass && !state.touch.selection.hidden);
  run("stroke 1 2 3 4 hold");
  ASSERT_TRUE(state.touch.stroke);
  EXPECT_FALSE(state.touch.stroke->done);
  take_pointer(state.touch, {});
  EXPECT_FALSE(state.touch.stroke->done) << "held by the script";
  run("select box 5 6 7 8");
  EXPECT_TRUE(state.touch.box->done);
}

TEST_F(TouchScripts, MistakesAreRefused) {
  for (const char* wrong :
       {"add 1 2 3", "add 1 2 3 4 5 6 7 x", "change 1 place 2", "change 1 mass 1 2", "change 1 speed 2", "delete -1",
        "select", "select box 1 2 3", "selection up", "measure 1", "tool hammer", "stroke 1 2 3", "stroke 1 2 3 4 drop",
        "new-body 1", "expect-measure 1", "export"}) {
    EXPECT_THROW(Script::parse(wrong, "s"), ConfigError) << wrong;
  }
  for (const char* wrong :
       {"select 1000", "measure 1 1000", "stroke 1 2 3 4", "expect-selected 1", "expect-measure 1 1"}) {
    EXPECT_THROW(run(wrong), Error) << wrong;
  }
}

}  // namespace
}  // namespace tri::app::gui
