// The lanes of the frame strip: sums, zoom and what they say of a step under way.

#include "app/gui/charts/lanes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/gui/frame/frame_meter.hpp"
#include "sim/base/clock.hpp"
#include "tests/app/gui/panel_fixture.hpp"

namespace tri::app::gui {
namespace {

constexpr ImU32 kInk = 0xff00ffff;

TEST(Lanes, TheDrawThreadSumsToTheFrameStrip) {
  FrameMeter meter(false);
  FrameState frames;
  for (int f = 0; f < 7; ++f) {
    meter.begin(clock_s());
    for (std::size_t k = 0; k < kFramePartCount; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * (k % 3 + 1)));
      meter.lap(static_cast<FramePart>(k));
      if (k == 6) {  // twice on end
        std::this_thread::sleep_for(std::chrono::microseconds(500));
        meter.lap(static_cast<FramePart>(k));
      }
      if (k == 4) meter.lap(FramePart::steps);  // again, later in the frame
    }
    meter.add(frames);
  }
  ASSERT_EQ(frames.work.frames().size(), 7u);
  const Extent all = *charts::all_work(frames.work);
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    double strip = 0;
    for (const FrameCost& cost : frames.costs) strip += 1e-3 * static_cast<double>(cost.parts[k]);
    EXPECT_NEAR(frames.work.sum(WorkLane::draw_thread, all.low, all.high, kFrameParts[k].name), strip, 1e-6)
        << kFrameParts[k].name;
  }
  double whole = 0, between = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    whole += 1e-3 * static_cast<double>(frames.costs[k].whole());
    const WorkTrace::Frame& f = frames.work.frames()[k];
    between += f.end - f.begin;
    EXPECT_NEAR(frames.work.sum(WorkLane::draw_thread, f.begin, f.end), f.end - f.begin, 1e-9) << "without a gap";
  }
  EXPECT_NEAR(between, whole, 1e-6);
}

TEST(Zoom, KeepsThePlaceUnderThePointerAndStaysWithinAll) {
  const Extent all{0, 16};
  const Extent near = zoomed(all, 4, 2, all, 0.5);
  EXPECT_EQ(near, (Extent{2, 10}));
  EXPECT_EQ(zoomed(near, 4, 0.5, all, 0.5), all);
  EXPECT_EQ(zoomed(all, 16, 4, all, 0.5), (Extent{12, 16}));
  EXPECT_EQ(zoomed(near, 4, 1e9, all, 0.5).length(), 0.5);
  EXPECT_EQ(moved(near, 100, all), (Extent{8, 16}));
  EXPECT_EQ(moved(near, -1, all), (Extent{1, 9}));
  EXPECT_EQ(within({-3, 99}, all), all);
  for (const double low : {0.1, 16711.35216, -3e-7}) {  // high - (high - low) is not low
    for (const double length : {0.3, 1e-3, 7.77}) {
      const Extent some{low, low + length};
      EXPECT_NEAR(zoomed(some, low + length / 3, 0.5, some, 1e-9).low, low, 1e-9);
      EXPECT_GE(moved(some, -1, some).low, low);
    }
  }
}

class LanesPanel : public PanelFixture {
 protected:
  LanesPanel() {
    for (int k = 0; k < 10; ++k) {
      const double t = 100 + 0.02 * k;
      frames.work.add({"scene", WorkLane::draw_thread, 0, t, t + 0.012});
      frames.work.add({"panels", WorkLane::draw_thread, 0, t + 0.012, t + 0.02});
      frames.work.add({"steps", WorkLane::step_thread, 0, t, t + 0.005});
      frames.work.end_frame({t, t + 0.02});
    }
    frames.drawn_by = "llvmpipe";
    charts::refresh(state.lanes, frames, 100.2);
  }
  std::string shown(double now = 100.2) {
    return frame([&] { charts::lanes_items(state.lanes, frames, kInk, now, {0, 0, 1000, 200}, 1); });
  }
  FrameState& frames = state.frames;
};

TEST_F(LanesPanel, ShowsTheThreadsThatWorkedAndNoOthers) {
  const std::string text = shown();
  for (const char* part : {"step thread", "draw thread", "scene 12.0 ms", "25 %", "100 %", "0 ms"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
  EXPECT_EQ(text.find("GPU step"), std::string::npos) << "there is none on the cpu backend";
  EXPECT_EQ(text.find("llvmpipe draw"), std::string::npos);
  frames.work.add({"splat", WorkLane::gpu_draw, 0, 100.18, 100.19});
  charts::refresh(state.lanes, frames, 101);
  EXPECT_NE(shown().find("llvmpipe draw"), std::string::npos);
}

TEST_F(LanesPanel, ShowTheLastFramesUntilChosenOtherwise) {
  const Extent last = *charts::shown_work(state.lanes, frames);
  EXPECT_NEAR(last.low, 100.14, 1e-9);
  EXPECT_NEAR(last.high, 100.2, 1e-9);
  frames.work.add({"splat", WorkLane::gpu_draw, 0, 100.1, 100.11});
  charts::refresh(state.lanes, frames, 101);
  EXPECT_NEAR(charts::shown_work(state.lanes, frames)->high, 100.12, 1e-9) << "frames that the GPU has told of";
  frames.step_begun = 100.05;
  EXPECT_NEAR(charts::shown_work(state.lanes, frames)->low, 100.05, 1e-9) << "steps under way, from their beginning on";
  state.lanes.from = 100.03, state.lanes.to = 100.04;
  EXPECT_NEAR(charts::shown_work(state.lanes, frames)->low, 100.03, 1e-9);
}

TEST_F(LanesPanel, FrozenTheyStay) {
  press({"###freeze"}, [&] { charts::lanes_items(state.lanes, frames, kInk, 100.2, {0, 0, 500, 200}, 1); });
  EXPECT_TRUE(state.lanes.frozen);
  frames.work.end_frame({200, 201});
  charts::refresh(state.lanes, frames, 300);
  EXPECT_EQ(state.lanes.held.frames().size(), 10u);
  press({"###freeze"}, [&] { charts::lanes_items(state.lanes, frames, kInk, 100.2, {0, 0, 500, 200}, 1); });
  charts::refresh(state.lanes, frames, 301);
  EXPECT_EQ(state.lanes.held.frames().size(), 11u);
  press({"###close"}, [&] { charts::lanes_items(state.lanes, frames, kInk, 100.2, {0, 0, 500, 200}, 1); });
  EXPECT_FALSE(state.lanes.shown);
}

TEST_F(LanesPanel, ALongStepSaysHowLongAndWhatWaits) {
  EXPECT_EQ(charts::step_under_way(frames, 100.2), "");
  frames.step_begun = 100.15;
  EXPECT_EQ(charts::step_under_way(frames, 100.2), "") << "shorter than a look";
  frames.step_begun = 99.4, frames.waiting = 2;
  EXPECT_EQ(charts::step_under_way(frames, 100.2), "step 0.8 s, 2 requests wait");
  frames.waiting = 1;
  EXPECT_EQ(charts::step_under_way(frames, 100.2), "step 0.8 s, 1 request waits");
  frames.waiting = 0;
  EXPECT_EQ(charts::step_under_way(frames, 100.2), "step 0.8 s");
  EXPECT_NE(shown().find("step 0.8 s"), std::string::npos);
}

}  // namespace
}  // namespace tri::app::gui
