#include "sim/cpu/tile_loop.hpp"

#include <unistd.h>
#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

#include "sim/backend/engine.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"
#include "sim/maps/map_registry.hpp"

namespace tri::cpu {
namespace {

/// Waits until `value` is no longer `old` and returns it. Yields for some ten microseconds first, about the time
/// between the loops of a step; waking a sleeping thread takes longer than that.
u32 wait_for_change(const std::atomic<u32>& value, u32 old) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    const u32 now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

/// Bytes for the stack of a worker and what it allocates when it starts.
constexpr u64 kWorkerMemory = u64{16} << 20;

/// Memory of the thread for variables of this library and of exceptions comes with their first use. The C library ends
/// the process where there is none, so that they are used while there is.
void allocate_thread_memory() {
  static_cast<void>(progress_is_wanted());
  static_cast<void>(std::uncaught_exceptions());
}

}  // namespace

ThreadTeam::~ThreadTeam() {
  leave_threads_of_parent();
  left_.store(kStop, std::memory_order_release);
  left_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::run(u32 shares, FunctionRef<void(u32)> body) {
  leave_threads_of_parent();
  add_workers(shares - 1);
  body_ = &body;
  unfinished_.store(shares - 1, std::memory_order_relaxed);
  left_.store(shares - 1, std::memory_order_release);
  left_.notify_all();
  body(0);
  while (run_share()) continue;
  for (u32 now = unfinished_.load(std::memory_order_acquire); now != 0;) now = wait_for_change(unfinished_, now);
}

/// Threads do not survive a fork, and to join or detach them would wait for ever or meet another thread's stack.
void ThreadTeam::leave_threads_of_parent() {
  const pid_t now = getpid();
  if (std::exchange(process_, now) == now || workers_.empty()) return;
  static_cast<void>(new std::vector<std::thread>(std::move(workers_)));
  workers_.clear();
  started_ = 0;
}

void ThreadTeam::add_workers(u32 count) {
  try {
    while (workers_.size() < count && available_memory() > kWorkerMemory) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // a limit on threads; those that are there do all shares
  }
  u32 now = started_.load(std::memory_order_acquire);
  while (now != workers_.size()) now = wait_for_change(started_, now);
}

void ThreadTeam::work() {
  allocate_thread_memory();
  started_.fetch_add(1, std::memory_order_release);
  started_.notify_all();
  for (;;) {
    while (run_share()) continue;
    const u32 left = wait_for_change(left_, 0);
    if (left == kStop) return;
  }
}

/// Computes a share that nobody has taken; returns false when there is none.
bool ThreadTeam::run_share() {
  u32 left = left_.load(std::memory_order_acquire);
  do {
    if (left == 0 || left == kStop) return false;
  } while (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel, std::memory_order_acquire));
  (*body_)(left);
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
  return true;
}

// The walk over a map's launch grid; the only part of the cpu backend that instantiates the maps.

namespace {

/// Positions per thread for a persistent map: enough to balance threads that start late.
constexpr u32 kWorkersPerThread = 4;

/// Consecutive positions of a thread-space map that one thread takes at a time.
constexpr u64 kChunk = 64;

/// Positions of a persistent map whose positions are shared: the same for ranks of any number of threads.
constexpr u32 kSharedWorkers = 4096;

u32 workers(u32 threads, RankShare share) {
  return share == RankShare() ? threads * kWorkersPerThread : kSharedWorkers;
}

/// Visits positions [begin, end) of one launch in order, x fastest.
template <class M>
void walk_positions(const M& map, const Launch& launch, u64 begin, u64 end, const auto& work) {
  Position at{begin % launch.x, static_cast<u32>(begin / launch.x % launch.y),
              static_cast<u32>(begin / launch.x / launch.y), launch.pass};
  for (u64 p = begin; p < end; ++p) {
    for (auto tiles = map.begin(at); tiles.valid(); tiles.next()) work(tiles.tile());
    // Incremented, not recomputed: a division costs as much as a map.
    if (++at.x < launch.x) continue;
    at.x = 0;
    if (++at.y < launch.y) continue;
    at.y = 0;
    ++at.z;
  }
}

/// Positions [begin, end) of all passes together.
struct Range {
  u64 begin = 0, end = 0;

  u64 size() const { return end - begin; }
};

template <class M>
Range range_of(const M& map, RankShare share) {
  const u64 count = launched_positions(map);
  return {share.first(count), share.last(count)};
}

/// Walks this thread's part of the range. Calls after_chunk(positions) after each run of consecutive positions, with
/// the number done so far, and stops when it returns false.
template <class M>
void walk_range(const M& map, Range range, u32 thread, u32 threads, u64 chunk, const auto& work,
                const auto& after_chunk) {
  u64 walked = 0;  // positions of the previous passes
  for (u32 pass = 0; pass < map.launch_count() && walked < range.end; ++pass) {
    const Launch launch = map.launch(pass);
    const u64 count = positions(launch);
    const u64 low = std::max(walked, range.begin), high = std::min(walked + count, range.end);
    // Chunks are counted from the begin of the range.
    const u64 first_chunk = (low - range.begin) / chunk;
    const u64 skip = (thread + threads - first_chunk % threads) % threads;
    for (u64 h = first_chunk + skip; range.begin + h * chunk < high; h += threads) {
      const u64 begin = std::max(range.begin + h * chunk, low);
      const u64 end = std::min(range.begin + (h + 1) * chunk, high);
      walk_positions(map, launch, begin - walked, end - walked, work);
      if (!after_chunk(end - range.begin)) return;
    }
    walked += count;
  }
}

template <class M, class Work>
void walk(const M& map, u32 threads, RankShare share, const Work& work) {
  const Range range = range_of(map, share);
  if constexpr (M::kInfo.space == Space::thread) {
    WalkReport report(range.size());
    on_threads(threads, [&](u32 thread) {
      const auto go_on = [&](u64 done) { return report.keep_going(thread, done); };
      walk_range(
          map, range, thread, threads, kChunk, [&](const auto& tile) { work(thread, tile); }, go_on);
    });
  } else {
    // Counts tiles, since a position of a persistent map has very many of them.
    const u64 tiles = share.part_of(map.tile_count());
    WalkReport report(tiles);
    on_threads(threads, [&](u32 thread) {
      u64 mine = 0;
      const auto step = [&](const auto& tile) {
        if (report.ended()) return;
        work(thread, tile);
        report.keep_going(thread, std::min(++mine * threads, tiles));
      };
      walk_range(map, range, thread, threads, 1, step, [&](u64) { return !report.ended(); });
    });
  }
}

/// Joins single pairs that are adjacent along a row or a column.
class Strip {
 public:
  bool empty() const { return tile_.row0 == tile_.row1; }
  const PairTile& tile() const { return tile_; }
  void clear() { tile_ = {}; }

  /// Returns false when the pair does not continue the strip.
  bool take(Tile2 pair) {
    if (empty()) {
      tile_ = {pair.row, pair.row + 1, pair.col, pair.col + 1, false};
      return true;
    }
    const bool one_row = tile_.row1 - tile_.row0 == 1 && pair.row == tile_.row0;
    const bool one_column = tile_.col1 - tile_.col0 == 1 && pair.col == tile_.col0;
    if (one_row && pair.col == tile_.col1) return ++tile_.col1, true;
    if (one_row && pair.col + 1 == tile_.col0) return --tile_.col0, true;
    if (one_column && pair.row == tile_.row1) return ++tile_.row1, true;
    if (one_column && pair.row + 1 == tile_.row0) return --tile_.row0, true;
    return false;
  }

 private:
  PairTile tile_;
};

/// Positions of a thread-space map are processed in chunks of kChunk. Neighbouring positions have neighbouring pairs,
/// which share the lanes of a vector.
template <class M, class Work>
void walk_pairs(const M& map, const TileGrid& grid, u32 threads, RankShare share, const Work& work) {
  if constexpr (M::kInfo.space == Space::thread) {
    const Range range = range_of(map, share);
    WalkReport report(range.size());
    on_threads(threads, [&](u32 thread) {
      Strip strip;
      const auto flush = [&] {
        if (!strip.empty()) work(thread, strip.tile());
        strip.clear();
      };
      const auto add = [&](Tile2 pair) {
        if (strip.take(pair)) return;
        flush();
        strip.take(pair);
      };
      walk_range(map, range, thread, threads, kChunk, add, [&](u64 done) {
        flush();
        return report.keep_going(thread, done);
      });
    });
  } else {
    walk(map, threads, share, [&](u32 thread, Tile2 tile) { work(thread, pair_tile(grid, tile)); });
  }
}

/// Calls f(map) with the map's own type.
void visit(TriangleMapId map, const TileGrid& grid, u32 of_workers, const auto& f) {
  visit_triangle_map(map, grid.side, grid.diagonal, of_workers, f);
}
void visit(TetraMapId map, const TileGrid& grid, u32 of_workers, const auto& f) {
  visit_tetra_map(map, grid.side, grid.diagonal, of_workers, f);
}
void visit(GasketMapId map, u32 levels, u32 of_workers, const auto& f) { visit_gasket_map(map, levels, of_workers, f); }

LaunchCounts counts(auto map, const auto& shape, u32 threads, RankShare share = {}) {
  LaunchCounts result;
  visit(map, shape, workers(threads, share), [&](const auto& chosen) { result = launch_counts(chosen); });
  return result;
}

TileGrid make_grid(const MapInfo& map, u32 n, u32 block) {
  const std::string reason = map_refusal(map, n, {block});
  if (!reason.empty()) throw ConfigError(reason);
  if (map.space == Space::thread) return {n, 1, n, Diagonal::without};
  const u32 side = n / block + (n % block != 0);
  return {n, block, side, Diagonal::with};
}

}  // namespace

PairTile pair_tile(const TileGrid& grid, Tile2 tile) {
  return {grid.begin(tile.row), grid.end(tile.row), grid.begin(tile.col), grid.end(tile.col), tile.row == tile.col};
}

TripleTile triple_tile(const TileGrid& grid, Tile3 tile) {
  return {grid.begin(tile.x), grid.end(tile.x),   grid.begin(tile.y),
          grid.end(tile.y),   grid.begin(tile.z), grid.end(tile.z)};
}

void on_threads(u32 threads, FunctionRef<void(u32)> body) {
  if (threads <= 1) return body(0);
  static thread_local ThreadTeam team;
  std::vector<std::exception_ptr> failures(threads);
  team.run(threads, [&](u32 share) {
    try {
      body(share);
    } catch (...) {
      failures[share] = std::current_exception();
    }
  });
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

TileGrid triangle_grid(TriangleMapId map, u32 n, u32 block) { return make_grid(info(map), n, block); }

TileGrid tetra_grid(TetraMapId map, u32 n, u32 block) { return make_grid(info(map), n, block); }

void for_each_tile(TriangleMapId map, const TileGrid& grid, u32 threads, FunctionRef<void(u32, Tile2)> work,
                   RankShare share) {
  visit(map, grid, workers(threads, share), [&](const auto& chosen) { walk(chosen, threads, share, work); });
}

void for_each_pair_tile(TriangleMapId map, const TileGrid& grid, u32 threads,
                        FunctionRef<void(u32, const PairTile&)> work, RankShare share) {
  visit(map, grid, workers(threads, share),
        [&](const auto& chosen) { walk_pairs(chosen, grid, threads, share, work); });
}

void for_each_tile(TetraMapId map, const TileGrid& grid, u32 threads, FunctionRef<void(u32, Tile3)> work,
                   RankShare share) {
  visit(map, grid, workers(threads, share), [&](const auto& chosen) { walk(chosen, threads, share, work); });
}

void for_each_tile(GasketMapId map, u32 levels, u32 threads, FunctionRef<void(u32, CellTile)> work) {
  visit(map, levels, workers(threads, {}), [&](const auto& chosen) { walk(chosen, threads, {}, work); });
}

void for_each_tile(const FractalTiles& map, u32 threads, FunctionRef<void(u32, FractalCell)> work) {
  walk(map, threads, {}, work);
}

void for_each_rectangle_tile(const PairTile& whole, u32 block, u32 threads,
                             FunctionRef<void(u32, const PairTile&)> work) {
  const auto tiles_of = [&](u32 length) { return u64{length / block} + (length % block != 0); };
  const auto end = [&](u32 begin, u32 limit) { return limit - begin > block ? begin + block : limit; };
  const u64 across = tiles_of(whole.col1 - whole.col0), tiles = tiles_of(whole.row1 - whole.row0) * across;
  WalkReport report(tiles);
  on_threads(threads, [&](u32 thread) {
    for (u64 t = thread; t < tiles; t += threads) {
      const u32 row = whole.row0 + static_cast<u32>(t / across) * block;
      const u32 col = whole.col0 + static_cast<u32>(t % across) * block;
      work(thread, {row, end(row, whole.row1), col, end(col, whole.col1), false});
      if (!report.keep_going(thread, t + 1)) return;
    }
  });
}

LaunchCounts count_launch(TriangleMapId map, const TileGrid& grid, u32 threads, RankShare share) {
  return counts(map, grid, threads, share);
}
LaunchCounts count_launch(TetraMapId map, const TileGrid& grid, u32 threads, RankShare share) {
  return counts(map, grid, threads, share);
}
LaunchCounts count_launch(GasketMapId map, u32 levels, u32 threads) { return counts(map, levels, threads); }
LaunchCounts count_launch(const FractalTiles& map) { return launch_counts(map); }

}  // namespace tri::cpu
