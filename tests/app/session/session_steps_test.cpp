// Steps on a worker thread: the same state, a model that changes only when steps are collected, and failures.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "app/session/session_model.hpp"
#include "app/session/sketches.hpp"
#include "sim/backends.hpp"
#include "sim/base/error.hpp"
#include "sim/base/progress.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/scene/scene.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::app {
namespace {

/// The cpu backend under another name; its steps wait while the gate is closed. `began`, if any: one is there.
class GatedBackend final : public test::ForwardingBackend {
 public:
  explicit GatedBackend(std::atomic<bool>& open, std::atomic<bool>* began = nullptr) : open_(open), began_(began) {}
  BackendInfo info() const override { return {"gated", "a processor behind a gate", ""}; }

 private:
  struct GatedEngine final : test::ForwardingEngine {
    GatedEngine(std::unique_ptr<Engine> real, const GatedBackend& owner)
        : ForwardingEngine(std::move(real)), gate(owner) {}
    void advance(Integrator integrator, double dt, u64 steps) override {
      if (gate.began_ != nullptr) *gate.began_ = true, gate.began_->notify_all();
      gate.open_.wait(false);
      ForwardingEngine::advance(integrator, dt, steps);
    }
    const GatedBackend& gate;
  };
  std::unique_ptr<Engine> wrap(std::unique_ptr<Engine> engine, const ForceField&) override {
    return std::make_unique<GatedEngine>(std::move(engine), *this);
  }
  std::atomic<bool>& open_;
  std::atomic<bool>* began_;
};

std::array<std::array<double, 3>, 2> ends(const Session& s) { return {s.place_of(0), s.place_of(s.model().n - 1)}; }

// The flag goes up within the first step.
TEST(SessionSteps, AStopFlagEndsALongStep) {
  std::atomic<bool> stop{false};
  EngineOverrides slow;
  slow.precision = Precision::fp64, slow.threads = 1;
  Session film(cpu(), {"plummer:n=20000"}, slow);
  film.set_stop_flag(stop);
  const auto before = ends(film);
  film.apply(ask::Take{3});
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
  });
  film.advance(1e9);
  signal.join();
  EXPECT_EQ(film.model().steps_last_frame, 0u);
  EXPECT_EQ(film.model().steps, 0u);
  EXPECT_EQ(ends(film), before);
  ASSERT_TRUE(film.failure());
  EXPECT_THROW(std::rethrow_exception(film.failure()), InterruptedError);
  EXPECT_FALSE(film.model().broken);
}

TEST(SessionSteps, WorkerThreadTakesTheSameSteps) {
  Session one(cpu(), {"plummer:n=100"}, {}), other(cpu(), {"plummer:n=100"}, {});
  for (Session* s : {&one, &other}) s->apply(Requests{ask::StepsPerFrame{3}, ask::Run{true}});
  for (int frame = 0; frame < 5; ++frame) {
    if (frame == 2) one.apply(ask::Take{4}), other.apply(ask::Take{4});
    one.advance(1e9);
    other.begin_steps(1e9);
    ASSERT_TRUE(other.finish_steps(1e9));
    EXPECT_FALSE(other.busy());
  }
  EXPECT_EQ(one.model().steps, 19u);
  EXPECT_EQ(other.model().steps, 19u);
  EXPECT_EQ(one.model().time, other.model().time);
  EXPECT_EQ(ends(one), ends(other));
  EXPECT_EQ(other.model().force.values().size(), one.model().force.values().size());
  EXPECT_TRUE(other.finish_steps(0)) << "no step in progress";
}

TEST(SessionSteps, PaceOfTimeGoesByTheClock) {
  Session s(cpu(), {"pythagorean"}, {});
  EXPECT_EQ(s.model().pace, 0) << "who counts steps reads no clock";
  s.keep_pace();
  EXPECT_EQ(s.model().pace, 1);
  s.apply(ask::Open{"pythagorean:dt=1e-3"});
  EXPECT_EQ(s.model().pace, 1) << "the next scene too";
  s.apply(Requests{ask::PaceOfTime{2}, ask::Run{true}});
  const auto frame = [&](double seconds) {
    s.let_time_pass(seconds);
    s.advance(1e9);
    return s.model().steps_last_frame;
  };
  EXPECT_EQ(frame(0.01), 20u);
  EXPECT_EQ(frame(0.0004), 0u) << "less than a step";
  EXPECT_EQ(frame(0.0004), 1u) << "which is not lost";
  EXPECT_EQ(frame(0.3), 600u) << "a slow frame is caught up with";
  EXPECT_LE(frame(1000), 1002u) << "a long pause is not";
  for (int k = 0; k < 100; ++k) frame(0.02);
  EXPECT_NEAR(s.model().pace_reached, 2, 0.1);
  const u64 now = s.model().steps;
  s.apply(ask::Run{false});
  frame(0.05);
  s.apply(ask::Take{3});
  frame(0.05);
  EXPECT_EQ(s.model().steps, now + 3) << "paused: only those asked for";
  s.apply(Requests{ask::StepsPerFrame{7}, ask::Run{true}});
  EXPECT_EQ(s.model().pace, 0);
  EXPECT_EQ(frame(0.5), 7u);
  s.apply(ask::PaceOfTime{-1});
  EXPECT_TRUE(s.model().notices.back().error);
}

TEST(SessionSteps, ARunGoesOnUntilATime) {
  for (const bool on_thread : {false, true}) {
    Session s(cpu(), {"solar-system"}, {});
    s.keep_timeline();
    const auto go = [&](const Requests& requests) {
      s.apply(requests);
      for (int frame = 0; frame < 100 && (s.model().running || s.asked_for_steps()); ++frame) {
        on_thread ? s.begin_steps(1e9) : s.advance(1e9);
        s.finish_steps(1e9);
      }
      return s.model().steps;
    };
    EXPECT_EQ(go({ask::StepsPerFrame{7}, ask::RunUntil{0.504}}), 50u) << "the nearest step";
    EXPECT_FALSE(s.model().until || s.model().running);
    EXPECT_EQ(go({ask::RunUntil{0.2}}), 50u);
    test::expect_parts(s.model().notices.back().text, {"goes on from t = 0.0795", " yr", "does not come to 0.0318"});
    EXPECT_EQ(go({ask::GoTo{10}, ask::RunUntil{0.3}}), 30u) << "steps that are shown again";
    EXPECT_EQ(go({ask::Reverse{}, ask::RunUntil{0.1}}), 50u) << "backwards are steps, too";
    EXPECT_NEAR(s.model().time, 0.1, 1e-12);
    s.apply(Requests{ask::RunUntil{-1}, ask::Run{false}});
    EXPECT_FALSE(s.model().until);
  }
  Session automatic(cpu(), {"pythagorean"}, {});
  automatic.apply(ask::RunUntil{1});
  while (automatic.model().running) automatic.advance(1e9);
  EXPECT_GE(automatic.model().time, 1);
  EXPECT_LT(automatic.model().time - automatic.model().last_step, 1) << "the first step there";
}

TEST(SessionSteps, TheHistoryHasTheUnitsOfClocks) {
  Session s(cpu(), {"solar-system"}, {});
  s.apply(ask::TimeStep{0.02});
  EXPECT_EQ(s.model().history.back(), "dt 0.00159158 to 0.00318316 yr");
}

TEST(SessionSteps, EveryBuiltInSceneHasAPace) {
  for (const SceneInfo& scene : list_scenes()) {
    const std::string small = std::string(scene.keys).find("n=") == 0 ? ":n=50" : "";
    EXPECT_GT(make_scene(scene.name + small).pace, 0) << scene.name;
  }
}

/// A step of seconds, of which the end of the session waits for none.
TEST(SessionSteps, TheEndOfASessionEndsAStep) {
  double step = 0, end = 0;
  {
    EngineOverrides slow;
    slow.threads = 1, slow.precision = Precision::fp64, slow.accumulate = Accumulate::ordered;
    Session s(cpu(), {"uniform-ball:n=16000"}, slow);
    const double begin = clock_s();
    steps(s, 1);
    step = clock_s() - begin;
    s.apply(ask::Run{true});
    s.begin_steps(1e9);
    end = clock_s();
  }
  end = clock_s() - end;
  EXPECT_LT(end, 0.3 * step) << "a step takes " << step << " s";
}

TEST(SessionSteps, ALongStepBlocksNoCallerAndChangesNothingBeforeItsEnd) {
  std::atomic<bool> open{false};
  Session s(std::make_unique<GatedBackend>(open), {"plummer:n=50"}, {});
  EXPECT_TRUE(s.steps_overlap()) << "a device's";
  s.apply(ask::Take{3});
  EXPECT_TRUE(s.asked_for_steps());
  s.begin_steps(1e9);
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_FALSE(s.finish_steps(0.001));
    EXPECT_TRUE(s.busy());
    EXPECT_EQ(s.model().steps, 0u);
  }
  s.note("said meanwhile", false);
  open = true, open.notify_all();
  ASSERT_TRUE(s.finish_steps(1e9));
  EXPECT_EQ(s.model().steps, 3u);
  EXPECT_EQ(s.model().steps_last_frame, 3u);
  EXPECT_FALSE(s.asked_for_steps());
  s.begin_steps(1);
  EXPECT_FALSE(s.busy()) << "nothing requested, and not running";
  EXPECT_EQ(s.model().steps_last_frame, 0u);
}

TEST(SessionSteps, DestructionWaitsForTheStepInProgress) {
  std::atomic<bool> open{false}, began{false};
  std::thread opens;
  {
    Session s(std::make_unique<GatedBackend>(open, &began), {"plummer:n=50"}, {});
    s.apply(ask::Run{true});
    s.begin_steps(1);
    began.wait(false);
    opens = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      open = true, open.notify_all();
    });
  }
  EXPECT_TRUE(open.load()) << "the engine was destroyed during a step";
  opens.join();
}

TEST(SessionSteps, DiagnosticsArriveWithTheSteps) {
  Session s(cpu(), {"plummer:n=50"}, {});
  ASSERT_EQ(s.model().diagnostics.size(), 1u) << "from the first state";
  s.apply(Requests{ask::TimeStep{0.01}, ask::Run{true}});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // many times the cost of the first steps
  s.begin_steps(0);
  ASSERT_TRUE(s.finish_steps(1e9));
  ASSERT_EQ(s.model().diagnostics.size(), 2u);
  EXPECT_EQ(s.model().diagnostics.back().step, 1u);
  EXPECT_DOUBLE_EQ(s.model().diagnostics.back().time, 0.01);
  EXPECT_NEAR(s.model().diagnostics.back().energy_error, 0, 0.05);
}

TEST(SessionSteps, FailsLikeAdvance) {
  Session s(cpu(), {"lagrange"}, {});
  s.apply(Requests{ask::TimeStep{1e300}, ask::Run{true}});
  s.begin_steps(1);
  ASSERT_TRUE(s.finish_steps(1e9));
  EXPECT_TRUE(s.model().broken);
  EXPECT_FALSE(s.model().running);
  EXPECT_THROW(std::rethrow_exception(s.failure()), NumericalError);
  EXPECT_NE(s.model().notices.back().text.find("step 1"), std::string::npos) << s.model().notices.back().text;
}

TEST(SessionSteps, ShortCpuStepsRunOnTheCallersThread) {
  Session few(cpu(), {"plummer:n=64"}, {}), many(cpu(), {"plummer:n=5000"}, {});
  EXPECT_FALSE(few.steps_overlap());
  EXPECT_TRUE(many.steps_overlap()) << "the step time is not known yet";
}

TEST(StepThread, RunsJobsOneAfterAnother) {
  StepThread thread;
  int sum = 0;
  EXPECT_TRUE(thread.wait(0));
  for (int k = 1; k <= 100; ++k) {
    thread.begin([&sum, k] { sum += k; });
    EXPECT_TRUE(thread.busy());
    while (!thread.wait(0.001)) {
    }
  }
  EXPECT_EQ(sum, 5050);
}

// The caller's thread or the step thread, and the forces within the steps.
TEST(SessionSteps, SayWhenAndWhereTheyWereTaken) {
  Session session(cpu(), {"plummer:n=500"}, {});
  EXPECT_FALSE(session.busy_since());
  const double before = clock_s();
  session.apply(ask::Take{2});
  session.advance(10);
  const std::vector<WorkSpan> here = session.release_work();
  ASSERT_GE(here.size(), 2u);
  EXPECT_STREQ(here[0].name, "steps");
  EXPECT_EQ(here[0].lane, WorkLane::draw_thread);
  EXPECT_EQ(here[0].depth, 1) << "within a part of the frame";
  EXPECT_GT(here[0].begin, before);
  EXPECT_STREQ(here.back().name, "force");
  EXPECT_EQ(here.back().depth, 2);
  EXPECT_GE(here.back().begin, here[0].begin);
  EXPECT_LE(here.back().end, here[0].end);
  EXPECT_TRUE(session.release_work().empty()) << "once";

  session.apply(ask::Take{1});
  session.begin_steps(10);
  ASSERT_TRUE(session.busy_since());
  EXPECT_GT(*session.busy_since(), here[0].end);
  while (!session.finish_steps(1)) continue;
  EXPECT_FALSE(session.busy_since());
  for (const WorkSpan& span : session.release_work()) {
    EXPECT_EQ(span.lane, WorkLane::step_thread) << span.name;
    EXPECT_LT(span.end, clock_s());
    EXPECT_EQ(span.depth, span.name == std::string("force") ? 1 : 0) << span.name;
  }
}

// Steps of automatic length in a session.

TEST(SessionSteps, AutomaticStepsAreChosenShownAndUndone) {
  Session s(cpu(), {"plummer:n=20"}, {});
  s.apply(ask::AutoStep{0.05});
  EXPECT_EQ(s.model().scene.eta, 0) << "float32 has none";
  test::expect_parts(s.model().notices.back().text, {"--precision fp64"});
  Session t(cpu(), {"plummer:n=20,eps=0"}, {});
  EXPECT_EQ(t.model().engine.precision, Precision::fp64) << "the scene's own";
  EXPECT_EQ(t.model().scene.integrator, Integrator::hermite);
  EXPECT_GT(t.model().scene.eta, 0);
  steps(t, 5);
  EXPECT_GT(t.model().last_step, 0);
  const double reached = t.model().time;
  EXPECT_GT(reached, t.model().last_step);
  t.apply(ask::TimeStep{0.001});
  EXPECT_EQ(t.model().scene.eta, 0);
  steps(t, 1);
  EXPECT_EQ(t.model().time, reached + 0.001);
  t.apply(ask::Undo{});
  EXPECT_GT(t.model().scene.eta, 0);
}

TEST(SessionSteps, SessionTextKeepsTheKindOfSteps) {
  Session s(cpu(), {"plummer:n=20,eps=0"}, {});
  const auto restored = [&] {
    Session other(cpu(), {"gas:n=20"}, {});
    other.apply(session_requests(session_text(s.model())));
    return session_text(other.model());
  };
  s.apply(ask::AutoStep{0.003});
  EXPECT_EQ(restored(), session_text(s.model()));
  s.apply(Requests{ask::TimeStep{0.001}, ask::Scheme{Integrator::yoshida4}});
  ForceField springs = s.model().scene.field;
  springs.pair = PairLaw::contact;
  s.apply(ask::Field{springs});
  EXPECT_EQ(s.model().scene.field.pair, PairLaw::contact);
  EXPECT_EQ(restored(), session_text(s.model()));
  ForceField typed = springs;
  set_pair_law(typed, "energy = -G*mi*mj/\n r\nG = 1; softening = 0.1");
  typed.typed_pair.values[0] = 1 / 3.0;
  s.apply(ask::Field{typed});
  EXPECT_EQ(s.model().scene.field.pair, PairLaw::typed);
  EXPECT_EQ(restored(), session_text(s.model()));
  EXPECT_NE(restored().find("0.3333333333333333; softening = 0.1"), std::string::npos) << restored();
}

/// Of a law of one's own, "energy error 1.9 x 10^2" stood in the status line alone.
TEST(SessionSteps, EnergyThatIsLostIsTold) {
  Session s(cpu(), {"plummer:n=32"}, {});
  steps(s, 2);
  s.diagnose(1);
  EXPECT_TRUE(s.model().notices.empty());
  s.apply(ask::TimeStep{20});
  steps(s, 5);
  s.diagnose(100);
  ASSERT_FALSE(s.model().notices.empty()) << s.model().diagnostics.back().energy_error;
  test::expect_parts(s.model().notices.back().text, {"the energy has changed by more than half", "too long"});
  const std::size_t said = s.model().notices.size();
  steps(s, 5);
  s.diagnose(1000);
  EXPECT_EQ(s.model().notices.size(), said) << "once";
}

TEST(SessionSteps, MotionThatFloat32LosesIsTold) {
  Session s(cpu(), {"kepler:e=0,dt=1e-8"}, {});
  EXPECT_EQ(s.model().engine.precision, Precision::fp64);
  test::expect_parts(s.model().notices.back().text, {"in a time step", "so the run is in float64"});
  EngineOverrides asked;
  asked.precision = Precision::fp32;
  Session t(cpu(), {"kepler:e=0,dt=1e-8"}, asked);
  EXPECT_EQ(t.model().engine.precision, Precision::fp32);
  test::expect_parts(t.model().notices.back().text, {"this motion is lost. Use --precision fp64."});
  // On the way: a step that becomes too short.
  Session u(cpu(), {"kepler:e=0"}, asked);
  steps(u, 2);
  u.diagnose(1);
  EXPECT_TRUE(u.model().notices.empty());
  u.apply(ask::TimeStep{1e-9});
  test::expect_parts(u.model().notices.back().text, {"in a time step", "this motion is lost"});
  const std::size_t said = u.model().notices.size();
  steps(u, 2);
  u.diagnose(100);
  EXPECT_EQ(u.model().notices.size(), said) << "once";
  // By hand: a body that comes to where its motion is lost.
  u.apply(ask::TimeStep{1e-3});
  u.apply(ask::ChangeBody{0, {.place = {{1e7, 0, 0}}}});
  test::expect_parts(u.model().notices.back().text, {"1e+07", "this motion is lost. Use --precision fp64."});
}

/// On a GPU, where a thread takes the steps, this was said only in a pause.
TEST(SessionSteps, WhatIsLostWhileTheWorkerStepsIsTold) {
  const test::TempFolder folder;
  const auto expect_note = [&](const char* bodies, const char* law, const char* said) {
    EngineOverrides asked;
    asked.precision = Precision::fp32;
    Session s(cpu(), {folder.file("bodies.csv", bodies)}, asked);
    ForceField field = s.model().scene.field;
    set_pair_law(field, law);
    field.contact.stiffness = 1e-4;
    s.apply(Requests{ask::Field{field}, ask::TimeStep{0.01}, ask::StepsPerFrame{64}, ask::Run{true}});
    const std::size_t before = s.model().notices.size();
    for (int frame = 0; frame < 100; ++frame) {
      s.begin_steps(1e9);
      ASSERT_TRUE(s.finish_steps(1e9));
    }
    const auto& notices = s.model().notices;
    EXPECT_TRUE(std::any_of(notices.begin() + static_cast<std::ptrdiff_t>(before), notices.end(), [&](const Notice& n) {
      return n.text.find(said) != std::string::npos;
    })) << law;
    EXPECT_EQ(s.model().overlap_max > 1, field.pair == PairLaw::contact);
  };
  expect_note("x,y,z,vx,vy,vz,m\n0,-409.6,0,1000,10,0,1\n0.5,0,0,1000,0,0,1\n", "-mi*mj/r", "this motion is lost");
  expect_note("x,y,z,vx,vy,vz,m,r\n0,0,0,0.05,0,0,1,0.5\n1.5,0,0,-0.05,0,0,1,0.5\n", "contact",
              "Use a larger stiffness than");
}

TEST(SessionSteps, OneUndoTakesADragBack) {
  Session s(cpu(), {"plummer:n=20,eps=0"}, {});
  ForceField field = s.model().scene.field;
  const double first = field.gravity.G;
  for (const double G : {1.5, 2.0, 2.5}) {
    field.gravity.G = G;
    s.apply(ask::Field{field, G > 1.5});
    EXPECT_EQ(s.model().scene.field.gravity.G, G);
  }
  field.gravity.G = 7;
  s.apply(ask::Field{field});
  EXPECT_EQ(s.model().undoable, 2u);
  s.apply(ask::Undo{});
  EXPECT_EQ(s.model().scene.field.gravity.G, 2.5);
  s.apply(ask::Undo{});
  EXPECT_EQ(s.model().scene.field.gravity.G, first);
}

// A session on several ranks: all that it does alone, with the same bits.

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
