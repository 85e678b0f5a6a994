#include "sim/fractal/automaton.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/base/user_values.hpp"
#include "sim/fractal/cells.hpp"
#include "sim/fractal/fractal.hpp"
#include "sim/maps/figurate.hpp"

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

/// Of a state in embedded form 4 GiB.
constexpr u32 kMaxTriangle = 65536;

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  u32 unit = 0;
  for (; bytes >= 1024 && unit < 6; bytes /= 1024) ++unit;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

}  // namespace

u64 AutomatonSpec::cells() const { return triangle != 0 ? triangular(triangle) : fractal_cells(fractal.shape, levels); }

double AutomatonSpec::embedded_bytes() const {
  return triangle != 0 ? static_cast<double>(triangle) * triangle : embedded_cells(fractal.shape, levels);
}

double AutomatonSpec::bytes() const {
  return storage == CellStorage::compact ? static_cast<double>(cells()) : embedded_bytes();
}

std::vector<u8> first_triangle_cells(u32 side, double density, u64 seed) {
  std::vector<u8> rows;
  assign_watched(rows, triangular(side));
  SplitMix64 random{seed};
  LoopProgress progress(rows.size());
  for (u64 i = 0; i < rows.size(); ++i) progress.at(i), rows[i] = random.uniform() < density;
  return rows;
}

std::vector<u8> spread_triangle(const std::vector<u8>& rows, u32 side) {
  const std::size_t stride = std::size_t{side} + 2;
  std::vector<u8> square;
  assign_watched(square, stride * stride);
  LoopProgress progress(side);
  for (u32 i = 0; i < side; ++i) {
    progress.at(i);
    std::copy_n(&rows[triangular(i)], i + 1, &square[(i + 1) * stride + 1]);
  }
  return square;
}

std::vector<u8> gather_triangle(const std::vector<u8>& square, u32 side) {
  const std::size_t stride = std::size_t{side} + 2;
  std::vector<u8> rows(triangular(side));
  for (u32 i = 0; i < side; ++i) std::copy_n(&square[(i + 1) * stride + 1], i + 1, &rows[triangular(i)]);
  return rows;
}

std::vector<u8> initial_cells(const AutomatonSpec& spec) {
  if (spec.triangle != 0) return first_triangle_cells(spec.triangle, spec.density, spec.seed);
  std::vector<u8> state;
  assign_watched(state, spec.cells());
  const u64 start = mixed(spec.seed + 0x9E3779B97F4A7C15ull);
  LoopProgress progress(state.size());
  for (u64 i = 0; i < state.size(); ++i) {
    progress.at(i);
    const u64 bits = mixed(start + (i + 1) * 0x9E3779B97F4A7C15ull);
    state[i] = static_cast<double>(bits >> 11) * 0x1p-53 < spec.density;
  }
  return state;
}

namespace {

void check_density(const AutomatonSpec& spec) {
  if (spec.density >= 0 && spec.density <= 1) return;
  throw ConfigError(fmt::format("density {} is out of range; use 0 to 1.", spec.density));
}

}  // namespace

void check_triangle_automaton(const AutomatonSpec& spec) {
  check_density(spec);
  if (spec.triangle == 0 || spec.triangle > kMaxTriangle) {
    throw ConfigError(
        fmt::format("scene {}: n={} is out of range; use 1 to {}.", kTriangleLife, spec.triangle, kMaxTriangle));
  }
  if (((spec.rule.birth | spec.rule.survive) >> 9) != 0) {
    throw ConfigError(
        fmt::format("rule {}: a cell of the triangle has 8 neighbours; use counts from 0 to 8.", to_string(spec.rule)));
  }
}

FractalGrid check_automaton(const AutomatonSpec& spec) {
  check_density(spec);
  if (spec.temperature && !(*spec.temperature > 0 && std::isfinite(*spec.temperature))) {
    throw ConfigError(fmt::format("temperature {} is out of range; use a number above 0, in units of the coupling.",
                                  *spec.temperature));
  }
  if (spec.temperature && spec.storage == CellStorage::embedded) {
    throw ConfigError("spins are in compact storage; leave out storage=embedded.");
  }
  const FractalShape& shape = spec.fractal.shape;
  if (shape.dimensions() == 2 && ((spec.rule.birth | spec.rule.survive) >> 9) != 0) {
    throw ConfigError(fmt::format("rule {}: a cell of a flat fractal has 8 neighbours; use counts from 0 to 8.",
                                  to_string(spec.rule)));
  }
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
constexpr const char* kSceneKeys[] = {"r",         "rule", "density",     "seed",      "storage",
                                      "placement", "file", "temperature", "neighbours"};
constexpr const char* kTriangleSceneKeys[] = {"n", "rule", "density", "seed"};

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string name_of(const std::string& text) { return text.substr(0, text.find(':')); }

Settings settings_in(const std::string& text, const std::string& name) {
  const std::span<const char* const> keys =
      name == kTriangleLife ? std::span<const char* const>(kTriangleSceneKeys) : kSceneKeys;
  Settings given;
  std::size_t at = name.size();
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(',', at + 1), text.size());
    const std::string part = text.substr(at + 1, end - at - 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw ConfigError(
          fmt::format("scene {}: '{}' is not key=value, as in {}:{}=10,seed=7.", name, part, name, keys.front()));
    }
    const std::string key = part.substr(0, equals);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw ConfigError(unknown_name("key of scene " + name, key, keys));
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
  return name == kFileName || name == kTriangleLife ||
         std::any_of(known.begin(), known.end(), [&](const Fractal& f) { return f.name == name; });
}

AutomatonSpec automaton_from(const std::string& text) {
  const std::string name = name_of(text);
  const Settings given = settings_in(text, name);
  const auto value = [&](const char* key) {
    const auto at = std::find_if(given.begin(), given.end(), [&](const auto& g) { return g.first == key; });
    return at == given.end() ? nullptr : &at->second;
  };
  AutomatonSpec spec;
  if (name == kTriangleLife) spec.triangle = 512, spec.density = kTriangleDensity;
  if (const auto* n = value("n")) spec.triangle = number<u32>(name, "n", *n, "an integer number of cells a side");
  if (const auto* rule = value("rule")) spec.rule = life_rule_from(*rule);
  if (const auto* d = value("density")) spec.density = number<double>(name, "density", *d, "a number from 0 to 1");
  if (const auto* seed = value("seed")) spec.seed = number<u64>(name, "seed", *seed, "an integer");
  if (name == kTriangleLife) return check_triangle_automaton(spec), spec;
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
  if (const auto* storage = value("storage")) spec.storage = from_name<CellStorage>(*storage);
  if (const auto* placement = value("placement")) spec.work.placement = from_name<GasketPlacement>(*placement);
  if (const auto* t = value("temperature"))
    spec.temperature = number<double>(name, "temperature", *t, "a number above 0");
  if (const auto* around = value("neighbours")) spec.neighbours = from_name<SpinNeighbours>(*around);
  if (spec.temperature && value("rule") != nullptr) {
    throw ConfigError(fmt::format("scene {}: spins at a temperature have no rule; leave one of both out.", name));
  }
  if (!spec.temperature && value("neighbours") != nullptr) {
    throw ConfigError(fmt::format("scene {}: neighbours are those of spins; add a temperature.", name));
  }
  return spec;
}

// Spins: the table of a temperature, and means over a run.

SpinRule spin_rule(double temperature, SpinNeighbours neighbours, u64 seed) {
  SpinRule rule{seed, neighbours};
  for (u32 h = 1; h <= SpinRule::kMaxNeighbours; ++h) {
    rule.accept[h] = static_cast<u32>(std::min(std::exp(-2.0 * h / temperature) * 0x1p32, 0x1p32 - 1));
  }
  return rule;
}

SpinMean second_half(const std::vector<double>& values) {
  constexpr std::size_t kBins = 16;
  const std::span<const double> half = std::span(values).subspan(values.size() / 2);
  const auto mean_of = [](std::span<const double> some) {
    double sum = 0;
    for (const double value : some) sum += value;
    return sum / static_cast<double>(some.size());
  };
  if (half.empty()) return {};
  SpinMean result{mean_of(half), std::numeric_limits<double>::infinity()};
  if (half.size() < 2 * kBins) return result;
  double squares = 0;
  for (std::size_t b = 0; b < kBins; ++b) {
    const std::size_t first = half.size() * b / kBins, last = half.size() * (b + 1) / kBins;
    const double off = mean_of(half.subspan(first, last - first)) - result.mean;
    squares += off * off;
  }
  result.error = std::sqrt(squares / (kBins * (kBins - 1)));
  return result;
}

// Pictures: PNG with two bits a pixel, its data stored without compression.

namespace {

constexpr u32 kMaxPicture = 16384;
constexpr u8 kNoCell = 0, kOff = 1, kOn = 2;

void add_big_endian(std::string& to, u32 word) {
  for (const u32 shift : {24u, 16u, 8u, 0u}) to += static_cast<char>(word >> shift & 255u);
}

void add_chunk(std::string& png, const std::string& type, const std::string& data) {
  u32 crc = ~u32{0};
  const std::string body = type + data;
  for (const char c : body) {
    crc ^= static_cast<u8>(c);
    for (u32 bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xEDB88320u : 0u);
  }
  add_big_endian(png, static_cast<u32>(data.size()));
  png += body;
  add_big_endian(png, ~crc);
}

/// A stream of zlib of stored blocks.
std::string stored(const std::string& data) {
  std::string out("\x78\x01", 2);
  u32 low = 1, high = 0;
  for (const char c : data) low = (low + static_cast<u8>(c)) % 65521, high = (high + low) % 65521;
  for (std::size_t at = 0; at < data.size(); at += 65535) {
    const u32 count = static_cast<u32>(std::min<std::size_t>(65535, data.size() - at));
    out += at + count == data.size() ? '\1' : '\0';
    for (const u32 word : {count, ~count})
      out += static_cast<char>(word & 255u), out += static_cast<char>(word >> 8 & 255u);
    out.append(data, at, count);
  }
  add_big_endian(out, high << 16 | low);
  return out;
}

std::string png_of(const std::vector<u8>& pixels, u32 side) {
  std::string rows;
  for (u64 y = 0; y < side; ++y) {
    rows += '\0';  // no filter
    for (u64 x = 0; x < side; x += 4) {
      u32 four = 0;
      for (u64 k = x; k < x + 4; ++k) four = four << 2 | (k < side ? pixels[y * side + k] : 0u);
      rows += static_cast<char>(four);
    }
  }
  std::string png("\x89PNG\r\n\x1a\n", 8), header;
  add_big_endian(header, side), add_big_endian(header, side);
  header += std::string("\2\3\0\0\0", 5);  // bits a pixel, a palette
  add_chunk(png, "IHDR", header);
  add_chunk(png, "PLTE", std::string("\xff\xff\xff\xcc\xd6\xe6\x1a\x40\x8c", 9));
  add_chunk(png, "IDAT", stored(rows));
  add_chunk(png, "IEND", "");
  return png;
}

}  // namespace

u64 picture_side(const AutomatonSpec& spec) {
  const FractalShape& shape = spec.fractal.shape;
  const u64 side = spec.triangle != 0 ? spec.triangle : power_of(shape.scale(), spec.levels);
  if (spec.triangle == 0 && shape.dimensions() == 3) {
    throw ConfigError(
        fmt::format("{} has three dimensions and no flat picture; write its cells as .npy.", spec.fractal.name));
  }
  if (side > kMaxPicture) {
    throw ConfigError(
        fmt::format("a picture has at most {} cells a side, and this state {}; write it as .npy.", kMaxPicture, side));
  }
  return side;
}

std::string cells_png(const AutomatonSpec& spec, const std::vector<u8>& cells) {
  const FractalShape& shape = spec.fractal.shape;
  const u64 side = picture_side(spec);
  std::vector<u8> pixels(side * side, kNoCell);
  const u64 width = spec.triangle != 0 ? 0 : packed_width(shape.replicas(), spec.levels);
  for (u64 c = 0, row = 0; c < cells.size(); ++c) {
    const u8 pixel = cells[c] != 0 ? kOn : kOff;
    if (spec.triangle != 0) {
      if (c == triangular(row + 1)) ++row;
      pixels[row * side + (c - triangular(row))] = pixel;
    } else {
      const FractalCell at =
          shape.cell(PackedCell{static_cast<u32>(c % width), static_cast<u32>(c / width)}, spec.levels);
      pixels[at.y * side + at.x] = pixel;
    }
  }
  return png_of(pixels, static_cast<u32>(side));
}

}  // namespace tri
