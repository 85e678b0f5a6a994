// Distances and collisions against the oracle, in all layouts, and bit-equal over maps.

#include <cstring>
#include <limits>

#include "tests/device/cases.hpp"

namespace tri::test {
namespace {

PointSet random_points(u32 n, u32 features, Precision precision) {
  PointSet p{n, features, std::vector<double>(std::size_t{n} * features)};
  SplitMix64 random{n + features};
  for (double& v : p.values) {
    v = random.uniform();
    if (precision == Precision::fp32) v = static_cast<double>(static_cast<float>(v));
  }
  return p;
}

std::vector<double> as_double(const DistanceResult& r) {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, r.values);
}

constexpr DistanceLayout kLayouts[] = {DistanceLayout::condensed, DistanceLayout::square, DistanceLayout::lower};

void check_distances(u32 n, u32 features, const std::vector<u32>& blocks) {
  for (const std::string& name : available_backends()) {
    const auto backend = make_backend(name);
    for (Precision precision : kPrecisions) {
      const PointSet points = random_points(n, features, precision);
      for (DistanceLayout layout : kLayouts) {
        const std::vector<double> expected = reference_distances(points, layout);
        std::vector<double> first;
        for (u32 block : blocks) {
          for (TriangleMapId map : usable_maps(n, block)) {
            const EngineConfig config = config_of(precision, Accumulate::fast, map, block, 2);
            const DistanceResult result = backend->distances(points, layout, config);
            const std::vector<double> got = as_double(result);
            ASSERT_EQ(got.size(), expected.size());
            ASSERT_EQ(result.values.index(), precision == Precision::fp32 ? 0u : 1u);
            ASSERT_EQ(result.work_items, u64{n} * (n - 1) / 2);
            if (first.empty()) first = got;
            ASSERT_TRUE(got == first) << name << ", " << describe(config, n);
            const double tolerance = precision == Precision::fp32 ? 3e-7 : 1e-15;
            for (std::size_t i = 0; i < got.size(); ++i) {
              ASSERT_LE(std::fabs(got[i] - expected[i]), tolerance * (1 + expected[i]))
                  << i << ", " << describe(config, n);
            }
          }
        }
      }
    }
  }
}

TEST(Distances, AllLayoutsOverSizesMapsAndBlocks) {
  for (u32 n : {1u, 2u, 3u, 31u, 33u, 65u}) check_distances(n, 4, awkward_blocks());
}

TEST(Distances, LargerSizes) { check_distances(257, 3, {1, 16, 100}); }

TEST(Distances, EveryNumberOfFeatures) {
  for (u32 features = 1; features <= 16; ++features) check_distances(37, features, {8, 100});
}

TEST(Distances, PublishedSums) {
  PointSet p{1024, 3, {}};
  for (const auto& c : cloud(1024)) p.values.insert(p.values.end(), c.begin(), c.end());
  for (const std::string& name : available_backends()) {
    const auto result =
        make_backend(name)->distances(p, DistanceLayout::condensed, config_of(Precision::fp64, Accumulate::fast));
    double sum = 0, squares = 0;
    for (double d : as_double(result)) sum += d, squares += d * d;
    EXPECT_NEAR(sum, 344796.617847, 1e-6);
    EXPECT_NEAR(squares, 259072.72347081, 1e-7);
  }
}

TEST(Distances, BadPointsAreRefused) {
  const auto refused = [](Backend& backend, const PointSet& p) {
    EXPECT_THROW(backend.distances(p, DistanceLayout::condensed, {}), ConfigError);
  };
  for (const std::string& name : available_backends()) {
    const auto backend = make_backend(name);
    refused(*backend, {0, 3, {}});
    refused(*backend, {1, 0, {}});
    refused(*backend, {1, 17, std::vector<double>(17)});
    refused(*backend, {2, 2, {1, 2, 3}});
    refused(*backend, {2, 1, {1, std::nan("")}});
  }
}

TEST(Distances, TooLargeIsPredicted) {
  PointSet p{3000000, 1, std::vector<double>(3000000)};
  for (const std::string& name : available_backends()) {
    try {
      make_backend(name)->distances(p, DistanceLayout::square, config_of(Precision::fp64, Accumulate::fast));
      FAIL() << "72 TB were allocated";
    } catch (const MemoryError& e) {
      EXPECT_NE(std::string(e.what()).find("points or fewer"), std::string::npos) << e.what();
    }
  }
}

void check_collisions(u32 n, u64 seed) {
  for (const std::string& name : available_backends()) {
    const auto backend = make_backend(name);
    for (Precision precision : kPrecisions) {
      const Bodies bodies = as_held(cloud_bodies(n, seed), precision);
      const auto expected = reference_collisions(bodies);
      std::vector<u32> per_body(n, 0);
      for (const auto& [i, j] : expected) ++per_body[i], ++per_body[j];
      for (u32 block : awkward_blocks()) {
        for (TriangleMapId map : block == 16 ? usable_maps(n, block) : some_maps(n, block)) {
          const EngineConfig config = config_of(precision, Accumulate::fast, map, block, 2);
          const CollisionResult got = backend->collisions(bodies, config);
          ASSERT_TRUE(got.pairs == expected) << name << ", " << describe(config, n) << ": " << got.pairs.size()
                                             << " pairs, expected " << expected.size();
          ASSERT_TRUE(got.per_body == per_body);
          ASSERT_EQ(got.work_items, u64{n} * (n - 1) / 2);
        }
      }
    }
  }
}

TEST(Collisions, PairSetsOverSizesMapsAndBlocks) {
  for (u32 n : awkward_sizes()) check_collisions(n, 42);
  check_collisions(257, 1);
}

TEST(Collisions, TouchingCounts) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1, 0.5);
  b.add(1, 0, 0, 0, 0, 0, 1, 0.5);
  b.add(2.0000002, 0, 0, 0, 0, 0, 1, 0.5);
  for (const std::string& name : available_backends()) {
    for (Precision precision : kPrecisions) {
      const auto got = make_backend(name)->collisions(b, config_of(precision, Accumulate::fast));
      const std::vector<std::pair<u32, u32>> expected{{1, 0}};
      EXPECT_TRUE(got.pairs == expected);
    }
  }
}

}  // namespace
}  // namespace tri::test
