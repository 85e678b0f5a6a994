#include "app/gui/frame/frame.hpp"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <functional>

#include <fmt/format.h>

#include "app/gui/base/settings.hpp"
#include "app/support/language.hpp"
#include "app/support/measurement.hpp"
#include "app/support/option_values.hpp"
#include "app/support/run_config.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri::app::gui {
namespace {

constexpr double kPresentShare = 0.1;                              // of presenting without vsync
constexpr double kShortest = 1000.0 / 60, kLongest = 1000.0 / 30;  // ms

}  // namespace

struct PresentThread::Parts {
  /// One being drawn, the newest finished one, and one being presented.
  static constexpr std::size_t kFrames = 3;
  struct Frame {
    gl::Texture texture;
    gl::Framebuffer framebuffer;  ///< of the drawing context: framebuffers are not shared
    GLint width = 0, height = 0;
    Rect place;  ///< in the window's framebuffer
    gl::Fence drawn, copied;
  };

  Parts(Window& w, bool v) : window(w), vsync(v) {}
  void resize(Frame& frame, GLint width, GLint height) const;
  void work();
  void show(const gl::Framebuffer& from, Frame& frame);
  void rethrow();

  Window& window;
  const bool vsync;
  std::array<Frame, kFrames> frames;
  std::size_t at = 0;  ///< being drawn

  mutable std::mutex mutex;  ///< guards what follows
  std::condition_variable changed;
  std::optional<std::size_t> ready, showing;
  bool stop = false;
  std::exception_ptr failure;
  bool ended = false;  ///< by a failure
  Shown shown;

  std::thread thread;
};

void PresentThread::Parts::resize(Frame& frame, GLint width, GLint height) const {
  if (frame.width == width && frame.height == height) return;
  frame.texture = gl::make_picture(GL_RGBA8, width, height);
  frame.framebuffer = gl::framebuffer_of(frame.texture);
  frame.width = width, frame.height = height;
}

/// On the present thread, without the lock, as the frame belongs to it.
void PresentThread::Parts::show(const gl::Framebuffer& from, Frame& frame) {
  frame.drawn.wait_on_gpu();
  glNamedFramebufferTexture(from.get(), GL_COLOR_ATTACHMENT0, frame.texture.get(), 0);
  const auto pixel = [](float place) { return static_cast<GLint>(std::lround(place)); };
  const Rect& p = frame.place;
  const GLint x0 = pixel(p.x), y0 = pixel(p.y), x1 = pixel(p.x + p.w), y1 = pixel(p.y + p.h);
  const bool same = x1 - x0 == frame.width && y1 - y0 == frame.height;
  if (!same) glClear(GL_COLOR_BUFFER_BIT);
  glBlitNamedFramebuffer(from.get(), 0, 0, 0, frame.width, frame.height, x0, y0, x1, y1, GL_COLOR_BUFFER_BIT,
                         same ? GL_NEAREST : GL_LINEAR);
  frame.copied.insert();
  frame.copied.wait();  // a swap that itself waits for the GPU may hold a lock of the driver meanwhile
  if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
    throw gl::GlError(fmt::format("the window cannot be shown: OpenGL error {:#x}. Use a newer driver.", error));
  }
}

void PresentThread::Parts::work() {
  try {
    window.make_current(vsync);
    const gl::Framebuffer from = gl::make_framebuffer();
    for (;;) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return stop || ready; });
        if (stop) break;
        showing = std::exchange(ready, std::nullopt);
        ++shown.begun;
      }
      changed.notify_all();
      const Stopwatch watch;
      show(from, frames[*showing]);
      {
        const std::lock_guard lock(mutex);
        showing.reset();  // it may be overwritten once it is copied
      }
      window.swap();
      const double took = watch.ms();
      std::unique_lock lock(mutex);
      ++shown.frames, shown.ms += took;
      const double rest = std::clamp(took / kPresentShare, kShortest, kLongest) - took;
      if (!vsync) changed.wait_for(lock, std::chrono::duration<double, std::milli>(rest), [this] { return stop; });
    }
  } catch (...) {
    const std::lock_guard lock(mutex);
    failure = std::current_exception(), ended = true;
    showing.reset();
  }
  changed.notify_all();
  window.leave_context();
}

/// Under the lock.
void PresentThread::Parts::rethrow() {
  if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
}

PresentThread::PresentThread(Window& window, bool vsync) : parts_(std::make_unique<Parts>(window, vsync)) {
  parts_->thread = std::thread([parts = parts_.get()] { parts->work(); });
}

PresentThread::~PresentThread() {
  {
    const std::lock_guard lock(parts_->mutex);
    parts_->stop = true;
  }
  parts_->changed.notify_all();
  parts_->thread.join();
}

PresentThread::Canvas PresentThread::begin(bool wait) {
  Parts& p = *parts_;
  const u32 width = p.window.width(), height = p.window.height();
  TRI_EXPECTS(width >= 1 && height >= 1);
  {
    std::unique_lock lock(p.mutex);
    // A sleeping display may accept no frame at all; the loop then continues as without vsync.
    const auto taken = [&p] { return !p.ready || p.ended; };
    if (p.vsync && wait) p.changed.wait_for(lock, std::chrono::milliseconds(100), taken);
    p.rethrow();
    for (std::size_t k = 0; k < Parts::kFrames; ++k) {
      if (p.ready != k && p.showing != k) p.at = k;
    }
  }
  Parts::Frame& frame = p.frames[p.at];
  frame.drawn.wait();  // two frames ago: the loop does not run away from the GPU
  frame.copied.wait_on_gpu();
  frame.drawn.reset(), frame.copied.reset();
  p.resize(frame, static_cast<GLint>(width), static_cast<GLint>(height));
  frame.place = p.window.place();
  return {frame.texture.get(), frame.framebuffer.get()};
}

void PresentThread::end() {
  Parts& p = *parts_;
  p.frames[p.at].drawn.insert();
  glFlush();
  {
    const std::lock_guard lock(p.mutex);
    p.rethrow();
    p.ready = p.at;
  }
  p.changed.notify_all();
}

PresentThread::Shown PresentThread::shown() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->shown;
}

WindowSurface::WindowSurface(const Size& size, std::optional<double> scale, std::optional<double> chosen_scale,
                             bool vsync)
    : window_(size.pixels.first, size.pixels.second, size.grows, scale),
      imgui_(static_cast<float>(scale.value_or(chosen_scale.value_or(static_cast<double>(window_.content_scale()))))),
      binding_(window_),
      present_thread_(window_, vsync),
      chosen_scale_(chosen_scale),
      scale_(imgui_.scale()) {}

void WindowSurface::scale_panels(PanelState& panels) {
  imgui_.set_scale(scale_ * stretch_);
  binding_.upload_font();
  panels.scale = imgui_.scale();
}

void WindowSurface::draw_at(std::optional<std::pair<u32, u32>> size, PanelState& panels) {
  if (size == drawn_at_) return;
  window_.draw_at(drawn_at_ = size);
  const Rect place = window_.place();
  stretch_ = size && place.w > 0 ? static_cast<float>(window_.width()) / place.w : 1;
  scale_panels(panels);
}

void WindowSurface::begin(bool wait) {
  canvas_ = present_thread_.begin(wait);
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

void WindowSurface::begin_panels(PanelState& panels) {
  if (dark_ != panels.dark || high_ != panels.contrast) {
    imgui_.set_theme(dark_ = panels.dark, high_ = panels.contrast);
  }
  if (std::exchange(renews_fonts_, false) || chosen_scale_ != panels.chosen_scale) {
    if (std::exchange(chosen_scale_, panels.chosen_scale) != panels.chosen_scale) {
      scale_ = static_cast<float>(chosen_scale_.value_or(static_cast<double>(window_.content_scale())));
    }
    scale_panels(panels);
  }
  binding_.begin_frame();
}

void WindowSurface::end_panels() {
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glViewport(0, 0, static_cast<int>(window_.width()), static_cast<int>(window_.height()));
  panels_timer_.begin();
  binding_.draw();
  panels_timer_.end();
}

void WindowSurface::draw_marks() {
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glViewport(0, 0, static_cast<int>(window_.width()), static_cast<int>(window_.height()));
  binding_.draw_marks();
}

void WindowSurface::end() { present_thread_.end(); }

std::vector<std::string> WindowSurface::new_errors() {
  window_.messages().check("frame");
  const auto& texts = window_.messages().texts();
  std::vector<std::string> errors(texts.begin() + static_cast<std::ptrdiff_t>(errors_seen_), texts.end());
  errors_seen_ = texts.size();
  return errors;
}

namespace {

constexpr std::size_t kMaxTimes = 1u << 15;  // frames; the oldest are overwritten

std::string megabytes(u64 bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

u64 resident_bytes() {
  std::ifstream in("/proc/self/statm");
  u64 all = 0, resident = 0;
  if (!(in >> all >> resident)) return 0;
  return resident * static_cast<u64>(sysconf(_SC_PAGESIZE));
}

void MemoryLog::frame(u64 frames) {
  if (frames < next_) return;
  seen_.emplace_back(frames, resident_bytes());
  constexpr u64 kFactors[] = {2, 5, 10};  // of the power of ten below
  for (const u64 factor : kFactors) {
    if (decade_ * factor <= frames) continue;
    next_ = decade_ * factor;
    if (factor == 10) decade_ = next_;
    return;
  }
}

std::string MemoryLog::text() const {
  const u64 now = resident_bytes();
  if (now == 0) return "";
  std::string text = "resident memory: ";
  for (const auto& [frames, bytes] : seen_) text += fmt::format("{} after {} frames, ", megabytes(bytes), frames);
  return text + "now " + megabytes(now);
}

void FrameMeter::begin(double now_s) {
  now = {};
  from_s_ = mark_s_ = now_s;
  laps_.clear();
}

void FrameMeter::rest() {
  const double at = clock_s();
  now.rest += (at - from_s_) * 1e3;
  from_s_ = mark_s_ = at;
}

void FrameMeter::lap(FramePart part) {
  const double at = clock_s();
  const auto k = static_cast<std::size_t>(part);
  now.parts[k] += (at - mark_s_) * 1e3;
  if (!laps_.empty() && laps_.back().name == kFrameParts[k].name) {
    laps_.back().end = at;
  } else {
    laps_.push_back({kFrameParts[k].name, WorkLane::draw_thread, 0, mark_s_, at});
  }
  mark_s_ = at;
}

void FrameMeter::add(FrameState& frames) {
  FrameCost cost;
  std::transform(now.parts.begin(), now.parts.end(), cost.parts.begin(),
                 [](double ms) { return static_cast<float>(ms); });
  cost.drawing = static_cast<float>(now.gpu_total());
  cost.rest = static_cast<float>(now.rest);
  frames.costs.push_back(cost);
  if (frames.costs.size() > FrameState::kMaxFrames) frames.costs.pop_front();
  for (const WorkSpan& lap : laps_) frames.work.add(lap);
  frames.work.end_frame({from_s_, mark_s_});
  if (!keep_) return;
  if (times_.size() < kMaxTimes) {
    times_.push_back(now);
  } else {
    times_[drawn_ % kMaxTimes] = now;
  }
  ++drawn_;
}

void FrameMeter::count_shown(double now_s, const PresentThread::Shown& shown, FrameState& frames) {
  constexpr double kPeriod = 0.5;
  now.beside_presenting = presenting_ || shown.begun != begun_;
  begun_ = shown.begun, presenting_ = shown.begun != shown.frames;
  if (begin_s_ == 0) begin_s_ = counted_s_ = now_s;
  if (now_s - counted_s_ < kPeriod) return;
  frames.shown_per_second = static_cast<double>(shown.frames - counted_) / (now_s - counted_s_);
  counted_ = shown.frames, counted_s_ = now_s;
}

void FrameMeter::worked(const WorkSpan& span) {
  const u8 depth = span.lane == WorkLane::draw_thread ? 1 : 0;
  if (span.lane != WorkLane::gpu_step && span.depth == depth) worked_[span.name] += span.seconds();
}

void FrameMeter::report(Console& console, const SessionModel& model, const std::string& setup,
                        const std::string& drawn_by, const PresentThread::Shown& shown) const {
  if (times_.empty()) return;
  const auto quantile = [this](auto part, double q, bool all = true) {
    std::vector<double> values;
    for (const FrameTimes& t : times_) {
      if (all || !t.beside_presenting) values.push_back(std::invoke(part, t));
    }
    if (values.empty()) return 0.0;
    std::sort(values.begin(), values.end());
    return sorted_quantile(values, q);
  };
  const auto whole = [&](double q) { return quantile(&FrameTimes::whole, q); };
  const auto median = [&](auto part) { return quantile(part, 0.5); };
  using Costs = render::BodyRenderer::Costs;
  const auto gpu = [&](double Costs::*part) { return median([part](const FrameTimes& t) { return t.gpu.*part; }); };
  const double seconds = clock_s() - begin_s_;
  console.detail(
      fmt::format("{} frames of {} in {:.3g} s: {:.1f} frames/s; median {:.3g} ms, p99 {:.3g} ms, longest {:.3g} ms",
                  drawn_, setup, seconds, static_cast<double>(drawn_) / seconds, whole(0.5), whole(0.99), whole(1)));
  console.detail(fmt::format(
      "steps: {:.1f} per second, {} frames drawn during a long one; on the display: {:.1f} frames per second, {:.3g} "
      "ms each",
      static_cast<double>(model.steps - model.first_step) / seconds, during_step_,
      static_cast<double>(shown.frames) / seconds, shown.ms / static_cast<double>(std::max<u64>(1, shown.frames))));
  console.detail(fmt::format("frames while the display took none: median {:.3g} ms, p99 {:.3g} ms",
                             quantile(&FrameTimes::whole, 0.5, false), quantile(&FrameTimes::whole, 0.99, false)));
  // Means, because medians of parts do not sum to the median of the whole.
  const auto mean = [this](auto part) {
    double sum = 0;
    for (const FrameTimes& t : times_) sum += std::invoke(part, t);
    return sum / static_cast<double>(times_.size());
  };
  std::string parts;
  for (std::size_t k = 0; k < kFramePartCount; ++k) {
    parts += fmt::format("{}{} {:.4f}", k > 0 ? ", " : "", kFrameParts[k].name,
                         mean([k](const FrameTimes& t) { return t.parts[k]; }));
  }
  console.detail(fmt::format("a frame in the mean: {:.4f} ms = {}", mean(&FrameTimes::whole), parts));
  std::string shares;
  for (const auto& [name, took] : worked_) shares += fmt::format(", {} {:.1f} %", name, 100 * took / seconds);
  if (!shares.empty()) console.detail("work on the state, of the time: " + shares.substr(2));
  console.detail(fmt::format(
      "bodies drawn by the {}: {:.3g} ms (range {:.3g}, place {:.3g}, splat {:.3g}, draw {:.3g}, light {:.3g}, tone "
      "{:.3g})",
      drawn_by, median(&FrameTimes::gpu_total), gpu(&Costs::count), gpu(&Costs::place), gpu(&Costs::splat),
      gpu(&Costs::draw), gpu(&Costs::light), gpu(&Costs::tone)));
  console.detail(memory_.text());
  for (const Notice& n : model.notices) console.detail(fmt::format("notice: {}", n.text));
}

std::string dated_name() {
  std::string stamp = utc_now();
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::replace(stamp.begin(), stamp.end(), 'T', '-');
  return fmt::format("triangulum-{}", stamp);
}

void check_frame_target(FrameTarget target, const std::string& output) {
  if (target == FrameTarget::folder) render::check_frame_folder(output);
  if (target == FrameTarget::video) render::require_ffmpeg(output);
}

void require_disk(const std::string& output) {
  if (const std::string why = disk_refusal(output); !why.empty()) {
    throw FileError(phrase("{}: nothing is recorded, because {}.", output, why));
  }
}

std::unique_ptr<render::FrameSink> make_frame_sink(FrameTarget target, const std::string& output, u32 fps) {
  switch (target) {
    case FrameTarget::folder:
      return render::make_folder_sink(output);
    case FrameTarget::picture:
      return render::make_image_sink(output);
    case FrameTarget::video:
      return render::make_video_sink(output, fps);
    case FrameTarget::page:
      break;  // no pictures
  }
  TRI_UNREACHABLE("a FrameTarget outside its enum");
}

Capture::Capture(const ViewOptions& options, Console& console) : options_(options), console_(console) {
  if (!options.record.empty()) start(options.record);
}

void Capture::screenshot(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame) {
  std::string path = std::exchange(pending.screenshot_path, {});
  if (std::exchange(pending.screenshot, false)) path = free_path(dated_name() + ".png");
  if (last_frame && !options_.screenshot.empty()) path = options_.screenshot;
  if (path.empty()) return;
  if (last_frame && replaces_input(path)) {
    throw ConfigError(fmt::format("--screenshot {}: the window has read this file; name another one.", path));
  }
  try {
    write_png(path, render::read_framebuffer(width, height), picture_texts(session.model()));
    session.note(phrase("wrote {}", with_folder(path)), false);
  } catch (const FileError& error) {
    if (last_frame) throw;
    session.note(error.what(), true);
  }
}

void Capture::still(Session& session, PendingActions& pending, const render::AlphaImage& image) {
  const std::string path = std::exchange(pending.transparent_path, {});
  session.attempt([&] {
    write_png(path, image, picture_texts(session.model()));
    session.note(phrase("wrote {}", with_folder(path)), false);
  });
}

std::optional<RecordMark> Capture::mark(const SessionModel& model) const {
  if (!recording()) return std::nullopt;
  const double seconds = static_cast<double>(frames_) / kFps;
  const double passed = frames_ > 0 ? std::abs(model.time - from_) : 0;
  return RecordMark{seconds, frames_ > 1 ? passed / (seconds - 1.0 / kFps) : 0, sink_->bytes(), free_bytes(path_),
                    waits_ && !model.running};
}

void Capture::start(const std::string& path) {
  const FrameTarget target = frame_target("--record", path);
  require_disk(path);
  sink_ = make_frame_sink(target, path, kFps);
  path_ = path, video_ = target == FrameTarget::video, frames_ = 0, waits_ = false;
}

/// With the frames so far.
void Capture::end_early(Session& session, const std::string& why) {
  std::exchange(sink_, nullptr)->finish();
  session.note(phrase("{}: the recording ended with {} frames because {}.", path_, frames_, tr(why)), true);
}

void Capture::add_frame(Session& session, u32 width, u32 height, Moves moves) {
  if (!sink_) return;
  waits_ = frames_ > 0 && moves == Moves::no;
  if (waits_) return;
  if (video_) width -= width % 2, height -= height % 2;  // the sides of a video are even
  if (width == 0 || height == 0) return;
  if (frames_ == 0) width_ = width, height_ = height, from_ = session.model().time;
  if (video_ && (width != width_ || height != height_)) {
    return end_early(session, "the size of the window changed");
  }
  render::Image image = render::read_framebuffer(width, height);
  waits_ = moves == Moves::maybe && frames_ > 0 && image.rgb == last_.rgb;
  if (waits_) return;
  auto sink = std::exchange(sink_, nullptr);  // dropped if it fails
  sink->add(image, picture_texts(session.model()));
  sink_ = std::move(sink), last_ = std::move(image);
  ++frames_;
  if (const std::string why = disk_refusal(path_); !why.empty()) end_early(session, why);
}

void Capture::record(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame, Moves moves) {
  try {
    if (std::exchange(pending.record, false)) {
      recording() ? end_recording(session)
                  : start(free_path(dated_name() + (render::video_available() ? ".mp4" : "/")));
    }
    add_frame(session, width, height, moves);
    if (last_frame) end_recording(session);
  } catch (const FileError& error) {
    if (is_measured(options_)) throw;
    session.note(error.what(), true);
  }
}

void Capture::end_recording(Session& session) {
  if (!sink_) return;
  std::exchange(sink_, nullptr)->finish();
  const std::string wrote = phrase("wrote {} frames to {}", frames_, with_folder(path_));
  session.note(wrote, false);
  console_.note(wrote);
}

namespace {

constexpr std::size_t kMaxWaiting = 2;

}  // namespace

FilmWriter::FilmWriter(std::unique_ptr<render::FrameSink> sink) : sink_(std::move(sink)), thread_([this] { run(); }) {}

FilmWriter::~FilmWriter() {
  {
    const std::lock_guard lock(mutex_);
    leave_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool FilmWriter::has_room() const {
  const std::lock_guard lock(mutex_);
  return frames_.size() < kMaxWaiting;
}

void FilmWriter::add(std::variant<render::Image, render::AlphaImage> image, render::ImageTexts texts) {
  {
    const std::lock_guard lock(mutex_);
    frames_.emplace_back(std::move(image), std::move(texts));
  }
  changed_.notify_all();
}

void FilmWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    finish_ = true;
  }
  changed_.notify_all();
}

bool FilmWriter::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void FilmWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_; });
}

std::string FilmWriter::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

u64 FilmWriter::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void FilmWriter::run() {
  std::string failure;
  try {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !frames_.empty() || finish_ || leave_; });
      if (frames_.empty()) {
        const bool finish = finish_;
        lock.unlock();
        if (finish) sink_->finish();
        break;
      }
      const auto [image, texts] = std::move(frames_.front());
      frames_.pop_front();
      lock.unlock();
      std::visit([&sink = *sink_, &texts = texts](const auto& one) { sink.add(one, texts); }, image);
      const std::lock_guard wrote(mutex_);
      bytes_ = sink_->bytes();
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  sink_.reset();  // a video that is not finished goes
  {
    const std::lock_guard lock(mutex_);
    frames_.clear();
    failure_ = failure;
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace tri::app::gui
