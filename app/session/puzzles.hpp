#pragma once
/// Puzzles: send blocks onto tiles by a map file of one's own, from the bounding box to Menger's sponge. Pure.

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "app/session/sketches.hpp"
#include "sim/base/platform.hpp"
#include "sim/maps/map_concepts.hpp"

namespace tri::app {

struct Puzzle {
  const char* name;                ///< one word
  const char *task, *hint;         ///< sentences
  Domain domain;                   ///< that a text must have
  SketchOf of = SketchOf::domain;  ///< what the tiles are
  std::array<u32, 4> sides{};      ///< the first is shown; the map must be right at all that are not 0
  bool idle_blocks = false;        ///< blocks may be idle
  std::string head;                ///< what both texts begin with
  std::string begin, solution;     ///< texts of map files
};
inline constexpr std::size_t kPuzzleCount = 7;
std::span<const Puzzle, kPuzzleCount> puzzles();

/// Blocks that a solution launches at the first side, and its tiles: "136 blocks onto 136 tiles".
std::string puzzle_size(const Puzzle& puzzle);

struct PuzzleVerdict {
  bool solved = false;
  std::string
      text;  ///< in sentences: what is solved, or what is wrong first; of a text that is no map the sketch says it
  MapSketch sketch;  ///< at the first side
};
/// Never throws for a text. Takes some milliseconds.
PuzzleVerdict judge(const Puzzle& puzzle, std::string_view text);

}  // namespace tri::app
