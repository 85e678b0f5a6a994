#pragma once
/// A 2-D array of values drawn in an ImGui window: the wheel zooms at the pointer, a drag pans, a double click sees the
/// whole, and the cell under the pointer is read out. Only what is visible is read and sent to the screen's memory.

#include <optional>
#include <string>

#include "app/gui/views/cell_source.hpp"
#include "app/gui/views/viewport2d.hpp"
#include "render/gl/names.hpp"

namespace tri::app::gui {

/// Needs a current GL context from the first draw() to its end.
class CellView {
 public:
  /// Takes width x height pixels at ImGui's cursor. The source must live until the frame is drawn. Returns the cell
  /// under the pointer.
  std::optional<Cell> draw(const char* id, const CellSource& source, const CellPaint& paint, float width, float height);

  Viewport2D& lens() noexcept { return lens_; }

 private:
  void take_input(float x, float y);
  void send();

  Viewport2D lens_;
  CellPixels pixels_;
  gl::Texture texture_;
  u32 texture_cols_ = 0, texture_rows_ = 0;
};

/// "1:16, means", where texels stand for several cells; else nothing.
std::string coarseness(const CellWindow& window);

}  // namespace tri::app::gui
