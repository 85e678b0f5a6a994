#pragma once
/// A backend whose bench cases take exactly the time a test says, and which counts what is asked of it.

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/backend.hpp"

namespace tri::test {

struct FakeScript {
  double ms = 1;
  bool passes = true;
  std::string refusal;  ///< not empty: make_bench throws it
  u64 bytes = 0;
};

class FakeBackend final : public Backend {
 public:
  std::map<std::string, FakeScript> scripts;  ///< by map; others take 1 ms
  std::vector<std::string> order;             ///< maps in the order of run()
  u64 made = 0, checked = 0;
  std::function<void()> on_run;

  BackendInfo info() const override { return {"cpu", "a processor, and more", "2 threads"}; }
  std::unique_ptr<Engine> make_engine(const Bodies&, const ForceField&, const EngineConfig&) override {
    throw std::logic_error("not asked for");
  }
  DistanceResult distances(const PointSet&, DistanceLayout, const EngineConfig&) override { return {}; }
  CollisionResult collisions(const Bodies&, const EngineConfig&) override { return {}; }

  std::unique_ptr<BenchCase> make_bench(const BenchSpec& spec) override {
    const FakeScript script = scripts[spec.map];
    if (!script.refusal.empty()) throw ConfigError(script.refusal);
    ++made;
    return std::make_unique<Case>(*this, spec, script);
  }

 private:
  class Case final : public BenchCase {
   public:
    Case(FakeBackend& owner, BenchSpec spec, FakeScript script)
        : owner_(owner), spec_(std::move(spec)), script_(std::move(script)) {}
    double run() override {
      owner_.order.push_back(spec_.map);
      if (owner_.on_run) owner_.on_run();
      return script_.ms;
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

}  // namespace tri::test
