#pragma once
/// The session that a command line asks for.

#include "app/gui/base/pane_choices.hpp"
#include "app/session/session.hpp"
#include "app/support/console.hpp"
#include "app/support/run_config.hpp"

namespace tri::app::gui {

/// Whether a window opens that nobody gave a scene: it plays kFirstScene at once.
bool plays_first_scene(const RunConfig& config);
/// The text of the scene. Throws ConfigError where --seed has no meaning.
std::string scene_text(const RunConfig& config);

/// Opens the bottom pane that the command line asks for. Throws ConfigError, FileError.
void open_panes(const RunConfig& config, PaneChoices& panes);

/// Opens scene and backend, or the session that a picture carries; the console must outlive the session. Throws what
/// they throw.
Session open_session(const RunConfig& config, Console& console);

/// Whether a path is opened as a picture that carries a session.
bool is_picture(const std::string& path);
/// The requests that restore the session of a picture; the first opens its scene. Throws FileError where it carries
/// none.
Requests picture_requests(const std::string& path);

}  // namespace tri::app::gui
