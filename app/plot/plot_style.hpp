#pragma once
/// How a map looks in every figure: colour, dash and marker, each of which tells it apart for those who do not see, or
/// do not print, the others.

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

/// One a map, all different up to kStyles of them. Maps of the registries keep theirs from figure to figure; other
/// names take what is free.
std::vector<SeriesStyle> series_styles(const std::vector<std::string>& maps);
inline constexpr std::size_t kStyles = 21;

}  // namespace tri::app
