#include "app/gui/camera/camera_path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sim/base/contracts.hpp"

namespace tri::app::gui {
namespace {

/// Numbers of a pose as they are interpolated: target, logarithm of the distance, yaw, pitch.
using Channels = std::array<double, 6>;
constexpr std::size_t kDistance = 3, kYaw = 4, kPitch = 5;

Channels channels_of(const render::CameraPose& pose, double near_yaw) {
  Channels c{};
  for (int a = 0; a < 3; ++a) c[static_cast<std::size_t>(a)] = static_cast<double>(pose.target[a]);
  c[kDistance] = std::log(static_cast<double>(pose.distance));
  c[kYaw] = near_yaw + std::remainder(static_cast<double>(pose.yaw) - near_yaw, 2 * std::numbers::pi);
  c[kPitch] = static_cast<double>(pose.pitch);
  return c;
}

render::CameraPose pose_of(const Channels& c) {
  render::CameraPose pose;
  for (int a = 0; a < 3; ++a) pose.target[a] = static_cast<float>(c[static_cast<std::size_t>(a)]);
  pose.distance = static_cast<float>(std::exp(c[kDistance]));
  pose.yaw = static_cast<float>(std::remainder(c[kYaw], 2 * std::numbers::pi));
  pose.pitch = static_cast<float>(c[kPitch]);
  return pose;
}

/// Slope at a bookmark between two others, from the slopes of the lines to them and the times these take.
double slope_at(double before, double after, double time_before, double time_after, bool limited) {
  const double slope = (time_after * before + time_before * after) / (time_before + time_after);
  if (!limited) return slope;
  if (before * after <= 0) return 0;
  const double most = 3 * std::min(std::abs(before), std::abs(after));
  return std::clamp(slope, -most, most);
}

}  // namespace

std::size_t CameraPath::add(double time, const render::CameraPose& pose) {
  TRI_EXPECTS(std::isfinite(time));
  const auto at =
      std::lower_bound(marks_.begin(), marks_.end(), time, [](const Mark& m, double t) { return m.time < t; });
  const auto number = static_cast<std::size_t>(at - marks_.begin());
  if (at != marks_.end() && at->time == time) {
    at->pose = pose;
  } else {
    TRI_EXPECTS(marks_.size() < kMost);
    marks_.insert(at, {time, pose});
  }
  return number;
}

std::size_t CameraPath::move(std::size_t mark, double time) {
  const render::CameraPose pose = marks_[mark].pose;
  remove(mark);
  return add(time, pose);
}

render::CameraPose CameraPath::at(double time) const {
  TRI_EXPECTS(!marks_.empty());
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), time, [](double t, const Mark& m) { return t < m.time; });
  if (after == marks_.begin()) return marks_.front().pose;
  const auto k = static_cast<std::size_t>(after - marks_.begin()) - 1;
  if (after == marks_.end() || marks_[k].time == time) return marks_[k].pose;

  const Mark &from = marks_[k], &to = marks_[k + 1];
  const double length = to.time - from.time, t = (time - from.time) / length;
  const Channels begin = channels_of(from.pose, static_cast<double>(from.pose.yaw));
  const Channels end = channels_of(to.pose, begin[kYaw]);
  const Channels earlier = k > 0 ? channels_of(marks_[k - 1].pose, begin[kYaw]) : begin;
  const Channels later = k + 2 < marks_.size() ? channels_of(marks_[k + 2].pose, end[kYaw]) : end;
  Channels now{};
  for (std::size_t c = 0; c < now.size(); ++c) {
    const double line = (end[c] - begin[c]) / length;
    double leaves = 0, arrives = 0;
    if (k > 0) {
      const double before = from.time - marks_[k - 1].time;
      leaves = slope_at((begin[c] - earlier[c]) / before, line, before, length, c == kPitch);
    }
    if (k + 2 < marks_.size()) {
      const double behind = marks_[k + 2].time - to.time;
      arrives = slope_at(line, (later[c] - end[c]) / behind, length, behind, c == kPitch);
    }
    // Hermite's cubic.
    const double u = 1 - t;
    now[c] =
        begin[c] * u * u * (1 + 2 * t) + end[c] * t * t * (3 - 2 * t) + length * t * u * (leaves * u - arrives * t);
  }
  return pose_of(now);
}

}  // namespace tri::app::gui
