/// Gravity: bodies that the user gives, in the scene's own file or in one beside it. Units are the user's.

#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

Scene listed_bodies(SceneKeys& keys) {
  Scene scene;
  take_gravity_keys(scene, keys, 0.0);
  scene.dt = keys.real("dt", kFileSceneDt, kPositive);
  keys.done();
  if (keys.listed == nullptr) {
    throw FileError(
        "generator = \"bodies\" has no bodies to go with; list them beside it: bodies = [[m, x, y, z, vx, vy, vz]].");
  }
  scene.units = "those of the file";
  scene.bodies = *keys.listed;
  return scene;
}

Scene bodies_of_file(SceneKeys& keys) {
  Scene scene;
  const std::string path = keys.text("path", "\"FILE\", a file of bodies; its folder is counted from the scene's");
  take_gravity_keys(scene, keys, 0.0);
  scene.dt = keys.real("dt", kFileSceneDt, kPositive);
  keys.done();
  const std::filesystem::path whole = std::filesystem::path(keys.folder) / path;
  scene.bodies = read_bodies(whole.string(), &scene.notes);
  scene.units = "those of the file";
  return scene;
}

}  // namespace tri::scene
