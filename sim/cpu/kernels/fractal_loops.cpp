#include "sim/cpu/kernels/fractal_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/base/error.hpp"
#include "sim/cpu/kernels/memory.hpp"
#include "sim/cpu/kernels/tuning.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cpu {
namespace {

u64 place_of(const FractalShape& shape, const FractalCell& cell, u32 n) {
  return cell.x + u64{n} * (cell.y + (shape.dimensions() == 3 ? u64{n} * cell.z : 0));
}

FractalTiles family_map(const FractalWalk& walk) {
  return {walk.map, walk.shape, walk.grid.tile_levels(), walk.threads * 4};
}

void for_each_tile_of(const FractalWalk& walk, FunctionRef<void(u32, const FractalCell&)> work) {
  if (walk.gasket) {
    const auto flat = [&](u32 thread, CellTile tile) { work(thread, {tile.x, tile.y, 0}); };
    for_each_tile(walk.map, walk.grid.tile_levels(), walk.threads, flat);
  } else {
    for_each_tile(family_map(walk), walk.threads, [&](u32 thread, FractalCell tile) { work(thread, tile); });
  }
}

/// visit(cell) for the cells of a tile, as the placement enumerates them. Placements without single cells use subbox.
template <class Shape, class Visit>
void cells_of_tile(const FractalWalk& walk, const Shape& shape, const Visit& visit) {
  const u32 block = walk.grid.block, inner = walk.grid.inner;
  if (walk.placement == GasketPlacement::lut) {
    for (const u32 cell : walk.table) visit(unpacked_cell(cell));
  } else if (walk.placement == GasketPlacement::unroll) {
    const u64 count = fractal_cells(walk.shape, inner);
    for (u64 w = 0; w < count; ++w) visit(shape.cell(w, inner));
  } else {
    const u32 layers = shape.dimensions() == 3 ? block : 1;
    for (u32 z = 0; z < layers; ++z) {
      for (u32 y = 0; y < block; ++y) {
        for (u32 x = 0; x < block; ++x) {
          if (shape.holds({x, y, z}, inner)) visit(FractalCell{x, y, z});
        }
      }
    }
  }
}

/// work(thread, cell, index in the embedded array) for every cell.
template <class Work>
void for_each_cell(const FractalWalk& walk, const Work& work) {
  const u32 n = walk.grid.side, block = walk.grid.block;
  for_each_tile_of(walk, [&](u32 thread, const FractalCell& tile) {
    const FractalCell corner{tile.x * block, tile.y * block, tile.z * block};
    const auto visit = [&](const FractalCell& in) {
      const FractalCell cell{corner.x + in.x, corner.y + in.y, corner.z + in.z};
      work(thread, cell, place_of(walk.shape, cell, n));
    };
    if (walk.gasket) {
      cells_of_tile(walk, GasketShape{}, visit);
    } else {
      cells_of_tile(walk, walk.shape, visit);
    }
  });
}

/// The neighbours of the cell.
u32 sum_about(const u8* now, const FractalCell& cell, u64 at, u32 n, bool solid) {
  u32 sum = 0;
  for (u32 z = solid ? 0 : 1; z < (solid ? 3 : 2); ++z) {
    if (cell.z + z - 1 >= n) continue;  // wraps below 0
    for (u32 y = 0; y < 3; ++y) {
      if (cell.y + y - 1 >= n) continue;
      const u8* row = now + (at + (z - u64{1}) * n * n + (y - u64{1}) * n);
      if (cell.x > 0) sum += row[-1];
      sum += row[0];
      if (cell.x + 1 < n) sum += row[1];
    }
  }
  return sum;
}

u32 sum_about(const u8* at, const CompactTile& tile) {
  u32 sum = 0;
  const i64 row = tile.pitch, plane = tile.dimensions == 3 ? row * row : 0;
  for (i64 z = -plane; z <= plane; z += plane) {
    for (i64 y = -row; y <= row; y += row) {
      const u8* middle = at + z + y;
      sum += u32{middle[-1]} + middle[0] + middle[1];
    }
    if (plane == 0) break;
  }
  return sum;
}

/// The index in storage of the corner of each tile in the neighbourhood; none where there is no tile.
void find_corners(const FractalWalk& walk, const CompactTile& tile, const FractalCell& centre, u64* corners) {
  const u32 levels = walk.grid.tile_levels(), side = walk.grid.side / walk.grid.block;
  const u64 row = packed_width(walk.shape.replicas(), walk.grid.levels);
  for (u32 s = 0; s < tile.sides(); ++s) {
    const FractalCell at = neighbour_tile(centre, s, tile.dimensions);
    const bool there = at.x < side && at.y < side && at.z < side && walk.shape.holds(at, levels);
    const PackedCell packed = there ? walk.shape.pack(at, levels, walk.grid.inner) : PackedCell{};
    corners[s] = there ? packed.x + packed.y * row : ~u64{0};
  }
}

template <class Copy>
void copy_cells(const FractalShape& shape, u32 levels, const Copy& copy) {
  const u32 n = static_cast<u32>(power_of(shape.scale(), levels));
  const u64 width = packed_width(shape.replicas(), levels), cells = fractal_cells(shape, levels);
  for (u64 c = 0; c < cells; ++c) {
    const PackedCell packed{static_cast<u32>(c % width), static_cast<u32>(c / width)};
    copy(c, place_of(shape, shape.cell(packed, levels), n));
  }
}

}  // namespace

FractalWalk::FractalWalk(const Fractal& fractal, const FractalGrid& grid_in, const CellWork& work)
    : shape(fractal.shape),
      gasket(fractal.is_gasket()),
      grid(grid_in),
      map(work.map),
      placement(work.placement),
      threads(std::max(1u, work.threads)) {
  check_map(fractal, grid, map);
  if (placement == GasketPlacement::lut) table = tile_cells(shape, grid.inner);
}

LaunchCounts count_launch(const FractalWalk& walk) {
  if (walk.gasket) return count_launch(walk.map, walk.grid.tile_levels(), walk.threads);
  return count_launch(family_map(walk));
}

void write_cells(const FractalWalk& walk, u8* cells) {
  for_each_cell(walk, [&](u32, const FractalCell&, u64 at) { cells[at] = 1; });
}

u64 sum_cells(const FractalWalk& walk, const u8* cells) {
  std::vector<u64> sums(walk.threads * 8);  // a cache line per thread
  for_each_cell(walk, [&](u32 thread, const FractalCell&, u64 at) { sums[thread * 8] += cells[at]; });
  return std::accumulate(sums.begin(), sums.end(), u64{0});
}

void step_embedded(const FractalWalk& walk, const LifeRule& rule, const u8* now, u8* next) {
  const u32 n = walk.grid.side;
  const bool solid = walk.shape.dimensions() == 3;
  for_each_cell(walk, [&](u32, const FractalCell& cell, u64 at) {
    next[at] = rule.next(now[at], sum_about(now, cell, at, n, solid) - now[at]);
  });
}

void step_compact(const FractalWalk& walk, const CompactTile& tile, const LifeRule& rule, const u8* now, u8* next) {
  const u64 row = packed_width(walk.shape.replicas(), walk.grid.levels);
  std::vector<std::vector<u8>> boxes(walk.threads, std::vector<u8>(tile.slots));
  for_each_tile_of(walk, [&](u32 thread, const FractalCell& centre) {
    u64 corners[27];
    find_corners(walk, tile, centre, corners);
    std::vector<u8>& box = boxes[thread];
    for (const BoxCell& cell : tile.cells) {
      const u64 from = corners[cell.side];
      box[cell.slot] = from == ~u64{0} ? 0 : now[from + cell.x + cell.y * row];
    }
    for (u32 c = 0; c < tile.own; ++c) {
      const BoxCell& cell = tile.cells[c];
      const u8* at = box.data() + cell.slot;
      next[corners[tile.centre()] + cell.x + cell.y * row] = rule.next(*at, sum_about(at, tile) - *at);
    }
  });
}

void spread_cells(const FractalShape& shape, u32 levels, const u8* compact, u8* embedded) {
  copy_cells(shape, levels, [&](u64 c, u64 place) { embedded[place] = compact[c]; });
}

void gather_cells(const FractalShape& shape, u32 levels, const u8* embedded, u8* compact) {
  copy_cells(shape, levels, [&](u64 c, u64 place) { compact[c] = embedded[place]; });
}

}  // namespace tri::cpu
