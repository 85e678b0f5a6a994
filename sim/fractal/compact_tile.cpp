#include "sim/fractal/compact_tile.hpp"

#include "sim/base/contracts.hpp"
#include "sim/fractal/fractal.hpp"

namespace tri {
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

}  // namespace tri
