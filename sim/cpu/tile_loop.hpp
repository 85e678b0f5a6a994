#pragma once
/// How the host walks a map: tile sides, teams of threads, loops over tiles, counts of triples.
///
/// The backend's defaults: tile sides and threads as functions of the problem size.

#include <sys/types.h>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/backend/ranks.hpp"
#include "sim/base/platform.hpp"
#include "sim/base/progress.hpp"
#include "sim/cpu/kernels.hpp"
#include "sim/maps/fractal_tiles.hpp"
#include "sim/maps/launch_counts.hpp"
#include "sim/maps/map_concepts.hpp"
#include "sim/model/compute.hpp"
#include "sim/model/engine_config.hpp"

namespace tri::cpu {

/// Tile side of pairs for n bodies: enough tiles to balance, yet large enough to amortise a tile's sums.
constexpr u32 default_pair_block(u64 n) {
  u32 block = 16;
  while (block < 256 && u64{block} * 24 < n) block *= 2;
  return block;
}

/// Tile side of distances, which write more than they compute: long runs of memory, eight tiles per side. The rows of a
/// tile lie within 128 MiB: of many points each is on pages of its own, and Ctrl-C waits until the first tile has them
/// all from the system.
constexpr u32 default_distance_block(u64 n) {
  const auto fits = [n](u64 block) { return block <= 256 || block * n <= (u64{128} << 20) / sizeof(double); };
  u32 block = 32;
  while (block < 2048 && u64{block} * 16 <= n && fits(u64{block} * 2)) block *= 2;
  return block;
}

/// Tile side of triples for n bodies.
constexpr u32 default_triple_block(u64 n) {
  u32 block = 8;
  while (block < 32 && u64{block} * 8 < n) block *= 2;
  return block;
}

/// Tile side of counts of triples as products, whose rows of bits stay in the cache.
inline constexpr u32 kProductBlock = 32;

/// Bodies from which a grid finds contacts faster than all pairs. (Measured: docs/performance.md.)
inline constexpr u32 kGridFrom = 2000;
/// The best mean number of bodies per cell, where the radii permit it.
inline constexpr double kCellOccupancy = 4;

/// Threads worth using for `items` pairs or triples: waking a thread costs as much as tens of thousands of them.
constexpr u32 worthwhile_threads(u64 items, u32 threads) {
  const u64 worth = items / 65536 + 1;
  return worth < threads ? static_cast<u32>(worth) : threads;
}

// A callable passed by reference: two pointers, no allocation. It must not outlive the call it is passed to.

template <class Signature>
class FunctionRef;

template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, Args...>)
      FunctionRef(F&& f)  // implicit, as for any reference
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// Progress and cancellation of one loop that several threads share.

class WalkReport {
 public:
  /// whole: the total that keep_going() counts towards. Made on the thread that takes share 0.
  explicit WalkReport(u64 whole) : loop_(whole) {}

  bool ended() const { return ended_.load(std::memory_order_relaxed); }

  /// Each thread calls this periodically. Returns false when the walk is to stop. Throws, on thread 0 only, what the
  /// progress sink throws.
  bool keep_going(u32 thread, u64 done) {
    if (thread != 0) return !ended();
    try {
      loop_.at(done);
    } catch (...) {
      ended_.store(true, std::memory_order_relaxed);
      throw;
    }
    return true;
  }

 private:
  LoopProgress loop_;  ///< reported by thread 0, the caller's thread
  std::atomic<bool> ended_{false};
};

// Threads that wait for shares of work. They sleep while they wait: on a machine with other work, a thread that spins
// takes a core from those that compute.

/// Of one calling thread; not thread-safe. A forked process starts threads of its own.
class ThreadTeam {
 public:
  ThreadTeam() = default;
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// Calls body(share) once for each share < shares, and returns when all are done. The caller takes share 0, and then
  /// like the workers the next that nobody has taken: a worker that gets no core, or that the system refuses to
  /// create, costs its speed and nothing else. `body` must not throw.
  void run(u32 shares, FunctionRef<void(u32)> body);

 private:
  static constexpr u32 kStop = ~u32{0};

  void leave_threads_of_parent();
  void add_workers(u32 count);
  void work();
  bool run_share();

  std::vector<std::thread> workers_;
  std::atomic<u32> started_{0};                   // workers that have their memory
  pid_t process_ = 0;                             // that has them
  const FunctionRef<void(u32)>* body_ = nullptr;  // set while shares are left
  alignas(64) std::atomic<u32> left_{0};          // shares that nobody has taken: 1 to left_; kStop
  alignas(64) std::atomic<u32> unfinished_{0};
};

// Walks the launch grid of any map as a GPU would launch it, with host threads in place of blocks:
//
//     for every pass, for every position: for (tiles = map.begin(position); tiles.valid(); tiles.next()) work(tile)
//
// Positions are assigned to threads round-robin (one at a time in block space, in chunks of 64 in thread space),
// continuing across passes. This also balances maps with many idle positions, which spread as evenly as the useful
// ones. Which thread gets which tile depends only on the map, the share and the number of threads, so per-thread sums
// that are added in thread order are reproducible.
//
// Each map is compiled once, here; the indirect call of a tile's work is amortised over the tile.

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

/// The same for long work: f(i) goes to the threads in turn, and the loop reports progress and can be cancelled, as
/// for_each_tile().
template <class F>
void for_each_in_turn(u32 n, u32 threads, const F& f) {
  WalkReport report(n);
  on_threads(threads, [&](u32 thread) {
    for (u32 i = thread; i < n && report.keep_going(thread, i); i += threads) f(i);
  });
}

// Triples by their sides on the cpu backend.

/// One by one. Points and bins have passed their checks. Throws MemoryError (predicted; needs one byte per pair of
/// indices, n^2). Ranks share the triples, and each gets all counts.
TripleCounts count_triples(const PointSet& points, const SideBins& bins, const Walk<TetraMapId>& walk, Ranks& ranks);

/// The same as products of bits: with bit i of row (k, q) set where the side of i < k is in bin q, the triples with a
/// pair j < k in bin p and sides in q and r to a third point below j are the common bits of the rows (k, q) and (j, r).
/// Needs bins / 8 bytes per pair of indices beside that.
TripleCounts count_triples_by_products(const PointSet& points, const SideBins& bins, const Walk<TriangleMapId>& walk,
                                       Ranks& ranks);

/// Whether products are faster, by times of one thread, and fit into memory.
bool products_are_faster(u64 n, u32 bins);

}  // namespace tri::cpu
