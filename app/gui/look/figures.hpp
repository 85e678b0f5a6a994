#pragma once
/// Numbers as the window writes them, and where they are written.

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/gui/look/type.hpp"
#include "app/support/text_table.hpp"

namespace tri::app::gui {

/// Three digits, without an exponent from 0.001 to 99,999: "12.3", "0.0123", "1,230".
std::string three_digits(double value);
/// A time with its unit: "16.2 \u00b5s", "1.42 ms", "3.1 s". ms >= 0.
std::string time_text(double ms);
/// "1.48 \u00d7"; below 0.1 with two digits.
std::string times_text(double ratio);
/// "3.1 \u00d7 10\u207b\u2077"; 0 is "0".
std::string power_text(double value, int digits = 2);

enum class Align { left, centre, right };
/// Writes one line; `at` is its upper left corner, its upper middle or its upper right corner.
void write(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text, Align align = Align::left);
/// The same with the middle of the line at this height.
void write_middle(ImDrawList& draw, Face which, ImVec2 at, ImU32 colour, std::string_view text,
                  Align align = Align::left);
/// As much of the text as fits into `room` pixels, with an ellipsis where it was cut.
std::string fitting(Face which, std::string_view text, float room);

}  // namespace tri::app::gui
