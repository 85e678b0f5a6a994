#pragma once
/// The style of each map in all figures: colour, dash and marker, each of which distinguishes it, for greyscale print
/// and colour vision deficiency.

#include <string>
#include <string_view>
#include <vector>

#include "app/plot/plot_canvas.hpp"

namespace tri::app {

struct SeriesStyle {
  std::string_view colour;
  std::string_view dash;  ///< empty = solid
  Marker marker = Marker::circle;
  bool hollow = false;
};

/// One style per map, all different for up to kStyles maps. Known maps have a fixed style; other names get free ones.
std::vector<SeriesStyle> series_styles(const std::vector<std::string>& maps);
inline constexpr std::size_t kStyles = 21;

}  // namespace tri::app
