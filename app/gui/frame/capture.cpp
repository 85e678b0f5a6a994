#include "app/gui/frame/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/gui/base/view_defaults.hpp"
#include "app/gui/frame/frame_meter.hpp"
#include "app/support/host_info.hpp"
#include "app/support/option_values.hpp"
#include "render/image.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

/// "triangulum-20260131-123456"
std::string dated_name() {
  std::string stamp = utc_now();
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::replace(stamp.begin(), stamp.end(), 'T', '-');
  return fmt::format("triangulum-{}", stamp);
}

}  // namespace

void check_frame_target(FrameTarget target, const std::string& output) {
  if (target == FrameTarget::folder) render::check_frame_folder(output);
  if (target == FrameTarget::video) render::require_ffmpeg(output);
}

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

Capture::Capture(const ViewOptions& options, Console& console) : options_(options), console_(console) {
  if (!options.record.empty()) start(options.record);
}

void Capture::screenshot(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame) {
  std::string path = std::exchange(pending.screenshot_path, {});
  if (std::exchange(pending.screenshot, false)) path = dated_name() + ".png";
  if (last_frame && !options_.screenshot.empty()) path = options_.screenshot;
  if (path.empty()) return;
  try {
    write_png(path, render::read_framebuffer(width, height), picture_texts(session.model()));
    session.note(fmt::format("wrote {}", path), false);
  } catch (const FileError& error) {
    if (last_frame) throw;
    session.note(error.what(), true);
  }
}

void Capture::still(Session& session, PendingActions& pending, const render::AlphaImage& image) {
  const std::string path = std::exchange(pending.transparent_path, {});
  try {
    write_png(path, image, picture_texts(session.model()));
    session.note(fmt::format("wrote {}", path), false);
  } catch (const FileError& error) {
    session.note(error.what(), true);
  }
}

std::optional<RecordMark> Capture::mark(const SessionModel& model) const {
  if (!recording()) return std::nullopt;
  const double seconds = static_cast<double>(frames_) / kFps;
  const double passed = frames_ > 0 ? std::abs(model.time - from_) : 0;
  return RecordMark{seconds, frames_ > 1 ? passed / (seconds - 1.0 / kFps) : 0};
}

void Capture::start(const std::string& path) {
  const FrameTarget target = frame_target("--record", path);
  sink_ = make_frame_sink(target, path, kFps);
  path_ = path, video_ = target == FrameTarget::video, frames_ = 0;
}

void Capture::add_frame(Session& session, u32 width, u32 height) {
  if (!sink_) return;
  if (video_) width -= width % 2, height -= height % 2;  // the sides of a video are even
  if (width == 0 || height == 0) return;
  if (frames_ == 0) width_ = width, height_ = height, from_ = session.model().time;
  if (video_ && (width != width_ || height != height_)) {
    std::exchange(sink_, nullptr)->finish();
    session.note(
        fmt::format("{}: the recording ended with {} frames because the size of the window changed.", path_, frames_),
        true);
    return;
  }
  auto sink = std::exchange(sink_, nullptr);  // dropped if it fails
  sink->add(render::read_framebuffer(width, height), picture_texts(session.model()));
  sink_ = std::move(sink);
  ++frames_;
}

void Capture::record(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame) {
  try {
    if (std::exchange(pending.record, false)) {
      recording() ? end_recording(session) : start(dated_name() + (render::video_available() ? ".mp4" : "/"));
    }
    add_frame(session, width, height);
    if (last_frame) end_recording(session);
  } catch (const FileError& error) {
    if (is_measured(options_)) throw;
    session.note(error.what(), true);
  }
}

void Capture::end_recording(Session& session) {
  if (!sink_) return;
  std::exchange(sink_, nullptr)->finish();
  const std::string wrote = fmt::format("wrote {} frames to {}", frames_, path_);
  session.note(wrote, false);
  console_.note(wrote);
}

}  // namespace tri::app::gui
