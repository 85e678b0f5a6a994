#pragma once
/// The values that a number given by a user may have.

#include <limits>
#include <string>

namespace tri {

/// The default is every finite number.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_itself = true, high_itself = true;  ///< whether the ends belong to it

  bool holds(double value) const;  ///< false for infinity and NaN
  std::string text() const;        ///< "more than 0", "at least 0 and less than 1", "a finite number"
};

inline constexpr Range kPositive{.low = 0, .low_itself = false};
inline constexpr Range kNotNegative{.low = 0};

}  // namespace tri
