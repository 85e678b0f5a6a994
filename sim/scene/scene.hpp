#pragma once
/// Scenes: named initial states with the laws, box, step and units that belong to them.
///
/// A scene is asked for by a text, NAME or NAME:key=value,key=value. The same text gives the same bodies, bit for
/// bit, on every run; n is exact. All functions are pure and may be called from any thread.

#include <span>
#include <string>
#include <vector>

#include "sim/bodies.hpp"
#include "sim/integrators/integrator.hpp"
#include "sim/physics_params.hpp"

namespace tri {

/// Everything that a simulation needs to start.
struct Scene {
  std::string name;   ///< the scene's name in list_scenes(), or the file's path
  std::string title;  ///< one line for people
  std::string units;  ///< what the code units of length, mass and time mean
  Bodies bodies;      ///< the state at t = 0
  ForceField field;   ///< laws, parameters and box
  double dt = 0.01;   ///< time step > 0, in the scene's unit of time
  Integrator integrator = Integrator::kdk;
  u64 seed = 42;                   ///< what the random numbers of the state began with; unused by the exact orbits
  std::vector<std::string> notes;  ///< a sentence each: what the reader of a file had to assume, or left unread
};

/// What `triangulum list scenes` shows.
struct SceneInfo {
  const char* name;
  const char* title;
  const char* keys;  ///< "n=4096, seed=42, ...": every key that the scene takes, with its default
};

/// The scene of `make run`, and of the app when none is named.
inline constexpr const char* kDefaultScene = "plummer:n=4096";

/// The time step of a scene that comes from a file, until the user sets another.
inline constexpr double kFileSceneDt = 0.01;

std::span<const SceneInfo> list_scenes();

/// Builds a scene from NAME or NAME:key=value,... Throws ConfigError, with the nearest name and the whole list, for an
/// unknown scene or key; with the key and its range for a value that does not fit.
Scene make_scene(const std::string& spec);

/// Bodies from a file of any format of sim/io, under gravity: G = 1, no softening, dt = kFileSceneDt, kdk, open space.
/// The units are the file's own. Throws FileError.
Scene scene_from_file(const std::string& path);

/// A scene when the text before ':' is the name of one, else the file of that path. A text that is neither is an error
/// that names both possibilities: FileError when it looks like a path (a '/' or a '.' before any ':'), ConfigError
/// otherwise. A file that has the name of a scene is reached as ./NAME.
Scene open_scene(const std::string& spec_or_path);

}  // namespace tri
