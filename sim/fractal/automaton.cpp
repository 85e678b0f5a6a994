#include "sim/fractal/automaton.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/user_values.hpp"
#include "sim/fractal/cells.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw ConfigError(fmt::format(
      "rule {} is invalid; give the neighbour counts for birth and survival, as in B3/S23, separated by dots if one is "
      "above 9: B4.5/S3.10 (0 to {}).",
      text, LifeRule::kMaxNeighbours));
}

/// The counts of one part, without its letter.
u32 counts_of(std::string_view part, std::string_view whole) {
  const bool dotted = part.find('.') != std::string_view::npos;
  u32 mask = 0;
  std::size_t at = 0;
  while (at < part.size()) {
    u32 count = 0;
    const std::size_t begin = at;
    const std::size_t max_digits = dotted ? 2 : 1;
    for (; at < part.size() && at - begin < max_digits && std::isdigit(static_cast<unsigned char>(part[at])) != 0;
         ++at) {
      count = count * 10 + static_cast<u32>(part[at] - '0');
    }
    if (at == begin || count > LifeRule::kMaxNeighbours || (mask >> count & 1) != 0) refuse(whole);
    mask |= 1u << count;
    if (!dotted || at == part.size()) continue;
    if (part[at++] != '.') refuse(whole);
  }
  return mask;
}

std::string counts_text(u32 mask) {
  const bool dotted = mask >> 10 != 0;
  std::string text;
  for (u32 c = 0; c <= LifeRule::kMaxNeighbours; ++c) {
    if ((mask >> c & 1) != 0) text += fmt::format("{}{}", dotted && !text.empty() ? "." : "", c);
  }
  if (dotted && text.size() == 2) text += '.';  // a lone 10 would be read as 1 and 0
  return text;
}

}  // namespace

LifeRule life_rule_from(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.empty() || text.front() != 'B' || slash + 1 >= text.size() ||
      text[slash + 1] != 'S') {
    refuse(text);
  }
  return {counts_of(text.substr(1, slash - 1), text), counts_of(text.substr(slash + 2), text)};
}

std::string to_string(const LifeRule& rule) {
  return fmt::format("B{}/S{}", counts_text(rule.birth), counts_text(rule.survive));
}

namespace {

u64 slots_of(u32 dimensions, u32 block) { return power_of(u64{block} + 2, dimensions); }

/// A coordinate of the box relative to the tile: 0 before, 1 inside, 2 after.
u32 part(u32 at, u32 block) { return at == 0 ? 0 : at <= block ? 1 : 2; }

}  // namespace

bool box_fits(u32 dimensions, u32 block) { return block <= 1024 && slots_of(dimensions, block) <= kMaxSlots; }

CompactTile compact_tile(const FractalShape& shape, u32 inner) {
  const u32 block = static_cast<u32>(power_of(shape.scale(), inner)), d = shape.dimensions();
  TRI_EXPECTS(box_fits(d, block));
  CompactTile tile;
  tile.dimensions = d;
  tile.pitch = block + 2;
  tile.slots = static_cast<u32>(slots_of(d, block));
  const auto add = [&](u32 slot, u32 side, const FractalCell& cell) {
    const PackedCell packed = shape.pack(cell, inner);
    tile.cells.push_back({static_cast<std::uint16_t>(slot), static_cast<std::uint16_t>(side),
                          static_cast<std::uint16_t>(packed.x), static_cast<std::uint16_t>(packed.y)});
  };
  for (const u32 at : tile_cells(shape, inner)) {
    const FractalCell cell = unpacked_cell(at);
    add(cell.x + 1 + tile.pitch * (cell.y + 1 + (d == 3 ? tile.pitch * (cell.z + 1) : 0)), tile.centre(), cell);
  }
  tile.own = static_cast<u32>(tile.cells.size());
  for (u32 slot = 0; slot < tile.slots; ++slot) {
    const u32 x = slot % tile.pitch, y = slot / tile.pitch % tile.pitch, z = slot / tile.pitch / tile.pitch;
    const u32 side = part(x, block) + 3 * (part(y, block) + (d == 3 ? 3 * part(z, block) : 0));
    if (side == tile.centre()) continue;
    const auto within = [block](u32 c) { return (c + block - 1) % block; };
    const FractalCell cell{within(x), within(y), d == 3 ? within(z) : 0};
    if (shape.holds(cell, inner)) add(slot, side, cell);
  }
  return tile;
}

namespace {

/// The finaliser of splitmix64: successive arguments give statistically independent numbers.
u64 mixed(u64 z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  u32 unit = 0;
  for (; bytes >= 1024 && unit < 6; bytes /= 1024) ++unit;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace

double AutomatonSpec::bytes() const {
  return storage == CellStorage::compact ? static_cast<double>(cells()) : embedded_bytes();
}

std::vector<u8> initial_cells(const AutomatonSpec& spec) {
  std::vector<u8> state(spec.cells());
  const u64 start = mixed(spec.seed + 0x9E3779B97F4A7C15ull);
  for (u64 i = 0; i < state.size(); ++i) {
    const u64 bits = mixed(start + (i + 1) * 0x9E3779B97F4A7C15ull);
    state[i] = static_cast<double>(bits >> 11) * 0x1p-53 < spec.density;
  }
  return state;
}

FractalGrid check_automaton(const AutomatonSpec& spec) {
  if (!(spec.density >= 0 && spec.density <= 1)) {
    throw ConfigError(fmt::format("density {} is out of range; use 0 to 1.", spec.density));
  }
  const FractalShape& shape = spec.fractal.shape;
  u32 max_levels = 0;
  while (power_of(shape.scale(), max_levels + 1) < u64{1} << 31 &&
         power_of(shape.replicas(), max_levels + 1) < u64{1} << 32)
    ++max_levels;
  if (spec.levels > max_levels) {
    throw ConfigError(fmt::format("{0} has at most {1} levels; r = {2}. Use r={1} or less.", spec.fractal.name,
                                  max_levels, spec.levels));
  }
  if (spec.work.placement == GasketPlacement::sectors) {
    throw ConfigError("placement sectors is for constant writes only; use subbox, lut or unroll.");
  }
  const FractalGrid grid =
      fractal_grid(spec.fractal, power_of(shape.scale(), spec.levels), spec.work.block, (u64{1} << 32) - 1);
  if (!box_fits(shape.dimensions(), grid.block)) {
    u32 fits = grid.block;
    while (!box_fits(shape.dimensions(), fits)) fits /= shape.scale();
    throw ConfigError(fmt::format("--block {} is too large for a tile of {} with its halo; use --block {} or less.",
                                  grid.block, spec.fractal.name, fits));
  }
  return grid;
}

u64 cells_hash(const std::vector<u8>& cells) { return fnv1a(kFnvOffset, std::span<const u8>(cells)); }

std::string memory_text(const AutomatonSpec& spec) {
  const double own = spec.bytes(), embedded = spec.embedded_bytes();
  if (spec.storage == CellStorage::embedded) return bytes_text(own);
  return fmt::format("{}, {:.1f} times less than the {} of embedded storage", bytes_text(own), embedded / own,
                     bytes_text(embedded));
}

// Parses automaton scenes: "gasket:r=10,rule=B3/S23".

namespace {

constexpr const char* kFileName = "fractal";
constexpr std::array<const char*, 7> kSceneKeys{"r", "rule", "density", "seed", "storage", "placement", "file"};

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string name_of(const std::string& text) { return text.substr(0, text.find(':')); }

Settings settings_in(const std::string& text, const std::string& name) {
  Settings given;
  std::size_t at = name.size();
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string part = text.substr(at + 1, end - at - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(fmt::format("scene {}: '{}' is not key=value, as in {}:r=10,seed=7.", name, part, name));
    }
    const std::string key = part.substr(0, equals);
    if (std::find(kSceneKeys.begin(), kSceneKeys.end(), key) == kSceneKeys.end()) {
      throw ConfigError(unknown_name("key of scene " + name, key, kSceneKeys));
    }
    for (const auto& [other, value] : given) {
      if (other == key) throw ConfigError(fmt::format("scene {}: the key {} is given twice.", name, key));
    }
    given.emplace_back(key, part.substr(equals + 1));
    at = end;
  }
  return given;
}

template <class Number>
Number number(const std::string& name, const std::string& key, const std::string& text, const char* must_be) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ConfigError(fmt::format("scene {}: {}={} must be {}.", name, key, text, must_be));
  }
  return value;
}

/// A similar number of cells for every fractal, so that all run at interactive speed.
u32 default_levels(const FractalShape& shape) {
  u32 levels = 0;
  while (fractal_cells(shape, levels + 1) <= 300000 && embedded_cells(shape, levels + 1) <= 1 << 21) ++levels;
  return std::min(levels, 10u);
}

}  // namespace

bool names_automaton(const std::string& text) {
  const std::string name = name_of(text);
  const auto& known = list_fractals();
  return name == kFileName || std::any_of(known.begin(), known.end(), [&](const Fractal& f) { return f.name == name; });
}

AutomatonSpec automaton_from(const std::string& text) {
  const std::string name = name_of(text);
  const Settings given = settings_in(text, name);
  const auto value = [&](const char* key) {
    const auto at = std::find_if(given.begin(), given.end(), [&](const auto& g) { return g.first == key; });
    return at == given.end() ? nullptr : &at->second;
  };
  AutomatonSpec spec;
  const std::string* file = value("file");
  if ((name == kFileName) != (file != nullptr)) {
    throw ConfigError(name == kFileName ? "scene fractal needs a file, as in fractal:file=my.toml,r=5."
                                        : fmt::format("scene {} takes no file; use fractal:file={}.", name, *file));
  }
  if (file != nullptr && !file->ends_with(".toml") && file->find('/') == std::string::npos) {
    throw ConfigError(fmt::format("scene fractal: file={} must be a .toml file.", *file));
  }
  spec.fractal = open_fractal(file != nullptr ? *file : name);
  spec.levels = default_levels(spec.fractal.shape);
  if (const auto* r = value("r")) spec.levels = number<u32>(name, "r", *r, "an integer number of levels");
  if (const auto* rule = value("rule")) spec.rule = life_rule_from(*rule);
  if (const auto* d = value("density")) spec.density = number<double>(name, "density", *d, "a number from 0 to 1");
  if (const auto* seed = value("seed")) spec.seed = number<u64>(name, "seed", *seed, "an integer");
  if (const auto* storage = value("storage")) spec.storage = from_name<CellStorage>(*storage);
  if (const auto* placement = value("placement")) spec.work.placement = from_name<GasketPlacement>(*placement);
  return spec;
}

}  // namespace tri
