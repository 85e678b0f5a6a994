#pragma once
/// Screenshots and recordings of the window, panels included. Both read the bound framebuffer.

#include <memory>
#include <optional>
#include <string>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "render/frame_sink.hpp"

namespace tri::app::gui {

/// The sink for an output; fps: of a video. Throws FileError.
/// Throws the FileError of make_frame_sink(), and leaves nothing behind: before a scene is made whose frames it is for.
void check_frame_target(FrameTarget target, const std::string& output);

std::unique_ptr<render::FrameSink> make_frame_sink(FrameTarget target, const std::string& output, u32 fps);

class Capture {
 public:
  static constexpr u32 kFps = 60;  ///< playback rate of a video

  /// Starts recording where the options ask for it. Both must outlive the capture. Throws FileError.
  Capture(const ViewOptions& options, Console& console);

  /// Saves a pending screenshot, and that of the options at the last frame, when a failure throws FileError; else it is
  /// a notice.
  void screenshot(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame);
  /// The same of the bodies over nothing.
  static void still(Session& session, PendingActions& pending, const render::AlphaImage& image);
  /// Starts or stops recording where that is pending, records a frame, and ends with the last one. A video also ends
  /// when the size changes. A failure ends the recording with a notice, but throws FileError in a measured run.
  void record(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame);
  void end_recording(Session& session);
  bool recording() const noexcept { return sink_ != nullptr; }
  /// Of the recording in progress; none: there is none.
  std::optional<RecordMark> mark(const SessionModel& model) const;

 private:
  void start(const std::string& path);
  void add_frame(Session& session, u32 width, u32 height);

  const ViewOptions& options_;
  Console& console_;
  std::unique_ptr<render::FrameSink> sink_;  ///< null when not recording
  std::string path_;
  bool video_ = false;
  u64 frames_ = 0;
  double from_ = 0;             ///< simulated time of the first frame
  u32 width_ = 0, height_ = 0;  ///< of the first frame
};

}  // namespace tri::app::gui
