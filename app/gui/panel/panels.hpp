#pragma once
/// The panels. Each reads the session's model, changes how things look in the state, and asks the session for the rest;
/// none touches the simulation.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui::panel {

void scene(const SessionModel& model, GuiState& state, Requests& requests);
void physics(const SessionModel& model, GuiState& state, Requests& requests);
void integrator(const SessionModel& model, GuiState& state, Requests& requests);
void map(const SessionModel& model, GuiState& state, Requests& requests);
void timing(const SessionModel& model, GuiState& state);
void diagnostics(const SessionModel& model, GuiState& state);
void view(const SessionModel& model, GuiState& state);
void benchmark(GuiState& state);
void inspector(const SessionModel& model, GuiState& state);
void notices(const SessionModel& model, GuiState& state);

/// The window that chooses a file, when it is shown; the path once one is chosen.
std::optional<std::string> files(FileBrowser& files, const RecentFiles& recent, float scale);

/// All of them at their places, with the line at the bottom and, when asked for, the help.
void all(const SessionModel& model, GuiState& state, const Layout& layout, Requests& requests);

/// The line at the bottom: from the left what is simulated, from the right how it is drawn; what has no room is left
/// out from the middle.
void status(const SessionModel& model, const GuiState& state, const Rect& place);
void help(GuiState& state, const Rect& scene);
/// Colour bar and letters of the axes, over the scene.
void overlay(const GuiState& state, const Rect& scene);
/// Takes the newest notice up when it is new, and lets it go after some seconds. errors_alone: for scripts, whose
/// pictures are to show the scene.
void renew_toast(const SessionModel& model, Toast& toast, double now, bool errors_alone);

}  // namespace tri::app::gui::panel
