// Sessions and files: a saved state continues in a run and in a session, bit for bit.

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "app/session/session_model.hpp"
#include "sim/base/error.hpp"
#include "sim/io/format.hpp"
#include "sim/io/formats.hpp"
#include "tests/app/session/session_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::app {
namespace {

class SessionFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tri-session-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const char* name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

EngineOverrides in(Precision precision) {
  EngineOverrides config;
  config.precision = precision, config.threads = 2;
  return config;
}

/// All arrays are equal bit for bit.
void expect_same(const Bodies& a, const Bodies& b) {
  const auto arrays = [](const Bodies& c) { return std::array{&c.x, &c.y, &c.z, &c.vx, &c.vy, &c.vz, &c.m, &c.r}; };
  for (std::size_t k = 0; k < 8; ++k) EXPECT_TRUE(*arrays(a)[k] == *arrays(b)[k]) << "array " << k;
  EXPECT_TRUE(a.group == b.group);
}

std::string last_notice(const Session& s) { return s.model().notices.empty() ? "" : s.model().notices.back().text; }

TEST_F(SessionFiles, ASnapshotContinuesInARunAndInASession) {
  for (const char* scene : {"plummer:n=200,eps=0.05", "argon-droplet:n=60", "merger:n=50", "falling-pile:n=60"}) {
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      SCOPED_TRACE(std::string(scene) + " " + to_string(precision));
      Session whole(cpu(), {scene}, in(precision));
      steps(whole, 30);
      whole.apply(ask::Save{at("middle.hdf5")});
      EXPECT_NE(last_notice(whole).find("--restart " + at("middle.hdf5")), std::string::npos) << last_notice(whole);
      steps(whole, 20);
      whole.diagnose(1e9);
      whole.apply(ask::Save{at("end.hdf5")});
      const Snapshot end = read_snapshot(at("end.hdf5"));
      EXPECT_EQ(end.step, 50u);
      EXPECT_EQ(end.run.scene, scene);
      EXPECT_EQ(end.scene.view.colour, whole.model().scene.view.colour);
      EXPECT_EQ(end.scene.molecular.kelvin, whole.model().scene.molecular.kelvin);

      Snapshot middle = read_snapshot(at("middle.hdf5"));
      EXPECT_EQ(middle.step, 30u);
      const EngineConfig as_before = middle.engine;
      const auto backend = cpu();
      Simulation run(std::move(middle), *backend, as_before);
      run.advance(20);
      expect_same(run.bodies(), end.scene.bodies);

      // The session has another precision and map: a run continues with its own.
      EngineOverrides other = in(precision == Precision::fp32 ? Precision::fp64 : Precision::fp32);
      Session session(cpu(), {"kepler"}, other);
      session.apply(ask::Open{at("middle.hdf5")});
      const SessionModel& m = session.model();
      EXPECT_NE(last_notice(session).find("is a run at step 30"), std::string::npos) << last_notice(session);
      EXPECT_EQ(m.steps, 30u);
      EXPECT_EQ(m.time, 30 * m.scene.dt);
      steps(session, 20);
      session.diagnose(1e9);
      EXPECT_EQ(m.diagnostics.back().step, 50u);
      EXPECT_NEAR(m.diagnostics.back().energy_error, run.diagnostics().energy_error, 1e-12) << "relative to step 0";
      session.apply(ask::Save{at("again.hdf5")});
      const Snapshot again = read_snapshot(at("again.hdf5"));
      expect_same(again.scene.bodies, end.scene.bodies);
      EXPECT_EQ(again.step, 50u);
      EXPECT_EQ(again.initial.values.energy(), end.initial.values.energy());
      EXPECT_EQ(again.run.scene, scene);

      session.apply(ask::Open{"kepler"});
      EXPECT_EQ(m.asked.precision, *other.precision) << "the engine of the run was its own";
      session.apply(ask::Open{at("middle.hdf5")});
      steps(session, 1);
      session.apply(ask::Reset{});
      EXPECT_EQ(m.steps, 30u) << "back to where it was opened";
      EXPECT_EQ(m.time, 30 * m.scene.dt);
      steps(session, 20);
      session.apply(ask::Save{at("reset.hdf5")});
      expect_same(read_snapshot(at("reset.hdf5")).scene.bodies, end.scene.bodies);
    }
  }
}

TEST_F(SessionFiles, AChangeInFlightMakesASnapshotAStart) {
  Session s(cpu(), {"plummer:n=50"}, in(Precision::fp64));
  steps(s, 10);
  s.apply(ask::TimeStep{0.001});
  steps(s, 10);
  s.apply(ask::Save{at("a.hdf5")});
  EXPECT_NE(last_notice(s).find("as the start of a run"), std::string::npos) << last_notice(s);
  const Snapshot a = read_snapshot(at("a.hdf5"));
  EXPECT_EQ(a.step, 0u);
  EXPECT_EQ(a.scene.dt, 0.001);
  const auto backend = cpu();
  Simulation begun(a.scene, *backend, a.engine);
  EXPECT_EQ(begun.initial().values.energy(), a.initial.values.energy()) << "of the state that was saved";
  for (const Request& request : {Request(ask::Reverse{}), Request(ask::Scheme{Integrator::yoshida4}),
                                 Request(ask::Field{s.model().scene.field})}) {
    s.apply(ask::Reset{});
    if (s.model().backwards) s.apply(ask::Reverse{}), s.apply(ask::Reset{});
    steps(s, 5);
    s.apply(ask::Save{at("b.hdf5")});
    EXPECT_EQ(read_snapshot(at("b.hdf5")).step, 5u) << "a reset starts a run of its own";
    s.apply(request);
    s.apply(ask::Save{at("b.hdf5")});
    EXPECT_EQ(read_snapshot(at("b.hdf5")).step, 0u);
  }
}

TEST_F(SessionFiles, AChangeBeforeTheFirstStepBelongsToTheRun) {
  Session s(cpu(), {"plummer:n=50,eps=0.1"}, in(Precision::fp64));
  ForceField stronger = s.model().scene.field;
  stronger.gravity.G = 4;
  s.apply(ask::Field{stronger});
  steps(s, 10);
  s.diagnose(1e9);
  EXPECT_LT(std::abs(s.model().diagnostics.back().energy_error), 0.05) << "relative to the laws at its start";
  s.apply(ask::Save{at("a.hdf5")});
  const Snapshot a = read_snapshot(at("a.hdf5"));
  EXPECT_EQ(a.step, 10u);
  EXPECT_EQ(a.scene.field.gravity.G, 4);
  const auto backend = cpu();
  Scene scene = make_scene("plummer:n=50,eps=0.1");
  scene.field = stronger;
  Simulation run(scene, *backend, a.engine);
  EXPECT_EQ(run.initial().values.energy(), a.initial.values.energy());
  run.advance(10);
  expect_same(run.bodies(), a.scene.bodies);
}

TEST_F(SessionFiles, OtherFormatsKeepBodiesAndTime) {
  Session s(cpu(), {"plummer:n=50"}, in(Precision::fp64));
  steps(s, 10);
  s.apply(ask::Save{at("a.vtp")});
  ReadReport reading;
  const Bodies bodies = read_bodies(at("a.vtp"), reading);
  EXPECT_EQ(reading.time.value(), s.model().time);
  EXPECT_EQ(bodies.x[7], s.place_of(7)[0]);
  s.apply(ask::Save{at("no-folder/a.csv")});
  EXPECT_TRUE(s.model().notices.back().error);
  EXPECT_NE(last_notice(s).find("no-folder"), std::string::npos);
}

TEST_F(SessionFiles, AnInvalidStateIsNotSaved) {
  Session s(cpu(), {"plummer:n=50"}, in(Precision::fp32));
  s.apply(ask::TimeStep{1e300});
  steps(s, 2);
  ASSERT_TRUE(s.model().broken);
  for (const char* name : {"a.hdf5", "a.csv"}) {
    s.apply(ask::Save{at(name)});
    EXPECT_TRUE(s.model().notices.back().error);
    EXPECT_NE(last_notice(s).find("finite"), std::string::npos) << last_notice(s);
    EXPECT_FALSE(std::filesystem::exists(at(name))) << last_notice(s);
  }
}

TEST_F(SessionFiles, ABrokenFileGivesANoticeAndKeepsTheScene) {
  Session s(cpu(), {"plummer:n=50"}, in(Precision::fp32));
  steps(s, 3);
  s.apply(ask::Save{at("a.hdf5")});
  std::filesystem::resize_file(at("a.hdf5"), 3000);
  s.apply(ask::Open{at("a.hdf5")});
  EXPECT_TRUE(s.model().notices.back().error);
  EXPECT_NE(last_notice(s).find(at("a.hdf5")), std::string::npos) << last_notice(s);
  EXPECT_EQ(s.model().spec, "plummer:n=50");
  EXPECT_EQ(s.model().steps, 3u);
  steps(s, 1);
  EXPECT_EQ(s.model().steps, 4u);
}

}  // namespace
}  // namespace tri::app

// Recorded runs: their files in order, shown without a step, and gone on from.

namespace tri::app::test_timeline {
namespace {

class SeriesFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tri-series-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  /// A run saved every `every` steps, as PREFIX_STEP.EXTENSION; its states and times.
  std::vector<State> record(const std::string& extension, u64 every, u64 count, const std::string& prefix = "run") {
    Subject s("plummer:n=40");
    std::vector<State> states;
    std::vector<io::PvdEntry> list;
    for (u64 k = 0; k < count; ++k, s.step(every)) {
      const std::string name = prefix + "_" + std::to_string(s.model().steps) + extension;
      s.session.apply(ask::Save{at(name)});
      states.push_back(s.state());
      list.push_back({s.model().time, name});
    }
    if (extension == ".vtp") io::write_pvd_entries(at(prefix + ".pvd"), list);
    return states;
  }
  std::filesystem::path folder_;
};

TEST_F(SeriesFiles, AreInTheOrderOfTheirNumbers) {
  record(".csv", 50, 4);
  std::ofstream(at("run_x.csv")), std::ofstream(at("run_7.txt")), std::ofstream(at("other_7.csv"));
  for (const char* form : {"run_{step}.csv", "run_*.csv"}) {
    ASSERT_TRUE(Series::is_named_by(at(form)));
    const Series series(at(form));
    ASSERT_EQ(series.entries().size(), 4u);
    for (u64 k = 0; k < 4; ++k) EXPECT_EQ(series.entries()[k].step, 50 * k) << "100 comes after 50";
    EXPECT_EQ(series.at(0), 0u);
    EXPECT_EQ(series.at(149), 2u);
    EXPECT_EQ(series.at(1000), 3u);
  }
  for (const char* none : {"run_0.csv", "plummer:n=5", "run_*.xyz.png", "run_*", "x.toml"}) {
    EXPECT_FALSE(Series::is_named_by(none)) << none;
  }
  test::expect_parts(test::message_of<FileError>([&] { Series(at("none_{step}.csv")); }), {"none_{step}.csv"});
  std::ofstream(at("run_050.csv"));
  test::expect_parts(test::message_of<FileError>([&] { Series(at("run_*.csv")); }), {"the same number"});
}

TEST_F(SeriesFiles, AListHasTimesAndStepsOrPlaces) {
  const std::vector<State> states = record(".vtp", 20, 3);
  const Series series(at("run.pvd"));
  ASSERT_EQ(series.entries().size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(series.entries()[k].step, 20 * k);
    EXPECT_EQ(series.entries()[k].time, states[k].time);
  }
  io::write_pvd_entries(at("mixed.pvd"), {{2, "b.vtp"}, {1, "a9.vtp"}, {3, "c5.vtp"}});
  const Series mixed(at("mixed.pvd"));
  EXPECT_EQ(mixed.entries()[0].path, at("a9.vtp"));
  EXPECT_EQ(mixed.entries()[2].step, 2u) << "its place";
  io::write_pvd_entries(at("empty.pvd"), {});
  test::expect_parts(test::message_of<FileError>([&] { Series(at("empty.pvd")); }), {"lists no files"});
}

TEST_F(SeriesFiles, EveryStateIsShownAsItWasSaved) {
  for (const auto& [extension, name] :
       {std::pair{".vtp", "run.pvd"}, {".csv", "run_{step}.csv"}, {".hdf5", "run_*.hdf5"}}) {
    SCOPED_TRACE(name);
    const std::vector<State> states = record(extension, 15, 5);
    Subject s(at(name));
    const TimelineModel& t = s.model().timeline;
    EXPECT_TRUE(t.kept && t.recorded);
    EXPECT_EQ(t.first, 0u);
    EXPECT_EQ(t.last, 60u);
    EXPECT_EQ(t.keyframes.size(), 5u);
    const u64 generation = s.session.generation();
    for (const std::size_t k : {4, 1, 2, 0, 3}) {
      s.go(ask::GoTo{15 * k + 14 * (k < 4)});
      EXPECT_TRUE(test::same_bits(s.state().bodies.x, states[k].bodies.x));
      EXPECT_TRUE(test::same_bits(s.state().bodies.vz, states[k].bodies.vz));
      EXPECT_EQ(s.model().steps, 15 * k);
      const bool times = std::string(extension) != ".csv";
      EXPECT_EQ(s.model().time, times ? states[k].time : 15.0 * static_cast<double>(k));
    }
    s.go(ask::StepBack{2});
    EXPECT_EQ(s.model().steps, 15u);
    s.go(ask::Take{3});
    EXPECT_EQ(s.model().steps, 60u);
    s.go(ask::Take{3});
    test::expect_parts(s.last_notice(), {"ends at step 60"});
    s.go(ask::Reset{});
    EXPECT_EQ(s.model().steps, 0u);
    EXPECT_EQ(s.session.generation(), generation) << "the same bodies, and the same picture";
    EXPECT_EQ(s.model().diagnostics.size(), 1u) << "nothing is computed";
    s.session.diagnose(1e12);
    EXPECT_EQ(s.model().diagnostics.size(), 1u);
  }
}

TEST_F(SeriesFiles, PlaysByFramesAndByTheClock) {
  const std::vector<State> states = record(".vtp", 10, 6);
  Subject s(at("run.pvd"));
  s.session.apply(Requests{ask::StepsPerFrame{2}, ask::Run{true}});
  for (const u64 step : {20, 40, 50}) {
    s.session.begin_steps(1);
    ASSERT_TRUE(s.session.finish_steps(1e9));
    EXPECT_EQ(s.model().steps, step);
  }
  s.session.advance(1);
  EXPECT_FALSE(s.model().running) << "at the end";
  s.session.keep_pace();
  EXPECT_NEAR(s.model().pace, 10 * states[1].time, 1e-9) << "ten states a second";
  s.go(ask::Reset{});
  s.session.apply(Requests{ask::PaceOfTime{states[1].time}, ask::Run{true}});  // a state a second
  u64 shown = 0;
  for (int k = 0; k < 40; ++k) {
    s.session.let_time_pass(0.1);
    s.session.advance(1);
    shown += s.model().steps_last_frame;
  }
  EXPECT_EQ(shown, 4u);
  EXPECT_EQ(s.model().steps, 40u);
}

TEST_F(SeriesFiles, ARunGoesOnFromTheStateThatIsShown) {
  record(".hdf5", 15, 4);
  Subject s(at("run_{step}.hdf5"));
  s.go(ask::GoTo{30});
  for (const Request& change : Requests{ask::TimeStep{0.5}, ask::PairMap{TriangleMapId::bb}, ask::Undo{},
                                        ask::Save{at("x.hdf5")}, ask::OtherBranch{}}) {
    s.session.apply(change);
    test::expect_parts(s.last_notice(), {"a recorded run", "Branch here"});
  }
  const u64 generation = s.session.generation();
  s.go(ask::Branch{});
  EXPECT_EQ(s.session.generation(), generation);
  EXPECT_FALSE(s.model().timeline.recorded);
  EXPECT_EQ(s.model().steps, 30u);
  s.step(15);
  const State on = s.state();
  Subject whole("plummer:n=40");
  whole.step(45);
  expect_equal(on, whole.state());
  s.go(ask::StepBack{5});
  EXPECT_EQ(s.model().steps, 40u) << "which can be stepped back too";
}

TEST_F(SeriesFiles, AStateThatCannotBeReadChangesNothing) {
  const std::vector<State> states = record(".csv", 10, 4);
  Subject s(at("run_*.csv"));
  s.go(ask::GoTo{10});
  std::ofstream(at("run_20.csv")) << "nonsense";
  s.session.apply(Requests{ask::StepsPerFrame{1}, ask::Run{true}});
  s.session.advance(1);
  EXPECT_EQ(s.model().steps, 10u);
  EXPECT_FALSE(s.model().running);
  EXPECT_TRUE(s.model().notices.back().error);
  test::expect_parts(s.last_notice(), {"run_20.csv"});
  EXPECT_TRUE(test::same_bits(s.state().bodies.x, states[1].bodies.x));
  s.go(ask::GoTo{30});
  EXPECT_EQ(s.model().steps, 30u);
  s.session.apply(ask::Open{at("none_*.csv")});
  EXPECT_TRUE(s.model().timeline.recorded) << "and the old one stays";
  s.session.apply(ask::Open{"plummer:n=10"});
  EXPECT_FALSE(s.model().timeline.recorded);
}

TEST_F(SeriesFiles, StatesOfAnotherNumberOfBodiesAreAnotherPicture) {
  for (const u64 n : {10, 20})
    write_bodies(at("a_" + std::to_string(n) + ".csv"), open_scene("plummer:n=" + std::to_string(n)).bodies);
  Subject s(at("a_*.csv"));
  const u64 generation = s.session.generation();
  s.go(ask::Take{1});
  EXPECT_EQ(s.model().n, 20u);
  EXPECT_EQ(s.session.generation(), generation + 1);
  EXPECT_EQ(s.session.drawn().size(), 20u);
}

TEST_F(SeriesFiles, APictureOfAStateOpensAsThatState) {
  record(".csv", 10, 4);
  Subject s(at("run_*.csv")), other("kepler");
  s.go(ask::GoTo{20});
  other.session.apply(session_requests(session_text(s.model())));
  other.arrive();
  EXPECT_EQ(other.model().steps, 20u);
  EXPECT_EQ(session_text(other.model()), session_text(s.model()));
  Requests then = session_requests(session_text(s.model()));
  const ask::Open first = std::get<ask::Open>(then.front());
  then.erase(then.begin());
  Session opened(cpu(), first, {}, then);
  opened.keep_timeline();  // from the run that may begin here; the way to the state is not lost
  while (opened.model().timeline.seek) opened.advance(1e9);
  EXPECT_EQ(opened.model().steps, 20u);
}

}  // namespace
}  // namespace tri::app::test_timeline
