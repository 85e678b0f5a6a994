// Counts of triples as products of bits: equal to those one by one, which tests/sim/backend holds against brute force,
// on every map of pairs, and when they are chosen.

#include "sim/base/progress.hpp"
#include "sim/base/splitmix64.hpp"
#include "sim/cuda/jobs/compute_jobs.hpp"
#include "sim/cuda/kernels/triples/triple_count_products.hpp"
#include "tests/sim/cuda/engine/triple_support.hpp"
#include "tests/support/error_messages.hpp"

namespace tri::test {
namespace {

class CudaCountTriples : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped() && !cuda::has_bit_products(0)) GTEST_SKIP() << "the compute capability is below 8.0";
  }
};

PointSet points_in_a_cube(u32 n, u32 features) {
  PointSet points{n, features, std::vector<double>(std::size_t{n} * features)};
  SplitMix64 random{n + features};
  for (double& v : points.values) v = random.uniform();
  return points;
}

/// Points of which many have the same distance.
PointSet lattice_points(u32 side) {
  PointSet points{side * side * side, 3, {}};
  for (u32 i = 0; i < points.n; ++i) {
    for (const u32 c : {i % side, i / side % side, i / side / side}) points.values.push_back(c);
  }
  return points;
}

SideBins equal_bins(u32 count, double from, double to) {
  SideBins bins;
  for (u32 e = 0; e <= count; ++e) bins.edges.push_back(from + (to - from) * e / count);
  return bins;
}

TripleCounts one_by_one(const PointSet& points, const SideBins& bins) {
  EngineConfig config;
  config.arithmetic = Arithmetic::float32;
  return cuda::count_triples(points, bins, config);
}

TripleCounts by_products(const PointSet& points, const SideBins& bins, TriangleMapId map = TriangleMapId::lambda,
                         double slice_ms = 0) {
  EngineConfig config;
  config.arithmetic = Arithmetic::tensor, config.pair_map = map, config.slice_ms = slice_ms;
  return cuda::count_triples(points, bins, config);
}

TEST_F(CudaCountTriples, ProductsOfAnySizeAndNumberOfBinsCountTheSame) {
  for (const u32 n : sizes({1, 2, 3, 31, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 800})) {
    for (const u32 features : {1u, 3u}) {
      const PointSet points = points_in_a_cube(n, features);
      for (const SideBins& bins : {equal_bins(1, 0, 10), equal_bins(4, 0.1, 0.8), equal_bins(7, 0, 1),
                                   equal_bins(36, 0.2, 1.2), equal_bins(SideBins::kMax, 0, 1)}) {
        const TripleCounts expected = one_by_one(points, bins), got = by_products(points, bins);
        EXPECT_TRUE(got.by_products);
        EXPECT_FALSE(expected.by_products);
        ASSERT_EQ(got.counts, expected.counts) << n << " points, " << bins.size() << " bins";
        ASSERT_EQ(got.outside, expected.outside);
        ASSERT_EQ(got.work_items, expected.work_items);
      }
    }
  }
}

TEST_F(CudaCountTriples, EveryMapOfPairsMeetsEveryTriple) {
  const u32 side = small_only() ? 5 : 11;
  const SideBins bins{{0, 1, 1.5, 2, 4, 6, 7}};
  for (const PointSet& points : {lattice_points(side), points_in_a_cube(small_only() ? 100 : 1025, 2)}) {
    const TripleCounts expected = one_by_one(points, bins);
    EXPECT_GT(expected.work_items, expected.outside);
    for (const TriangleMapId map : maps_for(points.n, cuda::kBitBlock)) {
      EXPECT_EQ(by_products(points, bins, map).counts, expected.counts) << info(map).name;
      EXPECT_EQ(by_products(points, bins, map, 1e-5).counts, expected.counts) << info(map).name << " in slices";
    }
  }
}

TEST_F(CudaCountTriples, AProgressSinkWatchesAndEndsProducts) {
  class Sink final : public ProgressSink {
   public:
    explicit Sink(double end_at) : end_at_(end_at) {}
    void report(const ProgressReport& r) override {
      ++reports;
      if (r.done >= end_at_ * r.total) throw InterruptedError("enough");
    }
    u32 reports = 0;

   private:
    double end_at_;
  };
  const PointSet points = points_in_a_cube(700, 3);
  const SideBins bins = equal_bins(6, 0, 0.9);
  const TripleCounts expected = one_by_one(points, bins);
  const ScopedTask work("triples");
  Sink patient(2), hasty(0.3);
  {
    const ScopedProgressSink watching(patient);
    EXPECT_EQ(by_products(points, bins, TriangleMapId::lambda, 1e-5).counts, expected.counts);
  }
  EXPECT_GE(patient.reports, 4u);
  const ScopedProgressSink watching(hasty);
  EXPECT_THROW(by_products(points, bins, TriangleMapId::lambda, 1e-5), InterruptedError);
}

TEST_F(CudaCountTriples, TheFasterWayIsChosenUnlessAMapOfTriplesOrATileIsNamed) {
  const PointSet points = points_in_a_cube(2100, 3);
  const SideBins bins = equal_bins(3, 0, 0.9);
  EngineConfig config;
  const TripleCounts chosen = cuda::count_triples(points, bins, config);
  EXPECT_TRUE(chosen.by_products);
  EXPECT_EQ(chosen.counts, one_by_one(points, bins).counts);
  EXPECT_FALSE(cuda::count_triples(points_in_a_cube(200, 3), bins, config).by_products);
  EXPECT_FALSE(cuda::count_triples(points, equal_bins(SideBins::kMax, 0, 0.9), config).by_products);
  config.triple_map = TetraMapId::bb;
  EXPECT_FALSE(cuda::count_triples(points, bins, config).by_products);
  config.triple_map = TetraMapId::tetra, config.triple_block = 32;
  EXPECT_FALSE(cuda::count_triples(points, bins, config).by_products);
  config.arithmetic = Arithmetic::tensor;
  const std::string text = message_of<ConfigError>([&] { cuda::count_triples(points, bins, config); });
  EXPECT_NE(text.find("--block 32"), std::string::npos) << text;
  config.triple_block = 0, config.pair_map = TriangleMapId::rb;
  EXPECT_THROW(cuda::count_triples(points, bins, config), ConfigError) << "a map in thread space";
}

}  // namespace
}  // namespace tri::test
