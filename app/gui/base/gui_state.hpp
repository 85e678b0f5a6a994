#pragma once
/// The state of the window that panels, scripts and settings share, with the file browser.
///
/// The file browser: folders, files of known formats, recent files, a typed path. State and logic; scene_panel.cpp
/// draws it.

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/base/scene_view.hpp"
#include "app/session/puzzles.hpp"
#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"
#include "app/support/language.hpp"
#include "app/support/measurement.hpp"
#include "app/support/run_config.hpp"
#include "sim/backend/bench.hpp"
#include "sim/base/platform.hpp"

namespace tri::app::gui {

/// An entry of a folder.
struct FileRow {
  std::string name;
  bool folder = false;
  u64 bytes = 0;  ///< of a file
};

class FileBrowser {
 public:
  enum class Purpose : u8 { open, save };
  enum class Kind : u8 { bodies, law, map };  ///< the texts of the editors end in .txt and .toml

  /// Lists the folder of `path`, or the working folder where there is none. To save, the name of `path` is the typed
  /// text.
  void show(Purpose purpose, const std::string& path, Kind kind = Kind::bodies);
  void hide() { shown_ = false; }
  bool shown() const noexcept { return shown_; }
  Purpose purpose() const noexcept { return purpose_; }
  Kind kind() const noexcept { return kind_; }

  const std::string& folder() const noexcept { return folder_; }  ///< absolute
  /// Folders first, by name, without hidden entries and, unless all_kinds(), without files of unknown formats.
  const std::vector<FileRow>& rows() const noexcept { return rows_; }
  const std::string& fault() const noexcept { return fault_; }  ///< why the last action failed; empty = it did not
  bool all_kinds() const noexcept { return all_kinds_; }
  void set_all_kinds(bool all);
  void up();       ///< to the parent folder
  void refresh();  ///< lists the folder again

  /// Enters a folder or chooses a file. text: a path, absolute, relative to the folder shown, or with ~ for the home
  /// folder. Saving over an existing file takes a second call with the same text. Returns the path when a file is
  /// chosen; the browser is then hidden.
  std::optional<std::string> choose(const std::string& text);

  std::string typed;        ///< text of the path field
  bool takes_keys = false;  ///< the path field is to take the keyboard, with its text selected

 private:
  void go(const std::string& folder);

  bool shown_ = false, all_kinds_ = false;
  Purpose purpose_ = Purpose::open;
  Kind kind_ = Kind::bodies;
  std::string folder_, fault_, warned_;
  std::vector<FileRow> rows_;
};

/// The last files opened or saved, the newest first, at most ten; stored one per line in a file of the user.
class RecentFiles {
 public:
  static constexpr std::size_t kMax = 10;
  /// path: of that file; empty = nothing is read or stored. An unreadable file counts as empty.
  explicit RecentFiles(std::string path = {});
  const std::vector<std::string>& paths() const noexcept { return paths_; }
  /// Moves the path to the front; relative paths become absolute. A failure to write the file is ignored: the list is
  /// only a convenience.
  void add(const std::string& path);

 private:
  std::string path_;
  std::vector<std::string> paths_;
};

/// "1.2 MB"
std::string bytes_text(u64 bytes);

/// The path, where that replaces nothing; else with the next number, "film-2.mp4". A pipe and the like stay.
std::string free_path(const std::string& path);
std::string with_folder(const std::string& path);  ///< for a notice: "film.mp4 in FOLDER"
/// Bytes that are free on the disk that holds the path, or will; none where that is not known.
std::optional<u64> free_bytes(const std::string& path);
/// Why nothing more may be written there, where few bytes are left; else empty.
using FreeBytes = std::optional<u64> (*)(const std::string& path);
std::string disk_refusal(const std::string& path, FreeBytes free = free_bytes);

}  // namespace tri::app::gui

// State of the window beside the session, by owner: scene view, panels, files, benchmark, bottom panes, frame loop,
// overlay. Plain data; functions take the part that they need.

namespace tri::app {
struct BenchStatus;
}  // namespace tri::app

namespace tri::app::gui {

/// By what the rows of maps are sorted.
enum class MapSort : u8 { key, blocks, time, gain };

/// The column of maps, where a window has no room for it beside the scene.
inline constexpr const char* kMapsPanel = "Maps";

/// Appearance of the panels.
struct PanelState {
  bool shown = true, help = false, dark = true;
  bool contrast = false;     ///< high, in either theme
  bool calm = false;         ///< reduced motion: nothing glides, fades or goes on by itself
  bool full_screen = false;  ///< the window fills the screen, where it is
  bool presents = false;     ///< the scene fills the window until Esc, whether panels are shown or not
  bool visible() const { return shown && !presents; }
  std::string open;         ///< name of the rail's panel that is open (panels.hpp), or kMapsPanel; empty: none
  float width = 320;        ///< of that panel, at scale 1
  float column = 0;         ///< width of the column of maps, at scale 1; 0: what suits the window
  bool pinned = false;      ///< it narrows the scene, and Esc leaves it
  bool paged = false;       ///< the page of a map or the race is shown
  int focus_turn = 0;       ///< the keyboard goes on by so many parts of the window
  bool drags_time = false;  ///< the bar of time is dragged, and a run holds that goes on afterwards
  MapSort sort = MapSort::key;
  Language language = Language::english;
  bool vsync = true;  ///< where the display reports it, a frame waits until the previous one is shown
  u32 window_width = 1280, window_height = 720;  ///< as app.ini has them, in pixels
  float scale = 1;                               ///< in use, of text and panels
  std::optional<double> chosen_scale;            ///< requested, 0.5 to 4; none: what the display asks for
};

/// The columns of a csv file that a reader does not know, and what each is to be.
struct ColumnChoice {
  std::string path;                 ///< empty: there is none
  std::vector<std::string> header;  ///< as the file names them
  std::vector<u32> is;              ///< [columns] of kColumnKinds; 0: left out
  /// Of a file, with a guess by the names.
  static ColumnChoice of(const std::string& path);
  std::string spec() const;  ///< opens the file with these columns
};
/// What a column can be, as FILE.csv:KIND=NAME has it; the first: nothing.
inline constexpr std::array kColumnKinds{"", "x", "y", "z", "vx", "vy", "vz", "m", "r", "group", "q", "name"};

/// Opening and saving.
struct FileState {
  FileBrowser browser;
  RecentFiles recent;
  std::string scene_text;  ///< being edited
  std::string keys_of;     ///< text of the scene whose keys these are
  std::vector<SceneKey> keys;
  bool shows_keys = false;  ///< they are open in the panel Scene
  ColumnChoice columns;
  std::string save_path = "state.csv";
};

/// What the benchmark panel times.
struct BenchChoice {
  BenchKernel kernel = BenchKernel::gravity;
  std::string sizes = "2^10:2^13";  ///< as --n takes them
  std::vector<std::string> maps;    ///< empty = all of the kernel
  u32 samples = 11;
  std::string backend = "auto";  ///< and what follows: as of the command line
  int device = -1;
  u32 threads = 0;
};

/// The benchmark panel: its choice, its requests and its results.
struct BenchPanel {
  BenchChoice choice;
  std::string path = "bench.svg";  ///< being edited

  bool start = false, cancel = false;
  std::string save;                           ///< file to write; empty = none
  std::shared_ptr<const BenchStatus> status;  ///< results; none before the first start
  std::size_t shown_group = ~std::size_t{0};  ///< in the table; beyond the end: the last
};

/// What is timed beside the race when it is asked for: forces of bb and the best map over n, the maps of the
/// tetrahedron, those of the gasket.
enum class RaceExtra : u8 { over_n, triples, gasket };
inline constexpr std::size_t kRaceExtras = 3;

/// The page of the race, over the scene and the maps.
struct RaceState {
  bool shown = false;
  Domain domain = Domain::triangle;                 ///< of pairs or triples
  u64 n = 4096;                                     ///< bodies
  std::optional<std::pair<u64, Domain>> opened_at;  ///< the scene's bodies when n was chosen for it
  std::vector<std::string> maps;                    ///< that take part; empty: all
  bool start = false, cancel = false, asks_why = false;
  std::optional<RaceExtra> extra;                                      ///< to be started
  std::string save;                                                    ///< file to write; empty = none
  u64 timed = 0;                                                       ///< bodies of the results
  std::shared_ptr<const BenchStatus> status;                           ///< none before the first start
  std::array<std::shared_ptr<const BenchStatus>, kRaceExtras> extras;  ///< by RaceExtra, likewise
};

/// Parts of a frame on the thread that draws, one after the other: all of them together are the frame. It begins with
/// the event that asks for it, so that waiting for one is none of its parts.
enum class FramePart : u8 { input, steps, publish, panes, wait, scene, panels, present, other };
inline constexpr std::size_t kFramePartCount = 9;
struct FramePartInfo {
  const char *name, *text;
};
inline constexpr std::array<FramePartInfo, kFramePartCount> kFrameParts{{
    {"input", "Keys and pointer"},
    {"steps", "Taken in this frame, or waited for where they run on a thread of their own"},
    {"publish", "The bodies on their way into graphics memory"},
    {"panes", "Diagnostics, the selected body, and what the pane below the scene computes"},
    {"wait", "For graphics to finish an earlier frame, and with V-sync for the display"},
    {"scene", "Commands that draw the bodies"},
    {"panels", "Their items, and commands that draw them"},
    {"present", "Hands the frame over to the display"},
    {"other", "What is left: requests, files, screenshots and recordings"},
}};

/// Cost of one frame in ms.
struct FrameCost {
  std::array<float, kFramePartCount> parts{};  ///< by FramePart
  float drawing = 0;                           ///< of the bodies by the graphics driver, at the same time as the parts
  float rest = 0;                              ///< before the frame: nothing moved, and nothing was done
  float whole() const { return std::accumulate(parts.begin(), parts.end(), 0.0f); }
};

/// What the frame strip shows: means, taken a few times a second.
struct StripTimes {
  std::array<double, kFramePartCount> parts{};  ///< in ms, by FramePart
  double whole = 0;                             ///< their sum
  double at = 0;                                ///< when, in seconds of the app's clock
};

/// What the frame loop reports to the panels.
struct FrameState {
  static constexpr std::size_t kMaxFrames = 240;
  std::deque<FrameCost> costs;                 ///< of the last kMaxFrames frames
  double shown_per_second = 0;                 ///< frames that reached the display
  std::optional<render::BodyFigures> figures;  ///< of the bodies drawn
  std::string present;                         ///< "interop" or "copy (reason)"
  std::string drawn_by = "GPU";                ///< what draws: a GPU, or the name of software that does
  bool recording = false;                      ///< the window
  bool filming = false;                        ///< a film is made, whose steps are taken while the run rests
  StripTimes strip;
  WorkTrace work;                    ///< when that of the last frames was done
  std::optional<double> step_begun;  ///< of steps under way on a thread of their own, in seconds of clock_s()
  std::size_t waiting = 0;           ///< requests that wait for their end
};

/// The lanes above the frame strip: when what was done.
struct LanesState {
  bool shown = false, frozen = false;
  WorkTrace held;           ///< what they show: the work of late, or that of when they were frozen
  double taken_at = 0;      ///< when, in seconds of clock_s()
  double from = 0, to = 0;  ///< of what is shown, seconds of clock_s(); equal: the last frames
};

/// The distribution of the bodies.
struct SurveyState {
  SurveyOf of = SurveyOf::density;
  bool in_sight = false;  ///< it was drawn in the last frame
};

/// The editor of typed laws.
struct LawEditor {
  expression::Over over = expression::Over::pairs;
  std::string text = "energy = 4*eps*((s/r)^12-(s/r)^6)\neps = 1\ns = 1\ncutoff = 2.5\nshifted = 1";
  std::string other;   ///< text of the laws that `over` is not; empty: the first example
  std::string before;  ///< what an example or a file took the place of
  std::string path = "law.txt";
  std::string read;  ///< the text of what follows
  expression::Over read_over = expression::Over::pairs;
  LawSketch sketch;
  expression::LawCurves curves;
};

/// The editor of maps as data.
struct MapEditor {
  std::string text =
      "name = \"mine\"\n"
      "domain = \"pairs\"\n"
      "launch = [\"m*(m + 1)/2\"]\n"
      "tile = \"\"\"\n"
      "  row = (isqrt(8*w + 1) - 1)/2\n"
      "  col = w - row*(row + 1)/2\n"
      "\"\"\"\n";
  u64 side = 16;
  bool shown = false;  ///< in the panel Editor, in place of the law
  std::string before;  ///< what a file took the place of
  std::string path = "map.toml";
  std::string read;   ///< the text of what follows
  u64 read_side = 0;  ///< and its side
  MapSketch sketch;
};

/// The page of puzzles (puzzles.hpp), over the scene.
struct PuzzleState {
  bool shown = false;
  std::size_t level = 0;
  std::array<std::string, kPuzzleCount> texts;   ///< of map files; empty: as the level begins
  std::array<std::string, kPuzzleCount> before;  ///< what a beginning or a solution took the place of
  std::array<bool, kPuzzleCount> solved{};
  bool judged = false;  ///< the texts of earlier runs were
  std::string read;     ///< the text of what follows
  std::size_t read_level = kPuzzleCount;
  PuzzleVerdict verdict;
  MapSketch figure;     ///< the last one without an error
  std::string to_race;  ///< a map, once it is among the others
  DomainChoice choice;  ///< how the figures are seen, and how many blocks are launched
};

/// The newest notice, over the scene for some seconds; the Notices panel keeps all.
struct Toast {
  std::string text;  ///< empty = none
  bool error = false;
  double until = 0;  ///< seconds of the app's clock
  std::string last;  ///< last notice seen and its count: anything else is new
  u32 count = 0;
};

/// Finds actions, maps, scenes and panels by words.
struct PaletteState {
  bool shown = false;
  bool accepted = false;  ///< the entry at `at` is to be carried out
  bool focus = false;     ///< the field is to have the keyboard
  std::size_t at = 0;     ///< of the entries that match
  std::string text;
  void show() { *this = {true, false, true, 0, {}}; }
};

/// The parts of the window that the stops of the tour point at, in their order.
enum class TourPart : u8 { pairs, blocks, maps, race, strip, scenes };

/// Tiles a side of the scene, 0: not known; and of the figure Where the blocks go, where as many can be told apart.
u64 tiles_of_scene(const SessionModel& model);
u32 figure_side(const SessionModel& model);

/// The guided tour (window.hpp).
struct TourState {
  static constexpr std::size_t kStops = 6;
  bool shown = false;
  std::size_t stop = 0;   ///< and its TourPart
  bool arrived = false;   ///< what follows is of this stop
  bool launched = false;  ///< the figure has begun to launch its blocks
  std::size_t map = 0;    ///< in use on arrival
  bool seen_race = false, seen_scenes = false, seen_palette = false, seen_help = false;
  std::optional<double> done_at;      ///< when its action was done, in seconds of the app's clock
  std::array<Rect, kStops> places{};  ///< of the parts in the last frame; w = 0: not drawn
  void mark(TourPart part, const Rect& place) { places[static_cast<std::size_t>(part)] = place; }
};

/// The first minute of a newcomer: the galaxies alone while all maps are timed, then one line, then the offer of the
/// tour. A key or a button of the pointer leads to the offer at once.
struct FirstMinute {
  enum class Part : u8 { over, alone, line, offer };
  Part part = Part::over;
  bool touched = false;                              ///< until then the encounter is shown again after the merger
  std::optional<double> since;                       ///< of the part, in seconds of the app's clock
  bool plain() const { return part != Part::over; }  ///< the scene has no axes
  /// And nothing else lies on it but the line.
  bool alone() const { return part == Part::alone || part == Part::line; }
};

/// Pictures of the scenes (panel_parts.hpp).
struct GalleryState {
  std::vector<std::string> wanted;      ///< scenes and files whose pictures are on the screen, the first first
  std::map<std::string, u32> pictures;  ///< OpenGL textures; 0: there is none
  std::size_t pending = 0;              ///< pictures on their way
};

/// Text over the scene.
struct OverlayState {
  std::string demo;     ///< name of the running demonstration; empty = none
  std::string caption;  ///< of the demonstration; empty = none
  std::string waiting;  ///< progress of opening a scene, in place of the caption
  Toast toast;
};

/// A file of an editor's text, to be read or written.
struct TextFile {
  std::string path;
  FileBrowser::Kind kind = FileBrowser::Kind::law;
  FileBrowser::Purpose purpose = FileBrowser::Purpose::open;
};

/// Actions of keys, panels and scripts that the session does not handle; the loop performs and clears them.
struct PendingActions {
  bool fit = false;
  bool quit = false;
  bool record = false;                       ///< start or stop recording
  std::optional<std::array<float, 2>> pick;  ///< select the body there, in pixels from the scene's upper left corner
  bool screen_text = false;                  ///< to the clipboard and to standard output
  bool screenshot = false;                   ///< of the window, under a generated name
  std::string screenshot_path;               ///< of the window; empty = none
  std::string transparent_path;              ///< of a screenshot of the bodies over nothing; empty = none
  std::string settings;                      ///< file of settings to load and save to; empty = none
  std::string open;                          ///< file to open by its extension; empty = none
  std::optional<TextFile> text_file;
  std::string demo;  ///< demonstration to start; "none" stops it; empty = no change
  bool any() const;
};

struct GuiState {
  SceneView view;
  SplitChoice split;
  TouchState touch;
  PanelState panels;
  FileState files;
  PaletteState palette;
  TourState tour;
  FirstMinute first;
  GalleryState gallery;
  BenchPanel bench;
  RaceState race;
  PaneChoices panes;
  PageChoice page;
  FrameState frames;
  LanesState lanes;
  SurveyState survey;
  LawEditor law_editor;
  MapEditor map_editor;
  PuzzleState puzzle;
  PictureState picture;
  FilmState film;
  TimeThumbs thumbs;
  SecondChoice second;
  OverlayState overlay;
  PendingActions pending;

  /// Whether a page covers the scene.
  bool paged() const { return race.shown || page.shown || puzzle.shown; }
};

/// Whether somebody asked for what the next frame is to begin: pending actions, a film, a picture, a second run.
bool asks_for_frame(const GuiState& state);

/// Whether there was a film or picture to stop: one that is asked for or drawn. A film keeps its frames so far.
bool stop_drawing(GuiState& state);

}  // namespace tri::app::gui
