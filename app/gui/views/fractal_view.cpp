#include "app/gui/views/fractal_view.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/gui/base/imgui_layer.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/support/text_table.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::app::gui {
namespace {

constexpr double kMaxSeconds = 0.01;  // of a frame

constexpr std::array<std::pair<const char*, const char*>, 9> kScenes{
    {{"gasket:r=10,rule=B2/S12", "gasket, 2^10"},
     {"gasket:r=12,rule=B2/S12", "gasket, 2^12"},
     {"gasket:r=14,rule=B2/S12", "gasket, 2^14"},
     {"gasket:r=9,rule=B1/S012,density=0.01", "gasket, growth from seeds"},
     {"gasket:r=10,rule=B135/S135", "gasket, parity"},
     {"vicsek:r=6,rule=B2/S12", "Vicsek, 3^6"},
     {"carpet:r=6", "carpet, 3^6, Conway's life"},
     {"carpet:r=6,rule=B36/S23", "carpet, 3^6, HighLife"},
     {"gasket-3d:r=7,rule=B1.3/S2.4", "gasket in three dimensions, seen along z"}}};

CellPaint paint(bool dark) {
  CellPaint p;
  p.ramp = dark ? std::vector<std::array<float, 3>>{{0.16f, 0.19f, 0.26f}, {0.99f, 0.85f, 0.35f}}
                : std::vector<std::array<float, 3>>{{0.80f, 0.84f, 0.90f}, {0.10f, 0.25f, 0.55f}};
  return p;
}

}  // namespace

void FractalView::Source::read(const CellWindow& window, std::span<float> texels) const {
  picture->read(window.col, window.row, window.cols, window.rows, window.step, texels);
}

std::string FractalView::Source::tell(Cell cell) const {
  float share = 0;
  picture->read(cell.col, cell.row, 1, 1, 1, {&share, 1});
  if (std::isnan(share)) return "";
  const char* what = share == 1 ? "on" : share == 0 ? "off" : "some layers on";
  return fmt::format("x {}, y {}: {}", cell.col, cell.row, what);
}

void FractalView::work(Session&, GuiState& state, float seconds) {
  if (!world_) {
    world_.emplace([named = state.bench.backend, device = state.bench.device] {
      return make_backend(device >= 0 ? "cuda" : named, std::max(0, device));
    });
  }
  FractalChoice& choice = state.fractal;
  world_->apply(choice);
  world_->advance(choice, static_cast<double>(seconds), kMaxSeconds);
  if (world_->automaton() == nullptr) return;
  source_.picture = &world_->picture();
  if (choice.running) {
    choice.hash = 0;
  } else if (choice.hash == 0 || source_.changes != world_->changes()) {
    choice.hash = world_->hash();
  }
  source_.changes = world_->changes();
}

namespace {

void choose_scene(FractalChoice& c, float unit) {
  ImGui::SetNextItemWidth(34 * unit);
  std::string text = c.scene;
  if (ImGui::InputText("##scene", &text, ImGuiInputTextFlags_EnterReturnsTrue)) c.scene = text;
  panel::tip("NAME:r=levels,rule=B3/S23,density=0.3,seed=42,storage=compact as run takes it; Enter opens it.");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(22 * unit);
  const auto known = std::find_if(kScenes.begin(), kScenes.end(), [&](auto& s) { return c.scene == s.first; });
  if (!ImGui::BeginCombo("##scenes", known == kScenes.end() ? "others" : known->second)) return;
  for (const auto& [scene, name] : kScenes) {
    if (ImGui::Selectable(name, c.scene == scene)) c.scene = scene;
  }
  ImGui::EndCombo();
}

void choose_work(CellWork& work, const CellWork& now, float unit) {
  ImGui::SetNextItemWidth(18 * unit);
  if (ImGui::BeginCombo("##map", info(work.map).name)) {
    for (u32 m = 0; m < kGasketMapCount; ++m) {
      const auto id = static_cast<GasketMapId>(m);
      if (ImGui::Selectable(info(id).name, work.map == id)) work.map = id;
      panel::tip(info(id).formula);
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  ImGui::SetNextItemWidth(12 * unit);
  if (ImGui::BeginCombo("##placement", to_string(work.placement))) {
    for (const auto p : {GasketPlacement::subbox, GasketPlacement::lut, GasketPlacement::unroll}) {
      if (ImGui::Selectable(to_string(p), work.placement == p)) work.placement = p;
    }
    ImGui::EndCombo();
  }
  panel::tip("How the threads of a block find the cells of their tile");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(14 * unit);
  if (ImGui::BeginCombo("##block", fmt::format("block {}", now.block).c_str())) {
    if (ImGui::Selectable("the backend's choice", work.block == 0)) work.block = 0;
    for (const u32 block : {1u, 2u, 3u, 4u, 8u, 9u, 16u, 27u, 32u}) {
      if (ImGui::Selectable(fmt::format("{}", block).c_str(), work.block == block)) work.block = block;
    }
    ImGui::EndCombo();
  }
}

void choices(FractalChoice& c, const CellWork& now) {
  const float unit = ImGui::CalcTextSize("0").x;
  const panel::Pressed pressed = panel::run_step_restart(c.running);
  c.pending_steps += pressed.step ? 1 : 0, c.restarts += pressed.restart ? 1 : 0;
  panel::same_line(60 * unit);
  choose_scene(c, unit);
  panel::same_line(46 * unit);
  choose_work(c.work, now, unit);
  panel::same_line(28 * unit);
  panel::rate(c.speed, 14 * unit, "Steps a second");
}

std::string told(const FractalWorld& world, const FractalPicture& picture, const FractalChoice& c) {
  const AutomatonSpec& spec = world.automaton()->spec();
  return fmt::format("step {}: {} of {} cells on; {} a step on {}; {} storage: {}", grouped(c.steps),
                     grouped(picture.on()), grouped(spec.cells()), duration_text(world.automaton()->step_ms()),
                     world.backend(), to_string(spec.storage), memory_text(spec));
}

}  // namespace

void FractalView::draw(const SessionModel&, GuiState& state, const Rect& place, float) {
  FractalChoice& c = state.fractal;
  const bool there = world_ && world_->automaton() != nullptr && source_.picture != nullptr;
  choices(c, there ? world_->automaton()->spec().work : c.work);
  if (!c.error.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour::bad());
    ImGui::TextWrapped("%s", c.error.c_str());
    ImGui::PopStyleColor();
  }
  if (!there) return;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float pad = 8 * state.scale;
  std::string text = told(*world_, *source_.picture, c);
  const std::string coarse = coarseness(view_.lens().window());
  if (!coarse.empty()) text += fmt::format(" ({})", coarse);
  const float below = ImGui::CalcTextSize(text.c_str(), nullptr, false, place.w - 2 * pad).y + 2 * pad;
  view_.draw("fractal", source_, paint(state.dark), place.w - 2 * pad, place.y + place.h - corner.y - below);
  ImGui::TextWrapped("%s", text.c_str());
}

}  // namespace tri::app::gui
