#pragma once
/// A backend for tests: one engine in plain float64 made of the oracle, which can inject a fault at a step. It lets
/// tests of the driver run without the fast backends.

#include <functional>
#include <limits>
#include <memory>

#include "sim/backend/backend.hpp"
#include "sim/base/state_hash.hpp"
#include "sim/reference/reference.hpp"
#include "sim/reference/reference_advance.hpp"

namespace tri::test {

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

  ForceResult forces() override {
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

}  // namespace tri::test
