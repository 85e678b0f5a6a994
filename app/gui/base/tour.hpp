#pragma once
/// The guided tour: six stops, each at a part of the window, that a newcomer may leave at any time. What a stop asks
/// for takes it to the next one. Pure; app/gui/start draws it.

#include <string>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"

namespace tri::app::gui {

/// From the first stop, or from another one (< TourState::kStops).
void start_tour(GuiState& state, std::size_t stop = 0);
void leave_tour(GuiState& state);
/// The next stop; after the last one the tour ends.
void next_stop(GuiState& state);
void previous_stop(GuiState& state);

/// Once a frame: opens what a stop needs on arrival, and goes on a moment after its action was done. now: seconds of
/// the app's clock; narrow: the column of maps has no place beside the scene.
void follow_tour(const SessionModel& model, GuiState& state, double now, bool narrow);

/// What a stop says: its numbers are those of the session and of the frames shown.
struct TourWords {
  std::string title, text;
  std::string action;  ///< what to try; empty: nothing
};
TourWords tour_words(std::size_t stop, const SessionModel& model, const GuiState& state);

/// Where a card of this size goes: beside the part, at its left, right, upper or lower side, whichever has room within
/// `bounds` and comes first in that order; else into the lower right corner. In pixels.
Rect card_place(const Rect& part, float width, float height, const Rect& bounds, float gap);

}  // namespace tri::app::gui
