#include "app/gui/base/widgets.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include "app/gui/base/look.hpp"

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

bool edit_number(const char* label, double& value, const char* format) {
  return edit(label, value, [&](double* shown) { return ImGui::InputDouble(label, shown, 0, 0, format); });
}

}  // namespace

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
  ImGui::Begin(id, nullptr, flags);
}

FixedWindow::~FixedWindow() {
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
  ImGui::InvisibleButton("edge", {grip, height});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  if (hovered || active) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (again != nullptr) *again = hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (!active || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1)) return std::nullopt;
  return ImGui::GetIO().MousePos.x;
}

bool button(const char* label, const std::string& about, bool enabled, float width) {
  bool pressed = false;
  {
    const Disabled disabled(!enabled);
    pressed = ImGui::Button(label, {width, 0});
  }
  tip(about);
  return pressed && enabled;
}

Disabled::Disabled(bool on) : on_(on) {
  ImGui::BeginDisabled(on);
  if (on) ImGui::PushStyleColor(ImGuiCol_Text, theme().disabled);
}
Disabled::~Disabled() {
  if (on_) ImGui::PopStyleColor();
  ImGui::EndDisabled();
}

bool bare_slider(const char* id, double& value, double low, double high, const char* format, bool logarithmic) {
  static ImGuiID typed = 0;    // is a field for the number
  static int drawn = 0;        // the frame in which it last was
  static bool begins = false;  // it is to have the keyboard
  const ImGuiID self = ImGui::GetID(id);
  const int now = ImGui::GetFrameCount();
  if (typed == self && now > drawn + 1) typed = 0;  // it was out of sight
  if (typed == self) {
    if (std::exchange(begins, false)) ImGui::SetKeyboardFocusHere();
    drawn = now;
    const bool taken = edit_number("##number", value, format);
    if (ImGui::IsItemDeactivated()) typed = 0;
    return taken;
  }
  const auto on_slider = [&](double v) { return logarithmic ? std::log10(std::max(v, 1e-300)) : v; };
  double at = on_slider(value), from = on_slider(low), to = on_slider(high);
  const bool moved = ImGui::SliderScalar(id, ImGuiDataType_Double, &at, &from, &to, "", ImGuiSliderFlags_NoInput);
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(0) && ImGui::GetIO().KeyCtrl) {
    typed = self, drawn = now, begins = true;
    ImGui::ClearActiveID();
    return false;
  }
  if (moved) value = logarithmic ? std::pow(10.0, at) : at;
  return moved;
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
  const bool pressed = ImGui::InvisibleButton(id, {size, size});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Theme& colours = look.over_scene ? theme_of(true) : theme();
  if (look.on || ImGui::IsItemHovered()) {
    draw.AddRectFilled(at, end, faded(colours.selected, look.over_scene ? 0.9f : 1), 4 * scale);
  }
  if (look.edge) draw.AddRect(at, end, *look.edge, 4 * scale);
  write_middle(draw, Face::icon, {at.x + size / 2, at.y + size / 2}, look.ink.value_or(colours.text), glyph,
               Align::centre);
  tip(about);
  return pressed;
}

bool bold_button(const char* id, const char* glyph, const char* text, ImVec2 size, float left, float word, float scale,
                 const std::string& about) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ImGui::InvisibleButton(id, size);
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
  if (!button(runs ? stop : start, about, true, width)) return;
  runs = !runs;
  if (runs && share >= 1) share = 0;
}

void sweep(bool& runs, float& share, float by) {
  if (runs) share = std::min(1.0f, share + by);
  if (share >= 1) runs = false;
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

std::string clock_text(const SessionModel& model, double time) {
  const ClockUnit clock = clock_unit(find_unit_system(model.scene.units));
  return three_digits(clock.size * time) + clock.behind;
}

void tip(const std::string& text) {
  // An item that has the keyboard counts as hovered: the pointer may have gone.
  const bool pointed = ImGui::IsMouseHoveringRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  if (text.empty() || !pointed || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  tip_beside(text);
}

void tip_beside(const std::string& text) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), screen = ImGui::GetIO().DisplaySize;
  const float font = ImGui::GetFontSize(), gap = font / 3;
  const ImVec2 pad{0.6f * font, 0.4f * font};
  const float wrap = std::max(font, std::min(26 * font, screen.x - 2 * pad.x - gap));
  const ImVec2 words = ImGui::CalcTextSize(text.c_str(), nullptr, false, wrap);
  const ImVec2 size{words.x + 2 * pad.x, words.y + 2 * pad.y}, pointer = ImGui::GetIO().MousePos;
  ImVec2 at{pointer.x, high.y + gap};
  if (at.y + size.y > screen.y) at.y = low.y - gap - size.y;  // above it, or else beside it
  if (at.y < 0) at = {high.x + gap + size.x > screen.x ? low.x - gap - size.x : high.x + gap, pointer.y};
  const auto within = [](float from, float length, float room) {
    return std::max(0.0f, std::min(from, room - length));
  };
  ImGui::SetNextWindowPos({within(at.x, size.x, screen.x), within(at.y, size.y, screen.y)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, pad);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(wrap + pad.x);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void coloured_text(ImU32 colour, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

float field_width(u32 characters) {
  const float label = ImGui::CalcTextSize("0").x * static_cast<float>(characters);
  return ImGui::GetContentRegionAvail().x - label - ImGui::GetStyle().ItemInnerSpacing.x;
}

bool number(const char* label, double& value, const char* text, const std::string& unit) {
  ImGui::SetNextItemWidth(field_width(13));
  const std::string format = "%.6g" + unit;
  const bool taken = edit_number(label, value, format.c_str());
  tip(text);
  return taken;
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

bool numbers(const char* label, std::array<double, 3>& values, const char* text, bool label_above) {
  const float gap = ImGui::GetStyle().ItemInnerSpacing.x, width = (field_width(label_above ? 0 : 13) - 2 * gap) / 3;
  if (label_above) ImGui::TextDisabled("%s", label);
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
  label_above ? ImGui::NewLine() : ImGui::TextUnformatted(label);
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

void same_line(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
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

namespace {

std::map<std::string, std::string, std::less<>>& wanted_files() {
  static std::map<std::string, std::string, std::less<>> wanted;  // id, path
  return wanted;
}

std::vector<PlotFile>& drawn_files() {
  static std::vector<PlotFile> files;
  return files;
}

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

/// "triangulum-energy-error.csv", or with the next number where there is such a file.
std::string free_name(std::string id) {
  std::replace(id.begin(), id.end(), ' ', '-');
  return free_path(fmt::format("triangulum-{}.csv", id));
}

}  // namespace

PlotView& plot_view(std::string_view id) {
  static std::map<std::string, PlotView, std::less<>> views;
  const auto at = views.find(id);
  return at != views.end() ? at->second : views[std::string(id)];
}

double on_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::log2(value) : std::log10(value);
}

double from_scale(Scale scale, double value) {
  return scale == Scale::linear ? value : scale == Scale::log2 ? std::exp2(value) : std::pow(10.0, value);
}

std::string plot_csv(const PlotSpec& plot) {
  std::string text = plot.x_name;
  for (const PlotLine& line : plot.lines) text += "," + line.name;
  text += "\n";
  for (std::size_t k = 0; k < plot.x.size(); ++k) {
    text += cell(plot.x[k]);
    for (const PlotLine& line : plot.lines) text.append(",").append(cell(line.y[k]));
    text += "\n";
  }
  return text;
}

void save_plot(std::string_view id, std::string path) { wanted_files()[std::string(id)] = std::move(path); }

void write_if_asked(const PlotSpec& plot) {
  const auto at = wanted_files().find(std::string_view(plot.id));
  if (at == wanted_files().end()) return;
  drawn_files().push_back({at->second.empty() ? free_name(plot.id) : at->second, plot_csv(plot)});
  wanted_files().erase(at);
}

std::vector<PlotFile> release_plot_files() { return std::exchange(drawn_files(), {}); }

namespace {

constexpr double kMargin = 0.05;

/// A plot's area in the window, and its axes.
struct Frame {
  ImVec2 low, high;  ///< upper left and lower right of the area of the lines
  Axis x, y;

  ImVec2 at(double px, double py) const {
    return {low.x + static_cast<float>(x.at(px)) * (high.x - low.x),
            high.y - static_cast<float>(y.at(py)) * (high.y - low.y)};
  }
};

bool drawable(double y, bool logarithmic) { return std::isfinite(y) && (!logarithmic || y > 0); }

/// Values that are 0 but for rounding become 0.
std::string tick_label(const Tick& tick, const Axis& axis) {
  if (axis.scale != Scale::linear) return with_powers(tick.label);
  const double value = tick.value, span = axis.high - axis.low;
  return number_text(std::abs(value) < 1e-6 * std::abs(span) ? 0.0 : value, 4);
}

void draw_ticks(ImDrawList& draw, const Frame& frame, float room) {
  const ImU32 grid = ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.25f), text = theme().text2;
  for (const Tick& tick : frame.y.ticks) {
    const float y = frame.at(frame.x.low, tick.value).y;
    draw.AddLine({frame.low.x, y}, {frame.high.x, y}, grid);
    if (tick.label.empty()) continue;
    const std::string label = tick_label(tick, frame.y);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    draw.AddText({frame.low.x - size.x - room, y - size.y / 2}, text, label.c_str());
  }
  for (const Tick& tick : frame.x.ticks) {
    const float x = frame.at(tick.value, frame.y.low).x;
    draw.AddLine({x, frame.high.y}, {x, frame.high.y + room}, grid);
    if (tick.label.empty()) continue;
    const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
    const float left = std::max(frame.low.x, std::min(x - size.x / 2, frame.high.x - size.x));
    draw.AddText({left, frame.high.y + room}, text, with_powers(tick.label).c_str());
  }
}

MapInk run_ink(std::size_t k) {
  MapInk ink{k == 0 ? theme().text : theme().text2};
  if (k > 0) ink.dash = {4, 3};
  return ink;
}

void draw_line(ImDrawList& draw, const Frame& frame, const PlotSpec& plot, std::size_t k, float width) {
  const std::vector<double>& y = plot.lines[k].y;
  const MapInk ink = plot.maps   ? map_ink(plot.lines[k].name)
                     : plot.runs ? run_ink(k)
                                 : MapInk{series_colour(static_cast<unsigned>(k))};
  std::vector<ImVec2> run;
  const auto flush = [&] {
    if (run.size() > 1) {
      draw_inked(draw, run, ink, width);
    } else if (run.size() == 1) {
      draw.AddCircleFilled(run[0], ink.width * width, ink.colour);
    }
    run.clear();
  };
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    if (drawable(y[i], frame.y.scale != Scale::linear) && drawable(plot.x[i], frame.x.scale != Scale::linear)) {
      run.push_back(frame.at(plot.x[i], y[i]));
    } else {
      flush();
    }
  }
  flush();
}

void show_values(ImDrawList& draw, const Frame& frame, const PlotSpec& plot) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto away = [&](double x) {
    return drawable(x, frame.x.scale != Scale::linear) ? std::abs(frame.at(x, frame.y.low).x - mouse.x) : 1e9f;
  };
  const auto nearer = [&](double a, double b) { return away(a) < away(b); };
  const auto nearest =
      static_cast<std::size_t>(std::min_element(plot.x.begin(), plot.x.end(), nearer) - plot.x.begin());
  const float x = frame.at(plot.x[nearest], frame.y.low).x;
  draw.AddLine({x, frame.low.y}, {x, frame.high.y}, theme().text2);
  std::string text = fmt::format("{} {}", plot.x_name, number_text(plot.x[nearest], 6));
  for (const PlotLine& line : plot.lines) {
    const double y = line.y[nearest];
    text += std::isfinite(y) ? fmt::format("\n{} {}{}", line.name, number_text(y, 6), plot.unit) : "";
  }
  tip_beside(text);
}

/// What of a plot is shown, on the scales of its axes.
struct ShownPart {
  Scale scale_x = Scale::linear, scale_y = Scale::linear;
  Extent x, y, all_x, all_y;
};

std::optional<ShownPart> shown_part(const PlotSpec& plot, const PlotView& view) {
  ShownPart part;
  const bool log_x = view.log_x.value_or(plot.logarithmic_x), log_y = view.log_y.value_or(plot.logarithmic);
  part.scale_x = !log_x ? Scale::linear : plot.logarithmic_x ? Scale::log2 : Scale::log10;
  part.scale_y = log_y ? Scale::log10 : Scale::linear;
  Range x, y;
  for (const double value : plot.x) {
    if (drawable(value, log_x)) x.add(value);
  }
  for (const PlotLine& l : plot.lines) {
    for (const double value : l.y) {
      if (drawable(value, log_y)) y.add(value);
    }
  }
  if (x.empty || y.empty) return std::nullopt;
  const auto all = [](Scale s, Range range, double margin) {
    range = widened(s, range, range.low == range.high ? kMargin : margin);
    return Extent{on_scale(s, range.low), on_scale(s, range.high)};
  };
  part.all_x = all(part.scale_x, x, 0), part.all_y = all(part.scale_y, y, kMargin);
  part.x = view.x ? within(*view.x, part.all_x) : part.all_x;
  part.y = view.y ? within(*view.y, part.all_y) : part.all_y;
  return part;
}

/// The wheel zooms, over the labels of an axis that axis alone; the left button moves, the right one draws a box to be
/// shown; a double click shows all.
void use_pointer(ImDrawList& draw, PlotView& view, const ShownPart& shown, const Frame& frame, bool hovered,
                 bool held) {
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 size{frame.high.x - frame.low.x, frame.high.y - frame.low.y};
  if (size.x < 1 || size.y < 1) return;
  constexpr double kMinPart = 1e-6;
  const auto at = [&](ImVec2 p) {
    return std::pair{shown.x.low + shown.x.length() * static_cast<double>((p.x - frame.low.x) / size.x),
                     shown.y.low + shown.y.length() * static_cast<double>((frame.high.y - p.y) / size.y)};
  };
  if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return view.show_all();
  if (hovered && io.MouseWheel != 0) {
    const double factor = std::pow(kZoomStep, static_cast<double>(io.MouseWheel));
    const auto [x, y] = at(io.MousePos);
    const bool beside = io.MousePos.x<frame.low.x, below = io.MousePos.y> frame.high.y;
    if (!beside) view.x = zoomed(shown.x, x, factor, shown.all_x, kMinPart * shown.all_x.length());
    if (!below) view.y = zoomed(shown.y, y, factor, shown.all_y, kMinPart * shown.all_y.length());
  }
  if (held && io.MouseDown[ImGuiMouseButton_Left] && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
    view.x = moved(shown.x, -shown.x.length() * static_cast<double>(io.MouseDelta.x / size.x), shown.all_x);
    view.y = moved(shown.y, shown.y.length() * static_cast<double>(io.MouseDelta.y / size.y), shown.all_y);
  }
  if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) view.box = {{io.MousePos.x, io.MousePos.y}};
  if (!view.box) return;
  const ImVec2 from{(*view.box)[0], (*view.box)[1]}, to = io.MousePos;
  if (io.MouseDown[ImGuiMouseButton_Right]) return draw.AddRect(from, to, theme().text, 0, 0, 1.5f);
  view.box.reset();
  constexpr float kMin = 4;  // pixels; less is a click
  if (std::abs(from.x - to.x) < kMin || std::abs(from.y - to.y) < kMin) return;
  const auto [x0, y0] = at(from);
  const auto [x1, y1] = at(to);
  const auto between = [](double a, double b, const Extent& all) {
    return Extent{std::clamp(std::min(a, b), all.low, all.high), std::clamp(std::max(a, b), all.low, all.high)};
  };
  const Extent x = between(x0, x1, shown.all_x), y = between(y0, y1, shown.all_y);
  if (x.length() > kMinPart * shown.all_x.length()) view.x = x;
  if (y.length() > kMinPart * shown.all_y.length()) view.y = y;
}

/// A button at the upper right; returns its width.
float draw_menu(const PlotSpec& plot, PlotView& view, ImVec2 right) {
  const float width = ImGui::CalcTextSize("...").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorScreenPos({right.x - width, right.y});
  if (ImGui::SmallButton("...")) ImGui::OpenPopup("plot");
  if (ImGui::BeginPopup("plot")) {
    const bool log_x = view.log_x.value_or(plot.logarithmic_x), log_y = view.log_y.value_or(plot.logarithmic);
    if (ImGui::MenuItem("Save as CSV")) save_plot(plot.id);
    if (ImGui::MenuItem("Show all")) view.show_all();
    if (ImGui::MenuItem("Logarithmic x axis", nullptr, log_x)) view.log_x = !log_x, view.x.reset();
    if (ImGui::MenuItem("Logarithmic y axis", nullptr, log_y)) view.log_y = !log_y, view.y.reset();
    ImGui::TextDisabled(
        "The wheel zooms, over labels that axis; a drag moves,\nwith the right button it draws a box; a "
        "double click shows all.");
    ImGui::EndPopup();
  }
  return width + ImGui::GetStyle().FramePadding.x;
}

/// Title and legend in one line; returns its height.
float draw_head(ImDrawList& draw, const PlotSpec& plot, ImVec2 at, float width) {
  write(draw, Face::body, at, ImGui::GetColorU32(ImGuiCol_Text), plot.title);
  float x = at.x + width;
  for (std::size_t k = plot.lines.size(); k-- > 0 && plot.legend && plot.lines.size() > 1;) {
    const ImVec2 size = ImGui::CalcTextSize(plot.lines[k].name.c_str());
    x -= size.x + ImGui::GetFontSize();
    const ImU32 ink = plot.maps   ? map_ink(plot.lines[k].name).colour
                      : plot.runs ? run_ink(k).colour
                                  : series_colour(static_cast<unsigned>(k));
    draw.AddText({x, at.y}, ink, plot.lines[k].name.c_str());
  }
  return ImGui::GetTextLineHeightWithSpacing();
}

}  // namespace

void draw_plot(const PlotSpec& plot, float scale) {
  const float width = plot.width > 0 ? plot.width : ImGui::GetContentRegionAvail().x, height = plot.height * scale;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  PlotView& view = plot_view(plot.id);
  ImGui::PushID(plot.id);
  write_if_asked(plot);
  const float menu = plot.x.empty() ? 0 : draw_menu(plot, view, {corner.x + width, corner.y});
  const float head = draw_head(draw, plot, corner, width - menu);
  const float room = 4 * scale, line = ImGui::GetTextLineHeight();
  ImGui::SetCursorScreenPos({corner.x, corner.y + head});
  constexpr ImGuiButtonFlags kButtons = ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight;
  ImGui::InvisibleButton("area", {width, height - head}, kButtons);
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  ImGui::PopID();
  const auto shown = shown_part(plot, view);
  if (!shown) {
    draw.AddText({corner.x, corner.y + head}, theme().text2, "no data yet");
    return;
  }
  Frame frame;
  const auto axis = [](Scale s, const Extent& e) {
    return make_axis(s, {from_scale(s, e.low), from_scale(s, e.high), false}, 4);
  };
  frame.x = axis(shown->scale_x, shown->x), frame.y = axis(shown->scale_y, shown->y);
  float labels = 0;
  for (const Tick& tick : frame.y.ticks) {
    if (!tick.label.empty()) labels = std::max(labels, ImGui::CalcTextSize(tick_label(tick, frame.y).c_str()).x);
  }
  frame.low = {corner.x + labels + room, corner.y + head};
  frame.high = {corner.x + width, corner.y + height - line - room};
  draw.AddRectFilled(frame.low, frame.high, ImGui::GetColorU32(ImGuiCol_FrameBg));
  draw_ticks(draw, frame, room);
  draw.PushClipRect(frame.low, frame.high, true);
  for (std::size_t k = 0; k < plot.lines.size(); ++k) draw_line(draw, frame, plot, k, 1.5f * scale);
  if (hovered) show_values(draw, frame, plot);
  if (hovered) own_wheel();
  use_pointer(draw, view, *shown, frame, hovered, held);
  draw.PopClipRect();
}

}  // namespace tri::app::gui
