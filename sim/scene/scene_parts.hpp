#pragma once
/// From a scene's text to its bodies: generators run, parts placed and put together, what holds for the whole applied.

#include <functional>
#include <string>
#include <vector>

#include "sim/scene/scene.hpp"
#include "sim/scene/scene_text.hpp"

namespace tri::scene {

/// A generator as the registry knows it.
struct Generator {
  SceneInfo info;
  Scene (*make)(SceneKeys& keys);
};

/// The generator of a name; throws FileError with the place and the nearest name.
using FindGenerator = std::function<const Generator&(const PartText& part)>;

/// Every key that may stand behind the scene's name, with the value that it has otherwise: "n=4096, seed=42, ...".
std::string keys_of(const SceneText& text, const FindGenerator& find);

/// Builds the scene; the settings given here have precedence over those of the text. `name` is what errors call it.
Scene build_scene(const SceneText& text, const std::vector<Setting>& given, const std::string& name,
                  const FindGenerator& find);

}  // namespace tri::scene
