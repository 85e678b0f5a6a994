#pragma once
/// Progress of long work on a terminal: the fraction done and the estimated time left.

#include <atomic>
#include <optional>
#include <string>

#include "app/support/console.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {

/// "42 s", "3 min 20 s", "5 h 12 min", "3 d 4 h".
std::string wall_text(double seconds);

/// ", 17 s left" if `done` of `whole` took `seconds`; empty while no estimate is possible.
std::string time_left(double done, double whole, double seconds);

/// Formats reports: "reading big.tab: 34 %, 4 s left", with a clock for each piece of work.
class ProgressFormatter {
 public:
  /// Empty for work that began less than `quiet` seconds ago, as it may end soon.
  std::optional<std::string> line(const ProgressReport& report, double quiet);

 private:
  std::optional<ProgressKind> kind_;  ///< of the current work
  std::string name_;
  double begin_s_ = 0, begin_done_ = 0, done_ = 0;
};

/// Shows a progress line for each file or computation that takes longer than half a second. Runs on the thread of its
/// console.
///
/// It also handles Ctrl-C: reading ends with an InterruptedError; so do writing and computing if nothing of them would
/// be kept (`gives_up`). Else writing continues to its end, and computing only if that comes soon.
class ProgressLine final : public ProgressSink {
 public:
  ProgressLine(Console& console, const std::atomic<bool>& flag, bool gives_up)
      : console_(console), interrupted_(flag), gives_up_(gives_up) {}
  void report(const ProgressReport& report) override;

 private:
  bool ends(ProgressKind kind);

  Console& console_;
  const std::atomic<bool>& interrupted_;
  bool gives_up_;
  std::optional<double> interrupted_s_;  ///< when the flag was first seen
  ProgressFormatter words_;
};

}  // namespace tri::app
