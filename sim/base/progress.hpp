#pragma once
/// Progress reports and the clock.
///
/// Time on the wall.

#include <chrono>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri {

/// Seconds of a clock that never goes back, from an arbitrary origin.
inline double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Measures from its construction.
class Stopwatch {
 public:
  double ms() const { return (clock_s() - begin_s_) * 1e3; }

 private:
  double begin_s_ = clock_s();
};

// Progress and cancellation of long work.
//
// File readers and writers and loops over tiles report to the progress sink bound to the thread that started them.
// Without a sink, the usual case, a report costs one pointer test. All state is thread-local.

enum class ProgressKind : u8 {
  reading,    ///< a file
  writing,    ///< a file; when cancelled, an earlier file of that name stays unchanged
  computing,  ///< work named by a ScopedTask
};

struct ProgressReport {
  ProgressKind kind;
  const std::string& name;  ///< the file's path, or the ScopedTask
  double done;              ///< in any unit; starts from 0 for each piece of work
  double total;             ///< in the unit of `done`; 0 = unknown
};

/// Work cancelled by Ctrl-C (exit 130).
struct InterruptedError : Error {
  explicit InterruptedError(const std::string& s) : Error(ExitCode::interrupted, s) {}
};

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// Called about a hundred times per piece of work, more often where that is cheap. An exception cancels the work and
  /// propagates to the caller.
  virtual void report(const ProgressReport& report) = 0;
};

/// Binds a sink to this thread for its lifetime, then restores the previous one.
class ScopedProgressSink {
 public:
  explicit ScopedProgressSink(ProgressSink& bound) noexcept;
  ~ScopedProgressSink();
  ScopedProgressSink(const ScopedProgressSink&) = delete;
  ScopedProgressSink& operator=(const ScopedProgressSink&) = delete;

 private:
  ProgressSink* previous_;
};

/// The sink bound to this thread, or null.
ProgressSink* progress_sink() noexcept;

/// Names the computation of this thread for its lifetime. Loops over tiles report only under a name: single steps are
/// too short to report.
class ScopedTask {
 public:
  explicit ScopedTask(std::string name);
  ~ScopedTask();
  ScopedTask(const ScopedTask&) = delete;
  ScopedTask& operator=(const ScopedTask&) = delete;

 private:
  std::string name_;
  const std::string* previous_;
};

/// Whether this thread has both a sink and a named task.
bool progress_is_wanted() noexcept;

/// Reports to the sink of this thread, if any.
void report_progress(ProgressKind kind, const std::string& name, double done, double total);

/// Reports the progress of a loop over `total` units about a hundred times, and of long work every tenth of a second or
/// so, which is how soon it can be cancelled. Used on the thread that started the work; does nothing without a sink and
/// a named task.
class LoopProgress {
 public:
  explicit LoopProgress(u64 total);

  /// `done` units are finished. Throws what the sink throws.
  void at(u64 done) {
    if (done >= next_) report(done);
  }

 private:
  void report(u64 done);

  u64 total_;
  u64 stride_ = 1;
  u64 next_ = ~u64{0};  ///< never
  double reported_s_ = 0;
};

}  // namespace tri
