#pragma once
/// When the work of the last frames was done: spans on one clock, in lanes. The parts of a frame are spans of the draw
/// thread without a gap, so that their sums are those of the frame strip.

#include <array>
#include <cstddef>
#include <deque>

#include "sim/base/platform.hpp"

namespace tri::app {

enum class WorkLane : u8 { step_thread, draw_thread, gpu_step, gpu_draw };
inline constexpr std::size_t kWorkLanes = 4;
inline constexpr std::array<const char*, kWorkLanes> kWorkLaneNames{"step-thread", "draw-thread", "gpu-step",
                                                                    "gpu-draw"};

struct WorkSpan {
  const char* name = "";  ///< a literal
  WorkLane lane = WorkLane::draw_thread;
  u8 depth = 0;               ///< > 0: within one of less depth
  double begin = 0, end = 0;  ///< seconds of clock_s()
  double seconds() const { return end - begin; }
};

class WorkTrace {
 public:
  static constexpr std::size_t kMaxFrames = 240, kMaxSpans = 20'000;
  struct Frame {
    double begin = 0, end = 0;
  };

  /// Spans of one lane and depth may come in any order; one that ends before it begins is dropped.
  void add(const WorkSpan& span);
  /// A frame of the draw thread has ended; what ended before the oldest one kept is forgotten.
  void end_frame(const Frame& frame);

  const std::deque<WorkSpan>& spans() const noexcept { return spans_; }
  const std::deque<Frame>& frames() const noexcept { return frames_; }  ///< oldest first

  /// Seconds of the spans of depth 0 in a lane, as far as they are within [begin, end]; name: of those alone.
  double sum(WorkLane lane, double begin, double end, const char* name = nullptr) const;
  bool has(WorkLane lane) const;

 private:
  std::deque<WorkSpan> spans_;
  std::deque<Frame> frames_;
};

}  // namespace tri::app
