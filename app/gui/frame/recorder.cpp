#include "app/gui/frame/recorder.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/gui/base/view_defaults.hpp"
#include "app/support/frame_target.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {

std::unique_ptr<render::FrameSink> make_frame_sink(FrameTarget target, const std::string& output, u32 fps) {
  switch (target) {
    case FrameTarget::folder:
      return render::make_folder_sink(output);
    case FrameTarget::picture:
      return render::make_image_sink(output);
    case FrameTarget::video:
      return render::make_video_sink(output, fps);
  }
  TRI_UNREACHABLE("a FrameTarget outside its enum");
}

Recorder::Recorder(const std::string& path) {
  if (!path.empty()) open(path);
}

void Recorder::open(const std::string& path) {
  const FrameTarget target = frame_target("--record", path);
  sink_ = make_frame_sink(target, path, kFps);
  path_ = path, video_ = target == FrameTarget::video, frames_ = 0;
}

void Recorder::begin(const std::string& name) { open(render::video_available() ? name + ".mp4" : name + "/"); }

std::string Recorder::frame(const SessionModel& model, u32 width, u32 height) {
  if (!sink_) return "";
  if (video_) width -= width % 2, height -= height % 2;  // a video has even sides
  if (width == 0 || height == 0) return "";
  if (frames_ == 0) width_ = width, height_ = height;
  if (video_ && (width != width_ || height != height_)) {
    end();
    return fmt::format("{}: the film ended with {} frames, as the size of the window changed.", path_, frames_);
  }
  auto sink = std::exchange(sink_, nullptr);  // gone, should it fail
  sink->add(render::read_framebuffer(width, height), picture_texts(model));
  sink_ = std::move(sink);
  ++frames_;
  return "";
}

std::string Recorder::end() {
  if (!sink_) return "";
  const auto sink = std::exchange(sink_, nullptr);
  sink->finish();
  return fmt::format("wrote {} frames to {}", frames_, path_);
}

}  // namespace tri::app::gui
