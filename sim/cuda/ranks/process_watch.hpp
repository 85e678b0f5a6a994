#pragma once
/// Sees other processes of this machine end.

#include <sys/types.h>

#include <functional>
#include <thread>
#include <vector>

namespace tri::cuda {

/// Watches processes of its own PID namespace, on a thread of its own. Watches nothing if no thread can be started or
/// the kernel is older than 5.3.
class ProcessWatch {
 public:
  /// gone(k): the process pids[k] ended so many seconds ago, and this object still lives. Called once at most, on the
  /// thread.
  ProcessWatch(const std::vector<pid_t>& pids, double patience_s, std::function<void(std::size_t)> gone);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  void watch(double patience_s, const std::function<void(std::size_t)>& gone);

  std::vector<int> files_;  ///< of the processes, then the one that ends the thread; -1: none
  std::thread thread_;
};

/// The PID namespace of this process; processes of one namespace and machine know each other by their numbers.
unsigned long long pid_namespace();

}  // namespace tri::cuda
