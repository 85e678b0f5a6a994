#pragma once
/// Widgets, and plots with zoom and axes.
///
/// Small ImGui widgets that panels and panes share. Call them inside an ImGui window of the current frame.

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/gui/base/gui_state.hpp"
#include "app/plot/canvas.hpp"
#include "app/session/automata.hpp"
#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"

namespace tri::app::gui {

/// A field for a number, with its unit behind it (" kpc", or nothing). True when it is left with another one, by Enter,
/// Tab or a click elsewhere; Esc keeps the old one. zero: a word that stands for 0; null: none does.
bool number(const char* label, double& value, const char* tip, const std::string& unit = "",
            const char* zero = nullptr);
/// The same for a number that is shown and typed in another unit than it has; behind: after that unit.
bool number_in(const ClockUnit& unit, const char* label, double& value, const char* tip, const std::string& behind = "",
               const char* zero = nullptr);
/// The same for a time of the scene, in the unit of clocks.
bool time_number(const char* label, const SessionModel& model, double& time, const char* tip,
                 const std::string& behind = "", const char* zero = nullptr);
/// Whether a frame changed a number under the pointer: the first of a drag, or one that goes on with it.
enum class Dragged : u8 { no, begins, goes_on };
/// The same with the pointer, too: dragged to the left or right it makes the number smaller or larger, in every frame;
/// a double click, Ctrl and a click, or Tab types it. A number that takes() refuses changes nothing.
Dragged dragged_number(const char* label, double& value, const char* text, const std::function<bool(double)>& takes);
/// Likewise for three numbers: x, y and z. behind: what follows the label, which then stands above them, so that they
/// have the whole width.
bool numbers(const char* label, std::array<double, 3>& values, const char* tip,
             const std::optional<std::string>& behind = {});
/// The same for velocities of the scene, in the unit that people read them in.
bool velocities(const char* label, std::array<double, 3>& values, const char* tip, const UnitSystem* units);
/// The same for a number that each of several things is to have: where theirs differ it shows none, and their range
/// below. value: what was typed.
bool number_of_each(const char* label, double& value, const std::vector<double>& theirs, const char* tip,
                    const std::string& unit = "");
/// Likewise for a whole number.
bool whole(const char* label, u64& value, const char* tip);
/// A combo box; true when another name was chosen. width 0: that of a field. preview: shown when closed; empty: the
/// current name. at may lie beyond the end, for none, where there is a preview.
bool choose(const char* label, u32& at, const std::vector<std::string>& names, float width = 0,
            const std::string& preview = "");
/// A combo box of numbers; 0 is shown as auto.
void choose_number(const char* label, u32& value, std::span<const u32> numbers, float width,
                   const std::string& preview);
/// The names of an enum's values, for choose().
template <NamedEnum Enum>
std::vector<std::string> choices() {
  return {kNamesOf<Enum>.names.begin(), kNamesOf<Enum>.names.end()};
}
/// A combo box of an enum's values; true when another was chosen.
template <NamedEnum Enum>
bool choose_enum(const char* label, Enum& value) {
  u32 at = static_cast<u32>(value);
  if (!choose(label, at, choices<Enum>())) return false;
  value = static_cast<Enum>(at);
  return true;
}
/// Likewise for a text; empty: `usual` stands there. room: of the label, in characters.
bool text_or_usual(const char* label, std::string& text, const std::string& usual, u32 room = 13);
/// A field for a text, and beside it a combo box of texts with names. id: unique in the window.
struct Preset {
  const char *text, *name;
};
void text_or_preset(const std::string& id, std::string& text, std::span<const Preset> presets, float text_width,
                    float combo_width, const char* tip);
/// The next item goes on the same line where there is room for `width`, and for the button of that label.
void same_line(float width, const char* label = "");
/// Buttons Run or Pause, Step, and Restart, of an automaton.
void run_step_restart(StepChoice& choice);
/// A slider for a rate per second, 1 to 60.
void rate(double& per_second, float width, const char* tip);
/// Flags of windows without a title that stay at their place; kBare: that never scroll; kBehind: and never cover
/// others.
inline constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                           ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoMove |
                                           ImGuiWindowFlags_NoSavedSettings;
inline constexpr ImGuiWindowFlags kBare = kFixed | ImGuiWindowFlags_NoScrollbar;
inline constexpr ImGuiWindowFlags kBehind =
    kBare | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBringToFrontOnFocus;

/// In what a window differs from others.
struct WindowLook {
  std::optional<ImVec2> padding = {}, spacing = {};
  float rounding = 0;                ///< > 0: round corners, and a border
  bool small = false;                ///< it may be smaller than ImGui's usual least size
  std::optional<ImU32> ground = {};  ///< the colour behind
};
/// An ImGui window at a fixed place, while it lives.
class FixedWindow {
 public:
  FixedWindow(const char* id, const Rect& place, ImGuiWindowFlags flags = kBehind, const WindowLook& look = {});
  ~FixedWindow();
  FixedWindow(const FixedWindow&) = delete;
  FixedWindow& operator=(const FixedWindow&) = delete;

 private:
  int variables_ = 0, colours_ = 0;
  bool is_read_ = false;
};

/// The text of the fixed windows that are drawn between the two, for those who hear a screen: a heading a window, a
/// line an item; buttons stand in brackets, and one with an icon alone has what it does in words.
void begin_screen_text();
std::string end_screen_text();
bool reads_screen();  ///< between the two

/// Items that cannot be used, in the ink of that, while it lives.
class Disabled {
 public:
  explicit Disabled(bool on);
  ~Disabled();
  Disabled(const Disabled&) = delete;
  Disabled& operator=(const Disabled&) = delete;

 private:
  bool on_;
};

/// A slider beside a number that the panel writes itself: Ctrl and a click types that number. True when it changed.
bool bare_slider(const char* id, double& value, double low, double high, const char* format, bool logarithmic = false);
/// A text that a click makes a field for a time of the scene, in the unit of clocks. True when it was left with
/// another.
bool clicked_time(const char* id, const SessionModel& model, double& time, const std::string& text, ImVec2 size);
/// The same for how many of so many blocks were launched, of which the share is kept.
void launched_slider(const char* id, float& share, u32 most);

/// A button with a tooltip. Where it cannot be used it does nothing, by the keyboard neither, and the tooltip says why.
bool button(const char* label, const std::string& about = "", const Availability& can = {true, ""}, float width = 0);
/// A box to tick with a tooltip; true when it was.
bool checkbox(const char* label, bool& on, const std::string& about = "");
/// A button whose colour shows that it is on.
bool chosen_button(const char* label, bool on, ImU32 colour);
/// A square button with an icon.
struct IconLook {
  bool on = false;
  bool over_scene = false;                   ///< in the colours of the scene, which no theme changes
  std::optional<ImU32> ink = {}, edge = {};  ///< none: that of text; without an edge
};
bool icon_button(const char* id, const char* glyph, float size, float scale, const std::string& about,
                 const IconLook& look = {});
/// A button in the colour of text with an icon and a word, which begin at these pixels of scale 1.
bool bold_button(const char* id, const char* glyph, const char* text, ImVec2 size, float left, float word, float scale,
                 const std::string& about);
/// Starts and stops a share that goes from 0 to 1 by itself, and its step in a frame.
void sweep_button(const char* start, const char* stop, float width, const std::string& about, bool& runs, float& share);
void sweep(bool& runs, float& share, float by);
/// How much is done, in this colour, as wide as the panel.
void progress_bar(double share, ImU32 colour, float scale);
/// A line in strong letters.
void strong_text(const char* text);
/// A name in strong letters, and beside it in small ones as much of the rest as has room.
void write_head(ImDrawList& draw, ImVec2 at, const std::string& name, const std::string& rest, float room, float scale);
/// The unit that people read times in: a year, where the scene counts in yr/2pi.
ClockUnit clock_of(const SessionModel& model);
/// "12.3 Myr" in that unit.
std::string clock_text(const SessionModel& model, double time);
/// "1.88 AU/yr, 8.91 km/s" of a speed in the scene's unit: in km/s, too, where clocks show another unit of time than
/// the scene's, so that its own says little.
std::string speed_text(const SessionModel& model, double speed, int digits);
/// The same in two: "12.3" and "Myr".
struct ClockParts {
  std::string number, unit;
};
ClockParts clock_parts(const SessionModel& model, double time);

/// An edge that can be dragged, as a window of its own in front: it never scrolls. x: its left side. The pointer's x
/// while it is dragged; `again` is set by a double click.
std::optional<float> dragged_edge(const char* id, float x, float top, float height, float scale, bool* again = nullptr);
/// A tooltip of the previous item, even if it is disabled, once the pointer has been over it for kTipDelay; it never
/// covers the item. Who has pressed the item knows it: there is none until the pointer comes again.
void tip(const std::string& text);
inline constexpr double kTipDelay = 0.4;  ///< seconds
/// Whether the pointer has been over the thing of this id for that long; asked in each frame in which it is there. Not
/// where the thing came beneath a resting pointer, or was pressed since the pointer came.
bool pointer_rests(ImGuiID id, bool pressed = false);
/// The same without asking where the pointer is.
void tip_beside(const std::string& text);
/// While it lives tooltips stand beside this place, of which they speak, if there is room; one at a time.
class TipsBeside {
 public:
  explicit TipsBeside(const Rect& place);
  ~TipsBeside();
  TipsBeside(const TipsBeside&) = delete;
  TipsBeside& operator=(const TipsBeside&) = delete;
};
/// Wrapped text in a colour.
void coloured_text(ImU32 colour, const std::string& text);
/// In lines of command_in_lines().
void command_text(ImU32 colour, const std::string& command);
/// Of a button with that label.
float button_width(const char* label);
/// Width that leaves room for a label of so many characters at the right.
float field_width(u32 characters);

// The part of an axis that is shown: zoomed about a place, moved, kept within what there is. Pure.

/// low < high; a linear axis, or the logarithms of a logarithmic one.
struct Extent {
  double low = 0, high = 1;
  double length() const { return high - low; }
  bool operator==(const Extent&) const = default;
};

/// Of the same length where it fits, else all.
inline Extent within(Extent shown, const Extent& all) {
  const double length = std::min(shown.length(), all.length());
  const double low = std::clamp(shown.low, all.low, std::max(all.low, all.high - length));  // rounded
  return {low, low + length};
}

/// Shows 1 / factor of what it shows, with `at` where it is; at most `all`, at least `least` long.
inline Extent zoomed(const Extent& shown, double at, double factor, const Extent& all, double least) {
  const double length = std::clamp(shown.length() / factor, std::min(least, all.length()), all.length());
  const double share = shown.length() > 0 ? (at - shown.low) / shown.length() : 0.5;
  const double low = at - share * length;
  return within({low, low + length}, all);
}

inline Extent moved(const Extent& shown, double by, const Extent& all) {
  return within({shown.low + by, shown.high + by}, all);
}

/// How much one click of the wheel zooms.
inline constexpr double kZoomStep = 1.3;

// What a plot shows, by a user's hands, and its numbers as a file.

struct PlotSpec;

/// Kept for each plot by its id while the program runs.
struct PlotView {
  std::optional<Extent> x, y;               ///< on the scale of the axis, logarithms on a logarithmic one; none: all
  std::optional<bool> log_x, log_y;         ///< none: as the plot has it
  std::optional<std::array<float, 2>> box;  ///< where the button went down that draws a box
  void show_all() { x.reset(), y.reset(); }
};
PlotView& plot_view(std::string_view id);

/// "step,energy error\n0,0\n..."; values that are not finite are empty.
std::string plot_csv(const PlotSpec& plot);

/// A plot as a file, which the window writes.
struct PlotFile {
  std::string path, text;
};
/// The plot of that id becomes a file when it is drawn next; path: empty = triangulum-ID.csv, or another number.
void save_plot(std::string_view id, std::string path = {});
/// Whether one was asked for and is not released; which of them is not drawn yet, empty: none.
bool plots_pending();
std::string plot_not_drawn();
/// Called by a plot that is drawn.
void write_if_asked(const PlotSpec& plot);
/// What was asked for and drawn since the last call.
std::vector<PlotFile> release_plot_files();

// A small plot for panels, drawn on ImGui's draw list: ticks at round numbers, a legend, values at the pointer.

struct PlotLine {
  std::string name;
  std::vector<double> y;  ///< [x.size()]; values that are not finite (on a logarithmic scale: not > 0) leave a gap
};

struct PlotSpec {
  const char* id;               ///< unique in its window
  std::string title;            ///< above, left
  std::vector<double> x;        ///< ascending
  std::string x_name;           ///< in the tooltip
  std::vector<PlotLine> lines;  ///< at most 8
  bool logarithmic = false;     ///< the y axis
  bool logarithmic_x = false;   ///< powers of two; x > 0
  bool maps = false;            ///< the lines are named after maps and have their inks
  bool runs = false;            ///< the lines are two runs: neutral, the second dashed, and without gaps
  bool legend = true;           ///< names in the colours of their lines, right of the title
  float height = 110;           ///< at scale 1
  float width = 0;              ///< in pixels; 0: as wide as the window allows
  std::string unit = {};        ///< behind values at the pointer, with its space
};

void draw_plot(const PlotSpec& plot, float scale);

}  // namespace tri::app::gui
