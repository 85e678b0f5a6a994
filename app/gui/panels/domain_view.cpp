// The domain of a map, drawn: its cells in two and three dimensions, and the blocks that meet them.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/gui/panels/panes.hpp"
#include "app/support/option_values.hpp"
#include "render/view.hpp"

namespace tri::app::gui {
namespace {

constexpr float kEdge = 1.2247449f;  // seen from a corner an edge is so much shorter than it is
constexpr float kLaunchGap = 1.5f;   // cells between two launches

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

const MapTrace& trace_for(Domain domain, u32 map, u32 side) {
  static std::map<std::tuple<Domain, u32, u32>, MapTrace> made;
  const auto [at, is_new] = made.try_emplace({domain, map, side});
  if (is_new) at->second = trace_map(domain, map, side);
  return at->second;
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
    top += height + kLaunchGap;
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

namespace {

constexpr float kDark = 0.16f, kBright = 0.98f;  // the part of viridis in use

ImU32 shaded(ImU32 colour, float light) {
  ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  c.x *= light, c.y *= light, c.z *= light;
  return ImGui::ColorConvertFloat4ToU32(c);
}

constexpr float kIdleCube = 0.3f;  // its edge, of that of a cube with a tile

enum class Look : u8 { useful, idle, to_come };

struct Paint {
  Look look = Look::useful;
  ImU32 colour = 0;
  bool diagonal = false, last = false;
};

void square(ImDrawList& draw, const Spot& s, float size, const Paint& p) {
  const float half = size / 2 - std::clamp(size * 0.05f, 0.25f, 1.0f);
  const ImVec2 low{s.x - half, s.y - half}, high{s.x + half, s.y + half};
  if (p.look == Look::to_come) {
    if (size > 3) draw.AddRect(low, high, theme().line);
    return;
  }
  draw.AddRectFilled(low, high, p.colour);
  if (p.look == Look::idle && size > 5) {
    const float in = size * 0.22f;
    draw.AddLine({low.x + in, high.y - in}, {high.x - in, low.y + in}, theme().panel, std::max(1.0f, size * 0.08f));
  }
  if (p.diagonal && size > 12) draw.AddRect(low, high, faded(theme().text, 0.35f));
  if (p.last) draw.AddRect(low, high, theme().text, 0, 0, std::max(1.5f, size * 0.08f));
}

std::array<ImVec2, 6> outline(const GridLayout& map, const Spot& s) {
  const auto around = map.outline(s);
  std::array<ImVec2, 6> points;
  for (std::size_t k = 0; k < around.size(); ++k) points[k] = {around[k][0], around[k][1]};
  return points;
}

/// Idle cubes are small, so that those with a tile are seen between them.
void cube(ImDrawList& draw, const GridLayout& whole, const Spot& s, const Paint& p) {
  GridLayout map;
  map.edges = whole.edges;
  if (p.look == Look::idle) {
    for (GridLayout::Offset& edge : map.edges) edge = {kIdleCube * edge[0], kIdleCube * edge[1]};
  }
  const auto around = outline(map, s);
  if (p.look == Look::to_come) {
    draw.AddPolyline(around.data(), 6, faded(theme().line, 0.5f), ImDrawFlags_Closed, 1.0f);
    return;
  }
  constexpr float kLight[] = {0.58f, 0.78f, 1};  // of the faces across x, y and z
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto f = map.face(s, axis);
    draw.AddQuadFilled({f[0][0], f[0][1]}, {f[1][0], f[1][1]}, {f[2][0], f[2][1]}, {f[3][0], f[3][1]},
                       shaded(p.colour, kLight[axis]));
  }
  draw.AddPolyline(around.data(), 6, p.last ? theme().text : theme().panel, ImDrawFlags_Closed, p.last ? 2.0f : 1.0f);
}

/// The rank of a tile, where it has room.
void rank_number(ImDrawList& draw, const GridLayout& map, const Spot& s, u32 rank, ImU32 area) {
  const std::string text = fmt::format("{}", rank);
  const float room = map.deep ? 1.2f * map.size : map.size;
  if (room < 1.2f * height_of(face(Face::rail)) || room < width_in(Face::rail, text.c_str()) + 4) return;
  float y = s.y;
  if (map.deep) {  // on the upper face
    const auto top = map.face(s, 2);
    y = (top[0][1] + top[2][1]) / 2;
  }
  write_middle(draw, Face::rail, {s.x, y}, ink_on(area), text, Align::centre);
}

void paint(ImDrawList& draw, const MapTrace& trace, const GridLayout& map, const Spot& spot, u32 cell, bool diagonal,
           u32 launched, bool last, std::span<const u32> owners) {
  Paint p{Look::useful, 0, diagonal, last && cell + 1 == launched};
  if (cell >= launched) {  // also a tile that no block meets
    p.look = Look::to_come;
  } else if (trace.cells[cell].count == 0) {
    p.look = Look::idle, p.colour = theme().idle;
  } else {
    p.colour = owners.empty() ? omega_colour(cell, trace.cells.size()) : rank_colour(owners[cell]);
  }
  map.deep ? cube(draw, map, spot, p) : square(draw, spot, map.size, p);
  if (!owners.empty() && p.look == Look::useful) rank_number(draw, map, spot, owners[cell], p.colour);
}

}  // namespace

ImU32 omega_colour(u32 omega, std::size_t of) {
  const float share = static_cast<float>(omega) / static_cast<float>(std::max<std::size_t>(of, 2) - 1);
  const auto rgb = sample(render::ColourMap::viridis, kDark + (kBright - kDark) * share);
  return ImGui::ColorConvertFloat4ToU32({rgb[0], rgb[1], rgb[2], 1});
}

void paint_cells(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, u32 launched, bool last,
                 std::span<const u32> owners) {
  for (const Spot& s : cells.spots) {
    const TracePosition& cell = trace.cells[s.index];
    paint(draw, trace, cells, s, s.index, cell.count > 0 && trace.tiles[cell.first].diagonal, launched, last, owners);
  }
}

namespace {

/// Blocks without a tile, where a figure of triples has room: small, in rows from its upper right corner.
void paint_idle_cubes(ImDrawList& draw, const MapTrace& trace, const GridLayout& tiles, u32 launched, bool last) {
  float right = 0, top = std::numeric_limits<float>::max();
  for (const Spot& s : tiles.spots) right = std::max(right, s.x + tiles.size), top = std::min(top, s.y - tiles.size);
  GridLayout small;
  small.size = 0.4f * tiles.size;
  u32 row = 0, column = 0;
  for (u32 cell = 0; cell < trace.cells.size(); ++cell) {
    if (trace.cells[cell].count > 0) continue;
    const Spot spot{right - (static_cast<float>(column) + 0.5f) * small.size,
                    top + (static_cast<float>(row) + 0.5f) * small.size, 0, cell};
    paint(draw, trace, small, spot, cell, false, launched, last, {});
    if (++column == trace.side) column = 0, ++row;
  }
}

/// Blocks without a tile: beyond the diagonal from the right, one row below the other, as many as have room there.
void paint_idle(ImDrawList& draw, const MapTrace& trace, const GridLayout& tiles, u32 launched, bool last) {
  if (tiles.spots.empty() || trace.domain == tri::Domain::gasket) return;
  if (tiles.deep) return paint_idle_cubes(draw, trace, tiles, launched, last);
  const Spot& first = tiles.spots.front();
  const TraceTile& there = trace.tiles[first.index];
  u32 row = 0, column = trace.side;
  for (u32 cell = 0; cell < trace.cells.size(); ++cell) {
    if (trace.cells[cell].count > 0) continue;
    if (--column <= row) column = trace.side - 1, ++row;
    if (column <= row) return;
    const auto across = static_cast<float>(column) - static_cast<float>(there.x);
    const auto down = static_cast<float>(row) - static_cast<float>(there.y);
    const Spot spot{first.x + across * tiles.size, first.y + down * tiles.size, 0, cell};
    paint(draw, trace, tiles, spot, cell, false, launched, last, {});
  }
}

}  // namespace

void paint_tiles(ImDrawList& draw, const MapTrace& trace, const GridLayout& tiles, u32 launched, bool last,
                 std::span<const u32> owners) {
  for (const Spot& s : tiles.spots) {
    const TraceTile& tile = trace.tiles[s.index];
    paint(draw, trace, tiles, s, tile.cell, tile.diagonal, launched, last, owners);
  }
  paint_idle(draw, trace, tiles, launched, last);
}

namespace {

/// Light within dark: one of the two is seen on any colour.
void ring(ImDrawList& draw, const ImVec2* around, int count, float width) {
  draw.AddPolyline(around, count, kRingInks[1], ImDrawFlags_Closed, 2 * width + 1);
  draw.AddPolyline(around, count, kRingInks[0], ImDrawFlags_Closed, width);
}

const Spot* spot_of(const GridLayout& map, u32 index) {
  const auto found = std::find_if(map.spots.begin(), map.spots.end(), [&](const Spot& s) { return s.index == index; });
  return found == map.spots.end() ? nullptr : &*found;
}

/// From the right edge of a block to its tile, with a head.
void arrow(ImDrawList& draw, ImVec2 from, ImVec2 to, float scale) {
  const float way = std::max(40 * scale, (to.x - from.x) / 2), head = 7 * scale;
  const ImVec2 out{from.x + way, from.y}, in{to.x - way, to.y};
  draw.AddBezierCubic(from, out, in, {to.x - head, to.y}, kRingInks[1], 4 * scale);
  draw.AddBezierCubic(from, out, in, {to.x - head, to.y}, kRingInks[0], 1.5f * scale);
  for (const float grow : {1.5f * scale, 0.0f}) {
    draw.AddTriangleFilled({to.x + grow, to.y}, {to.x - head - grow, to.y - head / 2 - grow},
                           {to.x - head - grow, to.y + head / 2 + grow}, kRingInks[grow > 0 ? 1 : 0]);
  }
}

}  // namespace

void mark_spot(ImDrawList& draw, const GridLayout& map, const Spot& s) {
  if (map.deep) {
    const auto around = outline(map, s);
    return ring(draw, around.data(), 6, 2);
  }
  const float half = map.size / 2 - std::min(1.0f, map.size * 0.06f);
  const ImVec2 around[] = {
      {s.x - half, s.y - half}, {s.x + half, s.y - half}, {s.x + half, s.y + half}, {s.x - half, s.y + half}};
  ring(draw, around, 4, std::max(1.5f, map.size * 0.06f));
}

void link_block(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, const GridLayout& tiles, u32 block,
                float scale) {
  const Spot* from = spot_of(cells, block);
  if (from == nullptr) return;
  const TracePosition& cell = trace.cells[block];
  mark_spot(draw, cells, *from);
  for (u32 k = cell.first; k < cell.first + cell.count; ++k) {
    const Spot* to = spot_of(tiles, k);
    if (to == nullptr) continue;
    mark_spot(draw, tiles, *to);
    arrow(draw, {from->x + cells.size / 2, from->y}, {to->x - tiles.size / 2, to->y}, scale);
  }
}

void paint_numbers(ImDrawList& draw, const MapTrace& trace, const GridLayout& cells, u32 launched, bool all) {
  const float room = cells.deep ? 1.2f * cells.size : cells.size;
  if (room < 1.2f * height_of(face(Face::caption))) return;
  const auto row_ends = [&](std::size_t k, std::size_t beside) {
    return beside >= cells.spots.size() || cells.spots[beside].y != cells.spots[k].y;
  };
  for (std::size_t k = 0; k < cells.spots.size(); ++k) {
    const Spot& s = cells.spots[k];
    if (trace.cells[s.index].count == 0) continue;  // struck through
    if (!all && (cells.deep || (!row_ends(k, k - 1) && !row_ends(k, k + 1)))) continue;
    const std::string text = std::to_string(s.index);
    if (width_in(Face::caption, text.c_str()) + 4 > room) continue;
    float y = s.y;
    if (cells.deep) {  // on the upper face
      const auto top = cells.face(s, 2);
      y = (top[0][1] + top[2][1]) / 2;
    }
    const ImU32 area = omega_colour(s.index, trace.cells.size());
    const ImU32 ink = s.index < launched ? ink_on(area) : theme().text2;
    const float tall = height_of(face(Face::caption)), wide = width_in(Face::caption, text.c_str());
    draw.AddText(face(Face::caption), tall, {s.x - wide / 2, y - tall / 2}, ink, text.c_str());  // not read out;
  }
}

std::string block_text(const MapTrace& trace, u32 omega) {
  const TracePosition& cell = trace.cells[omega];
  if (cell.count == 0) return phrase("block \u03c9 = {}: idle", omega);
  const TraceTile& t = trace.tiles[cell.first];
  const std::string text = trace.domain == Domain::tetrahedron
                               ? phrase("block \u03c9 = {}: row {}, column {}, layer {}", omega, t.y, t.x, t.z)
                               : phrase("block \u03c9 = {}: row {}, column {}", omega, t.y, t.x);
  return cell.count > 1 ? text + phrase(" and {} more", cell.count - 1) : text;
}

u32 useful_of(const MapTrace& trace, u32 launched) {
  u32 useful = 0;
  for (u32 k = 0; k < std::min<std::size_t>(launched, trace.cells.size()); ++k) useful += trace.cells[k].count > 0;
  return useful;
}

namespace {

constexpr float kSweepSeconds = 5;  // omega from the first block to the last

}  // namespace

PointedBlocks pointed_blocks(const std::vector<u32>& covering, u32 launched) {
  PointedBlocks found;
  for (const u32 block : covering) {
    if (!found.visible && block < launched) found.visible = block;
  }
  if (!found.visible && !covering.empty()) found.visible = covering.front();
  bool behind = false;
  for (const u32 block : covering) {
    const bool listed = std::find(found.hidden.begin(), found.hidden.end(), block) != found.hidden.end();
    if (behind && block != found.visible && !listed) found.hidden.push_back(block);
    behind = behind || block == found.visible;
  }
  return found;
}

PointedBlocks blocks_at_pointer(const MapTrace& trace, const GridLayout& cells, const GridLayout& tiles, u32 launched) {
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) return {};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::vector<u32> covering = cells.at(mouse.x, mouse.y);
  for (const u32 tile : tiles.at(mouse.x, mouse.y)) {
    if (trace.tiles[tile].cell != kNoBlock) covering.push_back(trace.tiles[tile].cell);
  }
  return pointed_blocks(covering, launched);
}

void turn_figures(DomainChoice& choice, const Rect& place) {
  const ImGuiIO& io = ImGui::GetIO();
  ImGui::SetCursorScreenPos({place.x, place.y});
  invisible_button("figures", {place.w, place.h});
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
    choice.yaw = kCornerYaw, choice.pitch = kCornerPitch;
  }
  if (!ImGui::IsItemActive()) return;
  constexpr float kTurn = 0.01f, kMin = 0.05f, kMax = 1.52f;  // radians a pixel; the figure stays upright
  choice.yaw = std::remainder(choice.yaw - kTurn * io.MouseDelta.x, 6.2831853f);
  choice.pitch = std::clamp(choice.pitch + kTurn * io.MouseDelta.y, kMin, kMax);
}

DomainView::Key DomainView::wanted(const SessionModel& model) const {
  const DomainChoice& choice = choice_;
  Key key;
  key.domain = choice.domain.value_or(model.triple_maps.empty() ? Domain::triangle : Domain::tetrahedron);
  if (key.domain == Domain::triangle) {
    key.map = static_cast<u32>(model.asked.pair_map), key.side = std::clamp(choice.side, 1u, kMaxTriangleSide);
  } else if (key.domain == Domain::tetrahedron) {
    key.map = static_cast<u32>(model.asked.triple_map), key.side = std::clamp(choice.side, 1u, kMaxTetraSide);
  } else {
    key.map = choice.gasket_map, key.side = std::clamp(choice.levels, 0u, kMaxLevels);
  }
  if (choice.map && *choice.map < maps_of(key.domain).size()) key.map = *choice.map;
  key.shares = model.shares(key.domain);
  return key;
}

void DomainView::choose_map(const Key& key, float width) {
  const auto maps = maps_of(key.domain);
  const u32 extra = key.domain == Domain::gasket ? 0 : 1;  // bodies know no gasket, so no map of it is in use
  std::vector<std::string> names;
  if (extra > 0) names.emplace_back("map in use");
  for (const MapInfo& map : maps) names.emplace_back(map.name);
  u32 at = extra > 0 && !choice_.map ? 0 : key.map + extra;
  if (!choose("##map", at, names, width, maps[key.map].name)) return;
  if (key.domain == Domain::gasket) {
    choice_.gasket_map = at;
  } else {
    choice_.map = at > 0 ? std::optional(at - 1) : std::nullopt;
  }
}

void DomainView::controls(const SessionModel& model, float seconds) {
  DomainChoice& c = choice_;
  const float unit = ImGui::CalcTextSize("0").x;
  auto domain = static_cast<u32>(wanted(model).domain);
  if (choose("##domain", domain, {"triangle", "tetrahedron", "gasket"}, 16 * unit)) {
    c.domain = static_cast<Domain>(domain), c.map.reset();
  }
  const Key key = wanted(model);
  ImGui::SameLine();
  choose_map(key, 18 * unit);
  const bool gasket = key.domain == Domain::gasket;
  same_line(14 * unit + button_width(gasket ? "levels" : "tiles a side"));
  ImGui::SetNextItemWidth(14 * unit);
  int side = static_cast<int>(gasket ? c.levels : key.side);
  const int most = static_cast<int>(gasket                           ? kMaxLevels
                                    : key.domain == Domain::triangle ? kMaxTriangleSide
                                                                     : kMaxTetraSide);
  if (ImGui::SliderInt(gasket ? "levels" : "tiles a side", &side, gasket ? 0 : 1, most)) {
    (gasket ? c.levels : c.side) = static_cast<u32>(side);
  }
  if (key.domain == Domain::tetrahedron) depth_controls(unit);
  if (key.shares.several()) rank_controls(unit);
  omega_controls(unit, seconds);
}

void DomainView::depth_controls(float unit) {
  same_line(14 * unit + button_width("layers off"));
  ImGui::SetNextItemWidth(14 * unit);
  const auto most = static_cast<int>(std::clamp(choice_.side, 1u, kMaxTetraSide)) - 1;
  int removed = std::min(static_cast<int>(choice_.removed), most);
  if (ImGui::SliderInt("layers off", &removed, 0, most)) choice_.removed = static_cast<u32>(removed);
  tip("Takes layers z off, the highest first, so that the tiles below are seen and read");
}

void DomainView::rank_controls(float unit) {
  same_line(14 * unit);
  u32 at = choice_.by_rank ? 0 : 1;
  if (choose("##colours", at, {"by rank", "by \u03c9"}, 14 * unit)) choice_.by_rank = at == 0;
  tip("Colours: the rank that computes a tile, by the present shares, or the order of \u03c9");
}

std::span<const u32> DomainView::shown_owners() const {
  return choice_.by_rank ? std::span<const u32>(owners_) : std::span<const u32>();
}

/// Each rank's colour, number, name and tiles; the names go where there is no room for all.
void DomainView::legend(const SessionModel& model, const Rect& line) const {
  const u32 ranks = made_->shares.ranks;
  std::vector<u32> tiles(ranks, 0);
  for (const TraceTile& tile : trace_.tiles) ++tiles[owners_[tile.cell]];
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float em = height_of(face(Face::caption)), middle = line.y + line.h / 2, swatch = 0.8f * em;
  std::vector<std::string> texts(ranks);
  for (const bool named : {true, false}) {
    float width = 0;
    for (u32 r = 0; r < ranks; ++r) {
      const bool has_name = named && r < model.backend.rank_names.size();
      texts[r] = has_name ? phrase("{} {}: {} tiles", r, model.backend.rank_names[r], tiles[r])
                          : fmt::format("{}: {}", r, tiles[r]);
      width += width_in(Face::caption, texts[r].c_str()) + swatch + 1.5f * em;
    }
    if (width <= line.w) break;
  }
  float x = line.x;
  for (u32 r = 0; r < ranks; ++r) {
    const float room = line.x + line.w - x - swatch - 0.5f * em;
    const bool whole = width_in(Face::caption, texts[r].c_str()) <= room;
    if (!whole) return write_middle(draw, Face::caption, {x, middle}, theme().text2, "\u2026");
    draw.AddRectFilled({x, middle - swatch / 2}, {x + swatch, middle + swatch / 2}, rank_colour(r));
    ImGui::LogText("%s | ", texts[r].c_str());
    x += swatch + 0.5f * em;
    write_middle(draw, Face::caption, {x, middle}, theme().text, texts[r]);
    x += width_in(Face::caption, texts[r].c_str()) + em;
  }
}

void DomainView::omega_controls(float unit, float seconds) {
  DomainChoice& c = choice_;
  same_line(0, "Run \u03c9");
  sweep_button("Run \u03c9###sweep", "Stop###sweep", 0, "Launches the blocks one by one, in the order of \u03c9.",
               c.running, c.launched);
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < 12 * unit) ImGui::NewLine();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  launched_slider("##omega", c.launched, static_cast<u32>(trace_.cells.size()));
  tip("Blocks launched so far, in the order of \u03c9; Ctrl and a click type their number");
  sweep(c.running, c.launched, seconds / kSweepSeconds);
}

std::string DomainView::text_of(u32 cell) const {
  const TracePosition& c = trace_.cells[cell];
  std::string text = phrase("\u03c9 = {}: block ({}, {}, {})", cell, c.at.x, c.at.y, c.at.z);
  if (trace_.launches.size() > 1) text += phrase(" of launch {}", c.at.pass);
  if (!owners_.empty()) text += phrase(" by rank {}", owners_[cell]);
  if (c.count == 0) text += tr(" is idle");
  for (u32 k = 0; k < std::min(c.count, 4u); ++k) {
    const TraceTile& t = trace_.tiles[c.first + k];
    text += fmt::format("{}", k == 0 ? " -> " : ", ");
    text += trace_.domain == Domain::triangle      ? phrase("row {}, column {}", t.y, t.x)
            : trace_.domain == Domain::tetrahedron ? fmt::format("({}, {}, {})", t.x, t.y, t.z)
                                                   : phrase("column {}, row {}", t.x, t.y);
  }
  if (c.count > 4) text += phrase(" and {} more", c.count - 4);
  return text;
}

void DomainView::describe(const Key& key, const PointedBlocks& pointed) const {
  const auto launched = trace_.cells.size();
  const u32 useful = trace_.useful();
  std::string text =
      phrase("{}: {} launched, {} useful ({:.1f} %), {} idle, {}", maps_of(key.domain)[key.map].name, grouped(launched),
             grouped(useful), 100.0 * useful / static_cast<double>(std::max<std::size_t>(launched, 1)),
             grouped(launched - useful), counted(trace_.tiles.size(), "tile"));
  if (trace_.launches.size() > 1) text += phrase(", in {} launches", trace_.launches.size());
  if (pointed.visible) text = text_of(*pointed.visible);
  if (!pointed.hidden.empty()) text += phrase("; behind it \u03c9 = {}", fmt::join(pointed.hidden, ", "));
  ImGui::TextUnformatted(text.c_str());
  if (pointed.hidden.empty()) return;
  std::string lines = text_of(*pointed.visible) + tr("\nbehind it:");
  for (const u32 cell : pointed.hidden) lines += "\n" + text_of(cell);
  ImGui::SetTooltip("%s", lines.c_str());
}

void DomainView::draw(const SessionModel& model, const PaneContext& context, const Rect& place) {
  controls(model, context.seconds);
  const Key key = wanted(model);
  if (made_ != key) {
    trace_ = trace_map(key.domain, key.map, key.side, trace_workers(key.shares.ranks));
    owners_ = key.shares.several() ? owners(trace_, key.shares) : std::vector<u32>();
    made_ = key;
  }
  const float line = ImGui::GetTextLineHeightWithSpacing(), pad = 8 * context.scale;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float width = (place.w - 4 * pad) / 2, bottom = shown_owners().empty() ? 0 : line;
  const float height = place.y + place.h - corner.y - 2 * line - 2 * pad - bottom;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddText({corner.x, corner.y}, theme().text2, tr("parallel space: blocks as launched"));
  draw.AddText({corner.x + width + 2 * pad, corner.y}, theme().text2, tr("data space: tiles"));
  if (height > 4 && width > 4) {
    const u32 layers = key.side == 0 ? 0 : key.side - 1;
    const DeepView view{choice_.yaw, choice_.pitch, std::min(choice_.removed, layers)};
    const GridLayout cells = place_cells(trace_, {corner.x, corner.y + line, width, height}, view);
    const GridLayout tiles = place_tiles(trace_, {corner.x + width + 2 * pad, corner.y + line, width, height}, view);
    if (tiles.deep) turn_figures(choice_, {corner.x, corner.y + line, 2 * width + 2 * pad, height});
    const auto launched = static_cast<u32>(std::lround(choice_.launched * static_cast<float>(trace_.cells.size())));
    const PointedBlocks pointed = blocks_at_pointer(trace_, cells, tiles, launched);
    paint_cells(draw, trace_, cells, launched, false, shown_owners());
    paint_tiles(draw, trace_, tiles, launched, false, shown_owners());
    for (const Spot& s : cells.spots) {
      if (pointed.visible == s.index) mark_spot(draw, cells, s);
    }
    for (const Spot& s : tiles.spots) {
      if (pointed.visible == trace_.tiles[s.index].cell) mark_spot(draw, tiles, s);
    }
    if (bottom > 0) legend(model, {corner.x, place.y + place.h - 2 * line - pad / 2, place.w - 2 * pad, line});
    ImGui::SetCursorScreenPos({corner.x, place.y + place.h - line - pad / 2});
    describe(key, pointed);
  }
}

}  // namespace tri::app::gui
