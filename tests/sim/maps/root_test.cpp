/// The inverses of the triangular and tetrahedral numbers, and the exact maps, at the rows at which float32, 32-bit
/// products and 32-bit indices end.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

constexpr u64 kAll32 = u64{1} << 32;

TEST(Figurate, NumbersAgreeWithTheirSums) {
  u64 pairs = 0, triples = 0;
  for (u32 k = 0; k < 5000; ++k) {
    ASSERT_EQ(triangular(k), pairs);
    ASSERT_EQ(triangular_of_row(k), pairs);
    ASSERT_EQ(tetrahedral(k), triples);
    ASSERT_EQ(tetrahedral_of_layer(k), triples);
    pairs += k + 1;
    triples += pairs;
  }
  EXPECT_EQ(triangular_of_row(0xffffffffu), 0x7fffffff80000000u);
  EXPECT_EQ(triangular(0xffffffffu), 0x7fffffff80000000u);
  EXPECT_EQ(tetrahedral_of_layer(kTetrahedralRootLayers), tetrahedral(kTetrahedralRootLayers));
  static_assert(tetrahedral(3810776) < (u64{1} << 63) && tetrahedral(1624) < kAll32 && tetrahedral(2952) > kAll32 / 2);
}

TEST(Figurate, CeilingRootsAreExact) {
  for (u64 v = 0; v < 100000; ++v) {
    const u64 s = ceil_sqrt(v), c = ceil_cbrt(v);
    ASSERT_TRUE(s * s >= v && (s == 0 || (s - 1) * (s - 1) < v)) << v;
    ASSERT_TRUE(c * c * c >= v && (c == 0 || (c - 1) * (c - 1) * (c - 1) < v)) << v;
  }
  EXPECT_EQ(ceil_sqrt(u64{1} << 62), u64{1} << 31);
  EXPECT_EQ(ceil_sqrt((u64{1} << 60) + 1), (u64{1} << 30) + 1);
  EXPECT_EQ(ceil_cbrt((u64{1} << 60) - 1), u64{1} << 20);
  EXPECT_EQ(ceil_cbrt((u64{1} << 60) + 1), (u64{1} << 20) + 1);
}

/// Both ends of every row that 32-bit omega reaches. Seeds are monotonic in omega, so correct ends make correct rows.
template <RootSeed kSeed>
void expect_all_rows_of_32_bits() {
  const ExactRow<kSeed> root;
  for (u32 row = 0; row <= 92681; ++row) ASSERT_TRUE(check_row_boundaries(root, row)) << "row " << row;
  EXPECT_EQ(first_wrong_row(root, 0, 3000000), 3000000u);
  EXPECT_EQ(first_wrong_row(root, kAll32 - 1000000, kAll32 + 1000000), kAll32 + 1000000);
  EXPECT_GE(first_wrong_row(root, 0, kAll32, 977), kAll32) << "sampled; stride 1 is the scan of a device";
}
TEST(TriangularRoot, EveryRowBelow32BitsBySqrt) { expect_all_rows_of_32_bits<RootSeed::sqrt>(); }
TEST(TriangularRoot, EveryRowBelow32BitsByRsqrt) { expect_all_rows_of_32_bits<RootSeed::rsqrt>(); }
TEST(TriangularRoot, EveryRowBelow32BitsByNewton) { expect_all_rows_of_32_bits<RootSeed::newton>(); }

TEST(TriangularRoot, BoundaryRowsOfEverySeed) {
  const auto by_float = [](u64 w) { return triangular_root_float(w); };
  const auto by_double = [](u64 w) { return triangular_root_double(w); };
  for (const u32 row : kBoundaryRows) {
    EXPECT_TRUE(check_row_boundaries(ExactRow<RootSeed::sqrt>{}, row)) << row;
    EXPECT_TRUE(check_row_boundaries(ExactRow<RootSeed::rsqrt>{}, row)) << row;
    EXPECT_TRUE(check_row_boundaries(ExactRow<RootSeed::newton>{}, row)) << row;
    EXPECT_TRUE(check_row_boundaries(by_float, row)) << row;
    EXPECT_TRUE(check_row_boundaries(by_double, row)) << row;
  }
}

TEST(TriangularRoot, LargeRowsUpTo31Bits) {
  const ExactRow<RootSeed::sqrt> root;
  Random random;
  for (u32 k = 17; k <= 31; ++k) {
    for (i64 off = -3; off <= 3; ++off) {
      const i64 row = (i64{1} << k) + off;
      if (row >= i64{1} << 31) continue;
      EXPECT_TRUE(check_row_boundaries(root, static_cast<u32>(row))) << row;
    }
  }
  for (u32 i = 0; i < 300000; ++i) {
    const u32 row = static_cast<u32>(random.below(u64{1} << 31));
    ASSERT_TRUE(check_row_boundaries(root, row)) << row;
    const u64 w = random.below(triangular(u64{1} << 31));
    ASSERT_TRUE(row_is_right(w, root(w))) << w;
  }
}

/// Whether the root finds a row from every cell of it: from its ends, and from a cell for each float32 between them,
/// since a seed is the same for all cells that round to one float32.
template <class Root>
bool finds_row(const Root& root, u32 row) {
  const u64 first = triangular_of_row(row), step = std::max<u64>(1, std::bit_floor(first) >> 24);
  for (u64 w = first; w < first + row; w += step) {
    if (root(w) != row) return false;
  }
  return root(first + row) == row;
}

/// The first row that the root misses: by its ends below `near`, by all of its cells from there on.
template <class Root>
u32 first_missed_row(const Root& root, u32 near) {
  u32 row = 0;
  while (row < near && check_row_boundaries(root, row)) ++row;
  while (row >= near && finds_row(root, row)) ++row;
  return row;
}

/// Newton's seed with the fused multiply-adds that a compiler may make of it, as nvcc does.
u32 root_by_fused_newton(u64 w) {
  const float v = 2.0f * static_cast<float>(w) + 0.25f;
  float y = float_from_bits(0x5f3759dfu - (float_bits(v) >> 1));
  for (int step = 0; step < 3; ++step) y *= std::fma(-(0.5f * v * y), y, 1.5f);
  const float row = std::fma(v, y, -0.5f);
  return detail::repaired_row(w, static_cast<u32>(row > 0.0f ? row : 0.0f));
}

/// Every row up to the limits that the header of the function states, and the first row beyond them.
TEST(TriangularRoot, Float32SeedAloneEndsAtTheRowsOfItsHeader) {
  const auto by_sqrt = [](u64 w) { return triangular_root_float<RootSeed::sqrt>(w); };
  const auto by_rsqrt = [](u64 w) { return triangular_root_float<RootSeed::rsqrt>(w); };
  const auto by_newton = [](u64 w) { return triangular_root_float<RootSeed::newton>(w); };
  EXPECT_EQ(first_missed_row(by_sqrt, 8'390'655 - 20'000), 8'390'656u);
  EXPECT_EQ(first_missed_row(by_rsqrt, 8'388'607 - 20'000), 8'388'608u);
  EXPECT_EQ(first_missed_row(by_newton, 4'993'038 - 20'000), 4'993'039u);
  EXPECT_GE(first_missed_row(root_by_fused_newton, 4'993'038 - 20'000), 4'993'039u);
}

TEST(TetrahedralRoot, EveryLayerBelow32BitsAndBeyond) {
  const ExactLayer root;
  for (u32 z = 0; z <= 3000; ++z) ASSERT_TRUE(check_layer_boundaries(root, z)) << z;
  EXPECT_EQ(first_wrong_layer(root, 0, 3000000), 3000000u);
  EXPECT_GE(first_wrong_layer(root, 0, kAll32 + 1000000, 1499), kAll32);
  for (u32 z : {1624u, 1625u, 2342u, 2343u, 2344u, 2345u, 2346u, 2951u, 2952u, 2953u, 65535u, 65536u, 1048576u}) {
    EXPECT_TRUE(check_layer_boundaries(root, z)) << z;
  }
  for (u32 z = kTetrahedralRootLayers - 1000; z < kTetrahedralRootLayers; ++z) {
    ASSERT_TRUE(check_layer_boundaries(root, z)) << z;
  }
}

/// Why two decrements are needed and suffice: the seed is 0, 1 or 2 above the layer, never below.
TEST(TetrahedralRoot, SeedIsUpToTwoAbove) {
  u64 above[4] = {};
  for (u32 z = 0; z < 2952; ++z) {
    for (const u64 w : {tetrahedral(z), tetrahedral(u64{z} + 1) - 1}) {
      const u32 seed = static_cast<u32>(std::cbrt(static_cast<float>(6 * w)));
      ASSERT_GE(seed, z);
      ASSERT_LE(seed, z + 2);
      ++above[seed - z];
    }
  }
  EXPECT_GT(above[0], 0u);
  EXPECT_GT(above[1], 0u);
  EXPECT_GT(above[2], 0u);
}

TEST(Order, LambdaRunsAlongTheRows) {
  for (const Diagonal diagonal : kBothDiagonals) {
    const TriangleLambda map(2300, diagonal);
    const bool strict = diagonal == Diagonal::without;
    Tile2 before{};
    for (u64 w = 0; w < map.tile_count(); ++w) {
      const Tile2 tile = map.begin({w, 0, 0, 0}).tile();
      if (w != 0) {
        ASSERT_TRUE(follows(before, tile, strict)) << w;
      }
      ASSERT_EQ(map.position_of(tile), w);
      before = tile;
    }
    EXPECT_EQ(before.row, 2299u);
  }
}

TEST(Order, TetraRunsAlongTheLayers) {
  for (const Diagonal diagonal : kBothDiagonals) {
    const TetraExact map(220, diagonal);
    const bool strict = diagonal == Diagonal::without;
    Tile3 before{};
    for (u64 w = 0; w < map.tile_count(); ++w) {
      const Tile3 tile = map.begin({w, 0, 0, 0}).tile();
      if (w != 0) {
        ASSERT_TRUE(follows(before, tile, strict)) << w;
      }
      ASSERT_EQ(map.position_of(tile), w);
      before = tile;
    }
  }
}

/// The condensed order of SciPy and R is that of the upper triangle, the strict lower one read backwards.
TEST(Order, UtmBlockIsTheCondensedOrder) {
  for (const u32 n : {2u, 3u, 10u, 101u}) {
    const TriangleUtmBlock map(n, Diagonal::without);
    u64 k = 0;
    for (u32 a = 0; a < n; ++a) {
      for (u32 b = a + 1; b < n; ++b, ++k) {
        ASSERT_EQ(map.begin({k, 0, 0, 0}).tile(), (Tile2{b, a}));
        const u64 i = n - 1 - a, j = n - 1 - b;
        ASSERT_EQ(k, u64{n} * (n - 1) / 2 - 1 - (i * (i - 1) / 2 + j));
      }
    }
  }
}

TEST(Order, PersistentRunsFollowTheSameOrder) {
  u64 w = 0;
  const TriangleLambda one(300, Diagonal::with);
  for_each_tile(TriangleMapId::lambda_stream, 300, Diagonal::with, 11,
                [&](Tile2 t) { ASSERT_EQ(one.position_of(t), w++); });
  EXPECT_EQ(w, one.tile_count());
  u64 v = 0;
  const TetraExact triple(60, Diagonal::without);
  for_each_tile(TetraMapId::tetra_stream, 60, Diagonal::without, 13,
                [&](Tile3 t) { ASSERT_EQ(triple.position_of(t), v++); });
  EXPECT_EQ(v, triple.tile_count());
}

TEST(Overflow, TriplesAtTheEdgesOf32Bits) {
  for (const u32 m : {1624u, 1625u, 1626u, 2343u, 2344u, 2346u, 2953u, 2954u, 65537u, 2642244u}) {
    for (const Diagonal diagonal : kBothDiagonals) {
      const TetraExact map(m, diagonal);
      const u64 n = diagonal == Diagonal::with ? m : m - 2;
      const u64 six = n * (n + 1) * (n + 2);
      ASSERT_EQ(map.tile_count(), six / 6) << m;
      const u32 s = diagonal == Diagonal::without;
      EXPECT_EQ(map.begin({0, 0, 0, 0}).tile(), (Tile3{0, s, 2 * s}));
      EXPECT_EQ(map.begin({map.tile_count() - 1, 0, 0, 0}).tile(), (Tile3{m - 1 - 2 * s, m - 1 - s, m - 1}));
      Random random;
      for (u32 i = 0; i < 20000; ++i) {
        const u64 w = random.below(map.tile_count());
        const Tile3 t = map.begin({w, 0, 0, 0}).tile();
        ASSERT_TRUE((TetraCells{m, s != 0}.holds(t)));
        ASSERT_EQ(map.position_of(t), w);
      }
    }
  }
  EXPECT_LE(TetraExact(2343, Diagonal::with).tile_count(), 2147483647u) << "one grid is legal to here";
  EXPECT_GT(TetraExact(2344, Diagonal::with).tile_count(), 2147483647u);
}

TEST(Overflow, TetraLutAndStreamAtLargeSides) {
  const u32 m = 20000;
  const TetraExact exact(m, Diagonal::with);
  const std::vector<u64> prefix = TetraLut::make_table(m, Diagonal::with);
  const TetraLut lut(m, Diagonal::with, prefix.data());
  const TetraStream stream(m, Diagonal::with, 1000003);
  Random random;
  for (u32 i = 0; i < 20000; ++i) {
    const u64 w = random.below(exact.tile_count());
    ASSERT_EQ(lut.begin({w, 0, 0, 0}).tile(), exact.begin({w, 0, 0, 0}).tile());
    const u64 worker = random.below(1000003);
    const Share share = share_of(exact.tile_count(), 1000003, worker);
    auto run = stream.begin({worker, 0, 0, 0});
    for (u64 step = 0; step < 30; ++step, run.next()) {
      ASSERT_EQ(run.tile(), exact.begin({share.first + step, 0, 0, 0}).tile());
    }
  }
}

}  // namespace
}  // namespace tri::test
