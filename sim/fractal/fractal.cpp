#include "sim/fractal/fractal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carpet_toml.hpp"
#include "gasket_3d_toml.hpp"
#include "gasket_toml.hpp"
#include "sim/base/error.hpp"
#include "sim/base/suggest.hpp"
#include "sim/io/files/atomic_file.hpp"
#include "sim/maps/map_registry.hpp"
#include "vicsek_toml.hpp"

namespace tri {
namespace {

/// A description has a few lines; a larger file is something else.
constexpr std::size_t kMaxBytes = 64 << 10;

std::string text_of(const std::string& path) {
  io::InputFile file(path, io::Accepts::files);
  std::string text(kMaxBytes + 1, '\0');
  text.resize(file.read(text.data(), text.size()));
  if (text.size() > kMaxBytes) {
    throw FileError(
        fmt::format("{} is larger than {} KiB, so it is no fractal; a fractal is a TOML file with scale and table.",
                    path, kMaxBytes >> 10));
  }
  return text;
}

bool is_path(const std::string& text) { return text.ends_with(".toml") || text.find('/') != std::string::npos; }

/// "Use --n 81 or --n 243."
std::string nearest_sides(u32 s, u64 n) {
  u64 below = 1;
  while (below * s < n) below *= s;
  return fmt::format("Use --n {} or --n {}.", below, below * s);
}

}  // namespace

const std::vector<Fractal>& list_fractals() {
  static const std::vector<Fractal> fractals = [] {
    std::vector<Fractal> all;
    for (const auto& [name, text] :
         {std::pair{"gasket", embedded::gasket_toml}, std::pair{"vicsek", embedded::vicsek_toml},
          std::pair{"carpet", embedded::carpet_toml}, std::pair{"gasket-3d", embedded::gasket_3d_toml}}) {
      all.push_back(fractal_from_text(text, name));
    }
    return all;
  }();
  return fractals;
}

Fractal open_fractal(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const Fractal& fractal : list_fractals()) {
    if (fractal.name == name_or_path) return fractal;
    names.push_back(fractal.name);
  }
  if (is_path(name_or_path)) return fractal_from_text(text_of(name_or_path), name_or_path);
  throw ConfigError(unknown_name("fractal", name_or_path, names) + " A fractal's file ends in .toml.");
}

std::optional<u32> levels_of_side(const FractalShape& shape, u64 side) {
  u32 levels = 0;
  if (side == 0) return std::nullopt;
  for (; side % shape.scale() == 0; side /= shape.scale()) ++levels;
  return side == 1 ? std::optional(levels) : std::nullopt;
}

FractalGrid fractal_grid(const Fractal& fractal, u64 n, u32 block, u64 max_cells) {
  const FractalShape& shape = fractal.shape;
  const u32 s = shape.scale();
  if (n == 0 || n >= u64{1} << 31) throw ConfigError(fmt::format("--n {} is out of range; use 1 to 2147483647.", n));
  const auto levels = levels_of_side(shape, n);
  if (!levels) {
    throw ConfigError(
        fmt::format("{} needs a side that is a power of {}; n = {}. {}", fractal.name, s, n, nearest_sides(s, n)));
  }
  const auto inner = levels_of_side(shape, block);
  if (!inner || *inner > *levels) {
    throw ConfigError(
        fmt::format("{} needs a block side that is a power of {} and at most n = {}; block = {}. Use --block {}.",
                    fractal.name, s, n, block, largest_block(shape, n, 32)));
  }
  u32 fits = 0;
  while (fits < *levels && power_of(shape.replicas(), fits + 1) <= max_cells) ++fits;
  if (fits < *levels) {
    throw ConfigError(fmt::format("{} has too many cells to index at n = {}; use --n {} or less.", fractal.name, n,
                                  power_of(s, fits)));
  }
  return {*levels, *inner, static_cast<u32>(n), block};
}

void check_map(const Fractal& fractal, const FractalGrid& grid, GasketMapId map) {
  const MapInfo& about = info(map);
  if (about.typed == nullptr) return;
  if (!fractal.is_gasket()) {
    throw ConfigError(
        fmt::format("--map {} is a typed map of the gasket, and {} is another fractal; use a built-in map.", about.name,
                    fractal.name));
  }
  const std::string why = about.typed->refusal(u64{1} << grid.tile_levels());
  if (!why.empty()) throw ConfigError(why);
}

u64 fractal_cells(const FractalShape& shape, u32 levels) { return power_of(shape.replicas(), levels); }

double embedded_cells(const FractalShape& shape, u32 levels) {
  return std::pow(static_cast<double>(shape.scale()), static_cast<double>(levels) * shape.dimensions());
}

u32 largest_block(const FractalShape& shape, u64 n, u32 limit) {
  u64 block = 1;
  while (block * shape.scale() <= std::min<u64>(n, limit)) block *= shape.scale();
  return static_cast<u32>(block);
}

std::vector<u32> tile_cells(const FractalShape& shape, u32 inner) {
  std::vector<u32> cells(power_of(shape.replicas(), inner));
  for (u64 w = 0; w < cells.size(); ++w) {
    const FractalCell at = shape.cell(w, inner);
    cells[w] = at.x | at.y << 10 | at.z << 20;
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

}  // namespace tri
