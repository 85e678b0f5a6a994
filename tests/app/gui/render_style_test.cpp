// From the options of `render` to style and camera, and the defaults of a scene.

#include "app/gui/render_style.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <utility>

#include "app/gui/base/view_defaults.hpp"
#include "render/scale_bar.hpp"
#include "sim/base/error.hpp"
#include "sim/scene/view_names.hpp"

namespace tri::app::gui {
namespace {

constexpr float kDegree = std::numbers::pi_v<float> / 180;

TEST(RenderStyle, LawsGiveTheDefaultsOfOptions) {
  Scene scene;
  scene.field.pair = PairLaw::gravity;
  EXPECT_EQ(style_of({}, scene).shape, render::BodyShape::glow);
  scene.field.pair = PairLaw::contact;
  EXPECT_EQ(style_of({}, scene).shape, render::BodyShape::spheres);
  scene.view = {"glow", "group", "cividis"};
  EXPECT_EQ(style_of({}, scene).shape, render::BodyShape::glow) << "the scene's view overrides the default of its law";
  EXPECT_EQ(style_of({}, scene).quantity, render::Quantity::group);
  EXPECT_EQ(style_of({}, scene).colours, render::ColourMap::cividis);
  RenderOptions o;
  o.shape = "points", o.colour = "mass", o.colours = "cividis";
  o.logarithm = true, o.body_size = 3, o.light = 0.5;
  const render::BodyStyle style = style_of(o, scene);
  EXPECT_EQ(style.shape, render::BodyShape::points);
  EXPECT_EQ(style.quantity, render::Quantity::mass);
  EXPECT_EQ(style.colours, render::ColourMap::cividis);
  EXPECT_TRUE(style.logarithmic);
  EXPECT_EQ(style.size, 3.0f);
  EXPECT_EQ(style.exposure, 0.5f);
  EXPECT_TRUE(style.ordered);
}

TEST(RenderStyle, StarsHaveTheColoursOfStarsAndGalaxiesTheirOwn) {
  const auto style = [](const char* scene) {
    const Session session(make_backend("cpu"), {scene}, {});
    return style_of({}, session.model().scene);
  };
  EXPECT_EQ(style("plummer:n=64").colours, render::ColourMap::black_body);
  EXPECT_EQ(style("sphere-box:n=64").colours, render::ColourMap::viridis);
  const render::BodyStyle merger = style("merger:n=64");
  EXPECT_EQ(merger.quantity, render::Quantity::group);
  EXPECT_EQ(merger.colours, render::ColourMap::orange_blue);
}

TEST(RenderStyle, ExposureFollowsInHalfASecond) {
  EXPECT_EQ(adaptation_in(0), 0);
  EXPECT_GT(adaptation_in(0.5), 0.8f);
  EXPECT_LT(adaptation_in(0.5), 0.9f);
  // Two halves go as far as the whole, so that the rate of frames does not matter.
  EXPECT_NEAR(1 - std::pow(1 - adaptation_in(0.1), 2), adaptation_in(0.2), 1e-6);
  EXPECT_FLOAT_EQ(adaptation_in(60), 1);
}

TEST(RenderStyle, FewBodiesHaveTrails) {
  TrailChoice trails{false, 7, 9};
  set_usual_trails(trails, 19);
  EXPECT_TRUE(trails.shown);
  EXPECT_EQ(trails.bodies, 7u);
  set_usual_trails(trails, 20);
  EXPECT_FALSE(trails.shown);
}

/// Half of the bodies of a galaxy are its halo; the disk and the bulge are stars.
TEST(RenderStyle, HalosAreDim) {
  const Session session(make_backend("cpu"), {"galaxy:n=1000"}, {});
  const std::vector<float> light = luminosities(session.drawn());
  ASSERT_EQ(light.size(), 1000u);
  const std::vector<Instance> groups = session.drawn(InstanceScalar::group);
  u32 dim = 0;
  for (const Instance& body : groups) {
    EXPECT_EQ(light[body.id] < 1, body.mass == 2) << body.id;
    dim += light[body.id] < 1;
  }
  EXPECT_EQ(dim, 500u);
  const Session merger(make_backend("cpu"), {"merger:n=1001"}, {});
  const std::vector<float> both = luminosities(merger.drawn());
  EXPECT_NEAR(std::count(both.begin(), both.end(), 1.0f), 1001, 3);
}

TEST(RenderStyle, OtherBodiesShineAlike) {
  const auto light = [](const std::vector<float>& masses) {
    std::vector<Instance> bodies;
    for (const float m : masses) bodies.push_back({0, 0, 0, 0, 0, 0, m, static_cast<u32>(bodies.size())});
    return luminosities(bodies);
  };
  std::vector<float> masses(1000, 1);
  EXPECT_TRUE(light(masses).empty()) << "equal";
  masses[0] = 5000;
  EXPECT_TRUE(light(masses).empty()) << "one heavy body is a star";
  for (std::size_t k = 0; k < 500; ++k) masses[k] = 10;
  EXPECT_FALSE(light(masses).empty());
  for (std::size_t k = 0; k < 500; ++k) masses[k] = 2;
  EXPECT_TRUE(light(masses).empty()) << "not much heavier";
  for (std::size_t k = 0; k < 1000; ++k) masses[k] = 1 + static_cast<float>(k);
  EXPECT_TRUE(light(masses).empty()) << "stars of many masses";
  EXPECT_TRUE(light(std::vector<float>(10, 1)).empty());
}

TEST(RenderStyle, TheCameraFitsWhatShines) {
  const Session galaxy(make_backend("cpu"), {"galaxy:n=2000"}, {}), cluster(make_backend("cpu"), {"plummer:n=500"}, {});
  render::Camera camera;
  const SceneLengths lengths = fit_camera(camera, galaxy, 1.5f);
  const Box all = galaxy.view_box();
  EXPECT_LT(lengths.extent, 0.7 * (all.high[0] - all.low[0])) << "the halo is far larger than the disk";
  EXPECT_GT(lengths.extent, 8);
  EXPECT_EQ(lengths.sphere_radius, 0);
  const Box box = cluster.view_box();
  const float diagonal = fit_camera(camera, cluster, 1.5f).extent;
  EXPECT_GT(diagonal, box.high[0] - box.low[0]);
  const Session spheres(make_backend("cpu"), {"falling-pile:n=40"}, {});
  float sum = 0;
  for (const Instance& body : spheres.drawn()) sum += body.radius;
  EXPECT_FLOAT_EQ(fit_camera(camera, spheres, 1.5f).sphere_radius, sum / 40);
}

TEST(RenderStyle, TheGridLiesOnTheGround) {
  const Session session(make_backend("cpu"), {"falling-pile:n=40"}, {});  // gravity points down: -y
  render::Camera camera;
  const SceneLengths lengths = fit_camera(camera, session, 1.5f);
  const Box& walls = session.model().scene.field.box;
  EXPECT_FLOAT_EQ(lengths.ground, static_cast<float>(walls.low[1]));
  const auto grid = ground_grid(camera, lengths);
  ASSERT_EQ(grid.size(), 42u);
  const float step = 2 * glm::distance(grid[0].from, grid[0].to) / 40;
  EXPECT_FLOAT_EQ(step, static_cast<float>(render::round_length(static_cast<double>(lengths.extent) / 10)));
  for (const render::Line& line : grid) {
    EXPECT_NEAR(line.from.y, walls.low[1], 1e-4);
    EXPECT_NEAR(line.to.y, walls.low[1], 1e-4);
    for (const float at : {line.from.x, line.from.z}) EXPECT_NEAR(std::remainder(at, step), 0, 1e-3f * step);
  }
}

TEST(RenderStyle, GravityPointsDownInThePicture) {
  for (const auto& [scene, up] : {std::pair{"falling-pile:n=40", glm::vec3(0, 1, 0)}, {"plummer:n=40", {0, 0, 1}}}) {
    const Session session(make_backend("cpu"), {scene}, {});
    render::Camera camera;
    camera.up = {1, 0, 0};  // of the scene before
    fit_camera(camera, session, 1.5f);
    EXPECT_EQ(camera.up, up) << scene;
  }
}

TEST(RenderStyle, NoBodyOfTheSolarSystemIsBlack) {
  const Session session(make_backend("cpu"), {"solar-system"}, {});
  const render::BodyStyle style = style_of({}, session.model().scene);
  EXPECT_EQ(style.shape, render::BodyShape::points);
  for (const float t : {0.0f, 0.25f, 1.0f}) {  // the Sun, Mars, Neptune
    const auto rgb = render::colour_at(style, t);
    EXPECT_GT(*std::max_element(rgb.begin(), rgb.end()), 0.5f) << t;
  }
}

template <class Enum>
void expect_names(std::initializer_list<std::string_view> names, u32 count) {
  ASSERT_EQ(names.size(), count);
  for (u32 k = 0; k < count; ++k) EXPECT_EQ(names.begin()[k], to_string(static_cast<Enum>(k)));
}

TEST(RenderStyle, NameListsMatchTheEnums) {
  expect_names<render::BodyShape>(kBodyShapeNames, render::kBodyShapeCount);
  expect_names<render::Quantity>(kColourNames, render::kQuantityCount);
  expect_names<render::ColourMap>(kColourMapNames, render::kColourMapCount);
}

TEST(RenderStyle, UnknownNamesAreRejected) {
  for (auto member : {&RenderOptions::shape, &RenderOptions::colour, &RenderOptions::colours}) {
    RenderOptions o;
    o.*member = "infernal";
    EXPECT_THROW(check_look(o), ConfigError);
  }
  EXPECT_NO_THROW(check_look({}));
}

TEST(RenderStyle, OptionsThatDoNotActInTheStyleAreRefused) {
  RenderOptions larger, coloured, plain;
  larger.body_size = 2, coloured.colour = "mass", plain.logarithm = true;
  render::BodyStyle style;
  for (const auto* o : {&larger, &coloured, &plain}) EXPECT_NO_THROW(check_look(*o, style));
  style.shape = render::BodyShape::points;
  EXPECT_THROW(check_look(larger, style), ConfigError);
  style.colours = render::ColourMap::plain;
  EXPECT_THROW(check_look(coloured, style), ConfigError);
  EXPECT_THROW(check_look(plain, style), ConfigError);
}

TEST(RenderStyle, CameraTurnsInEqualStepsAndAnOrbitCloses) {
  render::Camera whole;
  whole.pose = {{1, 2, 3}, 7, 0.6f, 0.4f};
  EXPECT_EQ(camera_of({}, whole, 5, 9).pose.yaw, 0.6f);
  RenderOptions o;
  o.turn = 2;
  EXPECT_NEAR(camera_of(o, whole, 30, 100).pose.yaw, 0.6f + 60 * kDegree, 1e-5f);
  EXPECT_NEAR(camera_of(o, whole, 180, 400).pose.yaw, 0.6f, 1e-5f);
  o = {};
  o.orbit = true;
  EXPECT_NEAR(camera_of(o, whole, 1, 8).pose.yaw, 0.6f + 45 * kDegree, 1e-5f);
  const float last = camera_of(o, whole, 7, 8).pose.yaw;  // one more step returns to the first
  EXPECT_NEAR(std::remainder(last + 45 * kDegree - 0.6f, 2 * std::numbers::pi_v<float>), 0, 1e-5f);
}

TEST(RenderStyle, CameraFromAnglesAndZoom) {
  render::Camera whole;
  whole.pose = {{1, 2, 3}, 7, 0.6f, 0.4f};
  RenderOptions o;
  o.yaw = 90, o.pitch = -30, o.zoom = 2;
  const render::Camera camera = camera_of(o, whole, 3, 4);
  EXPECT_NEAR(camera.pose.yaw, 90 * kDegree, 1e-6f);
  EXPECT_NEAR(camera.pose.pitch, -30 * kDegree, 1e-6f);
  EXPECT_NEAR(camera.pose.distance, 3.5f, 1e-6f);
  EXPECT_EQ(camera.pose.target, whole.pose.target);
}

TEST(SceneLines, AreTheAxesAndTheTwelveEdgesOfAClosedBox) {
  Box box;
  box.low = {-1, -2, -3}, box.high = {1, 2, 3};
  box.boundary = Boundary::open;
  EXPECT_TRUE(scene_lines(box, true, 0).empty());
  EXPECT_EQ(scene_lines(box, true, 2).size(), 3u);
  box.boundary = Boundary::reflecting;
  EXPECT_TRUE(scene_lines(box, false, 0).empty());
  const auto edges = scene_lines(box, true, 0);
  ASSERT_EQ(edges.size(), 12u);
  float length = 0;
  for (const render::Line& e : edges) {
    const glm::vec3 along = e.to - e.from;
    EXPECT_EQ((along.x != 0) + (along.y != 0) + (along.z != 0), 1);
    length += std::abs(along.x) + std::abs(along.y) + std::abs(along.z);
  }
  EXPECT_EQ(length, 4 * (2 + 4 + 6));
}

}  // namespace
}  // namespace tri::app::gui
