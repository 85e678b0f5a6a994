// Spheres divided among ranks: the state of one device, bit for bit, whatever the bodies do. Ranks of one device
// exchange bodies through the host; where there are two devices, through NCCL as well.

#include <cmath>
#include <limits>
#include <tuple>

#include "sim/backend_ranks.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cluster/cluster_backend.hpp"
#include "sim/cuda/kernels/bodies/body_domains.hpp"
#include "sim/model/contact_step.hpp"
#include "sim/scene/scene.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaDomains = CudaTest;

/// So many ranks on device 0, or one for each of the devices.
std::unique_ptr<Backend> domains_of(u32 ranks) {
  if (ranks == 0) return make_devices_backend({});
  return make_local_cluster(ranks, "cuda",
                            [](const std::string& /*name*/, Communicator& c) { return make_cuda_backend(0, c); });
}

/// Numbers of ranks; 0 for the devices.
std::vector<u32> rank_counts() {
  std::vector<u32> counts = thinned<u32>({2, 3, 7});
  if (cuda_devices().size() > 1) counts.push_back(0);
  return counts;
}

EngineConfig ordered(Precision precision = Precision::fp32) {
  EngineConfig config;
  config.precision = precision, config.accumulate = Accumulate::ordered, config.broad_phase = BroadPhase::grid;
  return config;
}

/// Calls of an engine, and all that it tells on the way.
using Story = std::function<std::vector<double>(Engine&)>;

void expect_that_of_one(const Scene& scene, const EngineConfig& config, const char* what, const Story& story) {
  const auto tell = [&](Backend& backend) {
    const auto engine = backend.make_engine(scene.bodies, scene.field, config);
    const std::vector<double> told = story(*engine);
    return std::tuple(told, engine->state_hash());
  };
  const auto alone = tell(*make_backend("cuda"));
  for (const u32 ranks : rank_counts()) {
    EXPECT_TRUE(tell(*domains_of(ranks)) == alone) << what << ", ranks: " << ranks;
  }
}

/// All positions and velocities.
std::vector<double> motion(const Engine& engine) {
  const Bodies b = engine.read();
  std::vector<double> all;
  for (const auto* column : {&b.x, &b.y, &b.z, &b.vx, &b.vy, &b.vz})
    all.insert(all.end(), column->begin(), column->end());
  return all;
}

Story steps(double dt, u64 count, Integrator integrator = Integrator::kdk) {
  return [=](Engine& engine) {
    for (u64 done = 0; done < count; done += count / 4) engine.advance(integrator, dt, count / 4);
    return motion(engine);
  };
}

/// Spheres in a cube under these walls, some of them in contact, with random velocities of this size.
Scene crowd(u32 n, Boundary walls, double speed, double fill = 0.4) {
  Scene scene = make_scene("sphere-box:n=500");
  const double r = std::cbrt(fill * 3.0 / (4.0 * 3.14159265 * n));
  scene.field.box.boundary = walls;
  scene.field.contact.damping = 0.1 * std::sqrt(scene.field.contact.stiffness / n);
  SplitMix64 random{n};
  Bodies& b = scene.bodies;
  b.resize(n);
  for (u32 i = 0; i < n; ++i) {
    b.x[i] = random.uniform(), b.y[i] = random.uniform(), b.z[i] = random.uniform(), b.m[i] = 1.0 / n;
    b.vx[i] = speed * (random.uniform() - 0.5), b.vy[i] = speed * (random.uniform() - 0.5);
    b.vz[i] = speed * (random.uniform() - 0.5), b.r[i] = r * (0.5 + 0.5 * random.uniform());
  }
  b.group.clear(), b.species.clear(), b.rest.clear();
  return scene;
}

TEST_F(CudaDomains, TakeStepsWithTheBitsOfOneDevice) {
  for (const Boundary walls : {Boundary::open, Boundary::reflecting, Boundary::periodic}) {
    for (const u32 n : sizes({100, 9000, 40000})) {
      const Scene scene = crowd(n, walls, 1.0);
      const double dt = shortest_contact(scene.bodies, scene.field) / 60;
      for (const Precision precision : {Precision::fp32, Precision::fp64}) {
        expect_that_of_one(scene, ordered(precision), "crowd", steps(dt, 40));
      }
      expect_that_of_one(scene, ordered(), "yoshida4", steps(dt, 8, Integrator::yoshida4));
      expect_that_of_one(scene, ordered(), "backwards", steps(-dt, 20));
    }
  }
}

/// Bodies that cross several layers of cells in a step come to ranks that are no peers.
TEST_F(CudaDomains, FindBodiesThatJump) {
  for (const Boundary walls : {Boundary::open, Boundary::periodic}) {
    Scene scene = crowd(9000, walls, 1.0);
    const double dt = shortest_contact(scene.bodies, scene.field) / 60;
    for (u32 i = 0; i < 9000; i += 1000) scene.bodies.vz[i] = (i % 2000 == 0 ? 0.3 : -0.45) / dt;
    expect_that_of_one(scene, ordered(), "jumps", steps(dt, 16));
  }
}

/// All bodies come to the cells of one rank, whose room they exceed, and leave it again.
TEST_F(CudaDomains, DivideTheBodiesAgainWhenTheyGather) {
  Scene scene = crowd(20000, Boundary::open, 0.0, 0.02);
  const double dt = shortest_contact(scene.bodies, scene.field) / 60;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies.vz[i] = (0.1 - scene.bodies.z[i]) / (100 * dt);
  }
  for (const double damping : {scene.field.contact.damping, 0.0}) {  // without it, accelerations outlast a step
    scene.field.contact.damping = damping;
    expect_that_of_one(scene, ordered(), "gathering", steps(dt, 80));
  }
  const auto backend = domains_of(3);
  const auto engine = backend->make_engine(scene.bodies, scene.field, ordered());
  for (u32 call = 0; call < 4; ++call) engine->advance(Integrator::kdk, dt, 20);
  engine->advance(Integrator::kdk, 1e-6 * dt, 1);  // which moves no body into the cells of another rank
  engine->diagnose();
  const std::vector<double> parts = engine->timing().rank_parts;
  ASSERT_EQ(parts.size(), 3U);
  double sum = 0;
  for (const double part : parts) {
    EXPECT_LT(part, 1.1 / 3);
    sum += part;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST_F(CudaDomains, TellTheirStateAtAnyTime) {
  const Scene scene = crowd(9000, Boundary::reflecting, 1.0);
  const double dt = shortest_contact(scene.bodies, scene.field) / 60;
  EngineConfig config = ordered();
  config.broad_phase = BroadPhase::automatic;  // which gravity takes too
  expect_that_of_one(scene, config, "calls between steps", [&](Engine& engine) {
    std::vector<double> told;
    const auto note = [&] {
      const Diagnostics d = engine.diagnose();
      told.insert(told.end(), {d.kinetic, d.potential, d.virial, static_cast<double>(engine.state_hash() >> 12)});
    };
    note();
    engine.advance(Integrator::kdk, dt, 7);
    const auto kept = engine.keep();
    note();
    const ForceResult forces = engine.forces();
    told.insert(told.end(), forces.fx.begin(), forces.fx.end());
    engine.advance(Integrator::symplectic_euler, dt, 5);
    EngineConfig other = config;
    other.pair_map = TriangleMapId::fold;
    engine.configure(other);
    engine.advance(Integrator::kdk, dt, 3);
    std::vector<Instance> drawn(engine.size());
    InstanceSink sink{InstanceSink::Place::host, drawn};
    engine.publish(sink);
    for (const Instance& instance : drawn) told.push_back(instance.x);
    ForceField field = scene.field;
    field.field = {0, -1, 0.5};
    engine.set_field(field);
    engine.advance(Integrator::kdk, dt, 6);
    note();
    engine.bring_back(*kept);
    note();
    engine.advance(Integrator::kdk, dt, 6);
    field.pair = PairLaw::gravity;
    engine.set_field(field);
    engine.advance(Integrator::kdk, dt, 2);
    return motion(engine);
  });
}

/// The first bad number of all ranks: the same sentence and the same state as on one device.
TEST_F(CudaDomains, NameTheBodyThatWentBad) {
  Scene scene = crowd(9000, Boundary::open, 1.0);
  const double dt = shortest_contact(scene.bodies, scene.field) / 60;
  // A step adds some units in the last place of the largest number; one body leaves the range in the ninth step, the
  // other in the tenth.
  constexpr double kField = 3e38, kMax = std::numeric_limits<float>::max();
  scene.field.field = {kField, -kField, 0};
  scene.bodies.vx[4321] = kMax - 8.5 * kField * dt, scene.bodies.vy[1234] = -kMax + 9.5 * kField * dt;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (i != 4321 && i != 1234) scene.bodies.vx[i] = scene.bodies.vy[i] = 0;
  }
  const auto story = [&](Backend& backend) {
    const auto engine = backend.make_engine(scene.bodies, scene.field, ordered());
    u64 step = 0;
    std::string text;
    try {
      engine->advance(Integrator::kdk, dt, 400);
    } catch (const NumericalError& error) {
      step = error.step(), text = error.what();
    }
    return std::tuple(text, step, engine->state_hash());
  };
  const auto alone = story(*make_backend("cuda"));
  EXPECT_NE(std::get<0>(alone), "");
  for (const u32 ranks : rank_counts()) EXPECT_EQ(story(*domains_of(ranks)), alone) << ranks;
}

TEST_F(CudaDomains, TellTheTimesOfTheirRanks) {
  const auto backend = domains_of(3);
  const Scene scene = crowd(9000, Boundary::periodic, 1.0);
  const auto engine = backend->make_engine(scene.bodies, scene.field, ordered());
  engine->advance(Integrator::kdk, 1e-6, 40);
  engine->diagnose();
  ASSERT_EQ(engine->timing().rank_ms.size(), 3U);
  for (const double ms : engine->timing().rank_ms) EXPECT_GT(ms, 0);
}

/// The zones of all ranks: each has its own cells and every cell beside them, and ranks that may hear of each other's
/// bodies after a step over one layer are peers.
TEST(RankCells, ZonesHaveTheCellsAround) {
  constexpr u32 kLayer = 12;
  SplitMix64 random{3};
  for (const u32 layers : {3U, 4U, 5U, 8U, 31U}) {
    for (u32 trial = 0; trial < 50; ++trial) {
      const u32 ranks = 1 + static_cast<u32>(random.next() % 7), cells = layers * kLayer;
      std::vector<u32> cuts{0};
      for (u32 r = 1; r < ranks; ++r) cuts.push_back(static_cast<u32>(random.next() % (cells + 1)));
      cuts.push_back(cells);
      std::sort(cuts.begin(), cuts.end());
      std::vector<cuda::RankCells> all;
      for (u32 r = 0; r < ranks; ++r) all.push_back(cuda::rank_cells(cuts, r, kLayer, layers));
      const auto in_zone = [&](const cuda::RankCells& zone, u32 layer) {
        return (layer + layers - zone.layer) % layers < zone.layers;
      };
      for (const cuda::RankCells& one : all) {
        if (one.low == one.high) {
          EXPECT_EQ(one.layers, 0U);
          continue;
        }
        for (u32 cell = one.low; cell < one.high; ++cell) {
          const u32 layer = cell / kLayer;
          for (const u32 near : {layer + layers - 1, layer, layer + 1}) EXPECT_TRUE(in_zone(one, near % layers));
        }
        // Its own cells are one after another within the zone.
        const u32 first = (one.low / kLayer + layers - one.layer) % layers * kLayer + one.low % kLayer;
        EXPECT_LE(first + (one.high - one.low), one.layers * kLayer);
        EXPECT_LE(one.layers, layers);
        EXPECT_GE(one.searched + 1, one.layers);
        for (const cuda::RankCells& other : all) {
          bool common = false;
          for (u32 layer = 0; layer < layers; ++layer) common |= in_zone(one, layer) && in_zone(other, layer);
          EXPECT_EQ(cuda::zones_meet(one, other, layers), common);
          EXPECT_EQ(cuda::zones_meet(other, one, layers), common);
        }
      }
    }
  }
}

}  // namespace
}  // namespace tri::test
