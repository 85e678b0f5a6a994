#pragma once
/// ImGui without a window or a back end: draws a panel, presses its items and returns its text.

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/look/imgui_layer.hpp"
#include "app/gui/look/imgui_versions.hpp"
#include "tests/app/gui/gui_models.hpp"

namespace tri::app::gui {

class PanelFixture : public testing::Test {
 protected:
  PanelFixture() {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {800, 2000};
    io.DeltaTime = 0.02f;
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

  ImguiContext context{1};
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
};

}  // namespace tri::app::gui
