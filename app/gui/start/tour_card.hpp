#pragma once
/// The card of the guided tour, and the ring around the part of the window that it speaks of.

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"

namespace tri::app::gui::start {

/// While the tour is on, in the current ImGui frame, after the parts of the window. It hides while a page or a dialog
/// is open over its part.
void tour_card(const SessionModel& model, GuiState& state, const Layout& places);

}  // namespace tri::app::gui::start
