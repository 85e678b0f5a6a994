#include "app/gui/views/fractal_view.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/theme.hpp"
#include "app/support/text_table.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

constexpr double kMaxStepSeconds = 0.01;  // of a frame

constexpr panel::Preset kScenes[]{{"gasket:r=10,rule=B2/S12", "gasket, 2^10"},
                                  {"gasket:r=12,rule=B2/S12", "gasket, 2^12"},
                                  {"gasket:r=14,rule=B2/S12", "gasket, 2^14"},
                                  {"gasket:r=9,rule=B1/S012,density=0.01", "gasket, growth from seeds"},
                                  {"gasket:r=10,rule=B135/S135", "gasket, parity"},
                                  {"vicsek:r=6,rule=B2/S12", "Vicsek, 3^6"},
                                  {"carpet:r=6", "carpet, 3^6, Conway's life"},
                                  {"carpet:r=6,rule=B36/S23", "carpet, 3^6, HighLife"},
                                  {"gasket-3d:r=7,rule=B1.3/S2.4", "gasket in three dimensions, seen along z"}};

CellPaint fractal_paint(bool dark) {
  CellPaint p;
  p.ramp = dark ? std::vector<std::array<float, 3>>{{0.16f, 0.19f, 0.26f}, {0.99f, 0.85f, 0.35f}}
                : std::vector<std::array<float, 3>>{{0.80f, 0.84f, 0.90f}, {0.10f, 0.25f, 0.55f}};
  return p;
}

}  // namespace

void FractalView::Source::read(const CellWindow& window, std::span<float> texels) const {
  picture->read(window.col, window.row, window.cols, window.rows, window.step, texels);
}

std::string FractalView::Source::describe(Cell cell) const {
  float share = 0;
  picture->read(cell.col, cell.row, 1, 1, 1, {&share, 1});
  if (std::isnan(share)) return "";
  const char* what = share == 1 ? "on" : share == 0 ? "off" : "some layers on";
  return fmt::format("x {}, y {}: {}", cell.col, cell.row, what);
}

void FractalView::work(Session&, const PaneContext& context) {
  FractalChoice& choice = choice_;
  world_.apply(choice);
  world_.advance(choice, static_cast<double>(context.seconds), kMaxStepSeconds);
  if (world_.automaton() == nullptr) return;
  source_.picture = &world_.picture();
  if (choice.running) {
    choice.hash = 0;
  } else if (choice.hash == 0 || source_.changes != world_.changes()) {
    choice.hash = world_.hash();
  }
  source_.changes = world_.changes();
}

namespace {

void choose_work(CellWork& work, const CellWork& now, float unit) {
  std::vector<std::string> maps, placements;
  for (const MapInfo& map : gasket_maps()) maps.emplace_back(map.name);
  auto map = static_cast<u32>(work.map);
  if (panel::choose("##map", map, maps, 18 * unit)) work.map = static_cast<GasketMapId>(map);
  panel::tip(info(work.map).formula);
  ImGui::SameLine();
  constexpr GasketPlacement kPlacements[] = {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll};
  for (const GasketPlacement p : kPlacements) placements.emplace_back(to_string(p));
  auto placement = static_cast<u32>(std::find(kPlacements, std::end(kPlacements), work.placement) - kPlacements);
  if (panel::choose("##placement", placement, placements, 12 * unit, to_string(work.placement)))
    work.placement = kPlacements[placement];
  panel::tip("How the threads of a block find the cells of their tile");
  ImGui::SameLine();
  constexpr u32 kBlocks[] = {0, 1, 2, 3, 4, 8, 9, 16, 27, 32};
  panel::choose_number("##block", work.block, kBlocks, 14 * unit, fmt::format("block {}", now.block));
  panel::tip("Side of a tile, in cells; auto leaves it to the backend");
}

void controls(FractalChoice& c, const CellWork& now) {
  const float unit = ImGui::CalcTextSize("0").x;
  panel::run_step_restart(c);
  panel::same_line(60 * unit);
  panel::text_or_preset("scene", c.scene, kScenes, 34 * unit, 22 * unit,
                        "NAME:r=levels,rule=B3/S23,density=0.3,seed=42,storage=compact, as for run. Enter opens it.");
  panel::same_line(46 * unit);
  choose_work(c.work, now, unit);
  panel::same_line(28 * unit);
  panel::rate(c.speed, 14 * unit, "Steps per second");
}

std::string status_text(const FractalWorld& world, const FractalPicture& picture, const FractalChoice& c) {
  const AutomatonSpec& spec = world.automaton()->spec();
  return fmt::format("step {}: {} of {} cells on; {} per step on {}; {} storage: {}", grouped(c.steps),
                     grouped(picture.on()), grouped(spec.cells()), duration_text(world.automaton()->step_ms()),
                     world.backend(), to_string(spec.storage), memory_text(spec));
}

}  // namespace

void FractalView::draw(const SessionModel&, const PaneContext& context, const Rect& place) {
  FractalChoice& c = choice_;
  const bool there = source_.picture != nullptr;
  controls(c, there ? world_.automaton()->spec().work : c.work);
  if (!c.error.empty()) panel::coloured_text(theme().fault, c.error);
  if (!there) return;
  view_.draw("fractal", source_, fractal_paint(context.dark), place, context.scale,
             status_text(world_, *source_.picture, c));
}

}  // namespace tri::app::gui
