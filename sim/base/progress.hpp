#pragma once
/// Looking on at long work: how far it is, and ending it before its end.
///
/// Files that are read and written, and walks over a map's tiles, tell the watch of the thread that began them how far
/// they are. Who wants to know binds one to its own thread; where none is bound, which is the usual case, telling costs
/// a look at a pointer. All state is the thread's own, so threads need no care.

#include <string>

#include "sim/base/error.hpp"
#include "sim/base/platform.hpp"

namespace tri {

enum class ProgressKind : u8 {
  reading,    ///< a file
  writing,    ///< a file; ended early, an earlier file of its name stays as it was
  computing,  ///< what a ScopedTask names
};

struct ProgressReport {
  ProgressKind kind;
  const std::string& name;  ///< the file's path, or the ScopedTask
  double done;              ///< of `whole`, in any unit; starts anew for each piece of work
  double whole;             ///< 0: not known
};

/// Ctrl-C in work that was then given up (exit 130).
struct InterruptedError : Error {
  explicit InterruptedError(const std::string& s) : Error(ExitCode::interrupted, s) {}
};

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// Called some hundred times by a piece of work, more often where that is cheap. What it throws ends the work and
  /// comes out of the call that began it.
  virtual void report(const ProgressReport& report) = 0;
};

/// Binds a watch to this thread as long as it lives; the one before comes back then.
class ScopedProgressSink {
 public:
  explicit ScopedProgressSink(ProgressSink& watch) noexcept;
  ~ScopedProgressSink();
  ScopedProgressSink(const ScopedProgressSink&) = delete;
  ScopedProgressSink& operator=(const ScopedProgressSink&) = delete;

 private:
  ProgressSink* before_;
};

/// Names what this thread computes as long as it lives. Walks over tiles tell of themselves only under a name: those of
/// a short step are nobody's business.
class ScopedTask {
 public:
  explicit ScopedTask(std::string name);
  ~ScopedTask();
  ScopedTask(const ScopedTask&) = delete;
  ScopedTask& operator=(const ScopedTask&) = delete;

 private:
  std::string name_;
  const std::string* before_;
};

/// Whether somebody looks on at what this thread computes: a watch is bound, and the work has a name.
bool progress_is_wanted() noexcept;

/// Tells the watch of this thread, if there is one.
void report_progress(ProgressKind kind, const std::string& name, double done, double whole);

/// The progress of a loop over the units [0, whole) of named work, told about a hundred times. Made and used on the
/// thread that began the work; without a watch or a name it does nothing.
class LoopProgress {
 public:
  explicit LoopProgress(u64 whole);

  /// `done` units are done; throws what the watch does.
  void at(u64 done) {
    if (done >= next_) tell(done);
  }

 private:
  void tell(u64 done);

  u64 whole_;
  u64 stride_;
  u64 next_ = ~u64{0};  ///< none
};

}  // namespace tri
