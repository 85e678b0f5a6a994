// Steps that are shown again: bit for bit what they were, whatever is computed and whatever was changed on the way.

#include <map>

#include "sim/base/error.hpp"
#include "tests/app/session/timeline_support.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::app::test_timeline {
namespace {

struct Case {
  std::string name, scene;
  EngineOverrides given = {};
  Requests first = {};
  std::map<u64, Requests> on_the_way = {};  ///< before the step after so many
};

ForceField softer(const std::string& scene) {
  ForceField field = open_scene(scene).field;
  field.gravity.softening = 0.5;
  return field;
}

ForceField periodic(const std::string& scene) {
  ForceField field = open_scene(scene).field;
  field.pair = PairLaw::none;
  field.box = {{-0.3, -0.3, -0.3}, {0.3, 0.3, 0.3}, Boundary::periodic};
  return field;
}

std::vector<Case> cases() {
  const EngineOverrides fast = computed(Accumulate::fast), ordered = computed(Accumulate::ordered),
                        wide = computed(Accumulate::fast, Precision::fp64);
  return {
      {"kdk", "plummer:n=70", fast},
      {"kdk_ordered", "plummer:n=70", ordered},
      {"yoshida", "plummer:n=40", fast, {ask::Scheme{Integrator::yoshida4}}},
      {"hermite", "plummer:n=40", wide, {ask::Scheme{Integrator::hermite}}},
      {"hermite_auto", "plummer:n=20,eps=0"},
      {"kdk_auto", "plummer:n=20,eps=0", {}, {ask::Scheme{Integrator::kdk}, ask::AutoStep{0.01}}},
      {"impulses", "gas:n=60", fast},
      {"pile", "falling-pile:n=40,response=impulses", ordered, {ask::TimeStep{0.02}}},
      {"springs", "falling-pile:n=40", fast},
      {"triples", "argon-droplet:n=30", fast},
      {"backwards", "plummer:n=50", fast, {}, {{13, {ask::Reverse{}}}, {31, {ask::Reverse{}}}}},
      {"auto_backwards", "plummer:n=20,eps=0", {}, {}, {{13, {ask::Reverse{}}}}},
      {"changes",
       "plummer:n=50",
       fast,
       {},
       {{0, {ask::TimeStep{0.02}}},
        {9, {ask::TimeStep{0.01}}},
        {10, {ask::PairMap{TriangleMapId::fold}}},
        {17, {ask::Field{softer("plummer:n=50")}, ask::Scheme{Integrator::yoshida4}}},
        {25, {ask::Blocks{32, 0}, ask::Sums{Accumulate::ordered}}},
        {33, {ask::PairMap{TriangleMapId::bb}}},
        {38, {ask::Sums{Accumulate::fast}, ask::Undo{}, ask::Reverse{}}}}},
      {"walls", "plummer:n=30", fast, {}, {{11, {ask::Field{periodic("plummer:n=30")}}}}},
      {"auto_begins", "plummer:n=20", wide, {}, {{11, {ask::AutoStep{0.02}}}, {30, {ask::TimeStep{0.001}}}}},
  };
}

class TimelineBits : public testing::TestWithParam<Case> {};

/// Few states are kept, so that most steps are computed again, some of them over several changes.
TEST_P(TimelineBits, EveryStepIsWhatItWas) {
  constexpr u64 kSteps = 45;
  const Case& c = GetParam();
  Subject s(c.scene, c.given, keep_all(6));
  const auto meanwhile = [&](Subject& to, u64 step) {
    if (const auto at = c.on_the_way.find(step); at != c.on_the_way.end()) to.session.apply(at->second);
  };
  s.session.apply(c.first);
  std::vector<State> was;
  for (u64 k = 0; k <= kSteps; ++k) {
    meanwhile(s, k);
    if (k > 0) was.back() = s.state();  // new walls may have moved bodies
    s.step();
    was.push_back(s.state());
  }
  ASSERT_EQ(s.model().steps, kSteps + 1) << s.last_notice();
  ASSERT_EQ(s.session.failure(), nullptr);
  EXPECT_LE(s.model().timeline.keyframes.size(), 6u);
  const std::size_t rows = s.model().diagnostics.size();
  for (u64 k = kSteps; k-- > 0;) {
    s.go(ask::StepBack{});
    expect_equal(s.state(), was[k]);
  }
  EXPECT_EQ(s.model().timeline.last, kSteps + 1) << "later steps stay";
  for (const u64 k : {44, 3, 27, 28, 9, 10, 11, 39, 12}) {
    s.go(ask::GoTo{k + 1});
    expect_equal(s.state(), was[k]);
  }
  for (u64 k = 13; k <= kSteps; ++k) {  // and forwards from there, as other steps are taken
    s.step();
    expect_equal(s.state(), was[k]);
  }
  EXPECT_EQ(s.model().diagnostics.size(), rows);
  EXPECT_FALSE(s.model().timeline.branch.has_value());
  s.go(ask::GoTo{20});
  s.step(40);
  Subject whole(c.scene, c.given);
  whole.session.apply(c.first);
  for (u64 k = 0; k < 60; ++k) meanwhile(whole, k), whole.step();
  expect_equal(s.state(), whole.state());
}

INSTANTIATE_TEST_SUITE_P(Runs, TimelineBits, testing::ValuesIn(cases()),
                         [](const auto& instance) { return instance.param.name; });

using TimelineOnBackend = test::OnBackend;
TRI_ON_EVERY_BACKEND(TimelineOnBackend);

/// Ordered sums have the same bits each time on every backend, fast ones on the cpu alone; keyframes are exact anyway.
TEST_P(TimelineOnBackend, StepsAreWhatTheyWereAndARunBranches) {
  for (const Accumulate sums : {Accumulate::ordered, Accumulate::fast}) {
    for (const char* scene : {"plummer:n=300", "plummer:n=20,eps=0", "gas:n=100", "argon-droplet:n=40"}) {
      SCOPED_TRACE(std::string(scene) + ", " + to_string(sums));
      Subject s(scene, computed(sums), keep_all(sums == Accumulate::fast ? 256 : 6), GetParam());
      std::vector<State> was{s.state()};
      for (u64 k = 1; k <= 40; ++k) {
        if (k == 21) s.session.apply(ask::Reverse{});
        s.step();
        was.push_back(s.state());
      }
      for (const u64 k : {39, 22, 20, 3, 30, 0}) {
        s.go(ask::GoTo{k});
        expect_equal(s.state(), was[k]);
      }
      EXPECT_EQ(s.model().timeline.exact, fast_repeats() || sums == Accumulate::ordered);
      s.go(ask::GoTo{10});
      s.session.apply(ask::TimeStep{1e-4});
      EXPECT_EQ(s.model().timeline.branch, 10u);
      s.step(20);
      s.go(ask::OtherBranch{});
      s.go(ask::GoTo{40});
      expect_equal(s.state(), was[40]);
      EXPECT_EQ(s.session.failure(), nullptr);
    }
  }
}

TEST(SessionTimeline, StepsThatAreNotKeptAreRefusedAndChangeNothing) {
  Subject s("plummer:n=30");
  s.step(5);
  const State now = s.state();
  for (const auto& [request, parts] : std::vector<std::pair<Request, std::vector<std::string>>>{
           {ask::GoTo{6}, {"step 6", "from step 0 to 5"}},
           {ask::StepBack{6}, {"6 steps back from step 5", "step 0"}},
           {ask::OtherBranch{}, {"no other branch"}}}) {
    s.go(request);
    test::expect_parts(s.last_notice(), parts);
    EXPECT_TRUE(s.model().notices.back().error);
    expect_equal(s.state(), now);
  }
  EXPECT_EQ(s.model().undoable, 0u);
  Session without(cpu(), {"plummer:n=30"}, {});
  steps(without, 3);
  without.apply(ask::StepBack{});
  EXPECT_EQ(without.model().steps, 3u);
  EXPECT_TRUE(without.model().notices.back().error);
}

/// The search for a step takes frames; what is asked for meanwhile comes after it, or ends it.
TEST(SessionTimeline, ASearchIsTakenInFramesAndOtherRequestsWait) {
  Subject s("plummer:n=200", {}, {.states = 4, .share = 0});
  s.step(400);
  ASSERT_EQ(s.model().timeline.keyframes.size(), 1u);
  s.session.apply(ask::GoTo{300});
  ASSERT_TRUE(s.model().timeline.seek.has_value());
  EXPECT_EQ(s.model().steps, 0u) << "at the keyframe";
  EXPECT_TRUE(s.session.asked_for_steps());
  s.session.advance(0);
  EXPECT_EQ(s.model().steps, 1u) << "no longer than a frame";
  s.session.apply(ask::GoTo{150});  // in place of the first
  s.session.apply(Requests{ask::Take{3}, ask::TimeStep{0.5}, ask::GoTo{152}});
  EXPECT_EQ(s.model().timeline.seek->to, 150u);
  EXPECT_NE(s.model().scene.dt, 0.5);
  s.arrive();
  EXPECT_EQ(s.model().scene.dt, 0.5) << "changed at step 150, where another run begins";
  EXPECT_EQ(s.model().timeline.branch, 150u);
  EXPECT_NE(s.last_notice().find("step 152 is not kept"), std::string::npos) << s.last_notice();
  s.session.advance(1e9);
  EXPECT_EQ(s.model().steps, 153u);
}

TEST(SessionTimeline, AResetEndsASearch) {
  Subject s("plummer:n=40", {}, {.states = 4, .share = 0});
  s.step(60);
  const State end = s.state();
  s.session.apply(Requests{ask::GoTo{50}, ask::TimeStep{0.5}, ask::Reset{}});
  EXPECT_FALSE(s.session.asked_for_steps());
  EXPECT_NE(s.model().scene.dt, 0.5) << "nor does what waited for it come";
  s.step(3);
  EXPECT_EQ(s.model().steps, 3u);
  s.go(ask::Undo{});
  EXPECT_FALSE(s.session.asked_for_steps());
  s.go(ask::GoTo{60});
  expect_equal(s.state(), end);
}

TEST(SessionTimeline, TheStepsOfASearchRunOnTheThreadToo) {
  Subject s("plummer:n=64", {}, {.states = 4, .share = 0});
  s.step(50);
  const State was = s.state();
  s.step(50);
  s.session.apply(Requests{ask::Run{true}, ask::GoTo{50}});
  while (s.model().timeline.seek) {
    s.session.begin_steps(1e-4);
    ASSERT_TRUE(s.session.finish_steps(1e9));
  }
  expect_equal(s.state(), was);
  s.session.begin_steps(1e-4);
  ASSERT_TRUE(s.session.finish_steps(1e9));
  EXPECT_EQ(s.model().steps, 51u) << "it runs on from there";
}

TEST(SessionTimeline, AStateThatBrokeIsSteppedBackFrom) {
  Subject s("lagrange");
  s.step(3);
  const State good = s.state();
  s.session.apply(ask::TimeStep{1e300});
  s.step(1);
  ASSERT_TRUE(s.model().broken);
  s.session.apply(ask::Branch{});
  EXPECT_NE(s.last_notice().find("not finite"), std::string::npos);
  s.go(ask::GoTo{3});
  EXPECT_FALSE(s.model().broken);
  EXPECT_EQ(s.state().bodies.x, good.bodies.x);
  s.go(ask::StepBack{});
  EXPECT_NE(s.model().scene.dt, 1e300);
  s.step(1);
  EXPECT_EQ(s.state().bodies.x, good.bodies.x);
}

TEST(SessionTimeline, UndoGoesBackToWhereOneWas) {
  Subject s("plummer:n=30");
  s.step(20);
  const State end = s.state();
  const std::size_t undoable = s.model().undoable;
  for (int k = 0; k < 5; ++k) s.go(ask::StepBack{2});
  s.go(ask::GoTo{3});
  EXPECT_EQ(s.model().undoable, undoable + 1) << "one way, one undo";
  s.go(ask::Undo{});
  expect_equal(s.state(), end);
  EXPECT_EQ(s.model().undoable, undoable);
  s.session.apply(ask::Reset{});
  s.step(5);
  s.go(ask::StepBack{});
  s.go(ask::Undo{});
  s.go(ask::Undo{});  // the reset
  expect_equal(s.state(), end);
  s.go(ask::GoTo{10});
  EXPECT_EQ(s.model().steps, 10u) << "the run before it with all its steps";
  s.session.apply(ask::Open{"plummer:n=40"});
  EXPECT_EQ(s.model().timeline.last, 0u);
  EXPECT_EQ(s.model().timeline.keyframes.size(), 1u);
}

}  // namespace
}  // namespace tri::app::test_timeline
