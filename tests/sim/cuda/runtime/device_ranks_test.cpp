// Several devices as one: the same bits under ordered sums, whatever their number. Ranks of one device add up through
// the host; where there are two devices, NCCL is tested as well.

#include <algorithm>
#include <cmath>
#include <thread>
#include <tuple>

#include "sim/backends.hpp"
#include "sim/base/numbers.hpp"
#include "sim/cuda/cuda_backend.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/cuda/runtime/ranks.hpp"
#include "sim/maps/map_registry.hpp"
#include "sim/ranks/cluster_backend.hpp"
#include "sim/scene/scene.hpp"
#include "sim/simulation.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/sim/text/text_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

using CudaDeviceRanks = CudaTest;

TEST(Nccl, ThatIsMissingOrSomethingElseSaysSo) {
  cuda::nccl::Api api;
  const Availability missing = cuda::nccl::load(api, "libno-such-nccl.so.2");
  EXPECT_FALSE(missing.ok);
  EXPECT_NE(missing.reason.find("libno-such-nccl.so.2 is missing"), std::string::npos) << missing.reason;
  const Availability other = cuda::nccl::load(api, "libm.so.6");
  EXPECT_FALSE(other.ok);
  EXPECT_NE(other.reason.find("libm.so.6 has no function nccl"), std::string::npos) << other.reason;
}

/// So many ranks on device 0.
std::unique_ptr<Backend> ranks_of(u32 size) {
  return make_local_cluster(
      size, "cuda", [](const std::string& /*name*/, Communicator& ranks) { return make_cuda_backend(0, ranks); });
}

struct RankedRun {
  const char* scene;
  Precision precision;
  Arithmetic arithmetic = Arithmetic::automatic;
  TriangleMapId map = EngineConfig().pair_map;
  const char* law = nullptr;         ///< of pairs, typed, in place of the scene's
  const char* triple_law = nullptr;  ///< likewise
};

EngineConfig config_of(const RankedRun& run, Accumulate accumulate) {
  EngineConfig config;
  config.precision = run.precision, config.accumulate = accumulate;
  config.arithmetic = run.arithmetic, config.pair_map = run.map;
  return config;
}

/// What a run ends with.
struct RankedEnd {
  u64 hash = 0;
  double energy = 0, virial = 0;

  friend bool operator==(const RankedEnd&, const RankedEnd&) = default;
};

RankedEnd end_of(const RankedRun& run, Backend& backend, Accumulate accumulate) {
  Scene scene = make_scene(run.scene);
  ForceField& field = scene.field;
  if (run.law != nullptr) {
    field.pair = PairLaw::typed, field.typed_pair = pair_law(run.law);
  }
  if (run.triple_law != nullptr) {
    field.triple = TripleLaw::typed;
    field.typed_triple = triple_law(run.triple_law);
  }
  Simulation simulation(scene, backend, config_of(run, accumulate));
  simulation.advance(20);
  const DiagnosticsRow row = simulation.diagnostics();
  return {simulation.engine().state_hash(), row.values.energy(), row.values.virial};
}

std::vector<RankedRun> built_in_runs() {
  return {
      {"plummer:n=3000", Precision::fp32},
      {"plummer:n=3000", Precision::fp32, Arithmetic::automatic, TriangleMapId::bb},
      {"plummer:n=3000", Precision::fp32, Arithmetic::automatic, TriangleMapId::lambda_stream},
      {"plummer:n=9000", Precision::fp32, Arithmetic::tensor},
      {"plummer:n=700,integrator=yoshida4", Precision::fp64},
      {"argon-droplet:n=300", Precision::fp32, Arithmetic::float32},
      {"argon-droplet:n=300", Precision::fp32, Arithmetic::tensor},
      {"argon-droplet:n=300", Precision::fp64, Arithmetic::tensor},
      {"kepler", Precision::fp64},
      {"sphere-box:n=20000", Precision::fp32},
      {"sphere-box:n=9000", Precision::fp64},
      {"falling-pile:n=12000", Precision::fp32},
      {"falling-pile:n=9000,response=impulses", Precision::fp32},
      {"sphere-box:n=500", Precision::fp32},  // without a grid
      {"plummer:n=700,eps=0.01,integrator=hermite", Precision::fp64, Arithmetic::automatic,
       TriangleMapId::lambda_stream},
      {"plummer:n=60,eps=0,integrator=hermite,eta=0.02", Precision::fp64},
  };
}

/// And those of typed laws and maps.
const std::vector<RankedRun>& ranked_runs() {
  static const std::vector<RankedRun> runs = [] {
    std::vector<RankedRun> all = built_in_runs();
    for (const TriangleMapId map : typed_test_maps()) {
      all.push_back({"plummer:n=3000", Precision::fp32, Arithmetic::automatic, map});
      all.push_back({"plummer:n=9000", Precision::fp32, Arithmetic::tensor, map});
      all.push_back({"plummer:n=700,eps=0.01,integrator=hermite", Precision::fp64, Arithmetic::automatic, map});
      all.push_back({"sphere-box:n=500", Precision::fp32, Arithmetic::automatic, map});
      for (const TriangleMapId under : {TriangleMapId::lambda, map}) {
        all.push_back({"plummer:n=3000", Precision::fp32, Arithmetic::automatic, under, kTypedGravity});
        all.push_back({"plummer:n=700", Precision::fp64, Arithmetic::automatic, under, kTypedGravity});
      }
      all.push_back({"argon-droplet:n=300", Precision::fp32, Arithmetic::float32, map, nullptr, kTypedTriples});
    }
    return all;
  }();
  return runs;
}

std::string text_of(const RankedRun& run) {
  return std::string(run.scene) + ", " + info(run.map).name + ", " + to_string(run.precision) + ", " +
         to_string(run.arithmetic) + ", " + (run.law != nullptr ? run.law : "") +
         (run.triple_law != nullptr ? run.triple_law : "");
}

TEST_F(CudaDeviceRanks, AnyNumberOfThemHasTheSameBits) {
  for (const RankedRun& run : ranked_runs()) {
    const RankedEnd alone = end_of(run, *make_backend("cuda"), Accumulate::ordered);
    for (const u32 size : thinned<u32>({2, 3})) {
      EXPECT_EQ(end_of(run, *ranks_of(size), Accumulate::ordered), alone) << text_of(run) << ", ranks: " << size;
    }
  }
}

/// A share that was left out or computed twice would show in the energy at once.
TEST_F(CudaDeviceRanks, FastSumsAreThoseOfOneDevice) {
  for (const RankedRun& run : ranked_runs()) {
    const RankedEnd alone = end_of(run, *make_backend("cuda"), Accumulate::fast);
    const RankedEnd shared = end_of(run, *ranks_of(2), Accumulate::fast);
    EXPECT_NEAR(shared.energy, alone.energy, 1e-4 * std::fabs(alone.energy)) << text_of(run);
    EXPECT_NEAR(shared.virial, alone.virial, 1e-3 * std::fabs(alone.virial)) << text_of(run);
  }
}

TEST_F(CudaDeviceRanks, TwoDevicesAddUpByNccl) {
  if (cuda_devices().size() < 2) GTEST_SKIP() << "there is one device";
  for (const RankedRun& run : ranked_runs()) {
    EXPECT_EQ(end_of(run, *make_devices_backend({}), Accumulate::ordered),
              end_of(run, *make_backend("cuda"), Accumulate::ordered))
        << text_of(run);
    const RankedEnd alone = end_of(run, *make_backend("cuda"), Accumulate::fast);
    EXPECT_NEAR(end_of(run, *make_devices_backend({1, 0}), Accumulate::fast).energy, alone.energy,
                1e-4 * std::fabs(alone.energy))
        << text_of(run);
  }
}

/// Every rank in a thread of its own calls test(ranks, stream).
template <class Test>
void on_every_rank(u32 size, const std::vector<int>& devices, const Test& test) {
  const auto ranks = make_local_ranks(size);
  std::vector<std::jthread> threads;
  for (u32 r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      TRI_CUDA(cudaSetDevice(devices[r]));
      const cuda::Stream stream;
      test(*cuda::make_device_ranks(*ranks[r], devices[r]), stream);
    });
  }
}

template <class Number>
void check_sums(cuda::DeviceRanks& ranks, const cuda::Stream& stream) {
  for (const std::size_t n : {1U, 7U, 1000U}) {
    std::vector<Number> values(n), expected(n);
    for (std::size_t k = 0; k < n; ++k) {
      const auto of = [&](u32 rank) {
        const std::size_t number = k + std::size_t{100} * rank;
        return static_cast<Number>(number);
      };
      values[k] = of(ranks.rank());
      for (u32 r = 0; r < ranks.size(); ++r) expected[k] += of(r);
    }
    cuda::DeviceBuffer<Number> buffer(n);
    buffer.upload(values, stream);
    ranks.enqueue_sum(stream, std::span(buffer.data(), n));
    EXPECT_TRUE(buffer.download(stream) == expected) << ranks.means() << ", rank " << ranks.rank() << ", " << n;
  }
}

TEST_F(CudaDeviceRanks, SumsAndMaximaReachEveryRank) {
  const auto test = [](cuda::DeviceRanks& ranks, const cuda::Stream& stream) {
    check_sums<float>(ranks, stream);
    check_sums<double>(ranks, stream);
    check_sums<unsigned long long>(ranks, stream);
    cuda::DeviceBuffer<u32> buffer(2);
    buffer.upload(std::vector<u32>{ranks.rank(), ~0U - ranks.rank()}, stream);
    ranks.enqueue_max(stream, std::span(buffer.data(), 2));
    EXPECT_EQ(buffer.download(stream), (std::vector<u32>{ranks.size() - 1, ~0U})) << ranks.means();
    cuda::DeviceBuffer<unsigned long long> words(2);
    words.upload(std::vector<unsigned long long>{ranks.rank() + 5ULL, ~0ULL - ranks.rank()}, stream);
    cuda::DeviceBuffer<unsigned long long> largest(2);
    largest.upload(std::vector<unsigned long long>{ranks.rank() + 5ULL, ~0ULL - ranks.rank()}, stream);
    ranks.enqueue_max(stream, std::span(largest.data(), 2));
    EXPECT_EQ(largest.download(stream), (std::vector<unsigned long long>{ranks.size() + 4ULL, ~0ULL}));
    ranks.enqueue_min(stream, std::span(words.data(), 2));
    EXPECT_EQ(words.download(stream), (std::vector<unsigned long long>{5, ~0ULL - (ranks.size() - 1)}));
    EXPECT_EQ(ranks.largest(ranks.rank()), ranks.size() - 1);
    EXPECT_EQ(ranks.total(2), 2 * ranks.size());
    const std::vector<double> each = ranks.of_each(1.5 + ranks.rank());
    ASSERT_EQ(each.size(), ranks.size());
    for (u32 r = 0; r < ranks.size(); ++r) EXPECT_EQ(each[r], 1.5 + r) << ranks.means();
    ranks.agree("numbers", 7);
    if (ranks.size() > 1) {
      EXPECT_THROW(ranks.agree("numbers", ranks.rank()), BackendError);
    }
  };
  for (const u32 size : {1U, 2U, 3U}) on_every_rank(size, {0, 0, 0}, test);
  if (cuda_devices().size() > 1) on_every_rank(2, {0, 1}, test);
}

/// Boxes between neighbours on a ring, so that with four ranks not all are peers; then what one of them has.
TEST_F(CudaDeviceRanks, ParcelsReachTheirPeers) {
  const auto test = [](cuda::DeviceRanks& ranks, const cuda::Stream& stream) {
    constexpr std::size_t kBytes = 1000;
    const u32 size = ranks.size(), next = (ranks.rank() + 1) % size, last = (ranks.rank() + size - 1) % size;
    std::vector<u32> peers{next};
    if (last != next) peers.push_back(last);
    if (size == 1) peers.clear();
    const auto letter = [](u32 from, u32 to) { return std::vector<std::byte>(kBytes, std::byte(16 * from + to + 1)); };
    std::vector<cuda::DeviceBuffer<std::byte>> out, in;
    std::vector<cuda::Parcel> parcels;
    for (const u32 peer : peers) {
      out.emplace_back(kBytes), in.emplace_back(kBytes);
      out.back().upload(letter(ranks.rank(), peer), stream);
      in.back().fill_bytes(0, stream);
      parcels.push_back({peer, out.back().data(), in.back().data()});
    }
    ranks.enqueue_exchange(stream, parcels, kBytes);
    for (std::size_t p = 0; p < peers.size(); ++p) {
      EXPECT_TRUE(in[p].download(stream) == letter(peers[p], ranks.rank())) << ranks.means() << ", " << size;
    }
    for (u32 root = 0; root < size; ++root) {
      cuda::DeviceBuffer<std::byte> sent(kBytes);
      sent.upload(letter(ranks.rank(), 0), stream);
      ranks.enqueue_broadcast(stream, std::span(sent.data(), kBytes), root);
      EXPECT_TRUE(sent.download(stream) == letter(root, 0)) << ranks.means() << ", " << root;
    }
  };
  for (const u32 size : {1U, 2U, 4U}) on_every_rank(size, {0, 0, 0, 0}, test);
  if (cuda_devices().size() > 1) on_every_rank(2, {0, 1}, test);
}

TEST_F(CudaDeviceRanks, CountsOfTriplesAreShared) {
  const PointSet points = random_points(700, 3);
  const SideBins bins{{0, 0.2, 0.4, 0.8}};
  for (const Arithmetic arithmetic : {Arithmetic::float32, Arithmetic::tensor}) {
    EngineConfig config;
    config.arithmetic = arithmetic;
    const TripleCounts alone = make_backend("cuda")->triplets(points, bins, config);
    EXPECT_GT(alone.counts[1], 0U);
    for (const u32 size : thinned<u32>({2, 3})) {
      const TripleCounts shared = ranks_of(size)->triplets(points, bins, config);
      EXPECT_TRUE(shared.counts == alone.counts) << size << ", " << to_string(arithmetic);
      EXPECT_EQ(shared.outside, alone.outside);
    }
    if (cuda_devices().size() > 1) {
      EXPECT_TRUE(make_devices_backend({})->triplets(points, bins, config).counts == alone.counts);
    }
  }
}

/// The leader knows after diagnose() what each rank took for its own tiles, in steps that are launched one by one and
/// in graphs.
void expect_times(Backend& backend, u32 size, const RankedRun& run) {
  Simulation simulation(make_scene(run.scene), backend, config_of(run, Accumulate::fast));
  const Engine& engine = simulation.engine();
  EXPECT_EQ(engine.shares(Domain::triangle), RankShares{size});
  EXPECT_TRUE(engine.timing().rank_ms.empty()) << "nothing was evaluated";
  for (const u64 steps : {1U, 40U}) {
    simulation.advance(steps);
    simulation.diagnostics();
    const Engine::Timing timing = engine.timing();
    ASSERT_EQ(timing.rank_ms.size(), size) << text_of(run);
    for (const double ms : timing.rank_ms) EXPECT_GT(ms, 0) << text_of(run) << ", " << steps << " steps";
    EXPECT_EQ(timing.rank_parts, std::vector<double>(size, 1.0 / size));
    EXPECT_LE(timing.rank_ms[0], 1.1 * timing.force + 0.1) << text_of(run) << ": it waits for nobody";
  }
  EngineConfig other = engine.config();
  other.pair_map = TriangleMapId::fold;
  simulation.engine().configure(other);
  EXPECT_TRUE(engine.timing().rank_ms.empty()) << "those of another map";
}

TEST_F(CudaDeviceRanks, TellTheirTimes) {
  const RankedRun runs[] = {{"plummer:n=9000", Precision::fp32}, {"argon-droplet:n=300", Precision::fp32}};
  for (const RankedRun& run : runs) {
    for (const u32 size : {2U, 3U}) expect_times(*ranks_of(size), size, run);
    if (cuda_devices().size() > 1) expect_times(*make_devices_backend({0, 1}), 2, run);
  }
  const Scene scene = make_scene("plummer:n=100");
  const auto alone = make_backend("cuda")->make_engine(scene.bodies, scene.field, {});
  alone->advance(Integrator::kdk, 0.01, 2);
  alone->diagnose();
  EXPECT_TRUE(alone->timing().rank_ms.empty());
  EXPECT_EQ(alone->shares(Domain::triangle), RankShares());
}

/// More contacts than the lists of the ranks have room for, and not as many on each: the step is taken again on all.
TEST_F(CudaDeviceRanks, TheirListsOfContactsGrowTogether) {
  Scene scene = make_scene("sphere-box:n=20000");
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies.r[i] *= scene.bodies.x[i] < scene.bodies.x[0] ? 4 : 1;
  }
  const auto end = [&](Backend& backend, Accumulate accumulate) {
    EngineConfig config;
    config.accumulate = accumulate;
    const auto engine = backend.make_engine(scene.bodies, scene.field, config);
    engine->advance(Integrator::kdk, 1e-9, 3);
    const ForceResult forces = engine->forces();
    return std::tuple(engine->state_hash(), engine->diagnose().potential, forces.work_items, forces.fx);
  };
  const auto alone = end(*make_backend("cuda"), Accumulate::ordered);
  EXPECT_GT(std::get<1>(alone), 0);
  for (const u32 size : {2U, 3U, 7U}) {
    EXPECT_EQ(end(*ranks_of(size), Accumulate::ordered), alone) << size;
    const auto fast = end(*ranks_of(size), Accumulate::fast);
    EXPECT_EQ(std::get<2>(fast), std::get<2>(alone));
  }
  if (cuda_devices().size() > 1) {
    EXPECT_EQ(end(*make_devices_backend({}), Accumulate::ordered), alone);
  }
}

TEST_F(CudaDeviceRanks, FindTheCollisionsOfOne) {
  for (const char* scene : {"sphere-box:n=500", "sphere-box:n=20000", "falling-pile:n=9001"}) {
    Bodies bodies = make_scene(scene).bodies;
    for (double& r : bodies.r) r *= 2;
    for (const Precision precision : {Precision::fp32, Precision::fp64}) {
      EngineConfig config;
      config.precision = precision;
      const CollisionResult alone = make_backend("cuda")->collisions(bodies, config);
      EXPECT_FALSE(alone.pairs.empty());
      for (const u32 size : thinned<u32>({2, 3, 5})) {
        const CollisionResult shared = ranks_of(size)->collisions(bodies, config);
        EXPECT_TRUE(shared.pairs == alone.pairs) << scene << ", " << size;
        EXPECT_TRUE(shared.per_body == alone.per_body) << scene << ", " << size;
        EXPECT_EQ(shared.work_items, alone.work_items) << scene << ", " << size;
      }
      if (cuda_devices().size() > 1) {
        EXPECT_TRUE(make_devices_backend({})->collisions(bodies, config).pairs == alone.pairs) << scene;
      }
    }
  }
}

/// The bodies fit on device 0 and not on device 1: every rank hears of it at once, and a smaller job still works. NCCL
/// takes its memory with the first sums, several hundred MiB on some machines, so a job goes before.
TEST_F(CudaDeviceRanks, ADeviceWithoutMemorySaysSo) {
  if (cuda_devices().size() < 2) GTEST_SKIP() << "there is one device";
  if (small_only()) GTEST_SKIP() << "takes a whole device";
  const auto backend = make_devices_backend({0, 1});
  EngineConfig config;
  config.precision = Precision::fp64;
  const Scene small = make_scene("plummer:n=2000");
  const auto works = [&] {
    backend->make_engine(small.bodies, small.field, config)->advance(Integrator::kdk, 1e-3, 3);
  };
  works();
  TRI_CUDA(cudaSetDevice(1));
  const std::size_t left = std::size_t{300} << 20;
  cuda::DeviceBuffer<unsigned char> taken(cuda::free_device_memory() - left);
  const Scene scene = make_scene("plummer:n=4000000");
  for (int again = 0; again < 2; ++again) {
    const std::string text = message_of<Error>([&] { backend->make_engine(scene.bodies, scene.field, config); });
    EXPECT_NE(text.find("rank 1 on this process: a simulation of 4000000 bodies would take"), std::string::npos)
        << text;
  }
  EXPECT_NO_THROW(works());
}

TEST_F(CudaDeviceRanks, ADeviceThatIsNotThereIsRefused) {
  EXPECT_NE(message_of<BackendError>([] { make_devices_backend({0, 99}); }).find("device 99"), std::string::npos);
}

// Benches that several devices share: the right sums on each of them, and all blocks counted once.

/// So many ranks on device 0, which add up through the host; where there are two devices, those too, by NCCL.
std::vector<std::unique_ptr<Backend>> bench_backends(const std::vector<u32>& sizes) {
  std::vector<std::unique_ptr<Backend>> backends;
  for (const u32 size : sizes) backends.push_back(ranks_of(size));
  if (cuda_devices().size() > 1) backends.push_back(make_devices_backend({0, 1}));
  return backends;
}

/// exercise(), and the counts of one device; a persistent map has as many blocks as the devices hold at once.
void exercise_shared(Backend& backend, Backend& alone, const BenchSpec& spec) {
  SCOPED_TRACE(std::to_string(backend.info().ranks) + " ranks");
  exercise(backend, spec);
  const auto shared = backend.make_bench(spec), whole = alone.make_bench(spec);
  EXPECT_EQ(shared->work_items(), whole->work_items());
  EXPECT_EQ(shared->block(), whole->block());
  if (spec.map.find("stream") != std::string::npos) {
    EXPECT_GE(shared->blocks_launched(), whole->blocks_launched()) << spec.map;
    return;
  }
  EXPECT_EQ(shared->blocks_launched(), whole->blocks_launched()) << spec.map;
  EXPECT_EQ(shared->blocks_useful(), whole->blocks_useful()) << spec.map;
}

TEST_F(CudaDeviceRanks, BenchOfGravity) {
  const auto alone = make_backend("cuda");
  for (const auto& backend : bench_backends(thinned<u32>({1, 2, 3}))) {
    for (const Precision precision : kPrecisions) {
      for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
        for (const u64 n : sizes({2, 65, 1300, 5000})) {
          for (const char* map : {"lambda", "bb", "rec", "lambda-stream"}) {
            BenchSpec spec = spec_of(BenchKernel::gravity, map, n);
            if (!refusal(info(*find_triangle_map(map)), n, 128).empty()) continue;
            spec.precision = precision, spec.accumulate = accumulate;
            exercise_shared(*backend, *alone, spec);
          }
        }
      }
    }
  }
}

TEST_F(CudaDeviceRanks, BenchOfGravityOnTensorCores) {
  const auto alone = make_backend("cuda");
  for (const auto& backend : bench_backends({2})) {
    for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
      for (const char* map : {"lambda", "bb", "lambda-stream"}) {
        BenchSpec spec = spec_of(BenchKernel::gravity, map, small_only() ? 1000 : 20000);
        spec.arithmetic = BenchArithmetic::tensor, spec.accumulate = accumulate;
        exercise_shared(*backend, *alone, spec);
      }
    }
  }
}

TEST_F(CudaDeviceRanks, BenchOfTriplets) {
  const auto alone = make_backend("cuda");
  for (const auto& backend : bench_backends(thinned<u32>({2, 3}))) {
    for (const Precision precision : kPrecisions) {
      for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
        for (const BenchArithmetic arithmetic : {BenchArithmetic::float32, BenchArithmetic::tensor}) {
          for (const u64 n : sizes({65, 300})) {
            for (const char* map : {"tetra", "bb", "tetra-stream"}) {
              if (arithmetic == BenchArithmetic::tensor && std::string(map) != "tetra") continue;
              BenchSpec spec = spec_of(BenchKernel::triplet, map, n);
              spec.precision = precision, spec.accumulate = accumulate, spec.arithmetic = arithmetic;
              exercise_shared(*backend, *alone, spec);
            }
          }
        }
      }
    }
  }
}

TEST_F(CudaDeviceRanks, BenchHasAPartOfTheSumsOnEachOfThem) {
  for (const u32 odd : {0u, 1u}) {
    const auto ranks =
        make_local_cluster(2, "cuda", [odd](const std::string&, Communicator& at) -> std::unique_ptr<Backend> {
          auto real = make_cuda_backend(0, at);
          if (at.rank() == odd) return std::make_unique<OtherBodies>(std::move(real));
          return real;
        });
    for (const BenchKernel kernel : {BenchKernel::gravity, BenchKernel::triplet}) {
      for (const Accumulate accumulate : {Accumulate::fast, Accumulate::ordered}) {
        BenchSpec spec = spec_of(kernel, "bb", 700);
        spec.accumulate = accumulate;
        const auto bench = ranks->make_bench(spec);
        bench->run();
        EXPECT_FALSE(bench->check().passed) << "rank " << odd << " adds the terms of other bodies";
      }
    }
  }
}

/// As often on every rank, whatever each of them measures.
TEST_F(CudaDeviceRanks, BenchInEveryTiming) {
  for (const auto& backend : bench_backends({2})) {
    for (const LaunchTiming timing : {LaunchTiming::work, LaunchTiming::synchronised, LaunchTiming::averaged}) {
      for (const u64 n : {u64{300}, u64{9000}}) {
        BenchSpec spec = spec_of(BenchKernel::gravity, "lambda", n);
        spec.timing = timing;
        exercise(*backend, spec);
        const auto bench = backend->make_bench(spec);
        for (const double seconds : {0.0, 0.02}) EXPECT_GE(bench->run_for(seconds), 1u);
        EXPECT_GT(bench->run(), 0.0);
        EXPECT_TRUE(bench->check().passed);
      }
    }
  }
}

TEST_F(CudaDeviceRanks, BenchOfWhatIsNotSharedHasTheFirst) {
  const auto backend = std::move(bench_backends({2}).front());
  exercise(*backend, spec_of(BenchKernel::dummy, "lambda", 300));
  exercise(*backend, spec_of(BenchKernel::collision, "lambda", 300));
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, "lambda", 100, 7)), ConfigError);
  EXPECT_THROW(backend->make_bench(spec_of(BenchKernel::gravity, "lambda", u64{1} << 33)), Error);
  exercise(*backend, spec_of(BenchKernel::gravity, "lambda", 300));
}

TEST_F(CudaDeviceRanks, BenchOnOneDeviceOfSeveralIsThatOfOne) {
  const BackendInfo info = make_devices_backend({0})->info();
  EXPECT_EQ(info.ranks, 1u);
  EXPECT_EQ(info.detail, make_backend("cuda")->info().detail);
}

}  // namespace
}  // namespace tri::test
