#include "app/gui/views/domain_layout.hpp"

#include <algorithm>
#include <cmath>

namespace tri::app::gui {
namespace {

constexpr float kCos30 = 0.8660254f;
constexpr float kGap = 1.5f;  // cells between two launches

struct Cell3 {
  float x, y, z;
};

/// Positions in units of cells, one entry a cell or tile.
GridLayout flat(const std::vector<Cell3>& cells, const Rect& place) {
  GridLayout map;
  float width = 0, height = 0;
  for (const Cell3& c : cells) width = std::max(width, c.x + 1), height = std::max(height, c.y + 1);
  if (cells.empty()) return map;
  map.size = std::min(place.w / width, place.h / height);
  const float left = place.x + (place.w - map.size * width) / 2, top = place.y + (place.h - map.size * height) / 2;
  for (u32 k = 0; k < cells.size(); ++k) {
    map.spots.push_back({left + (cells[k].x + 0.5f) * map.size, top + (cells[k].y + 0.5f) * map.size, 0, k});
  }
  return map;
}

/// Cubes seen along (1, 1, 1): x to the lower right, y to the lower left, z up.
GridLayout deep(const std::vector<Cell3>& cells, const Rect& place) {
  GridLayout map;
  map.deep = true;
  if (cells.empty()) return map;
  const auto u = [](const Cell3& c) { return (c.x - c.y) * kCos30; };
  const auto v = [](const Cell3& c) { return (c.x + c.y) * 0.5f - c.z; };
  float u0 = 1e9f, u1 = -1e9f, v0 = 1e9f, v1 = -1e9f;
  for (const Cell3& c : cells) {
    u0 = std::min(u0, u(c)), u1 = std::max(u1, u(c));
    v0 = std::min(v0, v(c)), v1 = std::max(v1, v(c));
  }
  map.size = std::min(place.w / (u1 - u0 + 2 * kCos30), place.h / (v1 - v0 + 2));
  for (u32 k = 0; k < cells.size(); ++k) {
    const Cell3& c = cells[k];
    map.spots.push_back({place.x + place.w / 2 + (u(c) - (u0 + u1) / 2) * map.size,
                         place.y + place.h / 2 + (v(c) - (v0 + v1) / 2) * map.size, c.x + c.y + c.z, k});
  }
  std::stable_sort(map.spots.begin(), map.spots.end(), [](const Spot& a, const Spot& b) { return a.depth < b.depth; });
  return map;
}

}  // namespace

std::vector<u32> GridLayout::at(float x, float y) const {
  std::vector<u32> found;
  for (auto spot = spots.rbegin(); spot != spots.rend(); ++spot) {
    const float dx = std::abs(x - spot->x), dy = std::abs(y - spot->y);
    const bool inside = deep ? dx <= kCos30 * size && dy + dx * 0.5f / kCos30 <= size  // the cube's hexagon
                             : dx <= size / 2 && dy <= size / 2;
    if (inside) found.push_back(spot->index);
  }
  return found;
}

GridLayout place_cells(const MapTrace& picture, const Rect& place) {
  std::vector<Cell3> cells;
  const bool thick = std::any_of(picture.launches.begin(), picture.launches.end(), [](auto& l) { return l.z > 1; });
  if (thick) {
    for (const TracePosition& c : picture.cells) {
      cells.push_back({static_cast<float>(c.at.x), static_cast<float>(c.at.y), static_cast<float>(c.at.z)});
    }
    return deep(cells, place);
  }
  float top = 0;
  std::size_t k = 0;
  for (const Launch& launch : picture.launches) {
    const u64 most = std::max<u64>(1, static_cast<u64>(std::ceil(std::sqrt(static_cast<double>(launch.x)) * 1.2)));
    const u64 row = launch.y == 1 ? most : launch.x;
    float height = 0;
    for (u64 count = positions(launch); count > 0; --count, ++k) {
      const Position& at = picture.cells[k].at;
      const float y = static_cast<float>(launch.y == 1 ? at.x / row : at.y);
      cells.push_back({static_cast<float>(launch.y == 1 ? at.x % row : at.x), top + y, 0});
      height = std::max(height, y + 1);
    }
    top += height + kGap;
  }
  return flat(cells, place);
}

GridLayout place_tiles(const MapTrace& picture, const Rect& place) {
  std::vector<Cell3> cells;
  for (const TraceTile& t : picture.tiles) {
    cells.push_back({static_cast<float>(t.x), static_cast<float>(t.y), static_cast<float>(t.z)});
  }
  return picture.domain == tri::Domain::tetrahedron ? deep(cells, place) : flat(cells, place);
}

}  // namespace tri::app::gui
