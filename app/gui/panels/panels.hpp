#pragma once
/// The panels, their table, and the palette.
///
/// The panels. Each reads the session's model, changes its own part of the window's state and sends requests to the
/// session; none touches the simulation.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/base/window.hpp"
#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"

namespace tri::app::gui {

/// The gallery of scenes and recent files; below it the scene's text, n and seed.
void scene(const SessionModel& model, GuiState& state, Requests& requests);
void physics(const SessionModel& model, GuiState& state, Requests& requests);
void integrator(const SessionModel& model, Requests& requests);
/// What was done and undone, a row each: a click leads there.
void history(const SessionModel& model, Requests& requests);
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
/// Energy errors over steps; second: of another run, or null.
PlotSpec energy_plot(const SessionModel& model, const SessionModel* second);
/// The energy error alone, in height pixels at scale 1 and width pixels; second: of another run, dashed; or null.
void energy_chart(const SessionModel& model, const SessionModel* second, float height, float width, float scale);
/// How the scene is drawn.
void view(const SessionModel& model, GuiState& state);
inline constexpr const char* kAboutPicture =
    "Takes the scene alone as a PNG file, which opens again as this scene (F12); the panel View has its size, ground "
    "and "
    "command";
inline constexpr const char* kAboutRecord =
    "Records the window with its panels: as a video where ffmpeg is installed, else as PNG files in a folder (F9); the "
    "panel Time makes films of the scene alone";
inline constexpr const char* kAboutUntil =
    "The run goes on to this time and rests there; to an earlier one it goes back, where its steps are kept";
inline constexpr const char* kRecorded = "A recorded run cannot be changed: Branch here (panel Time) goes on from it.";
/// The window itself, in the section of view().
void window(PanelState& panels, bool& bottom_pane);
void benchmark(BenchPanel& bench, float scale);
void inspector(const SessionModel& model, SceneView& view, Requests& requests);
/// Tools for bodies, the selected ones, and measures.
void touch_controls(const SessionModel& model, TouchState& touch, Requests& requests);
/// The tools of the pointer, over the scene: strokes, paths and measures. free: of panels.
void touch_overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free);
void notices(const SessionModel& model);

/// The steps that can be shown again, and the other branch.
void timeline(const SessionModel& model, GuiState& state, Requests& requests);
/// Once the button is up, the run that held while the bar was dragged goes on, also where the panel is gone by then.
void let_go_of_time(PanelState& panels, Requests& requests);
/// Where a film of that name goes: there, but without ffmpeg a video becomes PNG files in a folder of its name.
std::string film_place(const std::string& path);

/// The file browser while it is open; returns the path once one is chosen.
std::optional<std::string> files(FileBrowser& files, const RecentFiles& recent, float scale);

/// Whether the rail has a panel of that name.
bool has_panel(std::string_view name);
/// Opens the rail's panel of that name, or closes it.
void toggle_panel(PanelState& panels, std::string_view name);
void rail(const SessionModel& model, GuiState& state, const Layout& places);
/// The rail's panel that is open.
void left_panel(const SessionModel& model, GuiState& state, const Rect& place, Requests& requests);
/// The page of the race over `place`, in the current window.
inline constexpr const char* kAboutWhy =
    "Why bb, the bounding box, starts more blocks, and what they cost on this machine (Shift+I)";
void race(const SessionModel& model, RaceState& race, const Rect& place, float scale);
/// The palette while it is open: carries out the entry that the user chooses.
void palette(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests);
/// The time of the run within so many pixels: "12.3 Myr" below "Time", or the number below its unit.
struct RunClock {
  std::string head, text;
};
RunClock run_clock(const SessionModel& model, float room);
/// Over the scene, at the bottom: back to the start, play, step, speed, time, record.
void run_bar(const SessionModel& model, GuiState& state, const Rect& scene, Requests& requests);
inline constexpr float kHeadButtons = 118;  ///< what the buttons of the scene take of its upper right corner
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

/// Where a page covers the whole scene; none: no page is shown, or it has no room.
std::optional<Rect> page_place(const GuiState& state, const Layout& layout);
/// The line at the bottom: simulation on the left, drawing on the right. What does not fit is left out.
void status(const SessionModel& model, const FrameState& frames, float scale, const Rect& place);
void help(GuiState& state, float scale, const Rect& scene);
/// The most groups that a legend lists by name; more share a bar.
inline constexpr float kListedGroups = 8;
/// What the colour bar shows, with the unit that its numbers have: "speed in km/s, logarithmic".
std::string colour_bar_title(const render::BodyStyle& style, const UnitSystem* units);
/// Why the colours of this style have no legend, as a sentence; empty: they have one.
std::string no_legend(const SessionModel& model, const render::BodyStyle& style);

/// Letters of the axes, legend, scale bar and clock, as far as the picture is to have them. range: of the coloured
/// quantity. second: the column at which a second run begins; 0: there is none.
void picture_marks(ImDrawList& draw, const SessionModel& model, const SceneView& view,
                   const std::array<float, 2>& range, const PictureForm& form, float scale, u32 second = 0);
/// Colour bar, axis labels and caption over the scene, and the toast over the part of it that no panel covers.
void overlay(const SessionModel& model, const GuiState& state, const Rect& scene, const Rect& free);
/// Shows the newest notice when it is new, and hides it after some seconds. errors_only: for scripts, whose pictures
/// show the scene.
void renew_toast(const SessionModel& model, Toast& toast, double now, bool errors_only);

// The panels of the rail, in a table: a new one is a function and a row.

struct PanelContext {
  const SessionModel& model;
  GuiState& state;
  Requests& requests;
};

struct PanelRow {
  const char* name;   ///< on the rail, in settings and scripts
  const char* glyph;  ///< an icon of base/look.hpp
  const char* about;
  bool at_end;  ///< at the lower end of the rail
  void (*draw)(const PanelContext&);
};
std::span<const PanelRow> panel_rows();
/// The row of that name; null where there is none.
const PanelRow* find_panel(std::string_view name);

// What the palette finds: every action of the keys, and every map, scene, demonstration and panel.

struct PaletteEntry {
  std::string text, keys;
  std::function<void(const ActionContext&)> act;
  std::string english;  ///< the text in English, which is searched, too
};

std::vector<PaletteEntry> palette_entries(const SessionModel& model);
/// The entries that have all words of the text, in any case; where they begin a word, and early ones, go first.
std::vector<std::size_t> palette_matches(const std::vector<PaletteEntry>& entries, const std::string& text);

// The editor of typed laws, in the panel Physics: a text, what it means or what is wrong with it, energy and force
// over the distance, and the law put to use.

/// Laws to begin with; the first is what a new editor shows.
struct Example {
  const char *name, *text;
};
std::span<const Example> examples(expression::Over over);

/// Fields for the parameters of a typed law: whether one was changed, to a value that the law takes. Its programs stay
/// the same.
Dragged typed_parameters(expression::TypedLaw& law);

/// What is wrong with a text, and the line with a caret beneath the place.
void show_error(const TextFault& fault);
/// Buttons to open and save an editor's text, and for the one that it took the place of.
void text_buttons(FileBrowser& files, FileBrowser::Kind kind, const std::string& path, std::string& text,
                  std::string& before);

/// Reads the text at every change, which takes about a millisecond.
void law_editor(const SessionModel& model, LawEditor& editor, float scale, Requests& requests);

// The editor of maps as data: a text, its proof at one side with a picture, and the map added to the others.

/// Reads and proves the text again at every change, which takes a few milliseconds.
void map_editor(const SessionModel& model, MapEditor& editor, float scale, Requests& requests);

// The page of a map, over the scene: parallel beside data space, its formula, its exact limit with the first wrong
// tile beyond it, and its idle blocks over the side.

/// The page that `choice` names over `place`, in the current window; its buttons change it, `Use` becomes a request,
/// `Race it` a race. seconds: since the last frame.
void map_page(const SessionModel& model, PageChoice& choice, RaceState& race, const Rect& place, float seconds,
              float scale, Requests& requests);

// The page of puzzles: levels, a text, its proof, and its blocks beside their tiles; what is missed, met again or sent
// outside has a red outline.

/// Whether a map that was typed is one of those of its domain.
enum class Among : u8 { no, yes, other };  ///< other: a map with another text has its name
Among among_maps(const MapSketch& sketch);
/// Over `place`, in the current window; a solved map is added by a request and raced. seconds: since the last frame.
void puzzle_page(const SessionModel& model, GuiState& state, const Rect& place, float seconds, Requests& requests);
/// The page that choice.why asks for: bb beside the map in use, or the best one beside it, over the whole scene, and
/// what their blocks cost in microseconds of this machine.
void why_page(const SessionModel& model, PageChoice& choice, const Rect& place, float seconds, float scale);

// The keyboard's way through the window: Tab leads from part to part, arrows within one, Enter presses. Around what
// has the keyboard there is a ring of 2 pixels.

/// Keys that ImGui's navigation takes: Enter in place of Space, which runs and pauses. Once for an ImGui context.
void claim_navigation_keys();
/// At the beginning of a frame, before the first window: goes on by so many parts of those that were drawn in the last
/// frame, forwards or backwards.
void turn_focus(int parts);
/// At its end.
void draw_focus(float scale);

// The gallery: a card a scene, with a picture, its name, one sentence and its number of bodies; then the recent files.

/// In the current window, `height` pixels high; scrolls. now: text of the scene that is open. Returns what was chosen;
/// empty: nothing.
std::string gallery(const std::string& now, const RecentFiles& recent, GalleryState& state, float height, float scale);

// The card of the guided tour, and the ring around the part of the window that it speaks of.

/// While the tour is on, in the current ImGui frame, after the parts of the window. It hides while a page or a dialog
/// is open over its part.
void tour_card(const SessionModel& model, GuiState& state, const Layout& places);

}  // namespace tri::app::gui
