#pragma once
/// Walks the launch grid of any map as a GPU would launch it, with host threads in place of blocks:
///
///     for every pass, for every position: for (tiles = map.begin(position); tiles.valid(); tiles.next()) work(tile)
///
/// Positions are assigned to threads round-robin (one at a time in block space, in chunks of 64 in thread space),
/// continuing across passes. This also balances maps with many idle positions, which spread as evenly as the useful
/// ones. Which thread gets which tile depends only on the map, the share and the number of threads, so per-thread sums
/// that are added in thread order are reproducible.
///
/// Each map is compiled once, here; the indirect call of a tile's work is amortised over the tile.

#include <string>

#include "sim/backend/ranks.hpp"
#include "sim/cpu/kernels/function_ref.hpp"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/maps/fractal_tiles.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cpu {

/// Elements divided into tiles. A thread-space map has tiles of side 1.
struct TileGrid {
  u32 n = 0;      ///< elements per side
  u32 block = 1;  ///< elements per side of a tile
  u32 side = 0;   ///< tiles per side, ceil(n / block)
  Diagonal diagonal = Diagonal::with;

  u32 begin(u32 tile) const { return tile * block; }
  u32 end(u32 tile) const { return tile + 1 == side ? n : (tile + 1) * block; }
};

/// The grid for a map; block >= 1. Throws ConfigError with the map's reason when the map is not exact at this size or
/// its table would not fit.
TileGrid triangle_grid(TriangleMapId map, u32 n, u32 block);
TileGrid tetra_grid(TetraMapId map, u32 n, u32 block);

/// How to walk: the map's id, its grid and the threads.
template <class MapId>
struct Walk {
  MapId map{};
  TileGrid grid;
  u32 threads = 1;
};

/// Calls work(thread, tile) once for every tile, or for those of a share of the map's positions; thread < threads.
/// Rethrows the first exception of any thread after all have stopped. Under a ScopedTask (sim/base/progress.hpp) thread
/// 0 reports progress; an exception from the progress sink ends the walk on all threads.
void for_each_tile(TriangleMapId map, const TileGrid& grid, u32 threads, FunctionRef<void(u32, Tile2)> work,
                   RankShare share = {});
void for_each_tile(TetraMapId map, const TileGrid& grid, u32 threads, FunctionRef<void(u32, Tile3)> work,
                   RankShare share = {});
void for_each_tile(GasketMapId map, u32 levels, u32 threads, FunctionRef<void(u32, CellTile)> work);
void for_each_tile(const FractalTiles& map, u32 threads, FunctionRef<void(u32, FractalCell)> work);

/// The tile of pairs, or of triples, in body indices.
PairTile pair_tile(const TileGrid& grid, Tile2 tile);
TripleTile triple_tile(const TileGrid& grid, Tile3 tile);

/// for_each_tile() for pairs, with tiles in body indices. For a thread-space map, whose tiles are single pairs, up to
/// 64 neighbours in a row or column are joined into one tile of 1 x k or k x 1 where neighbouring positions have
/// neighbouring pairs; every pair is still visited once and by the same thread.
void for_each_pair_tile(TriangleMapId map, const TileGrid& grid, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work, RankShare share = {});

/// Calls work(thread, tile) once for every tile of a rectangle of pairs, which needs no map: tiles of `block` >= 1 a
/// side go to the threads in turn, none of them diagonal. Exceptions and progress as for for_each_tile().
void for_each_rectangle_tile(const PairTile& whole, u32 block, u32 threads,
                             FunctionRef<void(u32, const PairTile&)> work);

/// Of all positions, also where a share of them is walked. In thread space the positions are threads.
LaunchCounts count_launch(TriangleMapId map, const TileGrid& grid, u32 threads, RankShare share = {});
LaunchCounts count_launch(TetraMapId map, const TileGrid& grid, u32 threads, RankShare share = {});
LaunchCounts count_launch(GasketMapId map, u32 levels, u32 threads = 1);
LaunchCounts count_launch(const FractalTiles& map);

/// Runs body(thread) on `threads` threads, exactly once for each; exceptions as above.
void on_threads(u32 threads, FunctionRef<void(u32)> body);

/// Runs f(i) for all i < n, each thread an equal range of them.
template <class F>
void for_each_on_threads(u32 n, u32 threads, const F& f) {
  on_threads(threads, [&](u32 thread) {
    const u32 end = static_cast<u32>(u64{n} * (thread + 1) / threads);
    for (u32 i = static_cast<u32>(u64{n} * thread / threads); i < end; ++i) f(i);
  });
}

}  // namespace tri::cpu
