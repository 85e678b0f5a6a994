#include "app/gui/views/domain_layout.hpp"

#include <algorithm>
#include <cmath>

namespace tri::app::gui {
namespace {

constexpr float kEdge = 1.2247449f;  // seen from a corner an edge is so much shorter than it is
constexpr float kGap = 1.5f;         // cells between two launches

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

/// Cubes by a parallel projection; z is up.
GridLayout deep(const std::vector<Cell3>& cells, const Rect& place, const DeepView& view) {
  GridLayout map;
  map.deep = true;
  float top = 0;
  for (const Cell3& c : cells) top = std::max(top, c.z);
  const float left_over = top - static_cast<float>(view.removed);
  if (cells.empty() || left_over < 0) return map;
  const float sy = std::sin(view.yaw), cy = std::cos(view.yaw), sp = std::sin(view.pitch), cp = std::cos(view.pitch);
  const std::array<float, 3> to_viewer{cp * cy, cp * sy, sp};
  std::array<GridLayout::Offset, 3> axes{
      {{kEdge * sy, kEdge * sp * cy}, {-kEdge * cy, kEdge * sp * sy}, {0, -kEdge * cp}}};
  const auto project = [&](const Cell3& c, std::size_t k) {
    return axes[0][k] * c.x + axes[1][k] * c.y + axes[2][k] * c.z;
  };
  std::array<float, 2> low{1e9f, 1e9f}, high{-1e9f, -1e9f}, half{};
  for (std::size_t k = 0; k < 2; ++k) {
    for (const Cell3& c : cells) low[k] = std::min(low[k], project(c, k)), high[k] = std::max(high[k], project(c, k));
    for (const auto& axis : axes) half[k] += std::abs(axis[k]) / 2;
  }
  map.size = std::min(place.w / (high[0] - low[0] + 2 * half[0]), place.h / (high[1] - low[1] + 2 * half[1]));
  for (u32 k = 0; k < cells.size(); ++k) {
    const Cell3& c = cells[k];
    if (c.z > left_over) continue;
    map.spots.push_back({place.x + place.w / 2 + (project(c, 0) - (low[0] + high[0]) / 2) * map.size,
                         place.y + place.h / 2 + (project(c, 1) - (low[1] + high[1]) / 2) * map.size,
                         std::sqrt(3.0f) * (to_viewer[0] * c.x + to_viewer[1] * c.y + to_viewer[2] * c.z), k});
  }
  for (std::size_t a = 0; a < 3; ++a) {
    const float sign = to_viewer[a] < 0 ? -map.size : map.size;
    map.edges[a] = {axes[a][0] * sign, axes[a][1] * sign};
  }
  std::stable_sort(map.spots.begin(), map.spots.end(), [](const Spot& a, const Spot& b) { return a.depth < b.depth; });
  return map;
}

/// A corner of a cube, by which side of each axis it is on.
GridLayout::Offset corner(const Spot& s, const std::array<GridLayout::Offset, 3>& edges, std::array<float, 3> side) {
  GridLayout::Offset at{s.x, s.y};
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t k = 0; k < 2; ++k) at[k] += side[a] * edges[a][k] / 2;
  }
  return at;
}

}  // namespace

std::array<GridLayout::Offset, 4> GridLayout::face(const Spot& cube, std::size_t axis) const {
  constexpr float kAround[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  std::array<Offset, 4> corners{};
  for (std::size_t k = 0; k < 4; ++k) {
    std::array<float, 3> side{};
    side[axis] = 1, side[(axis + 1) % 3] = kAround[k][0], side[(axis + 2) % 3] = kAround[k][1];
    corners[k] = corner(cube, edges, side);
  }
  return corners;
}

/// All corners but the nearest and the farthest, each a neighbour of the next.
std::array<GridLayout::Offset, 6> GridLayout::outline(const Spot& cube) const {
  constexpr float kAround[6][3] = {{1, 1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1}, {-1, 1, 1}, {-1, 1, -1}};
  std::array<Offset, 6> corners{};
  for (std::size_t k = 0; k < 6; ++k) corners[k] = corner(cube, edges, {kAround[k][0], kAround[k][1], kAround[k][2]});
  return corners;
}

std::vector<u32> GridLayout::at(float x, float y) const {
  const auto inside = [&](const Spot& s) {
    if (!deep) return std::abs(x - s.x) <= size / 2 && std::abs(y - s.y) <= size / 2;
    const auto around = outline(s);
    bool left = false, right = false;
    for (std::size_t k = 0; k < around.size(); ++k) {
      const Offset &a = around[k], &b = around[(k + 1) % around.size()];
      const float turn = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
      left |= turn > 0, right |= turn < 0;
    }
    return !(left && right);
  };
  std::vector<u32> found;
  for (auto spot = spots.rbegin(); spot != spots.rend(); ++spot) {
    if (inside(*spot)) found.push_back(spot->index);
  }
  return found;
}

GridLayout place_cells(const MapTrace& picture, const Rect& place, const DeepView& view) {
  std::vector<Cell3> cells;
  const bool thick = std::any_of(picture.launches.begin(), picture.launches.end(), [](auto& l) { return l.z > 1; });
  if (thick) {
    for (const TracePosition& c : picture.cells) {
      cells.push_back({static_cast<float>(c.at.x), static_cast<float>(c.at.y), static_cast<float>(c.at.z)});
    }
    return deep(cells, place, view);
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

GridLayout place_tiles(const MapTrace& picture, const Rect& place, const DeepView& view) {
  std::vector<Cell3> cells;
  for (const TraceTile& t : picture.tiles) {
    cells.push_back({static_cast<float>(t.x), static_cast<float>(t.y), static_cast<float>(t.z)});
  }
  return picture.domain == tri::Domain::tetrahedron ? deep(cells, place, view) : flat(cells, place);
}

}  // namespace tri::app::gui
