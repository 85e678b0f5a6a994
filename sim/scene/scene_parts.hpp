#pragma once
/// Builds a scene from its text: runs the generators, places and joins the parts, applies the scene-wide settings.

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

/// The generator of a part; throws FileError with the place and the nearest name.
using FindGenerator = std::function<const Generator&(const PartText& part)>;

/// Every key that the scene's spec accepts, with its default: "n=4096, seed=42, ...".
std::string keys_of(const SceneText& text, const FindGenerator& find);

/// Builds the scene; the given settings, and the laws, override those of the text. `name` identifies the scene in
/// errors.
Scene build_scene(const SceneText& text, const std::vector<Setting>& given, const std::string& name,
                  const FindGenerator& find, const SceneLaws& laws = {});

}  // namespace tri::scene
