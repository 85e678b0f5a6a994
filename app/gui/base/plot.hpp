#pragma once
/// A small plot for panels, drawn on ImGui's draw list: ticks at round numbers, a legend, values at the pointer.

#include <imgui.h>

#include <deque>
#include <string>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "sim/base/platform.hpp"

namespace tri::app::gui {

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
  bool runs = false;            ///< the lines are two runs: neutral, the second dashed
  bool legend = true;           ///< names in the colours of their lines, right of the title
  float height = 110;           ///< at scale 1
  float width = 0;              ///< in pixels; 0: as wide as the window allows
};

void draw_plot(const PlotSpec& plot, float scale);

/// Of a FramePart, in draw_frame_costs() and beside it.
ImU32 frame_part_colour(std::size_t part);
/// The last frames as stacked columns of their parts.
void draw_frame_costs(const std::deque<FrameCost>& frames, float height, float scale);

}  // namespace tri::app::gui
