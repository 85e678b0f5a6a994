#pragma once
/// Texts that name scenes, NAME:key=value,...: taken apart and put together.

#include <string>
#include <string_view>

#include "sim/scene/scene.hpp"

namespace tri::app {

/// What stands before the ':'.
std::string scene_name(const std::string& spec);

/// Whether keys may follow: a scene or a .toml file, and not a file of bodies.
bool is_scene(const std::string& spec);

/// Whether the scene has such a key; false for a file.
bool scene_takes(const std::string& spec, std::string_view key);

/// What a window shows of a text: as open_scene(), but a snapshot of a run comes with its laws, step and scheme, and a
/// note that says so.
Scene scene_to_view(const std::string& spec);

/// The text with that key set to the value, in place of an earlier one.
std::string with_key(const std::string& spec, std::string_view key, std::string_view value);

}  // namespace tri::app
