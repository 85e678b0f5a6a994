#pragma once
/// The scene and its layout: camera paths, films, panes, tools of the pointer.
///
/// The parts of the window: the rail with its panel, the scene with the bottom pane below it, the right column, the
/// frame strip and the status line.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/session/automata.hpp"
#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"
#include "render/body_renderer.hpp"
#include "render/view.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"
#include "sim/maps/map_concepts.hpp"

namespace tri::app::gui {

/// A rectangle of the window in pixels, origin at the upper left.
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
};

/// What is open.
struct LayoutChoice {
  bool panels = true;      ///< false: the scene alone, for demonstrations and films
  bool left = false;       ///< the panel of the rail, over the scene
  bool pinned = false;     ///< beside it: it narrows the scene
  float left_width = 320;  ///< at scale 1
  float column_width = 0;  ///< of the right column, at scale 1; 0: what suits the window
  bool column = false;     ///< the right column over the scene, where the window has no room for it beside the scene
  bool pane = false;       ///< the bottom pane takes the lower half of the scene
  bool whole = false;      ///< that pane takes the whole of it
  bool lanes = false;      ///< the lanes of the last frames stand between the scene and the frame strip
};

struct Layout {
  Rect rail, left, right, scene, pane, lanes, strip, status;  ///< w = 0: not there
  Rect free;                                                  ///< the part of the scene that no panel covers
  bool narrow = false;                                        ///< no room for the right column beside the scene
  bool compact = false;  ///< little height or width: columns leave out what can wait
  float row = 0;         ///< height of a row of maps
};
/// Of the panel of the rail, at scale 1.
inline constexpr float kMinLeft = 240, kMaxLeft = 720;
/// Of the right column, at scale 1.
inline constexpr float kMinColumn = 300, kMaxColumn = 900;

Layout layout(float width, float height, float scale, const LayoutChoice& choice);

/// A picture in the middle of another rectangle from (0, 0), as large as it fits without a change of its shape. Sizes
/// in pixels, of the picture >= 1.
Rect fitted(float width, float height, float room_width, float room_height);

// A path of the camera: bookmarks with a time each, joined by cubics. Numbers only.
//
// The pose at a bookmark's time is that bookmark, bit for bit, and its speed has no jumps: the path begins and ends at
// rest, and stays at its ends before and after. Between them each number of the pose is a cubic Hermite spline over
// time, whose slope at a bookmark is that of the parabola through it and its neighbours: a Catmull-Rom spline (Catmull
// and Rom 1974) with the times as knots (Barry and Goldman 1988). The distance is interpolated by its logarithm, so
// that it stays positive; yaw the short way round; pitch with slopes limited as by Fritsch and Carlson (1980), so that
// it stays between those of its bookmarks and never passes the pole. Yaw and pitch in place of quaternions keep the
// horizon level.

class CameraPath {
 public:
  static constexpr std::size_t kMax = 1000;  ///< bookmarks

  struct Mark {
    double time = 0;  ///< simulated, of the scene
    render::CameraPose pose;
    bool operator==(const Mark&) const = default;
  };

  /// In the order of their times, no two of which are equal.
  const std::vector<Mark>& marks() const noexcept { return marks_; }
  bool empty() const noexcept { return marks_.empty(); }
  /// Puts a bookmark there, in place of one of the same time; its number. time: finite. At most kMax of them.
  std::size_t add(double time, const render::CameraPose& pose);
  /// Gives a bookmark another time; its number then. A bookmark that has this time goes.
  std::size_t move(std::size_t mark, double time);
  void remove(std::size_t mark) { marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(mark)); }
  void clear() { marks_.clear(); }

  /// The pose at a time. There must be a bookmark.
  render::CameraPose at(double time) const;

  bool operator==(const CameraPath&) const = default;

 private:
  std::vector<Mark> marks_;
};

// Camera paths as files: TOML with a table a bookmark.
//
//     [[bookmark]]
//     time = 0.5             # simulated, in the unit of the scene
//     target = [0, 0, 0]     # what the camera looks at
//     distance = 4           # from there, > 0
//     yaw = 30               # degrees about the direction that is up
//     pitch = 20             # degrees above the plane across it, -89 to 89

/// Throws FileError with file and line for a file that is not of this form, and for one without a bookmark.
CameraPath read_camera_path(const std::string& path);
/// The same path is read again, bit for bit. Throws FileError.
void write_camera_path(const std::string& path, const CameraPath& camera);

/// The text of such a file, and its reader; `path` is for messages.
std::string camera_path_text(const CameraPath& camera);
CameraPath parse_camera_path(const std::string& text, const std::string& path);

// A picture of the scene alone: what it is to be. Plain data.

enum class Ground : u8 { dark, white, transparent };
constexpr auto enum_table(Ground) { return enum_names<Ground>("ground", "dark", "white", "transparent"); }

/// What is written into a picture or a film beside the bodies.
struct PictureMarks {
  bool axes = false, scale_bar = false, legend = false, clock = false;
  bool any() const { return axes || scale_bar || legend || clock; }
  bool operator==(const PictureMarks&) const = default;
};

struct PictureForm {
  static constexpr u32 kMaxDpi = 2400;
  u32 width = 1920, height = 1080;  ///< in pixels
  u32 dpi = 0;  ///< dots an inch that it announces, with letters as large as on paper; 0: none, letters by its height
  Ground ground = Ground::dark;
  PictureMarks marks;
  bool operator==(const PictureForm&) const = default;
};

struct PictureState {
  PictureForm form;
  std::string path;                    ///< of the next; empty: a generated name
  bool start = false, cancel = false;  ///< requests; cancel: of the one that is being drawn
  bool busy = false;                   ///< one is being drawn or written
  std::optional<double> share = {};    ///< of one that is being drawn, what is done; none: none is
  std::string command;                 ///< makes the last one again; empty: there is none
};

// A film of the run, frame by frame whatever the machine's speed: what it is to be, and how far it is. Plain data.

struct FilmChoice {
  static constexpr u32 kMinSide = 16, kMaxSide = 16384, kMaxFps = 1000;
  u32 width = 1920, height = 1080;  ///< in pixels; 0 x 0: of the window, with panels
  u32 fps = 30;                     ///< frames a second of film, >= 1
  double speed = 0;                 ///< simulated time a second of film; 0: the pace of time
  double seconds = 10;              ///< of film
  bool panels = false;              ///< the whole window, else the bodies alone
  PictureMarks marks;               ///< without panels
  std::string path;                 ///< FILE.mp4, FILE.webp or a folder; empty: what suits the machine
};

/// Steps from one frame to the next: their number is whole, so that every frame is exact.
struct FilmSteps {
  u64 a_frame = 1;
  double speed = 0;  ///< simulated time a second of film that this gives
};
/// dt: length of a step, > 0. usual: the pace of time, for a speed of 0; where both are 0, one step a frame.
FilmSteps film_steps(const FilmChoice& choice, double dt, double usual);
u64 film_frames(const FilmChoice& choice);

struct FilmProgress {
  u64 frames = 0, all = 0;  ///< drawn, and at its end
  double seconds = 0;       ///< of the clock, since its start
  std::string path;
  u64 bytes = 0;      ///< written so far
  bool ends = false;  ///< no more are drawn; the last are being written
};

/// What the mark of a recording says.
struct RecordMark {
  double seconds = 0;            ///< of film so far
  double speed = 0;              ///< simulated time a second of film; 0: none yet
  u64 bytes = 0;                 ///< written so far
  std::optional<u64> free = {};  ///< on the disk
  bool waits = false;            ///< nothing moves, so that no frame is taken
};

/// A small picture of the scene at a step, as it was seen then.
struct TimeThumb {
  u64 step = 0;
  unsigned texture = 0;  ///< of OpenGL
};

/// Those of the run that is shown: the first step, and others spread evenly over the steps since.
struct TimeThumbs {
  static constexpr std::size_t kMax = 24;
  std::vector<TimeThumb> all;  ///< ascending
  float aspect = 1.6f;         ///< width over height
  u64 stride = 1, run = 0;

  /// Whether a picture of the present step is to be kept; forgets those of steps that are no longer of the run.
  bool wants(const SessionModel& model);
  void clear() { all.clear(), stride = 1; }
  /// The last one of these steps; null: there is none.
  const TimeThumb* of(u64 from, u64 to) const;
};

/// A body with a name, and where it is.
struct NamedBody {
  std::string name;
  std::array<float, 3> place{};
  u32 body = 0;
};

/// Two runs side by side.
struct SecondChoice {
  bool on = false;          ///< there is to be a second one, B
  bool of_branch = true;    ///< which is the other branch, where there is one; else it begins where A stands
  bool controls_b = false;  ///< what panels, keys, scripts and hands change of laws, maps, steps and bodies is B's
  bool shown = false, is_branch = false;  ///< there is one; it began as the other branch of A, at `from`
  bool behind = false;                    ///< it is on its way to where the first one is, or has requests to come
  u64 from = 0, to = 0;                   ///< steps at which it began, and where it is
  double from_time = 0;
  std::vector<NamedBody> labels;  ///< those of B that have a name
};

/// How a frame of the film would look now.
struct FilmPreview {
  unsigned texture = 0;       ///< of OpenGL; 0: there is none
  u32 width = 0, height = 0;  ///< in pixels
};

struct FilmState {
  FilmChoice choice;
  bool wanted = false;    ///< somebody looked for it: the panel scrolls there
  bool in_sight = false;  ///< the panel shows the choice in this frame
  FilmPreview preview;
  bool start = false, stop = false;  ///< requests
  std::string start_as;              ///< the name in place of that of the choice; empty: that one
  std::optional<FilmProgress> now;   ///< while one is made
  std::optional<RecordMark> mark;    ///< while a film is made or the window recorded
};

// How the scene is seen: style, camera, trails and the selected body. Plain data; panels, keys and scripts change it.

/// Lengths that suit a scene, in its units.
struct SceneLengths {
  float body_radius = 0.01f;  ///< of bodies without one
  float axis_length = 1;
  float extent = 1;         ///< of the whole
  float ground = 0;         ///< of the lowest point, along the camera's up
  float sphere_radius = 0;  ///< mean of those bodies that have one; 0: none has
};

/// A saved view of the camera.
struct Bookmark {
  render::CameraPose pose;
  render::CameraMode mode = render::CameraMode::orbit;
};

/// Which bodies leave trails, and how long these are.
struct TrailChoice {
  bool shown = false;
  u32 bodies = 256;  ///< evenly spread over the indices; the selected body always has a trail
  u32 length = 128;  ///< positions of each, one per frame that took steps
};

/// Two maps side by side: left of a line the one in use, right of it another.
struct SplitChoice {
  std::optional<std::size_t> map;  ///< the other map, by its row of shown_maps(); none = no line
  float line = 0.5f;               ///< position of the line, as a share of the scene's width
};

struct SceneView {
  render::BodyStyle style;
  render::Camera camera;
  SceneLengths lengths;
  float aspect = 1;  ///< width over height of the scene
  bool box = true, axes = true;
  bool grid = false, clock = false;  ///< grid: on the ground
  bool names = true;                 ///< whether labels are shown
  std::vector<NamedBody> labels;     ///< the first that have a name
  TrailChoice trails;
  std::optional<u32> selected;  ///< body drawn brighter; the camera follows it when `follow`
  bool follow = false;
  bool rounds = false;  ///< the orbit of the selected body is to become circular
  static constexpr std::size_t kBookmarks = 5;
  std::array<std::optional<Bookmark>, kBookmarks> bookmarks;  ///< of this scene

  CameraPath path;                                   ///< of this scene; films follow it
  bool on_path = false;                              ///< the camera follows it in the window
  std::optional<std::size_t> mark;                   ///< bookmark of the path that was clicked
  std::string path_file = "camera.toml", path_note;  ///< being edited; what became of it

  /// Selects a body, or none, which also ends following.
  void select(std::optional<u32> body) {
    selected = body;
    follow = follow && body;
  }
  /// Saves the present view under a number < kBookmarks.
  void save_bookmark(std::size_t number);
  /// Restores the view saved there, at rest and following no body; false where there is none.
  bool restore_bookmark(std::size_t number);
};

// What each bottom pane shows. Plain data; panes and scripts change it.

/// The view along (1, 1, 1).
inline constexpr float kCornerYaw = 0.78539816f, kCornerPitch = 0.61547971f;

struct DomainChoice {
  std::optional<Domain> domain;  ///< none: that of the scene
  std::optional<u32> map;        ///< of that domain; none: the one in use
  u32 gasket_map = 1;
  u32 side = 12, levels = 4;
  float launched = 1;                            ///< share of the blocks launched so far
  bool running = false;                          ///< omega advances by itself
  float yaw = kCornerYaw, pitch = kCornerPitch;  ///< of figures in depth, in radians; at first seen from a corner
  u32 removed = 0;                               ///< layers of these, from above
  bool by_rank = true;                           ///< colours are those of ranks, where there are several; else of omega
  float shown = 1;                               ///< the same for the two maps in the right column
  bool sweeps = false;
};

/// The page of a map, over the scene.
struct PageChoice {
  bool shown = false;
  bool why = false;                  ///< it is that of the map in use beside bb, and what idle blocks cost here
  Domain domain = Domain::triangle;  ///< of pairs or triples
  u32 map = 0;                       ///< of that domain
  float launched = 1;                ///< share of its blocks
  bool sweeps = false;               ///< omega advances by itself
};

/// The automaton on the triangle: the request and its result.
struct AutomatonChoice : StepChoice {
  AutomatonChoice() : StepChoice{.speed = 20} {}
  u32 side = 256;
  std::string rule = "B3/S23";
  u64 seed = 1;
  double density = 0.3;
  u64 generation = 0, alive = 0, wrong = 0;  ///< after the pane's last work()
};

struct DistanceChoice {
  u32 most = 1024;         ///< bodies; of more in view, an even sample
  bool by_centre = false;  ///< sorted by distance from the centroid of the bodies shown; else by index
  bool logarithmic = false;
};

struct PaneChoices {
  bool shown = false;
  bool whole = false;       ///< instead of the lower half it takes the whole of the scene
  std::size_t current = 0;  ///< row of pane_rows(); 0 is the domain view
  DomainChoice domain;
  DistanceChoice distances;
  AutomatonChoice automaton;
  FractalChoice fractal;
};

// Bodies by hand: the tool in use, a stroke of the pointer, selected bodies and measures. Plain data and pure
// functions; app/gui/frame/scene_display.hpp carries out what needs the session.

/// What the left button does in the scene. look: turns the camera, and a click picks a body. add: a drag adds a body,
/// or throws the one under it. measure: clicks on two or three bodies pin a distance or an angle.
enum class Tool : u8 { look, add, measure };
constexpr auto enum_table(Tool) { return enum_names<Tool>("tool", "look", "add", "measure"); }
inline constexpr u32 kToolCount = kNamesOf<Tool>.names.size();

using Pixels = std::array<float, 2>;  ///< from the scene's upper left corner
using Place = std::array<double, 3>;

/// From where the button went down to where it is.
struct Stroke {
  Pixels from{}, to{};
  bool done = false;
  bool held = false;  ///< by a script
};

/// The pointer during one frame.
struct Pointer {
  Pixels at{};
  bool pressed = false;  ///< the left button went down in the scene
  bool down = false, shift = false;
};

/// A body that is being drawn.
struct Draft {
  std::optional<u32> body;    ///< that is thrown; none: it is added
  std::vector<u32> bodies;    ///< those that are thrown with it, itself among them: the selection; else itself alone
  Place place{}, velocity{};  ///< of several: of their centre of mass
  Place before{};             ///< the velocity without the throw
  double mass = 0, radius = 0;
  Place arrow{};  ///< its end
  PredictedPath path;
  PredictedPath unthrown;  ///< with the velocity before, of what is thrown
  std::string about;       ///< the path
};

/// Two bodies: their distance. Three: the angle at the second, in degrees.
struct Measure {
  std::vector<u32> bodies;
  std::vector<Place> places;  ///< of the last look; empty before the first
  double value() const;       ///< there must be places
};

struct Selection {
  std::vector<u32> bodies;                                                   ///< indices, ascending
  bool hidden = false, coloured = true, followed = false, in_sight = false;  ///< in_sight: of the panel
  std::optional<Place> velocity;       ///< of its centre of mass at the last look, while it is in sight
  std::string path = "selection.csv";  ///< being edited
};

struct TouchState {
  Tool tool = Tool::look;
  std::optional<double> mass, radius;  ///< of bodies to be added; none: the median of the scene
  std::optional<Stroke> stroke, box;   ///< of the tool add; with Shift
  std::optional<Draft> draft;
  Selection selection;
  std::vector<Measure> measures;
  std::vector<u32> picked;            ///< of the measure that is begun
  bool deletes = false;               ///< the selected bodies, else the picked one
  std::optional<std::size_t> awaits;  ///< bodies before one was added by the tool, which is to be selected
  PopulationPtr population;           ///< whose indices these are
};

/// Begins, continues and ends strokes. True while the tool, and not the camera, has the left button.
bool apply_pointer(TouchState& touch, const Pointer& pointer);
/// Whether something of the hands is still to be carried out.
bool touch_pending(const TouchState& touch);
/// Leaves what was begun last: stroke, tool, measure, selection. False where there is nothing.
bool leave_touch(TouchState& touch);
/// One more body of a measure; two make a distance, and a third one clicked then makes it an angle.
void measure_body(TouchState& touch, u32 body);
/// Indices become those of the same bodies in another population; bodies that are gone leave.
void follow_population(TouchState& touch, SceneView& view, const PopulationPtr& now);

/// In the plane through `through` that the camera looks at straight.
Place place_at(const render::Camera& camera, const Rect& scene, const Pixels& at, const Place& through);
/// On the plane of the orbits; none where it is seen from its edge.
std::optional<Place> place_on(const render::Camera& camera, const Rect& scene, const Pixels& at,
                              const OrbitPlane& plane);
/// Where a place is drawn; none behind the eye.
std::optional<Pixels> pixels_of(const render::Camera& camera, const Rect& scene, const Place& place);

/// The value in the middle; 0 of none.
double median_of(std::vector<double> values);
/// A speed that suits the scene, for an arrow of a quarter of its extent: of a circular orbit about all bodies at that
/// distance, else their usual one.
double usual_speed(const Bodies& bodies, const ForceField& field, double extent);

}  // namespace tri::app::gui
