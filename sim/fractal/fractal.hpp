#pragma once
/// The fractals of kernels, automata and views: those of assets/fractals, which are built in, and user-defined ones in
/// files of the same format.
///
///     title = "Vicsek fractal F(5, 3)"
///     dimensions = 2                                       # or 3
///     scale = 3                                            # s: positions per side
///     table = [[1, 0], [0, 1], [1, 1], [2, 1], [1, 2]]     # k positions, each below s: column, row (and layer)
///
/// Thread-safe; the results are plain data.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/maps/fractal_shape.hpp"
#include "sim/maps/map_ids.hpp"

namespace tri {

struct Fractal {
  std::string name;   ///< as on the command line: a name, or the path of a file
  std::string title;  ///< for people
  FractalShape shape;

  /// Whether this is the Sierpinski gasket, digit for digit, so that code specialised for its bits applies.
  bool is_gasket() const { return shape == FractalShape(); }
};

inline constexpr const char* kDefaultFractal = "gasket";

/// The built-in fractals, the gasket first.
const std::vector<Fractal>& list_fractals();

/// A name of list_fractals(), or a path: text that ends in .toml or contains '/'. Throws ConfigError for an unknown
/// name, with the nearest one; FileError with file, line and hint for a file that cannot be read or is no fractal.
Fractal open_fractal(const std::string& name_or_path);

/// Parses the text of a file; `path` is for messages and becomes the name. Throws FileError.
Fractal fractal_from_text(std::string_view text, const std::string& path);

/// r with s^r = side; nullopt for any other side.
std::optional<u32> levels_of_side(const FractalShape& shape, u64 side);

/// A fractal of n cells per side, divided into tiles of `block` cells per side.
struct FractalGrid {
  u32 levels = 0;  ///< r: n = s^r
  u32 inner = 0;   ///< q: block = s^q
  u32 side = 1;    ///< n
  u32 block = 1;

  u32 tile_levels() const { return levels - inner; }
};

/// Throws ConfigError for an n or a block that is not a power of s, a block above n, a side of 2^31 or more, and more
/// than max_cells cells. Messages name the options --n and --block.
FractalGrid fractal_grid(const Fractal& fractal, u64 n, u32 block, u64 max_cells = u64{1} << 62);

/// Throws ConfigError for a typed map that is not one of this fractal, or not proved at this side.
void check_map(const Fractal& fractal, const FractalGrid& grid, GasketMapId map);

/// Number of cells of the fractal, and of the square or cube that embeds it.
u64 fractal_cells(const FractalShape& shape, u32 levels);
double embedded_cells(const FractalShape& shape, u32 levels);

/// The largest power of s that is <= limit and <= n.
u32 largest_block(const FractalShape& shape, u64 n, u32 limit);

/// [k^inner] packed positions of the cells of a tile, row by row (unpacked_cell()). block <= 1024.
std::vector<u32> tile_cells(const FractalShape& shape, u32 inner);

}  // namespace tri
