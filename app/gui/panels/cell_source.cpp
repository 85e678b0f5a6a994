// Compiled with -O3: a 16,384 x 16,384 array is read completely when all of it is visible.

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/gui/panels/cell_view.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

/// Sum and number of the values of a texel so far.
struct Tally {
  double sum = 0;
  u32 count = 0;
};

/// run(first value, count, tally) adds a run of one row to a tally. Rows and columns beyond the array are left out.
template <class T, class Run>
void means(std::span<const T> values, u32 width, const CellWindow& w, std::span<float> texels, const Run& run) {
  TRI_EXPECTS(width >= 1 && values.size() % width == 0 && texels.size() == std::size_t{w.cols} * w.rows);
  const auto height = static_cast<u32>(values.size() / width);
  std::vector<Tally> row(w.cols);
  for (u32 j = 0; j < w.rows; ++j) {
    std::fill(row.begin(), row.end(), Tally{});
    const u32 first = w.row + j * w.step, last = std::min(height, first + w.step);
    for (u32 y = first; y < last; ++y) {
      const T* line = values.data() + std::size_t{y} * width;
      for (u32 i = 0; i < w.cols; ++i) {
        const u32 x = w.col + i * w.step;
        if (x < width) run(line + x, std::min(w.step, width - x), row[i]);
      }
    }
    for (u32 i = 0; i < w.cols; ++i) {
      texels[std::size_t{j} * w.cols + i] =
          row[i].count == 0 ? kNone : static_cast<float>(row[i].sum / static_cast<double>(row[i].count));
    }
  }
}

u32 byte_of(float v) { return static_cast<u32>(std::lround(255 * std::clamp(v, 0.0f, 1.0f))); }

u32 packed(float r, float g, float b, float a) {
  return byte_of(r) | byte_of(g) << 8 | byte_of(b) << 16 | byte_of(a) << 24;
}

}  // namespace

void mean_cells(std::span<const u8> values, u32 width, std::optional<u8> none, const CellWindow& window,
                std::span<float> texels) {
  if (!none) {
    means(values, width, window, texels, [](const u8* v, u32 count, Tally& t) {
      u32 sum = 0;
      for (u32 k = 0; k < count; ++k) sum += v[k];
      t.sum += sum, t.count += count;
    });
    return;
  }
  means(values, width, window, texels, [skip = *none](const u8* v, u32 count, Tally& t) {
    u32 sum = 0, held = 0;
    for (u32 k = 0; k < count; ++k) {
      const u32 holds = v[k] != skip ? 1 : 0;
      sum += holds * v[k], held += holds;
    }
    t.sum += sum, t.count += held;
  });
}

void mean_cells(std::span<const float> values, u32 width, const CellWindow& window, std::span<float> texels) {
  means(values, width, window, texels, [](const float* v, u32 count, Tally& t) {
    for (u32 k = 0; k < count; ++k) {
      if (std::isnan(v[k])) continue;
      t.sum += static_cast<double>(v[k]);
      ++t.count;
    }
  });
}

CellPaint cell_paint(render::ColourMap map, float low, float high, bool logarithmic) {
  CellPaint paint;
  constexpr u32 kColours = 256;
  for (u32 k = 0; k < kColours; ++k) {
    paint.ramp.push_back(sample(map, static_cast<float>(k) / static_cast<float>(kColours - 1)));
  }
  paint.low = low, paint.high = high, paint.logarithmic = logarithmic;
  return paint;
}

void paint_cells(std::span<const float> texels, const CellPaint& p, std::span<u32> rgba) {
  TRI_EXPECTS(p.ramp.size() >= 2 && texels.size() == rgba.size() && (!p.logarithmic || p.low > 0));
  const u32 none = packed(p.none[0], p.none[1], p.none[2], p.none[3]);
  const float end = static_cast<float>(p.ramp.size() - 1);
  const float low = p.logarithmic ? std::log(p.low) : p.low, high = p.logarithmic ? std::log(p.high) : p.high;
  const float scale = high > low ? end / (high - low) : 0;
  for (std::size_t k = 0; k < texels.size(); ++k) {
    if (std::isnan(texels[k])) {
      rgba[k] = none;
      continue;
    }
    // Numbers <= 0 have no logarithm and take the lower end.
    const float v = !p.logarithmic ? texels[k] : texels[k] > 0 ? std::log(texels[k]) : low;
    const float at = std::clamp((v - low) * scale, 0.0f, end);
    const auto lower = std::min(static_cast<std::size_t>(at), p.ramp.size() - 2);
    const float share = at - static_cast<float>(lower);
    const auto &a = p.ramp[lower], &b = p.ramp[lower + 1];
    const auto between = [&](std::size_t c) { return a[c] + (b[c] - a[c]) * share; };
    rgba[k] = packed(between(0), between(1), between(2), 1);
  }
}

bool CellPixels::update(const CellSource& source, const CellPaint& paint, const CellWindow& window) {
  const bool other = source_ != &source || version_ != source.version() || window_ != window;
  if (!other && paint_ == paint) return false;
  if (other) {
    texels_.resize(std::size_t{window.cols} * window.rows);
    source.read(window, texels_);
  }
  source_ = &source, version_ = source.version(), window_ = window, paint_ = paint;
  rgba_.resize(texels_.size());
  paint_cells(texels_, paint, rgba_);
  return true;
}

}  // namespace tri::app::gui
