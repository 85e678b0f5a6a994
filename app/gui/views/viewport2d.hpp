#pragma once
/// A 2-D array of cells seen through a rectangle of the screen: zoom, pan, the visible part and its resolution. Pure
/// geometry: no ImGui, no GL.

#include <optional>

#include "app/gui/base/layout.hpp"
#include "sim/base/platform.hpp"

namespace tri::app::gui {

/// A position in an array; row 0 is the upper one.
struct Cell {
  u32 col = 0, row = 0;
  bool operator==(const Cell&) const = default;
};

/// A part of an array as texels, each of step x step cells. Texels at the right and lower ends may extend beyond the
/// array.
struct CellWindow {
  u32 col = 0, row = 0;    ///< the first cell: multiples of step
  u32 cols = 0, rows = 0;  ///< texels
  u32 step = 1;            ///< a power of two
  bool operator==(const CellWindow&) const = default;
};

class Viewport2D {
 public:
  static constexpr double kLargestCell = 96;  ///< pixels

  /// Size of the array in cells, >= 1 each. A new size fits the whole array.
  void set_array(u32 width, u32 height);
  /// Size of the rectangle in pixels. A fitted view stays fitted; otherwise the centre stays where it is.
  void set_view(float width, float height);
  void fit();  ///< centres the whole array
  /// Moves the cells by so many pixels. The centre of the view stays within the array.
  void pan(float dx, float dy);
  /// Enlarges by `factor` > 0 and keeps the cell under (x, y) there. Cells stay between half their size under fit() and
  /// kLargestCell.
  void zoom(float factor, float x, float y);

  double pixels() const noexcept { return pixels_; }  ///< of a cell's side
  /// The cell under a point of the view, in pixels from its upper left corner.
  std::optional<Cell> cell_at(float x, float y) const;
  /// The visible part. Where cells are smaller than a pixel, a texel covers one to two pixels. cols or rows is 0 where
  /// nothing is visible.
  CellWindow window() const;
  /// Rectangle of a window's cells, in pixels from the view's corner, without the part beyond the array.
  Rect place(const CellWindow& window) const;

 private:
  double fit_pixels() const;
  void keep_inside();

  u32 width_ = 1, height_ = 1;
  double view_w_ = 1, view_h_ = 1;
  double x_ = 0.5, y_ = 0.5;  ///< centre of the view in the array, in cells
  double pixels_ = 1;
  bool fitted_ = true;
};

}  // namespace tri::app::gui
