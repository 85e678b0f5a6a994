#pragma once
/// A 2-D array of cells seen through a rectangle of the screen: zoom, pan, what is visible, and how coarse. Pure
/// geometry: no ImGui, no GL.

#include <optional>

#include "app/gui/base/gui_state.hpp"

namespace tri::app::gui {

/// A place in an array; row 0 is the upper one.
struct Cell {
  u32 col = 0, row = 0;
  bool operator==(const Cell&) const = default;
};

/// A part of an array as texels, each of step x step cells. Those at the right and lower ends may reach beyond the
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

  /// Cells of the array, >= 1 each. Another array is seen as a whole.
  void set_array(u32 width, u32 height);
  /// Pixels of the rectangle. Who sees the whole goes on doing so; else the middle stays where it is.
  void set_view(float width, float height);
  void fit();  ///< the whole array, in the middle
  /// The cells follow the pointer by so many pixels. The middle of the view stays within the array.
  void pan(float dx, float dy);
  /// Larger by `factor` > 0, with the cell under (x, y) staying there. Not smaller than the whole array at half the
  /// size of fit(), not larger than kLargestCell a cell.
  void zoom(float factor, float x, float y);

  bool fitted() const noexcept { return fitted_; }
  double pixels() const noexcept { return pixels_; }  ///< of a cell's side
  /// The cell under a point of the view, in pixels from its upper left corner.
  std::optional<Cell> cell_at(float x, float y) const;
  /// What is visible, with texels of one pixel at least and fewer than two, where cells are smaller than a pixel; none
  /// (cols or rows 0) where nothing of the array is.
  CellWindow window() const;
  /// Where the cells of a window stand, in pixels from the view's corner; the part beyond the array is left out.
  Rect place(const CellWindow& window) const;

 private:
  double fit_pixels() const;
  void keep_inside();

  u32 width_ = 1, height_ = 1;
  double view_w_ = 1, view_h_ = 1;
  double x_ = 0.5, y_ = 0.5;  ///< the place in the array, in cells, at the middle of the view
  double pixels_ = 1;
  bool fitted_ = true;
};

}  // namespace tri::app::gui
