// Triples on the device, in addition to tests/sim/backend, which has every map and tile at awkward sizes: many bodies
// against a plain float64 loop; bodies at one place; slices; refusals; counts.

#include <algorithm>
#include <cmath>

#include "sim/base/numbers.hpp"
#include "sim/base/progress.hpp"
#include "sim/cuda/engine/jobs.hpp"
#include "sim/cuda/kernels/triples.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/support/expect.hpp"

namespace tri::test {
namespace {

using CudaTriples = CudaTest;

template <class Real>
void check_against_the_plain_loop(u32 n) {
  const cuda::Stream stream;
  const HeldBodies<Real> held(as_held(lattice_bodies(n), kPrecisionOf<Real>), stream);
  for (const Accumulate accumulate : kAccumulates) {
    for (const u32 tile : triple_tiles<Real>(accumulate)) {
      for (const TetraMapId map : maps_of_triples(n, tile)) {
        const EngineConfig config = triple_config<Real>(accumulate, map, tile);
        cuda::TripleForces<Real> forces(triple_field(), config, n, 0);
        double energy = 0;
        const cuda::PairErrors e = plain_errors(held, sums_by(forces, held, stream), energy, stream);
        // Float32 sums of small tiles are those of many atomic additions, in the order in which the map gives tiles.
        const bool elements = accumulate == Accumulate::fast && tile < cuda::kTripleCube;
        const double tolerance = sizeof(Real) == 4 ? (elements ? 5e-5 : 1e-5) : 1e-12;
        EXPECT_LE(std::sqrt(e.differences / e.squares), tolerance) << describe(config, n);
        EXPECT_LE(std::sqrt(e.largest / e.squares * n), 10 * tolerance) << describe(config, n);
        EXPECT_NEAR(forces.energy(stream, held.view()), energy, 1e-12 * std::fabs(energy)) << describe(config, n);
      }
    }
  }
}

TEST_F(CudaTriples, ManyBodiesAgreeWithThePlainLoop) {
  if (small_only()) GTEST_SKIP() << "large";
  for (const u32 n : {1000u, 2346u}) {
    check_against_the_plain_loop<float>(n);
    check_against_the_plain_loop<double>(n);
  }
}

TEST_F(CudaTriples, ThePlainLoopIsTheOracle) {
  const cuda::Stream stream;
  for (const u32 n : sizes({3, 4, 65})) {
    const Bodies bodies = lattice_bodies(n);
    const ReferenceForces expected = reference_forces(bodies, triple_field());
    Sums<double> sums;
    for (u32 i = 0; i < n; ++i) sums.push_back({expected.fx[i], expected.fy[i], expected.fz[i], 0});
    double energy = 0;
    const cuda::PairErrors e = plain_errors(HeldBodies<double>(bodies, stream), sums, energy, stream);
    EXPECT_LE(std::sqrt(e.largest / e.squares * n), 1e-13) << n;
    EXPECT_NEAR(energy, expected.potential, 1e-13 * std::fabs(expected.potential)) << n;
  }
}

template <class Real>
void check_coincident() {
  const u32 n = 100;
  Bodies apart = lattice_bodies(n), close = apart;
  close.x[71] = close.x[37], close.y[71] = close.y[37], close.z[71] = close.z[37];
  const cuda::Stream stream;
  const HeldBodies<Real> bad(close, stream), good(apart, stream);
  for (const Accumulate accumulate : kAccumulates) {
    const EngineConfig config = triple_config<Real>(accumulate);
    cuda::TripleForces<Real> forces(triple_field(), config, n, 0), fresh(triple_field(), config, n, 0);
    const Sums<Real> sums = sums_by(forces, bad, stream);
    for (const u32 i : {37u, 71u}) EXPECT_FALSE(std::isfinite(sums[i].x)) << i << to_string(accumulate);
    EXPECT_EQ(forces.left_range(stream), accumulate == Accumulate::ordered);
    EXPECT_FALSE(forces.left_range(stream)) << "the query resets the flag";
    const Sums<Real> after = sums_by(forces, good, stream), expected = sums_by(fresh, good, stream);
    EXPECT_TRUE(accumulate == Accumulate::fast || same_bits(after, expected)) << "nothing stays behind";
    EXPECT_TRUE(std::isfinite(after[37].x));
  }
}

TEST_F(CudaTriples, CoincidentBodiesAreNotFinite) {
  check_coincident<float>();
  check_coincident<double>();
}

// Split into many launches, as on a device that drives a display.
TEST_F(CudaTriples, SlicesComputeTheSameTriples) {
  const u32 n = small_only() ? 100 : 400;
  const cuda::Stream stream;
  const HeldBodies<float> held(lattice_bodies(n), stream);
  for (const TetraMapId map : usable_triple_maps(n, 32)) {
    EngineConfig config = triple_config<float>(Accumulate::ordered, map);
    cuda::TripleForces<float> whole(triple_field(), config, n, 0);
    config.slice_ms = 1e-3;
    cuda::TripleForces<float> cut(triple_field(), config, n, 0);
    EXPECT_TRUE(same_bits(sums_by(whole, held, stream), sums_by(cut, held, stream))) << info(map).name;
  }
}

TEST_F(CudaTriples, ErrorsNameTheRemedy) {
  const auto refused = [](const EngineConfig& config, u32 n) {
    return message_of([&] { cuda::TripleForces<float>(triple_field(), config, n, 0); });
  };
  const EngineConfig odd = triple_config<float>(Accumulate::fast, TetraMapId::tetra, 40);
  EXPECT_NE(refused(odd, 100).find("use 4, 8, 32, 64, 96, 128"), std::string::npos) << refused(odd, 100);
  const EngineConfig papers = triple_config<float>(Accumulate::ordered, TetraMapId::tetra, 8);
  EXPECT_NE(refused(papers, 100).find("use 32, 64, 96, 128"), std::string::npos) << refused(papers, 100);
  const EngineConfig historical = triple_config<float>(Accumulate::fast, TetraMapId::tetra_r, 8);
  EXPECT_EQ(refused(historical, 1624), "");
  EXPECT_NE(refused(historical, 1625).find("--map tetra"), std::string::npos) << refused(historical, 1625);
  EXPECT_NE(refused(triple_config<float>(Accumulate::fast), (1u << 21) + 1).find("2097152"), std::string::npos);
}

/// The kernels know one law, and must not compute it in the place of another.
TEST_F(CudaTriples, OtherLawsAreRefused) {
  ForceField other = triple_field();
  other.triple = TripleLaw::none;
  EXPECT_THROW(cuda::TripleForces<float>(other, triple_config<float>(Accumulate::fast), 100, 0), ConfigError);
}

// Counts of triples as products of bits: equal to those one by one, which tests/sim/backend holds against brute force,
// on every map of pairs, and when they are chosen.

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
