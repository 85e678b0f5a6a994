#pragma once
/// Backends for tests: fakes, the oracle, one that forwards.
///
/// A backend whose bench cases take exactly the time that a test specifies, and that records its calls.

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/backend/engine.hpp"
#include "sim/base/numbers.hpp"
#include "sim/reference/reference.hpp"
#include "tests/support/backends.hpp"

namespace tri::test {

struct FakeScript {
  double ms = 1;
  bool passes = true;
  std::string refusal;  ///< if not empty, make_bench throws it
  u64 bytes = 0;
};

/// Writes its spans into the backend's log, among the runs.
class FakeMeter final : public DeviceMeter {
 public:
  FakeMeter(std::vector<std::string>& log, MeterReading reading) : log_(log), reading_(std::move(reading)) {}
  void begin() override { log_.emplace_back("begin"); }
  MeterReading end() override {
    log_.emplace_back("end");
    return reading_;
  }
  double min_energy_seconds() const override { return 0.75; }

 private:
  std::vector<std::string>& log_;
  MeterReading reading_;
};

class FakeBackend final : public Backend {
 public:
  std::map<std::string, FakeScript> scripts;  ///< by map; others take 1 ms
  std::vector<std::string> order;             ///< maps in the order of run(), with the meter's spans in between
  u64 made = 0, checked = 0;
  std::pair<std::string, u64> slowed;  ///< a map whose first runs, so many, take thrice as long
  std::function<void()> on_run;
  std::optional<MeterReading> reading;  ///< its meter's reading; none = no meter
  double energy_seconds = 0;            ///< the last argument of run_for()
  u64 memory = 0;                       ///< of the device; 0 = host memory
  u64 most_alive = 0;                   ///< the most cases that fit at once; 0 = no limit
  u64 alive = 0;

  std::optional<Floors> rates;  ///< its floors; none = they cannot be measured
  u32 floor_threads = 0;        ///< that the last floors() asked for

  BackendInfo about{"cpu", "a processor, and more", "2 threads"};

  BackendInfo info() const override { return about; }
  std::unique_ptr<Engine> make_engine(const Bodies&, const ForceField&, const EngineConfig&) override {
    throw std::logic_error("not asked for");
  }
  u64 memory_bytes() const override { return memory; }
  std::unique_ptr<DeviceMeter> make_meter(std::string& why_not) override {
    if (reading) return std::make_unique<FakeMeter>(order, *reading);
    why_not = "a fake has no meters";
    return nullptr;
  }
  Floors floors(u32 threads) override {
    floor_threads = threads;
    return rates ? *rates : Backend::floors(threads);
  }
  CollisionResult collisions(const Bodies&, const EngineConfig&, const Box&) override { return {}; }

  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    const FakeScript script = scripts[spec.map];
    if (!script.refusal.empty()) throw ConfigError(script.refusal);
    if (most_alive != 0 && alive >= most_alive) throw MemoryError("the card is full.");
    ++made;
    return std::make_unique<Case>(*this, spec, script);
  }

 private:
  class Case final : public BenchCase {
   public:
    Case(FakeBackend& owner, BenchSpec spec, FakeScript script)
        : owner_(owner), spec_(std::move(spec)), script_(std::move(script)) {
      ++owner_.alive;
    }
    ~Case() override { --owner_.alive; }
    double run() override {
      owner_.order.push_back(spec_.map);
      if (owner_.on_run) owner_.on_run();
      const bool slow = owner_.slowed.first == spec_.map && owner_.slowed.second > 0;
      if (slow) --owner_.slowed.second;
      return slow ? 3 * script_.ms : script_.ms;
    }
    u64 run_for(double seconds) override {
      owner_.energy_seconds = seconds;
      owner_.order.push_back(spec_.map + " long");
      return 20;
    }
    BenchCheck check() override {
      ++owner_.checked;
      return {script_.passes, 1e-7, "a reference"};
    }
    u64 work_items() const override { return 1000; }
    u64 bytes() const override { return script_.bytes; }
    u64 blocks_launched() const override { return 16; }
    u64 blocks_useful() const override { return 10; }
    u32 block() const override { return 256; }

   private:
    FakeBackend& owner_;
    BenchSpec spec_;
    FakeScript script_;
  };
};

// A backend for tests: one engine in plain float64 made of the oracle, which can inject a fault at a step. It lets
// tests of the driver run without the fast backends.

class OracleEngine : public Engine {
 public:
  OracleEngine(Bodies bodies, const ForceField& field, const EngineConfig& config, std::function<void(u64)> before_step,
               u64 at_once)
      : bodies_(std::move(bodies)),
        field_(field),
        config_(config),
        before_step_(std::move(before_step)),
        at_once_(at_once) {}

  u64 steps_at_once() const override { return at_once_; }

  std::size_t size() const override { return bodies_.size(); }
  const EngineConfig& config() const override { return config_; }
  void configure(const EngineConfig& config) override { config_ = config; }
  void set_field(const ForceField& field) override { field_ = field; }

  void advance(Integrator integrator, double dt, u64 steps) override {
    for (u64 s = 0; s < steps; ++s) {
      ++step_;
      if (before_step_) before_step_(step_);
      reference_advance(bodies_, field_, integrator, dt, 1);
    }
  }

  Diagnostics diagnose() override {
    Diagnostics d = one_body_diagnostics(bodies_, field_);
    const ReferenceForces forces = reference_forces(bodies_, field_);
    d.potential += forces.potential;
    d.virial = forces.virial;
    d.triple_potential = forces.triple_potential;
    return d;
  }

  ForceResult forces(bool) override {
    ReferenceForces f = reference_forces(bodies_, field_);
    ForceResult result;
    result.fx = std::move(f.fx), result.fy = std::move(f.fy), result.fz = std::move(f.fz);
    result.potential = f.potential;
    result.virial = f.virial;
    return result;
  }

  Bodies read() const override { return bodies_; }
  void publish(InstanceSink&) override {}

  u64 state_hash() const override {
    u64 hash = kFnvOffset;
    for (const auto* a : {&bodies_.x, &bodies_.y, &bodies_.z, &bodies_.vx, &bodies_.vy, &bodies_.vz}) {
      hash = fnv1a(hash, std::span<const double>(*a));
    }
    return hash;
  }

  Timing timing() const override { return {}; }

 private:
  Bodies bodies_;
  ForceField field_;
  EngineConfig config_;
  std::function<void(u64)> before_step_;
  u64 at_once_;
  u64 step_ = 0;
};

class OracleBackend : public Backend {
 public:
  /// Called in the engine before each step, with its number from 1; may throw.
  std::function<void(u64)> before_step;
  int engines_made = 0;
  u64 at_once = 1;  ///< the engines' preferred number of steps per call

  BackendInfo info() const override { return {"oracle", "tests", "float64"}; }
  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    check(bodies);
    check(field);
    ++engines_made;
    return std::make_unique<OracleEngine>(bodies, field, config, before_step, at_once);
  }
  CollisionResult collisions(const Bodies&, const EngineConfig&, const Box&) override {
    throw BackendError("the tests' backend finds no collisions");
  }
  std::unique_ptr<BenchCase> make_bench(const BenchSpec&) override {
    throw BackendError("the tests' backend is not timed");
  }
};

// A backend and an engine that forward every call: tests derive from them and override what they watch or break.

class ForwardingEngine : public Engine {
 public:
  explicit ForwardingEngine(std::unique_ptr<Engine> real) : real_(std::move(real)) {}
  std::size_t size() const override { return real_->size(); }
  const EngineConfig& config() const override { return real_->config(); }
  void configure(const EngineConfig& config) override { real_->configure(config); }
  void set_field(const ForceField& field) override { real_->set_field(field); }
  void advance(Integrator integrator, double dt, u64 steps) override { real_->advance(integrator, dt, steps); }
  StepTaken advance_auto(Integrator integrator, const AutoStep& step) override {
    return real_->advance_auto(integrator, step);
  }
  JerkResult jerks() override { return real_->jerks(); }
  Diagnostics diagnose() override { return real_->diagnose(); }
  ForceResult forces(bool energies) override { return real_->forces(energies); }
  Bodies read() const override { return real_->read(); }
  std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse) const override {
    return real_->save_state(std::move(reuse));
  }
  void restore_state(const SavedState& kept) override { real_->restore_state(kept); }
  void publish(InstanceSink& sink) override { real_->publish(sink); }
  u64 state_hash() const override { return real_->state_hash(); }
  Timing timing() const override { return real_->timing(); }
  RankShares shares(Domain domain) const override { return real_->shares(domain); }

 private:
  std::unique_ptr<Engine> real_;
};

/// A backend, that of the cpu unless another one is named; wrap() replaces its engines.
class ForwardingBackend : public Backend {
 public:
  explicit ForwardingBackend(const std::string& name = "cpu") : real_(make_named(name)) {}
  BackendInfo info() const override { return real_->info(); }
  std::unique_ptr<Engine> make_engine(const Bodies& bodies, const ForceField& field,
                                      const EngineConfig& config) override {
    return wrap(real_->make_engine(bodies, field, config), field);
  }
  std::unique_ptr<DistanceRows> distance_rows(const PointSet& points, DistanceLayout layout,
                                              const EngineConfig& config) override {
    return real_->distance_rows(points, layout, config);
  }
  CollisionResult collisions(const Bodies& bodies, const EngineConfig& config, const Box& box) override {
    return real_->collisions(bodies, config, box);
  }
  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override { return real_->make_bench(spec); }

 protected:
  virtual std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField& field) = 0;

 private:
  std::unique_ptr<Backend> real_;
};

}  // namespace tri::test
