#pragma once
/// How a map is shown in lists and plots: a colour for its family, a stroke for the member. It depends on the name
/// alone, so that a map looks the same in every panel and every benchmark.

#include <imgui.h>

#include <string_view>
#include <vector>

namespace tri::app::gui {

struct MapInk {
  ImU32 colour = 0;
  float width = 1;            ///< of its line, relative to that of others
  std::vector<float> dash{};  ///< lengths drawn and left out in turn, in widths of the line; empty = solid
  bool operator==(const MapInk&) const = default;
};

/// In the present theme. Names that are no map's (baseline kernels) get the colour of text.
MapInk map_ink(std::string_view name);

/// A polyline in that ink; width: of an ordinary line, in pixels.
void draw_inked(ImDrawList& draw, const std::vector<ImVec2>& points, const MapInk& ink, float width);

}  // namespace tri::app::gui
