/// A text that is a scene or a file.

#include <filesystem>
#include <fstream>

#include "sim/scene/scene.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

TEST(OpenScene, TakesAScene) { EXPECT_EQ(open_scene("plummer:n=7").bodies.size(), 7u); }

TEST(OpenScene, TakesAFileUnderGravity) {
  const std::string path = TRI_TEST_DATA "/solar_system.tab";
  const Scene s = open_scene(path);
  EXPECT_EQ(s.bodies.size(), 9u);
  EXPECT_EQ(s.name, path);
  EXPECT_EQ(s.field.pair, PairLaw::gravity);
  EXPECT_EQ(s.field.triple, TripleLaw::none);
  EXPECT_EQ(s.field.gravity.G, 1.0);
  EXPECT_EQ(s.field.gravity.softening, 0.0);
  EXPECT_EQ(s.dt, kFileSceneDt);
  EXPECT_EQ(s.integrator, Integrator::kdk);
  EXPECT_TRUE(same_bits(s.bodies, scene_from_file(path).bodies));
}

TEST(OpenScene, TheErrorForOtherTextIsOneLine) {
  EXPECT_EQ(message_of<ConfigError>([] { open_scene("plumer:n=3,eps=0.5"); }),
            "'plumer:n=3,eps=0.5' is neither a file nor a scene. Did you mean 'plummer'? See triangulum list scenes.");
  for (const char* path : {"stars.tab", "folder/stars", "./plummer", "no.such"}) {
    const auto message = message_of<FileError>([&] { open_scene(path); });
    EXPECT_EQ(message.rfind("there is no file '" + std::string(path) + "'.", 0), 0u) << message;
    EXPECT_LE(message.size(), 100u) << message;
  }
  EXPECT_EQ(message_of<FileError>([] { open_scene(TRI_TEST_DATA "/solar_sistem.tab"); }),
            "there is no file '" TRI_TEST_DATA "/solar_sistem.tab'. Did you mean '" TRI_TEST_DATA
            "/solar_system.tab'?");
}

TEST(OpenScene, AnUnknownFileTypeIsAFormatError) {
  const auto path = std::filesystem::temp_directory_path() / ("tri-open-scene-" + std::to_string(::getpid()) + ".fits");
  std::ofstream(path) << "1\n";
  const auto message = message_of<FileError>([&] { open_scene(path.string()); });
  std::filesystem::remove(path);
  expect_parts(message, {"no format is named .fits", ".tab, .csv, .npy, .hdf5"});
  expect_parts(message_of<FileError>([] { open_scene(TRI_TEST_DATA); }), {"is a folder"});
}

TEST(OpenScene, CountsMayHaveAnExponent) {
  EXPECT_EQ(open_scene("plummer:n=1e2").bodies.size(), 100u);
  expect_parts(message_of<ConfigError>([] { open_scene("plummer:n=1.5e0"); }), {"n = '1.5e0'"});
}

TEST(OpenScene, ErrorsOfSceneKeysPropagate) {
  expect_parts(message_of<ConfigError>([] { open_scene("plummer:n=x"); }), {"n = 'x'"});
}

}  // namespace
}  // namespace tri::test
