#include "sim/fractal/automaton.hpp"

#include <fmt/format.h>

#include "sim/base/enum_names.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/fractal/compact_tile.hpp"

namespace tri {
namespace {

constexpr auto kStorages = enum_names<CellStorage>("storage", "embedded", "compact");
constexpr auto kPlacements = enum_names<GasketPlacement>("placement", "subbox", "lut", "unroll", "sectors");

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

const char* to_string(CellStorage storage) { return kStorages.name(storage).data(); }
CellStorage cell_storage_from(const std::string& name) { return kStorages.from(name); }
const char* to_string(GasketPlacement placement) { return kPlacements.name(placement).data(); }
GasketPlacement placement_from(const std::string& name) { return kPlacements.from(name); }

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

}  // namespace tri
