#pragma once
/// The editor of typed laws, in the panel Physics: a text, what it means or what is wrong with it, energy and force
/// over the distance, and the law put to use.

#include <span>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui::editor {

/// Laws to begin with; the first is what a new editor shows.
struct Example {
  const char *name, *text;
};
std::span<const Example> examples(expression::Over over);

/// Fields for the parameters of a typed law: whether one was changed, to a value that the law takes. Its programs stay
/// the same.
panel::Dragged typed_parameters(expression::TypedLaw& law);

/// Reads the text at every change, which takes about a millisecond.
void law_editor(const SessionModel& model, LawEditor& editor, float scale, Requests& requests);

}  // namespace tri::app::gui::editor
