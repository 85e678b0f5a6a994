// Plots: ticks at round numbers, a legend, values at the pointer, zoom, and their numbers as a file.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"

namespace tri::app::gui {

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

bool plots_pending() { return !wanted_files().empty() || !drawn_files().empty(); }
std::string plot_not_drawn() { return wanted_files().empty() ? "" : wanted_files().begin()->first; }

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

/// Values that are 0 but for rounding become 0, and others have the digits that tell one tick from the next.
std::string tick_label(const Tick& tick, const Axis& axis) {
  if (axis.scale != Scale::linear) return with_powers(tick.label);
  const double value = tick.value, span = std::abs(axis.high - axis.low);
  const double apart = axis.ticks.size() > 1 ? axis.ticks[1].value - axis.ticks[0].value : span;
  const double most = std::max(std::abs(axis.low), std::abs(axis.high));
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(most / apart))) + 1, 4, 15);
  return number_text(std::abs(value) < 1e-6 * span ? 0.0 : value, digits);
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
    } else if (!plot.runs) {  // there a gap is a step of the other run
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
  std::string text = fmt::format("{} {}", tr(plot.x_name), number_text(plot.x[nearest], 6));
  for (const PlotLine& line : plot.lines) {
    const double y = line.y[nearest];
    text += std::isfinite(y) ? fmt::format("\n{} {}{}", tr(line.name), number_text(y, 6), plot.unit) : "";
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

/// Whether the wheel is the plot's: in a panel that scrolls, a plot would hold it up.
bool has_wheel() { return ImGui::GetIO().KeyCtrl || ImGui::GetScrollMaxY() <= 0; }

/// The wheel zooms, where nothing scrolls or with Ctrl, over the labels of an axis that axis alone; the left button
/// moves, the right one draws a box to be shown; a double click shows all.
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
  if (hovered && io.MouseWheel != 0 && has_wheel()) {
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
        "Ctrl and the wheel zoom, over labels that axis; a drag moves,\nwith the right button it draws a box; a "
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
    const std::string name = tr(plot.lines[k].name);
    const ImVec2 size = ImGui::CalcTextSize(name.c_str());
    x -= size.x + ImGui::GetFontSize();
    const ImU32 ink = plot.maps   ? map_ink(plot.lines[k].name).colour
                      : plot.runs ? run_ink(k).colour
                                  : series_colour(static_cast<unsigned>(k));
    draw.AddText({x, at.y}, ink, name.c_str());
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
  invisible_button("area", {width, height - head}, kButtons);
  const bool hovered = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  ImGui::PopID();
  const auto shown = shown_part(plot, view);
  if (!shown) {
    draw.AddText({corner.x, corner.y + head}, theme().text2, tr("no data yet"));
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
  if (hovered && has_wheel()) own_wheel();
  use_pointer(draw, view, *shown, frame, hovered, held);
  draw.PopClipRect();
}

}  // namespace tri::app::gui
