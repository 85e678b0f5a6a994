#include "app/gui/frame/window_surface.hpp"

#include <utility>

namespace tri::app::gui {

WindowSurface::WindowSurface(std::pair<u32, u32> size, std::optional<double> scale, std::optional<double> chosen_scale,
                             bool vsync)
    : window_(size.first, size.second),
      imgui_(static_cast<float>(scale.value_or(chosen_scale.value_or(static_cast<double>(window_.content_scale()))))),
      binding_(window_),
      present_thread_(window_, vsync),
      chosen_scale_(chosen_scale) {}

void WindowSurface::begin(bool wait) {
  canvas_ = present_thread_.begin(window_.width(), window_.height(), wait);
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

void WindowSurface::begin_panels(PanelState& panels) {
  if (dark_ != panels.dark) imgui_.set_theme(dark_ = panels.dark);
  if (std::exchange(renews_letters_, false) || chosen_scale_ != panels.chosen_scale) {
    const bool other = chosen_scale_ != panels.chosen_scale;
    chosen_scale_ = panels.chosen_scale;
    const double wanted = chosen_scale_.value_or(static_cast<double>(window_.content_scale()));
    imgui_.set_scale(other ? static_cast<float>(wanted) : imgui_.scale());
    binding_.upload_font();
    panels.scale = imgui_.scale();
  }
  binding_.begin_frame();
  ImGui::NewFrame();
}

void WindowSurface::end_panels() {
  ImGui::Render();
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glViewport(0, 0, static_cast<int>(window_.width()), static_cast<int>(window_.height()));
  panels_timer_.begin();
  binding_.draw();
  panels_timer_.end();
}

void WindowSurface::draw_marks() {
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glViewport(0, 0, static_cast<int>(window_.width()), static_cast<int>(window_.height()));
  binding_.draw_marks();
}

void WindowSurface::end() { present_thread_.end(); }

std::vector<std::string> WindowSurface::new_errors() {
  window_.messages().check("frame");
  const auto& texts = window_.messages().texts();
  std::vector<std::string> errors(texts.begin() + static_cast<std::ptrdiff_t>(errors_seen_), texts.end());
  errors_seen_ = texts.size();
  return errors;
}

}  // namespace tri::app::gui
