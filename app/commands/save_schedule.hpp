#pragma once
/// When a run writes its next snapshot: by steps, by simulated time, or by the clock on the wall. Pure.

#include <limits>

#include "app/support/run_config.hpp"

namespace tri::app {

class SaveSchedule {
 public:
  static constexpr u64 kNever = std::numeric_limits<u64>::max();

  /// Times are counted from now_s, in seconds. Steps are those whose number is a multiple of K, or is nearest to a
  /// multiple of T, whatever step the run began at: a run that was taken up again saves where the whole one does.
  /// Throws ConfigError when T is shorter than dt.
  SaveSchedule(const SaveEvery& every, double dt, double now_s);

  /// Steps from `step` to the next that is due by its number; kNever where none is.
  u64 steps_to_next(u64 step) const;
  bool due(u64 step, double now_s) const;
  /// To be told of every snapshot, whatever it was written for.
  void saved(double now_s) { last_s_ = now_s; }

 private:
  u64 next_step(u64 step) const;

  SaveEvery every_;
  double dt_;
  double last_s_;
};

}  // namespace tri::app
