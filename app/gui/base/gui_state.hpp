#pragma once
/// What the window knows beside the session: how things look, what was measured of the frames, what it was asked to do.
/// Plain data; panels change it, the loop of the app reads it.

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/base/file_browser.hpp"
#include "app/views/fractal_choice.hpp"
#include "render/body_renderer.hpp"
#include "render/camera.hpp"
#include "sim/backend/bench_case.hpp"
#include "sim/backend/instance_sink.hpp"

namespace tri::app {
struct BenchStatus;
}  // namespace tri::app

namespace tri::app::gui {

/// What one frame cost, in ms. Force and integration are those of the steps of the frame.
struct FrameCost {
  float force = 0, integrate = 0, publish = 0, render = 0, whole = 0;
};

/// PendingActions of keys and panels that are not the session's; the loop fulfils and clears them.
struct PendingActions {
  bool fit = false;
  bool quit = false;
  bool record = false;                       ///< begin a film, or end the one that is made
  std::optional<std::array<float, 2>> pick;  ///< the body seen there, in pixels of the scene from its upper left corner
  bool screenshot = false;                   ///< with a name of its own making
  std::string screenshot_path;               ///< empty = none
  std::string settings;                      ///< file of settings to be taken over and kept; empty = none
  std::string open;                          ///< file to be opened by its ending; empty = none
  std::string demo;                          ///< demonstration to begin; "none" ends it; empty = as it is
};

/// What the domain view shows.
struct DomainChoice {
  bool shown = false;
  std::optional<u32> domain;  ///< 0 triangle, 1 tetrahedron, 2 gasket; none: that of the scene
  std::optional<u32> map;     ///< of that domain; none: the one in use
  u32 gasket_map = 1;
  u32 side = 12, levels = 4;
  float launched = 1;  ///< share of the blocks that have been launched
  bool running = false;
};

/// Two maps side by side: left of a line the one in use, right of it another.
struct SplitChoice {
  std::optional<std::size_t> map;  ///< the other, by its row of shown_maps(); none = no line
  float line = 0.5f;               ///< where it stands, as a share of the scene's width
};

/// The automaton on the triangle: what is asked for, and what became of it.
struct AutomatonChoice {
  u32 side = 256;
  std::string rule = "B3/S23";
  u64 seed = 1;
  bool running = true;
  double speed = 20;  ///< generations a second
  u64 asked = 0;      ///< generations, running or not
  u64 restarts = 0;   ///< how often a new one was asked for

  u64 generation = 0, alive = 0, wrong = 0;  ///< of the view's last work()
};

/// Which distances are shown.
struct DistanceChoice {
  u32 most = 1024;         ///< bodies; of more in view, so many evenly
  bool by_centre = false;  ///< in the order of their distance from the middle of all that are shown; else by number
  bool logarithmic = false;
  std::string told;  ///< what the view says of them
};

/// What the benchmark panel is asked to time, and its pending actions.
struct BenchChoice {
  BenchKernel kernel = BenchKernel::gravity;
  std::string sizes = "2^10:2^13";  ///< as --n takes them
  std::vector<std::string> maps;    ///< empty = all of the kernel
  u32 samples = 7;
  std::string backend = "auto";  ///< and what follows: as of the command line
  int device = -1;
  u32 threads = 0;
  std::string path = "bench.svg";  ///< being edited

  bool start = false, cancel = false;
  u32 shown = 0;                              ///< frames in which its section opens and comes into view
  std::string save;                           ///< file that is asked for; empty = none
  std::shared_ptr<const BenchStatus> status;  ///< what was timed; none before the first start
  std::size_t shown_group = ~std::size_t{0};  ///< in the table; beyond the end: the last
};

/// A view that is kept, to be gone back to.
struct Bookmark {
  render::CameraPose pose;
  render::CameraMode mode = render::CameraMode::orbit;
};

/// Which bodies leave trails, and how long ones.
struct TrailChoice {
  bool shown = false;
  u32 bodies = 256;  ///< evenly spread over the numbers; the marked one has a trail too
  u32 length = 128;  ///< places of each, one a frame that took steps
};

/// The newest notice, over the scene for some seconds; the section Notices keeps all.
struct Toast {
  std::string text;  ///< empty = none
  bool error = false;
  double until = 0;  ///< seconds of the app's clock
  std::string last;  ///< notice, and how often it was said: anything else is new
  u32 count = 0;
};

struct GuiState {
  render::BodyStyle style;
  render::Camera camera;
  bool panels = true, help = false, box = true, axes = true, dark = true;
  bool all_formulas = true;
  bool keep_pace = true;  ///< a frame waits until the display has taken the one before, where it says when it does
  bool follow = false;
  static constexpr std::size_t kBookmarks = 5;
  std::array<std::optional<Bookmark>, kBookmarks> bookmarks;  ///< of this scene
  std::optional<u32> marked;                                  ///< body shown brighter; followed when `follow`
  float scale = 1;                                            ///< of letters and panels
  std::optional<double> chosen_scale;  ///< what it is to be, 0.5 to 4; none: what the display asks for
  float body_radius = 0.01f;           ///< scene units, of bodies without one
  float axis_length = 1;               ///< scene units
  DomainChoice domain;                 ///< domain.shown: the lower half has a view
  std::size_t bottom_pane = 0;         ///< which, by its row in bottom_panes.hpp; 0 the domain
  AutomatonChoice automaton;
  DistanceChoice distances;
  float scene_aspect = 1;  ///< width over height of the scene
  SplitChoice split;
  FractalChoice fractal;  ///< the view of that name
  TrailChoice trails;
  BenchChoice bench;
  FileBrowser files;
  RecentFiles recent;
  PendingActions pending;

  bool recording = false;
  std::string present;   ///< "interop" or "copy (reason)": for the status bar
  std::string renderer;  ///< OpenGL's
  std::string demo;      ///< the demonstration that runs; empty = none
  std::string caption;   ///< over the scene, of a demonstration; empty = none
  Toast toast;
  std::string waiting;  ///< the same while a scene is being opened: how far it is
  std::deque<FrameCost> frames;
  double shown_per_second = 0;  ///< of the frames drawn, those that reached the display
  std::optional<render::BodyFigures> figures;

  // Texts that are being edited.
  std::string spec, save_path = "state.csv";
  u64 spec_generation = ~u64{0};

  static constexpr std::size_t kMaxFrames = 240;
};

/// Keeps the present view under a number < kBookmarks.
void keep_view(GuiState& state, std::size_t number);
/// Goes to the view kept under it, at rest, and follows nobody any more; false where there is none.
bool go_to_view(GuiState& state, std::size_t number);

/// A rectangle of the window in pixels, origin at the upper left.
struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
};

/// Where what stands in a window of this size.
struct Layout {
  Rect left, right, scene, domain, status;  ///< left is empty where all panels share one column; both without panels
};
/// domain: half of the scene's height goes to the domain view.
Layout layout(float width, float height, float scale, bool panels, bool domain = false);

}  // namespace tri::app::gui
