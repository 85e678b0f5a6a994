#include "app/gui/base/widgets.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"
#include "app/support/language.hpp"

namespace tri::app::gui {
namespace {

/// A field for a value that panels pass anew in every frame. True when the field is left with another one: by Enter,
/// Tab or a click elsewhere, but not by Esc. draw(&shown): draws it; true when its text was changed.
template <class T, class Draw>
bool edit(const char* label, T& value, const Draw& draw) {
  // One field is active at a time. What was typed into it is kept here, because the field left may be drawn after the
  // one that is now active.
  static ImGuiID field = 0;
  static T typed{};
  const ImGuiID id = ImGui::GetID(label);
  T shown = field == id ? typed : value;
  if (draw(&shown)) field = id, typed = shown;
  if (field != id || ImGui::IsItemActive()) return false;
  field = 0;
  const bool cancelled = is_pressed(ImGuiKey_Escape);
  if (!ImGui::IsItemDeactivated() || cancelled || shown == value) return false;
  value = shown;
  return true;
}

/// What a field shows by this format, as a format: "1e-5 AU", where printf has an exponent of two digits.
std::string field_format(double value, const char* format) {
  std::string text(64, '\0');
  text.resize(static_cast<std::size_t>(std::max(0, std::snprintf(text.data(), text.size(), format, value))));
  const std::size_t power = text.find('e');
  if (power == std::string::npos || power == 0 || std::isdigit(static_cast<unsigned char>(text[power - 1])) == 0) {
    return format;
  }
  std::size_t digit = power + 1;
  if (text[digit] == '+') text.erase(digit, 1);
  if (text[digit] == '-') ++digit;
  while (text[digit] == '0') text.erase(digit, 1);
  return text;
}

bool edit_number(const char* label, double& value, const char* format) {
  return edit(label, value, [&](double* shown) {
    return ImGui::InputDouble(label, shown, 0, 0, field_format(*shown, format).c_str());
  });
}

struct ScreenText {
  bool on = false;
  std::string text;
} screen_text;

/// Icons are letters that nobody hears.
std::string without_icons(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[k]);
    const auto next = k + 1 < text.size() ? static_cast<unsigned char>(text[k + 1]) : 0u;
    if (byte == 0xEE || (byte == 0xEF && next < 0xA4)) {  // U+E000 to U+F8FF
      k += 2;
    } else {
      out += text[k];
    }
  }
  return out;
}

void add_lines(const std::string& title, const std::string& log) {
  std::string text = without_icons(log), last;
  const auto replace = [&text](std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
  };
  replace(" | ", "\n"), replace("[ ]", "\noff:"), replace("[x]", "\non:"), replace(" ]", " ]\n");
  std::istringstream lines(text);
  bool headed = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" |"), end = line.find_last_not_of(" |");
    if (first == std::string::npos) continue;
    line = line.substr(first, end - first + 1);
    if (line == std::exchange(last, line)) continue;
    if (!std::exchange(headed, true)) screen_text.text += fmt::format("== {} ==\n", tr(title));
    screen_text.text += line + "\n";
  }
}

}  // namespace

bool reads_screen() { return screen_text.on; }
void begin_screen_text() { screen_text = {true, {}}; }
std::string end_screen_text() {
  screen_text.on = false;
  return std::exchange(screen_text.text, {});
}

FixedWindow::FixedWindow(const char* id, const Rect& place, ImGuiWindowFlags flags, const WindowLook& look) {
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::SetNextWindowSize({place.w, place.h});
  const auto set = [this](ImGuiStyleVar variable, const auto& value) {
    ImGui::PushStyleVar(variable, value);
    ++variables_;
  };
  if (look.padding) set(ImGuiStyleVar_WindowPadding, *look.padding);
  if (look.spacing) set(ImGuiStyleVar_ItemSpacing, *look.spacing);
  if (look.rounding > 0) set(ImGuiStyleVar_WindowRounding, look.rounding), set(ImGuiStyleVar_WindowBorderSize, 1.0f);
  if (look.small) set(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  if (look.ground) ImGui::PushStyleColor(ImGuiCol_WindowBg, *look.ground), ++colours_;
  // What lies over the scene has room for all that it holds: End and Page Down would only cut it off.
  const bool is_bar = look.rounding > 0 && (flags & ImGuiWindowFlags_NoScrollbar) != 0;
  if (is_bar) ::ImGui::SetNextWindowScroll({0, 0});
  ::ImGui::Begin(id, nullptr, flags);
  is_read_ = screen_text.on && !ImGui::GetCurrentContext()->LogEnabled;
  if (is_read_) ImGui::LogToBuffer();
}

FixedWindow::~FixedWindow() {
  if (is_read_) {
    add_lines(ImGui::GetCurrentWindow()->Name, ImGui::GetCurrentContext()->LogBuffer.c_str());
    ImGui::LogFinish();
  }
  ImGui::End();
  ImGui::PopStyleVar(variables_);
  ImGui::PopStyleColor(colours_);
}

std::optional<float> dragged_edge(const char* id, float x, float top, float height, float scale, bool* again) {
  const float grip = 6 * scale;
  const FixedWindow window(
      id, {x, top, grip, height},
      kBare | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing,
      {.padding = ImVec2(0, 0), .small = true});
  invisible_button("edge", {grip, height});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (hovered || active) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (again != nullptr) *again = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (!active || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) return std::nullopt;
  return ImGui::GetIO().MousePos.x;
}

bool button(const char* label, const std::string& about, const Availability& can, float width) {
  bool pressed = false;
  {
    const Disabled disabled(!can.ok);
    pressed = ImGui::Button(label, {width, 0});
  }
  tip(can.ok || can.reason.empty() ? about : tr(about) + (about.empty() ? "" : "\n") + tr(can.reason));
  return pressed && can.ok;
}

Disabled::Disabled(bool on) : on_(on) {
  ImGui::BeginDisabled(on);
  if (on) ImGui::PushStyleColor(ImGuiCol_Text, theme().disabled);
}
Disabled::~Disabled() {
  if (on_) ImGui::PopStyleColor();
  ImGui::EndDisabled();
}

namespace {

/// A field for a number that is shown otherwise until it is to be typed; one at a time.
struct TypedHere {
  ImGuiID field = 0;
  int drawn = 0;        ///< the frame in which it last was
  bool begins = false;  ///< it is to have the keyboard

  void begin(ImGuiID id) { field = id, drawn = ImGui::GetFrameCount(), begins = true; }
  /// Draws the field where it is this one: whether it was left with another number. Else none.
  std::optional<bool> draw(ImGuiID self, double& value, const char* format) {
    const int now = ImGui::GetFrameCount();
    if (field == self && now > drawn + 1) field = 0;  // it was out of sight
    if (field != self) return std::nullopt;
    if (std::exchange(begins, false)) ImGui::SetKeyboardFocusHere();
    drawn = now;
    const bool taken = edit_number("##number", value, format);
    if (ImGui::IsItemDeactivated()) field = 0;
    return taken;
  }
};

}  // namespace

bool bare_slider(const char* id, double& value, double low, double high, const char* format, bool logarithmic) {
  static TypedHere typed;
  const ImGuiID self = ImGui::GetID(id);
  if (const auto taken = typed.draw(self, value, format)) return *taken;
  const auto on_slider = [&](double v) { return logarithmic ? std::log10(std::max(v, 1e-300)) : v; };
  double at = on_slider(value), from = on_slider(low), to = on_slider(high);
  const bool moved = ImGui::SliderScalar(id, ImGuiDataType_Double, &at, &from, &to, "", ImGuiSliderFlags_NoInput);
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(0) && ImGui::GetIO().KeyCtrl) {
    typed.begin(self);
    ImGui::ClearActiveID();
    return false;
  }
  if (moved) value = logarithmic ? std::pow(10.0, at) : at;
  return moved;
}

bool clicked_time(const char* id, const SessionModel& model, double& time, const std::string& text, ImVec2 size) {
  static TypedHere typed;
  const ClockUnit clock = clock_of(model);
  double shown = clock.size * time;
  ImGui::SetNextItemWidth(size.x);
  if (const auto taken = typed.draw(ImGui::GetID(id), shown, "%.6g")) {
    if (*taken) time = shown / clock.size;
    return *taken;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (invisible_button(id, size)) typed.begin(ImGui::GetID(id));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  if (ImGui::IsItemHovered()) draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, theme().selected, 2);
  write(draw, Face::strong, at, theme().text, fitting(Face::strong, text, size.x));
  return false;
}

void launched_slider(const char* id, float& share, u32 most) {
  double launched = std::round(static_cast<double>(share) * most);
  if (bare_slider(id, launched, 0, most, "%.0f")) {
    share = static_cast<float>(std::clamp(launched / std::max<u32>(most, 1), 0.0, 1.0));
  }
}

bool checkbox(const char* label, bool& on, const std::string& about) {
  const bool ticked = ImGui::Checkbox(label, &on);
  tip(about);
  return ticked;
}

bool chosen_button(const char* label, bool on, ImU32 colour) {
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, colour);
  const bool pressed = ImGui::Button(label);
  if (on) ImGui::PopStyleColor();
  return pressed;
}

bool icon_button(const char* id, const char* glyph, float size, float scale, const std::string& about,
                 const IconLook& look) {
  const ImVec2 at = ImGui::GetCursorScreenPos(), end{at.x + size, at.y + size};
  const bool pressed = invisible_button(id, {size, size});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Theme& colours = look.over_scene ? theme_of(true) : theme();
  if (look.on || ImGui::IsItemHovered()) {
    draw.AddRectFilled(at, end, faded(colours.selected, look.over_scene ? 0.9f : 1), 4 * scale);
  }
  if (look.edge) draw.AddRect(at, end, *look.edge, 4 * scale);
  write_middle(draw, Face::icon, {at.x + size / 2, at.y + size / 2}, look.ink.value_or(colours.text), glyph,
               Align::centre);
  if (reads_screen()) ImGui::LogText("[ %s ] | ", tr(about).c_str());
  tip(about);
  return pressed;
}

bool bold_button(const char* id, const char* glyph, const char* text, ImVec2 size, float left, float word, float scale,
                 const std::string& about) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = invisible_button(id, size);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + size.x, at.y + size.y}, ImGui::IsItemHovered() ? theme().text2 : theme().text,
                     4 * scale);
  const float y = at.y + size.y / 2;
  write_middle(draw, Face::icon, {at.x + left * scale, y}, theme().panel, glyph);
  write_middle(draw, Face::strong, {at.x + word * scale, y}, theme().panel, text);
  tip(about);
  return pressed;
}

void sweep_button(const char* start, const char* stop, float width, const std::string& about, bool& runs,
                  float& share) {
  if (!button(runs ? stop : start, about, {true, ""}, width)) return;
  runs = !runs;
  if (runs && share >= 1) share = 0;
}

void sweep(bool& runs, float& share, float by) {
  if (runs) share = std::min(1.0f, share + by);
  if (share >= 1) runs = false;
}

void progress_bar(double share, ImU32 colour, float scale) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = 6 * scale;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + width, at.y + height}, theme().line, 2 * scale);
  draw.AddRectFilled(at, {at.x + width * static_cast<float>(share), at.y + height}, colour, 2 * scale);
  ImGui::Dummy({width, height});
}

void strong_text(const char* text) {
  const InFace strong(Face::strong);
  ImGui::TextUnformatted(text);
}

void write_head(ImDrawList& draw, ImVec2 at, const std::string& name, const std::string& rest, float room,
                float scale) {
  write(draw, Face::strong, at, theme().text, name);
  const float after = width_in(Face::strong, name.c_str()) + 8 * scale;
  write(draw, Face::caption, {at.x + after, at.y + 2 * scale}, theme().text2,
        fitting(Face::caption, rest, room - after));
}

ClockUnit clock_of(const SessionModel& model) { return clock_unit(find_unit_system(model.scene.units)); }

ClockParts clock_parts(const SessionModel& model, double time) {
  const ClockUnit clock = clock_of(model);
  const std::size_t word = clock.behind.find_first_not_of(' ');
  return {three_digits(clock.size * time), word == std::string::npos ? "" : clock.behind.substr(word)};
}

std::string clock_text(const SessionModel& model, double time) {
  const ClockParts parts = clock_parts(model, time);
  return parts.number + (parts.unit.empty() ? "" : " ") + parts.unit;
}

std::string speed_text(const SessionModel& model, double speed, int digits) {
  const UnitSystem* units = find_unit_system(model.scene.units);
  const ClockUnit unit = reading_unit(units, "velocity");
  std::string own = number_text(unit.size * speed, digits) + unit.behind;
  if (units == nullptr || !units->is_physical() || clock_of(model).size == 1 || own.ends_with(" km/s")) return own;
  return fmt::format("{}, {} km/s", own, number_text(speed * units->metre / units->second / 1e3, std::min(digits, 3)));
}

void tip(const std::string& text) {
  // An item that has the keyboard counts as hovered: the pointer may have gone.
  const bool pointed = ImGui::IsMouseHoveringRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (reads_screen()) return;                                         // a tooltip's end would end the log of its window
  if (ImGui::IsItemActive() && ImGui::GetIO().WantTextInput) return;  // who types looks at what is below the field
  const ImGuiWindow* const find = ImGui::FindWindowByName("palette");
  const bool behind = find != nullptr && find->WasActive && ImGui::GetCurrentContext()->CurrentWindow != find;
  if (behind) return;  // the keyboard opened it wherever the pointer rests
  if (text.empty() || !pointed || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  const ImVec2 at = ImGui::GetItemRectMin();  // of texts, which have no id
  const bool pressed = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (pointer_rests(ImGui::GetID(fmt::format("{} {}", at.x, at.y).c_str()), pressed)) tip_beside(text);
}

bool pointer_rests(ImGuiID id, bool pressed) {
  static struct {
    ImGuiID id = 0;
    int seen = 0;      // the frame
    double since = 0;  // of ImGui's clock
    bool came = true;  // the pointer to the item, and not the item to the pointer
    bool pressed = false;
  } last;
  const int frame = ImGui::GetFrameCount();
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const bool moves = moved.x != 0 || moved.y != 0;
  if (last.id != id || frame > last.seen + 1 || frame < last.seen) last = {id, frame, ImGui::GetTime(), moves, false};
  if (moves && !last.came) last.came = true, last.since = ImGui::GetTime();
  last.seen = frame, last.pressed |= pressed;
  return last.came && !last.pressed && ImGui::GetTime() - last.since >= kTipDelay;
}

namespace {

/// What tooltips speak of, beside which they stand.
std::optional<Rect>& spoken_of() {
  static std::optional<Rect> place;
  return place;
}

}  // namespace

TipsBeside::TipsBeside(const Rect& place) { spoken_of() = place; }
TipsBeside::~TipsBeside() { spoken_of().reset(); }

void tip_beside(const std::string& text) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), screen = ImGui::GetIO().DisplaySize;
  const float font = ImGui::GetFontSize(), gap = font / 3;
  const ImVec2 pad{0.6f * font, 0.4f * font};
  const float wrap = std::max(font, std::min(26 * font, screen.x - 2 * pad.x - gap));
  const ImVec2 words = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);  // in the same lines
  const ImVec2 size{words.x + 2 * pad.x, words.y + 2 * pad.y}, pointer = ImGui::GetIO().MousePos;
  ImVec2 at{pointer.x, high.y + gap};
  if (at.y + size.y > screen.y) at.y = low.y - gap - size.y;  // above it, or else beside it
  if (at.y < 0) at = {high.x + gap + size.x > screen.x ? low.x - gap - size.x : high.x + gap, pointer.y};
  if (const auto& place = spoken_of()) {
    const float left = place->x - gap - size.x, right = place->x + place->w + gap;
    if (left >= 0 || right + size.x <= screen.x) at = {left >= 0 ? left : right, low.y};
  }
  const auto within = [](float from, float length, float room) {
    return std::max(0.0f, std::min(from, room - length));
  };
  ImGui::SetNextWindowPos({within(at.x, size.x, screen.x), within(at.y, size.y, screen.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, pad);
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(in_lines(tr(text), wrap).c_str());
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void coloured_text(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

void command_text(ImU32 colour, const std::string& command) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextInLines(command, command_in_lines(command, ImGui::GetContentRegionAvail().x));
  ImGui::PopStyleColor();
}

float field_width(u32 characters) {
  const float label = ImGui::CalcTextSize("0").x * static_cast<float>(characters);
  return ImGui::GetContentRegionAvail().x - label - ImGui::GetStyle().ItemInnerSpacing.x;
}

bool number(const char* label, double& value, const char* text, const std::string& unit, const char* zero) {
  ImGui::SetNextItemWidth(field_width(13));
  const std::string format = zero != nullptr && value == 0 ? tr(zero) : "%.6g" + unit;
  const bool taken = edit_number(label, value, format.c_str());
  tip(text);
  return taken;
}

bool number_of_each(const char* label, double& value, const std::vector<double>& theirs, const char* text,
                    const std::string& unit) {
  const auto [least, most] = std::minmax_element(theirs.begin(), theirs.end());
  const bool differ = !theirs.empty() && *least < *most;
  value = theirs.empty() ? 0 : differ ? std::numeric_limits<double>::lowest() : *least;  // what is typed is another one
  ImGui::SetNextItemWidth(field_width(13));
  const bool taken = edit_number(label, value, (differ ? tr("they differ") : "%.6g" + unit).c_str());
  tip(text);
  if (differ) {
    coloured_text(theme().text2, phrase("They have {} to {}.", number_text(*least, 3), number_text(*most, 3) + unit));
  }
  return taken;
}

bool number_in(const ClockUnit& unit, const char* label, double& value, const char* text, const std::string& behind,
               const char* zero) {
  double shown = unit.size * value;
  if (!number(label, shown, text, unit.behind + tr(behind), zero)) return false;
  value = shown / unit.size;
  return true;
}

bool time_number(const char* label, const SessionModel& model, double& time, const char* text,
                 const std::string& behind, const char* zero) {
  return number_in(clock_of(model), label, time, text, behind, zero);
}

Dragged dragged_number(const char* label, double& value, const char* text, const std::function<bool(double)>& takes) {
  // One is active at a time. What it shows is kept here, because a value that was taken arrives only after a step.
  struct Held {
    ImGuiID field = 0;
    double begin = 0, shown = 0;
    bool taken = false;
  };
  static Held held;
  const ImGuiID id = ImGui::GetID(label);
  const bool mine = held.field == id;
  double shown = mine ? held.shown : value;
  // Two hundred pixels double the number.
  const auto speed = static_cast<float>(std::max(std::abs(mine ? held.begin : value), 1e-3) / 200);
  ImGui::SetNextItemWidth(field_width(13));
  const bool changed = ImGui::DragScalar(label, ImGuiDataType_Double, &shown, speed, nullptr, nullptr, "%.6g");
  const bool active = ImGui::IsItemActive();
  tip(text);
  if (active && !mine) held = {id, value, shown, false};
  if (!active && !mine) return Dragged::no;
  const bool cancelled = !active && is_pressed(ImGuiKey_Escape);
  held.shown = shown;
  if (!active) held.field = 0;
  // A number that is typed is taken when the field is left.
  const bool take = active ? changed && !ImGui::GetIO().WantTextInput : !cancelled;
  if (!take || shown == value || !takes(shown)) return Dragged::no;
  value = shown;
  return std::exchange(held.taken, true) ? Dragged::goes_on : Dragged::begins;
}

bool velocities(const char* label, std::array<double, 3>& values, const char* text, const UnitSystem* units) {
  const ClockUnit unit = reading_unit(units, "velocity");
  std::array<double, 3> shown = values;
  for (double& value : shown) value *= unit.size;
  const std::array<double, 3> before = shown;
  if (!numbers(label, shown, text, unit.behind.empty() ? "" : tr(" in") + unit.behind)) return false;
  for (std::size_t a = 0; a < 3; ++a) {
    if (shown[a] != before[a]) values[a] = shown[a] / unit.size;
  }
  return true;
}

bool numbers(const char* label, std::array<double, 3>& values, const char* text,
             const std::optional<std::string>& behind) {
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x, width = (field_width(behind ? 0 : 13) - 2 * gap) / 3;
  if (behind) ImGui::TextDisabled("%s", (tr(label) + *behind).c_str());
  bool taken = false;
  ImGui::BeginGroup();
  ImGui::PushID(label);
  for (int axis = 0; axis < 3; ++axis) {
    ImGui::PushID(axis);
    ImGui::SetNextItemWidth(width);
    taken |= edit_number("", values[static_cast<std::size_t>(axis)], "%.4g");
    ImGui::SameLine(0, gap);
    ImGui::PopID();
  }
  ImGui::PopID();
  behind ? ImGui::NewLine() : ImGui::TextUnformatted(label);
  ImGui::EndGroup();
  tip(text);
  return taken;
}

bool whole(const char* label, u64& value, const char* text) {
  ImGui::SetNextItemWidth(field_width(13));
  const bool taken =
      edit(label, value, [&](u64* shown) { return ImGui::InputScalar(label, ImGuiDataType_U64, shown); });
  tip(text);
  return taken;
}

bool choose(const char* label, u32& at, const std::vector<std::string>& names, float width,
            const std::string& preview) {
  ImGui::SetNextItemWidth(width > 0 ? width : field_width(13));
  if (!ImGui::BeginCombo(label, preview.empty() ? names[at].c_str() : preview.c_str())) return false;
  bool chosen = false;
  for (u32 k = 0; k < names.size(); ++k) {
    if (ImGui::Selectable(names[k].c_str(), k == at) && k != at) {
      at = k;
      chosen = true;
    }
  }
  ImGui::EndCombo();
  return chosen;
}

void choose_number(const char* label, u32& value, std::span<const u32> numbers, float width,
                   const std::string& preview) {
  std::vector<std::string> names;
  for (const u32 n : numbers) names.push_back(n == 0 ? "auto" : std::to_string(n));
  auto at = static_cast<u32>(std::find(numbers.begin(), numbers.end(), value) - numbers.begin());
  if (choose(label, at, names, width, preview)) value = numbers[at];
}

bool text_or_usual(const char* label, std::string& text, const std::string& usual, u32 room) {
  ImGui::SetNextItemWidth(field_width(room));
  return edit(label, text, [&](std::string* shown) { return ImGui::InputTextWithHint(label, usual.c_str(), shown); });
}

void text_or_preset(const std::string& id, std::string& text, std::span<const Preset> presets, float text_width,
                    float combo_width, const char* explanation) {
  ImGui::SetNextItemWidth(text_width);
  const std::string field = "##" + id;
  edit(field.c_str(), text, [&](std::string* shown) { return ImGui::InputText(field.c_str(), shown); });
  tip(explanation);
  ImGui::SameLine();
  std::vector<std::string> names;
  u32 at = static_cast<u32>(presets.size());
  for (u32 k = 0; k < presets.size(); ++k) {
    names.emplace_back(presets[k].name);
    if (text == presets[k].text) at = k;
  }
  const std::string preview = at < names.size() ? names[at] : "other";
  if (choose(("##" + id + "s").c_str(), at, names, combo_width, preview)) text = presets[at].text;
}

float button_width(const char* label) {
  return ImGui::CalcTextSize(label, nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
}

void same_line(float width, const char* label) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < std::max(width, button_width(label))) ImGui::NewLine();
}

void run_step_restart(StepChoice& choice) {
  if (ImGui::Button(choice.running ? "Pause###run" : "Run###run")) choice.running = !choice.running;
  ImGui::SameLine();
  if (ImGui::Button("Step")) ++choice.pending_steps;
  ImGui::SameLine();
  if (ImGui::Button("Restart")) ++choice.restarts;
}

void rate(double& per_second, float width, const char* text) {
  auto value = static_cast<float>(per_second);
  ImGui::SetNextItemWidth(width);
  if (ImGui::SliderFloat("per second", &value, 1, 60, "%.0f")) per_second = static_cast<double>(value);
  tip(text);
}

}  // namespace tri::app::gui
