#pragma once
/// Scenes: their registry, names of bodies and views, checks.
///
/// Scenes: named initial states with their laws, box, step and units.
///
/// A scene is a TOML text (docs/scenes.md) that names generators and their parameters. Those of assets/scenes are built
/// in and selected by name, a user's by the path of its file: NAME:key=value,key=value or FILE.toml:key=value. The same
/// text gives bit-identical bodies on every run; n is exact. All functions are thread-safe.

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/engine_config.hpp"
#include "sim/model/integrator.hpp"
#include "sim/model/units.hpp"

namespace tri {

struct ReadReport;
struct StateInfo;

/// Initial view of a scene, by the names that `render` accepts; empty: a default for its laws.
struct ViewHints {
  std::string shape, colour, colours;
};

/// Code units of a molecular scene in laboratory units; all 0 for other scenes.
struct MolecularUnits {
  double kelvin = 0;      ///< unit of energy / Boltzmann's constant
  double nanometre = 0;   ///< unit of length
  double picosecond = 0;  ///< unit of time
};

/// Everything needed to start a simulation.
struct Scene {
  std::string name;   ///< the scene's name in list_scenes(), or the file's path
  std::string title;  ///< one descriptive line
  std::string units;  ///< meaning of the code units: the name of a system (units.hpp), or words
  MolecularUnits molecular;
  Bodies bodies;      ///< the state at t = 0
  ForceField field;   ///< laws, parameters and box
  bool cell = false;  ///< the box, open, is the cell of a file, which outputs keep
  double dt = 0.01;   ///< time step > 0, in the scene's unit of time
  double eta = 0;     ///< > 0: steps of automatic length, of this accuracy (integrator.hpp), in place of dt
  Integrator integrator = Integrator::kdk;
  std::optional<Precision> precision;  ///< that the scene needs; none: any
  u64 seed = 42;                       ///< seed of the state's random numbers; unused by the exact orbits
  ViewHints view;
  std::vector<std::string> names;   ///< of the bodies of a file that names them, else empty (body_names())
  std::vector<std::string> groups;  ///< names of groups 0, 1, ...; empty for one without, and left out where none has
  double pace = 0;                  ///< simulated time that a second of watching should show, > 0; 0: not said
  std::vector<std::string> notes;   ///< one sentence each: assumptions of the file reader, data it skipped
};

/// What a file takes of the scene beside the bodies, which are those of this time.
StateInfo state_of(const Scene& scene, double time);

/// The scene's units in words: "nm-ps-amu: length nm, mass amu, time ps, G = 1.10826e-34", with the sizes of a
/// molecular scene in lj; or its own words.
std::string units_text(const Scene& scene);

/// The precision in which a scene is computed where nobody asks for one: its own, float64 for what needs it (hermite,
/// automatic steps; with triples_in_fp64, triples) and where float32 would lose the motion (checks.hpp), else
/// float32.
Precision usual_precision(const Scene& scene, bool triples_in_fp64);

/// A sentence where this precision loses the motion, or is float64 because float32 would; else empty. asked: by the
/// user, and not by usual_precision().
std::string precision_note(const Scene& scene, bool triples_in_fp64, Precision precision, bool asked);

/// A row of `triangulum list scenes` and `list generators`.
struct SceneInfo {
  const char* name;
  const char* title;
  const char* keys;  ///< "n=4096, seed=42, ...": every key of the scene, with its default
};

/// The default scene of `make run` and of scripts.
inline constexpr const char* kDefaultScene = "plummer:n=4096";
/// What the window plays where nobody names a scene.
inline constexpr const char* kFirstScene = "merger:n=2048";

/// Default time step of a scene read from a file.
inline constexpr double kFileSceneDt = 0.01;

/// The built-in scenes.
std::span<const SceneInfo> list_scenes();
/// The generators that a scene's file may name.
std::span<const SceneInfo> list_generators();

/// Whether the spec, up to any ':', is the name of a scene or a path that ends in .toml, so that it takes keys.
bool takes_keys(const std::string& spec);
/// Whether this is a key of the scene that the spec names. Throws FileError for a .toml file that cannot be read.
bool has_key(const std::string& spec, std::string_view key);
/// "n=4096, seed=42, ...": every key of the scene with its default, as SceneInfo::keys; empty where it takes none.
/// Throws FileError likewise.
std::string keys_of_scene(const std::string& spec);

/// "NAME:key=value" -> NAME and the text after its ':'; a path with .toml keeps any ':' in its folders.
std::pair<std::string, std::string> split_spec(const std::string& spec);

/// Laws in place of a scene's own: a name, or the text of a typed law (physics_params.hpp); empty: the scene's own.
/// Parameters are those that are no keys of the scene (has_key()), which has a better use for them.
struct SceneLaws {
  std::string pair, triple;
  bool none_in_cells = false;  ///< no law, with a note, for a file whose periodic cell gravity does not fit: to look at
  std::vector<GivenParameter> parameters = {};
};

/// Builds a scene from NAME[:key=value,...] or FILE.toml[:key=value,...]. Throws ConfigError for an unknown scene or
/// key, with the nearest name and all valid ones, and for a value out of range, with the key and its range. An error in
/// a file is a FileError with file, line, key and hint.
Scene make_scene(const std::string& spec, const SceneLaws& laws = {});

/// These bodies with the settings of a scene's file, each a key and its value as text: G, eps and dt of [parameters],
/// all of [physics] (pair and triple may be the text of a typed law), integrator, eta, precision and units; without
/// them as bodies that a file lists. Three numbers are K-x, K-y and K-z. moves: else for their forces alone, which ask
/// for no masses. Throws ConfigError.
Scene scene_of_bodies(Bodies bodies, const std::vector<std::pair<std::string, std::string>>& settings,
                      bool moves = true);

/// What may follow the path of a file: the units of its numbers, and columns of csv as ReadReport::columns has them.
struct FileKeys {
  const UnitSystem* units = nullptr;
  std::vector<std::pair<std::string, std::string>> columns = {};
};

/// The bodies of a file, or of standard input for `-`, whose path FileKeys may follow; nullopt if there is no such
/// file. The rest of the report is as of read_bodies(). Throws as that, and ConfigError for keys that are none.
std::optional<Bodies> read_named_file(const std::string& path_and_keys, ReadReport& reading);

/// Bodies from a file of any format of sim/io, under gravity: G of the units, or 1, no softening, dt = kFileSceneDt,
/// kdk, the periodic cell of the file or open boundaries. Throws FileError, also for laws that such a cell cannot have.
Scene scene_from_file(const std::string& path, const FileKeys& keys = {}, const SceneLaws& laws = {});

/// check(field, largest_radius), for the periodic cell of a file: what a law cannot have is a FileError that names it.
void check_in_cell(const std::string& path, const ForceField& field, double largest_radius);

/// The text of a scene or file, with the units of its numbers: NAME:units=si, NAME:n=3,units=si, FILE:units=si.
std::string with_units(const std::string& spec, const std::string& units);

/// A scene if the text names one or a .toml file, else the file of that path, standard input for `-`; :units=SYSTEM and
/// columns of csv, FILE.csv:x=pos_x,name=planet, may follow the path. For text that is neither: FileError if it looks
/// like a path (a '/' or a '.' before any ':'), ConfigError otherwise, one line with the nearest name. Use ./NAME for a
/// file that has the name of a scene.
Scene open_scene(const std::string& spec_or_path, const SceneLaws& laws = {});

// Names of bodies, as a scene's file gives them.

/// In the order of the bodies; empty for a scene without names, and for a file of bodies. Throws as make_scene().
std::vector<std::string> body_names(const std::string& spec);

// Names of body shapes, colours and colour maps in scene files and for `render`. The enums of render/ have this order.

inline const std::initializer_list<std::string_view> kBodyShapeNames = {"spheres", "glow", "points"};
inline const std::initializer_list<std::string_view> kColourNames = {"speed", "acceleration", "mass",    "radius",
                                                                     "index", "group",        "contacts"};
inline const std::initializer_list<std::string_view> kColourMapNames = {"viridis",    "inferno",     "cividis",
                                                                        "black-body", "orange-blue", "plain"};

}  // namespace tri

// Whether bodies, box and laws of a scene can be meant together.

namespace tri::scene {

/// Moves bodies into the periodic box of a field by whole sides, in float64: an engine in float32 would round them
/// outside first. Throws what check_images() throws.
void enter_box(Bodies& bodies, const ForceField& field);

/// "18 of 20 bodies are outside the reflecting walls from ... to ..., the first of them body 0 (from 0) at ..."; empty
/// if none is, or the box is open.
std::string outside_walls(const Bodies& bodies, const Box& box);

struct MissingColumn {
  std::string sentence;   ///< "the law of pairs reads the radii (ri, rj), and every one is 0"; empty: none is missing
  const char* file = "";  ///< the column of a file: r
  const char* keyword = "";  ///< of Python: radii
};
/// What the law of pairs reads and no body has. Jobs refuse such bodies, scenes note them. (Masses are never missing.)
MissingColumn missing_column(const Bodies& bodies, const ForceField& field);

/// Notes on radii and charges that the law of pairs does not use, and on spheres whose contact has no direction.
std::vector<std::string> idle_columns(const Bodies& bodies, const ForceField& field);

/// A note where forces are asked of dashpots, and all bodies are at rest; else empty.
std::string idle_dashpots(const Bodies& bodies, const ForceField& field);

/// Throws ConfigError for a body outside reflecting walls: a mirror would fold it in, a spring would fling it away.
/// Notes in the scene what is unusual: bodies outside a periodic box, a uniform field across periodic walls,
/// idle_columns(), columns that the law misses, springs too soft for the speeds.
void check_meaning(Scene& scene);
/// Throws ConfigError for bodies without mass under a law that cannot move them.
void check_masses(const Scene& scene);

}  // namespace tri::scene
