#include "app/session/puzzles.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "app/support/language.hpp"
#include "app/support/text_table.hpp"

namespace tri::app {
namespace {

/// begin and solution: what follows head.
const std::array<Puzzle, kPuzzleCount> kRows = {{
    {"bb",
     "A box launches 16 x 16 blocks, and the triangle has 136 tiles. Say which blocks are idle.",
     "Tiles have col <= row. idle = ... is not 0 for the blocks that have none.",
     Domain::triangle,
     SketchOf::domain,
     {16, 1, 7, 64},
     true,
     R"(name = "my-box"
domain = "pairs"
launch = ["m", "m"]
tile = """
)",
     R"(  row = y
  col = x
"""
)",
     R"(  idle = x > y
  row = y
  col = x
"""
)"},
    {"fold",
     "Send 136 blocks onto 136 tiles: a rectangle of m + 1 by m/2 blocks, none of them idle.",
     "Row y of the rectangle has room for row m - 1 - y of the triangle, and behind it for row y.",
     Domain::triangle,
     SketchOf::domain,
     {16, 2, 10, 64},
     false,
     R"(name = "my-fold"
domain = "pairs"
launch = ["m + 1", "m/2"]  # even m
tile = """
)",
     R"(  row = y
  col = x
"""
)",
     R"(  row = x < m - y ? m - 1 - y : y
  col = x < m - y ? x : x - (m - y)
"""
)"},
    {"lambda",
     "The same 136 blocks in one line: only the number w says where a block goes.",
     "Row i begins at block i (i + 1)/2; solve that for i. isqrt() is the floor of a root, and exact.",
     Domain::triangle,
     SketchOf::domain,
     {16, 1, 7, 64},
     false,
     R"(name = "my-lambda"
domain = "pairs"
launch = ["m*(m + 1)/2"]
tile = """
)",
     R"(  row = w/m
  col = w % m
"""
)",
     R"(  row = (isqrt(8*w + 1) - 1)/2
  col = w - row*(row + 1)/2
"""
)"},
    {"cube",
     "Triples: a cube launches 216 blocks for the 56 tiles of a tetrahedron. Say which are idle.",
     "Tiles have col <= row <= layer.",
     Domain::tetrahedron,
     SketchOf::domain,
     {6, 1, 3, 12},
     true,
     R"(name = "my-cube"
domain = "triples"
launch = ["m", "m", "m"]
tile = """
)",
     R"(  row = y
  col = x
  layer = z
"""
)",
     R"(  idle = x > y || y > z
  row = y
  col = x
  layer = z
"""
)"},
    {"tetra",
     "56 blocks in a line onto the 56 tiles of the tetrahedron.",
     "Layer k begins at block k (k + 1)(k + 2)/6, and is a triangle. icbrt(6*w) is k, or one too many.",
     Domain::tetrahedron,
     SketchOf::domain,
     {6, 1, 3, 12},
     false,
     R"(name = "my-tetra"
domain = "triples"
launch = ["m*(m + 1)*(m + 2)/6"]
tile = """
)",
     R"(  layer = w/(m*m)
  row = w/m % m
  col = w % m
"""
)",
     R"(  c = icbrt(6*w)
  layer = c*(c + 1)*(c + 2)/6 > w ? c - 1 : c
  r = w - layer*(layer + 1)*(layer + 2)/6
  row = (isqrt(8*r + 1) - 1)/2
  col = r - row*(row + 1)/2
"""
)"},
    {"gasket",
     "Sierpinski's gasket: 81 blocks onto 81 cells of a square with 16 a side.",
     "Each digit of w in base 3 chooses one of three quarters, from the smallest to the largest.",
     Domain::gasket,
     SketchOf::domain,
     {16, 2, 8, 64},
     false,
     R"(name = "my-gasket"
domain = "gasket"
once = """
  levels = ctz(m)                # m = 2^levels
  cells = 1
  repeat levels up to 31 {
    cells = 3*cells
  }
"""
launch = ["cells"]
tile = """
)",
     R"(  row = w/m
  col = w % m
"""
)",
     R"(  v = w; u = 0
  row = 0; col = 0
  repeat levels up to 31 {
    digit = v % 3
    col = col | (digit >> 1) << u
    row = row | (digit + 1 >> 1) << u
    v = v/3; u = u + 1
  }
"""
)"},
    {"sponge",
     "Menger's sponge: 400 blocks onto the 400 cells that are left of a cube with 9 a side.",
     "Each digit of w in base 20 chooses one of the 20 places of a cube of 27; place[] has them as x + 3 y + 9 z.",
     Domain::tetrahedron,
     SketchOf::sponge,
     {9, 3, 27, 0},
     false,
     R"(name = "my-sponge"
domain = "triples"               # row, col and layer; here all below m
launch = ["m == 3 ? 20 : m == 9 ? 400 : 8000"]
tile = """
)",
     R"(  p = place[w % 20]
  col = p % 3
  row = p/3 % 3
  layer = p/9
"""
[tables]
place = [0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26]
)",
     R"(  v = w; u = 1
  row = 0; col = 0; layer = 0
  repeat 3 up to 3 {
    p = place[v % 20]
    col = col + u*(p % 3)
    row = row + u*(p/3 % 3)
    layer = layer + u*(p/9)
    v = v/20; u = 3*u
  }
"""
[tables]
place = [0, 1, 2, 3, 5, 6, 7, 8, 9, 11, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26]
)"},
}};

std::array<Puzzle, kPuzzleCount> all_puzzles() {
  std::array<Puzzle, kPuzzleCount> rows = kRows;
  for (Puzzle& row : rows) row.begin = row.head + row.begin, row.solution = row.head + row.solution;
  return rows;
}

const char* name_of(Domain domain) {
  return domain == Domain::triangle ? "pairs" : domain == Domain::tetrahedron ? "triples" : "gasket";
}

/// What is wrong at a side, in a sentence; empty: nothing.
std::string fault_at(const Puzzle& puzzle, const MapSketch& sketch) {
  const mapfile::Proof& p = sketch.proof;
  if (!sketch.error.empty()) return sketch.error;
  if (!p.passed()) return phrase("At m = {}: {}.", p.side, fault_words(p));
  if (puzzle.idle_blocks || p.launched == p.expected) return {};
  return phrase("At m = {} every tile is met once, but of {} blocks {} are idle; here none may be.", p.side,
                grouped(p.launched), grouped(p.idle()));
}

}  // namespace

std::span<const Puzzle, kPuzzleCount> puzzles() {
  static const std::array<Puzzle, kPuzzleCount> kPuzzles = all_puzzles();
  return kPuzzles;
}

std::string puzzle_size(const Puzzle& puzzle) {
  static std::map<std::string_view, mapfile::Proof> made;  // of constants
  const auto [at, is_new] = made.try_emplace(puzzle.name);
  if (is_new) at->second = sketch_map(puzzle.solution, puzzle.sides[0], puzzle.of).proof;
  const mapfile::Proof& p = at->second;
  return phrase("{} blocks onto {} tiles", grouped(p.launched), grouped(p.expected));
}

PuzzleVerdict judge(const Puzzle& puzzle, std::string_view text) {
  PuzzleVerdict v;
  v.sketch = sketch_map(text, puzzle.sides[0], puzzle.of);
  if (v.sketch.map != nullptr && v.sketch.map->info().domain != puzzle.domain) {
    v.text = phrase("The tiles of this level are those of {}; write domain = \"{}\".", name_of(puzzle.domain),
                    std::string(name_of(puzzle.domain)));
    v.sketch.tiles.clear();
    return v;
  }
  std::string sides;
  for (const u32 side : puzzle.sides) {
    if (side == 0) continue;
    const bool first = side == puzzle.sides[0];
    v.text = fault_at(puzzle, first ? v.sketch : sketch_map(text, side, puzzle.of));
    if (!v.text.empty()) {
      if (!first) v.text = phrase("Right at m = {}, but not at every side. {}", puzzle.sides[0], v.text);
      return v;
    }
    sides += fmt::format("{}{}", sides.empty() ? "" : ", ", side);
  }
  v.solved = true;
  v.text = phrase("Solved: {} blocks, {} tiles, each met once and none outside; proved at m = {}.",
                  grouped(v.sketch.proof.launched), grouped(v.sketch.proof.expected), sides);
  return v;
}

}  // namespace tri::app
