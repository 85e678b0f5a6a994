// Jobs of every backend: distances, rows of them, collisions, magnitudes.
//
// Distances and collisions against the oracle, in all layouts, and bit-equal over maps.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "sim/backend/backend.hpp"
#include "sim/base/progress.hpp"
#include "tests/sim/backend/cases.hpp"

namespace tri::test {
namespace {

using Triplets = BackendTest;
class Distances : public BackendTest {
 protected:
  void check_distances(u32 n, u32 features, const std::vector<u32>& blocks);
};
class Collisions : public BackendTest {
 protected:
  void check_collisions(u32 n, u64 seed);
};
TRI_ON_EVERY_BACKEND(Triplets);
TRI_ON_EVERY_BACKEND(Distances);
TRI_ON_EVERY_BACKEND(Collisions);

std::vector<double> as_double(const DistanceResult& r) {
  return std::visit([](const auto& v) { return std::vector<double>(v.begin(), v.end()); }, r.values);
}

void Distances::check_distances(u32 n, u32 features, const std::vector<u32>& blocks) {
  for (Precision precision : kPrecisions) {
    const PointSet points = random_points(n, features, precision);
    for (DistanceLayout layout : kDistanceLayouts) {
      const std::vector<double> expected = reference_distances(points, layout);
      std::vector<double> first;
      for (u32 block : element_blocks(blocks)) {
        for (TriangleMapId map : usable_maps(n, block)) {
          const EngineConfig config = config_of(precision, Accumulate::fast, map, block, 2);
          const DistanceResult result = backend().distances(points, layout, config);
          const std::vector<double> got = as_double(result);
          ASSERT_EQ(got.size(), expected.size());
          ASSERT_EQ(result.values.index(), precision == Precision::fp32 ? 0u : 1u);
          ASSERT_EQ(result.work_items, u64{n} * (n - 1) / 2);
          if (first.empty()) first = got;
          ASSERT_TRUE(got == first) << describe(config, n);
          const double tolerance = (precision == Precision::fp32 ? 3e-7 : 1e-15) * (cuda() ? 8 : 1);
          for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_LE(std::fabs(got[i] - expected[i]), tolerance * (1 + expected[i]))
                << i << ", " << describe(config, n);
          }
        }
      }
    }
  }
}

/// Every triple by three nested loops and a direct search of the edges.
TripleCounts brute_force(const PointSet& points, const SideBins& bins) {
  const auto bin = [&](u32 i, u32 j) {
    double square = 0;
    for (u32 f = 0; f < points.features; ++f) {
      const double d = points.values[u64{i} * points.features + f] - points.values[u64{j} * points.features + f];
      square += d * d;
    }
    u32 b = 0;
    while (b < bins.size() &&
           !(square >= bins.edges[b] * bins.edges[b] && square < bins.edges[b + 1] * bins.edges[b + 1]))
      ++b;
    return b;
  };
  const u64 b = bins.size();
  TripleCounts counts{bins.size(), std::vector<u64>(b * b * b), 0, 0, 0};
  for (u32 k = 0; k < points.n; ++k) {
    for (u32 j = 0; j < k; ++j) {
      for (u32 i = 0; i < j; ++i, ++counts.work_items) {
        std::array<u64, 3> s{bin(i, j), bin(j, k), bin(i, k)};
        std::sort(s.begin(), s.end());
        if (s[2] == b) {
          ++counts.outside;
        } else {
          ++counts.counts[(s[0] * b + s[1]) * b + s[2]];
        }
      }
    }
  }
  return counts;
}

std::vector<SideBins> some_bins() {
  std::vector<SideBins> all{{{0, 10}}, {{0, 0.25, 0.5, 1}}, {{0.1, 0.3, 0.31, 0.9}}};
  SideBins fine, finest;
  for (u32 e = 0; e <= 36; ++e) fine.edges.push_back(e / 20.0);
  for (u32 e = 0; e <= SideBins::kMax; ++e) finest.edges.push_back(e / 40.0);
  all.push_back(fine), all.push_back(finest);
  return all;
}

TEST_P(Triplets, EqualBruteForceOnEveryMapAndBackend) {
  for (const u32 n : {1u, 2u, 3u, 31u, 32u, 33u, 65u, 100u}) {
    for (const u32 features : {1u, 3u, 5u}) {
      const PointSet points = random_points(n, features);
      for (const SideBins& bins : some_bins()) {
        const TripleCounts expected = brute_force(points, bins);
        for (const u32 block : !cuda() ? std::vector<u32>{0, 1, 7, 64} : std::vector<u32>{0, 32}) {
          for (const TetraMapId map : usable_triple_maps(n, block == 0 ? 8 : block)) {
            EngineConfig config;
            config.triple_map = map, config.triple_block = block, config.threads = !cuda() ? 2 : 0;
            const TripleCounts got = backend().triplets(points, bins, config);
            ASSERT_EQ(got.counts, expected.counts) << describe(config, n) << ", " << bins.size();
            ASSERT_EQ(got.outside, expected.outside);
            ASSERT_EQ(got.work_items, expected.work_items);
          }
        }
      }
    }
  }
}

// Which way is the backend's choice, unless a tile or a map of triples is named.
TEST_P(Triplets, ProductsOfBitsCountTheSameAndAreChosenWhereTheyAreFaster) {
  const u32 large = cuda() ? 2100 : 600;
  for (const u32 n : {large, large + 41}) {
    const PointSet points = random_points(n, 3);
    for (const SideBins& bins : {SideBins{{0, 0.2, 0.4, 0.9}}, SideBins{{0.3, 0.6}}, SideBins{{0, 0.1, 0.2, 0.5, 3}}}) {
      EngineConfig config;
      config.threads = cuda() ? 0 : 3;
      const TripleCounts chosen = backend().triplets(points, bins, config);
      EngineConfig in_tiles = config;
      in_tiles.triple_block = 32;
      const TripleCounts expected = backend().triplets(points, bins, in_tiles);
      EXPECT_TRUE(chosen.by_products || cuda()) << "which a GPU may not have";
      EXPECT_FALSE(expected.by_products);
      EXPECT_EQ(chosen.counts, expected.counts) << n << ", " << bins.size();
      EXPECT_EQ(chosen.outside, expected.outside);
      for (const TriangleMapId map : {TriangleMapId::bb, TriangleMapId::circulant, TriangleMapId::lambda_stream}) {
        config.pair_map = map;
        EXPECT_EQ(backend().triplets(points, bins, config).counts, expected.counts) << info(map).name;
      }
      config.triple_map = TetraMapId::bb;
      EXPECT_FALSE(backend().triplets(points, bins, config).by_products);
    }
  }
  EXPECT_FALSE(backend().triplets(random_points(100, 3), some_bins().back(), {}).by_products);
}

// Split into many launches, as on a device that drives a display, with a progress sink.
TEST_P(Triplets, SlicesCountTheSameAndAProgressSinkCanStopThem) {
  const PointSet points = random_points(500, 3);
  const SideBins bins{{0, 0.2, 0.4, 0.9}};
  for (const TetraMapId map : {TetraMapId::tetra, TetraMapId::tetra_stream, TetraMapId::bb}) {
    EngineConfig config;
    config.triple_map = map;
    const TripleCounts whole = backend().triplets(points, bins, config);
    config.slice_ms = 0.001;
    EXPECT_EQ(backend().triplets(points, bins, config).counts, whole.counts) << "without a sink";
    const ScopedTask work("triples");
    EndingSink patient(0), hasty = EndingSink::at_part(0.3);
    {
      const ScopedProgressSink watching(patient);
      EXPECT_EQ(backend().triplets(points, bins, config).counts, whole.counts) << info(map).name;
    }
    EXPECT_GE(patient.reports, 20u) << info(map).name;
    EXPECT_EQ(patient.falls, 0u) << info(map).name;
    {
      const ScopedProgressSink watching(hasty);
      EXPECT_THROW(backend().triplets(points, bins, config), InterruptedError) << info(map).name;
    }
    EXPECT_EQ(backend().triplets(points, {{0, 2}}, {}).outside, 0u) << "the device still works";
  }
}

// Lengths exactly on the edges: 3-4-5 triangles and integer bins.
TEST_P(Triplets, AnEdgeBelongsToTheBinAboveIt) {
  const PointSet points{3, 2, {0, 0, 3, 0, 0, 4}};
  const TripleCounts in = backend().triplets(points, {{3, 4, 5, 6}}, {});
  EXPECT_EQ(in.counts[0 * 9 + 1 * 3 + 2], 1u);
  EXPECT_EQ(in.outside, 0u);
  EXPECT_EQ(backend().triplets(points, {{3, 4, 5}}, {}).outside, 1u) << "5 is outside";
  for (const SideBins& bad : {SideBins{{1}}, SideBins{{1, 1}}, SideBins{{-1, 1}}, SideBins{{0, std::nan("")}},
                              SideBins{std::vector<double>(66, 1)}}) {
    EXPECT_THROW(backend().triplets(points, bad, {}), ConfigError);
  }
}

TEST_P(Distances, AllLayoutsOverSizesMapsAndBlocks) {
  for (u32 n : {1u, 2u, 3u, 31u, 33u, 65u}) check_distances(n, 4, awkward_blocks());
}

TEST_P(Distances, LargerSizes) { check_distances(257, 3, {1, 16, 100}); }

TEST_P(Distances, EveryNumberOfFeatures) {
  for (u32 features = 1; features <= 16; ++features) check_distances(37, features, {8, 100});
}

TEST_P(Distances, PublishedSums) {
  PointSet p{1024, 3, {}};
  for (const auto& c : cloud(1024)) p.values.insert(p.values.end(), c.begin(), c.end());
  const auto result = backend().distances(p, DistanceLayout::condensed, config_of(Precision::fp64, Accumulate::fast));
  double sum = 0, squares = 0;
  for (double d : as_double(result)) sum += d, squares += d * d;
  EXPECT_NEAR(sum, 344796.617847, 1e-6);
  EXPECT_NEAR(squares, 259072.72347081, 1e-7);
}

TEST_P(Distances, BadPointsAreRejected) {
  const auto refused = [](Backend& backend, const PointSet& p) {
    EXPECT_THROW(backend.distances(p, DistanceLayout::condensed, {}), ConfigError);
  };
  refused(backend(), {0, 3, {}});
  refused(backend(), {1, 0, {}});
  refused(backend(), {1, 17, std::vector<double>(17)});
  refused(backend(), {2, 2, {1, 2, 3}});
  refused(backend(), {2, 1, {1, std::nan("")}});
}

TEST_P(Distances, TooLargeIsPredicted) {
  PointSet p{3000000, 1, std::vector<double>(3000000)};
  expect_parts(message_of<MemoryError>([&] {
                 backend().distances(p, DistanceLayout::square, config_of(Precision::fp64, Accumulate::fast));
               }),
               {"points or fewer"});
}

void Collisions::check_collisions(u32 n, u64 seed) {
  for (Precision precision : kPrecisions) {
    const Bodies bodies = as_held(cloud_bodies(n, seed), precision);
    const auto expected = reference_collisions(bodies);
    std::vector<u32> per_body(n, 0);
    for (const auto& [i, j] : expected) ++per_body[i], ++per_body[j];
    for (u32 block : element_blocks(awkward_blocks())) {
      for (TriangleMapId map : block == 16 ? usable_maps(n, block) : some_maps(n, block)) {
        const EngineConfig config = config_of(precision, Accumulate::fast, map, block, 2);
        const CollisionResult got = backend().collisions(bodies, config);
        ASSERT_TRUE(got.pairs == expected)
            << describe(config, n) << ": " << got.pairs.size() << " pairs, expected " << expected.size();
        ASSERT_TRUE(got.per_body == per_body);
        ASSERT_TRUE(backend().contact_counts(bodies, config) == per_body);
        ASSERT_EQ(got.work_items, u64{n} * (n - 1) / 2);
      }
    }
  }
}

TEST_P(Collisions, PairSetsOverSizesMapsAndBlocks) {
  for (u32 n : awkward_sizes()) check_collisions(n, 42);
  check_collisions(257, 1);
}

/// Spheres on a lattice of 1/64, in and beside a box of sides 1, 2 and 1.5, so that no rounding decides.
Bodies spheres_around_box(u32 n, double largest) {
  Bodies b;
  SplitMix64 random{n};
  const auto at = [&](double low, double length) { return low + std::floor(64 * length * random.uniform()) / 64; };
  for (u32 i = 0; i < n; ++i) {
    const double x = at(-0.5 - (i % 7 == 0 ? 3 : 0), 1), y = at(i % 5 == 0 ? 4 : 0, 2), z = at(2, 1.5);
    b.add(x, y, z, 0, 0, 0, 1, std::floor(64 * largest * random.uniform()) / 64);
  }
  return b;
}

/// By all 27 images of each.
std::vector<std::pair<u32, u32>> collisions_of_images(const Bodies& b, const std::array<double, 3>& sides) {
  const auto least = [](double d, double side) {
    d = std::fmod(std::fabs(d), side);
    return std::min({std::fabs(d - side), d, std::fabs(d + side)});
  };
  std::vector<std::pair<u32, u32>> pairs;
  for (u32 i = 0; i < b.size(); ++i) {
    for (u32 j = 0; j < i; ++j) {
      const double x = least(b.x[i] - b.x[j], sides[0]), y = least(b.y[i] - b.y[j], sides[1]),
                   z = least(b.z[i] - b.z[j], sides[2]), reach = b.r[i] + b.r[j];
      if (x * x + y * y + z * z <= reach * reach) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

TEST_P(Collisions, PeriodicBox) {
  const Box box{{-0.5, 0, 2}, {0.5, 2, 3.5}, Boundary::periodic};
  for (const auto& [n, largest] : {std::pair<u32, double>{1, 2.0}, {2, 0.5}, {65, 0.15}, {65, 1.0}, {1500, 0.06}}) {
    const Bodies b = spheres_around_box(n, largest);
    const auto expected = collisions_of_images(b, {1, 2, 1.5});
    for (Precision precision : kPrecisions) {
      for (BroadPhase broad_phase : {BroadPhase::automatic, BroadPhase::all_pairs, BroadPhase::grid}) {
        if (broad_phase == BroadPhase::grid && largest > 0.15) continue;  // the box is less than three cells wide
        EngineConfig config = config_of(precision, Accumulate::fast);
        config.broad_phase = broad_phase;
        const CollisionResult got = backend().collisions(b, config, box);
        EXPECT_TRUE(got.pairs == expected)
            << describe(config, n) << ": " << got.pairs.size() << ", not " << expected.size();
      }
    }
    if (n == 1500) {
      EXPECT_GT(expected.size(), backend().collisions(b, {}).pairs.size()) << "nothing touches through a wall";
    }
  }
  Box flat = box;
  flat.high[1] = 0;
  EXPECT_THROW(backend().collisions(spheres_around_box(9, 0.1), {}, flat), ConfigError);
}

TEST_P(Collisions, TouchingCounts) {
  Bodies b;
  b.add(0, 0, 0, 0, 0, 0, 1, 0.5);
  b.add(1, 0, 0, 0, 0, 0, 1, 0.5);
  b.add(2.0000002, 0, 0, 0, 0, 0, 1, 0.5);
  for (Precision precision : kPrecisions) {
    const auto got = backend().collisions(b, config_of(precision, Accumulate::fast));
    const std::vector<std::pair<u32, u32>> expected{{1, 0}};
    EXPECT_TRUE(got.pairs == expected);
  }
}

// Blocks of rows of distances: the bits of the whole matrix, whatever the blocks, and in order from several workers.

class Rows : public BackendTest {
 protected:
  void check_rows(u32 n, u32 features, DistanceLayout layout, const EngineConfig& config);
};
TRI_ON_EVERY_BACKEND(Rows);

/// The bytes of the values.
std::string bytes_of(const DistanceValues& values) {
  return std::visit(
      [](const auto& v) { return std::string(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(v[0])); },
      values);
}

void Rows::check_rows(u32 n, u32 features, DistanceLayout layout, const EngineConfig& config) {
  const PointSet points = random_points(n, features);
  const std::string whole = bytes_of(backend().distances(points, layout, config).values);
  const auto rows = backend().distance_rows(points, layout, config);
  for (const u32 at_once : {1u, 7u, n / 2 + 1, n + 5}) {
    DistanceValues values;
    std::string joined;
    for (const RowBlock& block : row_blocks(n, layout, 0, at_once, 0)) {
      rows->rows(block.first, block.last, values);
      joined += bytes_of(values);
    }
    ASSERT_TRUE(joined == whole) << describe(config, n) << ", layout " << static_cast<int>(layout) << ", " << at_once
                                 << " rows at once";
  }
}

TEST_P(Rows, JoinedBlocksHaveTheBitsOfTheWhole) {
  for (const u32 n : {1u, 2u, 3u, 31u, 67u, 129u, 257u}) {
    for (const Precision precision : kPrecisions) {
      for (const DistanceLayout layout : kDistanceLayouts) {
        for (const u32 block : cuda() ? std::vector<u32>{0, 8} : std::vector<u32>{0, 5}) {
          for (const TriangleMapId map : usable_maps(n, block == 0 ? 16 : block)) {
            if (info(map).space == Space::thread && block == 0) continue;
            check_rows(n, n % 3 + 3, layout, config_of(precision, Accumulate::fast, map, block, 2));
          }
        }
      }
    }
  }
}

// Several tiles of the largest kernels, with rectangles on either side of the block.
TEST_P(Rows, ABlockInTheMiddle) {
  constexpr u32 kN = 1531;
  const PointSet points = random_points(kN, 3);
  for (const Precision precision : kPrecisions) {
    for (const DistanceLayout layout : kDistanceLayouts) {
      const EngineConfig config = config_of(precision, Accumulate::fast);
      const std::string whole = bytes_of(backend().distances(points, layout, config).values);
      const auto rows = backend().distance_rows(points, layout, config);
      DistanceValues values;
      const u64 size = precision == Precision::fp32 ? 4 : 8;
      const u32 unit = distance_row_unit(layout);
      for (auto [first, last] : {RowBlock{0, 1}, {400, 1100}, {1, kN - 1}, {777, 778}, {kN - 300, kN}}) {
        first -= first % unit, last = std::min(kN, (last + unit - 1) / unit * unit);
        rows->rows(first, last, values);
        const u64 begin = distance_row_begin(kN, layout, first) * size;
        ASSERT_TRUE(bytes_of(values) == whole.substr(begin, distance_row_begin(kN, layout, last) * size - begin))
            << first << ", " << last << ", layout " << static_cast<int>(layout);
        std::visit(
            [&, first = first, last = last]<class Real>(const std::vector<Real>& expected) {
              std::vector<Real> memory(expected.size(), Real(-1));
              rows->rows_into(first, last, std::span(memory));
              EXPECT_EQ(memory, expected);
            },
            values);
      }
    }
  }
}

TEST_P(Rows, AMapIsLimitedByTheRowsOfABlock) {
  const PointSet points = random_points(5000, 1);
  EngineConfig config = config_of(Precision::fp32, Accumulate::fast, TriangleMapId::utm, 1);
  DistanceValues values;
  const auto rows = backend().distance_rows(points, DistanceLayout::lower, config);
  EXPECT_THROW(rows->rows(0, 5000, values), ConfigError) << "utm is exact to 4,097";
  rows->rows(4000, 5000, values);
  EXPECT_EQ(std::get<std::vector<float>>(values).size(), u64{5000} * 5001 / 2 - u64{4000} * 4001 / 2);
}

TEST(RowBlocks, ByRowsAndByValues) {
  const auto ends = [](u32 n, DistanceLayout layout, u32 from, u32 at_once, u64 values) {
    std::vector<u32> result;
    u32 next = from;
    for (const auto& [first, last] : row_blocks(n, layout, from, at_once, values)) {
      EXPECT_EQ(first, next);
      result.push_back(next = last);
    }
    return result;
  };
  EXPECT_EQ(ends(10, DistanceLayout::square, 0, 4, 0), (std::vector<u32>{4, 8, 10}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 9, 4, 0), (std::vector<u32>{10}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 10, 4, 0), (std::vector<u32>{}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 0, 0, 35), (std::vector<u32>{3, 6, 9, 10}));
  EXPECT_EQ(ends(10, DistanceLayout::square, 0, 0, 3), (std::vector<u32>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(ends(6, DistanceLayout::lower, 0, 0, 6), (std::vector<u32>{3, 4, 5, 6}));
  EXPECT_EQ(ends(6, DistanceLayout::condensed, 0, 0, 6), (std::vector<u32>{1, 2, 6}));
  EXPECT_EQ(ends(100, DistanceLayout::blocks, 0, 32, 0), (std::vector<u32>{32, 64, 96, 100}));
  EXPECT_EQ(ends(100, DistanceLayout::blocks, 0, 1, 0), (std::vector<u32>{32, 64, 96, 100}));
  EXPECT_EQ(ends(100, DistanceLayout::blocks, 32, 33, 0), (std::vector<u32>{96, 100}));
  EXPECT_EQ(ends(100, DistanceLayout::blocks, 0, 0, 3 * 1024), (std::vector<u32>{64, 96, 100}));
  EXPECT_EQ(ends(4294967295u, DistanceLayout::blocks, 4294967264u, 4294967295u, 0), (std::vector<u32>{4294967295u}));
  EXPECT_EQ(ends(4294967295u, DistanceLayout::lower, 4294967290u, 4294967295u, 0), (std::vector<u32>{4294967295u}));
}

TEST(RowBlocks, BeginsOfRows) {
  for (const u64 n : {0, 1, 2, 7}) {
    for (const DistanceLayout layout : kDistanceLayouts) {
      u64 begin = 0;
      for (u64 row = 0; row <= n && layout != DistanceLayout::blocks; ++row) {
        EXPECT_EQ(distance_row_begin(n, layout, row), begin);
        begin += layout == DistanceLayout::square ? n : layout == DistanceLayout::lower ? row + 1 : n - 1 - row;
      }
      EXPECT_EQ(distance_count(n, layout), distance_row_begin(n, layout, n));
    }
  }
  EXPECT_EQ(distance_count(4294967295u, DistanceLayout::condensed), u64{4294967295u} * 4294967294u / 2);
  for (const auto& [row, begin] : {std::pair{0u, 0u}, {32u, 1024u}, {64u, 3072u}, {70u, 6144u}}) {
    EXPECT_EQ(distance_row_begin(70, DistanceLayout::blocks, row), begin);
  }
}

/// Rows whose values are their numbers; slow, and failing at one of them.
class NumberedRows final : public DistanceRows {
 public:
  NumberedRows(u32 failing, std::atomic<int>& running) : failing_(failing), running_(running) {}
  double rows(u32 first, u32 last, DistanceValues& to) override {
    ++running_;
    LoopProgress progress(1000);
    for (u64 step = 0; step < 1000 && first == endless; ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      progress.at(step);
    }
    --running_;
    if (first <= failing_ && failing_ < last) throw NumericalError("the failing row");
    std::this_thread::sleep_for(std::chrono::microseconds(first * 7919 % 500));
    std::vector<double>& values = to.emplace<std::vector<double>>();
    for (u32 i = first; i < last; ++i) values.push_back(i);
    return last - first;
  }
  static constexpr u32 none = ~0u, endless = 5000;

 private:
  u32 failing_;
  std::atomic<int>& running_;
};

std::vector<std::unique_ptr<DistanceRows>> numbered(u32 count, u32 failing, std::atomic<int>& running) {
  std::vector<std::unique_ptr<DistanceRows>> workers;
  for (u32 w = 0; w < count; ++w) workers.push_back(std::make_unique<NumberedRows>(failing, running));
  return workers;
}

TEST(RowPipelines, GiveBlocksInOrderWhateverTheWorkers) {
  std::atomic<int> running{0};
  for (const u32 workers : {1u, 2u, 3u, 8u}) {
    for (const u32 n : {1u, 2u, 5u, 100u}) {
      RowPipeline pipeline(numbered(workers, NumberedRows::none, running),
                           row_blocks(n, DistanceLayout::lower, 0, 3, 0));
      u32 next = 0;
      double ms = 0;
      while (const RowPipeline::Done* block = pipeline.next([](double) {})) {
        EXPECT_EQ(block->rows.first, next);
        for (const double value : std::get<std::vector<double>>(block->values)) EXPECT_EQ(value, next++);
        EXPECT_EQ(block->rows.last, next);
        ms += block->ms;
      }
      EXPECT_EQ(next, n);
      EXPECT_EQ(ms, n);
    }
  }
}

TEST(RowPipelines, PassFailuresOnAfterTheBlocksBefore) {
  std::atomic<int> running{0};
  RowPipeline pipeline(numbered(3, 20, running), row_blocks(100, DistanceLayout::lower, 0, 3, 0));
  for (u32 b = 0; b < 6; ++b) ASSERT_NE(pipeline.next([](double) {}), nullptr);
  EXPECT_THROW(pipeline.next([](double) {}), NumericalError);
}

TEST(RowPipelines, StopWhatIsBeingComputed) {
  std::atomic<int> running{0};
  const auto begin = std::chrono::steady_clock::now();
  {
    RowPipeline pipeline(numbered(2, NumberedRows::none, running), {{NumberedRows::endless, 5001}, {0, 1}});
    const auto impatient = [&](double part) {
      EXPECT_LE(part, 1);
      if (running == 1) throw InterruptedError("enough");
    };
    EXPECT_THROW(pipeline.next(impatient), InterruptedError);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "of the 10 s that the block takes";
}

// Distances, contacts and counts of triples are right in every order of magnitude that their numbers have, although
// squares leave the range at the square root of it; and where the origin is far away.

using Magnitudes = BackendTest;
TRI_ON_EVERY_BACKEND(Magnitudes);

/// Magnitudes as exponents of 2, so that scaling is exact.
std::vector<int> exponents(Precision precision) {
  if (precision == Precision::fp32) return {-100, -90, -70, -60, 0, 60, 70, 100, 126};
  return {-1000, -700, -560, -535, 0, 510, 520, 700, 1022};
}

TEST_P(Magnitudes, OfDistances) {
  for (const Precision precision : kPrecisions) {
    for (const u32 features : {1u, 3u, 16u}) {
      const auto expected = reference_distances(random_points(300, features, Precision::fp32), DistanceLayout::square);
      for (const int e : exponents(precision)) {
        const double scale = std::ldexp(1.0, e - 3);
        for (const u32 block : {0u, 16u}) {
          EngineConfig config = config_of(precision, Accumulate::fast, TriangleMapId::lambda, block, 2);
          const auto got = as_double(backend().distances(random_points(300, features, Precision::fp32, scale),
                                                         DistanceLayout::square, config));
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
      as_double(backend().distances(points, DistanceLayout::condensed, config_of(Precision::fp32, Accumulate::fast)));
  const double expected[] = {1e-30, 3e-30, 1, 1e19, std::sqrt(2) * 1e30, std::sqrt(10) * 1e-30, 1, 1e19};
  for (std::size_t k = 0; k < std::size(expected); ++k) EXPECT_NEAR(got[k], expected[k], 1e-6 * expected[k]) << k;
}

TEST_P(Magnitudes, OfDistancesFarFromTheOrigin) {
  PointSet far = random_points(50, 3, Precision::fp32);
  const auto expected = reference_distances(far, DistanceLayout::condensed);
  for (double& v : far.values) v += 1e8 + 1.0 / 3;
  const auto got =
      as_double(backend().distances(far, DistanceLayout::condensed, config_of(Precision::fp32, Accumulate::fast)));
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
  const PointSet points = random_points(60, 3);
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
