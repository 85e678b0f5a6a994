#pragma once
/// Lanes of the panel Time: the camera's path and the film; and the mark of a recording.

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui::film {

/// Times from left to right, in pixels.
struct TimeAxis {
  float left = 0, right = 1;
  double first = 0, last = 0;
  float x(double time) const;
  double time(float at) const;
};

/// What stands at a step of the bar, or at most `near` steps from it: a keyframe with step and time, of the run or of
/// the other branch, or where the two part; empty: nothing does.
std::string tick_text(const SessionModel& model, u64 step, u64 near, bool other);

/// The bookmarks of the path over the axis: a click shows one, a drag gives it another time, buttons add and delete it
/// and play the path; its file.
void camera_lane(const SessionModel& model, GuiState& state, const TimeAxis& axis, Requests& requests);
/// What the film is to be, its progress, and Stop.
void film_part(const SessionModel& model, FilmState& film, bool has_path, float scale);

/// Plays the path: from its first bookmark, where the run has kept that, or from here.
void play_path(const SessionModel& model, SceneView& view, Requests& requests);

/// Over the scene: the line between two runs, their names, maps and places in time.
void two_runs_marks(const SessionModel& a, const SessionModel& b, bool controls_b, float scale, const Rect& scene);
/// Whether there are two, and which one panels control.
void two_runs_part(const SessionModel& model, SecondChoice& choice);

/// Over the scene, at its upper right corner; films do not show it.
void record_mark(const SessionModel& model, const RecordMark& mark, float scale, const Rect& scene);
/// What it says: "REC 23 s, 40 Myr a second".
std::string mark_text(const SessionModel& model, const RecordMark& mark);

}  // namespace tri::app::gui::film
