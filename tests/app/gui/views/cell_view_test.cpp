// Cell views without a window: visible cells against a per-pixel search, means against plain sums, colours.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "app/gui/views/cell_source.hpp"
#include "app/gui/views/cell_view.hpp"

namespace tri::app::gui {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// Every pixel's cell lies in the window, no row or column of texels lies outside the view, and texels are 1 to 2
/// pixels wide where cells are smaller than that.
void check_window(const Viewport2D& lens, u32 width, u32 height, u32 view_w, u32 view_h) {
  const CellWindow w = lens.window();
  ASSERT_EQ(w.step & (w.step - 1), 0u);
  ASSERT_EQ(w.col % w.step, 0u);
  ASSERT_EQ(w.row % w.step, 0u);
  ASSERT_GE(w.step * lens.pixels(), 1);
  if (w.step > 1) {
    ASSERT_LT(w.step * lens.pixels(), 2);
  }
  u32 seen = 0, low_col = ~0u, high_col = 0, low_row = ~0u, high_row = 0;
  for (u32 y = 0; y < view_h; ++y) {
    for (u32 x = 0; x < view_w; ++x) {
      const auto cell = lens.cell_at(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
      if (!cell) continue;
      ++seen;
      low_col = std::min(low_col, cell->col), high_col = std::max(high_col, cell->col);
      low_row = std::min(low_row, cell->row), high_row = std::max(high_row, cell->row);
    }
  }
  if (seen == 0) return;
  ASSERT_LE(w.col, low_col);
  ASSERT_LE(w.row, low_row);
  ASSERT_GT(w.col + w.cols * w.step, high_col);
  ASSERT_GT(w.row + w.rows * w.step, high_row);
  // At most one extra texel at each end, of which half a pixel may be visible.
  ASSERT_GE(w.col + 2 * w.step, low_col);
  ASSERT_LE(w.col + (w.cols - 1) * w.step, high_col + w.step);
  ASSERT_LT(w.col + (w.cols - 1) * w.step, width);
  ASSERT_LT(w.row + (w.rows - 1) * w.step, height);
}

TEST(Viewport2D, WindowContainsEveryVisibleCell) {
  std::mt19937 random(7);
  const auto up_to = [&](float most) { return std::uniform_real_distribution<float>(0, most)(random); };
  for (const auto& [width, height] : {std::pair{1u, 1u}, {7u, 3u}, {100u, 100u}, {16384u, 16384u}, {65535u, 2u}}) {
    Viewport2D lens;
    lens.set_array(width, height);
    lens.set_view(97, 61);
    check_window(lens, width, height, 97, 61);
    for (int k = 0; k < 60; ++k) {
      if (k % 3 == 0) lens.pan(up_to(80) - 40, up_to(80) - 40);
      if (k % 3 == 1) lens.zoom(0.3f + up_to(3), up_to(97), up_to(61));
      check_window(lens, width, height, 97, 61);
    }
  }
}

TEST(Viewport2D, FitShowsEverythingAndSurvivesAResize) {
  Viewport2D lens;
  lens.set_array(400, 100);
  lens.set_view(200, 200);
  EXPECT_DOUBLE_EQ(lens.pixels(), 0.5);
  EXPECT_EQ(lens.window(), (CellWindow{0, 0, 200, 50, 2}));
  const Rect r = lens.place(lens.window());
  EXPECT_EQ((std::array{r.x, r.y, r.w, r.h}), (std::array{0.0f, 75.0f, 200.0f, 50.0f}));
  EXPECT_FALSE(lens.cell_at(10, 74.9f)) << "above the array";
  EXPECT_EQ(lens.cell_at(199.9f, 124.9f), (Cell{399, 99}));
  lens.set_view(800, 800);
  EXPECT_DOUBLE_EQ(lens.pixels(), 2);
  lens.pan(-100, 0);
  lens.set_view(200, 200);
  EXPECT_DOUBLE_EQ(lens.pixels(), 2) << "who chose a place keeps it";
  lens.set_array(3, 3);
  EXPECT_EQ(lens.pixels(), 200.0 / 3) << "another array is seen as a whole";
  lens.set_view(2000, 2000);
  EXPECT_EQ(lens.pixels(), Viewport2D::kLargestCell);
}

TEST(Viewport2D, ZoomKeepsTheCellUnderThePointer) {
  Viewport2D lens;
  lens.set_array(16384, 16384);
  lens.set_view(640, 480);
  const auto before = lens.cell_at(400, 333);
  for (int k = 0; k < 40; ++k) lens.zoom(1.3f, 400, 333);
  ASSERT_TRUE(before);
  const auto after = lens.cell_at(400, 333);
  ASSERT_TRUE(after);
  EXPECT_NEAR(after->col, before->col, 18) << "half a pixel of the first view";
  EXPECT_NEAR(after->row, before->row, 18);
  EXPECT_EQ(lens.pixels(), Viewport2D::kLargestCell) << "and no larger";
  EXPECT_EQ(lens.window().step, 1u);
  for (int k = 0; k < 60; ++k) lens.zoom(0.7f, 400, 333);
  EXPECT_DOUBLE_EQ(lens.pixels(), 480.0 / 16384 / 2) << "no smaller than half the whole";
}

TEST(Viewport2D, CentreStaysInTheArray) {
  Viewport2D lens;
  lens.set_array(50, 20);
  lens.set_view(100, 100);
  lens.zoom(4, 50, 50);
  lens.pan(1e6f, -1e6f);
  EXPECT_EQ(lens.cell_at(50.5f, 49.5f), (Cell{0, 19}));
  EXPECT_FALSE(lens.cell_at(49, 49)) << "left of the array";
}

template <class T>
float plain_mean(const std::vector<T>& values, u32 width, std::optional<T> none, const CellWindow& w, u32 i, u32 j) {
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const u32 x = static_cast<u32>(k) % width, y = static_cast<u32>(k) / width;
    const bool inside = x >= w.col + i * w.step && x < w.col + (i + 1) * w.step && y >= w.row + j * w.step &&
                        y < w.row + (j + 1) * w.step;
    if (!inside || values[k] != values[k] || (none && values[k] == *none)) continue;
    sum += static_cast<double>(values[k]), ++count;
  }
  return count > 0 ? static_cast<float>(sum / count) : kNone;
}

template <class T, class Read>
void check_means(const std::vector<T>& values, u32 width, std::optional<T> none, const Read& read) {
  for (const CellWindow& w : {CellWindow{0, 0, 13, 11, 1},
                              {3, 5, 4, 2, 1},
                              {0, 0, 7, 6, 2},
                              {4, 4, 3, 2, 4},
                              {8, 8, 1, 1, 8},
                              {0, 0, 1, 1, 16}}) {
    std::vector<float> texels(std::size_t{w.cols} * w.rows, -1);
    read(w, texels);
    for (u32 k = 0; k < texels.size(); ++k) {
      const float want = plain_mean(values, width, none, w, k % w.cols, k / w.cols);
      ASSERT_EQ(std::isnan(want), std::isnan(texels[k]));
      if (!std::isnan(want)) {
        ASSERT_FLOAT_EQ(texels[k], want) << w.step << " " << k;
      }
    }
  }
}

TEST(CellSource, TexelsAreMeansOfTheirCells) {
  constexpr u32 kWidth = 13, kHeight = 11;
  std::vector<u8> bytes;
  std::vector<float> floats;
  for (u32 k = 0; k < kWidth * kHeight; ++k) {
    bytes.push_back(static_cast<u8>(k * 37 % 256));
    floats.push_back(k % 5 == 2 || (k / kWidth >= 8 && k % kWidth >= 8) ? kNone : 0.25f * static_cast<float>(k));
  }
  check_means<u8>(bytes, kWidth, std::nullopt,
                  [&](const CellWindow& w, auto& t) { mean_cells(bytes, kWidth, std::nullopt, w, t); });
  for (u8& b : bytes) b = b % 3;
  check_means<u8>(bytes, kWidth, u8{2}, [&](const CellWindow& w, auto& t) { mean_cells(bytes, kWidth, u8{2}, w, t); });
  check_means<float>(floats, kWidth, std::nullopt,
                     [&](const CellWindow& w, auto& t) { mean_cells(floats, kWidth, w, t); });
}

u32 rgba(u32 r, u32 g, u32 b) { return r | g << 8 | b << 16 | 255u << 24; }

TEST(CellSource, ValuesMapToColours) {
  const CellPaint index{{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, 0, 2, false, {0, 1, 0, 0.2f}};
  const std::vector<float> texels{0, 1, 2, 0.5f, 1.5f, -7, 9, kNone};
  std::vector<u32> colours(texels.size());
  paint_cells(texels, index, colours);
  EXPECT_EQ(colours, (std::vector<u32>{rgba(0, 0, 0), rgba(255, 0, 0), rgba(0, 0, 255), rgba(128, 0, 0),
                                       rgba(128, 0, 128), rgba(0, 0, 0), rgba(0, 0, 255), 255u << 8 | 51u << 24}));
  const CellPaint powers{{{0, 0, 0}, {0.8f, 0.8f, 0.8f}}, 1, 100, true, {}};
  const std::vector<float> numbers{1, 10, 100, 0, -1};
  colours.resize(numbers.size());
  paint_cells(numbers, powers, colours);
  EXPECT_EQ(colours,
            (std::vector<u32>{rgba(0, 0, 0), rgba(102, 102, 102), rgba(204, 204, 204), rgba(0, 0, 0), rgba(0, 0, 0)}));
  const CellPaint flat = cell_paint(render::ColourMap::viridis, 3, 3);
  const std::vector<float> same{3, 3};
  colours.resize(2);
  paint_cells(same, flat, colours);
  EXPECT_EQ(colours[0], colours[1]) << "one value alone is no division by zero";
}

/// Counts how often it is read.
struct Counted final : CellSource {
  u32 width() const override { return 4; }
  u32 height() const override { return 2; }
  u64 version() const override { return now; }
  void read(const CellWindow&, std::span<float> texels) const override {
    ++reads;
    std::fill(texels.begin(), texels.end(), static_cast<float>(now));
  }
  std::string describe(Cell) const override { return ""; }
  u64 now = 0;
  mutable int reads = 0;
};

TEST(CellPixels, AreRebuiltOnlyAfterAChange) {
  Counted source, other;
  CellPixels pixels;
  CellPaint paint{{{0, 0, 0}, {1, 1, 1}}, 0, 1, false, {}};
  const CellWindow all{0, 0, 4, 2, 1};
  EXPECT_TRUE(pixels.update(source, paint, all));
  EXPECT_EQ(pixels.rgba().size(), 8u);
  EXPECT_FALSE(pixels.update(source, paint, all));
  EXPECT_EQ(source.reads, 1);
  paint.high = 2;
  EXPECT_TRUE(pixels.update(source, paint, all));
  EXPECT_EQ(source.reads, 1) << "other colours of the same values";
  source.now = 2;
  EXPECT_TRUE(pixels.update(source, paint, all));
  EXPECT_EQ(pixels.rgba()[7], rgba(255, 255, 255));
  EXPECT_TRUE(pixels.update(source, paint, {0, 0, 2, 1, 1}));
  EXPECT_EQ(pixels.rgba().size(), 2u);
  EXPECT_TRUE(pixels.update(other, paint, {0, 0, 2, 1, 1}));
  EXPECT_EQ(coarseness({0, 0, 1, 1, 16}), "1:16, means");
  EXPECT_EQ(coarseness(all), "");
}

}  // namespace
}  // namespace tri::app::gui
