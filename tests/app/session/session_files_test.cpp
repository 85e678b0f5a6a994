// Sessions and files: a saved state continues in a run and in a session, bit for bit.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "sim/io/format.hpp"
#include "tests/app/session/session_support.hpp"

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
