#include "app/gui/panel/panel_table.hpp"

#include <imgui.h>

#include "app/gui/editor/law_editor.hpp"
#include "app/gui/editor/map_editor.hpp"
#include "app/gui/look/figures.hpp"
#include "app/gui/look/theme.hpp"

namespace tri::app::gui::panel {

// Panels that are here alone; each is a file of its own.
void distribution(const PanelContext& c);

namespace {

void heading(const char* text) {
  ImGui::Dummy({1, 2});
  const InFace strong(Face::strong);
  ImGui::TextUnformatted(text);
}

constexpr PanelRow kRows[] = {
    {"Scene", icon::kScene, "Scenes, files, demonstrations", false,
     [](const PanelContext& c) { scene(c.model, c.state, c.requests); }},
    {"Physics", icon::kPhysics, "Laws, integrator, time step, blocks and sums", false,
     [](const PanelContext& c) {
       integrator(c.model, c.requests);
       heading("Laws");
       physics(c.model, c.state, c.requests);
       heading("Computation");
       computation(c.model, c.requests);
     }},
    {"View", icon::kView, "How the bodies are drawn, camera, saved views", false,
     [](const PanelContext& c) { view(c.model, c.state.view, c.state.frames.recording, c.state.pending); }},
    {"Bodies", icon::kBodies, "Add, throw, select and measure bodies; one of them in numbers", false,
     [](const PanelContext& c) {
       hands(c.model, c.state.touch, c.requests);
       heading("One body");
       inspector(c.model, c.state.view, c.requests);
     }},
    {"Charts", icon::kCharts, "Conserved quantities, times, notices", false,
     [](const PanelContext& c) {
       diagnostics(c.model, c.state.panels.scale);
       heading("Where the time goes");
       timing(c.model, c.state.frames, c.state.panels.scale);
       heading("Notices");
       notices(c.model);
     }},
    {"Profile", icon::kProfile, "How the bodies are distributed", false, distribution},
    {"Time", icon::kTime, "Keyframes, step back, branches, camera path, film", false,
     [](const PanelContext& c) { timeline(c.model, c.state, c.requests); }},
    {"Bench", icon::kBench, "Times maps over a range of sizes", false,
     [](const PanelContext& c) { benchmark(c.state.bench, c.state.panels.scale); }},
    {"Editor", icon::kEdit, "Laws and maps of your own", false,
     [](const PanelContext& c) {
       heading("A law");
       editor::law_editor(c.model, c.state.law_editor, c.state.panels.scale, c.requests);
       heading("A map");
       editor::map_editor(c.model, c.state.map_editor, c.state.panels.scale, c.requests);
     }},
    {"Settings", icon::kSettings, "Theme, scale, V-sync", true,
     [](const PanelContext& c) { window(c.state.panels, c.state.panes.shown); }},
};

}  // namespace

std::span<const PanelRow> panel_rows() { return kRows; }

const PanelRow* find_panel(std::string_view name) {
  for (const PanelRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

bool has_panel(std::string_view name) { return find_panel(name) != nullptr; }

void toggle_panel(PanelState& panels, std::string_view name) {
  panels.open = panels.open == name ? std::string() : std::string(name);
}

}  // namespace tri::app::gui::panel
