// Settings, how scenes look at first, and their cards.
//
// The settings file: round trip, errors with their line, and a broken file is never overwritten.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <glm/geometric.hpp>

#include "app/gui/base/settings.hpp"
#include "app/gui/frame/view_app.hpp"
#include "app/gui/panels/panel_parts.hpp"
#include "app/gui/panels/panels.hpp"
#include "render/view.hpp"
#include "sim/base/error.hpp"
#include "sim/scene/scene.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app::gui {
namespace {

GuiState unusual_state() {
  GuiState s;
  PanelState& p = s.panels;
  p.dark = p.shown = s.view.box = s.view.axes = false, s.view.style.logarithmic = true;
  p.chosen_scale = 1.75, p.window_width = 901, p.window_height = 613;
  s.view.style.quantity = render::Quantity::mass, s.view.style.size = 0.3f, s.view.style.exposure = 2.5f;
  p.open = "Charts", p.sort = MapSort::gain;
  p.width = 411, p.column = 555, p.pinned = p.contrast = p.calm = s.lanes.shown = true;
  p.language = Language::german;
  return s;
}

Settings unusual() { return settings_of(unusual_state()); }

std::string error_of(const std::string& text) {
  return test::message_of<ConfigError>([&] { parse_settings(text, "app.ini"); });
}

class SettingsOnDisk : public testing::Test {
 protected:
  SettingsOnDisk() {
    folder = std::filesystem::path(testing::TempDir()) /
             ("settings-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder);
    path = folder / "triangulum" / "app.ini";
  }
  ~SettingsOnDisk() override { std::filesystem::remove_all(folder); }
  void put(const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::string text() {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
  }
  std::filesystem::path folder, path;
};

TEST(Settings, EverySettingReadsBackAsWritten) {
  EXPECT_EQ(parse_settings(settings_text(unusual()), "x"), unusual());
  EXPECT_EQ(parse_settings(settings_text(usual_settings()), "x"), usual_settings());
  for (std::size_t k = 0; k < usual_settings().size(); ++k)
    EXPECT_NE(unusual()[k], usual_settings()[k]) << settings_text(usual_settings());
  for (u32 k = 0; k < render::kQuantityCount; ++k) {
    GuiState s;
    s.view.style.quantity = static_cast<render::Quantity>(k);
    EXPECT_EQ(parse_settings(settings_text(settings_of(s)), "x"), settings_of(s));
  }
}

TEST(Settings, MissingKeysKeepTheirDefaults) {
  EXPECT_EQ(parse_settings("", "x"), usual_settings());
  GuiState s;
  apply_settings(parse_settings("# mine\r\n\n  theme=light \r\n", "x"), s);
  EXPECT_FALSE(s.panels.dark);
  EXPECT_EQ(s.panels.window_width, 1280u);
}

TEST(Settings, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("theme = dark\nthem = light").find("app.ini:2: unknown setting 'them'. Did you mean 'theme'?"),
            0u);
  EXPECT_NE(error_of("theme dark").find("app.ini:1: 'theme dark' is not of the form NAME = VALUE"), std::string::npos);
  EXPECT_NE(error_of("box = on\nbox = on").find("app.ini:2: box is set twice"), std::string::npos);
  for (const char* bad :
       {"theme = blue", "width = 319", "width = 16385", "height = 7e-2", "scale = 0.4", "scale = 4.1", "scale = nan",
        "panel width = 239", "panel width = 721", "column width = 299", "column width = 901", "size = 0", "light = 101",
        "size = inf", "colour = pink", "box = ", "= on"}) {
    EXPECT_EQ(error_of(bad).find("app.ini:1: "), 0u) << bad << ": " << error_of(bad);
  }
}

TEST(Settings, RoundTripThroughTheState) {
  GuiState state;
  apply_settings(unusual(), state);
  EXPECT_FALSE(state.panels.dark);
  EXPECT_EQ(state.view.style.quantity, render::Quantity::mass);
  EXPECT_EQ(state.panels.window_width, 901u);
  EXPECT_EQ(settings_of(state), unusual());
}

TEST(Settings, PathFollowsXdg) {
  const auto put = [](const char* name, const char* value) { setenv(name, value, 1); };
  const char* home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "";
  put("XDG_CONFIG_HOME", "/tmp/somewhere");
  EXPECT_EQ(settings_path(), "/tmp/somewhere/triangulum/app.ini");
  put("XDG_CONFIG_HOME", "relative");  // the XDG specification ignores relative paths
  put("HOME", "/srv/ada");
  EXPECT_EQ(settings_path(), "/srv/ada/.config/triangulum/app.ini");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(settings_path(), "/srv/ada/.config/triangulum/app.ini");
  unsetenv("HOME");
  EXPECT_EQ(settings_path(), "");
  if (home != nullptr) put("HOME", before.c_str());
}

TEST_F(SettingsOnDisk, SavedInTheirOwnFolderAndReadAgain) {
  SettingsFile first(path);
  EXPECT_EQ(first.fault(), "");
  EXPECT_FALSE(first.found());
  first.save(usual_settings());
  EXPECT_TRUE(first.found() && std::filesystem::exists(path)) << "the next start is not the first one";
  std::filesystem::remove(path);
  first.save(usual_settings());
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing changed, nothing is written";
  first.save(unusual());
  SettingsFile second(path);
  EXPECT_EQ(second.settings(), unusual());
  second.save(usual_settings());
  EXPECT_EQ(SettingsFile(path).settings(), usual_settings());
}

TEST_F(SettingsOnDisk, ABrokenFileIsAnErrorAndStaysUnchanged) {
  for (const std::string& broken :
       {std::string("theme = light\nwidth = wide\n"), std::string(70000, '#'), std::string("\0\1\2\3", 4)}) {
    put(broken);
    SettingsFile file(path);
    EXPECT_NE(file.fault().find(path.string()), std::string::npos) << file.fault();
    EXPECT_NE(file.fault().find("correct or remove it"), std::string::npos) << file.fault();
    EXPECT_EQ(file.settings(), usual_settings());
    file.save(unusual());
    EXPECT_EQ(text(), broken);
  }
}

TEST_F(SettingsOnDisk, AFolderOfThatNameIsAnError) {
  std::filesystem::create_directories(path);
  EXPECT_NE(SettingsFile(path).fault(), "");
}

TEST_F(SettingsOnDisk, AnUnwritableFolderIsReported) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "triangulum") << "a file where the folder should be";
  SettingsFile file(path);
  EXPECT_THROW(file.save(unusual()), FileError);
  EXPECT_EQ(file.settings(), usual_settings());
}

TEST(Settings, WithoutAPathNothingIsSaved) {
  SettingsFile file("");
  EXPECT_NO_THROW(file.save(unusual()));
  EXPECT_EQ(file.settings(), usual_settings());
}

// Star colours: each choice is one of quantity and colour map, and is recognised again.

TEST(StarColours, AreQuantityAndColourMap) {
  for (u32 k = 0; k < kStarColoursCount; ++k) {
    const auto choice = static_cast<StarColours>(k);
    render::BodyStyle style{.quantity = render::Quantity::index, .colours = render::ColourMap::viridis};
    EXPECT_FALSE(star_colours_of(style));
    set_star_colours(style, choice);
    ASSERT_TRUE(star_colours_of(style)) << to_string(choice);
    EXPECT_EQ(*star_colours_of(style), choice);
  }
  render::BodyStyle style;
  EXPECT_EQ(star_colours_of(style), StarColours::temperature) << "what glows begins so";
  set_star_colours(style, StarColours::mass);
  EXPECT_EQ(style.quantity, render::Quantity::mass);
  EXPECT_EQ(style.colours, render::ColourMap::black_body);
  EXPECT_TRUE(style.logarithmic);
  set_star_colours(style, StarColours::plain);
  EXPECT_EQ(colour_at(style, 0), colour_at(style, 1));
}

// From the options of `render` to style and camera, and the defaults of a scene.

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

class Drafts : public test::InFolder {};

TEST_F(Drafts, AreThereAgainAtTheNextStart) {
  const std::string file = path("folder/drafts.toml");
  GuiState state;
  DraftsFile drafts(file);
  drafts.read(state);
  drafts.save(state, 100);
  EXPECT_FALSE(std::filesystem::exists(file)) << "nothing was typed";
  const std::string law = "energy = k*r^2 # \"half\" \\ \"\"\"\nk = 1\n\tr", map = "name = 'm'\n\x01\n\n";
  state.law_editor.text = law, state.law_editor.other = "energy = a*b*c";
  state.map_editor.text = map;
  drafts.save(state, 101);
  EXPECT_FALSE(std::filesystem::exists(file)) << "not at every letter";
  drafts.save(state, 200);
  GuiState next;
  DraftsFile(file).read(next);
  EXPECT_EQ(next.law_editor.text, law);
  EXPECT_EQ(next.law_editor.other, "energy = a*b*c");
  EXPECT_EQ(next.map_editor.text, map);
  next.law_editor.over = expression::Over::triples, next.law_editor.text.swap(next.law_editor.other);
  EXPECT_EQ(drafts_text(next), drafts_text(state)) << "whichever is shown";
  state.map_editor.text = "at the end";
  drafts.save(state, 201, true);
  DraftsFile(file).read(next);
  EXPECT_EQ(next.map_editor.text, "at the end");
}

TEST_F(Drafts, ABrokenFileIsLeftAlone) {
  const std::string file = path("drafts.toml");
  write_file(file, "pairs = 7 7\n");
  GuiState state;
  DraftsFile drafts(file);
  EXPECT_THROW(drafts.read(state), FileError);
  state.map_editor.text = "mine";
  drafts.save(state, 1000, true);
  EXPECT_EQ(read_small_file(file), "pairs = 7 7\n");
}

TEST(RenderStyle, OptionsThatDoNotActInTheStyleAreRefused) {
  RenderOptions larger, coloured, plain, marked;
  larger.body_size = 2, coloured.colour = "mass", plain.logarithm = true, marked.legend = true;
  render::BodyStyle style;
  for (const auto* o : {&larger, &coloured, &plain, &marked}) EXPECT_NO_THROW(check_look(*o, style));
  style.shape = render::BodyShape::points;
  EXPECT_THROW(check_look(larger, style), ConfigError);
  style.colours = render::ColourMap::plain;
  for (const auto* o : {&coloured, &plain, &marked}) EXPECT_THROW(check_look(*o, style), ConfigError);
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

TEST(Settings, ReducedMotionIsWhatTheDesktopAsksFor) {
  const char* const before = getenv("XDG_CONFIG_HOME");
  const std::string kept = before == nullptr ? "" : before;
  const auto asks = [&](const char* name, const char* text) {
    const test::TempFolder folder;
    setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    folder.file(name, text);
    return system_reduces_motion();
  };
  EXPECT_FALSE(asks("other", "gtk-enable-animations=0\n"));
  EXPECT_TRUE(asks("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations = 0\n"));
  EXPECT_TRUE(asks("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n"));
  EXPECT_FALSE(asks("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=1\ngtk-theme-name=false\n"));
  EXPECT_TRUE(asks("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n"));
  EXPECT_FALSE(asks("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n"));
  before == nullptr ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", kept.c_str(), 1);

  // GNOME's own program answers, asked for the right key; it may fail, or be of another desktop.
  const std::string path = getenv("PATH");
  const auto gnome = [&](const char* desktop, const char* script) {
    const test::TempFolder folder;
    const std::string program = folder.file("gsettings", std::string("#!/bin/sh\n") + script + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
    setenv("XDG_CURRENT_DESKTOP", desktop, 1);
    const bool reduced = system_reduces_motion();
    unsetenv("XDG_CURRENT_DESKTOP");
    setenv("PATH", path.c_str(), 1);
    return reduced;
  };
  const char* const asked = "[ \"$*\" = 'get org.gnome.desktop.interface enable-animations' ] && echo false";
  EXPECT_TRUE(gnome("ubuntu:GNOME", asked));
  EXPECT_FALSE(gnome("ubuntu:GNOME", "echo true"));
  EXPECT_FALSE(gnome("GNOME", "true"));
  EXPECT_FALSE(gnome("GNOME", "echo false; exit 1"));
  EXPECT_FALSE(gnome("XFCE", asked));
}

// Cards of the gallery: their numbers of bodies, and which pictures are drawn, how, and under which name.

TEST(SceneCards, AreAllScenesWithTheirBodies) {
  const auto& cards = scene_cards();
  ASSERT_EQ(cards.size(), list_scenes().size());
  for (std::size_t k = 0; k < cards.size(); ++k) {
    EXPECT_EQ(cards[k].name, list_scenes()[k].name);
    EXPECT_FALSE(cards[k].about.empty());
    EXPECT_EQ(cards[k].n, make_scene(cards[k].spec).bodies.size()) << cards[k].name;
  }
}

TEST(SceneCards, PicturesHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const SceneCard& card : scene_cards()) {
    const std::vector<std::string> arguments = picture_arguments(card.spec, "out.png");
    ASSERT_FALSE(arguments.empty());
    EXPECT_EQ(arguments[0], "render");
    EXPECT_EQ(arguments[1].substr(0, card.spec.size()), card.spec);
    EXPECT_NO_THROW(make_scene(arguments[1])) << arguments[1];
    EXPECT_NE(std::find(arguments.begin(), arguments.end(), "out.png"), arguments.end());
    EXPECT_TRUE(names.insert(picture_name(card.spec)).second) << card.name;
    EXPECT_EQ(picture_name(card.spec), picture_name(card.spec));
  }
}

TEST(SceneCards, FilesHaveAPictureWhereTheyAreSmall) {
  const auto folder = std::filesystem::temp_directory_path() / "triangulum-card-test";
  std::filesystem::create_directories(folder);
  const std::string small = folder / "bodies.csv", large = folder / "large.csv", shot = folder / "shot.png";
  std::ofstream(small) << "x,y,z\n0,0,0\n1,0,0\n";
  std::ofstream(shot) << "no picture";
  std::ofstream(large) << "x";
  std::filesystem::resize_file(large, (4u << 20) + 1);
  EXPECT_EQ(file_card(small).name, "bodies.csv");
  EXPECT_EQ(file_card(small).about, folder.string());
  EXPECT_EQ(picture_arguments(small, "a.png")[1], small);
  EXPECT_TRUE(picture_arguments(large, "a.png").empty());
  EXPECT_TRUE(picture_arguments(shot, "a.png").empty()) << "it is one";
  EXPECT_TRUE(picture_arguments((folder / "absent.csv").string(), "a.png").empty());
  const std::string before = picture_name(small);
  std::ofstream(small, std::ios::app) << "2,0,0\n";
  EXPECT_NE(picture_name(small), before) << "the file changed";
  std::filesystem::remove_all(folder);
}

TEST(ColumnsOfAFile, AreGuessedByTheirNames) {
  const test::TempFolder folder;
  const auto guess = [&](const char* text) { return ColumnChoice::of(folder.file("other.csv", text)).is; };
  EXPECT_EQ(guess("star,pos_x [pc],pos_y [pc],pos_z [pc],vel_x (km/s),Radius\nHD 1,1,2,3,4,5\n"),
            (std::vector<u32>{11, 1, 2, 3, 4, 8}))
      << "without units, and names where there is text";
  EXPECT_EQ(guess("# of 2026\ntime,X,Y,Z\n1,2,3,4\n"), (std::vector<u32>{0, 1, 2, 3}));
  EXPECT_EQ(guess("X,Y,Z,u,v,W (km/s)\n1,2,3,4,5,6\n"), (std::vector<u32>{1, 2, 3, 4, 5, 6})) << "as of the Galaxy";
  EXPECT_EQ(guess("px,py,pz,ux,u_y,uz\n1,2,3,4,5,6\n"), (std::vector<u32>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(guess("X,Y,Z,u,v\n1,2,3,4,5\n"), (std::vector<u32>{1, 2, 3, 0, 0})) << "no three";
  EXPECT_EQ(guess("X,Y,Z,u,v,w,vx\n1,2,3,4,5,6,7\n"), (std::vector<u32>{1, 2, 3, 0, 0, 0, 4}));
  EXPECT_EQ(guess("Star;X_pos;Y_pos;Z_pos;Vel_x;Vel_y;Vel_z;Mass\nA;1;2;3;4;5;6;7\n"),
            (std::vector<u32>{11, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(guess("xpos,y_position,Coord_Z,x_velocity,v y,speed_z\n1,2,3,4,5,6\n"),
            (std::vector<u32>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(guess("x(kpc),y_kpc,z [kpc],vx_kms,vy_km_s,vz_km/s\n1,2,3,4,5,6\n"), (std::vector<u32>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(guess("density,energy,gal_x,gal_y,gal_z\n1,2,3,4,5\n"), (std::vector<u32>{0, 0, 1, 2, 3})) << "words";
  EXPECT_EQ(ColumnChoice::of(folder.file("plain.csv", "x,y,z\n1,2,3\n")).path, "");
}

}  // namespace
}  // namespace tri::app::gui
