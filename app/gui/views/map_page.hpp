#pragma once
/// The page of a map, over the scene: parallel beside data space, its formula, its exact limit with the first wrong
/// tile beyond it, and its idle blocks over the side.

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/gui/base/pane_choices.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui {

/// Draws the page that `choice` names, and changes it by its buttons; `Use` becomes a request, `Race it` a
/// race. seconds: since the last
/// frame.
void map_page(const SessionModel& model, PageChoice& choice, RaceState& race, const Rect& place, float seconds,
              float scale, Requests& requests);
/// What the page holds, in the current window at `place`.
void map_page_items(const SessionModel& model, PageChoice& choice, RaceState& race, const Rect& place, float seconds,
                    float scale, Requests& requests);

}  // namespace tri::app::gui
