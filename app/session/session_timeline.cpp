// Back in time: steps that were taken are shown again, and another run begins on the way.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/session.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"
#include "sim/base/memory.hpp"

namespace tri::app {
namespace {

constexpr u64 kMemoryShare = 20;  // a twentieth of what is free

std::vector<TimelineModel::Tick> ticks_of(const std::vector<Timeline::Frame>& frames) {
  std::vector<TimelineModel::Tick> ticks;
  for (const Timeline::Frame& f : frames) {
    if (f.state) ticks.push_back({f.step(), f.mark.time});
  }
  return ticks;
}

template <class... Kinds>
bool is_any(const Request& request) {
  return (std::holds_alternative<Kinds>(request) || ...);
}

}  // namespace

/// Cuts off and returns the rows of later steps.
std::vector<DiagnosticsRow> Session::take_rows_after(u64 step) {
  auto& rows = model_.diagnostics;
  const auto later = std::find_if(rows.begin(), rows.end(), [&](const DiagnosticsRow& r) { return r.step > step; });
  std::vector<DiagnosticsRow> taken(later, rows.end());
  rows.erase(later, rows.end());
  return taken;
}

void Session::keep_timeline(const Timeline::Limits& limits) {
  TRI_EXPECTS(!busy());
  limits_ = limits;
  if (!series_) begin_timeline();
}

/// From the present state on, and all that was kept goes.
void Session::begin_timeline() {
  end_seek();
  timeline_.reset();
  model_.timeline = {};
  if (series_) return show_series();
  if (!limits_) return;
  Timeline::Limits limits = *limits_;
  if (limits.bytes == 0) {
    const u64 of_backend = backend_->memory_bytes();
    limits.bytes = (of_backend > 0 ? of_backend : available_memory()) / kMemoryShare;
  }
  try {
    timeline_ =
        std::make_unique<Timeline>(limits, ++runs_, *simulation_, model_.asked, model_.population,
                                   [this](const Bodies& bodies, const ForceField& field, const EngineConfig& config) {
                                     return backend_->make_engine(bodies, field, config);
                                   });
  } catch (const Error& error) {
    note(fmt::format("{} No steps are kept to go back to.", error.what()), false);
  }
  show_timeline();
}

Timeline& Session::timeline() const {
  if (!timeline_) throw ConfigError("no steps are kept to go back to.");
  return *timeline_;
}

void Session::show_timeline() {
  if (!timeline_) return;
  TimelineModel& shown = model_.timeline;
  shown.kept = true;
  shown.exact = model_.backend.fast_repeats || model_.asked.accumulate == Accumulate::ordered;
  if (std::exchange(shown.version, timeline_->version() + 1) == timeline_->version() + 1) return;
  shown.first = timeline_->first(), shown.last = timeline_->last();
  shown.bytes = timeline_->bytes();
  shown.keyframes = ticks_of(timeline_->frames());
  shown.last_time = timeline_->last_time();
  shown.branch.reset();
  if (const auto& other = timeline_->other()) {
    shown.branch = other->step, shown.other_last = other->last, shown.other_last_time = other->last_time;
    shown.other_keyframes = ticks_of(other->frames);
  }
}

void Session::end_seek() {
  model_.timeline.seek.reset();
  waiting_.clear();
}

/// Whether a request is to come after the step that is being sought. One that leads elsewhere ends the search instead.
bool Session::waits(const Request& request) const {
  if (!model_.timeline.seek) return false;
  if (is_any<ask::Open, ask::Reset, ask::Run, ask::StepsPerFrame, ask::PaceOfTime, ask::LoseDevice>(request)) {
    return false;
  }
  const bool undo = is_any<ask::Undo>(request) && !past_.empty() && std::holds_alternative<Place>(past_.back());
  return !waiting_.empty() || !(undo || is_any<ask::GoTo, ask::StepBack>(request));
}

/// What undo goes back to from another place; none while one goes from place to place.
std::optional<Session::Place> Session::place_to_remember() const {
  const Place now{timeline().run(), model_.steps};
  const bool on_the_way = !past_.empty() && std::holds_alternative<Place>(past_.back()) && arrived_ == now;
  return on_the_way || model_.timeline.seek ? std::nullopt : std::optional(now);
}

void Session::step_back(u64 steps) {
  const Timeline& kept = timeline();
  const u64 now = model_.timeline.seek ? model_.timeline.seek->to : model_.steps;
  if (steps > now - kept.first()) {
    throw ConfigError(fmt::format("{} step{} back from step {} is before step {}, the first that is kept.", steps,
                                  steps == 1 ? "" : "s", now, kept.first()));
  }
  visit(now - steps);
}

void Session::visit(u64 step) {
  const std::optional<Place> before = place_to_remember();
  go_to(step, true);
  if (before) remember(*before);
}

/// The nearest keyframe at once, and the steps from it as other steps are taken. on_run: whether the present state is
/// one of the run.
void Session::go_to(u64 step, bool on_run) {
  Timeline& kept = timeline();
  if (step < kept.first() || step > kept.last()) {
    throw ConfigError(
        fmt::format("step {} is not kept: this run goes from step {} to {}.", step, kept.first(), kept.last()));
  }
  if (on_run && !model_.broken && model_.steps == kept.last()) kept.keep(*simulation_, model_.asked);
  const Timeline::Frame& from = kept.before(step);
  EngineConfig asked = model_.asked;
  const bool here = on_run && !model_.broken && model_.steps <= step && from.step() <= model_.steps;
  const bool changed = !here && kept.go_to(from, *simulation_, asked);
  model_.steps_asked = 0;
  model_.broken = false;
  copy_ = {}, copied_at_ = 0;
  if (changed) adopt(asked), show_bodies(kept.population());
  show_clock();
  arrived_ = {kept.run(), step};
  model_.timeline.seek = {model_.steps, step};
  if (model_.steps == step) arrive();
  show_timeline();
}

/// At the step that was sought; what waited for it comes now.
void Session::arrive() {
  model_.timeline.seek.reset();
  due_ = watched_ = model_.pace_reached = 0, watched_at_ = model_.time;
  skip_samples_ = 1;
  apply(std::exchange(waiting_, {}));
}

/// From the present step on another run begins; what came after it becomes the other branch.
void Session::take_branch() {
  const Place before{timeline_->run(), model_.steps};
  const bool first = !timeline_->other().has_value();
  timeline_->branch(++runs_, *simulation_, model_.asked);
  model_.timeline.other_rows = take_rows_after(model_.steps);
  remember(before);
  note(fmt::format("another run begins at step {}; that to step {} stays as the other branch{}.", model_.steps,
                   timeline_->other()->last, first ? "" : ", in place of the earlier one"),
       false);
  show_timeline();
}

void Session::branch() {
  if (model_.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  timeline().prepare_branch(*simulation_, model_.asked);
  take_branch();
}

/// To the run on the other branch: the same step of it, or its last.
void Session::swap_branches() {
  Timeline& kept = timeline();
  if (!kept.other()) throw ConfigError("there is no other branch; Branch here makes one.");
  const Place before{kept.run(), model_.steps};
  const bool common = model_.steps < kept.other()->step;
  if (!common && !model_.broken && model_.steps == kept.last()) kept.keep(*simulation_, model_.asked);
  kept.swap_branches();
  try {
    go_to(std::min(model_.steps, kept.last()), common);
  } catch (...) {
    kept.swap_branches();
    throw;
  }
  swap_rows();
  remember(before);
}

/// After the branches.
void Session::swap_rows() {
  auto& rows = model_.timeline.other_rows;
  std::vector<DiagnosticsRow> mine = take_rows_after(timeline().other()->step);
  model_.diagnostics.insert(model_.diagnostics.end(), rows.begin(), rows.end());
  rows = std::move(mine);
}

void Session::bring_back(const Place& before) {
  Timeline& kept = timeline();
  if (kept.run() != before.run) {
    if (!kept.other() || kept.other()->run != before.run) {
      throw ConfigError(fmt::format("the run that was at step {} is no longer kept.", before.step));
    }
    swap_branches();
    past_.pop_back();  // undo itself cannot be undone
    model_.undoable = past_.size();
  }
  go_to(before.step, true);
  arrived_ = {};
}

}  // namespace tri::app
