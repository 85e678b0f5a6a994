// The scene and its layout: parts of the window, camera, paths, films, tools.
//
// The parts of the window: no overlap and no gap at any size and scale.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <GLFW/glfw3.h>
#include <glm/vec4.hpp>

#include "app/gui/base/scene_view.hpp"
#include "app/gui/base/window.hpp"
#include "app/gui/frame/scene_display.hpp"
#include "app/gui/frame/script.hpp"
#include "sim/base/error.hpp"
#include "tests/app/gui/base/gui_support.hpp"

namespace tri::app::gui {
namespace {

float area(const Rect& r) { return r.w * r.h; }

TEST(Layout, ThePartsFillTheWindowWithoutOverlap) {
  for (const float scale : {0.5f, 1.0f, 1.5f, 2.0f, 4.0f}) {
    for (const float width : {64.0f, 400.0f, 800.0f, 1280.0f, 1920.0f, 3840.0f}) {
      for (const float height : {16.0f, 300.0f, 720.0f, 2160.0f}) {
        for (const bool panels : {false, true}) {
          const Layout l = layout(width, height, scale, {panels});
          const float sum = area(l.rail) + area(l.right) + area(l.scene) + area(l.strip) + area(l.status);
          EXPECT_NEAR(sum, width * height, 1e-3 * width * height) << width << " x " << height << " at " << scale;
          EXPECT_FLOAT_EQ(l.scene.x, l.rail.w);
          EXPECT_FLOAT_EQ(l.scene.x + l.scene.w, l.right.w > 0 ? l.right.x : width);
          EXPECT_FLOAT_EQ(l.strip.y + l.strip.h, panels ? l.status.y : 0);
          EXPECT_GE(l.scene.w, 0.35f * width - 1) << "the scene keeps a good part: " << width << " at " << scale;
        }
      }
    }
  }
}

TEST(Layout, TheBottomPaneTakesTheLowerHalfOfTheScene) {
  for (const float height : {101.0f, 720.0f, 1081.0f}) {
    const Layout without = layout(1280, height, 1, {}), with = layout(1280, height, 1, {.pane = true});
    EXPECT_FLOAT_EQ(with.scene.h + with.pane.h, without.scene.h);
    EXPECT_FLOAT_EQ(with.pane.y, with.scene.h);
    EXPECT_FLOAT_EQ(with.pane.x, with.scene.x);
    EXPECT_FLOAT_EQ(with.pane.w, with.scene.w);
    EXPECT_LE(std::abs(with.scene.h - with.pane.h), 1);
    EXPECT_FLOAT_EQ(with.free.h, with.scene.h);
  }
}

TEST(Layout, PanelsOpenOverTheScene) {
  const Layout closed = layout(1920, 1080, 1, {}), open = layout(1920, 1080, 1, {.left = true});
  EXPECT_FLOAT_EQ(open.scene.w, closed.scene.w) << "the picture stays where it is";
  EXPECT_FLOAT_EQ(open.left.w, 320);
  EXPECT_FLOAT_EQ(open.free.x, open.left.x + open.left.w);
  EXPECT_FLOAT_EQ(open.free.x + open.free.w, open.right.x);
}

TEST(Layout, TheColumnIsAsWideAsTheWindowAllows) {
  EXPECT_EQ(layout(1280, 720, 1, {}).right.w, 408);
  EXPECT_EQ(layout(1920, 1080, 1, {}).right.w, 496);
  EXPECT_EQ(layout(3840, 2160, 2, {}).right.w, 2 * 496);
  EXPECT_EQ(layout(2560, 1440, 1, {}).right.w, 560);
  EXPECT_EQ(layout(1000, 700, 1, {}).right.w, 300);
  EXPECT_EQ(layout(1920, 1080, 2, {.column_width = 350}).right.w, 700);
  EXPECT_EQ(layout(3840, 1080, 1, {.column_width = 5000}).right.w, 900);
  EXPECT_EQ(layout(1000, 700, 1, {.column_width = 900}).right.w, 600) << "the scene keeps a good part";
  const Layout narrow = layout(800, 600, 1, {}), over = layout(800, 600, 1, {.column = true});
  EXPECT_EQ(narrow.right.w, 0) << "a button of the rail opens it";
  EXPECT_EQ(over.right.w, 300);
  EXPECT_EQ(over.scene.w, narrow.scene.w) << "over the scene";
  EXPECT_FLOAT_EQ(over.free.x + over.free.w, over.right.x);
  EXPECT_EQ(layout(1280, 720, 1, {.panels = false}).scene.w, 1280);
}

TEST(Layout, APinnedPanelNarrowsTheScene) {
  const Layout over = layout(1280, 720, 1, {.left = true}),
               beside = layout(1280, 720, 1, {.left = true, .pinned = true});
  EXPECT_FLOAT_EQ(beside.scene.x, beside.left.x + beside.left.w);
  EXPECT_FLOAT_EQ(beside.scene.x + beside.scene.w, over.scene.x + over.scene.w);
  EXPECT_FLOAT_EQ(beside.free.x, over.free.x);
  EXPECT_FLOAT_EQ(beside.free.w, over.free.w) << "what no panel covers is the same";
  EXPECT_FLOAT_EQ(layout(1280, 720, 1, {.pinned = true}).scene.w, layout(1280, 720, 1, {}).scene.w) << "none is open";
  EXPECT_FLOAT_EQ(layout(1280, 720, 1, {.left = true, .left_width = 410}).left.w, 410);
  EXPECT_FLOAT_EQ(layout(1280, 720, 2, {.left = true, .left_width = 9}).left.w, 480) << "the least, at scale 2";
  const Layout narrow = layout(500, 400, 1, {.left = true, .pinned = true, .left_width = 400});
  EXPECT_FLOAT_EQ(narrow.scene.x, narrow.rail.w) << "no scene would be left beside it";
}

TEST(Layout, LanesStandBetweenTheSceneAndTheStrip) {
  for (const bool pane : {false, true}) {
    for (const float h : {200.0f, 400.0f, 720.0f, 1080.0f}) {
      const Layout without = layout(1280, h, 1, {.pane = pane}),
                   with = layout(1280, h, 1, {.pane = pane, .lanes = true});
      EXPECT_FLOAT_EQ(with.lanes.y + with.lanes.h, with.strip.y);
      EXPECT_FLOAT_EQ(with.scene.h + with.pane.h + with.lanes.h, without.scene.h + without.pane.h);
      EXPECT_LE(with.lanes.h, 196);
      EXPECT_GE(with.scene.h + with.pane.h, with.lanes.h - 1);
    }
  }
  EXPECT_EQ(layout(1280, 720, 1, {.panels = false, .lanes = true}).lanes.h, 0);
  for (const bool pinned : {false, true}) {
    const Layout l = layout(1280, 720, 1, {.left = true, .pinned = pinned, .lanes = true});
    const bool beside = l.left.x + l.left.w <= l.lanes.x, above = l.left.y + l.left.h <= l.lanes.y;
    EXPECT_TRUE(beside || above) << "no lane covers a panel";
  }
  const Layout whole = layout(1280, 720, 1, {.pane = true, .whole = true});
  EXPECT_EQ(whole.scene.h, 0);
  EXPECT_EQ(whole.pane.h, layout(1280, 720, 1, {}).scene.h);
}

TEST(Layout, APictureKeepsItsShapeInAnotherSize) {
  const auto expect = [](const Rect& got, const Rect& want) {
    EXPECT_FLOAT_EQ(got.x, want.x);
    EXPECT_FLOAT_EQ(got.y, want.y);
    EXPECT_FLOAT_EQ(got.w, want.w);
    EXPECT_FLOAT_EQ(got.h, want.h);
  };
  expect(fitted(1920, 1080, 1920, 1080), {0, 0, 1920, 1080});
  expect(fitted(3840, 2160, 960, 720), {0, 90, 960, 540});
  expect(fitted(100, 200, 800, 600), {250, 0, 300, 600});
  expect(fitted(100, 200, 0, 0), {0, 0, 0, 0});
}

// Mouse control of the camera: a dragged point follows the pointer at any window size.

float place_x(const render::Camera& c, glm::vec3 p, float aspect) {
  const glm::vec4 clip = c.projection(aspect) * (c.view() * glm::vec4(p, 1));
  return clip.x / clip.w;
}

TEST(CameraControl, TheNearSideFollowsTheDrag) {
  render::Camera c;
  c.pose = {{0, 0, 0}, 5, 0, 0};
  const glm::vec3 near_side = c.eye() + c.forward() * 4.0f;
  CameraInput in{.seconds = 0.02f, .dx = 10, .turns = true, .width = 800, .height = 600};
  move_camera(c, in);
  EXPECT_GT(place_x(c, near_side, 800.0f / 600), 0.005f) << "to the right, as the pointer";
}

TEST(CameraControl, ATurnGlidesOutUnlessMotionIsReduced) {
  for (const bool glides : {true, false}) {
    render::Camera c;
    CameraInput in{.seconds = 0.02f, .dx = 10, .turns = true, .width = 800, .height = 600, .glides = glides};
    move_camera(c, in);
    const render::CameraPose let_go = c.pose;
    in.turns = false, in.dx = 0;
    for (int k = 0; k < 3; ++k) move_camera(c, in);
    EXPECT_EQ(c.pose != let_go, glides);
  }
}

TEST(CameraControl, PanKeepsThePointUnderThePointer) {
  render::Camera c;
  c.pose = {{0, 0, 0}, 5, 0.4f, 0.3f};
  CameraInput in{.seconds = 0.02f, .dx = 100, .dy = 0, .pans = true, .width = 800, .height = 600};
  move_camera(c, in);
  EXPECT_NEAR(place_x(c, {0, 0, 0}, 800.0f / 600), 2 * 100.0f / 800, 1e-3);
}

TEST(CameraControl, TheWheelZoomsInAndOut) {
  render::Camera c;
  const float before = c.pose.distance;
  move_camera(c, {.seconds = 0.02f, .scroll = 3});
  EXPECT_LT(c.pose.distance, before);
  move_camera(c, {.seconds = 0.02f, .scroll = -3});
  EXPECT_NEAR(c.pose.distance, before, 1e-4);
}

TEST(CameraControl, KeysFlyOnlyInFlight) {
  render::Camera c;
  const CameraInput ahead{.seconds = 0.1f, .forward = 1};
  const glm::vec3 before = c.pose.target;
  move_camera(c, ahead);
  EXPECT_EQ(c.pose.target, before);
  c.mode = render::CameraMode::fly;
  move_camera(c, ahead);
  EXPECT_NE(c.pose.target, before);
}

TEST(CameraControl, AClickIsAReleaseCloseToThePress) {
  const Rect scene{288, 10, 600, 400};
  const auto at = scene_click({300, 60, 0}, scene, 1);
  ASSERT_TRUE(at);
  EXPECT_EQ(*at, (std::array{12.0f, 50.0f}));
  EXPECT_TRUE(scene_click({300, 60, 15}, scene, 1)) << "a hand shakes";
  EXPECT_FALSE(scene_click({300, 60, 17}, scene, 1)) << "a drag";
  EXPECT_TRUE(scene_click({300, 60, 17}, scene, 2)) << "of larger pixels";
  for (const auto& [x, y] : {std::array{287.0f, 60.0f}, {888.0f, 60.0f}, {300.0f, 9.0f}, {300.0f, 410.0f}}) {
    EXPECT_FALSE(scene_click({x, y, 0}, scene, 1)) << x << " " << y;
  }
}

// The camera's path: through every bookmark, without jumps in speed, never nearer than zero and never past the pole.

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

// Steps and frames of a film: whole numbers, whose true speed is said.

TEST(FilmSteps, AreWholeAndTheirSpeedIsTrue) {
  FilmChoice film;
  film.fps = 60, film.speed = 40;
  // 40 a second in 60 frames, by steps of 0.0215: 31.008 of them.
  const FilmSteps steps = film_steps(film, 0.0215, 7);
  EXPECT_EQ(steps.a_frame, 31u);
  EXPECT_DOUBLE_EQ(steps.speed, 31 * 0.0215 * 60);
  film.speed = 1e-9;
  EXPECT_EQ(film_steps(film, 0.0215, 7).a_frame, 1u) << "at least one";
  film.speed = 0;
  EXPECT_EQ(film_steps(film, 0.01, 6).a_frame, 10u) << "the pace of time";
  EXPECT_EQ(film_steps(film, 0.01, 0).a_frame, 1u);
  film.speed = 1e30;
  EXPECT_EQ(film_steps(film, 1e-9, 0).a_frame, 1000000000000000u);
}

TEST(FilmSteps, FramesAreThoseOfItsSeconds) {
  FilmChoice film;
  film.fps = 24, film.seconds = 2.5;
  EXPECT_EQ(film_frames(film), 60u);
  film.seconds = 0;
  EXPECT_EQ(film_frames(film), 1u);
}

// Bodies by hand without a window: strokes, measures, places under the pointer, and bodies that come and go.

PopulationPtr with_ids(std::vector<u32> ids) {
  Population p;
  p.bodies.resize(ids.size());
  p.ids = std::move(ids);
  return std::make_shared<Population>(std::move(p));
}

TEST(Touch, TheToolHasThePointerWhileItIsInUse) {
  TouchState t;
  EXPECT_FALSE(apply_pointer(t, {{10, 20}, true, true, false})) << "the camera turns";
  EXPECT_TRUE(apply_pointer(t, {{10, 20}, true, true, true}));
  EXPECT_TRUE(apply_pointer(t, {{30, 5}, false, true, false})) << "Shift may be let go";
  EXPECT_TRUE(apply_pointer(t, {{40, 6}, false, false, false}));
  ASSERT_TRUE(t.box);
  EXPECT_TRUE(t.box->done);
  EXPECT_EQ(t.box->from, (Pixels{10, 20}));
  EXPECT_EQ(t.box->to, (Pixels{40, 6}));
  EXPECT_TRUE(touch_pending(t));
  EXPECT_FALSE(apply_pointer(t, {{40, 6}, false, false, false}));
  t.box.reset();
  t.tool = Tool::add;
  EXPECT_TRUE(apply_pointer(t, {{1, 2}, true, true, false}));
  EXPECT_FALSE(t.stroke->done);
  EXPECT_TRUE(leave_touch(t)) << "the stroke goes first";
  EXPECT_FALSE(t.stroke);
  EXPECT_EQ(t.tool, Tool::add);
  t.measures.push_back({{1, 2}, {}}), t.measures.push_back({{1, 3}, {}}), t.selection.bodies = {4};
  EXPECT_TRUE(leave_touch(t));
  EXPECT_EQ(t.tool, Tool::look);
  EXPECT_TRUE(leave_touch(t) && t.measures.size() == 1);
  EXPECT_TRUE(leave_touch(t) && t.measures.empty());
  EXPECT_TRUE(leave_touch(t) && t.selection.bodies.empty());
  EXPECT_FALSE(leave_touch(t));
}

TEST(Touch, KeysTakeTheToolsAndDelete) {
  const SessionModel model = test::gravity_model();
  GuiState state;
  Requests requests;
  on_key({GLFW_KEY_J, false, false}, model, state, requests);
  EXPECT_EQ(state.touch.tool, Tool::add);
  on_key({GLFW_KEY_K, false, false}, model, state, requests);
  EXPECT_EQ(state.touch.tool, Tool::measure);
  on_key({GLFW_KEY_K, false, false}, model, state, requests);
  EXPECT_EQ(state.touch.tool, Tool::look);
  on_key({GLFW_KEY_DELETE, false, false}, model, state, requests);
  EXPECT_TRUE(state.touch.deletes);
  state.touch.selection.bodies = {1, 2}, state.view.selected = 7;
  on_key({GLFW_KEY_ESCAPE, false, false}, model, state, requests);
  EXPECT_TRUE(state.touch.selection.bodies.empty() && state.view.selected == 7u);
  on_key({GLFW_KEY_ESCAPE, false, false}, model, state, requests);
  EXPECT_FALSE(state.view.selected);
  EXPECT_TRUE(requests.empty());
}

TEST(Touch, MeasuresAreDistancesAndAngles) {
  Measure m{{0, 1}, {{0, 0, 0}, {3, 4, 12}}};
  EXPECT_DOUBLE_EQ(m.value(), 13);
  m = {{0, 1, 2}, {{2, 0, 0}, {0, 0, 0}, {0, 0, 5}}};
  EXPECT_DOUBLE_EQ(m.value(), 90);
  m = {{0, 1, 2}, {{1, 0, 0}, {0, 0, 0}, {-1, 1e-9, 0}}};
  EXPECT_NEAR(m.value(), 180 - 1e-9 * 180 / 3.14159265358979, 1e-10) << "also where a cosine has no digits left";
  TouchState t;
  measure_body(t, 5), measure_body(t, 5);
  EXPECT_TRUE(t.measures.empty());
  measure_body(t, 9);
  ASSERT_EQ(t.measures.size(), 1u);
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{5, 9}));
  measure_body(t, 2);
  ASSERT_EQ(t.measures.size(), 1u);
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{5, 9, 2}));
  measure_body(t, 1), measure_body(t, 3);
  EXPECT_EQ(t.measures.size(), 2u);
}

TEST(Touch, BodiesStayTheSameWhenOthersComeAndGo) {
  TouchState t;
  SceneView view;
  t.population = with_ids({0, 1, 2, 3, 4, 5, 6});
  t.selection.bodies = {1, 3, 6};
  t.measures = {{{5, 2}, {{}, {}}}, {{6, 3, 4}, {{}, {}, {}}}};
  t.picked = {3}, view.selected = 4;
  follow_population(t, view, with_ids({0, 2, 4, 5, 6, 7}));
  EXPECT_EQ(t.selection.bodies, (std::vector<u32>{4}));
  ASSERT_EQ(t.measures.size(), 1u);
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{3, 1}));
  EXPECT_TRUE(t.picked.empty());
  EXPECT_EQ(view.selected, 2u);
  follow_population(t, view, with_ids({0, 1, 2, 3, 5, 6}));
  EXPECT_EQ(t.selection.bodies, (std::vector<u32>{5}));
  EXPECT_EQ(t.measures[0].bodies, (std::vector<u32>{4, 2}));
  EXPECT_FALSE(view.selected) << "it is gone";
}

TEST(Touch, ThePlaceUnderThePointerIsDrawnThere) {
  SceneView view;
  view.camera.pose = {{1, 2, 3}, 7, 0.4f, 0.9f};
  const Rect scene{100, 50, 640, 360};
  for (const Place& through : {Place{1, 2, 3}, Place{0, 0, 0}}) {
    for (const Pixels& at : {Pixels{320, 180}, Pixels{0, 0}, Pixels{600, 33.5f}}) {
      const Place p = place_at(view.camera, scene, at, through);
      const auto back = pixels_of(view.camera, scene, p);
      ASSERT_TRUE(back);
      EXPECT_NEAR((*back)[0], at[0], 0.01);
      EXPECT_NEAR((*back)[1], at[1], 0.01);
      const glm::vec3 ahead = view.camera.forward();
      double off = 0;
      for (int a = 0; a < 3; ++a)
        off += ahead[a] * (p[static_cast<std::size_t>(a)] - through[static_cast<std::size_t>(a)]);
      EXPECT_NEAR(off, 0, 1e-5) << "in the plane that the camera looks at";
    }
  }
  const OrbitPlane flat{{3, 4, 0.5}, {0, 0, 1}};
  view.camera.pose.pitch = 0.6f;
  const auto on = place_on(view.camera, scene, {500, 200}, flat);
  ASSERT_TRUE(on && pixels_of(view.camera, scene, *on));
  EXPECT_NEAR((*on)[2], 0.5, 1e-6);
  EXPECT_NEAR((*pixels_of(view.camera, scene, *on))[0], 500, 0.02);
  view.camera.pose.pitch = 0.01f;
  EXPECT_FALSE(place_on(view.camera, scene, {320, 180}, flat)) << "seen from the edge";
  const glm::vec3 behind = view.camera.eye() - view.camera.forward();
  EXPECT_FALSE(pixels_of(view.camera, scene, {behind.x, behind.y, behind.z}));
}

TEST(Touch, SpeedsSuitTheScene) {
  Bodies b;
  b.add(0, 0, 0, 3, 4, 0, 8), b.add(1, 0, 0, 0, 0, 1, 8);
  ForceField field;
  field.pair = PairLaw::gravity, field.gravity.G = 2;
  EXPECT_DOUBLE_EQ(usual_speed(b, field, 8), 4) << "sqrt(G M / (extent / 4))";
  field.pair = PairLaw::contact;
  EXPECT_DOUBLE_EQ(usual_speed(b, field, 8), 5) << "the median, of two the larger";
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({}), 0);
}

struct TouchScripts : testing::Test {
  SessionModel model = test::gravity_model();
  GuiState state;
  Requests run(const std::string& text) {
    Requests requests;
    Script script = Script::parse(text, "s");
    script.frame({model, state, requests, [](u32, u32) {}});
    return requests;
  }
};

TEST_F(TouchScripts, CommandsBecomeRequestsAndState) {
  const std::string add = "add 1 2 3 4 5 6 7 0.5\n", move = "change 4 place 1 -1 0\n", weigh = "change 5 mass 2.5\n";
  for (const std::string& second : {add, move, weigh, std::string("delete 3 1\n")}) {
    EXPECT_EQ(run(add + second).size(), 1u) << second << " waits for what comes before it";
  }
  EXPECT_EQ(std::get<ask::AddBodies>(run(add).front()).bodies.front(), (BodyValues{{1, 2, 3}, {4, 5, 6}, 7, 0.5}));
  EXPECT_EQ(std::get<ask::ChangeBody>(run(move).front()).to.place, (Place{1, -1, 0}));
  const ask::ChangeBody weighed = std::get<ask::ChangeBody>(run(weigh).front());
  EXPECT_EQ(weighed.to.mass, 2.5);
  EXPECT_FALSE(weighed.to.place);
  EXPECT_EQ(std::get<ask::DeleteBodies>(run("delete 3 1").front()).bodies, (std::vector<u32>{3, 1}));
  run("select 9 4 4\nselection hide\nselection follow\nmeasure 1 2\ntool add\nnew-body 3 0.25\n");
  EXPECT_EQ(state.touch.selection.bodies, (std::vector<u32>{4, 9}));
  EXPECT_TRUE(state.touch.selection.hidden && state.touch.selection.followed);
  EXPECT_EQ(state.touch.tool, Tool::add);
  EXPECT_EQ(state.touch.mass, 3);
  state.touch.measures[0].places = {{0, 0, 0}, {0, 3, 4}};
  EXPECT_EQ(std::get<ask::DeleteBodies>(run("delete").front()).bodies, (std::vector<u32>{4, 9}));
  EXPECT_EQ(std::get<ask::Export>(run("export a.csv").front()).path, "a.csv");
  run("expect-selected 2\nexpect-measure 5 0\nselection show\nselection leave\nnew-body usual\nmeasure none");
  EXPECT_TRUE(state.touch.measures.empty() && !state.touch.mass && !state.touch.selection.hidden);
  run("stroke 1 2 3 4 hold");
  ASSERT_TRUE(state.touch.stroke);
  EXPECT_FALSE(state.touch.stroke->done);
  apply_pointer(state.touch, {});
  EXPECT_FALSE(state.touch.stroke->done) << "held by the script";
  run("select box 5 6 7 8");
  EXPECT_TRUE(state.touch.box->done);
}

TEST_F(TouchScripts, MistakesAreRefused) {
  for (const char* wrong :
       {"add 1 2 3", "add 1 2 3 4 5 6 7 x", "change 1 place 2", "change 1 mass 1 2", "change 1 speed 2", "delete -1",
        "select", "select box 1 2 3", "selection up", "measure 1", "tool hammer", "stroke 1 2 3", "stroke 1 2 3 4 drop",
        "new-body 1", "expect-measure 1", "export"}) {
    EXPECT_THROW(Script::parse(wrong, "s"), ConfigError) << wrong;
  }
  for (const char* wrong :
       {"select 1000", "measure 1 1000", "stroke 1 2 3 4", "expect-selected 1", "expect-measure 1 1"}) {
    EXPECT_THROW(run(wrong), Error) << wrong;
  }
}

}  // namespace
}  // namespace tri::app::gui
