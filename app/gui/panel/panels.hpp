#pragma once
/// The panels. Each reads the session's model, changes its own part of the window's state and sends requests to the
/// session; none touches the simulation.

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/layout.hpp"
#include "app/session/session_model.hpp"
#include "app/session/session_request.hpp"

namespace tri::app::gui::panel {

/// The gallery of scenes and recent files; below it the scene's text, n and seed.
void scene(const SessionModel& model, GuiState& state, Requests& requests);
void physics(const SessionModel& model, GuiState& state, Requests& requests);
void integrator(const SessionModel& model, Requests& requests);
/// Blocks and accumulation.
void computation(const SessionModel& model, Requests& requests);
/// How the column of maps is drawn.
struct MapsPlace {
  float scale = 1, row = 32;  ///< height of a row in pixels
  bool compact = false;       ///< without intervals; buttons beside the title
};
/// A row a map: domain, idle blocks, time, improvement over bb. A click uses the map; while
/// a page is open it turns to that of the map, and a double click opens one.
void maps(const SessionModel& model, const MapsPlace& place, MapSort& sort, SplitChoice& split, PageChoice& page,
          RaceState& race, Requests& requests);
/// bb beside the map in use, block by block at one speed; in `height` pixels. seconds: since the last frame.
/// compact: without a title.
void blocks(const SessionModel& model, DomainChoice& choice, float height, float seconds, float scale, bool compact);
void timing(const SessionModel& model, const FrameState& frames, float scale);
void diagnostics(const SessionModel& model, float scale);
/// The energy error alone, in height pixels at scale 1 and width pixels; second: of another run, dashed; or null.
void energy_chart(const SessionModel& model, const SessionModel* second, float height, float width, float scale);
/// How the scene is drawn.
void view(const SessionModel& model, SceneView& view, bool recording, PendingActions& pending);
/// The window itself, in the section of view().
void window(PanelState& panels, bool& bottom_pane);
void benchmark(BenchPanel& bench, float scale);
void inspector(const SessionModel& model, SceneView& view, Requests& requests);
/// Tools for bodies, the selected ones, and measures.
void hands(const SessionModel& model, TouchState& touch, Requests& requests);
/// What hands do, over the scene: strokes, paths and measures. free: of panels.
void touch_overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free);
void notices(const SessionModel& model);

/// The steps that can be shown again, and the other branch.
void timeline(const SessionModel& model, GuiState& state, Requests& requests);

/// The file browser while it is open; returns the path once one is chosen.
std::optional<std::string> files(FileBrowser& files, const RecentFiles& recent, float scale);

/// Whether the rail has a panel of that name.
bool has_panel(std::string_view name);
/// Opens the rail's panel of that name, or closes it.
void toggle_panel(PanelState& panels, std::string_view name);
void rail(const SessionModel& model, GuiState& state, const Layout& places);
/// The rail's panel that is open.
void left_panel(const SessionModel& model, GuiState& state, const Rect& place, Requests& requests);
/// The page of the race while it is shown, over `place`.
void race(const SessionModel& model, RaceState& race, const Rect& place, float scale);
/// What it holds, in the current window.
void race_items(const SessionModel& model, RaceState& race, const Rect& place, float scale);
/// The palette while it is open: carries out the entry that the user chooses.
void palette(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests);
/// Over the scene, at the bottom: back to the start, play, step, speed, time, record.
void run_bar(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests);
/// Over the scene, at the top: its name, and buttons to fit, photograph and fill the window.
void scene_head(const SessionModel& model, GuiState& state, const Rect& scene);
/// The colour of forces: that of the map in use.
ImU32 step_colour(const SessionModel& model);
/// The parts of a frame, which sum to 100 %; now: seconds of the app's clock.
void frame_strip(const SessionModel& model, GuiState& state, double now, const Rect& place);

/// Everything beside the scene and over it, with the help if open. seconds: since the last frame; now: of the clock.
/// The run, and a second one beside it or null.
struct ShownRuns {
  const SessionModel& first;
  const SessionModel* second;
};
void all(const ShownRuns& runs, GuiState& state, const Layout& layout, double seconds, double now, Requests& requests);

/// The line at the bottom: simulation on the left, drawing on the right. What does not fit is left out.
void status(const SessionModel& model, const FrameState& frames, float scale, const Rect& place);
void help(GuiState& state, float scale, const Rect& scene);
/// What the colour bar shows, with the unit that its numbers have: "speed in km/s, logarithmic".
std::string colour_bar_title(const render::BodyStyle& style, const UnitSystem* units);
/// Colour bar, axis labels and caption over the scene, and the toast over the part of it that no panel covers.
void overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free);
/// Shows the newest notice when it is new, and hides it after some seconds. errors_only: for scripts, whose pictures
/// show the scene.
void renew_toast(const SessionModel& model, Toast& toast, double now, bool errors_only);

}  // namespace tri::app::gui::panel
