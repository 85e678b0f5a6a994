#pragma once
/// A backend and an engine that forward every call: tests derive from them and override what they watch or break.

#include <memory>
#include <string>
#include <utility>

#include "sim/backend/backend.hpp"
#include "sim/backend/engine.hpp"
#include "tests/support/backends.hpp"

namespace tri::test {

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
  ForceResult forces() override { return real_->forces(); }
  Bodies read() const override { return real_->read(); }
  std::unique_ptr<KeptState> keep(std::unique_ptr<KeptState> reuse) const override {
    return real_->keep(std::move(reuse));
  }
  void bring_back(const KeptState& kept) override { real_->bring_back(kept); }
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
