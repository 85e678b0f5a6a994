// The camera's path: through every bookmark, without jumps in speed, never nearer than zero and never past the pole.

#include "app/gui/camera/camera_path.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "app/gui/camera/path_file.hpp"
#include "sim/base/error.hpp"

namespace tri::app::gui {
namespace {

using Numbers = std::array<double, 6>;

Numbers numbers_of(const render::CameraPose& p) {
  return {static_cast<double>(p.target.x),           static_cast<double>(p.target.y), static_cast<double>(p.target.z),
          std::log(static_cast<double>(p.distance)), static_cast<double>(p.yaw),      static_cast<double>(p.pitch)};
}

/// b - a, angles the short way.
Numbers between(const CameraPath& path, double a, double b) {
  const Numbers from = numbers_of(path.at(a)), to = numbers_of(path.at(b));
  Numbers d{};
  for (std::size_t c = 0; c < d.size(); ++c) {
    d[c] = c == 4 ? std::remainder(to[c] - from[c], 2 * std::numbers::pi) : to[c] - from[c];
  }
  return d;
}

/// Uneven times, a turn across the seam of yaw, pitches near the pole, distances over three decades.
CameraPath winding() {
  CameraPath path;
  path.add(3, {{2, -1, 0.5f}, 0.3f, 3.0f, 1.5f});
  path.add(-1, {{0, 0, 0}, 5, 0.6f, 0.4f});
  path.add(0.25, {{1, 4, -2}, 80, 2.4f, -1.2f});
  path.add(7, {{2, -1, 0.5f}, 0.3f, -2.9f, 1.55f});
  path.add(7.5, {{-3, 0, 1}, 11, -1.1f, 1.54f});
  return path;
}

TEST(CameraPath, GoesThroughEveryBookmarkBitForBit) {
  const CameraPath path = winding();
  ASSERT_EQ(path.marks().size(), 5u);
  double before = -1e300;
  for (const CameraPath::Mark& m : path.marks()) {
    EXPECT_GT(m.time, before);
    EXPECT_EQ(path.at(m.time), m.pose) << m.time;
    before = m.time;
    for (const double side : {std::nextafter(m.time, -1e9), std::nextafter(m.time, 1e9)}) {
      for (const double d : between(path, side, m.time)) EXPECT_NEAR(d, 0, 1e-5) << m.time;
    }
  }
  EXPECT_EQ(path.at(-100), path.marks().front().pose);
  EXPECT_EQ(path.at(100), path.marks().back().pose);
}

/// At every bookmark the slope from the left is that from the right; at both ends it is zero.
TEST(CameraPath, ItsSpeedDoesNotJump) {
  const CameraPath path = winding();
  constexpr double kStep = 1e-3;
  for (const CameraPath::Mark& m : path.marks()) {
    // One-sided differences of second order: (4 f(h) - f(2h)) / 2h.
    const Numbers l1 = between(path, m.time, m.time - kStep), l2 = between(path, m.time, m.time - 2 * kStep);
    const Numbers r1 = between(path, m.time, m.time + kStep), r2 = between(path, m.time, m.time + 2 * kStep);
    for (std::size_t c = 0; c < 6; ++c) {
      const double left = -(4 * l1[c] - l2[c]) / (2 * kStep), right = (4 * r1[c] - r2[c]) / (2 * kStep);
      EXPECT_NEAR(left, right, 0.02 * std::max(1.0, std::abs(left))) << "number " << c << " at " << m.time;
      const bool end = m.time == path.marks().front().time || m.time == path.marks().back().time;
      if (end) {
        EXPECT_NEAR(right, 0, 0.02) << "number " << c;
      }
    }
  }
}

/// Between inner bookmarks a Catmull-Rom spline is exact for parabolas, whatever the times.
TEST(CameraPath, ReproducesParabolas) {
  const auto pose = [](double t) {
    return render::CameraPose{
        {static_cast<float>(1 - t + 0.5 * t * t), static_cast<float>(3 * t), static_cast<float>(0.25 * t * t)},
        static_cast<float>(std::exp(0.2 * t - 0.1 * t * t)),
        static_cast<float>(0.5 * t - 0.05 * t * t),
        0.3f};
  };
  CameraPath path;
  for (const double t : {0.0, 0.5, 2.0, 2.25, 3.5, 4.0}) path.add(t, pose(t));
  for (double t = 0.5; t <= 3.5; t += 0.03125) {
    const Numbers is = numbers_of(path.at(t)), want = numbers_of(pose(t));
    for (std::size_t c = 0; c < 6; ++c) EXPECT_NEAR(is[c], want[c], 2e-6) << "number " << c << " at " << t;
  }
}

/// Two bookmarks: Hermite's cubic from rest to rest, 3 t^2 - 2 t^3 of the way.
TEST(CameraPath, TwoBookmarksAreAWayFromRestToRest) {
  CameraPath path;
  path.add(10, {{0, 0, 0}, 1, 3.0f, 0});
  path.add(14, {{8, 0, 0}, 100, -3.0f, 1});
  for (double t = 0; t <= 1; t += 0.0625) {
    const double way = t * t * (3 - 2 * t);
    const render::CameraPose pose = path.at(10 + 4 * t);
    EXPECT_NEAR(static_cast<double>(pose.target.x), 8 * way, 1e-5);
    EXPECT_NEAR(static_cast<double>(pose.distance), std::pow(100, way), 1e-3);
    const double yaw = 3 + (2 * std::numbers::pi - 6) * way;  // the short way, across pi
    EXPECT_NEAR(std::remainder(static_cast<double>(pose.yaw) - yaw, 2 * std::numbers::pi), 0, 1e-5);
    EXPECT_LE(std::abs(pose.yaw), 3.1416f);
  }
}

TEST(CameraPath, StaysOffThePoleAndTheTarget) {
  const CameraPath path = winding();
  for (double t = -2; t < 9; t += 1.0 / 512) {
    const render::CameraPose p = path.at(t);
    EXPECT_LE(std::abs(p.pitch), 1.55001f) << t;
    EXPECT_GT(p.distance, 0) << t;
    EXPECT_TRUE(std::isfinite(p.target.x + p.target.y + p.target.z + p.yaw)) << t;
  }
}

TEST(CameraPath, BookmarksMoveAndGo) {
  CameraPath path = winding();
  const render::CameraPose last = path.marks().back().pose;
  EXPECT_EQ(path.move(4, 1), 2u);
  EXPECT_EQ(path.at(1), last);
  EXPECT_EQ(path.add(1, {{9, 9, 9}, 2, 0, 0}), 2u) << "in its place";
  EXPECT_EQ(path.marks().size(), 5u);
  path.remove(0);
  EXPECT_EQ(path.marks().front().time, 0.25);
  path.clear();
  EXPECT_TRUE(path.empty());
  path.add(2, last);
  EXPECT_EQ(path.at(-5), last);
}

std::string fault_of(const std::string& text) {
  try {
    parse_camera_path(text, "p.toml");
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(CameraPathFile, IsReadAgainBitForBit) {
  const CameraPath path = winding();
  EXPECT_EQ(parse_camera_path(camera_path_text(path), "p.toml"), path);
}

TEST(CameraPathFile, FaultsNameTheirLine) {
  const std::string good = "[[bookmark]]\ntime = 1\ntarget = [0, 0, 0]\ndistance = 2\nyaw = 0\npitch = 0\n";
  EXPECT_EQ(fault_of(good), "");
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return fault_of(text);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? "" : "'" + text + "' without " + part;
  };
  EXPECT_EQ(has(fault_of(""), "no bookmark"), "");
  EXPECT_EQ(has(fault_of("x = ["), "p.toml:1: this is not TOML"), "");
  EXPECT_EQ(has(fault_of("speed = 1\n" + good), "unknown key 'speed'"), "");
  EXPECT_EQ(has(with("pitch = 0", "pitch = 90"), "p.toml:6: pitch is 90"), "");
  EXPECT_EQ(has(with("distance = 2", "distance = 0"), "p.toml:4: distance is 0"), "");
  EXPECT_EQ(has(with("time = 1", "time = nan"), "p.toml:2: time must be a number"), "");
  EXPECT_EQ(has(with("[0, 0, 0]", "[0, 0]"), "p.toml:3: target must be three numbers"), "");
  EXPECT_EQ(has(with("yaw = 0", "yawn = 0"), "yaw"), "");
  EXPECT_EQ(has(with("yaw = 0\n", ""), "no yaw"), "");
  EXPECT_EQ(has(fault_of(good + good), "time 1 has a bookmark already"), "");
}

}  // namespace
}  // namespace tri::app::gui
