// A session on several ranks: all that it does alone, with the same bits.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/session/session.hpp"
#include "app/views/map_trace.hpp"
#include "sim/backend_ranks.hpp"
#include "tests/app/session/session_support.hpp"

namespace tri::app {
namespace {

std::unique_ptr<Backend> ranks_of(u32 size) { return make_local_cluster(size, "cpu", make_rank_backend); }

EngineOverrides ordered() {
  EngineOverrides overrides;
  overrides.accumulate = Accumulate::ordered;
  return overrides;
}

/// What a user does to a run; after each step the bits are noted.
std::vector<u64> hashes_of(std::unique_ptr<Backend> backend) {
  Session s(std::move(backend), {"plummer:n=150"}, ordered());
  s.keep_timeline({.bytes = u64{1} << 22});
  std::vector<u64> hashes;
  const auto note = [&] { hashes.push_back(hash_of(s)); };
  const auto sought = [&] {
    while (s.asked_for_steps()) s.advance(1e9);
    note();
  };
  steps(s, 7), note();
  s.apply(ask::PairMap{TriangleMapId::bb}), steps(s, 3), note();
  s.apply(ask::Undo{}), steps(s, 2), note();
  s.apply(ask::Scheme{Integrator::yoshida4}), steps(s, 2), note();
  ForceField field = s.model().scene.field;
  field.gravity.softening = 0.2;
  s.apply(ask::Field{field}), steps(s, 3), note();
  s.apply(ask::GoTo{5}), sought();
  s.apply(ask::Branch{}), steps(s, 4), note();
  s.apply(ask::OtherBranch{}), sought();
  s.apply(ask::StepBack{2}), sought();
  s.apply(ask::DeleteBodies{{3, 5}}), steps(s, 2), note();
  s.apply(ask::Undo{}), sought();
  s.apply(ask::Reset{}), note();
  s.apply(ask::Undo{}), note();
  s.apply(ask::Open{"argon-droplet:n=40"}), steps(s, 3), note();
  s.apply(ask::TripleMap{TetraMapId::bb}), steps(s, 2), note();
  s.apply(ask::Open{"falling-pile:n=60"}), steps(s, 5), note();
  s.apply(ask::Open{"plummer:n=40,integrator=hermite"}), steps(s, 3), note();
  for (const Notice& notice : s.model().notices) EXPECT_FALSE(notice.error) << notice.text;
  return hashes;
}

TEST(SessionOfRanks, DoesAllThatOneDoesWithTheSameBits) {
  const std::vector<u64> alone = hashes_of(cpu());
  EXPECT_EQ(hashes_of(ranks_of(2)), alone);
  EXPECT_EQ(hashes_of(ranks_of(3)), alone);
}

TEST(SessionOfRanks, ShowsWhoComputesWhat) {
  Session s(ranks_of(3), {"plummer:n=900"}, {});
  const SessionModel& m = s.model();
  EXPECT_EQ(m.backend.rank_names.size(), 3U);
  EXPECT_EQ(m.shares(Domain::triangle).ranks, 3U);
  EXPECT_FALSE(m.shares(Domain::tetrahedron).several()) << "there are no triples";
  EXPECT_FALSE(m.shares(Domain::gasket).several());
  EXPECT_TRUE(m.rank_ms.empty()) << "nothing was measured";
  steps(s, 3);
  ASSERT_EQ(m.rank_ms.size(), 3U);
  for (const Samples& each : m.rank_ms) EXPECT_GT(each.median(), 0);
  ASSERT_EQ(m.rank_parts.size(), 3U);
  const MapTrace trace = trace_map(TriangleMapId::lambda, 12);
  std::vector<u32> tiles(3, 0);
  for (const u32 rank : owners(trace, m.pair_shares)) ++tiles.at(rank);
  EXPECT_EQ(tiles[0] + tiles[1] + tiles[2], trace.cells.size());
  s.apply(ask::PairMap{TriangleMapId::fold});
  EXPECT_TRUE(m.rank_ms.empty()) << "those of another map";
  s.apply(ask::Open{"argon-droplet:n=40"});
  EXPECT_EQ(m.main_shares(), m.triple_shares);
  EXPECT_EQ(m.shares(Domain::tetrahedron).ranks, 3U);
  s.apply(ask::Open{"sphere-box:n=2500"});
  s.apply(ask::Contacts{BroadPhase::grid});
  EXPECT_EQ(m.engine.broad_phase, BroadPhase::grid);
  EXPECT_FALSE(m.shares(Domain::triangle).several()) << "no map is gone along";
  EXPECT_TRUE(m.main_shares().several());
  Session alone(cpu(), {"plummer:n=100"}, {});
  steps(alone, 2);
  EXPECT_TRUE(alone.model().rank_ms.empty());
  EXPECT_FALSE(alone.model().shares(Domain::triangle).several());
}

// The states that were kept on the ranks go before them.
TEST(SessionOfRanks, GoesOnAloneWhereADeviceIsLost) {
  Session s(ranks_of(2), {"plummer:n=64"}, ordered()), whole(cpu(), {"plummer:n=64"}, ordered());
  s.keep_timeline({.bytes = u64{1} << 22});
  steps(s, 3);
  s.apply(ask::Reset{});  // undo keeps the run before it
  steps(s, 4);
  s.apply(ask::LoseDevice{2});
  steps(s, 6);
  while (s.asked_for_steps()) s.advance(1e9);
  steps(whole, 10);
  EXPECT_EQ(s.model().steps, 10U);
  EXPECT_EQ(hash_of(s), hash_of(whole));
  EXPECT_EQ(s.backends(), 1U);
  EXPECT_FALSE(s.model().shares(Domain::triangle).several());
  s.apply(ask::StepBack{2});
  while (s.asked_for_steps()) s.advance(1e9);
  EXPECT_EQ(s.model().steps, 8U);
}

}  // namespace
}  // namespace tri::app
