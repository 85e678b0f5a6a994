// Steps of a session: on the thread that calls, or on one of its own while that draws.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "app/session/session.hpp"
#include "app/session/session_maps.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr double kFrame = 1.0 / 60;         // seconds; steps shorter than this hold up nobody
constexpr std::size_t kSurelyQuick = 4096;  // bodies whose step takes less on any processor

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

/// Steps of one frame: what is asked, and what came of it. Touches the engine alone, never the model.
struct Session::StepJob {
  Engine& engine;
  Integrator integrator;
  double dt;
  u64 asked, steps, least;  ///< by ask::Take; in all; at least, however long they take
  double seconds;
  std::optional<u64> lost_after;  ///< a trial: so many steps, and the device fails

  bool diagnose = false;  ///< after the steps
  std::optional<Diagnostics> values = {};
  double diagnose_took = 0;
  std::exception_ptr diagnose_failure = nullptr;

  u64 done = 0;
  double time;  ///< of the state
  double took = 0;
  std::exception_ptr failure = nullptr;

  void run() noexcept {
    const double begin = now_s(), end = begin + seconds;
    try {
      while (done < steps && (done < least || now_s() < end)) {
        u64 now = std::min(steps - done, engine.steps_at_once());
        if (lost_after && done >= *lost_after) throw BackendError("the device was lost, as was asked for.");
        if (lost_after) now = std::min(now, *lost_after - done);
        engine.advance(integrator, dt, now);
        done += now, time += static_cast<double>(now) * dt;
      }
    } catch (...) {
      failure = std::current_exception();
    }
    took = now_s() - begin;
    if (!diagnose || failure) return;
    try {
      values = engine.diagnose();
    } catch (...) {
      diagnose_failure = std::current_exception();
    }
    diagnose_took = now_s() - begin - took;
  }
};

/// False where there is nothing to be done.
bool Session::plan_steps(double seconds) {
  TRI_EXPECTS(!busy());
  failure_ = nullptr;
  // What does not fit into this frame's time is left for the next ones.
  const u64 more = std::exchange(model_.steps_asked, 0);
  if (model_.broken || (!model_.running && more == 0)) {
    model_.steps_last_frame = 0;
    return false;
  }
  try {
    begin_run();
    if (model_.comparing && model_.running) next_map();
  } catch (const std::exception& error) {
    failure_ = std::current_exception();
    model_.running = model_.comparing = false, model_.steps_last_frame = 0;
    note(error.what(), true);
    return false;
  }
  // A map's first evaluation after the switch is not timed, so a turn has two steps at least.
  const u64 least = model_.comparing ? 2 : 1;
  const u64 steps = more + (model_.running ? std::max<u64>(least, model_.steps_per_frame) : 0);
  const double dt = model_.backwards ? -model_.scene.dt : model_.scene.dt;
  job_.reset(new StepJob{
      .engine = *engine_,
      .integrator = model_.scene.integrator,
      .dt = dt,
      .asked = more,
      .steps = steps,
      .least = least,
      .seconds = seconds,
      .lost_after = loses_at_ ? std::optional(*loses_at_ - std::min(*loses_at_, model_.steps)) : std::nullopt,
      .time = model_.time,
  });
  return true;
}

void Session::account_steps() {
  const StepJob& job = *job_;
  if (job.done > 0) step_seconds_ = job.took / static_cast<double>(job.done);
  const u64 reached = model_.steps + job.done;
  model_.steps += job.done, model_.time = job.time, model_.steps_last_frame = job.done;
  if (job.failure && recover(job.failure)) {
    // What was asked for is still asked for, and what was lost with the device too.
    const u64 lost = reached - model_.steps;
    if (job.asked > 0) model_.steps_asked += lost + job.asked - std::min(job.asked, job.done);
    return;
  }
  if (job.failure) {
    model_.running = model_.comparing = false;
    failure_ = job.failure;
    try {
      std::rethrow_exception(job.failure);
    } catch (const NumericalError& error) {
      model_.broken = true;
      const std::string text = fmt::format("step {}: {}", model_.steps + std::max<u64>(1, error.step()), error.what());
      failure_ = std::make_exception_ptr(NumericalError(text, error.step()));
      note(text, true);
    } catch (const std::exception& error) {
      note(error.what(), true);
    }
    return;
  }
  if (job.asked > job.done) model_.steps_asked += job.asked - job.done;
  account_diagnostics();
  keep_copy();
  const bool first = std::exchange(skip_samples_, 0) > 0;
  if (first && job.done < 2) return;
  const Engine::Timing timing = engine_->timing();
  model_.force.add(timing.force);
  model_.integrate.add(timing.integrate);
  if (!model_.pair_maps.empty()) model_.pair_maps[static_cast<u32>(model_.asked.pair_map)].force.add(timing.force);
  if (!model_.triple_maps.empty()) {
    model_.triple_maps[static_cast<u32>(model_.asked.triple_map)].force.add(timing.force);
  }
}

void Session::account_diagnostics() {
  const StepJob& job = *job_;
  if (!job.diagnose) return;
  if (job.values) add_diagnostics(*job.values);
  if (job.diagnose_failure && !recover(job.diagnose_failure)) {
    try {
      std::rethrow_exception(job.diagnose_failure);
    } catch (const std::exception& error) {
      note(error.what(), true);
    }
  }
  diagnose_cost_ = job.diagnose_took, diagnosed_at_ = now_s();
}

void Session::advance(double seconds) {
  if (!plan_steps(seconds)) return;
  job_->run();
  account_steps();
}

void Session::begin_steps(double seconds) {
  if (!plan_steps(seconds)) return;
  job_->diagnose = diagnostics_due(now_s());
  thread_.begin([job = job_.get()] { job->run(); });
}

bool Session::finish_steps(double patience) {
  if (!busy()) return true;
  if (!thread_.wait(patience)) return false;
  account_steps();
  return true;
}

bool Session::steps_overlap() const {
  if (model_.backend.name != "cpu") return true;
  return step_seconds_ ? *step_seconds_ > kFrame : model_.n > kSurelyQuick;
}

}  // namespace tri::app
