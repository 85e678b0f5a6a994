#include "app/commands/save_schedule.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"

namespace tri::app {

SaveSchedule::SaveSchedule(const SaveEvery& every, double dt, double now_s) : every_(every), dt_(dt), last_s_(now_s) {
  if (every.by == SaveEvery::By::time && every.amount < dt) {
    throw ConfigError(fmt::format("--save-every dt={:.9g} is shorter than a step, dt = {:.9g}; take --save-every 1.",
                                  every.amount, dt));
  }
}

/// The first step after `step` that is due by its number; kNever if that is beyond the steps a run can have.
u64 SaveSchedule::next_step(u64 step) const {
  if (every_.by == SaveEvery::By::steps) return step - step % every_.steps + every_.steps;
  // The last multiple before the current time or the first after it may already fall in this step.
  double mark = std::floor(static_cast<double>(step) * dt_ / every_.amount);
  for (;; ++mark) {
    const double at = std::floor(mark * every_.amount / dt_ + 0.5);
    if (at > 0x1p53) return kNever;
    if (at > static_cast<double>(step)) return static_cast<u64>(at);
  }
}

double SaveSchedule::next_time(double time) const {
  if (!by_time() || dt_ > 0) return std::numeric_limits<double>::infinity();
  double mark = std::floor(time / every_.amount);
  for (; mark < 0x1p53; ++mark) {
    if (mark * every_.amount > time) return mark * every_.amount;
  }
  return std::numeric_limits<double>::infinity();
}

u64 SaveSchedule::steps_to_next(u64 step) const {
  const bool by_number = every_.by == SaveEvery::By::steps || (by_time() && dt_ > 0);
  return by_number ? next_step(step) - step : kNever;
}

bool SaveSchedule::due(u64 step, double time, double now_s) const {
  switch (every_.by) {
    case SaveEvery::By::never:
      return false;
    case SaveEvery::By::wall:
      return now_s - last_s_ >= every_.amount;
    case SaveEvery::By::time:
      if (!(dt_ > 0)) return step > 0 && std::round(time / every_.amount) * every_.amount == time;
      [[fallthrough]];
    default:
      return step > 0 && next_step(step - 1) == step;
  }
}

}  // namespace tri::app
