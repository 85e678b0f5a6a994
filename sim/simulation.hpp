#pragma once
/// A scene in motion: one engine on one backend, the count of steps, the time, and the watch over the energy.
/// Headless runs, the bench and the app all drive this class. One thread at a time, except for the stop flag.

#include <atomic>
#include <limits>
#include <memory>
#include <string>

#include "sim/backend/backend.hpp"
#include "sim/model/diagnostics_row.hpp"
#include "sim/scene/scene.hpp"
#include "sim/snapshot.hpp"

namespace tri {

class Simulation {
 public:
  /// Copies the bodies into an engine of the backend (the scene kept here has none) and takes the energy of step 0,
  /// which costs one evaluation of all pairs and triples. The backend must outlive the simulation. Throws ConfigError
  /// when dt is not finite and > 0, and what Backend::make_engine throws.
  Simulation(Scene scene, Backend& backend, const EngineConfig& config);

  /// Goes on from a snapshot: its step, time, and energy of step 0. `config` may compute in another way (map, block,
  /// threads, accumulation), but not in another precision (ConfigError).
  Simulation(Snapshot from, Backend& backend, const EngineConfig& config);

  const Scene& scene() const noexcept { return scene_; }  ///< `bodies` is empty: see bodies()
  Engine& engine() noexcept { return *engine_; }
  const Engine& engine() const noexcept { return *engine_; }
  std::size_t size() const { return engine_->size(); }

  u64 step_count() const noexcept { return steps_; }
  /// step_count() * dt, one rounding however long the run.
  double time() const noexcept { return static_cast<double>(steps_) * scene_.dt; }

  /// When *flag is true, the run ends after the steps in progress: one, or with an engine that takes several at once
  /// (Engine::steps_at_once()) those of some milliseconds. nullptr: never. Any thread and any signal handler
  /// may set the flag; it must outlive its use here.
  void set_stop_flag(const std::atomic<bool>* flag) noexcept { stop_ = flag; }
  bool stop_requested() const noexcept { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  /// From now on |energy_error| > limit is a NumericalError: looked at by every diagnostics(), and by advance() after
  /// each `every` steps (0 = by diagnostics() only). limit > 0; infinity takes the limit away.
  void set_energy_limit(double limit, u64 every = 0);

  /// One step. False when the stop flag was up, and then nothing was done.
  bool step() { return advance(1) == 1; }

  /// k steps, or fewer when the stop flag goes up; returns how many were done. NumericalError carries the absolute
  /// number of the step that failed, in its sentence and as step(); step_count() is then the last good step.
  u64 advance(u64 k);

  /// How many steps from now reach the time T: those to the multiple of dt that is nearest to T (a half rounds up).
  /// Every step has the length dt, the last one too, so the run ends within dt/2 of T; 0 when the run is there already.
  /// Throws ConfigError when T is not finite, lies before now by more than dt/2, or needs more than 2^53 steps.
  u64 steps_until(double end_time) const;
  /// advance(steps_until(T)).
  u64 run_until(double end_time) { return advance(steps_until(end_time)); }

  /// Of the present state; throws NumericalError when the energy limit is broken.
  DiagnosticsRow diagnostics();
  const DiagnosticsRow& initial() const noexcept { return initial_; }  ///< the row of step 0

  u64 state_hash() const { return engine_->state_hash(); }
  Bodies bodies() const { return engine_->read(); }  ///< a copy of the present state
  /// Writes the present state by the extension of the path (sim/io/format.hpp): a snapshot where that is HDF5, from
  /// which a run restarts exactly, the bodies alone elsewhere. Throws FileError.
  void save(const std::string& path, const RunRecord& run = {}) const;

 private:
  void start(Backend& backend, const EngineConfig& config);
  DiagnosticsRow measure();
  void check_energy(const DiagnosticsRow& row) const;

  Scene scene_;
  std::unique_ptr<Engine> engine_;
  DiagnosticsRow initial_;
  double energy_scale_ = 1;
  double energy_limit_ = std::numeric_limits<double>::infinity();
  u64 energy_every_ = 0;
  u64 steps_ = 0;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace tri
