// A recorded run in a session: its states are read and shown, and none is computed, until the session goes on from one.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/session.hpp"
#include "app/support/scene_spec.hpp"
#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri::app {

/// Reads a state. Touches neither session nor model.
struct Session::FrameJob {
  Backend& backend;
  EngineConfig config;
  Series::Entry entry;
  std::size_t index;
  DiagnosticsRow initial;

  std::unique_ptr<Simulation> simulation = nullptr;
  Bodies bodies = {};
  double time = 0;
  std::exception_ptr failure = nullptr;

  void run() noexcept {
    try {
      auto [scene, run] = scene_to_view(entry.path);
      auto engine = make_fitting_engine(backend, scene, config);
      bodies = std::move(scene.bodies);
      const Clock clock = run ? run->clock : Clock{entry.step, entry.time};
      simulation =
          std::make_unique<Simulation>(std::move(scene), clock, run ? run->initial : initial, std::move(engine));
      time = run ? clock.time : entry.time;
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void Session::show_series() {
  const std::vector<Series::Entry>& entries = series_->entries();
  TimelineModel& shown = model_.timeline;
  shown = {};
  shown.kept = shown.recorded = true;
  for (const Series::Entry& e : entries) shown.keyframes.push_back({e.step, e.time});
  shown.first = entries.front().step, shown.last = entries.back().step, shown.last_time = entries.back().time;
  frame_ = 0;
  model_.steps = shown.first;
  if (simulation_->time() == 0) model_.time = entries.front().time;
  if (keeps_pace_) model_.pace = series_->usual_pace();
}

/// Time to the next state, recorded or to be computed.
double Session::next_step() const {
  if (!series_) return model_.scene.dt;
  const std::vector<Series::Entry>& entries = series_->entries();
  return entries[std::min(frame_ + 1, entries.size() - 1)].time - entries[frame_].time;
}

/// What a recorded run does at a request; false where it is that of any other.
bool Session::ask_series(const Request& request) {
  const auto last = series_->entries().size() - 1;
  const auto seek = [this](std::size_t to) {
    model_.timeline.seek = {model_.steps, series_->entries()[to].step};
    model_.running &= to != frame_;
  };
  const std::size_t now = model_.timeline.seek ? series_->at(model_.timeline.seek->to) : frame_;
  if (std::holds_alternative<ask::Reset>(request)) {
    seek(0);
  } else if (const auto* take = std::get_if<ask::Take>(&request)) {
    if (take->steps > last - now) note(fmt::format("the recorded run ends at step {}.", model_.timeline.last), false);
    seek(now + static_cast<std::size_t>(std::min<u64>(take->steps, last - now)));
  } else if (const auto* back = std::get_if<ask::StepBack>(&request)) {
    if (back->steps > now) throw ConfigError(fmt::format("there are {} states before this one.", now));
    seek(now - static_cast<std::size_t>(back->steps));
  } else if (const auto* go = std::get_if<ask::GoTo>(&request)) {
    if (go->step < model_.timeline.first || go->step > model_.timeline.last) {
      throw ConfigError(fmt::format("step {} is not recorded: this run goes from step {} to {}.", go->step,
                                    model_.timeline.first, model_.timeline.last));
    }
    seek(series_->at(go->step));
  } else if (std::holds_alternative<ask::Branch>(request)) {
    const u64 before = generation_, opened = opened_, n = model_.n;
    open(std::string(series_->entries()[frame_].path), {});
    model_.running = false;
    if (model_.n == n) generation_ = before, opened_ = opened;  // the same bodies: the picture stays
  } else if (std::holds_alternative<ask::Open>(request) || std::holds_alternative<ask::Run>(request) ||
             std::holds_alternative<ask::StepsPerFrame>(request) || std::holds_alternative<ask::PaceOfTime>(request)) {
    return false;
  } else {
    throw ConfigError(
        "this is a recorded run. Branch here goes on from the state that is shown; then it can be changed and saved.");
  }
  return true;
}

/// The state to be shown next; false where it is the one that is shown.
bool Session::plan_frame() {
  failure_ = nullptr;
  model_.steps_last_frame = 0;
  const std::vector<Series::Entry>& entries = series_->entries();
  std::size_t next = frame_;
  if (model_.timeline.seek) {
    next = series_->at(model_.timeline.seek->to);
  } else if (model_.running && model_.pace > 0) {
    next = series_->at_time(entries[frame_].time + due_, frame_);
  } else if (model_.running) {
    next = std::min<std::size_t>(frame_ + model_.steps_per_frame, entries.size() - 1);
  }
  if (next == frame_) {
    model_.timeline.seek.reset();
    if (frame_ + 1 == entries.size()) model_.running = false;
    return false;
  }
  const DiagnosticsRow initial = model_.diagnostics.empty() ? DiagnosticsRow{} : model_.diagnostics.front();
  frame_job_ = std::make_shared<FrameJob>(FrameJob{*backend_, model_.asked, entries[next], next, initial});
  return true;
}

void Session::show_next(bool on_thread) {
  TRI_EXPECTS(!busy());
  if (!plan_frame()) return;
  begun_at_ = clock_s();
  if (on_thread) return thread_.begin([job = frame_job_] { job->run(); });
  frame_job_->run();
  account_frame();
}

void Session::account_frame() {
  const std::shared_ptr<FrameJob> job = std::exchange(frame_job_, nullptr);
  model_.timeline.seek.reset();
  if (job->failure) {
    failure_ = job->failure;
    model_.running = false;
    recover(job->failure);
    return;
  }
  model_.steps_last_frame = job->index > frame_ ? job->index - frame_ : frame_ - job->index;
  due_ = std::max(0.0, due_ - std::abs(job->entry.time - series_->entries()[frame_].time));
  frame_ = job->index;
  simulation_ = std::move(job->simulation);
  first_ = first_population(std::move(job->bodies));
  model_.first_step = simulation_->first_step();
  model_.scene = simulation_->scene();
  model_.asked = job->config, model_.engine = engine().config();
  model_.steps = job->entry.step, model_.time = job->time;
  copy_ = {};
  if (model_.n == first_->bodies.size()) {
    model_.population = first_;  // the picture stays
  } else {
    ++opened_;
    show_bodies(first_);
  }
}

}  // namespace tri::app
