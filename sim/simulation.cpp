#include "sim/simulation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/contracts.hpp"
#include "sim/io/format.hpp"

namespace tri {

namespace {

/// What the energy's error is measured in. E0 is the difference of K0 and |U0|; where they cancel to rounding, it says
/// nothing about the size of either.
double energy_scale(const Diagnostics& d) {
  constexpr double kRounding = 1e-9;
  const double parts = std::abs(d.kinetic) + std::abs(d.potential);
  const double energy = std::abs(d.energy());
  if (energy > kRounding * parts) return energy;
  return parts > 0 ? parts : 1.0;
}

}  // namespace

Simulation::Simulation(Scene scene, Backend& backend, const EngineConfig& config) : scene_(std::move(scene)) {
  start(backend, config);
  initial_ = measure();
  energy_scale_ = energy_scale(initial_.values);
  initial_.energy_error = 0;
}

Simulation::Simulation(Snapshot from, Backend& backend, const EngineConfig& config)
    : scene_(std::move(from.scene)),
      initial_(from.initial),
      energy_scale_(energy_scale(from.initial.values)),
      steps_(from.step) {
  if (config.precision != from.engine.precision) {
    throw ConfigError(fmt::format("the snapshot's run computes in {}, and going on in {} would not be the same run.",
                                  to_string(from.engine.precision), to_string(config.precision)));
  }
  start(backend, config);
}

void Simulation::start(Backend& backend, const EngineConfig& config) {
  if (!(std::isfinite(scene_.dt) && scene_.dt > 0)) {
    throw ConfigError(fmt::format("the time step is {}, but it must be finite and more than 0.", scene_.dt));
  }
  engine_ = backend.make_engine(scene_.bodies, scene_.field, config);
  scene_.bodies = {};
}

void Simulation::set_energy_limit(double limit, u64 every) {
  if (!(limit > 0)) throw ConfigError(fmt::format("the energy limit is {}, but it must be more than 0.", limit));
  energy_limit_ = limit;
  energy_every_ = every;
}

u64 Simulation::advance(u64 k) {
  const bool watched = energy_every_ > 0 && std::isfinite(energy_limit_);
  for (u64 done = 0; done < k;) {
    if (stop_requested()) return done;
    u64 now = std::min(k - done, engine_->steps_at_once());
    if (watched) now = std::min(now, energy_every_ - steps_ % energy_every_);
    try {
      engine_->advance(scene_.integrator, scene_.dt, now);
    } catch (const NumericalError& error) {
      // The engine counts steps within a call.
      const u64 failed = steps_ + std::max<u64>(1, error.step());
      steps_ = failed - 1;
      throw NumericalError(
          fmt::format("step {} (t = {:.9g}): {}", failed, static_cast<double>(failed) * scene_.dt, error.what()),
          failed);
    }
    done += now, steps_ += now;
    if (watched && steps_ % energy_every_ == 0) check_energy(measure());
  }
  return k;
}

u64 Simulation::steps_until(double end_time) const {
  if (!std::isfinite(end_time)) throw ConfigError(fmt::format("cannot run until t = {}: it must be finite.", end_time));
  const double target = std::floor(end_time / scene_.dt + 0.5);
  if (target < static_cast<double>(steps_)) {
    throw ConfigError(fmt::format("cannot run until t = {:.9g}: the time is {:.9g} already.", end_time, time()));
  }
  if (target > 0x1p53) {
    throw ConfigError(fmt::format("cannot run until t = {:.9g} in steps of {:.9g}: more than 2^53 steps; raise dt.",
                                  end_time, scene_.dt));
  }
  return static_cast<u64>(target) - steps_;
}

DiagnosticsRow Simulation::measure() {
  DiagnosticsRow row;
  row.step = steps_;
  row.time = time();
  row.values = engine_->diagnose();
  row.energy_error = (row.values.energy() - initial_.values.energy()) / energy_scale_;
  return row;
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
  DiagnosticsRow row = measure();
  check_energy(row);
  return row;
}

void Simulation::save(const std::string& path, const RunRecord& run) const {
  if (!is_snapshot_name(path)) return write_bodies(path, engine_->read(), time());
  Snapshot snapshot{scene_, engine_->config(), steps_, initial_, run};
  snapshot.scene.bodies = engine_->read();
  write_snapshot(path, snapshot);
}

}  // namespace tri
