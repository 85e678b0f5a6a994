#pragma once
/// The panels. Each reads the session's model, changes its own part of the window's state and sends requests to the
/// session; none touches the simulation.

#include <optional>
#include <string>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui::panel {

/// demo: the running demonstration; empty = none.
void scene(const SessionModel& model, FileState& files, const std::string& demo, PendingActions& pending,
           Requests& requests);
void physics(const SessionModel& model, GuiState& state, Requests& requests);
void integrator(const SessionModel& model, Requests& requests);
void map(const SessionModel& model, bool& all_formulas, SplitChoice& split, Requests& requests);
void timing(const SessionModel& model, const FrameState& frames, float scale);
void diagnostics(const SessionModel& model, float scale);
/// How the scene is drawn.
void view(const SessionModel& model, SceneView& view, bool recording, PendingActions& pending);
/// The window itself, in the section of view().
void window(PanelState& panels, bool& bottom_pane);
void benchmark(BenchPanel& bench, float scale);
void inspector(const SessionModel& model, SceneView& view);
void notices(const SessionModel& model);

/// The file browser while it is open; returns the path once one is chosen.
std::optional<std::string> files(FileBrowser& files, const RecentFiles& recent, float scale);

/// All panels in their columns, with the status line and, if open, the help.
void all(const SessionModel& model, GuiState& state, const Layout& layout, Requests& requests);

/// The line at the bottom: simulation on the left, drawing on the right. What does not fit is left out.
void status(const SessionModel& model, const FrameState& frames, float scale, const Rect& place);
void help(bool& open, float scale, const Rect& scene);
/// Colour bar, axis labels, caption and toast over the scene.
void overlay(const GuiState& state, const Rect& scene);
/// Shows the newest notice when it is new, and hides it after some seconds. errors_only: for scripts, whose pictures
/// show the scene.
void renew_toast(const SessionModel& model, Toast& toast, double now, bool errors_only);

}  // namespace tri::app::gui::panel
