#pragma once
/// The fractals that kernels, automata and views run on: the ones of assets/fractals, which are in the program, and a
/// user's own, described by the same kind of file.
///
///     title = "Vicsek fractal F(5, 3)"
///     dimensions = 2                                       # or 3
///     scale = 3                                            # s: places a side
///     table = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2]]     # k places, each below s: columns, rows (and layers)
///
/// Any thread may call these; what they give is plain data.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/maps/fractal_shape.hpp"

namespace tri {

struct Fractal {
  std::string name;   ///< as on the command line: a name, or the path of a file
  std::string title;  ///< for people
  FractalShape shape;

  /// The Sierpinski gasket itself, digit for digit, so that what is made for its bits serves.
  bool is_gasket() const { return shape == FractalShape(); }
};

inline constexpr const char* kDefaultFractal = "gasket";

/// Those in the program, the gasket first.
const std::vector<Fractal>& list_fractals();

/// A name of list_fractals(), or else a file: what ends in .toml or holds a '/'. Throws ConfigError for an unknown name
/// with the nearest, FileError for a file that cannot be read or is no fractal: place, fault and cure.
Fractal open_fractal(const std::string& name_or_path);

/// From the text of a file; `path` is for messages and becomes the name. Throws FileError.
Fractal fractal_from_text(std::string_view text, const std::string& path);

/// r with s^r = side; nothing for another side.
std::optional<u32> levels_of_side(const FractalShape& shape, u64 side);

/// A fractal of n cells a side, cut into tiles of `block` cells a side.
struct FractalGrid {
  u32 levels = 0;  ///< r: n = s^r
  u32 inner = 0;   ///< q: block = s^q
  u32 side = 1;    ///< n
  u32 block = 1;

  u32 tile_levels() const { return levels - inner; }
};

/// Throws ConfigError for an n or a block that is no power of s, a block above n, a side of 2^31 or more, and more
/// cells than `most_cells`. The sentences name the options --n and --block.
FractalGrid fractal_grid(const Fractal& fractal, u64 n, u32 block, u64 most_cells = u64{1} << 62);

/// Cells of the fractal, and of the square or cube that it is embedded in.
u64 fractal_cells(const FractalShape& shape, u32 levels);
double embedded_cells(const FractalShape& shape, u32 levels);

/// The largest power of s that is at most `most` and at most n.
u32 largest_block(const FractalShape& shape, u64 n, u32 most);

/// [k^inner] places of the cells of a tile, row by row: x + 1024 (y + 1024 z). block <= 1024.
std::vector<u32> tile_cells(const FractalShape& shape, u32 inner);
TRI_HD constexpr FractalCell unpacked_cell(u32 packed) { return {packed & 1023u, packed >> 10 & 1023u, packed >> 20}; }

}  // namespace tri
