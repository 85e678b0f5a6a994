#include "app/gui/base/layout.hpp"

#include <algorithm>
#include <cmath>

namespace tri::app::gui {
namespace {

// Pixels at scale 1.
constexpr float kRail = 48, kStrip = 28, kStatus = 24, kLanes = 196;
constexpr float kNarrow = 900, kSlim = 1100, kTall = 1000, kWide = 2200;
constexpr float kLeastScene = 160;
constexpr float kLeastHeight = 200;  // of a window with a rail and a strip

/// Of the right column, in a window of width x height.
float column_width(float width, float height) {
  if (width < kSlim) return 300;
  if (height < kTall) return 408;
  return width > kWide ? 560 : 496;
}

}  // namespace

Layout layout(float width, float height, float scale, const LayoutChoice& choice) {
  Layout l;
  const float w = width / scale, h = height / scale;
  l.narrow = w < kNarrow;
  l.compact = h < kTall || w < kSlim;
  l.row = scale * (h < 640 ? 24.0f : h < kTall ? 26.0f : 32.0f);
  l.scene = {0, 0, width, height};
  if (choice.panels) {
    const bool tiny = h < kLeastHeight || w < kRail * 4;
    const float status = std::min(kStatus * scale, height), strip = tiny ? 0 : kStrip * scale;
    l.status = {0, height - status, width, status};
    l.strip = {0, height - status - strip, width, strip};
    const float tall = height - status - strip;
    const float chosen = std::clamp(choice.column_width, kLeastColumn, kMostColumn);
    const float column = std::min((choice.column_width > 0 ? chosen : column_width(w, h)) * scale, width * 0.6f);
    const bool beside = !l.narrow && !tiny;
    l.rail = {0, 0, tiny ? 0 : kRail * scale, tall};
    if (beside || choice.column) l.right = {width - column, 0, column, tall};
    const float left = std::clamp(choice.left_width, kLeastLeft, kMostLeft) * scale;
    if (choice.left) l.left = {l.rail.w, 0, std::min(left, width - l.rail.w), tall};
    l.scene = {l.rail.w, 0, std::max(0.0f, width - l.rail.w - (beside ? column : 0)), tall};
    // A panel that leaves next to no scene beside it stands over it.
    if (choice.pinned && l.scene.w - l.left.w >= kLeastScene * scale) {
      l.scene.x += l.left.w, l.scene.w -= l.left.w;
    }
  }
  if (choice.panels && choice.lanes) {
    const float part = std::floor(std::min(kLanes * scale, l.scene.h / 2));
    l.lanes = {l.scene.x, l.scene.h - part, l.scene.w, part};
    l.scene.h -= part;
    if (l.left.x + l.left.w > l.scene.x) l.left.h -= part;
  }
  l.free = l.scene;
  l.free.x = l.rail.w + l.left.w;
  l.free.w = std::max(0.0f, (l.right.w > 0 ? l.right.x : width) - l.free.x);
  if (choice.pane) {
    const float part = choice.whole ? l.scene.h : std::floor(l.scene.h / 2);
    l.pane = {l.scene.x, l.scene.h - part, l.scene.w, part};
    l.scene.h -= part;
    l.free.h = l.scene.h;
  }
  return l;
}

Rect fitted(float width, float height, float room_width, float room_height) {
  const float scale = std::min(room_width / width, room_height / height), w = width * scale, h = height * scale;
  return {(room_width - w) / 2, (room_height - h) / 2, w, h};
}

}  // namespace tri::app::gui
