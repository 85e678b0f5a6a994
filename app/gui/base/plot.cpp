#include "app/gui/base/plot.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gui/look/map_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "app/plot/plot_axis.hpp"

namespace tri::app::gui {
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

/// "5×10^-4", an axis label, on one line.
std::string flat(std::string label) {
  label.erase(std::remove(label.begin(), label.end(), '^'), label.end());
  return label;
}

/// span: of the axis; values that are 0 but for rounding become 0.
std::string tick_label(double value, double span) {
  return fmt::format("{:.4g}", std::abs(value) < 1e-6 * std::abs(span) ? 0.0 : value);
}

Range range_of(const PlotSpec& plot) {
  Range range;
  for (const PlotLine& line : plot.lines) {
    for (const double y : line.y) {
      if (drawable(y, plot.logarithmic)) range.add(y);
    }
  }
  return range;
}

void draw_ticks(ImDrawList& draw, const Frame& frame, float room) {
  const ImU32 grid = ImGui::GetColorU32(ImGuiCol_TextDisabled, 0.25f), text = theme().text2;
  for (const Tick& tick : frame.y.ticks) {
    const float y = frame.at(frame.x.low, tick.value).y;
    draw.AddLine({frame.low.x, y}, {frame.high.x, y}, grid);
    if (tick.label.empty()) continue;
    const std::string label = tick_label(tick.value, frame.y.high - frame.y.low);
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    draw.AddText({frame.low.x - size.x - room, y - size.y / 2}, text, label.c_str());
  }
  for (const Tick& tick : frame.x.ticks) {
    const float x = frame.at(tick.value, frame.y.low).x;
    draw.AddLine({x, frame.high.y}, {x, frame.high.y + room}, grid);
    if (tick.label.empty()) continue;
    const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
    const float left = std::max(frame.low.x, std::min(x - size.x / 2, frame.high.x - size.x));
    draw.AddText({left, frame.high.y + room}, text, flat(tick.label).c_str());
  }
}

void draw_line(ImDrawList& draw, const Frame& frame, const PlotSpec& plot, std::size_t k, float width) {
  const std::vector<double>& y = plot.lines[k].y;
  const MapInk ink = plot.maps ? map_ink(plot.lines[k].name) : MapInk{series_colour(static_cast<unsigned>(k))};
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
    if (drawable(y[i], plot.logarithmic)) {
      run.push_back(frame.at(plot.x[i], y[i]));
    } else {
      flush();
    }
  }
  flush();
}

void show_values(ImDrawList& draw, const Frame& frame, const PlotSpec& plot) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto nearer = [&](double a, double b) {
    return std::abs(frame.at(a, frame.y.low).x - mouse.x) < std::abs(frame.at(b, frame.y.low).x - mouse.x);
  };
  const auto nearest =
      static_cast<std::size_t>(std::min_element(plot.x.begin(), plot.x.end(), nearer) - plot.x.begin());
  const float x = frame.at(plot.x[nearest], frame.y.low).x;
  draw.AddLine({x, frame.low.y}, {x, frame.high.y}, theme().text2);
  std::string text = fmt::format("{} {:.6g}", plot.x_name, plot.x[nearest]);
  for (const PlotLine& line : plot.lines) text += fmt::format("\n{} {:.6g}", line.name, line.y[nearest]);
  ImGui::SetTooltip("%s", text.c_str());
}

/// Title and legend in one line; returns its height.
float draw_head(ImDrawList& draw, const PlotSpec& plot, ImVec2 at, float width) {
  draw.AddText(at, ImGui::GetColorU32(ImGuiCol_Text), plot.title.c_str());
  float x = at.x + width;
  for (std::size_t k = plot.lines.size(); k-- > 0 && plot.legend && plot.lines.size() > 1;) {
    const ImVec2 size = ImGui::CalcTextSize(plot.lines[k].name.c_str());
    x -= size.x + ImGui::GetFontSize();
    draw.AddText({x, at.y}, series_colour(static_cast<unsigned>(k)), plot.lines[k].name.c_str());
  }
  return ImGui::GetTextLineHeightWithSpacing();
}

}  // namespace

void draw_plot(const PlotSpec& plot, float scale) {
  const float width = plot.width > 0 ? plot.width : ImGui::GetContentRegionAvail().x, height = plot.height * scale;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(plot.id, {width, height});
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float head = draw_head(draw, plot, corner, width);
  const Range y_range = range_of(plot);
  if (plot.x.empty() || y_range.empty) {
    draw.AddText({corner.x, corner.y + head}, theme().text2, "no data yet");
    return;
  }
  const float room = 4 * scale, line = ImGui::GetTextLineHeight();
  Range x_range;
  for (const double x : plot.x) x_range.add(x);
  const Scale y_scale = plot.logarithmic ? Scale::log10 : Scale::linear;
  Frame frame;
  frame.y = make_axis(y_scale, widened(y_scale, y_range, kMargin), 4);
  const Scale x_scale = plot.logarithmic_x ? Scale::log2 : Scale::linear;
  frame.x = make_axis(x_scale, widened(x_scale, x_range, 0), 4);
  float labels = 0;
  for (const Tick& tick : frame.y.ticks) {
    if (!tick.label.empty())
      labels = std::max(labels, ImGui::CalcTextSize(tick_label(tick.value, frame.y.high - frame.y.low).c_str()).x);
  }
  frame.low = {corner.x + labels + room, corner.y + head};
  frame.high = {corner.x + width, corner.y + height - line - room};
  draw.AddRectFilled(frame.low, frame.high, ImGui::GetColorU32(ImGuiCol_FrameBg));
  draw_ticks(draw, frame, room);
  draw.PushClipRect(frame.low, frame.high, true);
  for (std::size_t k = 0; k < plot.lines.size(); ++k) draw_line(draw, frame, plot, k, 1.5f * scale);
  if (hovered) show_values(draw, frame, plot);
  draw.PopClipRect();
}

ImU32 frame_part_colour(std::size_t part) {
  return part == static_cast<std::size_t>(FramePart::other) ? theme().text2
                                                            : series_colour(static_cast<unsigned>(part));
}

void draw_frame_costs(const std::deque<FrameCost>& frames, float height, float scale) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 corner = ImGui::GetCursorScreenPos(), size{width, height * scale};
  ImGui::InvisibleButton("frame costs", size);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(corner, {corner.x + size.x, corner.y + size.y}, ImGui::GetColorU32(ImGuiCol_FrameBg));
  if (frames.empty()) return;
  std::vector<float> sums;
  for (const FrameCost& f : frames) sums.push_back(f.whole());
  std::vector<float> sorted = sums;
  std::sort(sorted.begin(), sorted.end());
  // The scale ends above the 95th percentile, so that one slow frame does not flatten all others.
  const float top = std::max(1.25f * sorted[(sorted.size() - 1) * 19 / 20], 1e-6f);
  const float column = size.x / static_cast<float>(FrameState::kMaxFrames);
  float x = corner.x + size.x - column * static_cast<float>(frames.size());
  for (std::size_t k = 0; k < frames.size(); ++k, x += column) {
    const FrameCost& f = frames[k];
    float y = corner.y + size.y;
    for (std::size_t part = 0; part < kFramePartCount; ++part) {
      const float above = std::max(corner.y, y - f.parts[part] / top * size.y);
      if (y - above > 0.25f) draw.AddRectFilled({x, above}, {x + column, y}, frame_part_colour(part));
      y = above;
    }
  }
  const std::string scale_text = fmt::format("{:.3g} ms", top);
  draw.AddText({corner.x + 3 * scale, corner.y + 1 * scale}, ImGui::GetColorU32(ImGuiCol_Text), scale_text.c_str());
  if (!hovered) return;
  const float from_right = (corner.x + size.x - ImGui::GetIO().MousePos.x) / column;
  const auto back = static_cast<std::size_t>(std::max(0.0f, from_right));
  if (back >= frames.size()) return;
  const FrameCost& f = frames[frames.size() - 1 - back];
  std::string text;
  for (std::size_t part = 0; part < kFramePartCount; ++part) {
    text += fmt::format("{} {:.3g} ms\n", kFrameParts[part].name, f.parts[part]);
  }
  ImGui::SetTooltip("%sframe %.3g ms", text.c_str(), static_cast<double>(f.whole()));
}

}  // namespace tri::app::gui
