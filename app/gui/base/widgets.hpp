#pragma once
/// Small ImGui widgets that panels and views share. Each belongs inside an ImGui window of the current frame.

#include <array>
#include <string>
#include <vector>

#include "sim/base/platform.hpp"

namespace tri::app::gui::panel {

/// A number in a field, taken when Enter is pressed. True when it was.
bool number(const char* label, double& value, const char* tip);
/// Three numbers likewise, for x, y and z.
bool numbers(const char* label, std::array<double, 3>& values, const char* tip);
/// A whole number likewise.
bool whole(const char* label, u64& value, const char* tip);
/// A choice among names; true when another was chosen.
bool choose(const char* label, u32& at, const std::vector<std::string>& names);
/// The next item on the line before where there is room for `width`.
void same_line(float width);
/// Buttons of what runs by itself; the first turns `running`.
struct Pressed {
  bool step = false, restart = false;
};
Pressed run_step_restart(bool& running);
/// How often a second, 1 to 60.
void rate(double& a_second, float width, const char* tip);
/// The text of a tip over the item before, also where it is disabled.
void tip(const std::string& text);
/// Width that leaves room for labels of `letters` letters at the right.
float field_width(u32 letters);

}  // namespace tri::app::gui::panel
