// Spans of work: sums within a range, what is forgotten, and what a session notes of its steps.

#include "app/support/work_trace.hpp"

#include <gtest/gtest.h>

namespace tri::app {
namespace {

TEST(WorkTrace, SumsOfALaneAreCutToTheRangeAndCountNothingTwice) {
  WorkTrace work;
  work.add({"steps", WorkLane::step_thread, 0, 1.0, 3.0});
  work.add({"force", WorkLane::step_thread, 1, 1.25, 2.75});  // within the steps
  work.add({"steps", WorkLane::step_thread, 0, 4.0, 5.0});
  work.add({"turn", WorkLane::step_thread, 0, 5.0, 5.5});
  work.add({"steps", WorkLane::gpu_step, 0, 1.0, 9.0});
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 0, 10), 3.5);
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 2, 4.25), 1.25);
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 0, 10, "turn"), 0.5);
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::step_thread, 3, 4), 0);
  EXPECT_TRUE(work.has(WorkLane::gpu_step));
  EXPECT_FALSE(work.has(WorkLane::gpu_draw));
}

TEST(WorkTrace, KeepsTheLastFramesAndTheirSpans) {
  WorkTrace work;
  constexpr std::size_t kFrames = WorkTrace::kMaxFrames + 17;
  for (std::size_t k = 0; k < kFrames; ++k) {
    const double begin = static_cast<double>(k), end = begin + 1;
    work.add({"scene", WorkLane::draw_thread, 0, begin, begin + 0.25});
    work.add({"panels", WorkLane::draw_thread, 0, begin + 0.25, end});
    work.end_frame({begin, end});
  }
  ASSERT_EQ(work.frames().size(), WorkTrace::kMaxFrames);
  EXPECT_EQ(work.frames().front().begin, 17);
  EXPECT_EQ(work.spans().front().end, 17) << "what ends where the oldest frame begins is the first one kept";
  EXPECT_DOUBLE_EQ(work.sum(WorkLane::draw_thread, 17, 17 + WorkTrace::kMaxFrames), WorkTrace::kMaxFrames);
  work.add({"backwards", WorkLane::draw_thread, 0, 9, 8});
  EXPECT_STREQ(work.spans().back().name, "panels");
}

TEST(WorkTrace, HoldsManySpansOfOneFrameToItsLimit) {
  WorkTrace work;
  for (std::size_t k = 0; k < 2 * WorkTrace::kMaxSpans; ++k) work.add({"place", WorkLane::gpu_draw, 0, 1, 1 + 1e-9});
  EXPECT_EQ(work.spans().size(), WorkTrace::kMaxSpans);
}

}  // namespace
}  // namespace tri::app
