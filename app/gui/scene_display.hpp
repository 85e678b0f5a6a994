#pragma once
/// Draws the session's bodies into the window, with trails and the split between two maps, and selects bodies.

#include <optional>
#include <string>
#include <utility>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/gui/frame/body_publisher.hpp"
#include "app/gui/views/split_view.hpp"
#include "app/session/session.hpp"
#include "app/support/run_config.hpp"
#include "render/body_renderer.hpp"
#include "render/image.hpp"

namespace tri::app::gui {

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
  void publish(Session& session, SceneView& view, const Selection& selection);
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
  void overlay(const SessionModel& model, GuiState& state, const Rect& scene) const {
    split_.overlay(model, state.split, state.panels.scale, scene);
  }

  std::string present() const { return publisher_.path(); }
  render::BodyRenderer::Costs costs() const { return renderer_.costs(); }
  /// When the bodies of some frames ago were drawn; offset: from the GPU's clock to clock_s().
  void take_work(double offset, WorkTrace& to) {
    for (const auto& w : renderer_.take_work())
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
  std::size_t named_of_ = 0;  ///< bodies when the names were given
  bool measured_;
  bool opened_ = false;  ///< and not drawn yet
  double drawn_at_ = 0;  ///< seconds
};

}  // namespace tri::app::gui
