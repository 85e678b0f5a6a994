#include "sim/cpu/kernels/thread_team.hpp"

#include <unistd.h>

#include <system_error>
#include <utility>

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
  while (take_share()) continue;
  for (u32 now = unfinished_.load(std::memory_order_acquire); now != 0;) now = wait_for_change(unfinished_, now);
}

/// Threads do not survive a fork, and to join or detach them would wait for ever or meet another thread's stack.
void ThreadTeam::leave_threads_of_parent() {
  const pid_t now = getpid();
  if (std::exchange(process_, now) == now || workers_.empty()) return;
  static_cast<void>(new std::vector<std::thread>(std::move(workers_)));
  workers_.clear();
}

void ThreadTeam::add_workers(u32 count) {
  try {
    while (workers_.size() < count) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // a limit on threads; those that are there do all shares
  }
}

void ThreadTeam::work() {
  for (;;) {
    while (take_share()) continue;
    const u32 left = wait_for_change(left_, 0);
    if (left == kStop) return;
  }
}

/// Computes a share that nobody has taken; returns false when there is none.
bool ThreadTeam::take_share() {
  u32 left = left_.load(std::memory_order_acquire);
  do {
    if (left == 0 || left == kStop) return false;
  } while (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel, std::memory_order_acquire));
  (*body_)(left);
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
  return true;
}

}  // namespace tri::cpu
