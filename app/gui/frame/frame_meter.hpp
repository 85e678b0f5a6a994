#pragma once
/// Times of the window's frames: for the Timing panel and for the report of a measured run.

#include <array>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/frame/present_thread.hpp"
#include "app/session/session_model.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app::gui {

/// Whether a script or a number of frames ends the run, which is then measured.
inline bool is_measured(const ViewOptions& options) {
  return !options.script.empty() || options.exit_after.has_value();
}

/// Parts of a frame in ms: on the thread that draws, and of the bodies on the GPU.
struct FrameTimes {
  std::array<double, kFramePartCount> parts{};  ///< by FramePart
  render::BodyRenderer::Costs gpu;
  bool beside_presenting = false;  ///< whether a frame was presented meanwhile, for which drawing may have to wait
  double whole() const { return std::accumulate(parts.begin(), parts.end(), 0.0); }
  double gpu_total() const { return gpu.count + gpu.place + gpu.splat + gpu.draw + gpu.light + gpu.tone; }
};

/// Memory use over a long scripted run, where leaks show as growth.
class MemoryLog {
 public:
  /// Samples at 1,000 frames, 2,000, 5,000, 10,000 and so on. Call it for every frame.
  void frame(u64 frames);
  /// "resident memory: 210.5 MB after 1000 frames, 210.6 MB after 2000 frames, now 210.6 MB"; empty where it is
  /// unknown.
  std::string text() const;

 private:
  std::vector<std::pair<u64, u64>> seen_;  ///< frames, bytes
  u64 next_ = 1000, decade_ = 1000;
};

/// Resident memory of this process in bytes; 0 where it is unknown.
u64 resident_bytes();

class FrameMeter {
 public:
  /// keep: stores the times of every frame for report().
  explicit FrameMeter(bool keep) : keep_(keep) {}

  FrameTimes now;  ///< of the frame in progress

  /// Begins a frame at this time of the clock, in seconds.
  void begin(double now_s);
  /// The time since the last lap, or since the beginning, belongs to this part. Laps leave no gap, so that the parts
  /// sum to the frame.
  void lap(FramePart part);

  /// Before add(): what has been presented so far. Every half a second that is counted, as frames per second that reach
  /// the display.
  void count_shown(double now_s, const PresentThread::Shown& shown, FrameState& frames);
  /// A frame in which the state advanced, by its number, and one drawn during a step that takes longer.
  void updated(u64 frame) { memory_.frame(frame); }
  void drawn_during_step() { ++during_step_; }
  /// Ends a frame, whose laps become spans of the draw thread.
  void add(FrameState& frames);
  /// Writes what a measured run found, on standard error under --verbose.
  void report(Console& console, const SessionModel& model, const std::string& setup, const std::string& drawn_by,
              const PresentThread::Shown& shown) const;

 private:
  bool keep_;
  MemoryLog memory_;
  std::vector<FrameTimes> times_;       ///< of the last frames, as a ring
  u64 drawn_ = 0, during_step_ = 0;     ///< frames
  double from_s_ = 0, mark_s_ = 0;      ///< of the frame, and of the last lap
  std::vector<WorkSpan> laps_;          ///< of the frame
  double begin_s_ = 0, counted_s_ = 0;  ///< of the first frame, and of the last count of frames shown
  u64 counted_ = 0;                     ///< frames shown then
  u64 begun_ = 0;                       ///< presentations at the last look
  bool presenting_ = false;             ///< one was going on then
};

}  // namespace tri::app::gui
