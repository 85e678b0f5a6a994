#pragma once
/// A pane in the lower half of the scene. One is shown at a time; all have a tab there. Each owns its choice, which
/// scripts and demonstrations change too.

#include "app/gui/base/layout.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/session/session_model.hpp"

namespace tri::app {
class Session;
}  // namespace tri::app

namespace tri::app::gui {

/// What a pane reads of the window.
struct PaneContext {
  const SceneView& view;
  bool dark = true;
  float scale = 1;    ///< of text and panels
  float seconds = 0;  ///< since the last frame
};

class BottomPane {
 public:
  virtual ~BottomPane() = default;
  /// Once a frame while the pane is shown, at a step boundary: computes with the session's backend. A mistake of the
  /// user becomes a notice, not an exception.
  virtual void work(Session&, const PaneContext&) {}
  /// Draws into the current ImGui window, whose cursor is at the upper left corner of `place`; may use GL.
  virtual void draw(const SessionModel& model, const PaneContext& context, const Rect& place) = 0;
};

}  // namespace tri::app::gui
