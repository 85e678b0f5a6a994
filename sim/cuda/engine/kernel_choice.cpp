#include "sim/cuda/engine/kernel_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/backend/map_limits.hpp"
#include "sim/base/error.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cuda {

KernelChoice choose_kernel(TriangleMapId map, u64 n, u32 block, u32 preferred, std::initializer_list<u32> tile_sides) {
  if (n == 0 || n > kMaxElements) {
    throw ConfigError(fmt::format("--n {} is out of range on the cuda backend; use 1 to {}.", n, kMaxElements));
  }
  const MapInfo& about = info(map);
  const bool thread_space = about.space == Space::thread;
  KernelChoice choice;
  choice.block = block != 0 ? block : thread_space ? kPaperBlock : preferred;
  choice.tiles = std::find(tile_sides.begin(), tile_sides.end(), choice.block) != tile_sides.end();
  if (choice.tiles && thread_space) {
    throw ConfigError(
        fmt::format("--map {} gives elements to threads, and --block {} is the side of a tile; use "
                    "--block 1 to {}.",
                    about.name, choice.block, kMaxBlock));
  }
  if (!choice.tiles && choice.block > kMaxBlock) {
    const std::string sides = fmt::format("{}", fmt::join(tile_sides, " or "));
    throw ConfigError(fmt::format("--block {} is no block of this kernel on the cuda backend; use 1 to {}{}.",
                                  choice.block, kMaxBlock,
                                  sides.empty() ? sides : fmt::format(", or the tile side {}", sides)));
  }
  // The driver takes as long to tell how much memory is free as for a launch.
  const MapLimits limits{choice.block, false, about.table_bytes != nullptr ? device_table_memory() : 0};
  if (const std::string text = map_refusal(about, n, limits); !text.empty()) throw ConfigError(text);
  return choice;
}

u32 choose_triple_block(TetraMapId map, u64 n, u32 block, u32 preferred, const std::vector<u32>& blocks) {
  if (n == 0 || n > kMaxTripleElements) {
    throw ConfigError(
        fmt::format("--n {} is out of range for triples on the cuda backend; use 1 to {}.", n, kMaxTripleElements));
  }
  const u32 chosen = block != 0 ? block : preferred;
  if (std::find(blocks.begin(), blocks.end(), chosen) == blocks.end()) {
    throw ConfigError(fmt::format("--block {} is no block of these triples on the cuda backend; use {}.", chosen,
                                  fmt::join(blocks, ", ")));
  }
  const MapLimits limits{chosen, false, table_memory()};
  if (const std::string text = map_refusal(info(map), n, limits); !text.empty()) throw ConfigError(text);
  return chosen;
}

TriangleMapId product_map(const EngineConfig& config) {
  return info(config.pair_map).typed != nullptr ? TriangleMapId::lambda : config.pair_map;
}

u64 device_table_memory() { return std::min(table_memory(), free_device_memory()); }

double table_bytes(TriangleMapId map, u64 n, u32 block) {
  return static_cast<double>(tri::table_bytes(info(map), n, block));
}

}  // namespace tri::cuda
