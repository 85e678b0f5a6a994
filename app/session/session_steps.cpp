// Steps of a session: on the calling thread, or on a worker while that thread draws.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/session/session.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {
namespace {

constexpr double kFrame = 1.0 / 60;         // seconds; shorter steps delay no frame
constexpr std::size_t kSurelyQuick = 4096;  // bodies whose step takes less on any processor

}  // namespace

/// Ends a loop over tiles when the steps are to end.
class Session::StopSink final : public ProgressSink {
 public:
  explicit StopSink(const StopFlags& flags) : flags_(flags) {}
  void report(const ProgressReport&) override {
    if (flags_.up()) throw InterruptedError("interrupted in a step; it was not taken.");
  }

 private:
  const StopFlags& flags_;
};

/// The steps of one frame: what to do, and the result. Touches simulation and timeline alone, never the model.
struct Session::StepJob {
  Simulation& simulation;
  const StopFlags& ends;
  u64 asked, steps, least;  ///< by ask::Take; in all; at least, however long they take
  double seconds;
  std::optional<u64> lost_after;  ///< for tests: the device fails after so many steps
  Timeline* timeline;             ///< null: there is none
  EngineConfig config;            ///< in use; a run that is shown again may change it, and its parameters
  bool changed = false;           ///< it did

  std::optional<MapTurn> turn = {};  ///< after the steps
  double turn_took = 0;
  bool diagnose = false;  ///< after those
  std::optional<DiagnosticsRow> row = {};
  double diagnose_took = 0;
  std::exception_ptr diagnose_failure = nullptr;

  u64 done = 0;
  double took = 0;
  double began = 0;
  bool on_thread = false;
  Engine::Timing timing = {};  ///< of the last step
  std::exception_ptr failure = nullptr;
  bool broken = false;  ///< it is of the numbers

  void run() noexcept {
    const double begin = began = clock_s(), end = begin + seconds;
    StopSink sink(ends);
    const ScopedProgressSink watching(sink);
    const ScopedTask work("steps");
    try {
      while (!ends.up() && done < steps && (done < least || clock_s() < end)) {
        u64 now = std::min(steps - done, simulation.engine().steps_at_once());
        if (lost_after && done >= *lost_after) throw BackendError("the device was lost, as was asked for.");
        if (lost_after) now = std::min(now, *lost_after - done);
        if (timeline != nullptr) now = timeline->steps_to_stop(simulation.step_count(), now, clock_s());
        done += simulation.advance(now);
        if (timeline != nullptr) changed |= timeline->pass(simulation, config, clock_s());
      }
    } catch (const NumericalError&) {
      failure = std::current_exception(), broken = true;
    } catch (...) {
      failure = std::current_exception();
    }
    took = clock_s() - begin;
    timing = simulation.engine().timing();
    if (failure) return;
    if (turn) turn->take(simulation.engine());
    turn_took = clock_s() - begin - took;
    if (!diagnose) return;
    try {
      row = simulation.diagnostics();
    } catch (...) {
      diagnose_failure = std::current_exception();
    }
    diagnose_took = clock_s() - begin - took - turn_took;
  }
};

void Session::keep_pace() {
  keeps_pace_ = true;
  model_.pace = series_ ? series_->usual_pace() : model_.scene.pace;
}

void Session::let_time_pass(double seconds) {
  TRI_EXPECTS(!busy());
  constexpr double kBacklog = 0.5, kLook = 0.5;  // seconds that may be caught up with; between two looks
  if (!model_.running) {
    due_ = watched_ = model_.pace_reached = 0, watched_at_ = model_.time;
    return;
  }
  due_ = std::min(due_ + model_.pace * seconds, model_.pace * kBacklog + next_step());
  watched_ += seconds;
  if (watched_ < kLook) return;
  model_.pace_reached = std::abs(model_.time - watched_at_) / watched_;
  watched_ = 0, watched_at_ = model_.time;
}

u64 Session::steps_by_clock() const {
  constexpr double kMost = 1e9;  // more take longer than any frame
  return static_cast<u64>(std::min(due_ / model_.scene.dt, kMost));
}

/// False where there is nothing to do.
bool Session::plan_steps(double seconds) {
  TRI_EXPECTS(!busy());
  failure_ = nullptr;
  // What does not fit into this frame's time is left for later frames.
  const u64 more = std::exchange(model_.steps_asked, 0);
  const auto& seek = model_.timeline.seek;
  if (model_.broken || (!model_.running && more == 0 && !seek)) {
    model_.steps_last_frame = 0;
    return false;
  }
  try {
    StopSink sink(stop_);
    const ScopedProgressSink watching(sink);
    const ScopedTask work("energies");
    begin_run();
    if (model_.comparing && model_.running && !seek) next_map();
  } catch (const std::exception& error) {
    failure_ = std::current_exception();
    model_.running = model_.comparing = false, model_.steps_last_frame = 0;
    end_seek();
    note(error.what(), true);
    return false;
  }
  // A map's first evaluation after the switch is not timed, so a turn has two steps at least.
  const u64 least = model_.comparing ? 2 : 1;
  const bool by_clock = model_.pace > 0 && !model_.comparing;
  const u64 in_frame = by_clock ? steps_by_clock() : std::max<u64>(least, model_.steps_per_frame);
  const u64 steps = seek ? seek->to - model_.steps : more + (model_.running ? in_frame : 0);
  if (steps == 0) {
    model_.steps_last_frame = 0;
    return false;
  }
  job_.reset(new StepJob{
      .simulation = *simulation_,
      .ends = stop_,
      .asked = more,
      .steps = steps,
      .least = least,
      .seconds = seconds,
      .lost_after = loses_at_ ? std::optional(*loses_at_ - std::min(*loses_at_, model_.steps)) : std::nullopt,
      .timeline = timeline_.get(),
      .config = model_.asked,
      .turn = seek ? std::nullopt : next_turn(clock_s()),
  });
  return true;
}

void Session::account_steps() {
  const StepJob& job = *job_;
  note_work();
  if (job.done > 0) step_seconds_ = job.took / static_cast<double>(job.done);
  const double before = model_.time;
  if (job.changed) adopt(job.config), show_bodies(timeline_->population());
  show_clock();
  due_ = std::max(0.0, due_ - std::abs(model_.time - before));
  const u64 reached = model_.steps;
  model_.steps_last_frame = job.done;
  if (timeline_ && job.broken) timeline_->reach(*simulation_);
  show_timeline();
  const std::optional<TimelineModel::Seek> seek = model_.timeline.seek;
  if (job.failure) end_seek();
  if (job.failure && recover(job.failure)) {
    if (seek) note(fmt::format("step {} was lost on the way to it.", seek->to), true);
    // Steps that are not taken, or were lost with the device, are still to be taken.
    const u64 lost = reached - model_.steps;
    if (job.asked > 0) model_.steps_asked += lost + job.asked - std::min(job.asked, job.done);
    return;
  }
  if (job.failure) {
    model_.running = model_.comparing = false;
    model_.broken = job.broken;
    failure_ = job.failure;
    return;
  }
  if (job.asked > job.done) model_.steps_asked += job.asked - job.done;
  account_ranks();
  account_diagnostics();
  keep_copy();
  if (seek && model_.steps == seek->to) return arrive();
  const bool first = std::exchange(skip_samples_, 0) > 0;
  if (job.turn) account_turn(*job.turn, job.turn_took);
  if (first && job.done < 2) return;
  const Engine::Timing& timing = job.timing;
  model_.force.add(timing.force);
  model_.integrate.add(timing.integrate);
  if (!model_.pair_maps.empty()) {
    model_.pair_maps[static_cast<u32>(model_.asked.pair_map)].force.add(timing.force - timing.triples);
  }
  const bool products = model_.engine.arithmetic == Arithmetic::tensor;  // of triples: driven by a map of pairs
  if (!model_.triple_maps.empty() && !products) {
    model_.triple_maps[static_cast<u32>(model_.asked.triple_map)].force.add(timing.triples);
  }
}

void Session::add_work(const char* name, WorkLane lane, u8 depth, const Engine::When& when) {
  constexpr std::size_t kMost = 64;  // of a caller that takes none
  if (when.end <= 0) return;
  if (work_.size() >= kMost) work_.erase(work_.begin());
  work_.push_back({name, lane, depth, when.begin, when.end});
}

/// When the job's parts were done. On the calling thread they are within a part of its frame.
void Session::note_work() {
  const StepJob& job = *job_;
  const WorkLane lane = job.on_thread ? WorkLane::step_thread : WorkLane::draw_thread;
  const u8 depth = job.on_thread ? 0 : 1;
  const bool device = model_.backend.name != "cpu";
  double at = job.began;
  const auto next = [&](const char* name, double took) {
    if (took > 0) add_work(name, lane, depth, {at, at + took});
    at += took;
  };
  next("steps", job.took);
  next("turn", job.turn ? job.turn_took : 0);
  next("diagnostics", job.diagnose_took);
  const Engine::Timing& t = job.timing;
  if (job.done == 0) return;
  if (device) {
    add_work("steps", WorkLane::gpu_step, 0, t.steps_when);
    if (t.force_when.begin >= t.steps_when.begin) add_work("force", WorkLane::gpu_step, 1, t.force_when);
  } else {
    if (t.force_when.begin >= job.began) add_work("force", lane, static_cast<u8>(depth + 1), t.force_when);
  }
}

void Session::account_diagnostics() {
  const StepJob& job = *job_;
  if (!job.diagnose) return;
  if (job.row) add_diagnostics(*job.row);
  if (job.diagnose_failure) recover(job.diagnose_failure);
  diagnose_cost_ = job.diagnose_took, diagnosed_at_ = clock_s();
}

void Session::advance(double seconds) {
  if (series_) return show_next(false);
  if (!plan_steps(seconds)) return;
  job_->run();
  account_steps();
}

void Session::begin_steps(double seconds) {
  if (series_) return show_next(true);
  if (!plan_steps(seconds)) return;
  job_->diagnose = diagnostics_due(clock_s());
  job_->on_thread = true;
  begun_at_ = clock_s();
  thread_.begin([job = job_.get()] { job->run(); });
}

bool Session::finish_steps(double patience) {
  if (!busy()) return true;
  if (!thread_.wait(patience)) return false;
  survey_job_ ? account_survey() : frame_job_ ? account_frame() : account_steps();
  return true;
}

bool Session::steps_overlap() const {
  if (model_.backend.name != "cpu" || series_) return true;
  return step_seconds_ ? *step_seconds_ > kFrame : model_.n > kSurelyQuick;
}

}  // namespace tri::app
