#pragma once
/// A scene as its TOML file tells it (docs/scenes.md): which generators make its parts, with which parameters, and what
/// holds for the whole. Values stay text with the place where they stand; who uses them knows types and ranges.

#include <string>
#include <string_view>
#include <vector>

#include "sim/scene/scene_keys.hpp"

namespace tri::scene {

/// A [[part]], or the whole of a scene that has one generator.
struct PartText {
  std::string name;       ///< of a [[part]]: letters, digits, - and _
  std::string generator;  ///< not yet looked up
  std::string place;      ///< of the generator's name
  std::vector<Setting> settings;
  Bodies listed;  ///< bodies = [[m, x, y, z, vx, vy, vz, r], ...]
};

struct SceneText {
  std::string path;  ///< of the file; the name of a scene that is built in
  std::string title, units;
  std::vector<PartText> parts;      ///< at least one
  bool several = false;             ///< written as [[part]]
  std::vector<Setting> parameters;  ///< for every part that takes them
  std::vector<Setting> physics;     ///< of the whole
  std::vector<Setting> orbit;       ///< of two parts about each other
  std::vector<Setting> view;        ///< how it is first seen
  std::vector<Setting> integrator;  ///< one or none
};

/// Takes the text of a file apart. An array of three numbers at a key K becomes K-x, K-y and K-z. Throws FileError with
/// file, line, key and cure for what is no TOML, an unknown table or key outside of parameters, and a wrong type.
SceneText parse_scene(std::string_view text, const std::string& path);

/// The same of a file, of at most 16 MiB.
SceneText read_scene_text(const std::string& path);

}  // namespace tri::scene
