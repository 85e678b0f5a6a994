#pragma once
/// Rules of cellular automata that count neighbours: a cell off is born, a cell on survives, by how many of the cells
/// around it are on. On a fractal the neighbours are those of the 8 places around it (26 in three dimensions) that
/// belong to the fractal; the others count as off.

#include <string>
#include <string_view>

#include "sim/base/platform.hpp"

namespace tri {

/// Bit c stands for c neighbours that are on.
struct LifeRule {
  static constexpr u32 kMaxNeighbours = 26;

  u32 birth = 1u << 3;
  u32 survive = 1u << 2 | 1u << 3;  ///< Conway's life by default

  TRI_HD constexpr u8 next(u32 on, u32 neighbours) const {
    return static_cast<u8>(((on != 0 ? survive : birth) >> neighbours) & 1u);
  }
  friend TRI_HD constexpr bool operator==(const LifeRule& a, const LifeRule& b) {
    return a.birth == b.birth && a.survive == b.survive;
  }
};

/// "B3/S23"; counts above 9 in three dimensions are parted by dots: "B4.5/S3.10". Either part may be empty. Throws
/// ConfigError with the form.
LifeRule life_rule_from(std::string_view text);
std::string to_string(const LifeRule& rule);

}  // namespace tri
