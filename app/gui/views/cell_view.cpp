#include "app/gui/views/cell_view.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <cmath>
#include <cstdint>

#include "app/gui/base/widgets.hpp"
#include "app/gui/look/imgui_versions.hpp"

namespace tri::app::gui {

std::string coarseness(const CellWindow& window) {
  return window.step > 1 ? fmt::format("1:{}, means", window.step) : std::string();
}

/// (x, y): upper left corner of the view.
void CellView::take_input(float x, float y) {
  constexpr float kClick = 1.25f;  // per click of the wheel
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsItemHovered()) {
    if (io.MouseWheel != 0) viewport_.zoom(std::pow(kClick, io.MouseWheel), io.MousePos.x - x, io.MousePos.y - y);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) viewport_.fit();
  }
  if (ImGui::IsItemActive()) viewport_.pan(io.MouseDelta.x, io.MouseDelta.y);
}

void CellView::upload() {
  const CellWindow& w = pixels_.window();
  if (w.cols == 0 || w.rows == 0) return;
  if (w.cols != texture_cols_ || w.rows != texture_rows_) {
    texture_ = gl::make_texture(GL_TEXTURE_2D);
    glTextureStorage2D(texture_.get(), 1, GL_RGBA8, static_cast<GLsizei>(w.cols), static_cast<GLsizei>(w.rows));
    glTextureParameteri(texture_.get(), GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(texture_.get(), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTextureParameteri(texture_.get(), GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(texture_.get(), GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    texture_cols_ = w.cols, texture_rows_ = w.rows;
  }
  glTextureSubImage2D(texture_.get(), 0, 0, 0, static_cast<GLsizei>(w.cols), static_cast<GLsizei>(w.rows), GL_RGBA,
                      GL_UNSIGNED_BYTE, pixels_.rgba().data());
}

std::optional<Cell> CellView::draw(const char* id, const CellSource& source, const CellPaint& paint, float width,
                                   float height) {
  if (width < 1 || height < 1) return std::nullopt;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  viewport_.set_array(source.width(), source.height());
  viewport_.set_view(width, height);
  ImGui::InvisibleButton(
      id, {width, height},
      ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  take_input(corner.x, corner.y);
  const CellWindow window = viewport_.window();
  if (pixels_.update(source, paint, window)) upload();

  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect(corner, {corner.x + width, corner.y + height}, true);
  if (window.cols > 0 && window.rows > 0) {
    const Rect r = viewport_.place(window);
    const auto share = [&](float pixels, u32 texels) {
      return static_cast<float>(pixels / (viewport_.pixels() * texels * window.step));
    };
    const ImVec2 low{corner.x + r.x, corner.y + r.y};
    list.AddImage(texture_of(texture_.get()), low, {low.x + r.w, low.y + r.h}, {0, 0},
                  {share(r.w, window.cols), share(r.h, window.rows)});
  }
  std::optional<Cell> hovered;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemHovered()) hovered = viewport_.cell_at(mouse.x - corner.x, mouse.y - corner.y);
  if (hovered) {
    const Rect r = viewport_.place({hovered->col, hovered->row, 1, 1, 1});
    const ImVec2 low{corner.x + r.x, corner.y + r.y};
    if (r.w >= 3) list.AddRect(low, {low.x + r.w, low.y + r.h}, IM_COL32(255, 80, 80, 255));
  }
  list.PopClipRect();
  if (hovered) panel::tip(source.describe(*hovered));
  return hovered;
}

void CellView::draw(const char* id, const CellSource& source, const CellPaint& paint, const Rect& place, float scale,
                    std::string text) {
  const std::string coarse = coarseness(viewport_.window());
  if (!coarse.empty()) text += fmt::format(" ({})", coarse);
  const float pad = 8 * scale, width = place.w - 2 * pad;
  const float below = ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y + 2 * pad;
  draw(id, source, paint, width, place.y + place.h - ImGui::GetCursorScreenPos().y - below);
  ImGui::TextWrapped("%s", text.c_str());
}

}  // namespace tri::app::gui
