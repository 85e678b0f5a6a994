/// Distances: the oracle and the functor against known sums, extremes, the sum-of-squares identity and the layouts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "sim/base/splitmix64.hpp"
#include "sim/laws/distance.hpp"
#include "sim/laws/scalar_math.hpp"
#include "sim/reference/reference.hpp"

namespace tri {
namespace {

PointSet cloud_points(u32 n) {
  PointSet points{n, 3, {}};
  for (const auto& p : cloud(n)) points.values.insert(points.values.end(), p.begin(), p.end());
  return points;
}

template <class Real>
Real law_distance(const PointSet& p, u32 a, u32 b) {
  using Math = laws::ScalarMath<Real>;
  Real sum = 0;
  for (u32 f = 0; f < p.features; ++f) {
    const auto value = [&p, f](u32 point) { return static_cast<Real>(p.values[std::size_t{point} * p.features + f]); };
    sum = laws::Distance::add(Math{}, sum, value(a), value(b));
  }
  return laws::Distance::finish(Math{}, sum);
}

TEST(Cloud, FirstTriple) {
  const auto first = cloud(1).front();
  EXPECT_NEAR(first[0], 0.741564878771823, 5e-16);
  EXPECT_NEAR(first[1], 0.159910392876920, 5e-16);
  EXPECT_NEAR(first[2], 0.278601130255139, 5e-16);
  EXPECT_EQ(cloud(5)[4], cloud(9)[4]);
  EXPECT_NE(cloud(1, 43).front(), first);
}

TEST(Distance, SumsOverTheCloud) {
  const struct {
    u32 n;
    double sum, squares;
    double sum_digits, squares_digits;  // half a unit of the last digit given
  } rows[] = {{64, 1367.96998719, 1054.3780022392, 5e-9, 5e-11},
              {1024, 344796.617847, 259072.72347081, 5e-7, 5e-9},
              {4096, 5507054.03228, 4127954.4932762, 5e-6, 5e-8}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.n);
    const PointSet points = cloud_points(row.n);
    const std::vector<double> d = reference_distances(points, DistanceLayout::condensed);
    ASSERT_EQ(d.size(), std::size_t{row.n} * (row.n - 1) / 2);
    double sum = 0, squares = 0, law_sum = 0;
    for (const double v : d) sum += v, squares += v * v;
    EXPECT_NEAR(sum, row.sum, row.sum_digits + 1e-13 * row.sum);
    EXPECT_NEAR(squares, row.squares, row.squares_digits + 1e-13 * row.squares);
    for (u32 a = 0; a < row.n; ++a) {
      for (u32 b = a + 1; b < row.n; ++b) law_sum += law_distance<double>(points, a, b);
    }
    EXPECT_NEAR(law_sum, row.sum, row.sum_digits + 1e-13 * row.sum);

    // sum d^2 = n sum |x|^2 - |sum x|^2
    double of_squares = 0, centre[3] = {0, 0, 0};
    for (u32 i = 0; i < row.n; ++i) {
      for (u32 f = 0; f < 3; ++f) {
        const double v = points.values[std::size_t{i} * 3 + f];
        of_squares += v * v;
        centre[f] += v;
      }
    }
    const double identity =
        row.n * of_squares - (centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2]);
    EXPECT_NEAR(squares, identity, 1e-12 * identity);
  }
}

TEST(Distance, ExtremesAndFirstOf64) {
  const std::vector<double> d = reference_distances(cloud_points(64), DistanceLayout::condensed);
  EXPECT_NEAR(*std::min_element(d.begin(), d.end()), 0.0250244530332619, 1e-15);
  EXPECT_NEAR(*std::max_element(d.begin(), d.end()), 1.30702526700622, 1e-14);
  EXPECT_NEAR(d[0], 0.721402072148202, 1e-15);
  EXPECT_NEAR(law_distance<double>(cloud_points(64), 0, 1), 0.721402072148202, 1e-15);
}

TEST(Distance, LayoutsHoldTheSameNumbersInTheirOrder) {
  for (const u32 n : {1u, 2u, 3u, 17u, 64u}) {
    const PointSet points = cloud_points(n);
    const auto condensed = reference_distances(points, DistanceLayout::condensed);
    const auto square = reference_distances(points, DistanceLayout::square);
    const auto lower = reference_distances(points, DistanceLayout::lower);
    ASSERT_EQ(square.size(), std::size_t{n} * n);
    ASSERT_EQ(lower.size(), std::size_t{n} * (n + 1) / 2);
    ASSERT_EQ(condensed.size(), std::size_t{n} * (n - 1) / 2);
    for (u32 i = 0; i < n; ++i) {
      EXPECT_EQ(square[std::size_t{i} * n + i], 0.0);
      for (u32 j = 0; j <= i; ++j) {
        const double d = law_distance<double>(points, i, j);
        EXPECT_NEAR(square[std::size_t{i} * n + j], d, 1e-15);
        EXPECT_EQ(square[std::size_t{i} * n + j], square[std::size_t{j} * n + i]);
        EXPECT_EQ(lower[std::size_t{i} * (i + 1) / 2 + j], square[std::size_t{i} * n + j]);
        if (i == j) continue;
        // SciPy: of (a, b), a < b: n a - a(a+1)/2 + (b - a - 1); read backwards it is the strict lower triangle.
        const std::size_t scipy = std::size_t{n} * j - std::size_t{j} * (j + 1) / 2 + (i - j - 1);
        EXPECT_EQ(condensed[scipy], square[std::size_t{i} * n + j]);
        const u64 row = n - 1 - j, column = n - 1 - i;
        EXPECT_EQ(scipy, u64{n} * (n - 1) / 2 - 1 - (row * (row - 1) / 2 + column));
      }
    }
  }
}

TEST(Distance, AnyNumberOfFeaturesAndFloat) {
  for (u32 features = 1; features <= laws::Distance::kMaxFeatures; ++features) {
    SplitMix64 random{features};
    PointSet points{20, features, {}};
    for (u32 v = 0; v < 20 * features; ++v)
      points.values.push_back(static_cast<float>(100.0 * random.uniform() - 50.0));
    const auto square = reference_distances(points, DistanceLayout::square);
    for (u32 i = 0; i < 20; ++i) {
      for (u32 j = 0; j < 20; ++j) {
        const double d = square[std::size_t{i} * 20 + j];
        EXPECT_NEAR(law_distance<double>(points, i, j), d, 1e-14 * (1 + d));
        EXPECT_NEAR(law_distance<float>(points, i, j), d, 1e-6 * (1e-30 + d)) << features << " features";
      }
    }
  }
}

TEST(Distance, IrisFirstRows) {
  std::ifstream file(TRI_TEST_DATA "/iris.csv");
  ASSERT_TRUE(file) << "no " TRI_TEST_DATA "/iris.csv";
  PointSet points{0, 4, {}};
  for (std::string line; std::getline(file, line);) {
    double v[4];
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &v[0], &v[1], &v[2], &v[3]) != 4) continue;
    points.values.insert(points.values.end(), v, v + 4);
    ++points.n;
  }
  ASSERT_EQ(points.n, 150u);
  const auto d = reference_distances(points, DistanceLayout::condensed);
  ASSERT_EQ(d.size(), 11175u);
  // (5.1, 3.5, 1.4, 0.2) to (4.9, 3.0, 1.4, 0.2): sqrt(0.04 + 0.25); to (4.7, 3.2, 1.3, 0.2): sqrt(0.16 + 0.09 + 0.01)
  EXPECT_NEAR(d[0], std::sqrt(0.29), 1e-14);
  EXPECT_NEAR(d[1], std::sqrt(0.26), 1e-14);
}

}  // namespace
}  // namespace tri
