// Benches that several devices share: the right sums on each of them, and all blocks counted once.

#include <algorithm>

#include "sim/backend_ranks.hpp"
#include "sim/cluster/local_ranks.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/sim/backend/bench_exercise.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaDeviceRanks = CudaTest;

/// So many ranks on device 0, which add up through the host; where there are two devices, those too, by NCCL.
std::vector<std::unique_ptr<Backend>> bench_backends(const std::vector<u32>& sizes) {
  std::vector<std::unique_ptr<Backend>> backends;
  for (const u32 size : sizes) {
    backends.push_back(make_local_cluster(
        size, "cuda", [](const std::string& /*name*/, Communicator& ranks) { return make_cuda_backend(0, ranks); }));
  }
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
