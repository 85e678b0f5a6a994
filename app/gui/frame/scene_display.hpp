#pragma once
/// The scene on the screen: published bodies, split views, tools, the camera.
///
/// Path of the bodies to the screen: interop is tried once; after a failure, one notice, and copies from then on.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/session/session.hpp"
#include "app/session/session_model.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/gl/gl.hpp"
#include "render/image.hpp"
#include "render/view.hpp"

namespace tri::app::gui {

class BodyPublisher {
 public:
  /// device: of the session's backend, where that is cuda.
  BodyPublisher(Present wanted, int device) : wanted_(wanted), device_(device) {}

  /// Publishes the session's bodies when they changed since the last call. Throws MemoryError, and what the engine
  /// throws.
  void publish(Session& session);
  /// The buffer published last; null before the first.
  render::InstanceBuffer* buffer() const noexcept { return buffer_.get(); }
  /// "interop", or "copy (why)".
  std::string path() const;

 private:
  void make_buffer(Session& session);
  void fall_back(Session& session, const std::string& why);
  bool write(Session& session);

  Present wanted_;
  int device_;
  bool interop_failed_ = false;
  std::string why_copy_;
  std::unique_ptr<render::InstanceBuffer> buffer_;
  u64 generation_ = 0, backends_ = 0, steps_ = 0;
  double time_ = 0;
  InstanceScalar scalar_ = InstanceScalar::mass;
};

}  // namespace tri::app::gui

// The same state by two maps side by side: left of a movable line the bodies as computed by the map in use, right of
// it with accelerations by another map. Both with their times.

namespace tri::app {
class Session;
}  // namespace tri::app

namespace tri::app::gui {

class SplitView {
 public:
  /// Updates the bodies of the other map, using at most a third of the time. A failure removes the line and adds a
  /// notice.
  void work(Session& session, SplitChoice& split);
  /// Draws them right of the line, over what the renderer has shown in that texture at (x, y), lower left corner.
  void draw(render::BodyRenderer& renderer, const render::FrameView& view, const render::BodyStyle& style,
            const SplitChoice& split, GLuint texture, int x, int y) const;
  /// The line, which the pointer moves, with the names and times of both maps; in ImGui's frame. free: what no panel
  /// covers.
  void overlay(const SessionModel& model, SplitChoice& split, float scale, const Rect& scene, const Rect& free) const;

 private:
  struct Key {
    u64 generation = 0, backends = 0, work = 0, steps = 0;
    double time = 0;
    std::size_t map = 0;
    InstanceScalar scalar = InstanceScalar::mass;
    bool operator==(const Key&) const = default;
  };
  std::unique_ptr<render::InstanceBuffer> buffer_;
  Key made_;
  Turns turns_;             ///< of the map in use and the other
  std::size_t beside_ = 0;  ///< the map in use in those turns
  TimeShare working_{1.0 / 3};
};

// Draws the session's bodies into the window, with trails and the split between two maps, and selects bodies.

class SceneDisplay {
 public:
  /// Compiles the shaders; needs a current GL context. Throws FileError and GlError. Where the run is measured, every
  /// frame is exposed by itself; else the exposure follows within half a second.
  explicit SceneDisplay(const RunConfig& config);

  /// Whether open() was called for the session's scene.
  bool shows(const Session& session) const { return opened_scene_ == session.opened(); }
  /// After a scene was opened: its style and camera, without selection, bookmarks and trails.
  void open(const Session& session, SceneView& view);
  /// Moves the camera so that all bodies are visible.
  static void fit(const Session& session, SceneView& view);
  /// At a step boundary: takes the present bodies over and extends their trails. Throws what the engine throws.
  void publish(Session& session, SceneView& view, const TouchState& touch);
  /// Updates the bodies of the other map right of the split.
  void update_split(Session& session, SplitChoice& split) { split_.work(session, split); }
  /// The body at (x, y), in pixels of a scene of this size, if it is shown. Throws what the engine throws.
  static std::optional<u32> body_at(const Session& session, const GuiState& state, float x, float y, const Rect& scene);
  /// Selects the body at (x, y), in pixels of a scene of this size, or none. A failure is a notice.
  static void pick(Session& session, GuiState& state, float x, float y, const Rect& scene);
  /// Draws into `texture`, whose height is in pixels; and takes the picture over nothing where that is pending.
  /// second: bodies of another run, for the right half; null: there is none.
  void draw(const SessionModel& model, GuiState& state, const Rect& scene, GLuint texture, u32 height,
            render::InstanceBuffer* second);
  /// The picture over nothing that the last draw() took; none where none was pending.
  std::optional<render::AlphaImage> over_nothing() { return std::exchange(over_nothing_, std::nullopt); }
  /// The bodies published last; null before the first.
  render::InstanceBuffer* bodies() const noexcept { return publisher_.buffer(); }
  /// What a frame of this size shows, without trails; exposed by itself.
  static render::FrameView frame_of(const SessionModel& model, const SceneView& view, int width, int height);
  /// The line of the split, in ImGui's frame.
  void overlay(const SessionModel& model, GuiState& state, const Rect& scene, const Rect& free) const {
    split_.overlay(model, state.split, state.panels.scale, scene, free);
  }

  const render::Trails& trails() const noexcept { return trails_; }
  std::string present() const { return publisher_.path(); }
  render::BodyRenderer::Costs costs() const { return renderer_.costs(); }
  /// When the bodies of some frames ago were drawn; offset: from the GPU's clock to clock_s().
  void release_work(double offset, WorkTrace& to) {
    for (const auto& w : renderer_.release_work())
      to.add({w.name, WorkLane::gpu_draw, 0, w.begin + offset, w.end + offset});
  }

 private:
  void mark(const Selection& selection, std::size_t n);

  render::BodyRenderer renderer_;
  render::Trails trails_;
  BodyPublisher publisher_;
  SplitView split_;
  std::optional<render::AlphaImage> over_nothing_;
  u64 opened_scene_ = 0;  ///< that is shown
  u64 generation_ = 0;    ///< of its bodies
  u64 trail_steps_ = 0;   ///< steps at the newest position in the trails
  std::vector<u32> marks_;
  PopulationPtr population_;  ///< that is shown
  bool measured_;
  bool opened_ = false;  ///< and not drawn yet
  double drawn_at_ = 0;  ///< seconds
};

// Carries out what hands do in the scene: boxes become selections, strokes become bodies with a predicted path, and
// measures follow their bodies. At a step boundary, on the thread that draws.

class TouchScene {
 public:
  /// Before the requests of this frame are applied, to which it may add some. Failures are notices.
  void work(Session& session, GuiState& state, const Rect& scene, Requests& requests);
  /// After the steps of this frame: measures, and the camera where it follows the selection, in at most a tenth of the
  /// time. now: seconds.
  void look(Session& session, GuiState& state, double now);
  /// After a scene was opened.
  static void forget(TouchState& touch, const SessionModel& model);

 private:
  Place place_of(const SceneView& view, const Rect& scene, const Pixels& at, const Place& through) const;
  void select_box(const Session& session, TouchState& touch, const SceneView& view, const Rect& scene);
  void draw(const Session& session, GuiState& state, const Rect& scene, Requests& requests);
  void begin_draft(const Session& session, GuiState& state, const Rect& scene);
  void read_bodies(const Session& session, Draft& draft);

  PathField field_;                  ///< of the draft
  double speed_ = 0;                 ///< of an arrow of length 1
  u64 steps_ = 0;                    ///< when the field was taken
  Stroke drawn_;                     ///< of the path that is shown
  bool reversed_ = false;            ///< time runs backwards
  std::optional<OrbitPlane> plane_;  ///< of the bodies at the press
  TimeShare looking_{0.1};
};

// The small pictures of the timeline: copies of the scene as it is drawn. Needs the current GL context.

/// Halfway between the mean of `times` x `times` pixels and the brightest of them: a body of a few pixels is still
/// seen.
render::Image in_small(const render::Image& image, u32 times);

class ThumbKeeper {
 public:
  /// After the scene was drawn into `texture`, whose height is in pixels, before anything is drawn over it.
  void keep(const Session& session, TimeThumbs& thumbs, GLuint texture, const Rect& scene, u32 height);

 private:
  std::vector<gl::Texture> kept_;
  u64 opened_ = 0;
};

// From pointer and keys over the scene to motion of the camera. Pure.

/// Input over the scene during one frame.
struct CameraInput {
  float seconds = 0;                     ///< since the last frame
  float dx = 0, dy = 0;                  ///< motion of the pointer in pixels, down > 0
  float scroll = 0;                      ///< clicks of the wheel, up > 0
  bool turns = false;                    ///< left button held
  bool pans = false;                     ///< right or middle button held
  float right = 0, up = 0, forward = 0;  ///< of the flight keys, -1 to 1
  float width = 1, height = 1;           ///< of the scene in pixels
  bool glides = true;                    ///< a turn goes on after the button
};

void move_camera(render::Camera& camera, const CameraInput& input);
/// The bodies that have a name, where they are now. None where more have one than the scene has room for names: those
/// of some would mean nothing.
void label_bodies(const Session& session, std::vector<NamedBody>& labels);

/// A release of the left button.
struct Release {
  float x = 0, y = 0;  ///< in pixels of the window
  float moved = 0;     ///< largest distance from where it was pressed, in pixels, squared
};
/// Position of a click in the scene, in pixels from its upper left corner; none where the release ended a drag or lies
/// outside. scale: of the panels; tolerates as much more shake.
std::optional<std::array<float, 2>> scene_click(const Release& release, const Rect& scene, float scale);

}  // namespace tri::app::gui
