#pragma once
/// Keyboard shortcuts. Pure: from a key to requests, pending actions and choices.

#include <span>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/window.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui {

void on_key(const KeyPress& key, const SessionModel& model, GuiState& state, Requests& requests);

/// A row of the help: the key and what it does.
struct KeyHelp {
  const char* key;
  const char* does;
};
std::span<const KeyHelp> key_help();

/// The maps that 1 to 9 and Tab choose from: those of triples where the scene has a law for them, as they take most of
/// a step, else those of pairs.
const std::vector<MapRow>& shown_maps(const SessionModel& model);
/// The request for the map of that row of shown_maps().
Request map_request(const SessionModel& model, std::size_t row);
/// The row in use.
std::size_t map_in_use(const SessionModel& model);

}  // namespace tri::app::gui
