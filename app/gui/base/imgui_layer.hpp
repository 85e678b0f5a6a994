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
  /// Loads the font anew and scales all sizes, between frames; the font texture must then be uploaded again.
  void set_scale(float scale);
  float scale() const noexcept { return scale_; }

 private:
  void load_font();
  ImGuiContext* context_;
  float scale_;
  bool dark_ = true;
};

/// Colours of the panels beyond ImGui's own.
namespace colour {
ImU32 accent();  ///< of the choice in use
ImU32 good();
ImU32 bad();
ImU32 dim();
/// Of the k-th line or part of a plot; eight colours that colour-blind readers can tell apart too (Okabe and Ito 2008).
ImU32 series(unsigned k);
}  // namespace colour

}  // namespace tri::app::gui
