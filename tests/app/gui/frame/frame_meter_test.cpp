// The frame meter: each lap is one part's, and the parts are the frame.

#include "app/gui/frame/frame_meter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "sim/base/clock.hpp"

namespace tri::app::gui {
namespace {

TEST(FrameMeter, PartsAreTheFrameWithoutAGap) {
  FrameMeter meter(false);
  FrameState frames;
  const auto work = [](int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
  const double begin = clock_s();
  meter.begin(begin);
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    work(static_cast<int>(k) + 2);
    meter.lap(static_cast<FramePart>(k));
  }
  work(5);
  const double least = (clock_s() - begin) * 1e3;
  meter.lap(FramePart::steps);  // a part may come again
  const double most = (clock_s() - begin) * 1e3;
  meter.add(frames);
  ASSERT_EQ(frames.costs.size(), 1u);
  const FrameCost& cost = frames.costs.back();
  EXPECT_GE(static_cast<double>(cost.whole()), least - 0.01);
  EXPECT_LE(static_cast<double>(cost.whole()), most + 0.01);
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    const double slept = static_cast<double>(k) + 2 + (k == static_cast<std::size_t>(FramePart::steps) ? 5 : 0);
    EXPECT_GE(static_cast<double>(cost.parts[k]), slept) << kFrameParts[k].name;
  }
  meter.begin(clock_s());
  meter.add(frames);
  EXPECT_EQ(frames.costs.back().whole(), 0.0f) << "nothing of the frame before";
}

}  // namespace
}  // namespace tri::app::gui
