#pragma once
/// Progress and cancellation of one loop that several threads share.

#include <atomic>

#include "sim/base/progress.hpp"

namespace tri::cpu {

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

}  // namespace tri::cpu
