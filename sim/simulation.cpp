#include "sim/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/laws/law_table.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri {

namespace {

/// What the energy's error is measured in. E0 is the difference of K0 and |U0|; where they cancel to rounding, it says
/// nothing about the size of either.
double energy_scale(const Diagnostics& d) {
  constexpr double kCancelled = 1e-9;
  const double parts = std::abs(d.kinetic) + std::abs(d.potential);
  const double energy = std::abs(d.energy());
  if (energy > kCancelled * parts) return energy;
  return parts > 0 ? parts : 1.0;
}

/// Whether a state has the same energy in both.
bool same_energies(const ForceField& a, const ForceField& b) {
  if (a.pair != b.pair || a.triple != b.triple || pair_law_words(a) != pair_law_words(b)) return false;
  if (triple_law_words(a) != triple_law_words(b) || a.field != b.field || a.box.boundary != b.box.boundary)
    return false;
  if (a.box.low != b.box.low || a.box.high != b.box.high) return false;
  for (const LawInfo& law : all_laws()) {
    if (!law.acts(a)) continue;
    for (const LawParameter& p : law.parameters) {
      if (p.real != nullptr ? p.value(a) != p.value(b) : p.is_set(a) != p.is_set(b)) return false;
    }
  }
  return true;
}

void check_time_step(double dt) {
  if (std::isfinite(dt) && dt > 0) return;
  throw ConfigError(fmt::format("the time step is {}, but it must be finite and more than 0.", dt));
}

void check_scheme(const ForceField& field, Integrator integrator, double eta, const EngineConfig& config) {
  if (!std::isfinite(eta) || eta < 0) {
    throw ConfigError(fmt::format("eta is {}, but it must be finite and more than 0.", eta));
  }
  const std::string refusal = scheme_refusal(field, integrator, eta, config.precision);
  if (!refusal.empty()) throw ConfigError(refusal);
}

std::unique_ptr<Engine> make_engine(const Scene& scene, Backend& backend, const EngineConfig& config) {
  check_time_step(scene.dt);
  check_scheme(scene.field, scene.integrator, scene.eta, config);
  return backend.make_engine(scene.bodies, scene.field, config);
}

/// The scene of a snapshot whose run may continue with this configuration.
const Scene& continued(const Snapshot& from, const EngineConfig& config) {
  if (config.precision == from.engine.precision) return from.scene;
  throw ConfigError(fmt::format("the snapshot's run computes in {}, and going on in {} would not be the same run.",
                                to_string(from.engine.precision), to_string(config.precision)));
}

}  // namespace

// The casts only bind: the engine reads the bodies before the delegate takes the scene.
Simulation::Simulation(Scene scene, Backend& backend, const EngineConfig& config)
    : Simulation(static_cast<Scene&&>(scene), make_engine(scene, backend, config)) {}

Simulation::Simulation(Scene&& scene, std::unique_ptr<Engine> engine)
    : scene_(std::move(scene)), engine_(std::move(engine)) {
  check_time_step(scene_.dt);
  check_scheme(scene_.field, scene_.integrator, scene_.eta, engine_->config());
  scene_.bodies = {};
  set_initial(engine_->diagnose());
}

Simulation::Simulation(Snapshot from, Backend& backend, const EngineConfig& config)
    : Simulation(static_cast<Scene&&>(from.scene), Clock{from.step, from.time, from.next_step}, from.initial,
                 make_engine(continued(from, config), backend, config)) {}

Simulation::Simulation(Scene&& scene, const Clock& clock, const DiagnosticsRow& initial, std::unique_ptr<Engine> engine)
    : scene_(std::move(scene)),
      engine_(std::move(engine)),
      initial_(initial),
      energy_scale_(energy_scale(initial.values)),
      steps_(clock.step),
      first_step_(clock.step),
      first_time_(clock.time),
      next_step_(clock.next_step),
      resumed_(true) {
  check_time_step(scene_.dt);
  check_scheme(scene_.field, scene_.integrator, scene_.eta, engine_->config());
  if (automatic()) clock_step_ = clock.step, clock_time_ = clock.time;
  scene_.bodies = {};
}

double Simulation::time_at(u64 step) const noexcept {
  const double since = static_cast<double>(step - clock_step_) * scene_.dt;
  return clock_time_ + (backwards_ ? -since : since);
}

double Simulation::first_time() const noexcept {
  return automatic() ? first_time_ : static_cast<double>(first_step_) * scene_.dt;
}

void Simulation::change(const RunParameters& to, const EngineConfig& config) {
  check_time_step(to.dt);
  check_scheme(to.field, to.integrator, to.eta, config);
  engine_->set_field(to.field);
  try {
    engine_->configure(config);
  } catch (...) {
    engine_->set_field(scene_.field);
    throw;
  }
  if (to.dt != scene_.dt || to.eta != scene_.eta || to.backwards != backwards_)
    clock_time_ = time(), clock_step_ = steps_;
  const bool on_the_way = resumed_ || steps_ > 0;
  stale_ |= !on_the_way || !same_energies(to.field, scene_.field);
  modified_ |= on_the_way;
  scene_.field = to.field, scene_.dt = to.dt, scene_.integrator = to.integrator, scene_.eta = to.eta;
  next_step_ = 0;
  backwards_ = to.backwards;
  setting_ = ++settings_;
}

bool Simulation::begin() {
  if (!stale_) return false;
  set_initial(engine_->diagnose());
  if (!resumed_ && steps_ == 0) modified_ = backwards_;  // a snapshot holds no direction
  stale_ = false;
  return true;
}

DiagnosticsRow Simulation::reset(std::unique_ptr<Engine> engine) {
  const Diagnostics values = engine->diagnose();
  engine_ = std::move(engine);
  steps_ = clock_step_ = first_step_;
  clock_time_ = first_time();
  next_step_ = 0, lengths_ = {};
  if (!resumed_) modified_ = backwards_;
  if (!resumed_ || modified_) set_initial(values);
  stale_ = false;
  return row_of(values);
}

Simulation::Mark Simulation::mark() const {
  return {parameters(), setting_, initial_,   energy_scale_, clock_time_, steps_,
          clock_step_,  time(),   next_step_, lengths_,      modified_,   stale_};
}

void Simulation::return_to(const Mark& mark, const SavedState* state, const EngineConfig* config,
                           std::unique_ptr<Engine> engine) {
  const RunParameters& to = mark.parameters;
  const bool other = engine == nullptr && mark.setting != setting_;
  if (other) engine_->set_field(to.field);
  try {
    if (config != nullptr) engine_->configure(*config);
  } catch (...) {
    if (other) engine_->set_field(scene_.field);
    throw;
  }
  if (engine != nullptr) {
    if (state != nullptr) engine->restore_state(*std::exchange(state, nullptr));
    engine_ = std::move(engine);
  }
  scene_.field = to.field, scene_.dt = to.dt, scene_.integrator = to.integrator, scene_.eta = to.eta;
  backwards_ = to.backwards, setting_ = mark.setting;
  if (state != nullptr) engine_->restore_state(*state);
  initial_ = mark.initial, energy_scale_ = mark.energy_scale;
  steps_ = mark.steps, clock_step_ = mark.clock_step, clock_time_ = mark.clock_time;
  next_step_ = mark.next_step, lengths_ = mark.lengths;
  modified_ = mark.modified, stale_ = mark.stale;
}

void Simulation::adopt_bodies(std::unique_ptr<Engine> engine) {
  engine_ = std::move(engine);
  next_step_ = 0;
  stale_ = true;
  modified_ |= resumed_ || steps_ > 0;
}

bool Simulation::return_borrowed(bool discard) {
  if (!engine_->return_borrowed(discard)) return false;
  next_step_ = 0;
  stale_ = true;
  modified_ |= resumed_ || steps_ > 0;
  return true;
}

void Simulation::replace_engine(std::unique_ptr<Engine> engine, u64 step, double time) {
  engine_ = std::move(engine);
  steps_ = step;
  if (step < clock_step_) clock_step_ = step, clock_time_ = time;
}

void Simulation::set_energy_limit(double limit, u64 every) {
  if (!(limit > 0)) throw ConfigError(fmt::format("the energy limit is {}, but it must be more than 0.", limit));
  energy_limit_ = limit;
  energy_every_ = every;
}

/// One step; the engine's clock knows no length that the run's clock would not show.
void Simulation::advance_automatically(double until) {
  const double now = time();
  AutoStep step{.eta = scene_.eta,
                .next = next_step_,
                .most = backwards_ ? now - until : until - now,
                .backwards = backwards_,
                .longest = longest_step(initial_.values, scene_.field.gravity.G),
                .idle = scene_.dt};
  if (backwards_ && std::isinf(until)) step.most = std::numeric_limits<double>::infinity();
  const StepTaken taken = engine_->advance_auto(scene_.integrator, step);
  const double then = taken.length == step.most ? until : now + (backwards_ ? -taken.length : taken.length);
  if (then == now)
    throw NumericalError(fmt::format("the time step is down to {:.3g}, which the clock cannot show: two bodies "
                                     "all but coincide. Use a softening.",
                                     taken.length),
                         1);
  clock_step_ = steps_ + 1, clock_time_ = then;
  next_step_ = taken.next;
  lengths_.last = taken.length;
  lengths_.shortest = lengths_.longest > 0 ? std::min(lengths_.shortest, taken.length) : taken.length;
  lengths_.longest = std::max(lengths_.longest, taken.length);
}

u64 Simulation::advance(u64 k, double until) {
  begin();
  const bool watched = energy_every_ > 0 && std::isfinite(energy_limit_);
  for (u64 done = 0; done < k;) {
    if (stop_requested() || (automatic() && time() == until)) return done;
    u64 now = automatic() ? 1 : std::min(k - done, engine_->steps_at_once());
    if (watched) now = std::min(now, energy_every_ - steps_ % energy_every_);
    try {
      if (automatic()) {
        advance_automatically(until);
      } else {
        engine_->advance(scene_.integrator, backwards_ ? -scene_.dt : scene_.dt, now);
      }
    } catch (const NumericalError& error) {
      // The engine counts steps within a call.
      const u64 failed = steps_ + std::max<u64>(1, error.step());
      const double at = automatic() ? time() : time_at(failed);
      steps_ = failed - 1;
      throw NumericalError(fmt::format("step {} (t = {:.9g}): {}", failed, at, error.what()), failed);
    }
    done += now, steps_ += now;
    if (watched && steps_ % energy_every_ == 0) check_energy(row_of(engine_->diagnose()));
  }
  return k;
}

u64 Simulation::run_until(double end_time) {
  if (!automatic()) return advance(steps_until(end_time));
  require_time_ahead(end_time, end_time < time());
  return advance(std::numeric_limits<u64>::max(), end_time);
}

void Simulation::require_time_ahead(double end_time, bool behind) const {
  if (!std::isfinite(end_time)) throw ConfigError(fmt::format("cannot run until t = {}: it must be finite.", end_time));
  if (behind) {
    throw ConfigError(fmt::format("cannot run until t = {:.9g}: the time is {:.9g} already.", end_time, time()));
  }
}

u64 Simulation::steps_until(double end_time) const {
  const double target = std::floor(end_time / scene_.dt + 0.5);
  require_time_ahead(end_time, target < static_cast<double>(steps_));
  if (target > 0x1p53) {
    throw ConfigError(fmt::format("cannot run until t = {:.9g} in steps of {:.9g}: more than 2^53 steps; raise dt.",
                                  end_time, scene_.dt));
  }
  return static_cast<u64>(target) - steps_;
}

/// Of step 0, or of the step from which a modified run is reset.
void Simulation::set_initial(const Diagnostics& values) {
  initial_ = {steps_, time(), values, 0};
  energy_scale_ = energy_scale(values);
}

DiagnosticsRow Simulation::row_of(const Diagnostics& values) const {
  return {steps_, time(), values, (values.energy() - initial_.values.energy()) / energy_scale_, lengths_.last};
}

void Simulation::check_energy(const DiagnosticsRow& row) const {
  // Written so that NaN is over the limit.
  if (std::isinf(energy_limit_) || std::abs(row.energy_error) <= energy_limit_) return;
  throw NumericalError(
      fmt::format("step {} (t = {:.9g}): the energy went from {:.9g} to {:.9g}, a relative error of {:.3g} beyond the "
                  "limit {:.3g}; use a smaller dt, a larger softening, or --precision fp64.",
                  row.step, row.time, initial_.values.energy(), row.values.energy(), row.energy_error, energy_limit_));
}

DiagnosticsRow Simulation::diagnostics() {
  begin();
  DiagnosticsRow row = row_of(engine_->diagnose());
  check_energy(row);
  return row;
}

void Simulation::save(const std::string& path, const RunRecord& run) {
  begin();
  Bodies bodies = engine_->read();
  check(bodies);
  if (!is_snapshot_name(path)) return write_bodies(path, bodies, state_of(scene_, time()));
  Snapshot snapshot{scene_, engine_->config(), steps_, time(), next_step_, initial_, run};
  snapshot.scene.bodies = std::move(bodies);
  if (run.edits > 0) {
    snapshot.scene.title += fmt::format(", {} edit{} by hand", run.edits, run.edits == 1 ? "" : "s");
  }
  if (modified_) snapshot.step = 0, snapshot.time = 0, snapshot.initial = {0, 0, engine_->diagnose(), 0};
  write_snapshot(path, snapshot);
}

}  // namespace tri
