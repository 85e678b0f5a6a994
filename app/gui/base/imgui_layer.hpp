#pragma once
/// ImGui's context: letters, colours, scale. Without a window here, so that panels can be tested; window.hpp binds it
/// to GLFW and GL.

#include <imgui.h>

#include <string>

namespace tri::app::gui {

/// Makes the context current and gives it letters and colours; one at a time. No file of settings is read or written.
class ImguiContext {
 public:
  /// scale: factor on all sizes, > 0.
  explicit ImguiContext(float scale);
  ~ImguiContext();
  ImguiContext(const ImguiContext&) = delete;
  ImguiContext& operator=(const ImguiContext&) = delete;

  void set_theme(bool dark);
  /// New letters and sizes, between frames; what draws them must take the letters anew.
  void set_scale(float scale);
  float scale() const noexcept { return scale_; }

 private:
  void load_letters();
  ImGuiContext* context_;
  float scale_;
  bool dark_ = true;
};

/// Colours of the panels beyond ImGui's own.
namespace colour {
ImU32 accent();  ///< what is in use
ImU32 good();
ImU32 bad();
ImU32 dim();
/// Of the k-th line or part of a plot; eight that stay apart, for eyes that miss a colour too (Okabe and Ito 2008).
ImU32 series(unsigned k);
}  // namespace colour

}  // namespace tri::app::gui
