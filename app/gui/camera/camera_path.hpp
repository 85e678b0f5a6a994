#pragma once
/// A path of the camera: bookmarks with a time each, joined by cubics. Numbers only.
///
/// The pose at a bookmark's time is that bookmark, bit for bit, and its speed has no jumps: the path begins and ends at
/// rest, and stays at its ends before and after. Between them each number of the pose is a cubic Hermite spline over
/// time, whose slope at a bookmark is that of the parabola through it and its neighbours: a Catmull-Rom spline (Catmull
/// and Rom 1974) with the times as knots (Barry and Goldman 1988). The distance is interpolated by its logarithm, so
/// that it stays positive; yaw the short way round; pitch with slopes limited as by Fritsch and Carlson (1980), so that
/// it stays between those of its bookmarks and never passes the pole. Yaw and pitch in place of quaternions keep the
/// horizon level.

#include <cstddef>
#include <vector>

#include "render/camera.hpp"

namespace tri::app::gui {

class CameraPath {
 public:
  static constexpr std::size_t kMost = 1000;  ///< bookmarks

  struct Mark {
    double time = 0;  ///< simulated, of the scene
    render::CameraPose pose;
    bool operator==(const Mark&) const = default;
  };

  /// In the order of their times, no two of which are equal.
  const std::vector<Mark>& marks() const noexcept { return marks_; }
  bool empty() const noexcept { return marks_.empty(); }
  /// Puts a bookmark there, in place of one of the same time; its number. time: finite. At most kMost of them.
  std::size_t add(double time, const render::CameraPose& pose);
  /// Gives a bookmark another time; its number then. A bookmark that has this time goes.
  std::size_t move(std::size_t mark, double time);
  void remove(std::size_t mark) { marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(mark)); }
  void clear() { marks_.clear(); }

  /// The pose at a time. There must be a bookmark.
  render::CameraPose at(double time) const;

  bool operator==(const CameraPath&) const = default;

 private:
  std::vector<Mark> marks_;
};

}  // namespace tri::app::gui
