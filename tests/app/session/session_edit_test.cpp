// A session that is changed: bodies by hand, its timeline, undo.
//
// Bodies by hand: what they do to the state, undo, refusals, files, and a closed form.

#include <cmath>
#include <numbers>

#include "app/session/session_model.hpp"
#include "sim/io/format.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app::test_timeline {
namespace {

const BodyValues kBody{{0.3, -0.2, 0.1}, {0.01, 0.02, -0.03}, 0.5, 0.001};

TEST(SessionEdit, SeveralBodiesChangeTogether) {
  Subject s("plummer:n=37", computed(Accumulate::ordered, Precision::fp64));
  s.step(3);
  const State before = s.state();
  Bodies expected = before.bodies;
  const std::vector<u32> some{3, 5, 30};
  for (const u32 i : some) {
    expected.vx[i] = 2 * expected.vx[i] + 1, expected.vy[i] = 2 * expected.vy[i],
    expected.vz[i] = 2 * expected.vz[i] - 1;
  }
  s.session.apply(ask::ChangeBodies{some, {.speed = 2, .kick = {1, 0, -1}}});
  expect_equal(s.state(), {before.step, before.time, before.last_step, expected});
  EXPECT_EQ(s.last_notice(), "velocity of 3 bodies times 2, velocity of 3 bodies changed by 1, 0, -1.");
  s.session.apply(ask::ChangeBodies{some, {.mass = 0.25}});
  for (const u32 i : some) expected.m[i] = 0.25;
  expect_equal(s.state(), {before.step, before.time, before.last_step, expected});
  EXPECT_EQ(s.model().groups, 0u);
  s.session.apply(ask::ChangeBodies{some, {.group = 2}});
  EXPECT_EQ(s.model().groups, 3u);
  EXPECT_EQ(s.session.bodies().group[5], 2u);
  EXPECT_EQ(s.session.bodies().group[4], 0u);
  EXPECT_EQ(s.model().history.back(), "group of 3 bodies now 2");
  EXPECT_EQ(s.last_notice(), "group of 3 bodies now 2.");
  for (int k = 0; k < 3; ++k) s.session.apply(ask::Undo{});
  expect_equal(s.state(), before);
  for (const BodiesChange& to : {BodiesChange{.mass = 0}, {.speed = std::nan("")}, {.group = 65536}}) {
    s.session.apply(ask::ChangeBodies{some, to});
    EXPECT_TRUE(s.model().notices.back().error);
    expect_equal(s.state(), before);
  }
}

TEST(SessionEdit, AChangeOfVelocitySaysItsUnit) {
  Session s(cpu(), {"solar-system"}, {});
  s.apply(ask::ChangeBodies{{2, 3}, {.kick = {0, 0, 0.5}}});
  EXPECT_EQ(s.model().notices.back().text, "velocity of 2 bodies changed by 0, 0, 3.14153 AU/yr.");
  EXPECT_EQ(s.model().history.back(), "velocity of 2 bodies changed by 0, 0, 3.14153 AU/yr");
}

TEST(SessionEdit, BodiesKeepTheirNames) {
  Session s(cpu(), {"solar-system"}, {});
  const SessionModel& m = s.model();
  EXPECT_EQ(name_of(m, 3), "Earth");
  s.apply(ask::AddBodies{{{{0, 12, 0}, {0.3, 0, 0}, 1e-6, 0}}});
  EXPECT_EQ(name_of(m, 9), "body 9");
  s.apply(Requests{ask::Name{9, "Vulcan"}, ask::DeleteBodies{{3}}});
  EXPECT_EQ(name_of(m, 3), "Mars") << "the name goes with the body";
  EXPECT_EQ(name_of(m, 8), "Vulcan");
  s.apply(Requests{ask::Name{8, ""}, ask::Undo{}});
  EXPECT_EQ(name_of(m, 3), "Earth");
  EXPECT_EQ(name_of(m, 9), "");
  s.apply(ask::Name{10, "none"});
  EXPECT_TRUE(m.notices.back().error) << "there is no such body";
  const test::TempFolder folder;
  s.apply(ask::Open{folder.file("a.csv", "body,x,y,z\nRock,1,0,0\n,2,0,0\n")});
  EXPECT_EQ(m.names, (std::map<u32, std::string>{{0, "Rock"}})) << "a column of text";
  s.apply(Requests{ask::Open{"kepler"}, ask::AddBodies{{{{0, 12, 0}, {0.3, 0, 0}, 1e-6, 0}}}});
  EXPECT_TRUE(m.names.empty()) << "where no body has a name";
}

TEST(SessionEdit, ABodyIsAddedChangedAndDeletedAtThePresentStep) {
  for (const auto precision : {Precision::fp32, Precision::fp64}) {
    Subject s("plummer:n=37", computed(Accumulate::ordered, precision));
    s.step(3);
    const State before = s.state();
    s.session.apply(ask::AddBodies{{kBody, {{1, 2, 3}, {}, 1, 0}}});
    ASSERT_EQ(s.model().n, 39u) << s.last_notice();
    State now = s.state();
    EXPECT_EQ(now.time, before.time);
    Bodies expected = before.bodies;
    const auto held = [&](double v) {
      return precision == Precision::fp32 ? static_cast<double>(static_cast<float>(v)) : v;
    };
    expected.add(held(0.3), held(-0.2), held(0.1), held(0.01), held(0.02), held(-0.03), held(0.5), held(0.001));
    expected.add(1, 2, 3, 0, 0, 0, 1, 0);
    expect_equal(now, {before.step, before.time, before.last_step, expected});

    s.session.apply(ask::ChangeBody{5, {.velocity = {{1, 0, -1}}}});
    expected.vx[5] = 1, expected.vy[5] = 0, expected.vz[5] = -1;
    expect_equal(s.state(), {before.step, before.time, before.last_step, expected});

    s.session.apply(ask::DeleteBodies{{0, 37, 12}});
    EXPECT_EQ(s.model().n, 36u);
    expected = only(expected, [] {
      std::vector<u32> stay;
      for (u32 i = 0; i < 39; ++i) {
        if (i != 0 && i != 12 && i != 37) stay.push_back(i);
      }
      return stay;
    }());
    expect_equal(s.state(), {before.step, before.time, before.last_step, expected});
    EXPECT_EQ(s.model().population->ids[4], 5u) << "a body keeps its id";
    EXPECT_EQ(index_of(*s.model().population, 38), 35u);
    EXPECT_EQ(index_of(*s.model().population, 12), 36u) << "gone";
    EXPECT_NE(session_text(s.model()).find("edits = 3"), std::string::npos);
    s.step(4);
    EXPECT_EQ(s.model().steps, 7u);
  }
}

TEST(SessionEdit, UndoBringsBackTheBodiesBefore) {
  for (const bool keeps : {true, false}) {
    for (const u64 between : {0, 4}) {
      Subject s("plummer:n=33");
      if (!keeps) s.session.keep_timeline({.bytes = 1});
      s.step(between);
      std::vector<State> states{s.state()};
      for (const Request& r : Requests{ask::AddBodies{{kBody}},
                                       ask::ChangeBody{2, {kBody.place, kBody.velocity, kBody.mass, kBody.radius}},
                                       ask::DeleteBodies{{7, 8}}}) {
        s.session.apply(r);
        s.step(between);
        states.push_back(s.state());
      }
      EXPECT_EQ(s.model().n, 32u);
      // Undo leads to the moment before an edit: that of the state before.
      for (std::size_t k = 3; k > 0; --k) {
        s.go(ask::Undo{});
        expect_equal(s.state(), states[k - 1]);
      }
      EXPECT_EQ(s.model().undoable, 0u);
      EXPECT_EQ(s.model().n, 33u);
      for (std::size_t k = 1; k < states.size(); ++k) {  // and redo to where undo was asked for
        s.go(ask::Redo{});
        if (k == 3) expect_equal(s.state(), states[k]);
        EXPECT_EQ(s.model().n, states[k].bodies.size()) << s.model().history[k - 1];
      }
      for (std::size_t k = 3; k > 0; --k) s.go(ask::Undo{});
      expect_equal(s.state(), states[0]);
      s.step(6);
      Subject plain("plummer:n=33");
      plain.step(between + 6);
      expect_equal(s.state(), plain.state());
    }
  }
}

TEST(SessionTimeline, ASecondSessionGoesOnFromWhereTheFirstStands) {
  for (const char* scene : {"plummer:n=40", "sphere-box:n=40", "pythagorean"}) {
    for (const bool edited : {false, true}) {
      Subject a(scene, computed(Accumulate::ordered));
      a.step(7);
      if (edited) a.session.apply(ask::DeleteBodies{{0}});
      a.session.apply(ask::TimeStep{0.001});  // on the way, so that the clock is not steps * dt
      a.step(5);
      Requests then = session_requests(session_text(a.model()));
      const auto first = std::get<ask::Open>(then.front());
      then.erase(then.begin());
      const Engine* engine = nullptr;
      Session b(std::make_unique<ReadableBackend>(&engine, "cpu"), first, {}, then);
      b.go_on_from(a.session);
      b.keep_timeline(keep_all());
      const auto state = [&] { return State{b.model().steps, b.model().time, b.model().last_step, engine->read()}; };
      expect_equal(state(), a.state());
      EXPECT_EQ(b.model().population->ids, a.model().population->ids);
      a.step(9), steps(b, 9);
      expect_equal(state(), a.state());
      EXPECT_EQ(b.model().timeline.first, 12u);
      b.apply(ask::Reset{});
      EXPECT_EQ(b.model().steps, 0u);
    }
  }
}

/// With a map, a step and bodies that were changed on it after the branch.
TEST(SessionTimeline, ASecondSessionBecomesTheOtherBranch) {
  for (const char* scene : {"plummer:n=40", "sphere-box:n=40"}) {
    Subject a(scene, computed(Accumulate::ordered));
    a.step(9);
    a.session.apply(ask::TimeStep{0.002});
    a.step(3);
    a.session.apply(ask::DeleteBodies{{3}});
    a.step(4);
    const State end = a.state();
    const auto ids = a.model().population->ids;
    a.go(ask::GoTo{7});
    const State there = a.state();
    a.session.apply(ask::TimeStep{0.004});
    a.step(6);
    ASSERT_EQ(a.model().timeline.branch, 7u);
    const State changed = a.state();
    Requests then = session_requests(session_text(a.model()));
    const auto first = std::get<ask::Open>(then.front());
    then.erase(then.begin());
    const Engine* engine = nullptr;
    Session b(std::make_unique<ReadableBackend>(&engine, "cpu"), first, {}, then);
    b.keep_timeline(keep_all());
    b.go_on_from_branch(a.session);
    const auto arrive = [&] {
      while (b.asked_for_steps()) b.advance(1);
    };
    const auto state = [&] { return State{b.model().steps, b.model().time, b.model().last_step, engine->read()}; };
    arrive();
    EXPECT_EQ(b.model().steps, 13u) << "where A stands";
    EXPECT_EQ(b.model().timeline.first, 7u);
    EXPECT_EQ(b.model().timeline.last, 16u);
    EXPECT_EQ(b.model().n, 39u) << "one was deleted at step 12";
    b.apply(ask::Take{3});
    arrive();
    expect_equal(state(), end);
    EXPECT_EQ(b.model().population->ids, ids);
    b.apply(ask::GoTo{7});
    arrive();
    expect_equal(state(), there);
    b.apply(ask::Take{9});  // and the same way again
    arrive();
    expect_equal(state(), end);
    expect_equal(a.state(), changed);
  }
}

TEST(SessionEdit, WhatCannotBeIsRefusedWithASentence) {
  Subject s("sphere-box:n=20");
  const State before = s.state();
  const auto refused = [&](const Request& r, const char* why) {
    const std::size_t undoable = s.model().undoable;
    s.session.apply(r);
    EXPECT_TRUE(s.model().notices.back().error) << why;
    EXPECT_NE(s.last_notice().find(why), std::string::npos) << s.last_notice();
    EXPECT_EQ(s.model().undoable, undoable);
    expect_equal(s.state(), before);
  };
  const auto with = [&](auto change) {
    BodyValues b = values_of(before.bodies, 3);
    change(b);
    return b;
  };
  const BodyValues no_mass = with([](BodyValues&b) { b.mass = 0; }), point = with([](BodyValues&b) { b.radius = 0; }),
                   minus = with([](BodyValues&b) { b.mass = -1; }), far = with([](BodyValues&b) { b.place[1] = 1e6; }),
                   bad = with([](BodyValues&b) { b.velocity[2] = NAN; }),
                   thin = with([](BodyValues&b) { b.radius = -1; });
  for (const bool adds : {true, false}) {
    const auto ask = [&](const BodyValues& b) {
      return adds ? Request{ask::AddBodies{{b}}} : Request{ask::ChangeBody{3, {b.place, b.velocity, b.mass, b.radius}}};
    };
    refused(ask(no_mass), "must be more than 0");
    refused(ask(minus), "must be more than 0");
    refused(ask(point), "choose a radius above 0");
    refused(ask(thin), "must not be below 0");
    refused(ask(far), "outside the walls");
    refused(ask(bad), "not finite");
  }
  refused(ask::ChangeBody{20, {.mass = 0}}, "there is no body 20: the last is 19");
  refused(ask::DeleteBodies{{20}}, "there is no body 20");
  refused(ask::DeleteBodies{}, "no body is selected");
  std::vector<u32> all(20);
  for (u32 i = 0; i < 20; ++i) all[i] = i;
  refused(ask::DeleteBodies{all}, "the last body cannot be deleted");
}

TEST(SessionEdit, ARecordedRunIsNotEdited) {
  const std::string folder = testing::TempDir();
  Subject s("plummer:n=8");
  for (const char* name : {"edit_series_1.csv", "edit_series_2.csv"}) s.session.apply(ask::Save{folder + name});
  Subject run(folder + "edit_series_{step}.csv");
  run.session.apply(ask::AddBodies{{kBody}});
  EXPECT_NE(run.last_notice().find("recorded run"), std::string::npos);
  EXPECT_EQ(run.model().n, 8u);
}

TEST(SessionEdit, ResetKeepsEditsOfTheFirstStepAlone) {
  Subject s("plummer:n=16");
  s.session.apply(ask::AddBodies{{kBody}});
  const State first = s.state();
  s.step(5);
  s.session.apply(ask::DeleteBodies{{0, 1}});
  s.step(2);
  const State later = s.state();
  s.go(ask::Reset{});
  expect_equal(s.state(), first);
  EXPECT_EQ(s.model().n, 17u);
  s.go(ask::Undo{});
  expect_equal(s.state(), later);
  EXPECT_EQ(s.model().n, 15u);
}

TEST(SessionEdit, ASnapshotAfterAnEditRestartsBitForBit) {
  for (const u64 before : {0, 6}) {
    Subject s("plummer:n=40", computed(Accumulate::ordered));
    s.step(before);
    s.session.apply(ask::AddBodies{{kBody}});
    s.session.apply(ask::DeleteBodies{{11}});
    s.step(5);
    const std::string path = testing::TempDir() + "edited.hdf5";
    s.session.apply(ask::Save{path});
    s.step(9);
    Subject again(path);
    EXPECT_NE(again.model().scene.title.find(", 2 edits by hand"), std::string::npos) << again.model().scene.title;
    EXPECT_EQ(again.model().first_step, before == 0 ? 5u : 0u) << "an edit on the way makes it another run";
    again.step(9);
    const Bodies a = s.state().bodies, b = again.state().bodies;
    EXPECT_TRUE(test::same_bits(a.x, b.x) && test::same_bits(a.vy, b.vy) && test::same_bits(a.m, b.m) &&
                a.size() == 40u);
  }
}

TEST(SessionEdit, ExportWritesTheseBodiesAlone) {
  Subject s("plummer:n=20");
  s.step(3);
  const std::string path = testing::TempDir() + "some.csv";
  s.session.apply(ask::Export{path, {4, 19, 0}});
  const Bodies all = s.state().bodies, some = read_bodies(path), expected = only(all, {4, 19, 0});
  EXPECT_TRUE(test::same_bits(some.x, expected.x) && test::same_bits(some.vz, expected.vz) &&
              test::same_bits(some.m, expected.m));
  s.session.apply(ask::Export{path, {}});
  EXPECT_TRUE(s.model().notices.back().error);
}

TEST(SessionEdit, ChargesStayWithTheirBodies) {
  Subject s("salt:n=21");
  std::vector<double> expected = s.state().bodies.q;
  ASSERT_EQ(expected.size(), 21u);
  s.session.apply(ask::AddBodies{{kBody}});
  expected.push_back(0);
  EXPECT_EQ(s.state().bodies.q, expected) << "a body by hand has none";
  s.session.apply(ask::DeleteBodies{{0, 4, 21}});
  expected.pop_back(), expected.erase(expected.begin() + 4), expected.erase(expected.begin());
  s.step(2);
  EXPECT_EQ(s.state().bodies.q, expected);
  s.session.apply(ask::Undo{});
  EXPECT_EQ(s.state().bodies.q.size(), 22u);
}

/// A light body on a circular orbit about a heavy one, added by hand, stays on it: r, and the angle after a turn.
TEST(SessionEdit, AnAddedBodyOnACircularOrbitStaysOnIt) {
  for (const auto precision : {Precision::fp32, Precision::fp64}) {
    Subject s("kepler:e=0", computed(Accumulate::fast, precision));
    ForceField field = s.model().scene.field;
    field.gravity.softening = 0;
    const double G = field.gravity.G, M = 2, m = 1e-9, r = 3, v = std::sqrt(G * (M + m) / r);
    s.session.apply(Requests{ask::Field{field}, ask::ChangeBody{0, {{{0, 0, 0}}, {{0, 0, 0}}, M, 0}},
                             ask::DeleteBodies{{1}}, ask::AddBodies{{{{r, 0, 0}, {0, v, 0}, m, 0}}}});
    ASSERT_EQ(s.model().n, 2u);
    const double period = 2 * std::numbers::pi * r / v;
    const u64 count = 4000;
    s.session.apply(ask::TimeStep{period / static_cast<double>(count)});
    const double least = precision == Precision::fp32 ? 2e-4 : 3e-6;
    for (u64 k = 0; k < 8; ++k) {
      s.step(count / 8);
      const Bodies b = s.state().bodies;
      const double x = b.x[1] - b.x[0], y = b.y[1] - b.y[0],
                   angle = 2 * std::numbers::pi * static_cast<double>(k + 1) / 8;
      EXPECT_NEAR(std::hypot(x, y), r, least * r);
      EXPECT_NEAR(x, r * std::cos(angle), 2 * least * r);
      EXPECT_NEAR(y, r * std::sin(angle), 2 * least * r);
    }
    s.session.diagnose(1e9);
    EXPECT_LT(std::abs(s.model().diagnostics.back().energy_error), 1e-3) << "relative to the bodies after the edit";
  }
}

// Edits by hand in the past of a run: steps back across them, branches, and few keyframes.

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

/// With the rows of before, and none of the state that was left.
TEST(TimelineEdit, UndoBringsBackTheEnergyError) {
  ForceField soft = make_scene("plummer:n=24").field;
  soft.gravity.softening *= 2;
  const Request changes[] = {ask::DeleteBodies{{0}}, ask::AddBodies{{kAdded}}, ask::Field{soft}};
  for (const Request& change : changes) {
    for (const bool looked : {true, false}) {
      Subject s("plummer:n=24");
      double now = 0;
      for (int k = 0; k < 6; ++k) s.step(), s.session.diagnose(now += 1e6);
      const std::vector<DiagnosticsRow> before = s.model().diagnostics;
      s.session.survey(SurveyOf::density, now += 1e6);
      while (!s.session.finish_steps(1)) {
      }
      s.session.apply(change);
      if (looked) s.session.diagnose(now += 1e6);
      if (!std::holds_alternative<ask::Field>(change)) {
        EXPECT_FALSE(s.model().survey) << "of the bodies before";
      }
      s.go(ask::Undo{});
      s.session.diagnose(now += 1e6);
      const auto& rows = s.model().diagnostics;
      ASSERT_EQ(rows.size(), before.size()) << "change " << change.index() << ", looked " << looked;
      EXPECT_NE(rows.back().energy_error, 0);
      for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(rows[k].energy_error, before[k].energy_error) << k;
      s.step();
      s.session.diagnose(now += 1e6);
      Subject plain("plummer:n=24");
      plain.step(7);
      plain.session.diagnose(1e9);
      EXPECT_NEAR(rows.back().energy_error, plain.model().diagnostics.back().energy_error, 1e-12);
    }
  }
}

/// After steps the run without the edit goes on, with its own energies.
TEST(TimelineEdit, UndoAfterStepsBringsBackTheEnergyErrorToo) {
  Subject s("plummer:n=24");
  double now = 0;
  for (int k = 0; k < 6; ++k) s.step(), s.session.diagnose(now += 1e6);
  const double before = s.model().diagnostics.back().energy_error;
  s.session.apply(ask::DeleteBodies{{0}});
  for (int k = 0; k < 4; ++k) s.step(), s.session.diagnose(now += 1e6);
  s.go(ask::Undo{});
  s.session.diagnose(now += 1e6);
  EXPECT_EQ(s.model().steps, 6u);
  EXPECT_EQ(s.model().diagnostics.back().step, 6u);
  EXPECT_EQ(s.model().diagnostics.back().energy_error, before);
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

// Undo: changes one by one, and the state before a reset.

namespace tri::app {
namespace {

TEST(Session, UndoRevertsChangesOneByOne) {
  Session s(cpu(), {"plummer:n=64"}, {});
  std::vector<std::string> texts{session_text(s.model())};
  ForceField field = s.model().scene.field;
  field.gravity.softening = 0.5;
  for (const Request& r : Requests{ask::TimeStep{0.25}, ask::Field{field}, ask::Scheme{Integrator::yoshida4},
                                   ask::PairMap{TriangleMapId::fold}, ask::Blocks{32, 0},
                                   ask::Sums{Accumulate::ordered}, ask::Accuracy{Arithmetic::float32, Tolerance::loose},
                                   ask::Contacts{BroadPhase::all_pairs}, ask::Reverse{}}) {
    s.apply(r);
    texts.push_back(session_text(s.model()));
    EXPECT_NE(texts.back(), texts[texts.size() - 2]);
  }
  EXPECT_NE(texts.back().find("arithmetic = float32\ntolerance = 2e-6\n"), std::string::npos) << texts.back();
  Session other(cpu(), {"merger"}, {});
  other.apply(session_requests(texts.back()));
  EXPECT_EQ(session_text(other.model()), texts.back());
  while (s.model().undoable > 0) {
    texts.pop_back();
    s.apply(ask::Undo{});
    EXPECT_EQ(session_text(s.model()), texts.back());
  }
  EXPECT_EQ(texts.size(), 1u);
}

TEST(Session, RedoDoesAgainWhatWasUndoneAndTheHistorySaysWhat) {
  Session s(cpu(), {"plummer:n=64"}, {});
  std::vector<std::string> texts{session_text(s.model())};
  ForceField field = s.model().scene.field;
  field.gravity.softening = 0.5;
  for (const Request& r : Requests{ask::TimeStep{0.25}, ask::Field{field}, ask::PairMap{TriangleMapId::fold}}) {
    s.apply(r);
    texts.push_back(session_text(s.model()));
  }
  EXPECT_EQ(s.model().history.size(), 3u);
  EXPECT_EQ(s.model().history[2], "map lambda to fold");
  EXPECT_NE(s.model().history[0].find("to 0.25"), std::string::npos) << s.model().history[0];
  for (int k = 2; k >= 0; --k) {
    s.apply(ask::Undo{});
    EXPECT_EQ(s.model().undoable, static_cast<std::size_t>(k));
    EXPECT_EQ(s.model().history.size(), 3u) << "what can be done again stays in it";
  }
  s.apply(ask::Undo{});  // nothing is left
  for (std::size_t k = 1; k < texts.size(); ++k) {
    s.apply(ask::Redo{});
    EXPECT_EQ(session_text(s.model()), texts[k]);
  }
  s.apply(ask::Redo{});
  EXPECT_EQ(session_text(s.model()), texts.back()) << "there is nothing to do again";
  s.apply(ask::Undo{});
  s.apply(ask::Blocks{32, 0});
  EXPECT_EQ(s.model().history.size(), 3u);
  s.apply(ask::Redo{});
  EXPECT_EQ(s.model().asked.pair_block, 32u) << "another change ends it";
  s.apply(ask::Open{"plummer:n=64"});
  EXPECT_TRUE(s.model().history.empty());
}

TEST(Session, UndoBringsBackTheStateBeforeAReset) {
  for (const bool changed : {false, true}) {
    Session s(cpu(), {"plummer:n=64"}, {});
    steps(s, 20);
    if (changed) s.apply(ask::TimeStep{0.001});  // half-way, so that the clock is not steps * dt
    steps(s, 20);
    s.diagnose(1e9);
    const u64 hash = hash_of(s);
    const double time = s.model().time;
    const std::size_t undoable = s.model().undoable, rows = s.model().diagnostics.size();
    s.apply(ask::Reset{});
    EXPECT_EQ(s.model().steps, 0u);
    s.apply(ask::Reset{});  // changes nothing, and is no step of undo
    s.apply(ask::PairMap{TriangleMapId::fold});
    s.apply(ask::Undo{});
    EXPECT_EQ(s.model().steps, 0u);
    s.apply(ask::Undo{});
    EXPECT_EQ(s.model().steps, 40u);
    EXPECT_EQ(s.model().time, time);
    EXPECT_EQ(hash_of(s), hash);
    EXPECT_EQ(s.model().diagnostics.size(), rows);
    EXPECT_EQ(s.model().undoable, undoable);
    steps(s, 10);
    Session other(cpu(), {"plummer:n=64"}, {});
    steps(other, 20);
    if (changed) other.apply(ask::TimeStep{0.001});
    steps(other, 30);
    EXPECT_EQ(hash_of(s), hash_of(other)) << "the run goes on as if it had not been reset";
    EXPECT_EQ(s.model().time, other.model().time);
    const u64 later = hash_of(s);
    s.apply(ask::Redo{});
    EXPECT_EQ(s.model().steps, 0u) << "the reset, again";
    s.apply(ask::Undo{});
    EXPECT_EQ(hash_of(s), later) << "and the steps that were taken before it";
  }
}

}  // namespace
}  // namespace tri::app
