#pragma once
/// Views of arrays of cells: the visible rectangle, where cells come from, how they are drawn.
///
/// A 2-D array of cells seen through a rectangle of the screen: zoom, pan, the visible part and its resolution. Pure
/// geometry: no ImGui, no GL.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/base/scene_view.hpp"
#include "render/gl/gl.hpp"
#include "render/view.hpp"
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

// What a view of cells shows: values by cell, and their colours. Pure numbers: no ImGui, no GL.

/// A 2-D array that is read window by window. A source without an array (compact storage, a formula) computes the
/// values; one with a host array uses mean_cells().
class CellSource {
 public:
  virtual ~CellSource() = default;
  virtual u32 width() const = 0;
  virtual u32 height() const = 0;
  virtual u64 version() const = 0;  ///< changes whenever a value does
  /// texels[window.cols * window.rows], row by row: the mean over the cells of each texel that hold a value; NaN where
  /// none does.
  virtual void read(const CellWindow& window, std::span<float> texels) const = 0;
  /// Text of the tooltip over a cell.
  virtual std::string describe(Cell cell) const = 0;
};

/// read() of a host array [rows][width]. Bytes: `none` marks a cell without a value; in floats NaN does.
void mean_cells(std::span<const u8> values, u32 width, std::optional<u8> none, const CellWindow& window,
                std::span<float> texels);
void mean_cells(std::span<const float> values, u32 width, const CellWindow& window, std::span<float> texels);

/// Colours of values. For indices 0..k: a ramp of k + 1 colours, low 0, high k; means of several cells then lie
/// between two colours.
struct CellPaint {
  std::vector<std::array<float, 3>> ramp;  ///< sRGB, evenly from low to high; at least two
  float low = 0, high = 1;                 ///< values outside take the colour of that end
  bool logarithmic = false;                ///< needs low > 0
  std::array<float, 4> none{0, 0, 0, 0};   ///< of cells without a value
  bool operator==(const CellPaint&) const = default;
};
CellPaint cell_paint(render::ColourMap map, float low, float high, bool logarithmic = false);

/// RGBA, 8 bits each, red in the lowest.
void paint_cells(std::span<const float> texels, const CellPaint& paint, std::span<u32> rgba);

/// Colours of a window, recomputed only when source, window or paint change.
class CellPixels {
 public:
  /// True when the colours changed.
  bool update(const CellSource& source, const CellPaint& paint, const CellWindow& window);
  std::span<const u32> rgba() const noexcept { return rgba_; }
  const CellWindow& window() const noexcept { return window_; }

 private:
  const CellSource* source_ = nullptr;
  u64 version_ = 0;
  CellWindow window_;
  CellPaint paint_;
  std::vector<float> texels_;
  std::vector<u32> rgba_;
};

// A 2-D array of values drawn in an ImGui window: the wheel zooms at the pointer, dragging pans, a double click fits
// the whole array, and a tooltip describes the cell under the pointer. Only the visible part is read and uploaded.

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
  void apply_input(float x, float y);
  void upload();

  Viewport2D viewport_;
  CellPixels pixels_;
  gl::Texture texture_;
  u32 texture_cols_ = 0, texture_rows_ = 0;
};

/// "1:16, means", where a texel covers several cells; else empty.
std::string coarseness(const CellWindow& window);

}  // namespace tri::app::gui
