#pragma once
/// Shared by the session tests: the cpu backend, taking steps to the end, and a hash of the published instances.

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/session/session.hpp"
#include "tests/support/fake_backends.hpp"

namespace tri::app {

inline std::unique_ptr<Backend> cpu() { return make_backend("cpu"); }

inline u64 hash_of(Session& s) {
  std::vector<Instance> instances(s.model().n);
  InstanceSink sink{InstanceSink::Place::host, instances};
  s.publish(sink);
  u64 h = 1469598103934665603ull;
  for (const Instance& i : instances) {
    for (const float v : {i.x, i.y, i.z, i.speed}) {
      u32 bits = 0;
      std::memcpy(&bits, &v, 4);
      h = (h ^ bits) * 1099511628211ull;
    }
  }
  return h;
}

/// The maps that fit; tests before may have added some.
inline u32 fitting(const std::vector<MapRow>& rows) {
  return static_cast<u32>(std::count_if(rows.begin(), rows.end(), [](const MapRow& row) { return row.fits(); }));
}

inline void steps(Session& s, u64 count) {
  s.apply(ask::Take{count});
  s.advance(1e9);
}

}  // namespace tri::app

// Shared by the tests of timelines: a session whose bodies can be read bit for bit.

namespace tri::app::test_timeline {

/// Every step that is due is kept, whatever it costs.
inline Timeline::Limits keep_all(std::size_t states = 256) { return {.states = states, .share = 1e300, .seconds = 0}; }

inline EngineOverrides computed(Accumulate sums, std::optional<Precision> precision = {}) {
  EngineOverrides given;
  given.accumulate = sums, given.precision = precision;
  return given;
}

/// A backend whose newest engine can be read.
class ReadableBackend final : public test::ForwardingBackend {
 public:
  ReadableBackend(const Engine** engine, const std::string& name) : ForwardingBackend(name), engine_(engine) {}

 private:
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    *engine_ = engine.get();
    return engine;
  }
  const Engine** engine_;
};

/// All that a step is.
struct State {
  u64 step = 0;
  double time = 0, last_step = 0;
  Bodies bodies;
};

inline void expect_equal(const State& now, const State& then) {
  EXPECT_EQ(now.step, then.step);
  EXPECT_EQ(now.time, then.time) << "at step " << then.step;
  EXPECT_EQ(now.last_step, then.last_step) << "at step " << then.step;
  const Bodies &a = now.bodies, &b = then.bodies;
  const bool same = test::same_bits(a.x, b.x) && test::same_bits(a.y, b.y) && test::same_bits(a.z, b.z) &&
                    test::same_bits(a.vx, b.vx) && test::same_bits(a.vy, b.vy) && test::same_bits(a.vz, b.vz) &&
                    test::same_bits(a.m, b.m) && test::same_bits(a.r, b.r) && test::same_bits(a.rest, b.rest);
  EXPECT_TRUE(same) << "bodies differ at step " << then.step;
}

struct Subject {
  explicit Subject(const std::string& scene, const EngineOverrides& given = {},
                   const Timeline::Limits& limits = keep_all(), const std::string& backend = "cpu")
      : session(std::make_unique<ReadableBackend>(&engine, backend), ask::Open{scene}, given) {
    session.keep_timeline(limits);
  }
  State state() const {
    const SessionModel& m = session.model();
    return {m.steps, m.time, m.last_step, engine->read()};
  }
  void step(u64 count = 1) { steps(session, count); }
  /// All steps to the one that is sought.
  void arrive() {
    while (session.model().timeline.seek) session.advance(1e9);
  }
  void go(const Request& request) {
    session.apply(request);
    arrive();
  }
  std::string last_notice() const {
    const auto& notices = session.model().notices;
    return notices.empty() ? std::string() : notices.back().text;
  }
  const SessionModel& model() const { return session.model(); }

  const Engine* engine = nullptr;
  Session session;
};

}  // namespace tri::app::test_timeline
