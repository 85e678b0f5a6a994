#pragma once
/// Threads that wait for shares of work. They sleep while they wait: on a machine with other work, a thread that spins
/// takes a core from those that compute.

#include <sys/types.h>

#include <atomic>
#include <thread>
#include <vector>

#include "sim/base/platform.hpp"
#include "sim/cpu/kernels/function_ref.hpp"

namespace tri::cpu {

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
  bool take_share();

  std::vector<std::thread> workers_;
  pid_t process_ = 0;                             // that has them
  const FunctionRef<void(u32)>* body_ = nullptr;  // set while shares are left
  alignas(64) std::atomic<u32> left_{0};          // shares that nobody has taken: 1 to left_; kStop
  alignas(64) std::atomic<u32> unfinished_{0};
};

}  // namespace tri::cpu
