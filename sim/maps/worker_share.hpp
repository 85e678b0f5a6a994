#pragma once
/// How a persistent map divides its tiles among workers: each takes one contiguous run of omega, and the lengths of the
/// runs differ by at most one.
///
///     10 tiles, 3 workers:    0 0 0 0   1 1 1   2 2 2

#include "../base/platform.hpp"

namespace tri {

/// Positions that a persistent map launches: `workers` of them (0 counts as 1), but no more than there are tiles, and
/// enough to keep each run at `longest` tiles or fewer.
TRI_HD constexpr u32 worker_count(u64 tiles, u32 workers, u64 longest = ~u64{0}) {
  const u64 least = tiles / longest + (tiles % longest != 0 ? 1 : 0);
  u64 count = workers == 0 ? 1 : workers;
  if (count < least) count = least;
  return static_cast<u32>(count < tiles ? count : tiles);
}

/// The run of one worker: [first, first + length).
struct Share {
  u64 first = 0;
  u64 length = 0;
};
TRI_HD constexpr Share share_of(u64 count, u64 workers, u64 index) {
  const u64 base = count / workers, extra = count % workers;
  return {index * base + (index < extra ? index : extra), base + (index < extra ? 1 : 0)};
}

}  // namespace tri
