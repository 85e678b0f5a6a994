#pragma once
/// Small ImGui widgets that panels and panes share. Call them inside an ImGui window of the current frame.

#include <imgui.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/views/fractal_choice.hpp"

namespace tri::app::gui::panel {

/// A field for a number, with its unit behind it (" kpc", or nothing). True when it is left with another one, by Enter,
/// Tab or a click elsewhere; Esc keeps the old one.
bool number(const char* label, double& value, const char* tip, const std::string& unit = "");
/// Whether a frame changed a number under the pointer: the first of a drag, or one that goes on with it.
enum class Dragged : u8 { no, begins, goes_on };
/// The same with the pointer, too: dragged to the left or right it makes the number smaller or larger, in every frame;
/// a double click, Ctrl and a click, or Tab types it. A number that takes() refuses changes nothing.
Dragged dragged_number(const char* label, double& value, const char* text, const std::function<bool(double)>& takes);
/// Likewise for three numbers: x, y and z. label_above: so that they have the whole width.
bool numbers(const char* label, std::array<double, 3>& values, const char* tip, bool label_above = false);
/// Likewise for a whole number.
bool whole(const char* label, u64& value, const char* tip);
/// A combo box; true when another name was chosen. width 0: that of a field. preview: shown when closed; empty: the
/// current name. at may lie beyond the end, for none, where there is a preview.
bool choose(const char* label, u32& at, const std::vector<std::string>& names, float width = 0,
            const std::string& preview = "");
/// A combo box of numbers; 0 is shown as auto.
void choose_number(const char* label, u32& value, std::span<const u32> numbers, float width,
                   const std::string& preview);
/// Names of an enum whose values are 0 to count - 1.
template <class Enum>
std::vector<std::string> enum_names(u32 count) {
  std::vector<std::string> names;
  for (u32 k = 0; k < count; ++k) names.emplace_back(to_string(static_cast<Enum>(k)));
  return names;
}
/// A combo box of an enum's values; true when another was chosen.
template <class Enum>
bool choose_enum(const char* label, Enum& value, u32 count) {
  u32 at = static_cast<u32>(value);
  if (!choose(label, at, enum_names<Enum>(count))) return false;
  value = static_cast<Enum>(at);
  return true;
}
/// A field for a text, and beside it a combo box of texts with names. id: unique in the window.
struct Preset {
  const char *text, *name;
};
void text_or_preset(const std::string& id, std::string& text, std::span<const Preset> presets, float text_width,
                    float combo_width, const char* tip);
/// The next item goes on the same line where there is room for `width`.
void same_line(float width);
/// Buttons Run or Pause, Step, and Restart, of an automaton.
void run_step_restart(StepChoice& choice);
/// A slider for a rate per second, 1 to 60.
void rate(double& per_second, float width, const char* tip);
/// An edge that can be dragged, as a window of its own in front: it never scrolls. x: its left side. The pointer's x
/// while it is dragged; `again` is set by a double click.
std::optional<float> dragged_edge(const char* id, float x, float top, float height, float scale, bool* again = nullptr);
/// A tooltip of the previous item, even if it is disabled.
void tip(const std::string& text);
/// Wrapped text in a colour.
void coloured_text(ImU32 colour, const std::string& text);
/// Width that leaves room for a label of so many characters at the right.
float field_width(u32 characters);

}  // namespace tri::app::gui::panel
