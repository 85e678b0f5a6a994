// Ordered pair sums on the device: bit-identical for every map, tile and run, no loss of small terms next to large
// ones, and terms out of range are reported.

#include <cmath>
#include <cstring>

#include "tests/sim/cuda/engine/pair_support.hpp"

namespace tri::test {
namespace {

using CudaOrderedPairs = CudaTest;

template <class Real>
void check_bits(const PairCase& c) {
  const cuda::Stream stream;
  const u32 n = static_cast<u32>(c.bodies.size());
  const HeldBodies<Real> held(c.bodies, stream);
  Sums<Real> first;
  for (const u32 tile : thinned(tiles_for(c.field, kPrecisionOf<Real>, Accumulate::ordered, n))) {
    for (const TriangleMapId map : maps_for(n, tile)) {
      const EngineConfig config = pair_config<Real>(Accumulate::ordered, map, tile);
      cuda::PairForces<Real> forces(c.field, config, n, 0);
      for (int run = 0; run < 2; ++run) {
        const Sums<Real> sums = sums_by(forces, held, stream);
        if (first.empty()) first = sums;
        ASSERT_TRUE(same_bits(sums, first)) << describe_pairs(config, c.field, n) << ", run " << run;
      }
    }
  }
}

TEST_F(CudaOrderedPairs, BitsAreEqualOverMapsTilesAndRuns) {
  for (const u32 n : sizes({2, 33, 129, 257, 700, 2000})) {
    for (const PairCase& c : pair_cases(n)) {
      check_bits<float>(c);
      check_bits<double>(c);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaOrderedPairs, BitsAreEqualWhereSumsAreCutWide) {
  if (small_only()) GTEST_SKIP() << "large";
  check_bits<float>({cloud_bodies(static_cast<u32>(cuda::kOrderedWide) + 301), gravity_field()});
}

// Two heavy bodies so close together that their terms exceed all others by 2^60 and more: the others' sums must be as
// accurate as without them, each relative to its own size. A single quantum for all would erase them.
template <class Real>
void check_small_next_to_large() {
  const u32 n = 300;
  Bodies bodies = cloud_bodies(n);
  for (const std::size_t i : {17u, 230u}) bodies.m[i] = 1e9;
  bodies.x[230] = bodies.x[17], bodies.y[230] = bodies.y[17], bodies.z[230] = bodies.z[17] + 1e-6;
  // A light, remote cloud: its accelerations are some 1e-12 of those between the heavy bodies.
  for (std::size_t i = 250; i < n; ++i) bodies.x[i] += 1e4;
  bodies = as_held(bodies, kPrecisionOf<Real>);
  const ReferenceForces expected = reference_forces(bodies, gravity_field(0));
  const cuda::Stream stream;
  const HeldBodies<Real> held(bodies, stream);
  cuda::PairForces<Real> forces(gravity_field(0), pair_config<Real>(Accumulate::ordered), n, 0);
  const Sums<Real> sums = sums_by(forces, held, stream);
  EXPECT_FALSE(forces.left_range(stream));
  double least = 1e300, most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = expected.fx[i] / bodies.m[i], y = expected.fy[i] / bodies.m[i], z = expected.fz[i] / bodies.m[i];
    const double length = std::hypot(x, y, z);
    EXPECT_LE(std::hypot(double{sums[i].x} - x, double{sums[i].y} - y, double{sums[i].z} - z),
              (sizeof(Real) == 4 ? 1e-5 : 1e-12) * length)
        << i;
    least = std::min(least, length), most = std::max(most, length);
  }
  EXPECT_GT(most, 1e18 * least);
}

TEST_F(CudaOrderedPairs, SmallSumsAreKeptNextToLargeOnes) {
  check_small_next_to_large<float>();
  check_small_next_to_large<double>();
}

/// Bodies 7 and 140 of 200 at this distance, without softening: their terms are out of range, all others are not.
template <class Real>
void check_left_range(double distance) {
  const u32 n = 200;
  Bodies apart = cloud_bodies(n), close = apart;
  // At the origin, where the spacing of float32 is fine enough.
  for (const std::size_t i : {7u, 140u}) close.x[i] = close.y[i] = close.z[i] = 0;
  close.x[140] = distance;
  const cuda::Stream stream;
  const HeldBodies<Real> bad(close, stream), good(apart, stream);
  for (const u32 tile : cuda::kPairTiles) {
    const EngineConfig config = pair_config<Real>(Accumulate::ordered, TriangleMapId::lambda, tile);
    cuda::PairForces<Real> forces(gravity_field(0), config, n, 0), fresh(gravity_field(0), config, n, 0);
    EXPECT_FALSE(forces.left_range(stream));
    const Sums<Real> sums = sums_by(forces, bad, stream);
    for (u32 i = 0; i < n; ++i) {
      const bool nothing = std::isnan(sums[i].x) && std::isnan(sums[i].y) && std::isnan(sums[i].z);
      const bool all = std::isfinite(sums[i].x) && std::isfinite(sums[i].y) && std::isfinite(sums[i].z);
      EXPECT_TRUE(i == 7 || i == 140 ? nothing : all) << i;
    }
    EXPECT_TRUE(forces.left_range(stream));
    EXPECT_FALSE(forces.left_range(stream)) << "the query resets the flag";
    EXPECT_TRUE(same_bits(sums_by(forces, good, stream), sums_by(fresh, good, stream))) << "nothing stays behind";
    EXPECT_FALSE(forces.left_range(stream));
  }
}

TEST_F(CudaOrderedPairs, TermsOutOfRangeAreReported) {
  check_left_range<float>(0);
  check_left_range<float>(1e-14);
  check_left_range<double>(0);
  check_left_range<double>(1e-22);
}

}  // namespace
}  // namespace tri::test
