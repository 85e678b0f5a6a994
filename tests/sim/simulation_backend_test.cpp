/// The driver over the real backends, against the oracle.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "sim/io/format.hpp"
#include "sim/simulation.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/oracle_backend.hpp"
#include "tests/support/scene_support.hpp"

namespace tri::test {
namespace {

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
  namespace fs = std::filesystem;
  Simulation sim(make_scene("argon-crystal:n=8"), backend(), fp64());
  sim.advance(2);
  const fs::path folder = fs::temp_directory_path() / ("tri-species-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string snapshot = folder / "a.hdf5", atoms = folder / "a.extxyz";
  sim.save(snapshot), sim.save(atoms);
  const Snapshot back = read_snapshot(snapshot);
  EXPECT_EQ(back.scene.bodies.species, std::vector<u8>(8, 18));
  EXPECT_EQ(back.scene.units, "nm-ps-amu");
  EXPECT_EQ(back.scene.dt, 0.004);
  ReadReport reading;
  EXPECT_EQ(read_bodies(atoms, reading).species, std::vector<u8>(8, 18));
  EXPECT_EQ(reading.units, find_unit_system("angstrom-ps-amu")) << "as the readers of xyz take it";
  EXPECT_EQ(reading.time, 0.008);
  fs::remove_all(folder);
}

// Charges are part of the state: they come back in the precision of the run, from a snapshot and from a kept state, and
// the run that goes on has them.
TEST_P(OnEveryBackend, ChargesGoThroughARun) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("tri-charges-" + std::to_string(::getpid()));
  fs::create_directories(folder);
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
      const auto kept = sim.engine().keep(nullptr);
      sim.advance(3);
      EXPECT_EQ(sim.bodies().q, held);
      const std::string snapshot = folder / "a.hdf5";
      sim.save(snapshot);
      const Snapshot back = read_snapshot(snapshot);
      EXPECT_EQ(back.scene.bodies.q, held);
      Simulation again(back, backend(), config);
      sim.advance(2), again.advance(2);
      EXPECT_EQ(again.state_hash(), sim.state_hash());
      EXPECT_EQ(again.bodies().q, held);
      sim.engine().bring_back(*kept);
      EXPECT_EQ(sim.engine().read().q, held);
    }
  }
  fs::remove_all(folder);
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
