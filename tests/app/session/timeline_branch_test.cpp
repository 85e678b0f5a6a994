// Another run begins on the way; the first stays as the other branch. And a device that is lost on the way back.

#include <algorithm>

#include "sim/base/error.hpp"
#include "tests/app/session/session_support.hpp"

namespace tri::app::test_timeline {
namespace {

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
