#pragma once
/// Where the parts of a row of maps stand.

#include <algorithm>

namespace tri::app::gui::panel {

/// Left or right edges of what a row holds, in pixels from the left edge of the column.
struct Columns {
  float key, thumb, thumb_size, name, blocks, blocks_width, bar, bar_width, time, gain, interval;
  bool has_blocks = true, has_interval = true;
};

/// width: of the column, in pixels.
inline Columns columns_of(float width, float scale, bool compact) {
  const float w = width / scale;
  Columns c{};
  if (w < 390) {  // name, time and improvement
    c = {8, 18, 18, 42, 0, 0, 124, 28, w - 98, w - 12, 0, false, false};
  } else if (compact || w < 496) {
    c = {10, 23, 20, 52, 168, 36, 217, 37, 312, w - 12, 0, true, false};
  } else {
    const float more = std::max(0.0f, w - 496);
    c = {12, 30, 24, 64, 180, 46, 233, 56 + more, 346 + more, 410 + more, 486 + more, true, true};
  }
  for (float* x : {&c.key, &c.thumb, &c.thumb_size, &c.name, &c.blocks, &c.blocks_width, &c.bar, &c.bar_width, &c.time,
                   &c.gain, &c.interval}) {
    *x *= scale;
  }
  return c;
}

}  // namespace tri::app::gui::panel
