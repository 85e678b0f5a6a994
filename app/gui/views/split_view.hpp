#pragma once
/// The same state by two maps side by side: left of a movable line the bodies as computed by the map in use, right of
/// it with accelerations by another map. Both with their times.

#include <memory>

#include "app/gui/base/layout.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/session/session_model.hpp"
#include "render/body_renderer.hpp"
#include "render/instance_buffer.hpp"

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
  /// The line, which the pointer moves, with the names and times of both maps; in ImGui's frame.
  void overlay(const SessionModel& model, SplitChoice& split, float scale, const Rect& scene) const;

 private:
  struct Key {
    u64 generation = 0, backends = 0, steps = 0;
    double time = 0;
    std::size_t map = 0;
    InstanceScalar scalar = InstanceScalar::mass;
    bool operator==(const Key&) const = default;
  };
  std::unique_ptr<render::InstanceBuffer> buffer_;
  Key made_;
  Turns turns_;                      ///< of the map in use and the other
  std::size_t beside_ = 0;           ///< the map in use in those turns
  double worked_at_ = 0, cost_ = 0;  ///< seconds
};

}  // namespace tri::app::gui
