#pragma once
/// Carries out what hands do in the scene: boxes become selections, strokes become bodies with a predicted path, and
/// measures follow their bodies. At a step boundary, on the thread that draws.

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/session/session.hpp"

namespace tri::app::gui {

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
  void take_box(const Session& session, TouchState& touch, const SceneView& view, const Rect& scene);
  void draw(const Session& session, GuiState& state, const Rect& scene, Requests& requests);
  void begin_draft(const Session& session, GuiState& state, const Rect& scene);
  void take_bodies(const Session& session, Draft& draft);

  PathField field_;        ///< of the draft
  double speed_ = 0;       ///< of an arrow of length 1
  u64 steps_ = 0;          ///< when the field was taken
  Stroke drawn_;           ///< of the path that is shown
  bool reversed_ = false;  ///< time runs backwards
  double looked_at_ = 0, look_cost_ = 0;
};

}  // namespace tri::app::gui
