#pragma once
/// The gallery: a card a scene, with a picture, its name, one sentence and its number of bodies; then the recent files.

#include <string>

#include "app/gui/base/gui_state.hpp"

namespace tri::app::gui::start {

/// In the current window, `height` pixels high; scrolls. now: text of the scene that is open. Returns what was chosen;
/// empty: nothing.
std::string gallery(const std::string& now, const RecentFiles& recent, GalleryState& state, float height, float scale);

}  // namespace tri::app::gui::start
