#pragma once
/// The film that the window makes of its run: a whole number of steps from frame to frame, each drawn at the film's own
/// size, whatever the window's and however long it takes. The window goes on meanwhile. With panels a frame is that of
/// the window, which is drawn at the film's size until that ends.
///
/// In a frame of the loop: ask() -> steps -> draw() -> take_window().

#include <memory>
#include <optional>
#include <utility>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/frame/film_writer.hpp"
#include "app/session/session.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/gl/framebuffer.hpp"
#include "render/trails.hpp"

namespace tri::app::gui {

class FilmRun {
 public:
  explicit FilmRun(const RunConfig& config) : config_(config) {}

  bool running() const noexcept { return writer_ != nullptr; }
  /// At a step boundary, after the requests: begins and stops films, and asks for the steps to the next frame. now:
  /// seconds of the clock. Failures are notices; frames before one stay as the sink keeps them.
  void ask(Session& session, GuiState& state, double now);
  /// After the steps: draws the frame that is due. bodies: as published; second: of the run beside it, or null.
  void draw(Session& session, const GuiState& state, render::InstanceBuffer* bodies, render::InstanceBuffer* second);
  /// What the window is drawn at, if not at its own size.
  std::optional<std::pair<u32, u32>> window_size() const;
  /// With panels: the frame is what the bound framebuffer shows.
  void take_window(Session& session, u32 width, u32 height);
  /// Ends a film with the frames that it has, and waits until they are written.
  void end(Session& session, GuiState& state);

 private:
  struct Screen;
  void begin(Session& session, GuiState& state, double now);
  bool takes_frame(Session& session);
  void finish();
  void take(const SessionModel& model, render::Image image);
  void leave(Session& session, GuiState& state);
  void show(GuiState& state, const Session& session, double now) const;

  const RunConfig& config_;
  std::unique_ptr<FilmWriter> writer_;  ///< while a film is made
  std::shared_ptr<Screen> screen_;      ///< without panels
  FilmChoice choice_;
  u64 frames_ = 0, all_ = 0, a_frame_ = 1;
  u64 step_ = 0, generation_ = 0;  ///< of the frame that is due
  double from_ = 0, begun_s_ = 0;  ///< simulated time of the first frame; seconds of the clock
  u32 width_ = 0, height_ = 0;     ///< of the first frame
  int drawn_ = 0;                  ///< frames of the window since the start
  bool due_ = false;               ///< a frame is to be taken at step_
  bool finishing_ = false;
};

}  // namespace tri::app::gui
