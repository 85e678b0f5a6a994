#pragma once
/// The scene alone in a picture of its own size: what `render`, films and the camera button draw, and the command that
/// draws it again.

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/frame.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/session/session.hpp"
#include "app/session/session_model.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/gl/gl.hpp"
#include "render/image.hpp"

namespace tri::app::gui {

/// Of a body as the session publishes it for that quantity.
float quantity_of(const Instance& body, render::Quantity quantity);
/// The least and the greatest of a style's quantity; if logarithmic, of those > 0. 0 and 0 where there is none.
std::array<float, 2> range_of(std::span<const Instance> bodies, const render::BodyStyle& style);

using TakenPicture = std::variant<render::Image, render::AlphaImage>;

class ScenePicture {
 public:
  /// Needs a current GL context. Throws FileError and GlError for shaders, ConfigError for a picture that is larger
  /// than the driver draws.
  ScenePicture(const std::string& shaders, const PictureForm& form, const Session& session);

  /// The bodies as published last, and a second run's in the right half if there is one, over a dark ground. trails:
  /// drawn among them, or null. adaptation: of the exposure of glow, 1 for the first picture.
  TakenPicture take(const Session& session, SceneView view, render::InstanceBuffer* bodies,
                    render::InstanceBuffer* second, const render::Trails* trails, float adaptation);
  /// The same in parts, between which the window is drawn: work() until it returns the picture. Meanwhile the session
  /// rests, and the buffers stay.
  void begin(const Session& session, SceneView view, render::InstanceBuffer* bodies, render::InstanceBuffer* second,
             const render::Trails* trails, float adaptation);
  /// Does the next part; the GPU has finished it then.
  std::optional<TakenPicture> work();
  /// Does parts for half of the time, of which the window has the other. done_at: when the last ones were, in seconds.
  std::optional<TakenPicture> work_in_turn(double& done_at);
  /// Of the parts, those that are done.
  double share() const;
  const PictureForm& form() const noexcept { return form_; }

 private:
  void add_run(render::InstanceBuffer* bodies, const render::Trails* trails, int x, int width, float adaptation);
  void draw_marks();
  void read(u32 first, u32 end);

  /// What is being taken.
  struct Taking {
    const Session* session = nullptr;
    SceneView view;
    u32 second = 0;  ///< column at which a second run begins; 0: there is none
    std::deque<std::function<void()>> parts;
    std::size_t all = 0;  ///< parts at the begin
    TakenPicture taken;   ///< rows that were read
  };
  Taking taking_;
  PictureForm form_;
  float scale_;  ///< of letters
  render::BodyRenderer renderer_;
  gl::Texture colour_;
  gl::Framebuffer framebuffer_;
  std::unique_ptr<gl::AlphaTarget> alpha_;  ///< where the ground is not dark
  std::unique_ptr<Lettering> letters_;      ///< where there are marks
};

// Pictures of the scene alone: each is drawn between frames of the window, and written on a thread of its own.

/// The file of a picture of that name: with .png where it has no extension, and the next number where it is taken, for
/// no file is replaced. Throws ConfigError for another extension.
std::string picture_file(std::string name);

/// Says why the legend that was asked for is missing.
void note_legend(Session& session, const render::BodyStyle& style);

class PictureRun {
 public:
  explicit PictureRun(const RunConfig& config) : config_(config) {}

  /// At a step boundary, with the bodies published: begins the picture that is asked for, draws a part of it, and tells
  /// of one that is written. Failures are notices.
  void work(Session& session, GuiState& state, const SceneDisplay& scene);
  /// Whether one is being drawn: until work() has ended it session and bodies stay as they are.
  bool draws() const noexcept { return drawn_ != nullptr; }
  /// Waits until it is written.
  void end(Session& session, GuiState& state);

 private:
  void begin(const Session& session, GuiState& state, const SceneDisplay& scene);
  void draw(GuiState& state);
  void drop(GuiState& state);
  void leave(Session& session, GuiState& state);

  const RunConfig& config_;
  std::unique_ptr<ScenePicture> drawn_;      ///< until it is drawn
  std::unique_ptr<render::FrameSink> sink_;  ///< likewise
  render::ImageTexts texts_;
  double drawn_at_ = 0;                 ///< when the last parts were
  std::unique_ptr<FilmWriter> writer_;  ///< until it is written
  std::string path_;
};

/// The words of `render` that draw this picture again from its file, in which the session is. Says nothing of bodies
/// that were changed by hand, nor of parameters that were changed on the way.
std::string picture_command(const SessionModel& model, const SceneView& view, const PictureForm& form,
                            const std::string& path);

}  // namespace tri::app::gui
