// Turns of the map in use with bb: times of the same moment, of the domain alone, and a state that they do not touch.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/support/sample_stats.hpp"
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
