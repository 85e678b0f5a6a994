// Bench kernel "gasket": writes 1 into every cell of the Sierpinski gasket in an n x n grid of bytes.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/cpu/bench_cases.hpp"
#include "sim/cpu/stopwatch.hpp"
#include "sim/error.hpp"
#include "sim/map_choice.hpp"
#include "sim/maps/gasket_placement.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/memory.hpp"

namespace tri::cpu {
namespace {

constexpr u8 kPoison = 0xA5;

class GasketCase final : public BenchCase {
 public:
  GasketCase(const BenchSpec& spec, GasketMapId map)
      : spec_(spec),
        map_(map),
        inner_(static_cast<u32>(std::countr_zero(spec.block))),
        levels_(static_cast<u32>(std::countr_zero(spec.n)) - inner_),
        launch_(count_launch(map, levels_)),
        cells_(spec.n * spec.n) {}

  double run() override {
    std::fill(cells_.begin(), cells_.end(), kPoison);
    ran_ = true;
    double ms = 0;
    visit_gasket_placement(spec_.placement, inner_, [&](const auto& placement) {
      const Stopwatch watch;
      for_each_tile(map_, levels_, spec_.threads, [&](u32, CellTile tile) {
        u8* const corner = cells_.data() + u64{tile.y} * spec_.block * spec_.n + u64{tile.x} * spec_.block;
        for (u32 t = 0; t < placement.threads(); ++t) {
          const auto cell = placement.cell(t);
          if (cell.valid()) corner[u64{cell.tile().y} * spec_.n + cell.tile().x] = 1;
        }
      });
      ms = watch.ms();
    });
    return ms;
  }

  /// Every byte of the grid against the bit test on its own coordinates, and the count against 3^r.
  BenchCheck check() override {
    u64 count = 0, wrong = 0;
    for (u64 y = 0; y < spec_.n; ++y) {
      for (u64 x = 0; x < spec_.n; ++x) {
        const bool inside = (x & (spec_.n - 1 - y)) == 0;
        count += inside;
        wrong += cells_[y * spec_.n + x] != (inside ? 1 : kPoison);
      }
    }
    const bool passed = ran_ && wrong == 0 && count == work_items();
    return {passed, static_cast<double>(wrong) / static_cast<double>(work_items()),
            "every cell by its bit test, 3^r cells"};
  }

  void corrupt_output() override { cells_.back() ^= 1; }
  u64 work_items() const override { return power_of_three(levels_ + inner_); }
  u64 bytes() const override { return work_items(); }
  u64 blocks_launched() const override { return launch_.launched; }
  u64 blocks_useful() const override { return launch_.useful; }
  u32 block() const override { return spec_.block; }

 private:
  BenchSpec spec_;
  GasketMapId map_;
  u32 inner_;   ///< log2 of the block side
  u32 levels_;  ///< of the gasket of tiles
  LaunchCount launch_;
  std::vector<u8> cells_;
  bool ran_ = false;
};

}  // namespace

std::unique_ptr<BenchCase> make_gasket_bench(const BenchSpec& spec) {
  const GasketMapId map = gasket_map_from(spec.map);
  const std::string reason = refusal(info(map), spec.n, spec.block);
  if (!reason.empty()) throw ConfigError(reason);
  if (spec.block > 1u << 15) {
    throw ConfigError(fmt::format("--block {} is too large for a tile of the gasket; use 32768 or less.", spec.block));
  }
  const auto bytes = [](u64 n) { return static_cast<double>(n) * static_cast<double>(n); };
  need_memory(bytes(spec.n), fmt::format("the grid of {0} x {0} cells", spec.n),
              cure_by_size("Use --n ", std::bit_floor(largest_that_fits(bytes, available_memory())), " or less"));
  return std::make_unique<GasketCase>(spec, map);
}

}  // namespace tri::cpu
