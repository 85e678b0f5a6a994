#include "app/plot/plot_style.hpp"

#include <algorithm>

namespace tri::app {
namespace {

/// The colour-blind safe palette of Okabe and Ito without yellow, which is too light on paper: black, blue, vermilion,
/// green, orange, purple, sky. Neighbours differ in lightness, for printing in greyscale.
constexpr std::string_view kColours[] = {"#000000", "#0072b2", "#d55e00", "#009e73", "#e69f00", "#b3508f", "#56b4e9"};
constexpr Marker kMarkers[] = {Marker::circle,        Marker::square,   Marker::triangle, Marker::diamond,
                               Marker::triangle_down, Marker::pentagon, Marker::plus};
/// By cycle through the colours, then by colour.
constexpr std::string_view kDashes[3][7] = {
    {"", "", "6 1.5", "", "4 1.5 1 1.5", "7 2 2 2", "3 1.2"},
    {"1.2 1.2", "4 1.5", "2 1", "6 2 1 2", "1 1", "3 1 1 1", "8 2"},
    {"5 1 1 1 1 1", "1 2", "8 1", "2 2", "5 3", "1 1 3 1", "2 1 2 3"},
};

struct Known {
  std::string_view map;
  std::size_t style;
};
/// Maps of one domain get different colours as far as possible; the most compared ones come first.
constexpr Known kKnown[] = {
    {"bb", 0},
    {"lambda", 1},
    {"fold", 2},
    {"lambda-stream", 3},
    {"rb", 4},
    {"rec", 5},
    {"h", 6},
    {"utm", 7},
    {"lambda-x", 8},
    {"lambda-r", 9},
    {"utm-block", 10},
    {"lambda-lut", 11},
    {"lambda-n", 12},
    {"circulant", 13},
    {"lambda-grouped", 17},
    {"lambda-longest", 18},
    {"tetra", 1},
    {"tetra-lut", 2},
    {"tetra-stream", 3},
    {"tetra-r", 4},
    {"tetra-h", 5},
    {"gasket", 1},
    {"gasket-digits", 2},
    {"plain", 14},
    {"fill", 15},
    {"lambda-alone", 16},
};

SeriesStyle style(std::size_t index) {
  const std::size_t cycle = index / 7 % 3, within = index % 7;
  // The second cycle has hollow markers shifted by three, the third the hollow markers of the first.
  Marker marker = kMarkers[(within + (cycle == 1 ? 3 : 0)) % 7];
  if (marker == Marker::plus && cycle == 1) marker = Marker::cross;
  return {kColours[within], kDashes[cycle][within], marker, cycle != 0};
}

}  // namespace

std::vector<SeriesStyle> series_styles(const std::vector<std::string>& maps) {
  std::vector<std::size_t> chosen(maps.size(), kStyles);
  std::vector<bool> taken(kStyles, false);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto at =
        std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return k.map == maps[i]; });
    // Maps of two domains in one figure may have the same style.
    if (at == std::end(kKnown) || taken[at->style]) continue;
    chosen[i] = at->style;
    taken[at->style] = true;
  }
  std::size_t next = 0;
  for (std::size_t& index : chosen) {
    if (index != kStyles) continue;
    const auto free = std::find(taken.begin(), taken.end(), false);
    index = free == taken.end() ? next++ % kStyles : static_cast<std::size_t>(free - taken.begin());
    taken[index] = true;
  }
  std::vector<SeriesStyle> styles;
  for (const std::size_t index : chosen) styles.push_back(style(index));
  return styles;
}

}  // namespace tri::app
