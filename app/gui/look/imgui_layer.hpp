#pragma once
/// ImGui's context: font, colours, scale. Independent of a window, so that panels can be tested; window.hpp binds it to
/// GLFW and GL.

#include <imgui.h>

#include <string>

namespace tri::app::gui {

/// Creates the context, makes it current and sets font and colours; one at a time. Reads and writes no settings file.
class ImguiContext {
 public:
  /// scale: factor on all sizes, > 0.
  explicit ImguiContext(float scale);
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

  void set_theme(bool dark);
  /// Loads the letters anew and scales all sizes, between frames; the font texture must then be uploaded again.
  void set_scale(float scale);
  float scale() const noexcept { return scale_; }

 private:
  ImGuiContext* context_;
  float scale_;
  bool dark_ = true;
};

}  // namespace tri::app::gui
