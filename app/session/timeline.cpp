#include "app/session/timeline.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/clock.hpp"
#include "sim/base/contracts.hpp"
#include "sim/base/error.hpp"

namespace tri::app {
namespace {

constexpr std::size_t kFewest = 4;  // states: two ends and a branch of two

std::size_t count_states(const std::vector<Timeline::Frame>& frames) {
  return static_cast<std::size_t>(
      std::count_if(frames.begin(), frames.end(), [](const auto& f) { return f.state != nullptr; }));
}

/// What is left of `then` where sums are ordered: maps, blocks and threads change no bit, and those of `now` stay.
EngineConfig with_maps_of(const EngineConfig& then, const EngineConfig& now) {
  if (then.accumulate == Accumulate::fast) return then;
  EngineConfig config = now;
  config.accumulate = then.accumulate;
  config.arithmetic = then.arithmetic, config.tolerance = then.tolerance;
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
      last_time_(now.time()) {
  const double begin = clock_s();
  frames_.push_back({now.mark(), asked, now.engine().keep(), false, population_});
  kept_at_ = clock_s(), cost_ = kept_at_ - begin;
  most_ = std::max(kFewest, limits.states);
  bound(*frames_.front().state);
}

/// As many states of this size as the memory takes.
void Timeline::bound(const KeptState& state) {
  const u64 fitting = limits_.bytes / std::max<u64>(1, state.bytes());
  most_ = std::max<std::size_t>(kFewest, std::min<u64>(most_, fitting));
}

std::size_t Timeline::states() const { return count_states(frames_) + (other_ ? count_states(other_->frames) : 0); }

u64 Timeline::bytes() const {
  u64 sum = 0;
  for (const auto* frames : {&frames_, other_ ? &other_->frames : nullptr}) {
    if (frames == nullptr) continue;
    for (const Frame& f : *frames) sum += f.state ? f.state->bytes() : 0;
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
  while (!frames_[at - 1].state) --at;  // the first has one
  return frames_[at - 1];
}

/// Whether the last state is long enough ago.
bool Timeline::is_time(double now_seconds) const {
  return now_seconds - kept_at_ >= std::max(limits_.seconds, cost_ / limits_.share);
}

u64 Timeline::steps_to_stop(u64 step, u64 most, double now_seconds) const {
  if (replays(step)) {
    const std::size_t next = at_or_after(step + 1);
    const u64 stop = next < frames_.size() ? frames_[next].step() : last_;
    return std::min(most, stop - step);
  }
  if (!is_time(now_seconds)) return most;
  return std::min(most, newest_ + stride_ > step ? newest_ + stride_ - step : 1);
}

bool Timeline::go_to(const Frame& frame, Simulation& run, EngineConfig& asked) {
  const bool same = frame.mark.setting == run.mark().setting;
  EngineConfig config = with_maps_of(frame.asked, asked);
  if (frame.population != population_) {
    change_bodies(frame, run, config);
    asked = config;
    return true;
  }
  if (same && config == asked) {
    run.return_to(frame.mark, nullptr, frame.state.get());
    return false;
  }
  try {
    run.return_to(frame.mark, &config, frame.state.get());
  } catch (const ConfigError&) {  // a map of now that the laws of then do not have
    config = frame.asked;
    run.engine().configure(config);
    try {
      run.return_to(frame.mark, nullptr, frame.state.get());
    } catch (...) {
      run.engine().configure(asked);
      throw;
    }
  }
  asked = config;
  return true;
}

/// On an engine for the bodies of the frame, which has a state.
void Timeline::change_bodies(const Frame& frame, Simulation& run, EngineConfig& config) {
  TRI_EXPECTS(frame.state != nullptr && frame.population != nullptr && remake_);
  const Bodies& bodies = frame.population->bodies;
  const ForceField& field = frame.mark.parameters.field;
  std::unique_ptr<Engine> engine;
  try {
    engine = remake_(bodies, field, config);
  } catch (const ConfigError&) {  // a map of now that does not fit so many bodies
    config = frame.asked;
    engine = remake_(bodies, field, config);
  }
  run.return_to(frame.mark, std::move(engine), frame.state.get());
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
  if (step >= newest_ + stride_ && is_time(now_seconds)) keep(run, asked);
  return false;
}

void Timeline::reach(const Simulation& run) {
  if (run.step_count() <= last_) return;
  last_ = run.step_count(), last_time_ = run.time();
  ++version_;
}

std::unique_ptr<KeptState> Timeline::spare() {
  if (spare_.empty()) return nullptr;
  auto state = std::move(spare_.back());
  spare_.pop_back();
  return state;
}

/// In the order of the steps, in place of an earlier frame of this step.
void Timeline::insert(Frame frame) {
  const std::size_t at = at_or_after(frame.step());
  const bool there = at < frames_.size() && frames_[at].step() == frame.step();
  frame.population = population_;
  if (frame.state) newest_ = std::max(newest_, frame.step());
  ++version_;
  if (there) {
    frame.changed |= frames_[at].changed, frame.edited |= frames_[at].edited;
    if (frame.state) recycle(frames_[at]);
    frames_[at] = std::move(frame);
    return;
  }
  frames_.insert(frames_.begin() + static_cast<std::ptrdiff_t>(at), std::move(frame));
}

bool Timeline::keep(const Simulation& run, const EngineConfig& asked) {
  const u64 step = run.step_count();
  if (before(step).step() == step) return true;
  if (states() >= most_) thin();
  if (states() >= most_) return false;
  const double begin = clock_s();
  try {
    auto state = run.engine().keep(spare());
    bound(*state);
    insert({run.mark(), asked, std::move(state), false});
  } catch (const MemoryError&) {  // another program took it
    most_ = std::max(kFewest, states());
    return false;
  }
  kept_at_ = clock_s();
  cost_ = kept_at_ - begin;
  return true;
}

void Timeline::change(const Simulation& run, const EngineConfig& asked, bool moved) {
  const std::size_t at = at_or_after(run.step_count());
  std::unique_ptr<KeptState> state;
  if (at < frames_.size() && frames_[at].state) {
    state = std::move(frames_[at].state);
    if (moved) state = run.engine().keep(std::move(state));
  }
  insert({run.mark(), asked, std::move(state), true});
  if (frames_.size() > limits_.states + limits_.changes) forget_oldest();
}

/// Half of the frames, up to one with a state.
void Timeline::forget_oldest() {
  std::size_t first = frames_.size() / 2;
  while (first < frames_.size() && !frames_[first].state) ++first;
  if (first == frames_.size()) return;
  if (other_ && other_->step < frames_[first].step()) discard(other_->frames), other_.reset();
  std::vector<Frame> old(std::make_move_iterator(frames_.begin()),
                         std::make_move_iterator(frames_.begin() + static_cast<std::ptrdiff_t>(first)));
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(first));
  discard(old);
}

/// Keeps the memory of its state for another one of as many bodies.
void Timeline::recycle(Frame& frame) {
  if (frame.state && frame.population == population_) spare_.push_back(std::move(frame.state));
  frame.state.reset();
}

void Timeline::discard(std::vector<Frame>& frames) {
  for (Frame& f : frames) recycle(f);
  frames.clear();
}

/// Drops every second state, but neither the first nor one of an edit nor the end of the other branch.
void Timeline::thin() {
  for (auto* frames : {&frames_, other_ ? &other_->frames : nullptr}) {
    if (frames == nullptr) continue;
    const std::size_t all = frames == &frames_ ? ~std::size_t{0} : count_states(*frames);
    std::size_t k = 0;
    for (Frame& f : *frames) {
      if (!f.state) continue;
      if (k % 2 == 1 && k + 1 < all && !f.edited) recycle(f);
      ++k;
    }
    std::erase_if(*frames, [](const Frame& f) { return !f.state && !f.changed; });
  }
  const std::size_t left = count_states(frames_);
  stride_ = std::max(stride_ + 1, (newest_ - first()) / std::max<std::size_t>(1, left - 1));
  ++version_;
}

void Timeline::prepare_branch(const Simulation& run, const EngineConfig& asked) {
  if (states() + 2 > most_) thin();
  const u64 step = run.step_count();
  if (before(step).step() != step) insert({run.mark(), asked, run.engine().keep(spare()), false});
  if (spare_.empty()) spare_.push_back(run.engine().keep());
}

void Timeline::branch(u64 run, const Simulation& now, const EngineConfig& asked) {
  const u64 step = now.step_count();
  auto state = now.engine().keep(spare());
  leave(run, step, now.time());
  insert({now.mark(), asked, std::move(state), true});
}

/// The frames from this step on become the other branch.
void Timeline::leave(u64 run, u64 step, double time) {
  const auto from = frames_.begin() + static_cast<std::ptrdiff_t>(at_or_after(step));
  if (other_) discard(other_->frames);
  other_ =
      Branch{run_, step, last_, last_time_, {std::make_move_iterator(from), std::make_move_iterator(frames_.end())}};
  frames_.erase(from, frames_.end());
  run_ = run, last_ = newest_ = step, last_time_ = time;
}

void Timeline::edit(u64 run, const Simulation& now, const EngineConfig& asked, PopulationPtr population,
                    std::unique_ptr<KeptState> state) {
  population_ = std::move(population);
  spare_.clear();
  bound(*state);
  if (replays(now.step_count())) leave(run, now.step_count(), now.time());
  if (states() >= most_) thin();
  for (std::size_t before = 0; states() >= most_ && before != frames_.size();) {
    before = frames_.size();
    forget_oldest();
  }
  insert({now.mark(), asked, std::move(state), true, population_, true});
}

void Timeline::swap_branches() {
  TRI_EXPECTS(other_.has_value());
  const auto from = frames_.begin() + static_cast<std::ptrdiff_t>(at_or_after(other_->step));
  Branch mine{
      run_, other_->step, last_, last_time_, {std::make_move_iterator(from), std::make_move_iterator(frames_.end())}};
  frames_.erase(from, frames_.end());
  std::move(other_->frames.begin(), other_->frames.end(), std::back_inserter(frames_));
  run_ = other_->run, last_ = other_->last, last_time_ = other_->last_time;
  other_ = std::move(mine);
  newest_ = before(last_).step();
  ++version_;
}

}  // namespace tri::app
