#pragma once
/// Films what the window shows, panels and all: one frame of the film for each frame drawn.

#include <memory>
#include <string>

#include "app/session/session_model.hpp"
#include "app/support/frame_target.hpp"
#include "render/frame_sink.hpp"

namespace tri::app::gui {

/// The sink of an output by its kind; fps: of a video. Throws FileError.
std::unique_ptr<render::FrameSink> make_frame_sink(FrameTarget target, const std::string& output, u32 fps);

class Recorder {
 public:
  static constexpr u32 kFps = 60;  ///< at which a video is played

  /// path: folder or FILE.mp4 to be filled from the first frame on; empty = nothing yet. Throws FileError.
  explicit Recorder(const std::string& path);

  bool on() const noexcept { return sink_ != nullptr; }
  /// Begins a film: a video where there is ffmpeg, else a folder of pictures; its name is `name`, with .mp4 for a
  /// video. Throws FileError.
  void begin(const std::string& name);
  /// Reads the bound framebuffer, of this size in pixels; nothing when off. A video ends where the size changes, and
  /// the answer is the sentence that says so. Throws FileError; the film is then over.
  std::string frame(const SessionModel& model, u32 width, u32 height);
  /// Ends the film. Returns "wrote 12 frames to FILE", or nothing when off. Throws FileError.
  std::string end();

 private:
  void open(const std::string& path);

  std::string path_;
  std::unique_ptr<render::FrameSink> sink_;
  bool video_ = false;
  u64 frames_ = 0;
  u32 width_ = 0, height_ = 0;
};

}  // namespace tri::app::gui
