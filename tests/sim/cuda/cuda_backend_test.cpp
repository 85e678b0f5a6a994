// The backend's interface: user data, rejected input, memory, and the stub of builds or machines without a device.

#include <cmath>

#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/kernels/distances/distances.hpp"
#include "sim/cuda/runtime/device_info.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaBackendTest = CudaTest;

// The stub is tested on every machine.
TEST(CudaStub, AutoSelectsCudaWhereItIsAvailable) {
  EXPECT_EQ(make_backend("auto")->info().name, cuda_available() ? "cuda" : "cpu");
}

TEST(CudaStub, WithoutADeviceItGivesTheReason) {
  const Availability usable = cuda_available();
  if (usable) {
    EXPECT_TRUE(usable.reason.empty());
    EXPECT_FALSE(cuda_devices().empty());
    return;
  }
  EXPECT_FALSE(usable.reason.empty());
  const std::string text = message_of([] { make_backend("cuda"); });
  EXPECT_NE(text.find(usable.reason), std::string::npos) << text;
  EXPECT_NE(text.find("--backend cpu"), std::string::npos) << text;
}

TEST_F(CudaBackendTest, DescribesItself) {
  const BackendInfo about = make_backend("cuda")->info();
  EXPECT_EQ(about.name, "cuda");
  EXPECT_EQ(about.device, cuda_devices().front().name);
  EXPECT_NE(about.detail.find("compute capability"), std::string::npos) << about.detail;
  EXPECT_NE(about.driver.find("driver for CUDA"), std::string::npos) << about.driver;
  const u64 free = make_backend("cuda")->memory_bytes();
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, cuda_devices().front().memory);
  EXPECT_THROW(make_backend("cuda", 1000), BackendError);
  EXPECT_THROW(make_backend("cuda", -1), BackendError);
}

TEST_F(CudaBackendTest, TripleLawsComeAndGoWithTheField) {
  const auto backend = make_backend("cuda");
  const Bodies bodies = lattice_bodies(70);
  const auto engine = backend->make_engine(bodies, lennard_jones_field(), config_of(Precision::fp64, Accumulate::fast));
  EXPECT_EQ(engine->config().triple_block, 0u);
  for (const ForceField& field : {argon_field(), lennard_jones_field(), triple_field(), argon_field()}) {
    engine->set_field(field);
    const ForceResult got = engine->forces();
    const ReferenceForces expected = reference_forces(bodies, field);
    expect_close(got, expected, Precision::fp64, to_string(field.pair) + " " + to_string(field.triple));
    EXPECT_NEAR(got.potential, expected.potential, 1e-12 * std::fabs(expected.potential));
    EXPECT_NEAR(got.virial, expected.virial, 1e-11 * std::fabs(expected.virial));
    const Diagnostics d = engine->diagnose();
    EXPECT_NEAR(d.potential, expected.potential, 1e-12 * std::fabs(expected.potential));
    EXPECT_NEAR(d.triple_potential, expected.triple_potential, 1e-12 * std::fabs(expected.triple_potential));
    const bool triples = field.triple != TripleLaw::none;
    EXPECT_EQ(got.work_items, (field.pair == PairLaw::none ? 0u : 2415u) + (triples ? 54740u : 0u));
    EXPECT_EQ(engine->config().triple_block > 0, triples);
  }
}

// Sums of gravity are accelerations, those of triples forces.
TEST_F(CudaBackendTest, GravityAndTriplesTogether) {
  ForceField field = gravity_field();
  field.triple = TripleLaw::axilrod_teller;
  const Bodies bodies = lattice_bodies(40);
  for (const Accumulate accumulate : kAccumulates) {
    const auto engine = make_backend("cuda")->make_engine(bodies, field, config_of(Precision::fp64, accumulate));
    expect_close(engine->forces(), reference_forces(bodies, field), Precision::fp64, to_string(accumulate));
  }
}

PointSet random_points(u32 n, u32 features, Precision precision) {
  PointSet p{n, features, std::vector<double>(std::size_t{n} * features)};
  SplitMix64 random{n};
  for (double& v : p.values) {
    v = random.uniform();
    if (precision == Precision::fp32) v = static_cast<double>(static_cast<float>(v));
  }
  return p;
}

TEST_F(CudaBackendTest, DistancesAgreeWithTheOracleAndOverMaps) {
  const auto backend = make_backend("cuda");
  for (const u32 n : {1u, 2u, 65u, 129u, 300u}) {
    for (const Precision precision : kPrecisions) {
      const PointSet points = random_points(n, 3, precision);
      for (const DistanceLayout layout : kDistanceLayouts) {
        const std::vector<double> expected = reference_distances(points, layout);
        for (const u32 block : {0u, 16u, cuda::kDistanceTile}) {
          for (const TriangleMapId map : usable_maps(n, 1)) {
            if (block == cuda::kDistanceTile && info(map).space == Space::thread) continue;
            const auto result = backend->distances(points, layout, config_of(precision, Accumulate::fast, map, block));
            const auto got =
                std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, result.values);
            ASSERT_EQ(got.size(), expected.size());
            ASSERT_EQ(result.work_items, u64{n} * (n - 1) / 2);
            const double tolerance = precision == Precision::fp32 ? 1e-6 : 1e-15;
            for (std::size_t i = 0; i < got.size(); ++i)
              ASSERT_NEAR(got[i], expected[i], tolerance * (1 + expected[i]));
          }
        }
      }
    }
  }
}

TEST_F(CudaBackendTest, CollisionsAgreeWithTheOracleOverMaps) {
  const auto backend = make_backend("cuda");
  for (const u32 n : {1u, 2u, 33u, 257u, 1000u}) {
    for (const Precision precision : kPrecisions) {
      const Bodies bodies = as_held(cloud_bodies(n), precision);
      const auto expected = reference_collisions(bodies);
      for (const u32 block : {0u, 8u, 32u, cuda::kCollisionTileSmall, cuda::kCollisionTileLarge}) {
        for (const TriangleMapId map : usable_maps(n, 1)) {
          if (block > 32 && info(map).space == Space::thread) continue;
          const auto got = backend->collisions(bodies, config_of(precision, Accumulate::fast, map, block));
          ASSERT_TRUE(got.pairs == expected) << info(map).name << ", block " << block;
          u64 ends = 0;
          for (const u32 contacts : got.per_body) ends += contacts;
          ASSERT_EQ(ends, 2 * expected.size());
        }
      }
    }
  }
}

/// More pairs than the list's initial capacity.
TEST_F(CudaBackendTest, ALongListIsFoundByASecondRun) {
  const u32 n = small_only() ? 200 : 3000;
  Bodies bodies;
  for (u32 i = 0; i < n; ++i) bodies.add(0, 0, 0, 0, 0, 0, 1, 1);
  const auto got = make_backend("cuda")->collisions(bodies, {});
  ASSERT_EQ(got.pairs.size(), u64{n} * (n - 1) / 2);
  EXPECT_EQ(got.pairs.front(), (std::pair<u32, u32>{1, 0}));
  EXPECT_EQ(got.pairs.back(), (std::pair<u32, u32>{n - 1, n - 2}));
  for (const u32 contacts : got.per_body) ASSERT_EQ(contacts, n - 1);
}

TEST_F(CudaBackendTest, TooLargeIsPredictedWithTheLargestThatFits) {
  const auto backend = make_backend("cuda");
  PointSet points{3'000'000, 1, std::vector<double>(3'000'000)};
  const std::string text = message_of(
      [&] { backend->distances(points, DistanceLayout::square, config_of(Precision::fp64, Accumulate::fast)); });
  EXPECT_NE(text.find("points or fewer"), std::string::npos) << text;
  BenchSpec spec;
  spec.kernel = BenchKernel::edm;
  spec.n = 100'000'000;
  EXPECT_THROW(backend->make_bench(spec), MemoryError);
  const std::string bench = message_of([&] { backend->make_bench(spec); });
  const auto at = bench.find("--n ");
  ASSERT_NE(at, std::string::npos) << bench;
  // The size that the message suggests must be accepted, and one in ten more must not.
  const u64 largest = std::stoull(bench.substr(at + 4));
  if (small_only()) return;
  spec.n = largest + largest / 10;
  EXPECT_THROW(backend->make_bench(spec), MemoryError);
  spec.n = largest;
  EXPECT_NO_THROW(backend->make_bench(spec)) << largest;
}

TEST_F(CudaBackendTest, BadInputIsRejected) {
  const auto backend = make_backend("cuda");
  const auto refused = [&](const PointSet& p) {
    EXPECT_THROW(backend->distances(p, DistanceLayout::condensed, {}), ConfigError);
  };
  refused({0, 3, {}});
  refused({1, 17, std::vector<double>(17)});
  refused({2, 2, {1, 2, 3}});
  refused({2, 1, {1, std::nan("")}});
  EXPECT_THROW(backend->collisions({}, {}), ConfigError);
  const PointSet points = random_points(5000, 2, Precision::fp32);
  EXPECT_THROW(backend->distances(points, DistanceLayout::lower,
                                  config_of(Precision::fp32, Accumulate::fast, TriangleMapId::utm)),
               ConfigError);
  EXPECT_THROW(backend->distances(points, DistanceLayout::lower,
                                  config_of(Precision::fp32, Accumulate::fast, TriangleMapId::lambda, 64)),
               ConfigError);
  EXPECT_THROW(backend->distances(points, DistanceLayout::lower,
                                  config_of(Precision::fp32, Accumulate::fast, TriangleMapId::rb, cuda::kDistanceTile)),
               ConfigError);
}

}  // namespace
}  // namespace tri::test
