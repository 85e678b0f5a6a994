#pragma once
/// A backend whose bench cases take exactly the time that a test specifies, and that records its calls.

#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"

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
      return script_.ms;
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

}  // namespace tri::test
