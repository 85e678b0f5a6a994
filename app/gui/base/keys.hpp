#pragma once
/// The actions of the window and their keys. Pure: from a key to requests, pending actions and choices.

#include <span>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/window.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui {

void on_key(const KeyPress& key, const SessionModel& model, GuiState& state, Requests& requests);

struct ActionContext {
  const SessionModel& model;
  GuiState& state;
  Requests& requests;
};

/// What a key does. The table is the source of the keys, of the help and of the palette.
struct Action {
  const char* keys;  ///< as the help writes them
  const char* does;
  KeyPress press;
  void (*act)(const ActionContext&);  ///< null: a group of keys, described here and handled by on_key()
};
std::span<const Action> actions();

/// The maps that 1 to 9 and Page Down choose from: those of triples where the scene has a law for them, as they take
/// most of a step, else those of pairs.
const std::vector<MapRow>& shown_maps(const SessionModel& model);
/// The request for the map of that row of shown_maps().
Request map_request(const SessionModel& model, std::size_t row);
/// The row in use.
std::size_t map_in_use(const SessionModel& model);

}  // namespace tri::app::gui
