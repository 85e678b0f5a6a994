#pragma once
/// The same state by two maps side by side: left of a line that can be drawn along, the bodies as the map in use leaves
/// them; right of it, with accelerations by another map. Both with their times.

#include <memory>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"
#include "render/body_renderer.hpp"
#include "render/instance_buffer.hpp"

namespace tri::app {
class Session;
}  // namespace tri::app

namespace tri::app::gui {

class SplitView {
 public:
  /// Brings the other map's bodies up to date, in a third of the time at most. What fails switches the line off with a
  /// notice.
  void work(Session& session, GuiState& state);
  /// Draws them right of the line, over what the renderer has shown on that screen at (x, y), lower left corner.
  void draw(render::BodyRenderer& renderer, const render::FrameView& view, const GuiState& state, GLuint screen, int x,
            int y) const;
  /// The line, which the pointer moves, with the names and times of both maps; in ImGui's frame.
  void overlay(const SessionModel& model, GuiState& state, const Rect& scene) const;

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
  double worked_at_ = 0, cost_ = 0;  ///< seconds
};

}  // namespace tri::app::gui
