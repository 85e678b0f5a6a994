#pragma once
/// What a view of cells shows: values by cell, and their colours. Pure numbers: no ImGui, no GL.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/views/viewport2d.hpp"
#include "render/colour_map.hpp"

namespace tri::app::gui {

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

}  // namespace tri::app::gui
