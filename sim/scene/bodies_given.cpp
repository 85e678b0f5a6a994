/// Gravity: bodies listed in the scene's file or read from another file. Units are the user's.

#include <fmt/format.h>

#include <filesystem>

#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/scene/scene_table.hpp"

namespace tri::scene {

Scene listed_bodies(SceneKeys& keys) {
  Scene scene;
  read_gravity_keys(scene, keys, 0.0);
  read_step(scene, keys, kFileSceneDt, 1);
  keys.done();
  if (keys.listed == nullptr) {
    throw FileError(
        "generator = \"bodies\" needs a list of bodies; add bodies = [[m, x, y, z, vx, vy, vz]] next to it.");
  }
  scene.units = "those of the file";
  scene.bodies = *keys.listed;
  return scene;
}

Scene bodies_of_file(SceneKeys& keys) {
  Scene scene;
  const std::string path = keys.text("path", "\"FILE\", a file of bodies, relative to the folder of the scene");
  read_gravity_keys(scene, keys, 0.0);
  read_step(scene, keys, kFileSceneDt, 1);
  keys.done();
  ReadReport reading;
  reading.asked = keys.units;
  const std::string file = (std::filesystem::path(keys.folder) / path).string();
  const auto fail_units = [&] {
    throw FileError(fmt::format("'{0}' says that its numbers are in {1}; write units = \"{1}\" in the scene.", path,
                                reading.units->name));
  };
  try {
    scene.bodies = read_bodies(file, reading);
  } catch (const ConfigError&) {
    fail_units();
  }
  if (reading.units != nullptr && keys.units == nullptr) fail_units();
  scene.notes = reading.notes;
  scene.field.box = box_of(file, reading);
  for (std::size_t axis = 0; axis < 3 && reading.box; ++axis) {
    scene.field.box.low[axis] *= keys.length, scene.field.box.high[axis] *= keys.length;
  }
  scene.units = "those of the file";
  return scene;
}

}  // namespace tri::scene
