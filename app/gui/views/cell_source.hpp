#pragma once
/// What a view of cells shows: values by cell, and their colours. Numbers only: no ImGui, no GL.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/views/viewport2d.hpp"
#include "render/colour_map.hpp"

namespace tri::app::gui {

/// A 2-D array that is read by windows. A source that keeps no array (compact storage, a formula) reads from what it
/// has; one with a host array answers by mean_cells().
class CellSource {
 public:
  virtual ~CellSource() = default;
  virtual u32 width() const = 0;
  virtual u32 height() const = 0;
  virtual u64 version() const = 0;  ///< another number whenever a value is another
  /// texels[window.cols * window.rows], row by row: the mean over the cells of each that hold a value; NaN where none
  /// does.
  virtual void read(const CellWindow& window, std::span<float> texels) const = 0;
  /// What is said of the cell under the pointer.
  virtual std::string tell(Cell cell) const = 0;
};

/// read() of a host array [rows][width]. Bytes: `none` is the one that stands for no value. Floats: NaN does.
void mean_cells(std::span<const u8> values, u32 width, std::optional<u8> none, const CellWindow& window,
                std::span<float> texels);
void mean_cells(std::span<const float> values, u32 width, const CellWindow& window, std::span<float> texels);

/// Colours of values. For indices 0..k: a ramp of k + 1 colours, low 0, high k; means of several cells then lie
/// between two colours.
struct CellPaint {
  std::vector<std::array<float, 3>> ramp;  ///< sRGB, evenly from low to high; two at least
  float low = 0, high = 1;                 ///< values beyond take the colour of the end
  bool logarithmic = false;                ///< needs low > 0
  std::array<float, 4> none{0, 0, 0, 0};   ///< of cells without a value
  bool operator==(const CellPaint&) const = default;
};
CellPaint cell_paint(render::ColourMap map, float low, float high, bool logarithmic = false);

/// RGBA, 8 bits each, red in the lowest.
void paint_cells(std::span<const float> texels, const CellPaint& paint, std::span<u32> rgba);

/// The colours of a window, made anew only where source, window or paint changed.
class CellPixels {
 public:
  /// True when the colours are others than before.
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
