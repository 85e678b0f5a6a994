#pragma once
/// A 2-D array of values drawn in an ImGui window: the wheel zooms at the pointer, dragging pans, a double click fits
/// the whole array, and a tooltip describes the cell under the pointer. Only the visible part is read and uploaded.

#include <optional>
#include <string>

#include "app/gui/views/cell_source.hpp"
#include "app/gui/views/viewport2d.hpp"
#include "render/gl/names.hpp"

namespace tri::app::gui {

/// Needs a current GL context from the first draw() to its end.
class CellView {
 public:
  /// Draws width x height pixels at ImGui's cursor. The source must live until the frame is drawn. Returns the cell
  /// under the pointer.
  std::optional<Cell> draw(const char* id, const CellSource& source, const CellPaint& paint, float width, float height);
  /// Fills the rest of `place` from ImGui's cursor down, with the text and how coarse the picture is below it.
  void draw(const char* id, const CellSource& source, const CellPaint& paint, const Rect& place, float scale,
            std::string text);

 private:
  void take_input(float x, float y);
  void upload();

  Viewport2D viewport_;
  CellPixels pixels_;
  gl::Texture texture_;
  u32 texture_cols_ = 0, texture_rows_ = 0;
};

/// "1:16, means", where a texel covers several cells; else empty.
std::string coarseness(const CellWindow& window);

}  // namespace tri::app::gui
