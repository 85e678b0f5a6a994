#pragma once
/// Persistent blocks that take the next position from a counter in memory, with any map behind it: where tiles differ
/// in cost, the block that is free first takes the next one. The atomic addition is the caller's, in the language of
/// the device.
///
///     7 positions, 3 workers, a counter of 0:  worker 0 1 2   start with positions 0 1 2, without the counter;
///                                              ticket 0 .. 3  are positions 3 .. 6, in the order of arrival;
///                                              ticket 4 5 6   end a worker each, and 6, the last, resets the counter
///
///     const tri::WorkQueue queue(map.tile_count(), workers);            // host: launch queue.workers() blocks
///     __shared__ unsigned long long ticket;                             // kernel
///     for (tri::Share run = queue.first(blockIdx.x); run.length != 0;) {
///       for (tri::u64 w = run.first; w < run.first + run.length; ++w) work(map.begin(queue.position_at(map, w)));
///       __syncthreads();
///       if (threadIdx.x == 0) {
///         ticket = atomicAdd(counter, 1ull);
///         if (queue.is_last(ticket)) *counter = 0;                      // ready for the next launch
///       }
///       __syncthreads();
///       run = queue.next(ticket);
///     }
///
/// Every position is met once, whatever the order of tickets. Source: ours; the rule of self-scheduling.

#include "launch_split.hpp"
#include "worker_share.hpp"

namespace tri {

/// A plain value, to be passed to a kernel; safe to share among threads.
class WorkQueue {
 public:
  /// positions: those of all launches of a map, below 2^63. workers: blocks that the device holds at once; 0 counts as
  /// 1. A ticket is good for `chunk` positions (0 counts as 1): more of them take the counter less often.
  TRI_HD constexpr WorkQueue(u64 positions, u32 workers, u32 chunk = 1)
      : positions_(positions),
        chunk_(chunk == 0 ? 1 : chunk),
        chunks_(positions / chunk_ + (positions % chunk_ != 0)),
        workers_(worker_count(chunks_, workers)) {}

  /// Blocks to launch; 0 where there is no position.
  TRI_HD constexpr u32 workers() const { return workers_; }

  /// The positions with which a worker starts, and those of a ticket, which is the counter's value before 1 was added
  /// to it. A run without length ends the worker.
  TRI_HD constexpr Share first(u32 worker) const { return of(worker); }
  TRI_HD constexpr Share next(u64 ticket) const {
    return ticket < chunks_ - workers_ ? of(workers_ + ticket) : Share{};
  }

  /// Whether this is the last ticket of a launch: each worker takes one beyond the last chunk, and no other follows.
  TRI_HD constexpr bool is_last(u64 ticket) const { return ticket + 1 == chunks_; }

  /// The w-th position of a map's launches, x fastest.
  template <class M>
  TRI_HD static constexpr Position position_at(const M& map, u64 w) {
    u32 pass = 0;
    Launch g = map.launch(0);
    while (w >= positions(g) && pass + 1 < map.launch_count()) {
      w -= positions(g);
      g = map.launch(++pass);
    }
    if (g.y == 1 && g.z == 1) return {w, 0, 0, pass};
    const u64 line = w / g.x, layer = line / g.y;
    return {w - line * g.x, static_cast<u32>(line - layer * g.y), static_cast<u32>(layer), pass};
  }

 private:
  TRI_HD constexpr Share of(u64 k) const {
    const u64 begin = k * chunk_, left = positions_ - begin;
    return {begin, left < chunk_ ? left : chunk_};
  }

  u64 positions_;
  u32 chunk_;
  u64 chunks_;
  u32 workers_;
};

}  // namespace tri
