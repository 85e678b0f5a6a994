#pragma once
/// What a scene's generator is given, as it asks for it: keys with values as text, from a scene's file or from the
/// command line. The questions are the list of the keys: done() refuses whatever nobody asked for.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/model/bodies.hpp"

namespace tri::scene {

/// The values that a key may have. The default is every finite number.
struct Range {
  double low = -1e300, high = 1e300;
  bool low_itself = true, high_itself = true;  ///< whether the ends belong to it

  bool holds(double value) const;
  std::string text() const;  ///< "more than 0", "at least 0 and less than 1"
};

inline constexpr Range kPositive{0, 1e300, false, true};
inline constexpr Range kNotNegative{0, 1e300, true, true};

/// A key with its value, and where it stands.
struct Setting {
  std::string key, value;
  std::string place;  ///< "'my.toml', line 12"; empty: the command line
};

/// Takes "key=value,key=value" apart; empty text gives none. Throws ConfigError for a part without '=', an empty key
/// and a key given twice.
std::vector<Setting> settings_from(std::string_view scene, std::string_view text);

/// "a=1, b=2" -> {"a", "b"}: the names in a text of keys as list_scenes() has it.
std::vector<std::string> key_names(std::string_view keys);

/// Throws what a wrong setting is: FileError with its place, or ConfigError in the name of the scene.
[[noreturn]] void fail_setting(const std::string& scene, const Setting& setting, const std::string& what);

/// Errors hold the scene (or file and line), the key, its value and its range.
class SceneKeys {
 public:
  SceneKeys(std::string_view scene, std::vector<Setting> given) : scene_(scene), given_(std::move(given)) {}

  double real(std::string_view key, double fallback, const Range& range = {});
  u32 count(std::string_view key, u32 fallback, u32 low, u32 high);
  u64 seed();                                     ///< key seed, default 42
  bool yes(std::string_view key, bool fallback);  ///< true or false
  /// One of `names`.
  std::string name(std::string_view key, std::string_view fallback, std::initializer_list<std::string_view> names);
  /// Any text; refused where it is not given. `what` ends the sentence "it must be".
  std::string text(std::string_view key, const char* what);
  bool has(std::string_view key) const;

  /// Call after the last question and before the work. Throws for a key that was not asked for, with the nearest name.
  void done() const;

  /// Bodies that stand in the scene's file itself; nullptr: none.
  const Bodies* listed = nullptr;
  /// Of the scene's file, which the paths in it begin from; empty: the working folder.
  std::string folder;

 private:
  const Setting* find(std::string_view key);
  [[noreturn]] void refuse(const Setting& setting, const std::string& must_be) const;

  std::string scene_;
  std::vector<Setting> given_;
  std::vector<std::string> asked_;
};

}  // namespace tri::scene
