// The timeline: how many states it keeps, in how much memory and time; what it does without memory; branches.

#include <map>

#include "app/session/timeline.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/backends.hpp"

namespace tri::app::test_timeline {
namespace {

constexpr double kLater = 1e15;  // seconds, when a state is due

/// A simulation with a timeline, driven by hand.
struct Driven {
  explicit Driven(const Timeline::Limits& limits, const std::string& scene = "plummer:n=20")
      : backend(make_backend("cpu")), run(open_scene(scene), *backend, asked), timeline(limits, 1, run, asked) {}
  void take(u64 count, double now = kLater) {
    for (const u64 end = run.step_count() + count; run.step_count() < end;) {
      run.advance(timeline.steps_to_stop(run.step_count(), end - run.step_count(), now));
      timeline.pass(run, asked, now);
    }
  }
  std::vector<u64> kept() const {
    std::vector<u64> steps;
    for (const auto& f : timeline.frames()) {
      if (f.saved) steps.push_back(f.step());
    }
    return steps;
  }
  EngineConfig asked;
  std::unique_ptr<Backend> backend;
  Simulation run;
  Timeline timeline;
};

TEST(Timeline, KeepsItsBoundAndThinsEvenly) {
  for (const std::size_t most : {4, 7, 32}) {
    for (const u64 steps : {3, 50, 1000, 3777}) {
      Driven d(keep_all(most));
      u64 most_seen = 0;
      for (u64 k = 0; k < steps; ++k) {
        d.take(1);
        most_seen = std::max<u64>(most_seen, d.timeline.states());
      }
      EXPECT_LE(most_seen, most);
      const std::vector<u64> kept = d.kept();
      EXPECT_EQ(kept.front(), 0u);
      EXPECT_EQ(d.timeline.last(), steps);
      EXPECT_TRUE(steps > most - 1 || kept.size() == steps + 1) << "all of a short run";
      EXPECT_TRUE(steps < 20 * most || kept.size() >= most / 2);
      u64 widest = steps - kept.back(), closest = steps;
      for (std::size_t k = 1; k < kept.size(); ++k) {
        widest = std::max(widest, kept[k] - kept[k - 1]);
        closest = std::min(closest, kept[k] - kept[k - 1]);
      }
      EXPECT_LE(widest, 3 * closest) << most << " states, " << steps << " steps";
    }
  }
}

TEST(Timeline, MemoryBoundsTheNumberOfStates) {
  const u64 one = Driven(keep_all()).timeline.bytes();
  Timeline::Limits limits = keep_all();
  limits.bytes = 10 * one + one / 2;
  Driven d(limits);
  d.take(500);
  EXPECT_LE(d.timeline.states(), 10u);
  EXPECT_GE(d.timeline.states(), 5u);
  EXPECT_LE(d.timeline.bytes(), limits.bytes);
  limits.bytes = 0;
  Driven none(limits);
  none.take(500);
  EXPECT_LE(none.timeline.states(), 4u) << "four in any case";
}

TEST(Timeline, TimeBoundsHowOftenAStateIsKept) {
  Timeline::Limits limits = keep_all();
  limits.share = 1e-9, limits.seconds = 0;  // none after the first within hours
  Driven d(limits);
  d.take(100, clock_s());
  EXPECT_EQ(d.kept().size(), 1u);
  EXPECT_EQ(d.timeline.steps_to_stop(100, 5000, clock_s()), 5000u) << "and no batch is cut";
  EXPECT_EQ(d.timeline.steps_to_stop(100, 5000, kLater), 1u) << "but when one is due";
}

TEST(Timeline, ReplaysStopAtFramesAndAtTheEnd) {
  Driven d(keep_all(5));
  d.take(37);
  const std::vector<u64> kept = d.kept();
  d.timeline.go_to(d.timeline.before(0), d.run, d.asked);
  EXPECT_TRUE(d.timeline.replays(0));
  EXPECT_FALSE(d.timeline.replays(37));
  EXPECT_EQ(d.timeline.steps_to_stop(0, 1000, 1), kept[1]);
  EXPECT_EQ(d.timeline.steps_to_stop(kept[1] + 1, 1000, 1), kept[2] - kept[1] - 1);
  EXPECT_EQ(d.timeline.steps_to_stop(36, 1000, 1), 1u) << "at the last step";
  EXPECT_EQ(d.timeline.before(kept[2]).step(), kept[2]);
  EXPECT_EQ(d.timeline.before(kept[2] - 1).step(), kept[1]);
}

TEST(Timeline, StatesAreSomeTimeApart) {
  Timeline::Limits limits = keep_all();
  limits.seconds = 60;
  Driven d(limits);
  const double begin = clock_s();
  d.take(100, begin);
  EXPECT_EQ(d.kept(), (std::vector<u64>{0}));
  EXPECT_EQ(d.timeline.steps_to_stop(100, 5000, begin + 59), 5000u);
  EXPECT_EQ(d.timeline.steps_to_stop(100, 5000, begin + 61), 1u);
}

/// Maps that take turns change one a frame, for hours.
TEST(Timeline, TooManyChangesGiveUpTheOldestSteps) {
  Timeline::Limits limits = keep_all(8);
  limits.changes = 50;
  Driven d(limits);
  for (int k = 0; k < 400; ++k) {
    d.asked.pair_map = k % 2 == 0 ? TriangleMapId::bb : TriangleMapId::lambda;
    d.run.engine().configure(d.asked);
    d.timeline.change(d.run, d.asked, false);
    d.take(2);
    ASSERT_LE(d.timeline.frames().size(), limits.states + limits.changes + 1);
  }
  EXPECT_GT(d.timeline.first(), 600u);
  const u64 step = d.timeline.first() + 7;
  const Timeline::Frame& from = d.timeline.before(step);
  d.timeline.go_to(from, d.run, d.asked);
  d.take(step - from.step());
  Driven whole(keep_all());
  for (u64 k = 0; k < step; k += 2) {
    whole.asked.pair_map = k / 2 % 2 == 0 ? TriangleMapId::bb : TriangleMapId::lambda;
    whole.run.engine().configure(whole.asked);
    whole.run.advance(std::min<u64>(2, step - k));
  }
  EXPECT_EQ(d.run.state_hash(), whole.run.state_hash());
}

/// Engines that find no memory for a state after the first few.
class FullBackend final : public test::ForwardingBackend {
 public:
  std::size_t room = 0;

 private:
  struct FullEngine final : test::ForwardingEngine {
    FullEngine(std::unique_ptr<Engine> engine, const FullBackend& owner)
        : ForwardingEngine(std::move(engine)), backend(owner) {}
    std::unique_ptr<SavedState> save_state(std::unique_ptr<SavedState> reuse) const override {
      if (!reuse && made++ >= backend.room) throw MemoryError("a keyframe needs more than there is.");
      return ForwardingEngine::save_state(std::move(reuse));
    }
    const FullBackend& backend;
    mutable std::size_t made = 0;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return std::make_unique<FullEngine>(std::move(engine), *this);
  }
};

TEST(Timeline, WithoutMemoryTheRunGoesOn) {
  for (const std::size_t room : {0, 1, 6}) {
    auto backend = std::make_unique<FullBackend>();
    backend->room = room;
    Session s(std::move(backend), {"plummer:n=20"}, {}), whole(cpu(), {"plummer:n=20"}, {});
    s.keep_timeline(keep_all());
    EXPECT_EQ(s.model().timeline.kept, room > 0);
    steps(s, 60), steps(whole, 60);
    EXPECT_EQ(hash_of(s), hash_of(whole));
    EXPECT_EQ(s.failure(), nullptr);
    EXPECT_LE(s.model().timeline.keyframes.size(), room);
    s.apply(ask::GoTo{30});
    while (s.model().timeline.seek) s.advance(1e9);
    EXPECT_EQ(s.model().steps, room > 0 ? 30u : 60u);
  }
}

// Laws, step, map and sums of a past step: what it had, but for maps under ordered sums.

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

// Steps that are shown again: bit for bit what they were, whatever is computed and whatever was changed on the way.

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
  s.go(ask::Redo{});
  EXPECT_EQ(s.model().steps, 3u);
  s.go(ask::Undo{});
  expect_equal(s.state(), end);
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

// Another run begins on the way; the first stays as the other branch. And a device that is lost on the way back.

std::vector<u64> rows_of(const std::vector<DiagnosticsRow>& rows) {
  std::vector<u64> steps;
  for (const DiagnosticsRow& row : rows) steps.push_back(row.step);
  return steps;
}

/// Steps with a row of diagnostics after each.
void step_with_rows(Subject& s, u64 count) {
  static double now = 0;
  for (; count > 0; --count) {
    s.step();
    s.session.diagnose(now += 1e6);
  }
}

TEST(TimelineBranch, AChangeOnTheWayBeginsAnotherRun) {
  Subject s("plummer:n=30");
  const double dt = s.model().scene.dt;
  step_with_rows(s, 30);
  const State end = s.state();
  const auto rows = rows_of(s.model().diagnostics);
  s.go(ask::GoTo{12});
  const State at = s.state();
  s.session.apply(ask::TimeStep{0.002});
  const TimelineModel& t = s.model().timeline;
  EXPECT_EQ(t.branch, 12u);
  EXPECT_EQ(t.other_last, 30u);
  EXPECT_EQ(t.last, 12u);
  EXPECT_EQ(t.last_time, at.time);
  EXPECT_EQ(t.other_last_time, end.time);
  EXPECT_EQ(s.model().diagnostics.back().step, 12u);
  EXPECT_EQ(t.other_rows.front().step, 13u);
  EXPECT_EQ(t.other_rows.back().step, 30u);
  step_with_rows(s, 25);
  const State other_end = s.state();
  EXPECT_EQ(t.last, 37u);
  Subject whole("plummer:n=30");
  whole.step(12);
  whole.session.apply(ask::TimeStep{0.002});
  whole.step(25);
  expect_equal(other_end, whole.state());

  s.go(ask::GoTo{20});
  const State middle = s.state();
  s.go(ask::OtherBranch{});
  EXPECT_EQ(s.model().steps, 20u) << "the same step of the other";
  EXPECT_EQ(s.model().scene.dt, dt) << "with its parameters";
  EXPECT_EQ(rows_of(s.model().diagnostics), rows);
  s.go(ask::GoTo{30});
  expect_equal(s.state(), end);
  s.go(ask::GoTo{12});
  expect_equal(s.state(), at);
  EXPECT_EQ(t.other_last, 37u);
  s.go(ask::GoTo{20});
  s.go(ask::OtherBranch{});
  expect_equal(s.state(), middle);
  s.go(ask::GoTo{37});
  expect_equal(s.state(), other_end);
  EXPECT_EQ(rows_of(s.model().diagnostics).size(), 38u);
}

TEST(TimelineBranch, TheCommonPastIsThatOfBoth) {
  Subject s("plummer:n=30");
  s.step(10);
  const State common = s.state();
  s.step(20);
  s.go(ask::GoTo{15});
  s.session.apply(ask::Branch{});
  s.step(1);
  s.go(ask::GoTo{10});
  s.go(ask::OtherBranch{});
  expect_equal(s.state(), common);
  EXPECT_EQ(s.model().timeline.last, 30u);
  s.go(ask::OtherBranch{});
  EXPECT_EQ(s.model().timeline.last, 16u);
  s.go(ask::GoTo{8});
  s.session.apply(ask::Branch{});
  EXPECT_EQ(s.model().timeline.other_last, 16u) << "in place of the earlier one";
  EXPECT_EQ(s.model().timeline.branch, 8u);
}

TEST(TimelineBranch, WithoutAChangeItIsTheSameRun) {
  Subject s("plummer:n=30");
  s.step(30);
  const State end = s.state();
  s.go(ask::GoTo{4});
  s.session.apply(ask::Branch{});
  s.step(26);
  expect_equal(s.state(), end);
  s.session.apply(ask::Branch{});  // at the end, too
  EXPECT_EQ(s.model().timeline.branch, 30u);
}

TEST(TimelineBranch, BranchesOfAutomaticStepsAndWalls) {
  Subject s("plummer:n=20,eps=0");
  s.step(40);
  const State end = s.state();
  s.go(ask::GoTo{17});
  ForceField field = s.model().scene.field;
  field.gravity.softening = 0.1;
  s.session.apply(Requests{ask::Field{field}, ask::AutoStep{0.05}});
  s.step(9);
  s.go(ask::OtherBranch{});
  s.go(ask::GoTo{40});
  expect_equal(s.state(), end);
}

TEST(TimelineBranch, UndoReturnsToTheRunThatWasLeft) {
  Subject s("plummer:n=30");
  s.step(20);
  const State end = s.state();
  s.go(ask::GoTo{5});
  const State past = s.state();
  s.session.apply(ask::TimeStep{0.5});
  s.step(3);
  s.go(ask::Undo{});
  expect_equal(s.state(), past);
  EXPECT_EQ(s.model().timeline.last, 20u);
  s.go(ask::Undo{});
  expect_equal(s.state(), end);
  EXPECT_EQ(s.model().undoable, 0u);
  s.go(ask::Redo{});
  expect_equal(s.state(), past);
  s.go(ask::Redo{});
  EXPECT_EQ(s.model().steps, 8u) << "the run that the change began";
  EXPECT_EQ(s.model().scene.dt, 0.5);
  for (int k = 0; k < 2; ++k) s.go(ask::Undo{});
  s.go(ask::OtherBranch{});
  EXPECT_EQ(s.model().steps, 8u);
  s.go(ask::Undo{});
  expect_equal(s.state(), end);
}

TEST(TimelineBranch, AChangeThatIsRefusedBeginsNone) {
  Subject s("plummer:n=30");
  s.step(20);
  s.go(ask::GoTo{5});
  const State past = s.state();
  const std::size_t undoable = s.model().undoable;
  s.session.apply(Requests{ask::TimeStep{-1}, ask::Scheme{Integrator::hermite}});
  EXPECT_TRUE(s.model().notices.back().error);
  EXPECT_FALSE(s.model().timeline.branch.has_value());
  EXPECT_EQ(s.model().undoable, undoable);
  s.step(15);
  s.go(ask::GoTo{5});
  expect_equal(s.state(), past);
}

TEST(TimelineBranch, FewStatesServeBoth) {
  Subject s("plummer:n=30", {}, keep_all(4));
  s.step(100);
  const State end = s.state();
  s.go(ask::GoTo{51});
  s.session.apply(ask::TimeStep{0.001});
  s.step(100);
  const State other = s.state();
  EXPECT_LE(s.model().timeline.keyframes.size() + s.model().timeline.other_keyframes.size(), 6u);
  s.go(ask::OtherBranch{});
  s.go(ask::GoTo{100});
  expect_equal(s.state(), end);
  s.go(ask::OtherBranch{});
  s.go(ask::GoTo{151});
  expect_equal(s.state(), other);
}

TEST(TimelineBranch, ASavedPastStepIsThatOfTheRun) {
  Subject s("plummer:n=30");
  s.step(6);
  const State past = s.state();
  s.step(20);
  s.go(ask::GoTo{6});
  const std::string path = testing::TempDir() + "timeline_past.hdf5";
  s.session.apply(ask::Save{path});
  Subject restored(path);
  EXPECT_EQ(restored.model().steps, 6u);
  EXPECT_EQ(restored.model().timeline.first, 6u);
  expect_equal(restored.state(), past);
}

/// The device fails on the way to a step: the session goes on without it, and keeps steps from there.
TEST(TimelineBranch, ADeviceThatIsLostOnTheWay) {
  Subject s("plummer:n=64", {}, keep_all(4));
  s.step(40);
  s.session.apply(ask::TimeStep{0.003});
  s.step(10);
  s.go(ask::GoTo{36});
  s.session.apply(ask::LoseDevice{2});
  s.session.apply(ask::GoTo{39});
  s.arrive();
  EXPECT_EQ(s.session.backends(), 1u);
  EXPECT_EQ(s.model().steps, 38u);
  EXPECT_EQ(s.model().timeline.first, 38u) << "what was kept went with the device";
  EXPECT_EQ(s.model().timeline.last, 38u);
  EXPECT_NE(s.last_notice().find("step 39 was lost"), std::string::npos) << s.last_notice();
  s.step(5);
  EXPECT_EQ(s.model().steps, 43u);
  s.go(ask::GoTo{38});
  EXPECT_EQ(s.model().steps, 38u);
  while (s.model().undoable > 0) s.go(ask::Undo{});
  EXPECT_EQ(s.session.failure(), nullptr);
}

}  // namespace
}  // namespace tri::app::test_timeline
