#pragma once
/// The text after a scene's name, "key=value,key=value", as a scene's generator asks for it. The questions are the
/// list of the keys: done() refuses whatever nobody asked for.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/platform.hpp"

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

/// Errors are ConfigErrors with the scene, the key, its value and its range.
class SceneKeys {
 public:
  /// `text` may be empty. Throws for a part without '=', an empty key and a key given twice.
  SceneKeys(std::string_view scene, std::string_view text);

  double real(std::string_view key, double fallback, const Range& range = {});
  u32 count(std::string_view key, u32 fallback, u32 low, u32 high);
  u64 seed();  ///< key seed, default 42
  /// One of `names`.
  std::string name(std::string_view key, std::string_view fallback, std::initializer_list<std::string_view> names);

  /// Call after the last question and before the work. Throws for a key that was not asked for, with the nearest name.
  void done() const;

 private:
  const std::string* find(std::string_view key);
  [[noreturn]] void refuse(std::string_view key, const std::string& value, const std::string& must_be) const;

  std::string scene_;
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> asked_;
};

}  // namespace tri::scene
