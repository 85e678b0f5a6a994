#pragma once
/// A life-like cellular automaton on the cells (row i, column j <= i) of a triangle, stepped tile by tile in the order
/// of a map. Each cell must be visited exactly once per generation, so that a map which skips or repeats cells is
/// visible.

#include <span>
#include <string>
#include <vector>

#include "app/views/map_trace.hpp"
#include "sim/fractal/life_rule.hpp"

namespace tri::app {

/// "B3/S23", counts of 0 to 8 neighbours. Throws ConfigError with the form for anything else.
LifeRule triangle_rule_from(const std::string& text);

class TriangleAutomaton {
 public:
  static constexpr u32 kMinSide = 8, kMaxSide = 4096;
  static constexpr u8 kDead = 0, kAlive = 1, kWrong = 2, kOutside = 255;

  /// side: cells in the longest row. About 30 % live initially, determined by the seed. Cells outside of the triangle
  /// are dead.
  TriangleAutomaton(u32 side, const LifeRule& rule, u64 seed);

  /// One generation by the tiles of a trace of the triangle (tiles.side <= side()); a tile has ceil(side / tiles.side)
  /// cells per side.
  void step(const MapTrace& tiles);
  void set_rule(const LifeRule& rule) { rule_ = rule; }
  /// Sets the state of a cell; row >= col.
  void set(u32 row, u32 col, bool alive);

  u32 side() const noexcept { return side_; }
  u64 generation() const noexcept { return generation_; }
  u64 alive() const noexcept { return alive_; }
  /// Cells not visited exactly once in the last generation; they are kWrong and count as dead.
  u64 wrong() const noexcept { return wrong_; }
  /// [side * side], row by row: kDead, kAlive, kWrong, and kOutside outside of the triangle.
  std::span<const u8> cells() const noexcept { return shown_; }

 private:
  void tile(u32 row, u32 col, u32 cells);
  void show();

  u32 side_;
  LifeRule rule_;
  u64 generation_ = 0, alive_ = 0, wrong_ = 0;
  std::vector<u8> now_, next_;  ///< [(side + 2)^2] with a border of dead cells
  std::vector<u8> visits_;      ///< [(side + 2)^2] of this generation
  std::vector<u8> shown_;
};

}  // namespace tri::app
