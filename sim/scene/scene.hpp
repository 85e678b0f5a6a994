#pragma once
/// Scenes: named initial states with the laws, box, step and units that belong to them.
///
/// A scene is a TOML text (docs/scenes.md) that names generators and their parameters. Those of assets/scenes are built
/// in and are asked for by name, a user's own by the path of its file: NAME:key=value,key=value or FILE.toml:key=value.
/// The same text gives the same bodies, bit for bit, on every run; n is exact. All functions may be called from any
/// thread.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/integrator.hpp"

namespace tri {

/// How a scene is first seen, by the names that `render` takes; empty: what suits its laws.
struct ViewHints {
  std::string shape, colour, colours;
};

/// What the code units of a molecular scene are; all 0 where they are nothing of the kind.
struct MolecularUnits {
  double kelvin = 0;      ///< of energy, over Boltzmann's constant
  double nanometre = 0;   ///< of length
  double picosecond = 0;  ///< of time
};

/// Everything that a simulation needs to start.
struct Scene {
  std::string name;   ///< the scene's name in list_scenes(), or the file's path
  std::string title;  ///< one line for people
  std::string units;  ///< what the code units of length, mass and time mean
  MolecularUnits molecular;
  Bodies bodies;     ///< the state at t = 0
  ForceField field;  ///< laws, parameters and box
  double dt = 0.01;  ///< time step > 0, in the scene's unit of time
  Integrator integrator = Integrator::kdk;
  u64 seed = 42;  ///< what the random numbers of the state began with; unused by the exact orbits
  ViewHints view;
  std::vector<std::string> notes;  ///< a sentence each: what the reader of a file had to assume, or left unread
};

/// What `triangulum list scenes` and `list generators` show.
struct SceneInfo {
  const char* name;
  const char* title;
  const char* keys;  ///< "n=4096, seed=42, ...": every key that the scene takes, with its default
};

/// The scene of `make run`, and of the app when none is named.
inline constexpr const char* kDefaultScene = "plummer:n=4096";

/// The time step of a scene that comes from a file, until the user sets another.
inline constexpr double kFileSceneDt = 0.01;

/// The scenes that are built in.
std::span<const SceneInfo> list_scenes();
/// What a scene's file may name as generator.
std::span<const SceneInfo> list_generators();

/// Whether NAME:key=value,... may be asked for: the text begins with the name of a scene, or with a path that ends in
/// .toml. What follows the ':' is not looked at.
bool takes_keys(const std::string& spec);

/// "NAME:key=value" -> NAME and what stands behind its ':'; a path with .toml keeps the ':' of its folders.
std::pair<std::string, std::string> split_spec(const std::string& spec);

/// Builds a scene from NAME or NAME:key=value,..., or from FILE.toml and FILE.toml:key=value. Throws ConfigError, with
/// the nearest name and the whole list, for an unknown scene or key; with the key and its range for a value that does
/// not fit. What is wrong in a file is a FileError with file, line, key and cure.
Scene make_scene(const std::string& spec);

/// Bodies from a file of any format of sim/io, under gravity: G = 1, no softening, dt = kFileSceneDt, kdk, open space.
/// The units are the file's own. Throws FileError.
Scene scene_from_file(const std::string& path);

/// A scene when the text names one or a .toml file, else the file of that path. A text that is neither is an error
/// that names both possibilities: FileError when it looks like a path (a '/' or a '.' before any ':'), ConfigError
/// otherwise. A file that has the name of a scene is reached as ./NAME.
Scene open_scene(const std::string& spec_or_path);

}  // namespace tri
