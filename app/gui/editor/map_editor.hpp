#pragma once
/// The editor of maps as data: a text, its proof at one side with a picture, and the map added to the others.

#include <span>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"
#include "app/views/map_sketch.hpp"

namespace tri::app::gui::editor {

/// Reads and proves the text again at every change, which takes a few milliseconds.
void map_editor(const SessionModel& model, MapEditor& editor, float scale, Requests& requests);

}  // namespace tri::app::gui::editor
