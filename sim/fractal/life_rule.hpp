#pragma once
/// Life-like rules of cellular automata: whether a cell is born or survives depends on how many of its neighbours are
/// on. On a fractal, the 8 neighbouring positions (26 in three dimensions) that do not belong to it count as off.

#include "sim/base/platform.hpp"

namespace tri {

/// Bit c is set if c live neighbours cause birth or survival.
struct LifeRule {
  static constexpr u32 kMaxNeighbours = 26;

  u32 birth = 1u << 3;
  u32 survive = 1u << 2 | 1u << 3;  ///< default: Conway's Life

  TRI_HD constexpr u8 next(u32 on, u32 neighbours) const {
    return static_cast<u8>(((on != 0 ? survive : birth) >> neighbours) & 1u);
  }
  friend TRI_HD constexpr bool operator==(const LifeRule& a, const LifeRule& b) {
    return a.birth == b.birth && a.survive == b.survive;
  }
};

}  // namespace tri
