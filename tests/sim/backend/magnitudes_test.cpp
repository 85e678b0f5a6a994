// Distances, contacts and counts of triples are right in every order of magnitude that their numbers have, although
// squares leave the range at the square root of it; and where the origin is far away.

#include <algorithm>
#include <limits>

#include "sim/backend/job_units.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

using Magnitudes = BackendTest;
TRI_ON_EVERY_BACKEND(Magnitudes);

/// Magnitudes as exponents of 2, so that scaling is exact.
std::vector<int> exponents(Precision precision) {
  if (precision == Precision::fp32) return {-100, -90, -70, -60, 0, 60, 70, 100, 126};
  return {-1000, -700, -560, -535, 0, 510, 520, 700, 1022};
}

PointSet points_at(u32 n, u32 features, double scale) {
  PointSet p{n, features, std::vector<double>(std::size_t{n} * features)};
  SplitMix64 random{n + features};
  for (double& v : p.values) v = scale * static_cast<double>(static_cast<float>(random.uniform()));
  return p;
}

std::vector<double> values_of(const DistanceResult& r) {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, r.values);
}

TEST_P(Magnitudes, OfDistances) {
  for (const Precision precision : kPrecisions) {
    for (const u32 features : {1u, 3u, 16u}) {
      const auto expected = reference_distances(points_at(300, features, 1), DistanceLayout::square);
      for (const int e : exponents(precision)) {
        const double scale = std::ldexp(1.0, e - 3);
        for (const u32 block : {0u, 16u}) {
          EngineConfig config = config_of(precision, Accumulate::fast, TriangleMapId::lambda, block, 2);
          const auto got =
              values_of(backend().distances(points_at(300, features, scale), DistanceLayout::square, config));
          for (std::size_t k = 0; k < got.size(); ++k) {
            // A result below the smallest normal number has the digits that are left there.
            const double least = precision == Precision::fp32 ? 0x1p-149 : 0x1p-1074;
            ASSERT_LE(std::fabs(got[k] - scale * expected[k]),
                      (precision == Precision::fp32 ? 1e-6 : 1e-14) * scale * expected[k] + 8 * least)
                << "2^" << e << ", " << features << " features, value " << k;
          }
        }
      }
    }
  }
}

TEST_P(Magnitudes, OfDistancesInOneSet) {
  // Beside large numbers, 0 and numbers whose squares vanish.
  const PointSet points{6, 2, {0, 0, 1e-30, 0, 0, 3e-30, 1, 0, 1e19, 0, 1e30, 1e30}};
  const auto got =
      values_of(backend().distances(points, DistanceLayout::condensed, config_of(Precision::fp32, Accumulate::fast)));
  const double expected[] = {1e-30, 3e-30, 1, 1e19, std::sqrt(2) * 1e30, std::sqrt(10) * 1e-30, 1, 1e19};
  for (std::size_t k = 0; k < std::size(expected); ++k) EXPECT_NEAR(got[k], expected[k], 1e-6 * expected[k]) << k;
}

TEST_P(Magnitudes, OfDistancesFarFromTheOrigin) {
  PointSet far = points_at(50, 3, 1);
  const auto expected = reference_distances(far, DistanceLayout::condensed);
  for (double& v : far.values) v += 1e8 + 1.0 / 3;
  const auto got =
      values_of(backend().distances(far, DistanceLayout::condensed, config_of(Precision::fp32, Accumulate::fast)));
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], 2e-7);
}

/// Spheres on a lattice of spacing s with radii s/2: neighbours touch, others do not.
Bodies touching(double s, double corner = 0) {
  Bodies b;
  for (int i = 0; i < 125; ++i) {
    b.add(corner + s * (i % 5), corner + s * (i / 5 % 5), corner + s * (i / 25), 0, 0, 0, 1, s / 2);
  }
  return b;
}

constexpr std::size_t kTouching = 3 * 4 * 5 * 5;

TEST_P(Magnitudes, OfContacts) {
  for (const BroadPhase phase : {BroadPhase::all_pairs, BroadPhase::grid}) {
    for (const int e : {-1000, -566, -500, 0, 500, 664, 1000}) {
      EngineConfig config = config_of(Precision::fp64, Accumulate::fast);
      config.broad_phase = phase;
      EXPECT_EQ(backend().collisions(touching(std::ldexp(1.0, e)), config).pairs.size(), kTouching) << "2^" << e;
    }
    // Points have no reach, and are not at one place.
    EngineConfig config = config_of(Precision::fp64, Accumulate::fast);
    config.broad_phase = phase;
    Bodies points = touching(1e-170);
    std::fill(points.r.begin(), points.r.end(), 0.0);
    points.add(1, 0, 0, 0, 0, 0, 1, 0), points.add(1, 0, 0, 0, 0, 0, 1, 0);
    EXPECT_EQ(backend().collisions(points, config).pairs.size(), 1u);
    config.precision = Precision::fp32;
    for (double* v : {points.x.data(), points.y.data(), points.z.data()}) {
      for (std::size_t i = 0; i < 125; ++i) v[i] *= 1e140;  // 1e-30
    }
    EXPECT_EQ(backend().collisions(points, config).pairs.size(), 1u);
  }
}

// Sums and squares of float32 round; differences of its numbers in float64 do not.
TEST_P(Magnitudes, FloatSpheresThatJustTouchDo) {
  SplitMix64 random{7};
  for (const double side : {0.0, 4.5}) {
    Bodies b;
    for (int i = 0; i < 2000; ++i) {
      const auto at = [&] {
        return static_cast<double>(static_cast<float>(0.1 * static_cast<double>(random.next() % 40)));
      };
      const double x = at(), y = at(), z = at();
      b.add(x, y, z, 0, 0, 0, 1, static_cast<double>(static_cast<float>(i % 2 == 0 ? 0.05 : 0.15)));
    }
    const Box box = side > 0 ? Box{{0, 0, 0}, {side, side, side}, Boundary::periodic} : Box{};
    const auto expected = reference_collisions(b, box);
    EXPECT_GT(expected.size(), 500u);
    for (const BroadPhase phase : {BroadPhase::all_pairs, BroadPhase::grid}) {
      EngineConfig config = config_of(Precision::fp32, Accumulate::fast);
      config.broad_phase = phase;
      EXPECT_TRUE(backend().collisions(b, config, box).pairs == expected) << side << ", " << to_string(phase);
    }
  }
}

TEST_P(Magnitudes, OfContactsFarFromTheOrigin) {
  EXPECT_EQ(backend().collisions(touching(0.1, 1e8), config_of(Precision::fp64, Accumulate::fast)).pairs.size(),
            reference_collisions(touching(0.1, 1e8)).size());
  Bodies b = touching(0.125, 1e8 + 1.0 / 1024);
  EXPECT_EQ(backend().collisions(b, config_of(Precision::fp32, Accumulate::fast)).pairs.size(), kTouching);
}

TEST_P(Magnitudes, OfTriples) {
  const PointSet points = points_at(60, 3, 1);
  const SideBins bins{{0, 0.25, 0.5, 1}};
  const TripleCounts expected = backend().triplets(points, bins, {});
  EXPECT_GT(expected.work_items - expected.outside, 1000u);
  for (const int e : {-1000, -560, -500, 500, 520, 1000}) {
    const double scale = std::ldexp(1.0, e);
    EXPECT_EQ(backend().triplets(scaled(points, scale), scaled(bins, scale), {}).counts, expected.counts) << "2^" << e;
  }
  expect_parts(message_of<ConfigError>([&] {
                 backend().triplets(points, {{0, 1e-200, 1e200}}, {});
               }),
               {"--bins", "1e-200", "1e+200", "too far apart"});
}

}  // namespace
}  // namespace tri::test
