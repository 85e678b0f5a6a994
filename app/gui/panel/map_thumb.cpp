#include "app/gui/panel/map_thumb.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "app/gui/look/theme.hpp"
#include "app/gui/views/domain_paint.hpp"

namespace tri::app::gui::panel {
namespace {

constexpr u32 kThumbSide = 6, kThumbLevels = 2, kThumbDepth = 3;

/// Tiles of data space; where blocks are idle on a square grid, those too, at their places.
void squares(ImDrawList& draw, const MapTrace& trace, ImVec2 low, float size, float light) {
  const float cell = size / static_cast<float>(trace.side), gap = cell > 3.2f ? 0.8f : 0.4f;
  const auto put = [&](u32 x, u32 y, ImU32 colour) {
    const ImVec2 at{low.x + cell * static_cast<float>(x), low.y + cell * static_cast<float>(y)};
    draw.AddRectFilled(at, {at.x + cell - gap, at.y + cell - gap}, faded(colour, light));
  };
  const bool square =
      trace.launches.size() == 1 && trace.launches[0].x == trace.side && trace.launches[0].y == trace.side;
  for (const TracePosition& c : trace.cells) {
    if (square && c.count == 0) put(static_cast<u32>(c.at.x), c.at.y, theme().idle);
  }
  for (const TraceTile& tile : trace.tiles) put(tile.x, tile.y, omega_colour(tile.cell, trace.cells.size()));
}

}  // namespace

const MapTrace& thumb_trace(Domain domain, u32 map) {
  static std::map<std::pair<Domain, u32>, MapTrace> made;
  const auto [at, is_new] = made.try_emplace({domain, map});
  if (is_new) {
    const u32 side = domain == Domain::gasket ? kThumbLevels : domain == Domain::triangle ? kThumbSide : kThumbDepth;
    at->second = trace_map(domain, map, side);
  }
  return at->second;
}

void map_thumb(ImDrawList& draw, Domain domain, u32 map, ImVec2 low, float size, bool dim) {
  const MapTrace& trace = thumb_trace(domain, map);
  const float light = dim ? 0.35f : 1.0f;
  if (domain != Domain::tetrahedron) return squares(draw, trace, low, size, light);
  const GridLayout tiles = place_tiles(trace, {low.x, low.y, size, size});
  for (const Spot& s : tiles.spots) {
    const ImU32 colour = omega_colour(trace.tiles[s.index].cell, trace.cells.size());
    draw.AddNgonFilled({s.x, s.y}, tiles.size, faded(colour, light), 6);
    draw.AddNgon({s.x, s.y}, tiles.size, theme().panel, 6);
  }
}

}  // namespace tri::app::gui::panel
