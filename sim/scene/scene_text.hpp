#pragma once
/// Scenes as TOML, and their parts.
///
/// The contents of a scene's TOML file (docs/scenes.md): the generators of its parts with their parameters, and the
/// scene-wide settings. Values remain text with their file and line; their users check types and ranges.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scene/generators.hpp"
#include "sim/scene/scene.hpp"

namespace tri::scene {

/// A [[part]], or a whole scene with a single generator.
struct PartText {
  std::string name;       ///< of a [[part]]: letters, digits, - and _
  std::string generator;  ///< not checked yet
  std::string place;      ///< file and line of the generator's name
  std::vector<Setting> settings;
  std::vector<std::string> names;  ///< of the listed bodies, all or none
  Bodies listed;                   ///< bodies = [[m, x, y, z, vx, vy, vz, r], ...]
};

struct SceneText {
  std::string path;  ///< of the file; for a built-in scene its name
  std::string title, units;
  std::vector<PartText> parts;      ///< at least one
  bool several = false;             ///< written as [[part]]
  bool moves = true;                ///< else for forces alone
  std::vector<Setting> parameters;  ///< for every part that takes them
  std::vector<Setting> physics;     ///< of the whole scene; [law] is its pair, [triple-law] its triple
  std::vector<Setting> orbit;       ///< of two parts about each other
  std::vector<Setting> view;        ///< initial view
  std::vector<Setting> run;         ///< integrator, eta and precision, where given
};

/// Parses the text of a file. An array of three numbers under key K becomes K-x, K-y and K-z. Throws FileError with
/// file, line, key and hint for invalid TOML, an unknown table or key (outside of parameters) and a wrong type.
SceneText parse_scene(std::string_view text, const std::string& path);

/// Parses a file of at most 16 MiB.
SceneText read_scene_text(const std::string& path);

// Builds a scene from its text: runs the generators, places and joins the parts, applies the scene-wide settings.

/// A generator as the registry knows it.
struct Generator {
  SceneInfo info;
  Scene (*make)(SceneKeys& keys);
};

/// The generator of a part; throws FileError with the place and the nearest name.
using FindGenerator = std::function<const Generator&(const PartText& part)>;

/// Every key that the scene's spec accepts, with its default: "n=4096, seed=42, ...".
std::string keys_of(const SceneText& text, const FindGenerator& find);

/// Builds the scene; the given settings, and the laws, override those of the text. `name` identifies the scene in
/// errors.
Scene build_scene(const SceneText& text, const std::vector<Setting>& given, const std::string& name,
                  const FindGenerator& find, const SceneLaws& laws = {});

}  // namespace tri::scene
