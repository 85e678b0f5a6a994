#include "app/gui/views/domain_paint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/gui/look/figures.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "app/gui/look/rank_ink.hpp"
#include "app/gui/look/theme.hpp"
#include "render/colour_map.hpp"

namespace tri::app::gui {
namespace {

constexpr float kDark = 0.16f, kBright = 0.98f;  // the part of viridis in use

ImU32 shaded(ImU32 colour, float light) {
  ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
  c.x *= light, c.y *= light, c.z *= light;
  return ImGui::ColorConvertFloat4ToU32(c);
}

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

void cube(ImDrawList& draw, const GridLayout& map, const Spot& s, const Paint& p) {
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
void number(ImDrawList& draw, const GridLayout& map, const Spot& s, u32 rank, ImU32 area) {
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
  if (cell >= launched) {
    p.look = Look::to_come;
  } else if (trace.cells[cell].count == 0) {
    p.look = Look::idle, p.colour = theme().idle;
  } else {
    p.colour = owners.empty() ? omega_colour(cell, trace.cells.size()) : rank_colour(owners[cell]);
  }
  map.deep ? cube(draw, map, spot, p) : square(draw, spot, map.size, p);
  if (!owners.empty() && p.look == Look::useful) number(draw, map, spot, owners[cell], p.colour);
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

void paint_tiles(ImDrawList& draw, const MapTrace& trace, const GridLayout& tiles, u32 launched, bool last,
                 std::span<const u32> owners) {
  for (const Spot& s : tiles.spots) {
    const TraceTile& tile = trace.tiles[s.index];
    paint(draw, trace, tiles, s, tile.cell, tile.diagonal, launched, last, owners);
  }
}

void mark_spot(ImDrawList& draw, const GridLayout& map, const Spot& s) {
  if (map.deep) {
    const auto around = outline(map, s);
    draw.AddPolyline(around.data(), 6, theme().record, ImDrawFlags_Closed, 2.5f);
    return;
  }
  const float half = map.size / 2 - std::min(1.0f, map.size * 0.06f);
  draw.AddRect({s.x - half, s.y - half}, {s.x + half, s.y + half}, theme().record, 0, 0,
               std::max(2.0f, map.size * 0.1f));
}

u32 useful_of(const MapTrace& trace, u32 launched) {
  u32 useful = 0;
  for (u32 k = 0; k < std::min<std::size_t>(launched, trace.cells.size()); ++k) useful += trace.cells[k].count > 0;
  return useful;
}

}  // namespace tri::app::gui
