#pragma once
/// The window with its contexts of OpenGL, the keys and actions, and the guided tour.
///
/// A window with OpenGL 4.5 core through GLFW, and its input. GLFW is not used before a window is created. One at a
/// time, on the main thread. It has two contexts that share their objects: one to draw with, current on the main
/// thread, and the window's own, in which a thread presents what was drawn (frame.hpp).

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/look.hpp"
#include "app/gui/base/scene_view.hpp"
#include "app/session/session_model.hpp"
#include "render/gl/gl.hpp"

namespace tri::app::gui {

/// A key that was pressed or repeats; `key` is GLFW's number of what it means: see meaning_of().
struct KeyPress {
  int key = 0;
  bool ctrl = false, shift = false;
  int place = 0;  ///< GLFW's number of where it is, for keys that go by that
  friend bool operator==(const KeyPress& a, const KeyPress& b) {
    return a.key == b.key && a.ctrl == b.ctrl && a.shift == b.shift;
  }
};

/// The key that a place of the keyboard (GLFW's number) is in the layout in use, which writes this there (UTF-8, or
/// null): the letter or sign, so that Ctrl+Z is where Z is. The row of digits, and places with letters of other
/// alphabets, go by place.
int meaning_of(int place, const char* written);

/// Events since the last poll.
struct Events {
  std::vector<KeyPress> keys;
  std::vector<std::string> dropped;  ///< paths of dropped files
  float scroll = 0;                  ///< clicks of the wheel, up > 0
  bool any = false;                  ///< an event of any kind: these, the pointer, the window's size, uncovered parts
};

/// The left button: where it went down and up the last time, in the window's coordinates. A frame may see a press late,
/// when the pointer is elsewhere already.
struct LeftButton {
  std::array<float, 2> pressed{}, released{};
  bool shift = false;  ///< was down at the press
};

/// A button of the pointer, GLFW's number, that went down or up.
struct ButtonChange {
  std::array<float, 2> at{};
  int button = 0;
  bool down = false;
};

/// Whether a window can be created: opens the display and closes it. Not while a Window exists.
Availability try_display();

/// A size at this scale, as far as a display has that room (0: not known), and never smaller than it is.
std::pair<u32, u32> grown(std::pair<u32, u32> size, double scale, std::pair<int, int> room);

class Window {
 public:
  /// width, height: of the framebuffer in pixels; grows: by the scale, or by what the display asks for, as panels do.
  /// Throws GlError with the reason and what to do.
  Window(u32 width, u32 height, bool grows = false, std::optional<double> scale = {});
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool should_close() const;
  /// Returns the events since the last call; waits for one up to `seconds`.
  Events poll(double seconds);
  void resize(u32 width, u32 height);
  /// Fills the screen that it is on, at the screen's own resolution, or goes back to its place.
  void fill_screen(bool on);
  void set_title(const std::string& title);

  u32 width() const;  ///< of what is drawn, in pixels: of the framebuffer, or draw_at()
  u32 height() const;
  /// From now on what is drawn has this size, and the window shows it in its middle, scaled to fit; none: that of the
  /// framebuffer. The pointer is always given in what is drawn.
  void draw_at(std::optional<std::pair<u32, u32>> size);
  /// Where the framebuffer shows what is drawn, in its pixels; without any, w and h are 0.
  Rect place() const;
  bool is_scaled() const;  ///< by draw_at()
  /// at: in the framebuffer; where that is in what is drawn.
  std::array<float, 2> in_picture(std::array<float, 2> at) const;
  std::pair<u32, u32> size() const;  ///< width and height in the units of resize(), which depend on the display
  float content_scale() const;       ///< that the display asks for; 1 on an ordinary one
  const LeftButton& left_button() const;
  /// Whether the pointer has moved over the window, or pressed a button there, since that appeared.
  bool has_pointed() const;
  std::array<float, 2> pointer() const;  ///< in what is drawn
  /// Whether the key at this place is down, or went down before the last poll() and is up again.
  bool is_down(int place) const;
  /// The oldest change of a button that was not asked for yet.
  std::optional<ButtonChange> new_click();
  bool has_clicks() const;  ///< that were not asked for
  /// The keys that went down since the last call.
  std::vector<KeyDown> new_presses();
  /// Whether it is an icon, so that nobody sees it.
  bool is_minimised() const;

  /// Makes the window's own context current on this thread. vsync: swap() waits for the display. Throws GlError.
  void make_current(bool vsync);
  /// Releases the context of this thread.
  void leave_context();
  /// Presents framebuffer 0 of the window's own context, on the thread where it is current.
  void swap();

  gl::Messages& messages();  ///< of the context to draw with
  const gl::Messages& messages() const;
  /// Only for ImGui's backend.
  void* handle() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The ImGui window that films do not show.
inline constexpr const char* kMarkWindow = "record mark";

/// ImGui drawn into the window; created after the context of look.hpp and destroyed before it.
class ImguiBinding {
 public:
  explicit ImguiBinding(Window& window);
  ~ImguiBinding();
  ImguiBinding(const ImguiBinding&) = delete;
  ImguiBinding& operator=(const ImguiBinding&) = delete;

  void begin_frame();
  /// Everything but kMarkWindow, which draw_marks() draws: films are taken between the two.
  void draw() { draw_part(false); }
  void draw_marks() { draw_part(true); }
  /// Uploads the font after its size changed.
  void upload_font();

 private:
  void draw_part(bool marks);

  Window& window_;
  ImguiInput input_;
};

// Letters and lines over a picture that is no frame of the window: a context of ImGui of its own, with which it needs
// the current GL context alone.

class Lettering {
 public:
  /// Sizes in pixels; scale: factor on the size of letters.
  Lettering(u32 width, u32 height, float scale);
  ~Lettering();
  Lettering(const Lettering&) = delete;
  Lettering& operator=(const Lettering&) = delete;

  /// Takes what `draw` draws.
  void draw(const std::function<void(ImDrawList&)>& draw);
  /// Rows of it from the row `low` from below, for render::lay_over().
  std::vector<u8> rows(u32 low, u32 count) const;

 private:
  u32 width_, height_;
  gl::Texture colour_;
  gl::Framebuffer framebuffer_;
  ImGuiContext* context_;
  LoadedFaces faces_;
};

// The actions of the window and their keys. Pure: from a key to requests, pending actions and choices.

struct ActionContext {
  const SessionModel& model;
  GuiState& state;
  Requests& requests;
  const SessionModel* chosen = nullptr;  ///< of two runs the one whose maps and laws are changed; null: the model
  const SessionModel& changed() const { return chosen != nullptr ? *chosen : model; }
};

/// While a text field has the keyboard, the keys act that it does not take.
void on_key(const KeyPress& key, const ActionContext& context);
inline void on_key(const KeyPress& key, const SessionModel& model, GuiState& state, Requests& requests) {
  on_key(key, {model, state, requests});
}

/// What a key does. The table is the source of the keys, of the help and of the palette.
struct Action {
  const char* keys;  ///< as the help writes them
  const char* does;
  KeyPress press;
  void (*act)(const ActionContext&);  ///< null: a group of keys, described here and handled by on_key()
};
std::span<const Action> actions();

/// The maps that 1 to 9 and Page Down choose from: those of triples where the scene has a law for them, as they take
/// most of a step, else those of pairs.
const std::vector<MapRow>& shown_maps(const SessionModel& model);
/// The request for the map of that row of shown_maps().
Request map_request(const SessionModel& model, std::size_t row);
/// Opens the page that says why bb starts more blocks; nothing in a scene without maps.
void open_why(const SessionModel& model, PageChoice& page);
/// The row in use.
std::size_t map_in_use(const SessionModel& model);

/// What holds once these requests are carried out, which may wait for a step: a key that turns something on or off goes
/// by that.
bool will_run(const SessionModel& model, const Requests& requests);

// The first minute of a newcomer. Pure, as the tour; both are in gui_state.cpp.

/// Once a frame; now: seconds of the app's clock.
void follow_first_minute(const SessionModel& model, GuiState& state, double now, Requests& requests);
/// What it says after the galaxies were alone.
std::string first_line(const SessionModel& model);

// The guided tour: six stops, each at a part of the window, that a newcomer may leave at any time. What a stop asks
// for takes it to the next one. Pure; app/gui/panels draws it.

/// From the first stop, or from another one (< TourState::kStops).
void start_tour(GuiState& state, std::size_t stop = 0);
void leave_tour(GuiState& state);
/// The next stop; after the last one the tour ends.
void next_stop(GuiState& state);
void previous_stop(GuiState& state);

/// Once a frame: opens what a stop needs on arrival, and goes on a moment after its action was done. now: seconds of
/// the app's clock; narrow: the column of maps has no place beside the scene.
void follow_tour(const SessionModel& model, GuiState& state, double now, bool narrow);

/// What a stop says: its numbers are those of the session and of the frames shown.
struct TourWords {
  std::string title, text;
  std::string action;  ///< what to try; empty: nothing
};
TourWords tour_words(std::size_t stop, const SessionModel& model, const GuiState& state);

/// Where a card of this height goes: its lower right corner is the same at every stop, beside the column of maps and
/// above the run bar, legend and scale bar, so that Next stays under the pointer. No larger than the room there; w = 0:
/// there is none. In pixels.
Rect card_place(const Layout& places, float height, float scale, float width = 312);
/// Where the run bar stands in the part of the scene that no panel covers; w = 0: nowhere.
Rect run_bar_place(const Rect& free, float scale);

}  // namespace tri::app::gui
