// The panel of time: what its buttons ask for, what it says, and the bar that is dragged.

#include <string>

#include "app/gui/panel/panels.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

using test::only;

class TimePanel : public PanelFixture {
 protected:
  TimePanel() {
    model.steps = 400, model.time = 4;
    model.timeline.kept = true;
    model.timeline.last = 1000, model.timeline.last_time = 10;
    for (u64 step = 0; step <= 1000; step += 100) model.timeline.keyframes.push_back({step, 0.01 * double(step)});
    model.timeline.bytes = 4100000;
  }
  std::function<void()> draw() {
    return [this] { panel::timeline(model, state, requests); };
  }
  /// A frame with the pointer at this share of the bar, its button up or down.
  void point(float share, bool down) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {bar_.x + share * (bar_.z - bar_.x), (bar_.y + bar_.w) / 2};
    io.MouseDown[0] = down;
    frame(draw());
  }
  /// Where the bar is, without its margins.
  void find_bar() {
    frame([this] {
      panel::timeline(model, state, requests);
      const ImGuiWindow* window = ImGui::GetCurrentWindow();
      const float left = window->ContentRegionRect.Min.x + 6, right = window->ContentRegionRect.Max.x - 6;
      bar_ = {left, 0, right, 0};
    });
    // Below the two lines of buttons: the first place at which an item is hovered that has no text.
    ImGuiID bar = ImHashStr("bar", 0, ImGui::FindWindowByName("test")->ID);
    for (float y = 0; y < 300; y += 2) {
      ImGui::GetIO().MousePos = {(bar_.x + bar_.z) / 2, y};
      frame(draw());
      frame(draw());
      if (ImGui::GetCurrentContext()->HoveredId != bar) continue;
      if (bar_.y == 0) bar_.y = y;
      bar_.w = y;
    }
    ASSERT_GT(bar_.w, bar_.y);
  }
  ImVec4 bar_{};
};

TEST_F(TimePanel, ButtonsAsk) {
  press({"Step back"}, draw());
  EXPECT_EQ(only<ask::StepBack>(requests)->steps, 1u);
  press({"###play"}, draw());
  EXPECT_TRUE(only<ask::Run>(requests)->on);
  press({"Step"}, draw());
  EXPECT_TRUE(only<ask::Take>(requests));
  press({"Branch here"}, draw());
  EXPECT_TRUE(only<ask::Branch>(requests));
  press({"Other branch"}, draw());
  EXPECT_TRUE(requests.empty()) << "there is none";
  model.timeline.branch = 300, model.timeline.other_last = 800;
  press({"Other branch"}, draw());
  EXPECT_TRUE(only<ask::OtherBranch>(requests));
  model.steps = 0;
  press({"Step back"}, draw());
  EXPECT_TRUE(requests.empty()) << "at the first step";
}

TEST_F(TimePanel, SaysWhereItIs) {
  std::string text = frame(draw());
  for (const char* part : {"step 400", "t = 4", "shown again; the last is 1000", "11 keyframes", "4.1 MB"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("rounding"), std::string::npos);
  model.timeline.seek = {300, 700};
  model.timeline.branch = 300, model.timeline.other_last = 800;
  model.timeline.exact = false;
  text = frame(draw());
  for (const char* part : {"going to step 700: 25 %", "part at step 300", "ends at 800", "up to rounding"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  model.timeline = {};
  EXPECT_NE(frame(draw()).find("no steps are kept"), std::string::npos);
}

TEST_F(TimePanel, ADragShowsKeyframesAndEndsAtTheStep) {
  find_bar();
  point(0.5f, false);
  point(0.5f, false);
  point(0.564f, true);
  ASSERT_TRUE(only<ask::GoTo>(requests));
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 500u);
  model.steps = 500;
  point(0.58f, true);
  EXPECT_TRUE(requests.empty()) << "the same keyframe";
  point(0.25f, true);
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 200u);
  point(0.25f, false);
  ASSERT_TRUE(only<ask::GoTo>(requests));
  EXPECT_NEAR(static_cast<double>(only<ask::GoTo>(requests)->step), 250, 3);
  point(0.9f, false);
  EXPECT_TRUE(requests.empty());
  model.timeline.branch = 300, model.timeline.other_last = 2000;
  find_bar();
  point(0.9f, false);
  point(0.9f, true);
  EXPECT_EQ(only<ask::GoTo>(requests)->step, 1000u) << "no further than this run";
}

}  // namespace
}  // namespace tri::app::gui
