#pragma once
/// When a run writes its next snapshot: by steps, simulated time, or wall-clock time. Pure.

#include <limits>

#include "app/support/run_config.hpp"

namespace tri::app {

class SaveSchedule {
 public:
  static constexpr u64 kNever = std::numeric_limits<u64>::max();

  /// Wall-clock times start at now_s, in seconds. Steps due are those whose number is a multiple of K, or is nearest to
  /// a multiple of T, whatever step the run started at: a restarted run saves at the same steps as an uninterrupted
  /// one. Throws ConfigError if T is shorter than dt.
  /// dt 0: automatic steps, which end at each multiple of T (next_time()).
  SaveSchedule(const SaveEvery& every, double dt, double now_s);

  /// Steps from `step` to the next that is due by its number; kNever if none is.
  u64 steps_to_next(u64 step) const;
  /// Of automatic steps: the first multiple of T after `time`; infinity if none is due.
  double next_time(double time) const;
  bool due(u64 step, double time, double now_s) const;
  /// Call after every snapshot, whatever triggered it.
  void saved(double now_s) { last_s_ = now_s; }

 private:
  bool by_time() const { return every_.by == SaveEvery::By::time; }
  u64 next_step(u64 step) const;

  SaveEvery every_;
  double dt_;
  double last_s_;
};

}  // namespace tri::app
