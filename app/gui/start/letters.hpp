#pragma once
/// The texts that others wrote: titles, and names of scenes, bodies and files.

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"

namespace tri::app::gui::start {

/// Once a frame: true where they have letters that the faces lack and the system has (look/type.hpp); the faces are
/// then to be loaded again.
bool new_letters(const SessionModel& model, const GuiState& state);

}  // namespace tri::app::gui::start
