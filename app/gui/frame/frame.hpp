#pragma once
/// A frame from drawing to display: the present thread, the meter of frames, captures and films.
///
/// Frames are drawn on one thread and presented on another, so that a display, which takes milliseconds per frame and
/// blocks the thread that presents, delays neither simulation nor drawing. The newest finished frame is presented;
/// older ones are dropped.
///
///     loop      draw 1 | draw 2 | draw 3 | draw 4 | draw 5 ...     each into a texture that is not on display
///     present   ------- | show 1      | show 3      | show 4 ...   copied to the window, then swapped

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/look.hpp"
#include "app/gui/base/window.hpp"
#include "app/session/session.hpp"
#include "app/session/session_model.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"
#include "render/gl/gl.hpp"
#include "render/image.hpp"

namespace tri::app::gui {

class PresentThread {
 public:
  /// Starts the thread, which takes the window's own context; the caller keeps the one to draw with. vsync: frames are
  /// presented when the display accepts one. Otherwise they are presented as soon as they are finished, but at most 60
  /// times per second, and down to 30 so that presenting takes at most a tenth of the time: some displays are fed by
  /// the processor, under driver locks for which drawing waits. The window must outlive the thread.
  PresentThread(Window& window, bool vsync);
  /// Ends the thread. The context to draw with must be current.
  ~PresentThread();
  PresentThread(const PresentThread&) = delete;
  PresentThread& operator=(const PresentThread&) = delete;

  /// Target of the next frame: a texture (GL_RGBA8) and a framebuffer of it.
  struct Canvas {
    GLuint texture = 0, framebuffer = 0;
  };
  /// In the size of what the window draws, width and height >= 1. Waits until at most two frames are in flight on the
  /// GPU; wait: with vsync, also until the display has accepted the previous frame. Throws an error of the other
  /// thread, once.
  Canvas begin(bool wait);
  /// Finishes the frame drawn since begin().
  void end();

  /// Frames presented since the start, the time that took in ms, and frames whose presentation has begun.
  struct Shown {
    u64 begun = 0, frames = 0;
    double ms = 0;
  };
  Shown shown() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// When the window rests.

/// Some time after an event, and some frames, however long those take: what a click asks for is done in later frames.
class Settling {
 public:
  /// Something happened.
  void begin(double now_s) { begun_ = now_s, frames_ = 0; }
  void drawn() { ++frames_; }
  bool is_over(double now_s) const { return now_s - begun_ > kSeconds && frames_ >= kFrames; }
  double begun() const { return begun_; }

 private:
  static constexpr double kSeconds = 0.9;  // panels and exposure settle
  static constexpr int kFrames = 4;        // a press, a release, what they ask for, and its picture

  double begun_ = 0;
  int frames_ = 0;
};

// The window with ImGui in it, and the thread that presents its frames. Needs the main thread.

class WindowSurface {
 public:
  /// A size that nobody has chosen grows with the scale.
  struct Size {
    std::pair<u32, u32> pixels;
    bool grows = false;
  };
  /// Opens the window. scale: at first; none: the chosen one, else what the display asks for. vsync: as PresentThread.
  /// Throws GlError.
  WindowSurface(const Size& size, std::optional<double> scale, std::optional<double> chosen_scale, bool vsync);

  Window& window() noexcept { return window_; }
  const Window& window() const noexcept { return window_; }
  float scale() const noexcept { return imgui_.scale(); }

  /// Between frames: draws at another size than the window's, with panels as large in proportion, or at its own again
  /// (Window::draw_at).
  void draw_at(std::optional<std::pair<u32, u32>> size, PanelState& panels);
  /// Begins a frame on a black canvas; wait: for vsync.
  void begin(bool wait);
  /// The letters are loaded again with the next panels.
  void renew_fonts() { renews_fonts_ = true; }
  /// Begins ImGui's part of the frame, in the theme and scale of the panels.
  void begin_panels(PanelState& panels);
  /// Draws ImGui's part over the canvas, which stays the bound framebuffer.
  void end_panels();
  /// Over that, what films do not show.
  void draw_marks();
  /// Hands the frame over for presentation.
  void end();

  GLuint texture() const noexcept { return canvas_.texture; }
  PresentThread::Shown shown() const { return present_thread_.shown(); }
  /// When the panels of some frames ago were drawn; offset: from the GPU's clock to clock_s().
  void release_work(double offset, WorkTrace& to) {
    for (const auto& s : panels_timer_.take())
      to.add({"panels", WorkLane::gpu_draw, 0, s.begin + offset, s.end + offset});
  }
  /// OpenGL errors since the last call.
  std::vector<std::string> new_errors();

 private:
  Window window_;
  ImguiContext imgui_;
  ImguiBinding binding_;
  PresentThread present_thread_;
  PresentThread::Canvas canvas_;  ///< of this frame
  gl::GpuTimer panels_timer_;
  void scale_panels(PanelState& panels);

  std::optional<double> chosen_scale_;
  float scale_;        ///< of the panels, in the window's own size
  float stretch_ = 1;  ///< what is drawn over the window
  std::optional<std::pair<u32, u32>> drawn_at_;
  bool dark_ = true, high_ = false, renews_fonts_ = false;
  std::size_t errors_seen_ = 0;
};

// Times of the window's frames: for the Timing panel and for the report of a measured run.

/// Whether a script or a number of frames ends the run, which is then measured.
inline bool is_measured(const ViewOptions& options) {
  return !options.script.empty() || options.exit_after.has_value();
}

/// Parts of a frame in ms: on the thread that draws, and of the bodies on the GPU.
struct FrameTimes {
  std::array<double, kFramePartCount> parts{};  ///< by FramePart
  render::BodyRenderer::Costs gpu;
  double rest = 0;                 ///< before it, in ms: nothing moved
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
  /// The frame begins only now: until here it waited for an event.
  void rest();
  /// The time since the last lap, or since the beginning, belongs to this part. Laps leave no gap, so that the parts
  /// sum to the frame.
  void lap(FramePart part);

  /// Before add(): what has been presented so far. Every half a second that is counted, as frames per second that reach
  /// the display.
  void count_shown(double now_s, const PresentThread::Shown& shown, FrameState& frames);
  /// A frame in which the state advanced, by its number, and one drawn during a step that takes longer.
  void updated(u64 frame) { memory_.frame(frame); }
  void drawn_during_step() { ++during_step_; }
  /// What a session did; what lies within its parts does not count again.
  void worked(const WorkSpan& span);
  /// Ends a frame, whose laps become spans of the draw thread.
  void add(FrameState& frames);
  /// Writes what a measured run found, on standard error under --verbose.
  void report(Console& console, const SessionModel& model, const std::string& setup, const std::string& drawn_by,
              const PresentThread::Shown& shown) const;

 private:
  bool keep_;
  MemoryLog memory_;
  std::vector<FrameTimes> times_;         ///< of the last frames, as a ring
  u64 drawn_ = 0, during_step_ = 0;       ///< frames
  double from_s_ = 0, mark_s_ = 0;        ///< of the frame, and of the last lap
  std::vector<WorkSpan> laps_;            ///< of the frame
  std::map<std::string, double> worked_;  ///< seconds by name
  double begin_s_ = 0, counted_s_ = 0;    ///< of the first frame, and of the last count of frames shown
  u64 counted_ = 0;                       ///< frames shown then
  u64 begun_ = 0;                         ///< presentations at the last look
  bool presenting_ = false;               ///< one was going on then
};

// Screenshots and recordings of the window, panels included. Both read the bound framebuffer.

/// The sink for an output; fps: of a video. Throws FileError.
/// Throws the FileError of make_frame_sink(), and leaves nothing behind: before a scene is made whose frames it is for.
void check_frame_target(FrameTarget target, const std::string& output);

std::unique_ptr<render::FrameSink> make_frame_sink(FrameTarget target, const std::string& output, u32 fps);
/// Throws FileError where the disk is all but full.
void require_disk(const std::string& output);

/// "triangulum-20260131-123456", by the clock: of files that nobody named.
std::string dated_name();

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
  /// Whether what is shown moves: maybe, where somebody only touched the window.
  enum class Moves : u8 { no, maybe, yes };
  /// Starts or stops recording where that is pending, records a frame unless nothing moves, and ends with the last one.
  /// A video also ends when the size changes, and any recording before the disk is full. A failure ends the recording
  /// with a notice, but throws FileError in a measured run.
  void record(Session& session, PendingActions& pending, u32 width, u32 height, bool last_frame,
              Moves moves = Moves::yes);
  void end_recording(Session& session);
  bool recording() const noexcept { return sink_ != nullptr; }
  /// Of the recording in progress; none: there is none.
  std::optional<RecordMark> mark(const SessionModel& model) const;

 private:
  void start(const std::string& path);
  void add_frame(Session& session, u32 width, u32 height, Moves moves);
  void end_early(Session& session, const std::string& why);

  const ViewOptions& options_;
  Console& console_;
  std::unique_ptr<render::FrameSink> sink_;  ///< null when not recording
  std::string path_;
  bool video_ = false;
  u64 frames_ = 0;
  bool waits_ = false;  ///< the last frame was not taken, for nothing moved
  render::Image last_;
  double from_ = 0;             ///< simulated time of the first frame
  u32 width_ = 0, height_ = 0;  ///< of the first frame
};

// Hands frames to a sink on a thread of its own, so that a PNG file or an encoder that takes long delays no frame of
// the window.

class FilmWriter {
 public:
  explicit FilmWriter(std::unique_ptr<render::FrameSink> sink);
  /// Waits for the frames that were added. Without finish() a video is discarded.
  ~FilmWriter();
  FilmWriter(const FilmWriter&) = delete;
  FilmWriter& operator=(const FilmWriter&) = delete;

  /// Whether add() takes a frame now: at most two wait, 50 MB at 4K.
  bool has_room() const;
  void add(std::variant<render::Image, render::AlphaImage> image, render::ImageTexts texts);
  /// After the last frame.
  void finish();
  /// Whether everything is written after finish(), or failed.
  bool ended() const;
  /// Until it has, after finish().
  void wait();
  /// Why it failed; empty: it did not.
  std::string failure() const;
  /// Written so far.
  u64 bytes() const;

 private:
  void run();

  std::unique_ptr<render::FrameSink> sink_;  ///< of the thread
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<std::variant<render::Image, render::AlphaImage>, render::ImageTexts>> frames_;
  bool finish_ = false, leave_ = false, ended_ = false;
  std::string failure_;
  u64 bytes_ = 0;
  std::thread thread_;  ///< the last member: it uses the others
};

}  // namespace tri::app::gui
