#pragma once
/// What generators and the texts of scenes share: keys, their table, random numbers, placement, spheres, parts.
///
/// Parameters of a scene's generator: keys with text values, from a scene's file or from the command line. The keys
/// that the generator reads are the valid ones: done() refuses all others.

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/numbers.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/user_values.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"
#include "sim/scene/scene.hpp"

namespace tri::scene {

/// A key with its value and origin.
struct Setting {
  std::string key, value;
  std::string place;  ///< "'my.toml', line 12"; empty: the command line
};

/// The setting of a key; nullptr: it has none.
const Setting* find_setting(const std::vector<Setting>& settings, std::string_view key);

/// Parses "key=value,key=value"; empty text gives no settings. Throws ConfigError for a part without '=', an empty key
/// and a repeated key.
std::vector<Setting> settings_from(std::string_view scene, std::string_view text);

/// "a=1, b=2" -> {"a", "b"}: the key names in SceneInfo::keys.
std::vector<std::string> key_names(std::string_view keys);

/// Throws the error for an invalid setting: FileError with its place, or ConfigError with the scene.
[[noreturn]] void fail_setting(const std::string& scene, const Setting& setting, const std::string& what);

/// Reads settings. Errors name the scene (or file and line), the key, its value and its range.
class SceneKeys {
 public:
  SceneKeys(std::string_view scene, std::vector<Setting> given) : scene_(scene), given_(std::move(given)) {}

  /// Whether the key has a value.
  bool has(std::string_view key) const { return find_setting(given_, key) != nullptr; }
  double real(std::string_view key, double fallback, const Range& range = {});
  /// Of `n` also throws MemoryError, before a generator fills the memory.
  u32 count(std::string_view key, u32 fallback, u32 low, u32 high);
  u64 seed();  ///< key seed, default 42
  /// One of `names`.
  std::string name(std::string_view key, std::string_view fallback, const std::vector<std::string_view>& names);
  /// A required text. `what` completes the sentence "it must be".
  std::string text(std::string_view key, const char* what);

  /// Throws if the key has a value, though it has no effect: "k {why}".
  void refuse_idle(std::string_view key, const char* why);

  /// Call after reading the last key and before the work. Throws for a key that was not read, with the nearest name.
  void done() const;

  /// The system of units that the scene names; nullptr: none.
  const UnitSystem* units = nullptr;
  /// The generator's units of mass and length in those of the scene: read_gravity_keys().
  double mass = 1, length = 1;
  /// Its unit of time in that of the scene, in which a scene's text counts pace-of-time.
  double time = 1;
  /// Bodies listed in the scene's file; nullptr: none.
  const Bodies* listed = nullptr;
  /// Folder of the scene's file, to which its paths are relative; empty: the working folder.
  std::string folder;

 private:
  const Setting* find(std::string_view key);
  [[noreturn]] void refuse(const Setting& setting, const std::string& must_be) const;

  std::string scene_;
  std::vector<Setting> given_;
  std::vector<std::string> known_;  ///< keys read so far
};

// The generators of the registry. A new one is a function here and one row in scene.cpp, whose key text lists
// the keys that the function reads; a scene that uses it is a file in assets/scenes.

/// Maximum n of a scene: 32-bit indices, with headroom for arithmetic on them.
inline constexpr u32 kMaxBodies = 1u << 30;

Scene uniform_ball(SceneKeys& keys);
Scene uniform_box(SceneKeys& keys);
Scene plummer(SceneKeys& keys);
Scene kepler(SceneKeys& keys);
Scene figure_8(SceneKeys& keys);
Scene lagrange(SceneKeys& keys);
Scene sphere_box(SceneKeys& keys);
Scene gas(SceneKeys& keys);
Scene falling_pile(SceneKeys& keys);
Scene argon_droplet(SceneKeys& keys);
Scene galaxy(SceneKeys& keys);
Scene cosmic_web(SceneKeys& keys);
Scene listed_bodies(SceneKeys& keys);
Scene bodies_of_file(SceneKeys& keys);
Scene argon_crystal(SceneKeys& keys);
Scene salt(SceneKeys& keys);

/// Sets the pair law to gravity and reads the keys of every gravity generator, whose bodies have its own units of mass
/// and length and the scene's G: mass and length (> 0), these units in those of the scene, to which build_scene()
/// scales; G (> 0; default: that of the scene's system of units, or 1); eps (>= 0, default `softening` * length).
void read_gravity_keys(Scene& scene, SceneKeys& keys, double softening);
/// Then their key dt (> 0, default `dt` * sqrt(length^3 / (mass * G))). Bodies with velocities of their own have G = 1.
void read_step(Scene& scene, SceneKeys& keys, double dt, double G);

/// Makes hermite with automatic steps of this accuracy the usual way to compute the scene.
void resolve_encounters(Scene& scene, double eta);

// Random numbers for scenes: one splitmix64 stream per scene, so that (scene, keys, seed) determines the state; and
// operations on bodies and velocities.

using Vec = std::array<double, 3>;

/// Reports progress (sim/base/progress.hpp), so that the making of many bodies can be cancelled.
class Random {
 public:
  explicit Random(u64 seed) : stream_{seed} {}

  double uniform() {  ///< in [0, 1)
    if (++drawn_ % kReportEvery == 0) report();
    return stream_.uniform();
  }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();       ///< mean 0, variance 1 (Box and Muller 1958; the second number is discarded)
  Vec direction();       ///< a unit vector, uniform on the sphere
  u64 below(u64 bound);  ///< 0 .. bound - 1, uniform to 2^-32 (bound <= 2^32)

 private:
  static constexpr u32 kReportEvery = 1 << 14;
  static void report();

  SplitMix64 stream_;
  u32 drawn_ = 0;
};

/// The layers 0..n-1 in random order (Fisher and Yates), so that a body's index is independent of its position.
std::vector<u32> shuffled_layers(u32 n, Random& random);

/// Appends the bodies of `from` to `to`.
void append(Bodies& to, const Bodies& from);

/// Moves the centre of mass to the origin.
void centre_positions(Bodies& bodies);

/// Subtracts the mean velocity, so that the momentum is 0 up to rounding.
void remove_drift(Bodies& bodies);

/// Scales the velocities to this kinetic energy; does nothing if all bodies are at rest.
void scale_to_kinetic(Bodies& bodies, double kinetic);

/// Maxwellian velocities: normal components of variance 1 / m, shifted to zero momentum and scaled to this kinetic
/// energy. A single body stays at rest.
void set_thermal_velocities(Bodies& bodies, double kinetic, Random& random);

// The keys of [[part]], [orbit] and [physics]: placement of the parts of a scene, and its laws.

/// position-x .. velocity-z, tilt, turn, group.
std::span<const std::string_view> placement_keys();

/// Bodies in a generator's units of mass and length, of which a scene has `mass` and `length` each, in its own: lengths
/// times `length`, velocities times sqrt(mass / length), so that orbits under the same G keep their shape.
void scale_bodies(Bodies& bodies, double mass, double length);

/// Rotates positions and velocities by `tilt` about x, then by `turn` about z (degrees), then translates. All bodies
/// get one group, from the key or `number`, which is returned. In a periodic `cell` rotations are refused.
u32 place_part(Bodies& bodies, const std::string& name, const std::vector<Setting>& settings, u32 number, bool cell);

/// Puts two parts, treated as point masses, on an incoming orbit: keys pericentre, separation (initial) and
/// eccentricity (1: at rest at infinity). The orbit is in the plane z = 0 about the origin.
void place_on_orbit(Bodies& one, Bodies& other, double G, const std::string& name,
                    const std::vector<Setting>& settings);

/// Overrides the generators' choice of laws, their parameters, walls and the uniform field.
void apply_physics(ForceField& field, const std::string& name, const std::vector<Setting>& settings);

/// A note where settings ask for walls about bodies in open space, and name no corner; else empty.
std::string usual_box(const ForceField& made, const ForceField& field, const std::vector<Setting>& settings);
/// Throws for a key of [parameters] or of a part that [physics] of the same file has, too.
void refuse_both(const std::string& name, const std::vector<Setting>& settings, const std::vector<Setting>& physics);
/// "another nu": what two fields with the same laws have different values of, other than parameters of gravity; empty:
/// nothing. Of spheres also box and uniform field.
std::string other_parameter(const ForceField& a, const ForceField& b);
/// Throws for a setting of apply_physics() that does not act in the field: a parameter of another law, corners of no
/// walls. only_given: among those without a place.
void refuse_idle(const ForceField& field, const std::string& name, const std::vector<Setting>& settings,
                 bool only_given);
/// The same for keys of a generator, which made bodies for the field `made`.
void refuse_idle_keys(const ForceField& made, const ForceField& field, const std::string& name,
                      const std::vector<Setting>& settings, bool only_given);

/// Throws for keys of a generator and settings of the laws, or options, that set the same: restitution beside e.
void refuse_twice(const ForceField& made, const std::string& name, const std::vector<Setting>& settings,
                  const std::vector<Setting>& physics, const std::vector<GivenParameter>& options);

// Shared by the scenes of spheres: placement without overlap, masses by volume, and the key walls.

/// Places spheres of given radii in the cube [0, 1)^3 without overlap by random sequential addition, the largest first;
/// a grid of cells limits the overlap tests to neighbours. With periodic walls, spheres may cross a wall and do not
/// overlap periodic images; otherwise they are entirely inside. Throws ConfigError with the scene if they do not fit.
void place_spheres(const char* scene, Bodies& bodies, Boundary walls, Random& random);

/// Masses proportional to the cubes of the radii, with this sum.
void set_masses_by_volume(Bodies& bodies, double sum);

/// Key walls: open, reflecting or periodic.
Boundary read_walls(SceneKeys& keys, Boundary fallback);

// The contents of a scene's TOML file (docs/scenes.md): the generators of its parts with their parameters, and the
// scene-wide settings. Values remain text with their file and line; their users check types and ranges.

/// A [[part]], or a whole scene with a single generator.
struct PartText {
  std::string name;       ///< of a [[part]]: letters, digits, - and _
  std::string title;      ///< of its group in legends; empty: the name
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
