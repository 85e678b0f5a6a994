#pragma once
/// The window with ImGui in it, and the thread that presents its frames. Needs the main thread.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/base/gui_state.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/present_thread.hpp"
#include "app/gui/look/imgui_layer.hpp"
#include "render/gl/gpu_timer.hpp"

namespace tri::app::gui {

class WindowSurface {
 public:
  /// Opens the window. scale: at first; none: the chosen one, else what the display asks for. vsync: as PresentThread.
  /// Throws GlError.
  WindowSurface(std::pair<u32, u32> size, std::optional<double> scale, std::optional<double> chosen_scale, bool vsync);

  Window& window() noexcept { return window_; }
  const Window& window() const noexcept { return window_; }
  float scale() const noexcept { return imgui_.scale(); }

  /// Between frames: draws at another size than the window's, with panels as large in proportion, or at its own again
  /// (Window::draw_at).
  void draw_at(std::optional<std::pair<u32, u32>> size, PanelState& panels);
  /// Begins a frame on a black canvas; wait: for vsync.
  void begin(bool wait);
  /// The letters are loaded again with the next panels.
  void renew_letters() { renews_letters_ = true; }
  /// Begins ImGui's part of the frame, in the theme and scale of the panels.
  void begin_panels(PanelState& panels);
  /// Draws ImGui's part over the canvas, which stays the bound framebuffer.
  void end_panels();
  /// Over that, what films do not show.
  void draw_marks();
  /// Hands the frame over for presentation.
  void end();

  GLuint texture() const noexcept { return canvas_.texture; }
  PresentThread::Shown shown() const { return present_thread_.shown(); }
  /// When the panels of some frames ago were drawn; offset: from the GPU's clock to clock_s().
  void take_work(double offset, WorkTrace& to) {
    for (const auto& s : panels_timer_.take())
      to.add({"panels", WorkLane::gpu_draw, 0, s.begin + offset, s.end + offset});
  }
  /// OpenGL errors since the last call.
  std::vector<std::string> new_errors();

 private:
  Window window_;
  ImguiContext imgui_;
  ImguiBinding binding_;
  PresentThread present_thread_;
  PresentThread::Canvas canvas_;  ///< of this frame
  gl::GpuTimer panels_timer_;
  void scale_panels(PanelState& panels);

  std::optional<double> chosen_scale_;
  float scale_;        ///< of the panels, in the window's own size
  float stretch_ = 1;  ///< what is drawn over the window
  std::optional<std::pair<u32, u32>> drawn_at_;
  bool dark_ = true, renews_letters_ = false;
  std::size_t errors_seen_ = 0;
};

}  // namespace tri::app::gui
