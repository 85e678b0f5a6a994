#include "app/gui/editor/map_editor.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui::editor {
namespace {

/// From the first omega to the last, between two colours that differ in lightness.
ImU32 shade(double share) {
  const ImVec4 from = ImGui::ColorConvertU32ToFloat4(series_colour(4)),
               to = ImGui::ColorConvertU32ToFloat4(series_colour(0));
  const auto f = static_cast<float>(share);
  return ImGui::ColorConvertFloat4ToU32(
      {from.x + f * (to.x - from.x), from.y + f * (to.y - from.y), from.z + f * (to.z - from.z), 1});
}

/// One layer of the domain: tiles coloured by omega; missed ones are outlined, those met again are crossed.
void draw_layer(const MapSketch& sketch, u32 layer, ImVec2 at, float cell) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const double all = std::max<double>(1, static_cast<double>(sketch.proof.launched) - 1);
  const float gap = cell >= 6 ? 1.0f : 0.0f;
  for (const SketchTile& t : sketch.tiles) {
    if (t.layer != layer) continue;
    const ImVec2 low{at.x + static_cast<float>(t.col) * cell, at.y + static_cast<float>(t.row) * cell};
    const ImVec2 high{low.x + cell - gap, low.y + cell - gap};
    if (t.times == 0) {
      draw.AddRect(low, high, theme().fault, 0, 0, std::max(1.0f, cell / 8));
      continue;
    }
    draw.AddRectFilled(low, high, shade(static_cast<double>(t.omega) / all));
    if (t.times == 1) continue;
    draw.AddLine(low, high, theme().fault, std::max(1.0f, cell / 8));
    draw.AddLine({low.x, high.y}, {high.x, low.y}, theme().fault, std::max(1.0f, cell / 8));
  }
}

void draw_sketch(const MapSketch& sketch, float scale) {
  const u32 side = sketch.proof.side, layers = sketch.proof.domain == Domain::tetrahedron ? side : 1;
  const float width = ImGui::GetContentRegionAvail().x, between = 8 * scale;
  const u32 across = layers == 1 ? 1 : std::min<u32>(layers, 4), down = (layers + across - 1) / across;
  const float room = (width - static_cast<float>(across - 1) * between) / static_cast<float>(across);
  const float cell = std::max(1.0f, std::floor(std::min(room, 240 * scale) / static_cast<float>(side)));
  const float picture = cell * static_cast<float>(side);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  for (u32 layer = 0; layer < layers; ++layer) {
    const u32 column = layer % across, line = layer / across;
    draw_layer(sketch, layer,
               {corner.x + static_cast<float>(column) * (picture + between),
                corner.y + static_cast<float>(line) * (picture + between)},
               cell);
  }
  ImGui::Dummy({width, static_cast<float>(down) * (picture + between)});
  panel::tip("Tiles by the position that meets them, from the first to the last. Red: missed, crossed: met again.");
}

void show_proof(const MapSketch& sketch) {
  const mapfile::Proof& p = sketch.proof;
  if (!p.passed()) return panel::coloured_text(theme().fault, fmt::format("At m = {}: {}.", p.side, p.fault_text()));
  ImGui::TextWrapped("Proved for m = %u: %s tiles, each once, none outside; %s positions, %s idle.", p.side,
                     grouped(p.expected).c_str(), grouped(p.launched).c_str(), grouped(p.idle()).c_str());
}

bool is_added(const MapSketch& sketch) {
  const MapInfo& info = sketch.map->info();
  const auto has = [&](std::span<const MapInfo> maps) {
    return std::any_of(maps.begin(), maps.end(),
                       [&](const MapInfo& m) { return m.typed && info.name == std::string_view(m.name); });
  };
  return info.domain == Domain::triangle      ? has(triangle_maps())
         : info.domain == Domain::tetrahedron ? has(tetra_maps())
                                              : has(gasket_maps());
}

}  // namespace

void map_editor(const SessionModel&, MapEditor& editor, float scale, Requests& requests) {
  ImGui::InputTextMultiline("##map", &editor.text, {-1, 12.6f * ImGui::GetTextLineHeight()});
  panel::tip(
      "A map file: the launch, and the tile of a position, in whole numbers. docs/typed-maps.md has the language.");
  panel::whole("m", editor.side, "Tiles a side of the picture and its proof.");
  if (editor.text != editor.read || editor.side != editor.read_side) {
    editor.sketch = sketch_map(editor.text, static_cast<u32>(std::min<u64>(editor.side, 1u << 20)));
    editor.read = editor.text, editor.read_side = editor.side;
  }
  const MapSketch& sketch = editor.sketch;
  if (!sketch.error.empty()) panel::coloured_text(theme().fault, sketch.error);
  if (sketch.tiles.empty()) return;
  show_proof(sketch);
  draw_sketch(sketch, scale);
  const bool added = is_added(sketch);
  const bool ready = !added && sketch.proof.passed();
  ImGui::BeginDisabled(!ready);
  if (ImGui::Button(added ? "Among the maps###add" : "Add to the maps###add") && ready) {
    requests.push_back(ask::AddMap{sketch.map});
  }
  ImGui::EndDisabled();
  panel::tip("A map of that name then stands beside the others. Each side is proved before it is used there.");
}

}  // namespace tri::app::gui::editor
