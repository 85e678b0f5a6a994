// Laws, step, map and sums of a past step: what it had, but for maps under ordered sums.

#include <algorithm>

#include "tests/app/session/timeline_support.hpp"

namespace tri::app::test_timeline {
namespace {

TEST(SessionTimeline, ParametersOfAPastStepAreShown) {
  Subject s("plummer:n=30");
  const double dt = s.model().scene.dt;
  s.step(10);
  s.session.apply(Requests{ask::TimeStep{dt / 2}, ask::PairMap{TriangleMapId::fold}, ask::Reverse{}});
  s.step(10);
  s.go(ask::GoTo{9});
  EXPECT_EQ(s.model().scene.dt, dt);
  EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::lambda);
  EXPECT_EQ(s.model().engine.pair_map, TriangleMapId::lambda);
  EXPECT_FALSE(s.model().backwards);
  s.step(1);
  EXPECT_EQ(s.model().scene.dt, dt / 2) << "from step 10 on";
  EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::fold);
  EXPECT_TRUE(s.model().backwards);
}

/// Without a pair law any map of pairs is taken; the laws of then have theirs.
TEST(SessionTimeline, AMapThatDoesNotFitTheLawsOfThen) {
  for (const Accumulate sums : {Accumulate::fast, Accumulate::ordered}) {
    Subject s("plummer:n=5000", computed(sums));
    const auto& maps = s.model().pair_maps;
    const auto misfit = std::find_if(maps.begin(), maps.end(), [](const MapRow& row) { return !row.fits(); });
    ASSERT_NE(misfit, maps.end());
    const auto map = static_cast<TriangleMapId>(misfit - maps.begin());
    s.step(2);
    const State was = s.state();
    s.step(1);
    ForceField none = s.model().scene.field;
    none.pair = PairLaw::none;
    s.session.apply(Requests{ask::Field{none}, ask::PairMap{map}});
    EXPECT_EQ(s.model().asked.pair_map, map);
    s.step(1);
    s.go(ask::GoTo{2});
    expect_equal(s.state(), was);
    EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::lambda);
    s.step(2);
    EXPECT_EQ(s.model().scene.field.pair, PairLaw::none);
    EXPECT_EQ(s.session.failure(), nullptr);
  }
}

TEST(SessionTimeline, UnderOrderedSumsTheMapIsFree) {
  Subject s("plummer:n=60", computed(Accumulate::ordered));
  s.step(20);
  const State end = s.state();
  s.go(ask::GoTo{7});
  s.session.apply(Requests{ask::PairMap{TriangleMapId::fold}, ask::Blocks{16, 0}});
  EXPECT_FALSE(s.model().timeline.branch.has_value());
  s.step(13);
  EXPECT_EQ(s.model().asked.pair_map, TriangleMapId::fold);
  expect_equal(s.state(), end);
}

}  // namespace
}  // namespace tri::app::test_timeline
