#include "app/gui/frame/window_surface.hpp"

#include <utility>

namespace tri::app::gui {

WindowSurface::WindowSurface(std::pair<u32, u32> size, std::optional<double> scale, std::optional<double> chosen_scale,
                             bool vsync)
    : window_(size.first, size.second),
      imgui_(static_cast<float>(scale.value_or(chosen_scale.value_or(static_cast<double>(window_.content_scale()))))),
      binding_(window_),
      present_thread_(window_, vsync),
      chosen_scale_(chosen_scale),
      scale_(imgui_.scale()) {}

void WindowSurface::scale_panels(PanelState& panels) {
  imgui_.set_scale(scale_ * stretch_);
  binding_.upload_font();
  panels.scale = imgui_.scale();
}

void WindowSurface::draw_at(std::optional<std::pair<u32, u32>> size, PanelState& panels) {
  if (size == drawn_at_) return;
  window_.draw_at(drawn_at_ = size);
  const Rect place = window_.place();
  stretch_ = size && place.w > 0 ? static_cast<float>(window_.width()) / place.w : 1;
  scale_panels(panels);
}

void WindowSurface::begin(bool wait) {
  canvas_ = present_thread_.begin(wait);
  glBindFramebuffer(GL_FRAMEBUFFER, canvas_.framebuffer);
  glClearColor(0, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
}

void WindowSurface::begin_panels(PanelState& panels) {
  if (dark_ != panels.dark) imgui_.set_theme(dark_ = panels.dark);
  if (std::exchange(renews_letters_, false) || chosen_scale_ != panels.chosen_scale) {
    if (std::exchange(chosen_scale_, panels.chosen_scale) != panels.chosen_scale) {
      scale_ = static_cast<float>(chosen_scale_.value_or(static_cast<double>(window_.content_scale())));
    }
    scale_panels(panels);
  }
  binding_.begin_frame();
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
