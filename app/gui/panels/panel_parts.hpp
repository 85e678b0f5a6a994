#pragma once
/// The parts of panels: thumbnails, labels, cards and pictures of scenes, lanes of time.
///
/// The thumbnail of a map: a few of its tiles in the order in which it launches them.

#include <sys/types.h>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"
#include "app/support/measurement.hpp"
#include "render/gl/gl.hpp"
#include "render/view.hpp"
#include "sim/base/platform.hpp"

namespace tri::app::gui {

/// The trace of a map on few tiles, made once.
const MapTrace& thumb_trace(Domain domain, u32 map);
/// Draws it into a square; dim: of a map that does not fit.
void map_thumb(ImDrawList& draw, Domain domain, u32 map, ImVec2 low, float size, bool dim);

}  // namespace tri::app::gui

// The scale bar in the lower right corner of the scene, and the clock above it.

struct ImDrawList;

namespace tri::app::gui {

/// Draws a round length at the distance of the camera's target, with its number and unit above ("10 kpc"), and above
/// that the clock, a text that the caller makes (empty: none). unit: of lengths, empty where the scene has none. scale:
/// of the display. white: what is under it; with_bar: else the clock alone. Nothing where the scene is too small.
void scale_bar(ImDrawList& draw, const render::Camera& camera, const Rect& scene, const std::string& unit,
               const std::string& clock, float scale, bool white = false, bool with_bar = true);

// Times of maps.

/// What a row of maps shows, in ms. Where there were turns with bb, bb's is the median of its times in all of them, and
/// that of a map this time over its ratio: the times of two rows never contradict the ratio between them, although the
/// machine was faster in the turns of one map than in those of another. While the turns are too few for a ratio it is
/// their own median, and without turns the time of the row's own steps.
struct MapFigures {
  double ms = 0;
  Interval interval;
  std::optional<PairedFigures> turns;
};
/// By row.
std::vector<MapFigures> figures_of(const std::vector<MapRow>& maps);
/// Why a row that fits shows no ratio over bb, in the words of its cell and of its tooltip; both empty: it shows one.
struct NoGain {
  std::string cell, whole;
};
NoGain no_gain(const SessionModel& model, std::size_t row, const std::vector<MapRow>& maps, const MapFigures& figures);

// Names beside their bodies.

/// A body on the screen and the size of its name, in pixels.
struct LabelSpot {
  float x, y, width, height;
  bool there;  ///< in front of the camera
};
/// Where the names go: right of the body, left, above or below, `gap` away, wholly within the scene and off the names
/// before; none where no side has room.
std::vector<std::optional<Rect>> place_labels(std::span<const LabelSpot> spots, const Rect& scene, float gap);

/// Names of bodies, within the scene and within what no panel covers.
void body_labels(ImDrawList& draw, const std::vector<NamedBody>& bodies, const render::Camera& camera, float scale,
                 const Rect& scene, const Rect& free);

// What a presentation keeps of the maps.

/// "lambda, 1.48 x over bb", "bb, the baseline", "fold, no difference to bb"; the name alone before it is decided, and
/// nothing without a law.
std::string map_in_words(const SessionModel& model);
/// In the upper left corner of the scene.
void presented_map(ImDrawList& draw, const SessionModel& model, float scale, const Rect& scene);

// The texts that others wrote: titles, and names of scenes, bodies and files.

/// Once a frame: true where they have letters that the faces lack and the system has (look.hpp); the faces are
/// then to be loaded again.
bool needs_new_fonts(const SessionModel& model, const GuiState& state);

// The cards of the gallery: scenes and recent files, and how the program makes their pictures. Plain data.

inline constexpr u32 kPictureWidth = 224, kPictureHeight = 140;  // pixels: twice those of a card

struct SceneCard {
  std::string spec;         ///< opens it
  std::string name, about;  ///< one word or two, and a sentence
  u64 n = 0;                ///< bodies; 0: not known
};

/// The built-in scenes, made once.
const std::vector<SceneCard>& scene_cards();
/// A recent file: its name and its folder.
SceneCard file_card(const std::string& path);

/// The arguments with which the program draws the picture of a card into that file, without a window: `render`, on one
/// thread of the processor. Steps are taken first where the start shows little. Empty: it draws none, as for a large
/// file or for a screenshot.
std::vector<std::string> picture_arguments(const std::string& spec, const std::string& output);
/// Name of the file of a picture. It changes with the program's version, with the arguments, and with a file's size and
/// time.
std::string picture_name(const std::string& spec);

// Pictures of scenes for the gallery. The program makes each by itself, in a process of its own at the lowest priority
// and one after the other, so that no frame waits; they are kept in a folder of the user, and without one in a
// temporary folder until the window closes. Needs the current GL context.

/// $XDG_CACHE_HOME/triangulum/pictures, else ~/.cache/triangulum/pictures; empty if neither is an absolute path.
std::string picture_folder();

class ScenePictures {
 public:
  /// folder: empty, or one that cannot be made: a temporary one.
  explicit ScenePictures(std::string folder) : folder_(std::move(folder)) {}
  /// Ends a picture in progress.
  ~ScenePictures();
  ScenePictures(const ScenePictures&) = delete;
  ScenePictures& operator=(const ScenePictures&) = delete;

  /// Once a frame: takes what the gallery wants, loads at most one picture, and begins the next.
  void work(GalleryState& gallery);

 private:
  struct Made {
    pid_t process;
    std::string spec, path;
  };
  bool take(GalleryState& gallery, const std::string& spec, const std::string& path);
  void begin(GalleryState& gallery, const std::string& spec, const std::string& path);
  bool make_folder();

  std::string folder_;
  bool ready_ = false, temporary_ = false;
  std::deque<std::string> waiting_;
  std::optional<Made> made_;  ///< under way
  std::map<std::string, gl::Texture> textures_;
};

// Lanes of the panel Time: the camera's path and the film; and the mark of a recording.

/// Times from left to right, in pixels.
struct TimeAxis {
  float left = 0, right = 1;
  double first = 0, last = 0;
  float x(double time) const;
  double time(float at) const;
};

/// What stands at a step of the bar, or at most `near` steps from it: a keyframe with step and time, of the run or of
/// the other branch, or where the two part; empty: nothing does.
std::string tick_text(const SessionModel& model, u64 step, u64 near, bool other);

/// The bookmarks of the path over the axis: a click shows one, a drag gives it another time, buttons add and delete it
/// and play the path; its file.
void camera_lane(const SessionModel& model, GuiState& state, const TimeAxis& axis, Requests& requests);
/// What the film is to be, its progress, and Stop.
void film_part(const SessionModel& model, FilmState& film, bool has_path, float scale);
/// Of a picture or a film, in pixels; of_window: also that of the window, 0 x 0.
void choose_picture_size(u32& width, u32& height, bool of_window);
void mark_boxes(PictureMarks& marks);

/// What leads the run to a time: back to its step, where that was taken, else on until then.
Request go_to_time(const SessionModel& model, double time);

/// Plays the path: from its first bookmark, where the run has kept that, or from here.
void play_path(const SessionModel& model, SceneView& view, Requests& requests);

/// Over the scene: the line between two runs, their names, where each comes from, their maps and places in time.
void two_runs_marks(const SessionModel& a, const SessionModel& b, const SecondChoice& choice, float scale,
                    const Rect& scene);
/// Whether there are two, and which one panels control.
void two_runs_part(const SessionModel& model, SecondChoice& choice);

/// Over the scene, at its upper right corner; films do not show it.
void record_mark(const SessionModel& model, const RecordMark& mark, float scale, const Rect& scene);
/// What it says: "REC 23 s, 40 Myr a second".
std::string mark_text(const SessionModel& model, const RecordMark& mark);

// Where the time goes: the work of the last frames in lanes, one for each thread and queue of a GPU that did any. The
// wheel zooms, a drag moves, a double click shows the last frames again.

/// All that is kept, in seconds of clock_s(); nothing before the first frame.
std::optional<Extent> all_work(const WorkTrace& work);
/// What the lanes show: as chosen, or the last three frames, and steps under way from their beginning on.
std::optional<Extent> shown_work(const LanesState& lanes, const FrameState& frames);

/// "step 0.8 s, 2 requests wait" while steps take longer than a look at the window, else empty.
std::string step_under_way(const FrameState& frames, double now);

/// Takes over the work of late four times a second, unless frozen. now: of clock_s().
void refresh(LanesState& lanes, const FrameState& frames, double now);

/// The lanes over `place`, in the current window. step_colour: of forces and steps.
void lanes(LanesState& lanes, const FrameState& frames, ImU32 step_colour, double now, const Rect& place, float scale);

// Ranks that share a run: a strip for each, so that an imbalance is seen at a glance.

/// In the current window: of each rank its number and name, its share of the positions of a map, or of the bodies, and
/// its own time, with a bar on one scale, and the mean. Nothing for one rank.
void rank_strips(const SessionModel& model, float scale);

}  // namespace tri::app::gui
