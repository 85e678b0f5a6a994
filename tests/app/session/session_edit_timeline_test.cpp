// Edits by hand in the past of a run: steps back across them, branches, and few keyframes.

#include <cmath>

#include "tests/app/session/timeline_support.hpp"
#include "tests/support/backends.hpp"

namespace tri::app::test_timeline {
namespace {

const BodyValues kAdded{{0.5, 0.5, -0.5}, {0.1, 0, 0}, 0.25, 0};

TEST(TimelineEdit, StepsBackAcrossAnEditShowTheBodiesBeforeIt) {
  for (const Accumulate sums : {Accumulate::fast, Accumulate::ordered}) {
    for (const std::size_t states : {std::size_t{256}, std::size_t{6}}) {
      Subject s("plummer:n=29", computed(sums), keep_all(states));
      std::vector<State> all;
      const auto take = [&](u64 count) {
        for (; count > 0; --count) {
          all.push_back(s.state());
          s.step();
        }
      };
      take(10);
      s.session.apply(ask::AddBodies{{kAdded}});
      take(7);
      s.session.apply(ask::DeleteBodies{{3, 4, 5}});
      s.session.apply(ask::ChangeBody{1, {kAdded.place, kAdded.velocity, kAdded.mass}});
      take(12);
      all.push_back(s.state());
      ASSERT_EQ(s.model().steps, 29u);
      for (const u64 step : {28u, 17u, 16u, 10u, 9u, 0u, 12u, 20u, 29u, 3u}) {
        s.go(ask::GoTo{step});
        expect_equal(s.state(), all[step]);
        EXPECT_EQ(s.model().n, all[step].bodies.size());
        EXPECT_EQ(s.model().population->ids.size(), s.model().n);
      }
      s.step(26);  // plays on as it did
      expect_equal(s.state(), all[29]);
      EXPECT_EQ(s.model().n, 27u);
      s.go(ask::StepBack{20});
      expect_equal(s.state(), all[9]);
    }
  }
}

TEST(TimelineEdit, AnEditOnTheWayBeginsAnotherRun) {
  Subject s("plummer:n=24");
  s.step(20);
  const State end = s.state();
  s.go(ask::GoTo{8});
  const State past = s.state();
  s.session.apply(ask::AddBodies{{kAdded}});
  EXPECT_EQ(s.model().timeline.branch, 8u);
  EXPECT_EQ(s.model().timeline.last, 8u);
  s.step(5);
  const State other = s.state();
  s.go(ask::OtherBranch{});
  EXPECT_EQ(s.model().steps, 13u);
  EXPECT_EQ(s.model().n, 24u);
  s.go(ask::GoTo{20});
  expect_equal(s.state(), end);
  s.go(ask::Undo{});  // to the run with the edit
  expect_equal(s.state(), other);
  s.go(ask::Undo{});
  expect_equal(s.state(), past);
  EXPECT_EQ(s.model().timeline.last, 20u) << "the run that was left, with its later steps";
  s.step(12);
  expect_equal(s.state(), end);
}

TEST(TimelineEdit, UndoAfterStepsKeepsThemAsTheOtherBranch) {
  Subject s("plummer:n=24");
  s.step(4);
  const State before = s.state();
  s.session.apply(ask::DeleteBodies{{0}});
  s.step(6);
  const State with = s.state();
  s.go(ask::Undo{});
  expect_equal(s.state(), before);
  EXPECT_EQ(s.model().timeline.other_last, 10u);
  s.step(6);
  Subject plain("plummer:n=24");
  plain.step(10);
  expect_equal(s.state(), plain.state());
  s.go(ask::OtherBranch{});
  expect_equal(s.state(), with);
  s.go(ask::GoTo{0});
  EXPECT_EQ(s.model().n, 24u);
}

TEST(TimelineEdit, ManyEditsNeedFewStates) {
  Subject s("plummer:n=24", {}, keep_all(4));
  std::vector<State> all;
  for (int k = 0; k < 30; ++k) {
    s.session.apply(ask::AddBodies{{{{1.0 + k, 0, 0}, {}, 0.1, 0}}});
    all.push_back(s.state());
    s.step();
  }
  EXPECT_LE(s.model().timeline.keyframes.size(), 5u);
  const u64 first = s.model().timeline.first;
  EXPECT_GT(first, 20u) << "the oldest steps were given up";
  for (u64 step = 29; step >= first; --step) {
    s.go(ask::GoTo{step});
    expect_equal(s.state(), all[step]);
  }
  while (s.model().undoable > 0) s.go(ask::Undo{});
  EXPECT_EQ(s.model().n, 24u);
  EXPECT_EQ(s.session.failure(), nullptr);
}

/// Energies are relative to the bodies after the edit, and rows before it stay.
TEST(TimelineEdit, EnergiesBeginAnew) {
  Subject s("plummer:n=24");
  for (int k = 0; k < 6; ++k) {
    s.step();
    s.session.diagnose(1e6 * (k + 1));
  }
  s.session.apply(ask::AddBodies{{{{5, 0, 0}, {3, 0, 0}, 1, 0}}});
  s.step();
  s.session.diagnose(1e8);
  const auto& rows = s.model().diagnostics;
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[6].step, 6u);
  EXPECT_EQ(rows[6].energy_error, 0);
  EXPECT_GT(rows[6].values.energy(), rows[5].values.energy() + 3);
  EXPECT_LT(std::abs(rows[7].energy_error), 1e-4);
}

TEST(TimelineEdit, ADeviceThatIsLostAfterAnEdit) {
  Subject s("plummer:n=24");
  s.step(3);
  s.session.apply(ask::AddBodies{{kAdded}});
  s.session.apply(ask::LoseDevice{2});
  s.step(5);
  EXPECT_EQ(s.session.backends(), 1u);
  s.step(2);
  EXPECT_EQ(s.model().n, 25u);
  s.go(ask::Undo{});
  EXPECT_EQ(s.model().n, 24u);
  EXPECT_EQ(s.model().steps, 3u);
  EXPECT_EQ(s.session.failure(), nullptr);
}

using EditOnBackend = test::OnBackend;
TRI_ON_EVERY_BACKEND(EditOnBackend);

/// The state goes through host memory into another engine: not a bit changes, and steps back find it.
TEST_P(EditOnBackend, BodiesComeAndGo) {
  for (const auto precision : {Precision::fp32, Precision::fp64}) {
    Subject s("plummer:n=300", computed(Accumulate::ordered, precision), keep_all(), GetParam());
    s.step(6);
    const State before = s.state();
    s.session.apply(ask::AddBodies{{kAdded}});
    State with = s.state();
    EXPECT_EQ(with.bodies.size(), 301u);
    s.session.apply(ask::DeleteBodies{{300}});
    expect_equal(s.state(), before);
    s.go(ask::Undo{});
    expect_equal(s.state(), with);
    s.step(7);
    const State end = s.state();
    s.go(ask::GoTo{3});
    EXPECT_EQ(s.model().n, 300u);
    s.session.apply(ask::GoTo{13});
    while (s.model().timeline.seek) {  // on the thread of steps, which makes the engine of the edited bodies
      s.session.begin_steps(1e9);
      while (!s.session.finish_steps(1)) {
      }
    }
    expect_equal(s.state(), end);
    EXPECT_EQ(s.model().n, 301u);
    s.go(ask::StepBack{7});
    expect_equal(s.state(), with);
    s.go(ask::Undo{}), s.go(ask::Undo{});
    expect_equal(s.state(), before);
  }
}

}  // namespace
}  // namespace tri::app::test_timeline
