// Columns of panels on both sides, the scene between them (and the bottom pane below it), a status line at the bottom.
// Where the window is too narrow for two columns, for its size or for its scale, all panels share the right one.

#include "app/gui/base/layout.hpp"

#include <algorithm>
#include <cmath>

namespace tri::app::gui {
namespace {

constexpr float kLeft = 288, kRight = 348, kStatus = 24, kTwoColumns = 1040;

}  // namespace

Layout layout(float width, float height, float scale, bool panels, bool pane) {
  Layout l;
  const float below = std::min(kStatus * scale, height);
  l.status = {0, height - below, width, below};
  const float tall = height - below;
  float left = 0, right = 0;
  if (panels) {
    right = std::min(kRight * scale, width * 0.6f);
    if (width >= kTwoColumns * scale) left = kLeft * scale;
  }
  if (left > 0) l.left = {0, 0, left, tall};
  if (right > 0) l.right = {width - right, 0, right, tall};
  l.scene = {left, 0, width - left - right, tall};
  if (pane) {
    const float part = std::floor(tall / 2);
    l.pane = {left, tall - part, l.scene.w, part};
    l.scene.h -= part;
  }
  return l;
}

}  // namespace tri::app::gui
