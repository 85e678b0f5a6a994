#pragma once
/// The session that a command line asks for.

#include "app/console.hpp"
#include "app/gui/gui_state.hpp"
#include "app/run_config.hpp"
#include "app/session.hpp"

namespace tri::app::gui {

/// The text of the scene. Throws ConfigError where --seed has no meaning.
std::string scene_text(const RunConfig& config);

/// What the command line says of the views of the lower half. Throws ConfigError, FileError.
void begin_views(const RunConfig& config, GuiState& state);

/// Opens scene and backend; the console must outlive the session. Throws what they throw.
Session open_session(const RunConfig& config, Console& console);

}  // namespace tri::app::gui
