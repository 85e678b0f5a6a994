/// Bodies, box and laws that cannot be meant together are refused; those that may be are noted.

#include <filesystem>
#include <fstream>

#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

constexpr const char* kTwoSpheres = R"(title = "two"
generator = "bodies"
bodies = [[1, 0.5, 0.5, 0.5, 0, 0, 0], [1, 3, 0.25, 0.5, 0, 0, 0]]
[physics]
pair = "none"
)";

class SceneChecks : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& text, const std::string& name = "my.toml") const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  /// The notes of the two bodies, of which one is outside [0, 1]^3, with these lines of physics.
  std::vector<std::string> notes(const std::string& physics) const {
    return make_scene(file(kTwoSpheres + physics)).notes;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("tri-scene-checks-" + std::to_string(::getpid()));
};

TEST_F(SceneChecks, BodiesOutsideReflectingWallsAreRefused) {
  expect_parts(message_of<FileError>([&] { notes("walls = \"reflecting\"\n"); }),
               {"my.toml', line 5", "1 of 2 bodies are outside the reflecting walls from (0, 0, 0) to (1, 1, 1)",
                "body 1 (from 0) at (3, 0.25, 0.5)", "low and high"});
  EXPECT_TRUE(notes("").empty()) << "open walls stop nobody";
  EXPECT_TRUE(notes("walls = \"reflecting\"\nhigh = [3, 1, 1]\n").empty()) << "on a wall is inside";
  EXPECT_THROW(notes("walls = \"reflecting\"\nhigh = [2.999, 1, 1]\n"), FileError);
  EXPECT_THROW(notes("walls = \"reflecting\"\nlow = [0.6, 0, 0]\nhigh = [4, 1, 1]\n"), FileError);
}

TEST_F(SceneChecks, BodiesOutsideAPeriodicBoxAreNoted) {
  const std::vector<std::string> said = notes("walls = \"periodic\"\n");
  ASSERT_EQ(said.size(), 1u);
  expect_parts(said[0], {"1 of 2 bodies are outside the periodic box", "body 1 (from 0) at (3, 0.25, 0.5)", "sides"});
  EXPECT_TRUE(notes("walls = \"periodic\"\nhigh = [4, 4, 4]\n").empty());
}

TEST_F(SceneChecks, OnlyGravityMovesBodiesWithoutMass) {
  const std::string head =
      "title = \"t\"\nbodies = [[0, 0, 0, 0, 0, 0, 0, 0.1], [1, 2, 0, 0, 0, 0, 0, 0.1]]\n[physics]\n";
  for (const char* law : {"pair = \"lennard-jones\"", "pair = \"contact\"", "triple = \"axilrod-teller\"",
                          "pair = \"contact\"\nresponse = \"impulses\"", "pair = \"-1/r\""}) {
    expect_parts(message_of<FileError>([&] { make_scene(file(head + law + "\n")); }),
                 {"line 4", "1 of 2 bodies have no mass, the first of them body 0", "cannot move them", "gravity"});
  }
  for (const char* law : {"", "pair = \"none\"", "pair = \"-mi*mj/r\""}) {
    EXPECT_NO_THROW(make_scene(file(head + law + "\n"))) << law;
  }
  Bodies massless;
  massless.add(0, 0, 0, 0, 0, 0, 0);
  EXPECT_THROW(scene_of_bodies(massless, {{"pair", "lennard-jones"}}), ConfigError);
  EXPECT_NO_THROW(scene_of_bodies(massless, {{"pair", "lennard-jones"}}, false)) << "forces alone";
}

TEST_F(SceneChecks, SpringsThatAreTooSoftAreNoted) {
  const std::string two =
      "title = \"t\"\nbodies = [[1, -0.5, 0, 0, 1, 0, 0, 0.1], [1, 0.5, 0, 0, -1, 0, 0, 0.1]]\n[physics]\npair = "
      "\"contact\"\nstiffness = ";
  const auto said = [&](const std::string& lines) { return make_scene(file(two + lines + "\n")).notes; };
  ASSERT_EQ(said("1").size(), 1u);
  expect_parts(said("1")[0], {"bodies 0 and 1", "overlap by 1.41", "too soft", "stiffness of 8e+02"});
  EXPECT_TRUE(said("801").empty());
  EXPECT_TRUE(said("100\ndamping = 20").empty()) << "the dashpot stops them";
  const std::string walls = "\nwalls = \"reflecting\"\nlow = [-1, -1, -1]";
  EXPECT_TRUE(said("1e3" + walls).empty());
  EXPECT_EQ(said("1e3" + walls + "\nfield = [0, -100, 0]").size(), 1u) << "a fall makes them faster";
  for (const char* scene : {"sphere-box:n=200", "falling-pile:n=200"}) EXPECT_TRUE(make_scene(scene).notes.empty());
}

TEST_F(SceneChecks, AFieldAcrossPeriodicWallsIsNoted) {
  const std::vector<std::string> said = notes("walls = \"periodic\"\nhigh = [4, 4, 4]\nfield = [0, -9.81, 0]\n");
  ASSERT_EQ(said.size(), 1u);
  expect_parts(said[0], {"uniform field (0, -9.81, 0)", "periodic walls", "reflecting"});
  EXPECT_TRUE(notes("walls = \"reflecting\"\nhigh = [4, 4, 4]\nfield = [0, -9.81, 0]\n").empty());
  EXPECT_TRUE(notes("field = [0, -9.81, 0]\n").empty());
}

TEST_F(SceneChecks, RadiiThatTheLawDoesNotUseAreNoted) {
  const std::string poly = file("x,y,z,r\n0,0,0,0.5\n0.9,0,0,0.5\n5,0,0,0\n", "poly.csv");
  const std::vector<std::string> said = open_scene(poly).notes;
  ASSERT_FALSE(said.empty());
  expect_parts(said.back(), {"2 of 3 bodies have a radius", "gravity", "does not use it", "pair = \"contact\""});
  const std::string points = file("x,y,z,m\n0,0,0,1\n0.9,0,0,1\n", "points.csv");
  for (const std::string& note : open_scene(points).notes) EXPECT_EQ(note.find("radius"), std::string::npos) << note;
  const char* text = R"(title = "poly"
generator = "file"
[parameters]
path = "poly.csv"
[physics]
pair = "contact"
)";
  for (const std::string& note : make_scene(file(text)).notes)
    EXPECT_EQ(note.find("radius"), std::string::npos) << note;
}

TEST_F(SceneChecks, BuiltInScenesNeedNoNotes) {
  for (const SceneInfo& scene : list_scenes()) EXPECT_TRUE(make_scene(scene.name).notes.empty()) << scene.name;
}

}  // namespace
}  // namespace tri::test
