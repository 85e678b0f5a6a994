// Turns of the map in use with bb: times of the same moment, of the domain alone, and a state that they do not touch.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "app/support/sample_stats.hpp"
#include "sim/base/error.hpp"
#include "sim/laws/physics_params.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/forwarding_backend.hpp"

namespace tri::app {
namespace {

/// A machine that becomes slower with every call: each evaluation takes a tenth longer than the one before. All maps
/// are alike, but those of `slow_pairs` and `slow_triples` take three times as long.
class TiringBackend final : public test::ForwardingBackend {
 public:
  TriangleMapId slow_pairs = TriangleMapId::circulant;
  TetraMapId slow_triples = TetraMapId::tetra_lut;

 private:
  struct TiringEngine final : test::ForwardingEngine {
    TiringEngine(std::unique_ptr<Engine> real, const TiringBackend& owner, bool with_triples)
        : ForwardingEngine(std::move(real)), backend(owner), triples(with_triples) {}
    void advance(Integrator integrator, double dt, u64 steps) override {
      ForwardingEngine::advance(integrator, dt, steps);
      ms *= 1.1;
    }
    Timing timing() const override {
      const double of_pairs = config().pair_map == backend.slow_pairs ? 3 * ms : ms;
      const double of_triples = !triples ? 0 : config().triple_map == backend.slow_triples ? 300 * ms : 100 * ms;
      return {of_pairs + of_triples, 0, 0, of_triples};
    }
    const TiringBackend& backend;
    bool triples;
    double ms = 1;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField& field) override {
    return std::make_unique<TiringEngine>(std::move(engine), *this, field.triple != TripleLaw::none);
  }
};

/// Remembers the calls of its engine. Each step takes a millisecond, is said to take 1 ms, and 1000 after steps of no
/// length. Those are turns, and may fail.
class WatchedBackend final : public test::ForwardingBackend {
 public:
  struct Call {
    TriangleMapId map;
    double dt;
    u64 steps;
  };
  std::vector<Call>* calls = nullptr;
  bool fails = false, sleeps = false, timeless = false;

 private:
  struct WatchedEngine final : test::ForwardingEngine {
    WatchedEngine(std::unique_ptr<Engine> real, const WatchedBackend& owner)
        : ForwardingEngine(std::move(real)), backend(owner) {}
    void advance(Integrator integrator, double dt, u64 steps) override {
      if (backend.calls != nullptr) backend.calls->push_back({config().pair_map, dt, steps});
      if (dt == 0 && backend.fails) throw BackendError("the device is gone.");
      if (backend.sleeps) std::this_thread::sleep_for(std::chrono::milliseconds(steps));
      ForwardingEngine::advance(integrator, dt, steps);
      force_ms = backend.timeless ? 0 : after_turn && dt != 0 ? 1000 : 1;
      after_turn = dt == 0;
    }
    Timing timing() const override { return {force_ms, 0, 0, 0}; }
    const WatchedBackend& backend;
    bool after_turn = false;
    double force_ms = 1;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return std::make_unique<WatchedEngine>(std::move(engine), *this);
  }
};

/// Some frames of one step each, watched, by the map fold.
void run_frames(Session& s, int frames) {
  s.compare_with_bb();
  s.apply(Requests{ask::PairMap{TriangleMapId::fold}, ask::StepsPerFrame{1}, ask::Run{true}});
  for (int frame = 0; frame < frames; ++frame) s.advance(1e9);
}

const MapRow& row(const Session& s, TriangleMapId map) { return s.model().pair_maps[static_cast<u32>(map)]; }
const MapRow& row(const Session& s, TetraMapId map) { return s.model().triple_maps[static_cast<u32>(map)]; }

Improvement over_bb(const MapRow& map) { return improvement(map.turns.baseline.values(), map.turns.own.values()); }

TEST(SessionTurns, AMachineThatTiresMakesNoDifference) {
  Session s(std::make_unique<TiringBackend>(), {"plummer:n=40"}, {});
  s.apply(ask::Compare{true});
  for (u32 frame = 0; frame < 8 * kTriangleMapCount; ++frame) s.advance(1e9);
  const double medians = row(s, TriangleMapId::bb).force.median() / row(s, TriangleMapId::fold).force.median();
  EXPECT_GT(std::abs(medians - 1), 0.5) << "their samples are of different times";
  for (const TriangleMapId map : {TriangleMapId::lambda, TriangleMapId::fold, TriangleMapId::utm_block}) {
    ASSERT_EQ(row(s, map).turns.own.values().size(), 8u);
    ASSERT_EQ(row(s, map).turns.baseline.values().size(), 8u);
    EXPECT_TRUE(over_bb(row(s, map)).decided());
    EXPECT_FALSE(over_bb(row(s, map)).differs()) << row(s, map).name;
  }
  const Improvement slow = over_bb(row(s, TriangleMapId::circulant));
  EXPECT_TRUE(slow.differs());
  EXPECT_NEAR(slow.ratio, 1.0 / 3, 0.05);
  EXPECT_TRUE(row(s, TriangleMapId::bb).turns.own.empty()) << "nobody takes turns with himself";
}

TEST(SessionTurns, PairsAndTriplesHaveTheirOwnTimes) {
  Session s(std::make_unique<TiringBackend>(), {"argon-droplet:n=20"}, {});
  s.apply(Requests{ask::PairMap{TriangleMapId::circulant}, ask::TripleMap{TetraMapId::tetra_stream}});
  s.apply(ask::Compare{true});  // of the triples
  for (u32 frame = 0; frame < 8 * kTetraMapCount; ++frame) s.advance(1e9);
  const MapRow &pairs = row(s, TriangleMapId::circulant), &triples = row(s, TetraMapId::tetra_lut);
  EXPECT_NEAR(over_bb(pairs).ratio, 1.0 / 3, 0.05);
  EXPECT_NEAR(over_bb(triples).ratio, 1.0 / 3, 0.05) << "of the sum of both it would be 0.33 by chance: see the next";
  EXPECT_FALSE(over_bb(row(s, TetraMapId::tetra)).differs()) << "the slow map of pairs is none of its business";
  const double ratio = pairs.force.last() / row(s, TetraMapId::tetra).force.last();
  EXPECT_LT(ratio, 0.3) << "three units against a hundred, whatever the machine is like";
}

TEST(SessionTurns, TheyLeaveTheBodiesAsTheyAre) {
  for (const char* scene : {"plummer:n=200", "falling-pile:n=60", "argon-droplet:n=40"}) {
    Session watched(cpu(), {scene}, {}), plain(cpu(), {scene}, {});
    watched.compare_with_bb();
    for (Session* s : {&watched, &plain}) s->apply(Requests{ask::StepsPerFrame{2}, ask::Run{true}});
    const auto turns = [&] {
      std::size_t count = 0;
      for (const auto* rows : {&watched.model().pair_maps, &watched.model().triple_maps}) {
        for (const MapRow& map : *rows) count += map.turns.own.values().size();
      }
      return count;
    };
    for (int frame = 0; frame < 100000 && turns() < 8; ++frame) watched.advance(1e9), plain.advance(1e9);
    EXPECT_GE(turns(), 8u) << scene;
    EXPECT_EQ(watched.model().steps, plain.model().steps);
    EXPECT_EQ(hash_of(watched), hash_of(plain)) << scene;
    EXPECT_EQ(watched.model().time, plain.model().time);
  }
}

TEST(SessionTurns, EachIsTwoEvaluationsByBothAndTheMapInUseStays) {
  std::vector<WatchedBackend::Call> calls;
  auto backend = std::make_unique<WatchedBackend>();
  backend->calls = &calls, backend->sleeps = true;
  Session s(std::move(backend), {"plummer:n=40"}, {});
  run_frames(s, 300);
  std::vector<TriangleMapId> first;  // of each turn
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (calls[k].dt != 0) {
      EXPECT_EQ(calls[k].map, TriangleMapId::fold) << "call " << k;
      continue;
    }
    ASSERT_LT(k + 1, calls.size());
    const auto& [map, dt, steps] = calls[k + 1];
    EXPECT_EQ(dt, 0);
    EXPECT_EQ(steps, 2u) << "the first evaluation after a change is not timed";
    EXPECT_EQ(calls[k].steps, 2u);
    EXPECT_EQ(map, calls[k].map == TriangleMapId::bb ? TriangleMapId::fold : TriangleMapId::bb);
    first.push_back(calls[k++].map);
  }
  ASSERT_GE(first.size(), 2u);
  for (std::size_t k = 1; k < first.size(); ++k) EXPECT_NE(first[k], first[k - 1]) << "they take turns at being first";
  EXPECT_EQ(row(s, TriangleMapId::fold).turns.own.values().size(), first.size());
  // A turn costs four steps, so there is one in eighty or fewer.
  EXPECT_LE(first.size(), 300u / 60) << "more than a twentieth of the time";
  for (const double ms : row(s, TriangleMapId::fold).force.values()) EXPECT_EQ(ms, 1) << "of the step after a turn";
}

TEST(SessionTurns, ADeviceThatFailsInOneLeavesNoTimes) {
  for (const bool fails : {true, false}) {
    auto backend = std::make_unique<WatchedBackend>();
    backend->sleeps = true, backend->fails = fails, backend->timeless = !fails;
    std::vector<WatchedBackend::Call> calls;
    backend->calls = &calls;
    Session s(std::move(backend), {"plummer:n=40"}, {});
    run_frames(s, 100);
    EXPECT_TRUE(std::any_of(calls.begin(), calls.end(), [](const auto& call) { return call.dt == 0; }));
    for (const MapRow& map : s.model().pair_maps) EXPECT_TRUE(map.turns.own.empty()) << map.name;
    EXPECT_EQ(s.model().steps, 100u);
    EXPECT_TRUE(s.model().running);
  }
}

TEST(SessionTurns, OtherWorkForgetsThem) {
  auto backend = std::make_unique<WatchedBackend>();
  backend->sleeps = true;
  Session s(std::move(backend), {"plummer:n=40"}, {});
  run_frames(s, 100);
  const Turns& turns = row(s, TriangleMapId::fold).turns;
  ASSERT_FALSE(turns.own.empty());
  s.apply(ask::PairMap{TriangleMapId::lambda});
  EXPECT_FALSE(turns.own.empty()) << "the same work by another map";
  s.apply(ask::Blocks{16, 0});
  EXPECT_TRUE(row(s, TriangleMapId::fold).turns.own.empty());
  EXPECT_TRUE(row(s, TriangleMapId::fold).turns.baseline.empty());
}

TEST(SessionTurns, ThereAreNoneWithImpulsesOrWhenNobodyWatches) {
  Session impulses(cpu(), {"gas:n=60"}, {}), alone(cpu(), {"plummer:n=40"}, {});
  impulses.compare_with_bb();
  for (Session* s : {&impulses, &alone}) {
    s->apply(Requests{ask::StepsPerFrame{50}, ask::Run{true}});
    for (int frame = 0; frame < 200; ++frame) s->advance(1e9);
    for (const MapRow& map : s->model().pair_maps) EXPECT_TRUE(map.turns.own.empty());
  }
}

}  // namespace
}  // namespace tri::app
