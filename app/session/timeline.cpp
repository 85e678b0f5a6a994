#include "app/session/timeline.hpp"

#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/support/language.hpp"
#include "app/support/text_table.hpp"
#include "sim/base/error.hpp"
#include "sim/base/machine.hpp"
#include "sim/base/progress.hpp"

namespace tri::app {

PopulationPtr first_population(Bodies bodies) {
  std::vector<u32> ids(bodies.size());
  std::iota(ids.begin(), ids.end(), 0u);
  return std::make_shared<Population>(Population{std::move(bodies), std::move(ids), 0});
}

std::size_t index_of(const Population& population, u32 id) {
  const auto& ids = population.ids;
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  return at != ids.end() && *at == id ? static_cast<std::size_t>(at - ids.begin()) : ids.size();
}

BodyValues values_of(const Bodies& b, std::size_t i) {
  return {{b.x[i], b.y[i], b.z[i]}, {b.vx[i], b.vy[i], b.vz[i]}, b.m[i], b.r[i]};
}

std::string name_of(const SessionModel& model, std::size_t body) {
  if (!model.population || body >= model.population->ids.size()) return "";
  const auto at = model.names.find(model.population->ids[body]);
  return at == model.names.end() ? "" : at->second;
}

Bodies only(const Bodies& from, const std::vector<u32>& indices) {
  Bodies to;
  for_each_column(from, to, [&indices](const ColumnInfo& c, const auto& all, auto& some) {
    if (all.empty()) return;
    for (const u32 i : indices) {
      for (std::size_t k = 0; k < c.width; ++k) some.push_back(all[std::size_t{c.width} * i + k]);
    }
  });
  return to;
}

namespace {

constexpr std::size_t kMin = 4;  // states: two ends and a branch of two

std::size_t count_states(const std::vector<Timeline::Frame>& frames) {
  return static_cast<std::size_t>(
      std::count_if(frames.begin(), frames.end(), [](const auto& f) { return f.saved != nullptr; }));
}

/// What is left of `then` where sums are ordered: maps, blocks and threads change no bit, and those of `now` stay.
EngineConfig with_maps_of(const EngineConfig& then, const EngineConfig& now) {
  if (then.accumulate == Accumulate::fast) return then;
  EngineConfig config = now;
  config.accumulate = then.accumulate;
  config.arithmetic = then.arithmetic, config.tolerance = then.tolerance, config.pairs = then.pairs;
  return config;
}

}  // namespace

Timeline::Timeline(const Limits& limits, u64 run, const Simulation& now, const EngineConfig& asked,
                   PopulationPtr population, Remake remake)
    : limits_(limits),
      population_(std::move(population)),
      remake_(std::move(remake)),
      run_(run),
      last_(now.step_count()),
      newest_(last_),
      last_time_(now.time()),
      keeping_{limits.share, limits.seconds} {
  const double begin = clock_s();
  frames_.push_back({{now.mark(), asked, population_, now.engine().save_state()}});
  keeping_.done(begin, clock_s());
  most_ = std::max(kMin, limits.states);
  bound(*frames_.front().saved);
}

/// As many states of this size as the memory takes.
void Timeline::bound(const SavedState& state) {
  const u64 fitting = limits_.bytes / std::max<u64>(1, state.bytes());
  most_ = std::max<std::size_t>(kMin, std::min<u64>(most_, fitting));
}

std::size_t Timeline::states() const { return count_states(frames_) + (other_ ? count_states(other_->frames) : 0); }

u64 Timeline::bytes() const {
  u64 sum = 0;
  for (const auto* frames : {&frames_, other_ ? &other_->frames : nullptr}) {
    if (frames == nullptr) continue;
    for (const Frame& f : *frames) sum += f.saved ? f.saved->bytes() : 0;
  }
  for (const auto& state : spare_) sum += state->bytes();
  return sum;
}

/// Index of the first frame of a step that is not before this one.
std::size_t Timeline::at_or_after(u64 step) const {
  const auto at =
      std::lower_bound(frames_.begin(), frames_.end(), step, [](const Frame& f, u64 s) { return f.step() < s; });
  return static_cast<std::size_t>(at - frames_.begin());
}

const Timeline::Frame& Timeline::before(u64 step) const {
  TRI_EXPECTS(step >= first());
  std::size_t at = at_or_after(step + 1);
  while (!frames_[at - 1].saved) --at;  // the first has one
  return frames_[at - 1];
}

u64 Timeline::steps_to_stop(u64 step, u64 most, double now_seconds) const {
  if (replays(step)) {
    const std::size_t next = at_or_after(step + 1);
    const u64 stop = next < frames_.size() ? frames_[next].step() : last_;
    return std::min(most, stop - step);
  }
  if (!keeping_.is_due(now_seconds)) return most;
  return std::min(most, newest_ + stride_ > step ? newest_ + stride_ - step : 1);
}

bool Timeline::go_to(const Frame& frame, Simulation& run, EngineConfig& asked) {
  return go_to(frame, frame.saved.get(), run, asked);
}

bool Timeline::go_to(const Frame& frame, const SavedState* saved, Simulation& run, EngineConfig& asked) {
  const bool same = frame.mark.setting == run.mark().setting;
  EngineConfig config = with_maps_of(frame.asked, asked);
  if (frame.population != population_) {
    change_bodies(frame, saved, run, config);
    asked = config;
    return true;
  }
  if (same && config == asked) {
    run.return_to(frame.mark, saved);
    return false;
  }
  try {
    run.return_to(frame.mark, saved, &config);
  } catch (const ConfigError&) {  // a map of now that the laws of then do not have
    config = frame.asked;
    run.engine().configure(config);
    try {
      run.return_to(frame.mark, saved);
    } catch (...) {
      run.engine().configure(asked);
      throw;
    }
  }
  asked = config;
  return true;
}

/// On an engine for the bodies of the frame, which has a state.
void Timeline::change_bodies(const Frame& frame, const SavedState* saved, Simulation& run, EngineConfig& config) {
  TRI_EXPECTS(saved != nullptr && frame.population != nullptr && remake_);
  const Bodies& bodies = frame.population->bodies;
  const ForceField& field = frame.mark.parameters.field;
  std::unique_ptr<Engine> engine;
  try {
    engine = remake_(bodies, field, config);
  } catch (const ConfigError&) {  // a map of now that does not fit so many bodies
    config = frame.asked;
    engine = remake_(bodies, field, config);
  }
  run.return_to(frame.mark, saved, nullptr, std::move(engine));
  population_ = frame.population;
  spare_.clear();
}

bool Timeline::pass(Simulation& run, EngineConfig& asked, double now_seconds) {
  const u64 step = run.step_count();
  if (step <= last_) {
    const std::size_t at = at_or_after(step);
    return at < frames_.size() && frames_[at].step() == step && go_to(frames_[at], run, asked);
  }
  reach(run);
  if (step >= newest_ + stride_ && keeping_.is_due(now_seconds)) add_keyframe(run, asked);
  return false;
}

void Timeline::reach(const Simulation& run) {
  if (run.step_count() <= last_) return;
  last_ = run.step_count(), last_time_ = run.time();
  ++version_;
}

std::unique_ptr<SavedState> Timeline::spare() {
  if (spare_.empty()) return nullptr;
  auto state = std::move(spare_.back());
  spare_.pop_back();
  return state;
}

/// In the order of the steps, in place of an earlier frame of this step.
void Timeline::insert(const Simulation& run, const EngineConfig& asked, std::unique_ptr<SavedState> saved, bool changed,
                      bool edited) {
  Frame frame{{run.mark(), asked, population_, std::move(saved)}, changed, edited};
  const std::size_t at = at_or_after(frame.step());
  const bool there = at < frames_.size() && frames_[at].step() == frame.step();
  if (frame.saved) newest_ = std::max(newest_, frame.step());
  ++version_;
  if (there) {
    frame.changed |= frames_[at].changed, frame.edited |= frames_[at].edited;
    if (frame.saved) recycle(frames_[at]);
    frames_[at] = std::move(frame);
    return;
  }
  frames_.insert(frames_.begin() + static_cast<std::ptrdiff_t>(at), std::move(frame));
}

bool Timeline::add_keyframe(const Simulation& run, const EngineConfig& asked) {
  const u64 step = run.step_count();
  if (before(step).step() == step) return true;
  if (states() >= most_) thin();
  if (states() >= most_) return false;
  const double begin = clock_s();
  try {
    auto state = run.engine().save_state(spare());
    bound(*state);
    insert(run, asked, std::move(state));
  } catch (const MemoryError&) {  // another program took it
    most_ = std::max(kMin, states());
    return false;
  }
  keeping_.done(begin, clock_s());
  return true;
}

void Timeline::change(const Simulation& run, const EngineConfig& asked, bool moved) {
  const std::size_t at = at_or_after(run.step_count());
  std::unique_ptr<SavedState> state;
  if (at < frames_.size() && frames_[at].saved) {
    state = std::move(frames_[at].saved);
    if (moved) state = run.engine().save_state(std::move(state));
  }
  insert(run, asked, std::move(state), true);
  if (frames_.size() > limits_.states + limits_.changes) forget_oldest();
}

/// Half of the frames, up to one with a state.
void Timeline::forget_oldest() {
  std::size_t first = frames_.size() / 2;
  while (first < frames_.size() && !frames_[first].saved) ++first;
  if (first == frames_.size()) return;
  if (other_ && other_->step < frames_[first].step()) discard(std::move(other_->frames)), other_.reset();
  std::vector<Frame> rest = cut(first);
  discard(std::exchange(frames_, std::move(rest)));
}

/// Keeps the memory of its state for another one of as many bodies.
void Timeline::recycle(Frame& frame) {
  if (frame.saved && frame.population == population_) spare_.push_back(std::move(frame.saved));
  frame.saved.reset();
}

void Timeline::discard(std::vector<Frame> frames) {
  for (Frame& f : frames) recycle(f);
}

/// Cuts off the frames from this index on.
std::vector<Timeline::Frame> Timeline::cut(std::size_t from) {
  const auto at = frames_.begin() + static_cast<std::ptrdiff_t>(from);
  std::vector<Frame> frames(std::make_move_iterator(at), std::make_move_iterator(frames_.end()));
  frames_.erase(at, frames_.end());
  return frames;
}

/// Drops every second state, but neither the first nor one of an edit nor the end of the other branch.
void Timeline::thin() {
  for (auto* frames : {&frames_, other_ ? &other_->frames : nullptr}) {
    if (frames == nullptr) continue;
    const std::size_t all = frames == &frames_ ? ~std::size_t{0} : count_states(*frames);
    std::size_t k = 0;
    for (Frame& f : *frames) {
      if (!f.saved) continue;
      if (k % 2 == 1 && k + 1 < all && !f.edited) recycle(f);
      ++k;
    }
    std::erase_if(*frames, [](const Frame& f) { return !f.saved && !f.changed; });
  }
  const std::size_t left = count_states(frames_);
  stride_ = std::max(stride_ + 1, (newest_ - first()) / std::max<std::size_t>(1, left - 1));
  ++version_;
}

void Timeline::prepare_branch(const Simulation& run, const EngineConfig& asked) {
  if (states() + 2 > most_) thin();
  const u64 step = run.step_count();
  if (before(step).step() != step) insert(run, asked, run.engine().save_state(spare()));
  if (spare_.empty()) spare_.push_back(run.engine().save_state());
}

void Timeline::branch(u64 run, const Simulation& now, const EngineConfig& asked) {
  const u64 step = now.step_count();
  auto state = now.engine().save_state(spare());
  leave(run, step, now.time());
  insert(now, asked, std::move(state), true);
}

/// The frames from this step on become the other branch.
void Timeline::leave(u64 run, u64 step, double time) {
  if (other_) discard(std::move(other_->frames));
  other_ = Branch{run_, step, last_, last_time_, cut(at_or_after(step))};
  run_ = run, last_ = newest_ = step, last_time_ = time;
}

void Timeline::edit(u64 run, const Simulation& now, const EngineConfig& asked, PopulationPtr population,
                    std::unique_ptr<SavedState> state) {
  population_ = std::move(population);
  spare_.clear();
  bound(*state);
  if (replays(now.step_count())) leave(run, now.step_count(), now.time());
  if (states() >= most_) thin();
  for (std::size_t before = 0; states() >= most_ && before != frames_.size();) {
    before = frames_.size();
    forget_oldest();
  }
  insert(now, asked, std::move(state), true, true);
}

void Timeline::swap_branches() {
  TRI_EXPECTS(other_.has_value());
  Branch mine{run_, other_->step, last_, last_time_, cut(at_or_after(other_->step))};
  std::move(other_->frames.begin(), other_->frames.end(), std::back_inserter(frames_));
  run_ = other_->run, last_ = other_->last, last_time_ = other_->last_time;
  other_ = std::move(mine);
  newest_ = before(last_).step();
  ++version_;
}

Simulation::Mark Timeline::foreign(Simulation::Mark mark) {
  constexpr u64 kForeign = u64{1} << 63;  // no simulation counts so far
  mark.setting |= kForeign;
  return mark;
}

bool Timeline::continue_as(const Branch& branch, Simulation& run, EngineConfig& asked) {
  TRI_EXPECTS(frames_.size() == 1 && branch.step == last_);
  bool changed = false;
  for (const Frame& f : branch.frames) {
    if (f.step() == branch.step) continue;  // the first frame
    Frame mine{{foreign(f.mark), f.asked, f.population}, f.changed, f.edited};
    if (f.saved && (f.edited || states() < most_)) {
      changed |= go_to(mine, f.saved.get(), run, asked);
      mine.saved = run.engine().save_state();
      newest_ = mine.step();
    }
    if (mine.saved || mine.changed) frames_.push_back(std::move(mine));
  }
  last_ = branch.last, last_time_ = branch.last_time;
  ++version_;
  return go_to(frames_.front(), run, asked) || changed;
}

// Back in time: steps that were taken are shown again, and another run begins on the way.

namespace {

constexpr u64 kMemoryShare = 20;  // a twentieth of what is free

std::vector<TimelineModel::Tick> ticks_of(const std::vector<Timeline::Frame>& frames) {
  std::vector<TimelineModel::Tick> ticks;
  for (const Timeline::Frame& f : frames) {
    if (f.saved) ticks.push_back({f.step(), f.mark.time});
  }
  return ticks;
}

}  // namespace

/// Cuts off and returns the rows of later steps.
std::vector<DiagnosticsRow> Session::split_rows_after(u64 step) {
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
    note(phrase("{} No steps are kept to go back to.", stated(error.what())), false);
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
  shown.run = timeline_->run();
  shown.first = timeline_->first(), shown.last = timeline_->last();
  shown.bytes = timeline_->bytes();
  shown.keyframes = ticks_of(timeline_->frames());
  shown.last_time = timeline_->last_time();
  shown.branch.reset();
  if (const auto& other = timeline_->other()) {
    shown.branch = other->step, shown.branch_time = other->frames.front().mark.time;
    shown.other_last = other->last, shown.other_last_time = other->last_time;
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
  if (is_one_of<ask::Open, ask::Reset, ask::Run, ask::StepsPerFrame, ask::PaceOfTime, ask::LoseDevice>(request)) {
    return false;
  }
  const auto leads_away = [](const std::vector<Done>& way) {
    return !way.empty() && std::holds_alternative<Place>(way.back().before);
  };
  const bool undo =
      (is_one_of<ask::Undo>(request) && leads_away(past_)) || (is_one_of<ask::Redo>(request) && leads_away(future_));
  return !waiting_.empty() || !(undo || is_one_of<ask::GoTo, ask::StepBack>(request));
}

/// What undo goes back to from another place; none while one goes from place to place.
std::optional<Session::Place> Session::place_to_remember() const {
  const Place now{timeline().run(), model_.steps};
  const bool on_the_way = !past_.empty() && std::holds_alternative<Place>(past_.back().before) && arrived_ == now;
  return on_the_way || model_.timeline.seek ? std::nullopt : std::optional(now);
}

void Session::step_back(u64 steps) {
  const Timeline& kept = timeline();
  const u64 now = model_.timeline.seek ? model_.timeline.seek->to : model_.steps;
  if (steps > now - kept.first()) {
    throw ConfigError(phrase("{} back from step {} is before step {}, the first that is kept.", counted(steps, "step"),
                             grouped(now), grouped(kept.first())));
  }
  visit(now - steps);
}

void Session::visit(u64 step) {
  const std::optional<Place> before = place_to_remember();
  go_to(step, true);
  if (before) remember(*before, phrase("away from step {}", grouped(before->step)));
}

void Session::be_led_to(std::optional<u64> step) {
  TRI_EXPECTS(!busy() && !series_);
  travels_ = true;  // nothing is remembered
  attempt([&] { step ? visit(*step) : reset(); });
  travels_ = false, inverse_.reset();
}

/// The nearest keyframe at once, and the steps from it as other steps are taken. on_run: whether the present state is
/// one of the run.
void Session::go_to(u64 step, bool on_run) {
  Timeline& kept = timeline();
  if (step < kept.first() || step > kept.last()) {
    throw ConfigError(phrase("step {} is not kept: this run goes from step {} to {}.", grouped(step),
                             grouped(kept.first()), grouped(kept.last())));
  }
  if (on_run && !model_.broken && model_.steps == kept.last()) kept.add_keyframe(*simulation_, model_.asked);
  const Timeline::Frame& from = kept.before(step);
  EngineConfig asked = model_.asked;
  const bool here = on_run && !model_.broken && model_.steps <= step && from.step() <= model_.steps;
  const bool changed = !here && kept.go_to(from, *simulation_, asked);
  model_.steps_asked = 0;
  model_.broken = false;
  copy_ = {}, copying_.at = 0;
  if (changed) adopt(asked), show_bodies(kept.population());
  show_clock();
  arrived_ = {kept.run(), step};
  model_.timeline.seek = {model_.steps, step};
  if (model_.steps == step) arrive();
  show_timeline();
}

void Session::go_on_from(const Session& other) {
  TRI_EXPECTS(!busy() && !other.busy() && !series_ && !other.series_);
  if (other.model_.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  const Simulation::Mark own = simulation_->mark();
  Simulation::Mark there = other.simulation_->mark();
  there.parameters = own.parameters, there.setting = own.setting;  // numbers of settings are each simulation's own
  Scene scene = model_.scene;
  scene.bodies = other.bodies();
  EngineConfig asked = model_.asked;
  auto engine = make_fitting_engine(*backend_, scene, asked);
  simulation_->return_to(there, nullptr, nullptr, std::move(engine));
  first_ = other.first_, next_id_ = other.next_id_;
  model_.names = other.model_.names;
  adopt(asked);
  show_bodies(other.model_.population);
  begin(simulation_->initial(), diagnosing_.cost);
  model_.diagnostics = other.model_.diagnostics;
  split_rows_after(model_.steps);
  row_stride_ = other.row_stride_, row_count_ = other.row_count_;
}

void Session::go_on_from_branch(const Session& other) {
  TRI_EXPECTS(!busy() && !other.busy() && !series_ && limits_ && other.timeline_ && other.timeline_->other());
  const Timeline::Branch& branch = *other.timeline_->other();
  const Timeline::Frame& first = branch.frames.front();
  TRI_EXPECTS(first.step() == branch.step && first.saved && first.population);
  const auto mark = Timeline::foreign(first.mark);
  Scene scene = model_.scene;
  scene.field = mark.parameters.field, scene.bodies = first.population->bodies;
  EngineConfig asked = first.asked;
  auto engine = make_fitting_engine(*backend_, scene, asked);
  simulation_->return_to(mark, first.saved.get(), nullptr, std::move(engine));
  first_ = other.first_, next_id_ = other.next_id_;
  model_.names = other.model_.names;
  adopt(asked);
  show_bodies(first.population);
  begin(simulation_->initial(), diagnosing_.cost);
  if (timeline_ && timeline_->continue_as(branch, *simulation_, asked)) {
    adopt(asked), show_bodies(timeline_->population());
  }
  show_clock();
  show_timeline();
  const auto &rows = other.model_.diagnostics, &later = other.model_.timeline.other_rows;
  model_.diagnostics.clear();
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(model_.diagnostics),
               [&](const DiagnosticsRow& r) { return r.step <= branch.step; });
  model_.diagnostics.insert(model_.diagnostics.end(), later.begin(), later.end());
  row_stride_ = other.row_stride_, row_count_ = other.row_count_;
  if (const u64 now = std::min(other.model_.steps, branch.last); timeline_ && now > branch.step) go_to(now, true);
}

/// At the step that was sought; what waited for it comes now.
void Session::arrive() {
  model_.timeline.seek.reset();
  due_ = watched_ = model_.pace_reached = 0, watched_at_ = model_.time;
  skip_samples_ = 1;
  apply(std::exchange(waiting_, {}));
}

/// From the present step on another run begins; what came after it becomes the other branch.
void Session::switch_branch() {
  const Place before{timeline_->run(), model_.steps};
  const bool first = !timeline_->other().has_value();
  timeline_->branch(++runs_, *simulation_, model_.asked);
  model_.timeline.other_rows = split_rows_after(model_.steps);
  remember(before, phrase("branch at step {}", grouped(model_.steps)));
  note(phrase("another run begins at step {}; that to step {} stays as the other branch{}.", grouped(model_.steps),
              grouped(timeline_->other()->last), first ? "" : ", in place of the earlier one"),
       false);
  show_timeline();
}

void Session::branch() {
  if (model_.broken) throw ConfigError("the state holds a value that is not finite. Step back first.");
  timeline().prepare_branch(*simulation_, model_.asked);
  switch_branch();
}

/// To the run on the other branch: the same step of it, or its last.
void Session::swap_branches() {
  Timeline& kept = timeline();
  if (!kept.other()) throw ConfigError("there is no other branch; Branch here makes one.");
  const Place before{kept.run(), model_.steps};
  const bool common = model_.steps < kept.other()->step;
  if (!common && !model_.broken && model_.steps == kept.last()) kept.add_keyframe(*simulation_, model_.asked);
  kept.swap_branches();
  try {
    go_to(std::min(model_.steps, kept.last()), common);
  } catch (...) {
    kept.swap_branches();
    throw;
  }
  swap_rows();
  remember(before, "to the other branch");
}

/// After the branches.
void Session::swap_rows() {
  auto& rows = model_.timeline.other_rows;
  std::vector<DiagnosticsRow> mine = split_rows_after(timeline().other()->step);
  model_.diagnostics.insert(model_.diagnostics.end(), rows.begin(), rows.end());
  rows = std::move(mine);
}

void Session::restore(const Place& before) {
  Timeline& kept = timeline();
  if (kept.run() != before.run) {
    if (!kept.other() || kept.other()->run != before.run) {
      throw ConfigError(phrase("the run that was at step {} is no longer kept.", grouped(before.step)));
    }
    swap_branches();  // which remembers the way back
  } else {
    const auto& seek = model_.timeline.seek;
    inverse_ = Place{kept.run(), seek ? seek->to : model_.steps};
  }
  go_to(before.step, true);
  arrived_ = {};
}

}  // namespace tri::app
