#pragma once
/// A thread that does one job at a time while its owner goes on.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tri::app {

class StepThread {
 public:
  StepThread() = default;
  /// Waits for the job under way.
  ~StepThread();
  StepThread(const StepThread&) = delete;
  StepThread& operator=(const StepThread&) = delete;

  /// Starts the job, which must not throw, on the thread; that is made at the first call. None may be under way. Throws
  /// std::system_error where there can be no thread.
  void begin(std::function<void()> job);
  /// Whether a job was begun whose end wait() has not told yet.
  bool busy() const noexcept { return begun_; }
  /// Waits up to so long for the end of the job; what it wrote may be read once this is true. True without a job.
  bool wait(double seconds);

 private:
  void work();

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> job_;  ///< under the mutex, as are the next two
  bool done_ = true, stop_ = false;
  bool begun_ = false;  ///< the owner's
};

}  // namespace tri::app
