#pragma once
/// A view that shares the scene's place: it takes the lower half. One of them is shown at a time; all have a tab there.

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"

namespace tri::app {
class Session;
}  // namespace tri::app

namespace tri::app::gui {

class BottomPane {
 public:
  virtual ~BottomPane() = default;
  /// Once a frame while it is shown, at a step boundary: what it needs of the session's backend. Throws nothing that a
  /// user can cause: such things are notices. seconds: since the last frame.
  virtual void work(Session&, GuiState&, float /*seconds*/) {}
  /// Into the current ImGui window, whose cursor is at the upper left corner of `place`; may use GL.
  virtual void draw(const SessionModel& model, GuiState& state, const Rect& place, float seconds) = 0;
};

}  // namespace tri::app::gui
