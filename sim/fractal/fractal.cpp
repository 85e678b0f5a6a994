#include "sim/fractal/fractal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "carpet_toml.hpp"
#include "gasket_3d_toml.hpp"
#include "gasket_toml.hpp"
#include "menger_toml.hpp"
#include "sim/base/error.hpp"
#include "sim/base/user_values.hpp"
#include "sim/files/file.hpp"
#include "sim/files/text.hpp"
#include "sim/maps/map_registry.hpp"
#include "vicsek_toml.hpp"

namespace tri {
namespace {

/// A description has a few lines; a larger file is something else.
constexpr std::size_t kMaxBytes = 64 << 10;

std::string text_of(const std::string& path) {
  std::string text = io::read_text(path, kMaxBytes);
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
          std::pair{"carpet", embedded::carpet_toml}, std::pair{"gasket-3d", embedded::gasket_3d_toml},
          std::pair{"menger", embedded::menger_toml}}) {
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

// Parses the TOML description of a fractal.

namespace {

constexpr std::array<const char*, 4> kFileKeys{"title", "dimensions", "scale", "table"};

class TableReader {
 public:
  TableReader(const toml::table& root, const std::string& path) : root_(root), path_(path) {}

  Fractal fractal() const {
    for (const auto& [key, node] : root_) {
      const std::string name(key.str());
      bool known = false;
      for (const char* k : kFileKeys) known = known || name == k;
      if (!known) fail(node, unknown_name("key", name, kFileKeys));
    }
    const u32 dimensions = number("dimensions", 2, 3, u32{2});
    const u32 scale = number("scale", 2, dimensions == 2 ? 8 : 4);
    const std::vector<FractalCell> table = positions(dimensions, scale);
    Fractal result{path_, title(table.size(), scale), {}};
    result.shape = FractalShape(static_cast<u32>(table.size()), scale, dimensions, table.data());
    return result;
  }

 private:
  [[noreturn]] void fail(const toml::node& at, const std::string& what) const {
    throw FileError(fmt::format("{}:{}: {}", path_, at.source().begin.line, what));
  }

  const toml::node& required(const char* key) const {
    const toml::node* node = root_.get(key);
    if (node == nullptr) {
      throw FileError(
          fmt::format("{}: the key {} is missing; a fractal has scale = s and table = [[x, y], ...].", path_, key));
    }
    return *node;
  }

  u32 number(const char* key, u32 low, u32 high, std::optional<u32> fallback = std::nullopt) const {
    if (fallback && !root_.contains(key)) return *fallback;
    return number_of(required(key), key, low, high);
  }

  u32 number_of(const toml::node& node, const std::string& what, u32 low, u32 high) const {
    const auto value = node.value_exact<i64>();
    if (!value || *value < low || *value > high) {
      fail(node, fmt::format("{} must be an integer from {} to {}.", what, low, high));
    }
    return static_cast<u32>(*value);
  }

  std::vector<FractalCell> positions(u32 dimensions, u32 scale) const {
    const toml::node& node = required("table");
    const std::string form = dimensions == 2 ? "[column, row]" : "[column, row, layer]";
    const toml::array* rows = node.as_array();
    if (rows == nullptr || rows->empty()) fail(node, fmt::format("table must be a list of positions {}.", form));
    std::vector<FractalCell> table;
    for (const toml::node& row : *rows) {
      const toml::array* position = row.as_array();
      if (position == nullptr || position->size() != dimensions) {
        fail(row, fmt::format("each position in the table must be {} in {} dimensions.", form, dimensions));
      }
      u32 at[3] = {};
      for (u32 d = 0; d < dimensions; ++d) {
        at[d] = number_of(*position->get(d), "a coordinate in the table", 0, scale - 1);
      }
      const FractalCell cell{at[0], at[1], at[2]};
      for (const FractalCell& other : table) {
        if (other == cell) fail(row, "this position is in the table twice; remove one.");
      }
      table.push_back(cell);
    }
    return table;
  }

  std::string title(std::size_t replicas, u32 scale) const {
    const toml::node* node = root_.get("title");
    if (node == nullptr) return fmt::format("fractal F({}, {})", replicas, scale);
    const auto text = node->value_exact<std::string>();
    if (!text) fail(*node, "title must be a string in quotes.");
    return *text;
  }

  const toml::table& root_;
  const std::string& path_;
};

}  // namespace

Fractal fractal_from_text(std::string_view text, const std::string& path) {
  if (const auto fault = io::toml_fault(text)) {
    throw FileError(fmt::format("{}:{}: it has {}. A fractal has scale = s and table = [[x, y], ...].", path,
                                fault->line, fault->what));
  }
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw FileError(fmt::format("{}:{}: {}. Correct the line; a fractal's file is TOML.", path,
                                error.source().begin.line, error.description()));
  }
  return TableReader(root, path).fractal();
}

}  // namespace tri
