#pragma once
/// The machine: free memory, threads, files of modules.
///
/// Checks for free host memory before an allocation. Byte counts are float64: a product of user-given sizes may exceed
/// 2^64 and must then be refused, not wrap around and fit.

#include <algorithm>
#include <string>

#include "sim/base/platform.hpp"

namespace tri {

/// Bytes of host memory that can be allocated without swapping or being killed: the minimum of MemAvailable, of what
/// its control group and those around it leave, and of the limits of this process (ulimit -v). The largest u64 where
/// the system reports none of these.
u64 available_memory();

/// This process is one of several on this machine that share the memory, such as ranks: each counts on an equal part.
void share_memory_with(u32 others);

/// Threads of this process are ranks, and each has a state of its own: while this lives, each counts on an equal part.
class MemoryShare {
 public:
  explicit MemoryShare(u32 threads);  ///< >= 1
  ~MemoryShare();
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

 private:
  u32 others_;
};

/// What control groups leave, of version 1 and 2: `membership` is a file as /proc/self/cgroup, `root` a folder as
/// /sys/fs/cgroup.
u64 memory_left_in_groups(const std::string& membership, const std::string& root);

/// Throws MemoryError when `bytes` exceed available_memory():
/// "<what> would take 12.0 GiB; 3.1 GiB of memory are free. <hint>."
void require_memory(double bytes, const std::string& what, const std::string& hint);

/// "12.3 GiB"
std::string gib_text(double bytes);

/// The largest n in 1..2^32-1 with bytes_of(n) <= available, for messages; 0 when n = 1 does not fit. bytes_of must be
/// non-decreasing; if it counts in integers, doubling n must not grow it by more than a factor of 8.
template <class BytesOf>
u64 largest_that_fits(const BytesOf& bytes_of, u64 available) {
  constexpr u64 kEnd = u64{1} << 32;
  // Leaves a 64-bit byte count room for one more doubling.
  const double limit = static_cast<double>(std::min(available, u64{1} << 60));
  const auto fits = [&](u64 n) { return static_cast<double>(bytes_of(n)) <= limit; };
  u64 low = 0, high = 1;
  while (high < kEnd && fits(high)) low = high, high *= 2;
  while (low + 1 < high) {
    const u64 middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// The hint for such a message: "<before><largest><after>", or to free memory when largest is 0.
std::string size_hint(const std::string& before, u64 largest, const std::string& after);

// How many threads the process may use.

/// Larger thread counts are rejected as typing errors.
inline constexpr u32 kMaxThreads = 1024;

/// Threads worth starting: OMP_NUM_THREADS (its first number) where it is set, otherwise the cores of the affinity
/// mask. At least 1. Throws ConfigError when OMP_NUM_THREADS is no number from 1 to kMaxThreads.
u32 usable_threads();

// Modules: shared libraries of this program that it loads when something asks for them, so that it starts without the
// libraries that they link.

/// Loads `name`, which lies beside the program in a build folder, and in lib/triangulum/modules once installed. `cure`
/// is what makes a build have it ("install libopenmpi-dev"). `global`: other libraries see its symbols. Returns null,
/// and the reason as a phrase, where it is missing or cannot be loaded.
void* open_module(const char* name, const char* cure, bool global, std::string& why_not);

}  // namespace tri
