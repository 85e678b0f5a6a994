#pragma once
/// Session models for the panel tests, without a simulation.

#include <functional>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/look.hpp"
#include "app/gui/base/widgets.hpp"
#include "app/session/session_model.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::test {

/// 1000 bodies under gravity, map lambda; utm does not fit.
inline app::SessionModel gravity_model() {
  app::SessionModel m;
  m.spec = "plummer:n=1000", m.scene.name = "plummer", m.scene.title = "a cluster";
  m.n = 1000;
  m.backend = {"cpu", "a processor", "2 threads"};
  for (const MapInfo& map : triangle_maps()) m.pair_maps.push_back({map.name, map.formula, "", {}});
  m.pair_maps[static_cast<u32>(TriangleMapId::utm)].reason = "utm ends here for a reason";
  m.asked.pair_map = m.engine.pair_map = TriangleMapId::lambda;
  m.engine.pair_block = 64;
  return m;
}

inline app::SessionModel triples_model() {
  app::SessionModel m = gravity_model();
  m.pair_maps.clear();
  for (const MapInfo& map : tetra_maps()) m.triple_maps.push_back({map.name, map.formula, "", {}});
  m.scene.field.pair = PairLaw::none, m.scene.field.triple = TripleLaw::axilrod_teller;
  return m;
}

/// The only request of type T; fails the test if there is none or more than one.
template <class Kind>
const Kind* only(const app::Requests& requests) {
  return requests.size() == 1 ? std::get_if<Kind>(&requests.front()) : nullptr;
}

}  // namespace tri::test

// ImGui without a window or a back end: draws a panel, presses its items and returns its text.

namespace tri::app::gui {

class PanelFixture : public testing::Test {
 protected:
  PanelFixture() {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {800, 2000};
    io.MousePos = {-9, -9};  // outside, from where it can move
    io.DeltaTime = 0.02f;
    expect_field(0);  // that a test before may have left
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
  }

  /// Draws one frame with the panel in its own window; returns its text.
  std::string frame(const std::function<void()>& panel, const std::function<void()>& begin = ImGui::NewFrame) {
    requests.clear();
    begin();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({520, 1900});
    ImGui::Begin("test");
    ImGui::LogToBuffer();
    panel();
    std::string text = ImGui::GetCurrentContext()->LogBuffer.c_str();
    ImGui::LogFinish();
    ImGui::End();
    ImGui::Render();
    return text;
  }

  /// Presses the item at that ID path, and runs the frames this takes.
  void press(std::initializer_list<const char*> path, const std::function<void()>& panel) {
    frame(panel);
    ImGuiID id = ImGui::FindWindowByName("test")->ID;
    for (const char* part : path) id = ImHashStr(part, 0, id);
    activate(id);
    frame(panel);
  }

  /// Draws one frame of windows at their own places; returns their text.
  std::string screen(const std::function<void()>& draw) {
    ImGui::NewFrame();
    begin_screen_text();
    draw();
    ImGui::EndFrame();
    return end_screen_text();
  }
  /// Likewise; returns how much was drawn. A glyph has four corners.
  int vertices(const std::function<void()>& draw) {
    ImGui::NewFrame();
    draw();
    ImGui::Render();
    return ImGui::GetDrawData()->TotalVtxCount;
  }

  ImguiContext context{1};
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
};

}  // namespace tri::app::gui
