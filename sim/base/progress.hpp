#pragma once
/// The clock, progress reports, and loops that a stop ends.

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

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

// Sorting and filling of many values that a stop ends.

/// std::sort() that reports as a loop does; cancelled, it leaves the values in some order.
template <class Iterator, class Less = std::less<>>
void sort_reporting(Iterator first, Iterator last, Less less = {}) {
  constexpr u64 kEvery = 4096, kLevels = 20;  // comparisons between two looks; of a value, about
  LoopProgress progress(kLevels * static_cast<u64>(last - first));
  u64 compared = 0;
  std::sort(first, last, [&](const auto& a, const auto& b) {
    if (++compared % kEvery == 0) progress.at(compared);
    return less(a, b);
  });
}

constexpr u64 kFilledAtOnce = u64{8} << 20;  ///< bytes

/// std::fill() that reports as a loop does.
template <class T>
void fill_watched(std::span<T> values, const std::type_identity_t<T>& value) {
  constexpr u64 kPiece = kFilledAtOnce / sizeof(T);
  LoopProgress progress(values.size());
  for (u64 at = 0; at < values.size(); at += kPiece) {
    progress.at(at);
    const auto piece = values.subspan(at, std::min<u64>(kPiece, values.size() - at));
    std::fill(piece.begin(), piece.end(), value);
  }
}

/// Sets a vector to so many of a value, likewise: the system clears memory at its first touch, a gigabyte in up to
/// seconds.
template <class T>
void assign_watched(std::vector<T>& values, u64 count, const std::type_identity_t<T>& value = T()) {
  values.clear(), values.reserve(count);
  LoopProgress progress(count);
  while (values.size() < count) {
    progress.at(values.size());
    values.resize(std::min(count, values.size() + kFilledAtOnce / sizeof(T)), value);
  }
}

}  // namespace tri
