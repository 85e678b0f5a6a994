// What a timeline keeps: how many states, how evenly, in how much memory and time; and what it does without memory.

#include "app/session/timeline.hpp"

#include <algorithm>

#include "sim/base/clock.hpp"
#include "sim/base/error.hpp"
#include "tests/app/session/timeline_support.hpp"

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
      if (f.state) steps.push_back(f.step());
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
    std::unique_ptr<KeptState> keep(std::unique_ptr<KeptState> reuse) const override {
      if (!reuse && made++ >= backend.room) throw MemoryError("a keyframe needs more than there is.");
      return ForwardingEngine::keep(std::move(reuse));
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

}  // namespace
}  // namespace tri::app::test_timeline
