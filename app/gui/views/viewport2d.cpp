#include "app/gui/views/viewport2d.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/contracts.hpp"

namespace tri::app::gui {
namespace {

/// First cell and texels of one axis: cells [low, high) of `count`, in pieces of `step`.
void cover(double low, double high, u32 count, u32 step, u32& first, u32& texels) {
  const double end = std::min(high, static_cast<double>(count));
  if (end <= 0 || low >= end) return;
  first = static_cast<u32>(std::max(low, 0.0)) / step * step;
  texels = (static_cast<u32>(std::ceil(end)) - first + step - 1) / step;
}

}  // namespace

void Viewport2D::set_array(u32 width, u32 height) {
  TRI_EXPECTS(width >= 1 && height >= 1);
  if (width == width_ && height == height_) return;
  width_ = width, height_ = height;
  fit();
}

void Viewport2D::set_view(float width, float height) {
  view_w_ = std::max(1.0f, width), view_h_ = std::max(1.0f, height);
  if (fitted_) fit();
}

double Viewport2D::fit_pixels() const { return std::min({view_w_ / width_, view_h_ / height_, kLargestCell}); }

void Viewport2D::fit() {
  x_ = width_ / 2.0, y_ = height_ / 2.0;
  pixels_ = fit_pixels();
  fitted_ = true;
}

void Viewport2D::keep_inside() {
  x_ = std::clamp(x_, 0.0, static_cast<double>(width_));
  y_ = std::clamp(y_, 0.0, static_cast<double>(height_));
}

void Viewport2D::pan(float dx, float dy) {
  if (dx == 0 && dy == 0) return;
  x_ -= dx / pixels_, y_ -= dy / pixels_;
  fitted_ = false;
  keep_inside();
}

void Viewport2D::zoom(float factor, float x, float y) {
  TRI_EXPECTS(factor > 0);
  const double before = pixels_;
  pixels_ = std::clamp(before * static_cast<double>(factor), fit_pixels() / 2, kLargestCell);
  const double dx = x - view_w_ / 2, dy = y - view_h_ / 2;
  x_ += dx / before - dx / pixels_, y_ += dy / before - dy / pixels_;
  fitted_ = false;
  keep_inside();
}

std::optional<Cell> Viewport2D::cell_at(float x, float y) const {
  if (x < 0 || y < 0 || x >= view_w_ || y >= view_h_) return std::nullopt;
  const double col = std::floor(x_ + (x - view_w_ / 2) / pixels_), row = std::floor(y_ + (y - view_h_ / 2) / pixels_);
  if (col < 0 || row < 0 || col >= width_ || row >= height_) return std::nullopt;
  return Cell{static_cast<u32>(col), static_cast<u32>(row)};
}

CellWindow Viewport2D::window() const {
  CellWindow w;
  while (w.step * pixels_ < 1) w.step *= 2;
  const double across = view_w_ / 2 / pixels_, down = view_h_ / 2 / pixels_;
  cover(x_ - across, x_ + across, width_, w.step, w.col, w.cols);
  cover(y_ - down, y_ + down, height_, w.step, w.row, w.rows);
  return w;
}

Rect Viewport2D::place(const CellWindow& w) const {
  const double right = std::min<double>(width_, w.col + static_cast<double>(w.cols) * w.step);
  const double lower = std::min<double>(height_, w.row + static_cast<double>(w.rows) * w.step);
  return {static_cast<float>((w.col - x_) * pixels_ + view_w_ / 2),
          static_cast<float>((w.row - y_) * pixels_ + view_h_ / 2), static_cast<float>((right - w.col) * pixels_),
          static_cast<float>((lower - w.row) * pixels_)};
}

}  // namespace tri::app::gui
