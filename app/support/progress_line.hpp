#pragma once
/// What people at a terminal see of long work: how much is done, and how long the rest will take.

#include <atomic>
#include <optional>
#include <string>

#include "app/support/console.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {

/// Seconds of a clock that only goes forward.
double clock_s();

/// "42 s", "3 min 20 s", "5 h 12 min", "3 d 4 h".
std::string wall_text(double seconds);

/// ", 17 s left" when `done` of `whole` took `seconds`; empty while there is nothing to tell by.
std::string time_left(double done, double whole, double seconds);

/// Puts reports into words: "reading big.tab: 34 %, 4 s left", with a clock for each piece of work.
class ProgressFormatter {
 public:
  /// Nothing of work that began less than `quiet` seconds ago, and may be over at once.
  std::optional<std::string> line(const ProgressReport& report, double quiet);

 private:
  bool begins(const ProgressReport& report) const;

  std::optional<ProgressKind> kind_;  ///< of the piece of work that is under way
  std::string name_;
  double begin_s_ = 0, begin_done_ = 0, done_ = 0;
};

/// What the interruption of a piece of work is told as.
InterruptedError interruption(const ProgressReport& report);

/// Looks on at files and computations, and draws a line of each that takes longer than half a second. On the thread of
/// its console.
///
/// It also hears Ctrl-C: reading ends with an InterruptedError; writing and computing do where nothing would be kept of
/// them anyhow (`gives_up`), elsewhere they go on to their end.
class ProgressLine final : public ProgressSink {
 public:
  ProgressLine(Console& console, const std::atomic<bool>& interrupted, bool gives_up)
      : console_(console), interrupted_(interrupted), gives_up_(gives_up) {}
  void report(const ProgressReport& report) override;

 private:
  Console& console_;
  const std::atomic<bool>& interrupted_;
  bool gives_up_;
  ProgressFormatter words_;
};

}  // namespace tri::app
