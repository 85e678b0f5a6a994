/// The driver over the oracle backend: steps, times, ends, faults.

#include <unistd.h>
#include <algorithm>
#include <numbers>
#include <tuple>

#include "sim/io/format.hpp"
#include "sim/simulation.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fake_backends.hpp"
#include "tests/support/scene_support.hpp"
#include "tests/support/temp_folder.hpp"

namespace tri::test {
namespace {

const EngineConfig kConfig{};

TEST(Simulation, BeginsAtStepZeroWithTheScenesState) {
  OracleBackend backend;
  const Scene scene = make_scene("figure-8");
  Simulation sim(scene, backend, kConfig);
  EXPECT_EQ(sim.step_count(), 0u);
  EXPECT_EQ(sim.time(), 0.0);
  EXPECT_EQ(sim.size(), 3u);
  EXPECT_TRUE(same_bits(sim.bodies(), scene.bodies));
  EXPECT_EQ(sim.scene().bodies.size(), 0u);
  EXPECT_EQ(sim.scene().name, "figure-8");
  EXPECT_EQ(backend.engines_made, 1);
  EXPECT_NEAR(sim.initial().values.energy(), -1.28714199176633, 1e-13);
  EXPECT_EQ(sim.initial().energy_error, 0.0);
}

TEST(Simulation, AdvancesLikeItsIntegrator) {
  OracleBackend backend;
  for (const Integrator integrator : {Integrator::kdk, Integrator::symplectic_euler, Integrator::yoshida4}) {
    Scene scene = make_scene("kepler");
    scene.integrator = integrator;
    Bodies expected = scene.bodies;
    reference_advance(expected, scene.field, integrator, scene.dt, 100);
    Simulation sim(scene, backend, kConfig);
    EXPECT_EQ(sim.advance(99), 99u);
    EXPECT_TRUE(sim.step());
    EXPECT_EQ(sim.step_count(), 100u);
    EXPECT_TRUE(same_bits(sim.bodies(), expected));
  }
}

TEST(Simulation, TimeDoesNotDrift) {
  OracleBackend backend;
  Scene scene = make_scene("kepler:dt=0.1");
  scene.field.gravity.G = 0;  // the count matters here, not the orbit
  Simulation sim(scene, backend, kConfig);
  sim.advance(100000);
  EXPECT_EQ(sim.time(), 100000 * 0.1);
  double summed = 0;
  for (int i = 0; i < 100000; ++i) summed += 0.1;
  EXPECT_NE(summed, sim.time());
}

TEST(Simulation, AChangeInFlightStartsAnotherRunAndKeepsTheClock) {
  OracleBackend backend;
  Simulation sim(make_scene("kepler:dt=0.01"), backend, kConfig);
  RunParameters to = sim.parameters();
  to.field.gravity.G = 2;
  sim.change(to, kConfig);
  EXPECT_FALSE(sim.modified()) << "the run starts with the new laws";
  sim.advance(10);
  Scene stronger = make_scene("kepler:dt=0.01");
  stronger.field.gravity.G = 2;
  EXPECT_EQ(sim.initial().values.energy(), Simulation(stronger, backend, kConfig).initial().values.energy());
  to.dt = 0.1;
  sim.change(to, kConfig);
  EXPECT_TRUE(sim.modified());
  sim.advance(3);
  EXPECT_NEAR(sim.time(), 0.4, 1e-15);
  to.backwards = true;
  sim.change(to, kConfig);
  sim.advance(3);
  EXPECT_NEAR(sim.time(), 0.1, 1e-15);
  EXPECT_EQ(sim.step_count(), 16u);
  Bodies expected = stronger.bodies;
  for (const auto& [dt, steps] : {std::pair(0.01, 10), std::pair(0.1, 3), std::pair(-0.1, 3)}) {
    reference_advance(expected, stronger.field, stronger.integrator, dt, static_cast<u64>(steps));
  }
  EXPECT_TRUE(same_bits(sim.bodies(), expected));
  to.dt = 0;
  EXPECT_THROW(sim.change(to, kConfig), ConfigError);
  EXPECT_EQ(sim.parameters().dt, 0.1);
}

TEST(Simulation, EnergiesAreRelativeToTheLastChangeOfLawsOrState) {
  OracleBackend backend;
  Simulation sim(make_scene("kepler:dt=0.01"), backend, kConfig);
  sim.advance(10);
  RunParameters to = sim.parameters();
  to.field.gravity.G = 2;
  sim.change(to, kConfig);
  EXPECT_EQ(sim.diagnostics().energy_error, 0);
  EXPECT_EQ(sim.initial().step, 10u);
  sim.advance(10);
  EXPECT_LT(std::abs(sim.diagnostics().energy_error), 1e-3);
  to.dt = 0.005, to.field.lennard_jones.sigma = 3;  // neither changes an energy
  sim.change(to, kConfig);
  sim.advance(1);
  EXPECT_EQ(sim.initial().step, 10u);
}

TEST(Simulation, AResetRestoresStepZeroWithTheCurrentParameters) {
  OracleBackend backend;
  const Scene scene = make_scene("kepler:dt=0.01");
  Simulation sim(scene, backend, kConfig);
  sim.advance(5);
  RunParameters to = sim.parameters();
  to.dt = 0.02;
  sim.change(to, kConfig);
  const DiagnosticsRow row = sim.reset(backend.make_engine(scene.bodies, scene.field, kConfig));
  EXPECT_EQ(row.step, 0u);
  EXPECT_FALSE(sim.modified());
  EXPECT_EQ(sim.time(), 0.0);
  EXPECT_TRUE(same_bits(sim.bodies(), scene.bodies));
  sim.advance(2);
  EXPECT_EQ(sim.time(), 0.04);

  // A run continued from a snapshot resets to that snapshot.
  Simulation resumed(Scene(scene), Clock{7}, sim.initial(), backend.make_engine(scene.bodies, scene.field, kConfig));
  resumed.advance(3);
  EXPECT_EQ(resumed.time(), 10 * 0.01);
  EXPECT_EQ(resumed.reset(backend.make_engine(scene.bodies, scene.field, kConfig)).step, 7u);
  EXPECT_EQ(resumed.initial().step, 0u);
  resumed.change(to, kConfig);
  EXPECT_TRUE(resumed.modified()) << "its run started with other parameters";
  resumed.reset(backend.make_engine(scene.bodies, scene.field, kConfig));
  EXPECT_EQ(resumed.initial().step, 7u) << "energy errors are relative to the reset state";
}

TEST(Simulation, AModifiedRunIsSavedAsAStart) {
  OracleBackend backend;
  EngineConfig config;
  config.precision = Precision::fp64;  // the oracle's
  const TempFolder folder;
  const std::string path = folder.at("a.hdf5");
  for (const bool backwards : {false, true}) {
    Simulation sim(make_scene("kepler:dt=0.01"), backend, config);
    RunParameters to = sim.parameters();
    if (!backwards) sim.advance(1), to.dt = 0.02;
    to.backwards = backwards;  // from the first step on; a snapshot stores no direction
    sim.change(to, config);
    sim.advance(4);
    EXPECT_TRUE(sim.modified());
    sim.save(path);
    const Snapshot saved = read_snapshot(path);
    EXPECT_EQ(saved.step, 0u);
    EXPECT_EQ(saved.initial.values.energy(), sim.diagnostics().values.energy());
  }
}

TEST(Simulation, AnotherEngineContinuesAtTheSameStep) {
  OracleBackend backend;
  const Scene scene = make_scene("kepler:dt=0.01");
  Simulation sim(scene, backend, kConfig);
  sim.advance(4);
  const Bodies kept = sim.bodies();
  sim.advance(6);
  sim.replace_engine(backend.make_engine(kept, scene.field, kConfig), 4, 0.04);
  EXPECT_EQ(sim.step_count(), 4u);
  sim.advance(6);
  EXPECT_EQ(sim.time(), 10 * 0.01);
  Bodies expected = scene.bodies;
  reference_advance(expected, scene.field, scene.integrator, 0.01, 10);
  EXPECT_TRUE(same_bits(sim.bodies(), expected));
  RunParameters to = sim.parameters();
  to.dt = 0.02;
  sim.change(to, kConfig);
  sim.replace_engine(backend.make_engine(kept, scene.field, kConfig), 4, 0.04);
  EXPECT_EQ(sim.time(), 0.04) << "a step before the clock's last change";
}

TEST(Simulation, RunsToTheNearestStep) {
  OracleBackend backend;
  Simulation sim(make_scene("figure-8:dt=0.01"), backend, kConfig);
  EXPECT_EQ(sim.steps_until(0), 0u);
  EXPECT_EQ(sim.steps_until(0.0049), 0u);
  EXPECT_EQ(sim.steps_until(0.0051), 1u);
  EXPECT_EQ(sim.steps_until(628.3185307), 62832u);
  EXPECT_EQ(sim.run_until(0.3), 30u);  // 0.3 / 0.01 is 29.999999999999996
  EXPECT_EQ(sim.step_count(), 30u);
  EXPECT_EQ(sim.run_until(0.3), 0u);
  EXPECT_EQ(sim.run_until(0.304), 0u);
  EXPECT_EQ(sim.run_until(0.42), 12u);
  EXPECT_NEAR(sim.time(), 0.42, 1e-15);
}

TEST(Simulation, RejectsUnreachableEnds) {
  OracleBackend backend;
  Simulation sim(make_scene("figure-8:dt=0.01"), backend, kConfig);
  sim.advance(10);
  expect_parts(message_of<ConfigError>([&] { sim.run_until(0.05); }), {"cannot run until t = 0.05", "0.1 already"});
  expect_parts(message_of<ConfigError>([&] { sim.run_until(-1); }), {"t = -1"});
  expect_parts(message_of<ConfigError>([&] { sim.run_until(NAN); }), {"must be finite"});
  expect_parts(message_of<ConfigError>([&] { sim.run_until(INFINITY); }), {"must be finite"});
  expect_parts(message_of<ConfigError>([&] { sim.run_until(1e300); }), {"more than 2^53 steps", "raise dt"});
  EXPECT_EQ(sim.step_count(), 10u);
}

TEST(Simulation, RejectsInvalidStepsAndBodies) {
  OracleBackend backend;
  for (const double dt : {0.0, -0.01, std::nan(""), HUGE_VAL}) {
    Scene scene = make_scene("figure-8");
    scene.dt = dt;
    expect_parts(message_of<ConfigError>([&] { Simulation(scene, backend, kConfig); }), {"the time step is"});
  }
  Scene scene = make_scene("figure-8");
  scene.bodies.x[1] = NAN;
  EXPECT_THROW(Simulation(scene, backend, kConfig), ConfigError);
}

TEST(Simulation, DiagnosticsAreOfTheCurrentStep) {
  OracleBackend backend;
  Simulation sim(make_scene("kepler"), backend, kConfig);
  double worst = 0;
  for (int i = 0; i < 1024; ++i) {
    sim.step();
    const DiagnosticsRow row = sim.diagnostics();
    ASSERT_EQ(row.step, sim.step_count());
    ASSERT_EQ(row.time, sim.time());
    const Bodies b = sim.bodies();
    ASSERT_NEAR(row.values.energy(), kinetic_of(b) + potential_of(b), 1e-14);
    worst = std::max(worst, std::abs(row.energy_error));
  }
  EXPECT_NEAR(worst, 1.0038e-4, 1e-8);  // known for kdk at 1024 steps an orbit
}

TEST(Simulation, EnergyErrorIsRelativeToTheEnergyScale) {
  OracleBackend backend;
  // Two bodies on a parabola: E0 is 0 but for rounding, K0 = |U0| = 0.5.
  Scene parabola = make_scene("kepler");
  parabola.bodies = {};
  parabola.bodies.add(0, 0, 0, 0, 0, 0, 1);
  parabola.bodies.add(2, 0, 0, 0, 1, 0, 1);
  parabola.dt = 0.1;
  Simulation sim(parabola, backend, kConfig);
  EXPECT_EQ(sim.initial().values.energy(), 0.0);
  sim.advance(10);
  const DiagnosticsRow row = sim.diagnostics();
  EXPECT_NE(row.energy_error, 0.0);
  EXPECT_EQ(row.energy_error, row.values.energy());  // K0 + |U0| = 1
  // No motion and no forces: no division by zero.
  Simulation still(make_scene("sphere-box:n=5,speed=0"), backend, kConfig);
  still.advance(2);
  EXPECT_EQ(still.diagnostics().energy_error, 0.0);
}

TEST(Simulation, AFaultCarriesTheAbsoluteStep) {
  OracleBackend backend;
  backend.before_step = [](u64 step) {
    if (step == 8) throw NumericalError("body 2: x is nan");
  };
  Simulation sim(make_scene("figure-8:dt=0.125"), backend, kConfig);
  EXPECT_EQ(sim.advance(5), 5u);
  const auto message = message_of<NumericalError>([&] { sim.advance(5); });
  expect_parts(message, {"step 8 (t = 1): ", "body 2: x is nan"});
  EXPECT_EQ(sim.step_count(), 7u);
}

TEST(Simulation, TheEnergyLimitStopsARun) {
  OracleBackend backend;
  const auto fresh = [&] { return Simulation(make_scene("kepler:dt=0.05"), backend, kConfig); };
  Simulation free = fresh();
  free.advance(60);  // near the pericentre, where the error is largest
  const double error = std::abs(free.diagnostics().energy_error);
  ASSERT_GT(error, 1e-4);

  Simulation watched = fresh();
  watched.set_energy_limit(1e-4, 1);
  const auto message = message_of<NumericalError>([&] { watched.advance(60); });
  expect_parts(message, {"step ", "the energy went from -0.125", "beyond the limit 0.0001", "smaller dt"});
  EXPECT_LT(watched.step_count(), 60u);
  EXPECT_GT(watched.step_count(), 0u);

  Simulation asked = fresh();
  asked.set_energy_limit(1e-4);  // by diagnostics() only
  asked.advance(60);
  EXPECT_THROW(asked.diagnostics(), NumericalError);
  asked.set_energy_limit(std::numeric_limits<double>::infinity());
  EXPECT_NO_THROW(asked.diagnostics());

  Simulation loose = fresh();
  loose.set_energy_limit(2 * error, 7);
  EXPECT_EQ(loose.advance(60), 60u);
  for (const double limit : {0.0, -1.0, std::nan("")}) EXPECT_THROW(loose.set_energy_limit(limit), ConfigError);
}

TEST(Simulation, ANaNEnergyExceedsAnyLimit) {
  OracleBackend backend;
  Scene scene = make_scene("kepler");
  Simulation sim(scene, backend, kConfig);
  sim.set_energy_limit(1e9, 1);
  ForceField broken = scene.field;
  broken.gravity.G = std::nan("");
  sim.engine().set_field(broken);
  EXPECT_THROW(sim.step(), NumericalError);
}

TEST(Simulation, TheStopFlagEndsTheRunAfterTheStepInProgress) {
  OracleBackend backend;
  std::atomic<bool> stop = false;
  backend.before_step = [&](u64 step) {
    if (step == 4) stop = true;
  };
  Simulation sim(make_scene("figure-8:dt=0.01"), backend, kConfig);
  sim.set_stop_flag(&stop);
  EXPECT_FALSE(sim.stop_requested());
  EXPECT_EQ(sim.advance(100), 4u);
  EXPECT_EQ(sim.step_count(), 4u);
  EXPECT_TRUE(sim.stop_requested());
  EXPECT_FALSE(sim.step());
  EXPECT_EQ(sim.run_until(1.0), 0u);
  stop = false;
  EXPECT_EQ(sim.run_until(1.0), 96u);
  sim.set_stop_flag(nullptr);
  stop = true;
  EXPECT_TRUE(sim.step());
}

// An engine that takes seven steps per call: the same run.
TEST(Simulation, StepsPerCallDoNotChangeTheRun) {
  OracleBackend backend, single;
  backend.at_once = 7;
  std::atomic<bool> stop = false;
  backend.before_step = [&](u64 step) {
    if (step == 10) stop = true;
    if (step == 40) throw NumericalError("body 2: x is nan", 5);  // the fifth of the call that began with step 36
  };
  Simulation sim(make_scene("figure-8:dt=0.125"), backend, kConfig),
      other(make_scene("figure-8:dt=0.125"), single, kConfig);
  sim.set_stop_flag(&stop);
  EXPECT_EQ(sim.advance(100), 14u) << "the end of the second call";
  other.advance(14);
  EXPECT_TRUE(same_bits(sim.bodies(), other.bodies()));
  stop = false;
  EXPECT_EQ(sim.advance(1), 1u);
  EXPECT_EQ(sim.advance(20), 20u);
  EXPECT_EQ(sim.step_count(), 35u);
  const auto message = message_of<NumericalError>([&] { sim.advance(100); });
  expect_parts(message, {"step 40 (t = 5): ", "body 2: x is nan"});
  EXPECT_EQ(sim.step_count(), 39u);
}

TEST(Simulation, TheEnergyIsCheckedWhenDueForAnyStepsPerCall) {
  OracleBackend backend;
  backend.at_once = 1000;
  Simulation sim(make_scene("kepler:dt=0.05"), backend, kConfig);
  sim.set_energy_limit(1e-4, 5);
  EXPECT_THROW(sim.advance(60), NumericalError);
  EXPECT_EQ(sim.step_count() % 5, 0u);
  EXPECT_LT(sim.step_count(), 60u);
}

TEST(Simulation, TheHashIsOfTheState) {
  OracleBackend backend;
  Simulation a(make_scene("plummer:n=64"), backend, kConfig), b(make_scene("plummer:n=64"), backend, kConfig);
  EXPECT_EQ(a.state_hash(), b.state_hash());
  a.advance(3);
  EXPECT_NE(a.state_hash(), b.state_hash());
  b.advance(1);
  b.advance(2);
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

TEST(Simulation, SavesAStateThatContinuesBitForBit) {
  OracleBackend backend;
  const TempFolder folder;
  const std::string path = folder.at("a.csv");
  Simulation whole(make_scene("sphere-box:n=20"), backend, kConfig);
  whole.advance(50);
  whole.save(path);
  Scene scene = make_scene("sphere-box:n=20");
  scene.bodies = read_bodies(path);
  Simulation second(scene, backend, kConfig);
  whole.advance(50);
  second.advance(50);
  EXPECT_EQ(whole.state_hash(), second.state_hash());
  EXPECT_TRUE(same_bits(whole.bodies(), second.bodies()));
  expect_parts(message_of<FileError>([&] { whole.save("x.tab"); }), {"radii", ".csv"});
}

// The driver over the real backends, against the oracle.

EngineConfig fp64() {
  EngineConfig config;
  config.precision = Precision::fp64;
  return config;
}

class EveryScene : public testing::TestWithParam<std::tuple<std::string, const char*>> {
 protected:
  void SetUp() override { require_usable(availability_of(std::get<0>(GetParam()))); }
};

TEST_P(EveryScene, MovesLikeTheOracle) {
  const auto& [name, text] = GetParam();
  const auto backend = make_named(name);
  const Scene scene = make_scene(text);
  OracleBackend oracle;
  Simulation fast(scene, *backend, fp64());
  Simulation slow(scene, oracle, fp64());
  fast.advance(20);
  slow.advance(20);
  const Bodies a = fast.bodies(), b = slow.bodies();
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::hypot(a.x[i] - b.x[i], a.y[i] - b.y[i], a.z[i] - b.z[i]));
    largest = std::max(largest, std::hypot(b.x[i], b.y[i], b.z[i]));
  }
  EXPECT_LT(worst, 1e-9 * largest);
  const DiagnosticsRow p = fast.diagnostics(), q = slow.diagnostics();
  const double scale = q.values.kinetic + std::abs(q.values.potential);
  EXPECT_NEAR(p.values.energy(), q.values.energy(), 1e-9 * scale);
  EXPECT_NEAR(p.values.virial_ratio(), q.values.virial_ratio(), 1e-6 * (1 + std::abs(q.values.virial_ratio())));
  EXPECT_EQ(p.step, 20u);
  EXPECT_EQ(p.time, q.time);
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene,
                         testing::Combine(testing::ValuesIn(backend_names()),
                                          testing::Values("plummer:n=300", "uniform-ball:n=257", "uniform-box:n=100",
                                                          "kepler", "figure-8", "lagrange", "sphere-box:n=100",
                                                          "gas:n=300", "falling-pile:n=60", "argon-droplet:n=60")));

// The default scene, smaller: in virial equilibrium, and energy is conserved over a crossing time. One thread, since
// 1024 bodies are too few for two.
using OnEveryBackend = OnBackend;
TRI_ON_EVERY_BACKEND(OnEveryBackend);

TEST_P(OnEveryBackend, TheDefaultSceneKeepsItsEnergyAndItsVirialRatio) {
  EngineConfig config;
  config.threads = 1;
  Simulation sim(make_scene("plummer:n=1024"), backend(), config);
  EXPECT_NEAR(sim.initial().values.virial_ratio(), 1.0, 0.03);
  double worst = 0;
  for (int i = 0; i < 12; ++i) {
    sim.advance(64);
    const DiagnosticsRow row = sim.diagnostics();
    EXPECT_NEAR(row.values.virial_ratio(), 1.0, 0.1) << row.step;
    worst = std::max(worst, std::abs(row.energy_error));
  }
  EXPECT_LT(worst, 1e-3);
}

TEST_P(OnEveryBackend, TheSolarSystemKeepsItsEnergyAndTheEarthItsOrbit) {
  Simulation sim(open_scene(TRI_TEST_DATA "/solar_system.tab"), backend(), fp64());
  sim.set_energy_limit(1e-6, 100);
  sim.run_until(62.83185307);  // ten years
  const Bodies b = sim.bodies();
  const double dx = b.x[3] - b.x[0], dy = b.y[3] - b.y[0], dz = b.z[3] - b.z[0];
  const double ux = b.vx[3] - b.vx[0], uy = b.vy[3] - b.vy[0], uz = b.vz[3] - b.vz[0];
  const double a = 1 / (2 / std::hypot(dx, dy, dz) - (ux * ux + uy * uy + uz * uz) / (b.m[0] + b.m[3]));
  EXPECT_NEAR(a, 1.0, 1e-3);
  EXPECT_LT(std::abs(sim.diagnostics().energy_error), 1e-6);
}

TEST_P(OnEveryBackend, TheHashDoesNotDependOnHowStepsAreSplit) {
  EngineConfig config;
  config.accumulate = Accumulate::ordered;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    config.precision = precision;
    Simulation once(make_scene("plummer:n=500"), backend(), config),
        often(make_scene("plummer:n=500"), backend(), config);
    once.advance(6);
    for (int i = 0; i < 6; ++i) {
      often.step();
      often.diagnostics();
    }
    EXPECT_EQ(once.state_hash(), often.state_hash());
    const auto whole = make_scene("plummer:n=500");
    const auto engine = backend().make_engine(whole.bodies, whole.field, config);
    engine->advance(whole.integrator, whole.dt, 6);
    EXPECT_EQ(engine->state_hash(), once.state_hash());
  }
}

TEST_P(OnEveryBackend, ANumericalFaultNamesTheStepOfTheRun) {
  Scene scene = make_scene("kepler:dt=0.5");
  scene.bodies = {};
  scene.bodies.add(-1, 0, 0, 1, 0, 0, 1e-30);  // they coincide after the second step of 0.5
  scene.bodies.add(1, 0, 0, -1, 0, 0, 1e-30);
  Simulation sim(scene, backend(), fp64());
  const auto message = message_of<NumericalError>([&] { sim.advance(10); });
  expect_parts(message, {"step 2 (t = 1): "});
}

// What the engine does not use comes back: species and units, in the snapshot and in files of bodies.
TEST_P(OnEveryBackend, SpeciesAndUnitsGoThroughARun) {
  Simulation sim(make_scene("argon-crystal:n=8"), backend(), fp64());
  sim.advance(2);
  const TempFolder folder;
  const std::string snapshot = folder.at("a.hdf5"), atoms = folder.at("a.extxyz");
  sim.save(snapshot), sim.save(atoms);
  const Snapshot back = read_snapshot(snapshot);
  EXPECT_EQ(back.scene.bodies.species, std::vector<u8>(8, 18));
  EXPECT_EQ(back.scene.units, "nm-ps-amu");
  EXPECT_EQ(back.scene.dt, 0.004);
  ReadReport reading;
  EXPECT_EQ(read_bodies(atoms, reading).species, std::vector<u8>(8, 18));
  EXPECT_EQ(reading.units, find_unit_system("angstrom-ps-amu")) << "as the readers of xyz take it";
  EXPECT_EQ(reading.time, 0.008);
}

// Charges are part of the state: they come back in the precision of the run, from a snapshot and from a kept state, and
// the run that goes on has them.
TEST_P(OnEveryBackend, ChargesGoThroughARun) {
  const TempFolder folder;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    for (const std::size_t n : {1u, 31u, 300u}) {
      Scene scene = make_scene("plummer:n=" + std::to_string(n));
      for (std::size_t i = 0; i < n; ++i) scene.bodies.q.push_back(0.1 * static_cast<double>(i) - 3);
      std::vector<double> held = scene.bodies.q;
      if (precision == Precision::fp32) {
        for (double& q : held) q = static_cast<double>(static_cast<float>(q));
      }
      EngineConfig config;
      config.precision = precision;
      config.accumulate = Accumulate::ordered;  // ranks change their shares by time, and fast sums go by them
      Simulation sim(scene, backend(), config);
      EXPECT_EQ(sim.bodies().q, held);
      const auto kept = sim.engine().save_state(nullptr);
      sim.advance(3);
      EXPECT_EQ(sim.bodies().q, held);
      const std::string snapshot = folder.at("a.hdf5");
      sim.save(snapshot);
      const Snapshot back = read_snapshot(snapshot);
      EXPECT_EQ(back.scene.bodies.q, held);
      Simulation again(back, backend(), config);
      sim.advance(2), again.advance(2);
      EXPECT_EQ(again.state_hash(), sim.state_hash());
      EXPECT_EQ(again.bodies().q, held);
      sim.engine().restore_state(*kept);
      EXPECT_EQ(sim.engine().read().q, held);
    }
  }
}

TEST(Simulation, AFailedChangeKeepsTheField) {
  const auto cpu = make_backend("cpu");
  const EngineConfig config;
  Simulation sim(make_scene("plummer:n=5000"), *cpu, config), untouched(make_scene("plummer:n=5000"), *cpu, config);
  RunParameters to = sim.parameters();
  to.field.gravity.G = 2;
  EngineConfig beyond_the_limit;
  beyond_the_limit.pair_map = TriangleMapId::utm;
  EXPECT_THROW(sim.change(to, beyond_the_limit), ConfigError);
  sim.advance(1), untouched.advance(1);
  EXPECT_EQ(sim.state_hash(), untouched.state_hash());
}

}  // namespace
}  // namespace tri::test
