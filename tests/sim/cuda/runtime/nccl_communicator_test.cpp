// Ranks whose messages NCCL carries. One rank needs one device and goes through NCCL as many do; two need two devices.

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <thread>
#include <tuple>

#include <netinet/in.h>

#include "sim/backend/ranks.hpp"
#include "sim/backends.hpp"
#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/kernels/contacts.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/cuda/runtime/ranks.hpp"
#include "sim/model/checks.hpp"
#include "sim/ranks/cluster_backend.hpp"
#include "sim/ranks/packet.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

/// A port that nobody has at the moment, on this machine.
std::string free_address() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  EXPECT_EQ(bind(file, reinterpret_cast<sockaddr*>(&at), size), 0);
  EXPECT_EQ(getsockname(file, reinterpret_cast<sockaddr*>(&at), &size), 0);
  close(file);
  return "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
}

class CudaNcclCommunicator : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    const Availability nccl = cuda::nccl_available();
    if (!nccl) GTEST_SKIP() << nccl.reason;
  }
};

/// Runs f(communicator) on each of so many ranks, threads with a device each.
void on_ranks(u32 size, const std::function<void(Communicator&)>& f) {
  cuda::nccl::UniqueId id{};
  ASSERT_EQ(cuda::nccl::loaded().api.get_unique_id(&id), cuda::nccl::kSuccess);
  std::vector<std::jthread> threads;
  for (u32 r = 0; r < size; ++r) {
    threads.emplace_back([&, r] { f(*cuda::make_nccl_communicator({r, size, r, static_cast<int>(r)}, id)); });
  }
}

u32 most_ranks() { return cuda_devices().size() > 1 ? 2 : 1; }

TEST_F(CudaNcclCommunicator, SumsMaximaAndBroadcastsReachEveryRank) {
  for (u32 size = 1; size <= most_ranks(); ++size) {
    on_ranks(size, [size](Communicator& ranks) {
      EXPECT_EQ(ranks.size(), size);
      EXPECT_EQ(ranks.host_ranks(), size);
      EXPECT_FALSE(ranks.host().empty());
      for (const u64 n : {u64{0}, u64{1}, u64{2}, u64{1000}, u64{1200003}}) {  // the last in two pieces
        std::vector<double> values(n);
        std::vector<u64> counts(n);
        std::vector<Wide> wide(n);
        for (u64 k = 0; k < n; ++k) {
          values[k] = static_cast<double>(k) / (ranks.rank() + 1.0);
          counts[k] = k << ranks.rank();
          wide[k] = (static_cast<Wide>(k) << 80) * (ranks.rank() + 1);
        }
        std::vector<u64> largest = counts;
        ranks.sum(std::span(values));
        ranks.sum(std::span(counts));
        ranks.sum_slices(wide);
        ranks.max(largest);
        const auto [begin, end] = ranks.slice(n);
        u64 wrong = 0;
        for (u64 k = 0; k < n; ++k) {
          double sum = 0;
          for (u32 r = 0; r < size; ++r) sum += static_cast<double>(k) / (r + 1.0);
          const bool own = k >= begin && k < end;
          wrong += values[k] != sum || counts[k] != k * ((1u << size) - 1) || largest[k] != k << (size - 1);
          wrong += own && wide[k] != (static_cast<Wide>(k) << 80) * (size * (size + 1) / 2);
        }
        EXPECT_EQ(wrong, 0u) << "rank " << ranks.rank() << " of " << size << ", " << n;
        std::vector<u64> sent(n, ranks.rank());
        ranks.broadcast(std::as_writable_bytes(std::span(sent)), size - 1);
        EXPECT_EQ(sent, std::vector<u64>(n, size - 1));
      }
      std::array<char, 5> odd = {'a', 'b', 'c', 'd', static_cast<char>('0' + ranks.rank())};
      ranks.broadcast(std::as_writable_bytes(std::span(odd)), 0);
      EXPECT_EQ(odd[4], '0') << "bytes that are no whole numbers";
    });
  }
}

TEST_F(CudaNcclCommunicator, AgreesInTimeOrNot) {
  on_ranks(most_ranks(), [](Communicator& ranks) {
    u64 values[2] = {ranks.rank(), 7};
    EXPECT_TRUE(ranks.agree(values, 5));
    EXPECT_EQ(values[0], ranks.size() - 1);
    EXPECT_TRUE(ranks.agree(values, 0));
    EXPECT_FALSE(ranks.stop_requested());
    Ranks law(&ranks);
    const u32 bad = ranks.size() - 1;
    const auto call = [&](bool fails) {
      participate(ranks, false, [&] {
        law.together([&] {
          if (fails && ranks.rank() == bad) throw MemoryError("no room");
        });
      });
    };
    const std::string text = message_of([&] { call(true); });
    EXPECT_NE(text.find(ranks.rank() == 0 || ranks.rank() == bad ? "no room" : "ended the work"), std::string::npos)
        << text;
    EXPECT_NO_THROW(call(false));
  });
}

/// The ranks of a launcher meet at an address, and a backend of theirs has the bits of one device.
TEST_F(CudaNcclCommunicator, MeetsAtAnAddressAndMakesTheBitsOfOne) {
  const auto hash = [](Backend& backend) {
    EngineConfig config;
    config.accumulate = Accumulate::ordered;
    Simulation simulation(make_scene("plummer:n=3000"), backend, config);
    simulation.advance(20);
    simulation.diagnostics();
    return simulation.engine().state_hash();
  };
  const u64 alone = hash(*make_backend("cuda"));
  for (int again = 0; again < 2; ++again) {
    const auto ranks = make_cuda_communicator(0, 0, 1, 0, free_address());
    EXPECT_EQ(std::getenv("NCCL_COMM_ID"), nullptr);
    RankLeader leader(*ranks);
    const auto make = [](const std::string& /*name*/, Communicator& of) { return make_cuda_backend(0, of); };
    EXPECT_EQ(hash(*leader.make_backend("cuda", make)), alone);
  }
}

TEST_F(CudaNcclCommunicator, AnAddressThatIsNoneIsRefused) {
  const std::string text = message_of<BackendError>([] { make_cuda_communicator(0, 0, 1, 0, "nowhere"); });
  unsetenv("NCCL_COMM_ID");
  EXPECT_EQ(text.find("the ranks cannot meet at nowhere. NCCL, which carries the messages of the ranks: "), 0u) << text;
}

TEST_F(CudaNcclCommunicator, TwoRanksOnOneDeviceAreRefused) {
  cuda::nccl::UniqueId id{};
  ASSERT_EQ(cuda::nccl::loaded().api.get_unique_id(&id), cuda::nccl::kSuccess);
  std::vector<std::jthread> threads;
  for (u32 r = 0; r < 2; ++r) {
    threads.emplace_back([&id, r] {
      const std::string text = message_of<BackendError>([&] { cuda::make_nccl_communicator({r, 2, r, 0}, id); });
      EXPECT_NE(text.find("Two ranks cannot have one GPU"), std::string::npos) << text;
    });
  }
}

using CudaNcclCommunicatorDeathTest = CudaNcclCommunicator;

TEST_F(CudaNcclCommunicatorDeathTest, ARankThatNeverComesEndsTheOthers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto meet = [] {
    const cuda::NcclSeat seat{0, 2, 0, 0};
    cuda::meet_by_nccl(seat, free_address(), 3);
  };
  const Stopwatch watch;
  EXPECT_EXIT(meet(), testing::ExitedWithCode(static_cast<int>(ExitCode::no_gpu)),
              "error: rank 0 on .*not all 2 ranks came within 3 s");
  EXPECT_LT(watch.ms(), 60000);
}

/// Forks a process that does nothing until it is killed.
pid_t sleeper() {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  return child;
}

TEST(ProcessWatch, TellsOfTheOneThatEnded) {
  const std::vector<pid_t> pids = {sleeper(), sleeper(), sleeper()};
  std::atomic<int> gone{-1};
  {
    const cuda::ProcessWatch watch(pids, 0.05, [&](std::size_t k) { gone = static_cast<int>(k); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_EQ(gone, -1);
    kill(pids[1], SIGKILL);  // it stays a zombie, as long as nobody asks for it
    for (int k = 0; k < 200 && gone < 0; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(gone, 1);
  }
  for (const pid_t pid : pids) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
}

TEST(ProcessWatch, EndsInOrderAfterTheOthers) {
  const pid_t child = sleeper();
  bool notified = false;
  const Stopwatch clock;
  {
    const cuda::ProcessWatch watch({child}, 30, [&](std::size_t) { notified = true; });
    kill(child, SIGKILL), waitpid(child, nullptr, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(notified) << "it has time to end, too";
  {
    const cuda::ProcessWatch watch({child}, 30, [&](std::size_t) { notified = true; });  // it is no more
  }
  const cuda::ProcessWatch nobody({}, 1, [&](std::size_t) { notified = true; });
  EXPECT_FALSE(notified);
  EXPECT_LT(clock.ms(), 5000);
}

// Spheres divided among ranks: the state of one device, bit for bit, whatever the bodies do. Ranks of one device
// exchange bodies through the host; where there are two devices, through NCCL as well.

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
    const std::vector<double> seen = story(*engine);
    return std::tuple(seen, engine->state_hash());
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
    std::vector<double> seen;
    const auto note = [&] {
      const Diagnostics d = engine.diagnose();
      seen.insert(seen.end(), {d.kinetic, d.potential, d.virial, static_cast<double>(engine.state_hash() >> 12)});
    };
    note();
    engine.advance(Integrator::kdk, dt, 7);
    const auto kept = engine.save_state();
    note();
    const ForceResult forces = engine.forces();
    seen.insert(seen.end(), forces.fx.begin(), forces.fx.end());
    engine.advance(Integrator::symplectic_euler, dt, 5);
    EngineConfig other = config;
    other.pair_map = TriangleMapId::fold;
    engine.configure(other);
    engine.advance(Integrator::kdk, dt, 3);
    std::vector<Instance> drawn(engine.size());
    InstanceSink sink{InstanceSink::Place::host, drawn};
    engine.publish(sink);
    for (const Instance& instance : drawn) seen.push_back(instance.x);
    ForceField field = scene.field;
    field.field = {0, -1, 0.5};
    engine.set_field(field);
    engine.advance(Integrator::kdk, dt, 6);
    note();
    engine.restore_state(*kept);
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
