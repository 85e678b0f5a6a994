#pragma once
/// Walks the launch grid of any map, as a GPU would launch it, with host threads in place of blocks:
///
///     for every pass, for every position: for (tiles = map.begin(position); tiles.valid(); tiles.next()) work(tile)
///
/// Positions are dealt to the threads like cards (one by one in block space, in hands of 64 in thread space), the deal
/// running on over the passes. A map with idle positions is balanced too: those are dealt as evenly as the useful
/// ones. Which thread meets which tile depends on the map and the number of threads alone, so sums kept per thread and
/// added in the order of the threads come out the same every time.
///
/// Each map is compiled once, here; the work of a tile is called through two pointers, which a tile amortises.

#include <string>

#include "sim/cpu/kernels/function_ref.hpp"
#include "sim/cpu/kernels/pair_kernels.hpp"
#include "sim/maps/fractal_tiles.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cpu {

/// Elements cut into tiles. A thread-space map stands for tiles of side 1.
struct TileGrid {
  u32 n = 0;      ///< elements a side
  u32 block = 1;  ///< elements a side of a tile
  u32 side = 0;   ///< tiles a side, ceil(n / block)
  Diagonal diagonal = Diagonal::with;

  u32 begin(u32 tile) const { return tile * block; }
  u32 end(u32 tile) const { return tile + 1 == side ? n : (tile + 1) * block; }
};

/// The grid a map is walked on; block >= 1. Throws ConfigError with the map's refusal when it is not exact at this
/// size or its table would not fit.
TileGrid triangle_grid(TriangleMapId map, u32 n, u32 block);
TileGrid tetra_grid(TetraMapId map, u32 n, u32 block);

/// Calls work(thread, tile) for every tile once; thread < threads. The first exception of any thread is thrown again
/// here after all have stopped. Under a ScopedTask (sim/base/progress.hpp) thread 0 tells how far it is; what the watch
/// throws ends the walk on all threads.
void for_each_tile(TriangleMapId map, const TileGrid& grid, u32 threads, FunctionRef<void(u32, Tile2)> work);
void for_each_tile(TetraMapId map, const TileGrid& grid, u32 threads, FunctionRef<void(u32, Tile3)> work);
void for_each_tile(GasketMapId map, u32 levels, u32 threads, FunctionRef<void(u32, CellTile)> work);
void for_each_tile(const FractalTiles& map, u32 threads, FunctionRef<void(u32, FractalCell)> work);

/// The tile of pairs in bodies; the tile of triples in bodies.
PairTile pair_tile(const TileGrid& grid, Tile2 tile);
TripleTile triple_tile(const TileGrid& grid, Tile3 tile);

/// for_each_tile() for work on pairs: the tiles in bodies. Of a thread-space map, whose tiles are single pairs, up to
/// 64 neighbours in a row or column come as one tile of 1 x k or k x 1, as long as the map sends neighbouring positions
/// there; every pair is still met once and by the same thread.
void for_each_pair_tile(TriangleMapId map, const TileGrid& grid, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work);

/// In thread space the positions are threads.
LaunchCounts count_launch(TriangleMapId map, const TileGrid& grid, u32 threads);
LaunchCounts count_launch(TetraMapId map, const TileGrid& grid, u32 threads);
LaunchCounts count_launch(GasketMapId map, u32 levels, u32 threads = 1);
LaunchCounts count_launch(const FractalTiles& map);

/// Runs body(thread) on `threads` threads; exceptions as above. The number of calls is exactly `threads`.
void on_threads(u32 threads, FunctionRef<void(u32)> body);

}  // namespace tri::cpu
