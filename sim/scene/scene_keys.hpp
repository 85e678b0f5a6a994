#pragma once
/// Parameters of a scene's generator: keys with text values, from a scene's file or from the command line. The keys
/// that the generator reads are the valid ones: done() refuses all others.

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/base/range.hpp"
#include "sim/model/bodies.hpp"
#include "sim/model/units.hpp"

namespace tri::scene {

/// A key with its value and origin.
struct Setting {
  std::string key, value;
  std::string place;  ///< "'my.toml', line 12"; empty: the command line
};

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
  bool has(std::string_view key) const;
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

}  // namespace tri::scene
