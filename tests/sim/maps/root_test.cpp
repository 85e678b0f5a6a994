/// The inverses of the triangular and tetrahedral numbers, and the exact maps, at the rows at which float32, 32-bit
/// products and 32-bit indices end.

#include <algorithm>
#include <bit>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/sim/maps/map_support.hpp"
#include "tests/support/expect.hpp"

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

// Triangle maps at sides too large to walk: each map against its inverse, which is written here independently. A map
// that launches as many positions as there are tiles, and whose inverse finds each tile in the launch, is a bijection.

/// The position at which a map must find tile (row, col).
using Inverse = Position (*)(u32 side, Diagonal diagonal, Tile2 tile);

u32 strict_shift(Diagonal d) { return d == Diagonal::without ? 1 : 0; }

Position bb_inverse(u32, Diagonal d, Tile2 t) { return {t.col, t.row - strict_shift(d), 0, 0}; }

Position lambda_inverse(u32, Diagonal d, Tile2 t) { return {triangular(t.row - strict_shift(d)) + t.col, 0, 0, 0}; }

Position fold_inverse(u32 side, Diagonal d, Tile2 t) {
  const u32 m = side - strict_shift(d), row = t.row - strict_shift(d), e = m % 2 == 0;
  const u32 lines = m / 2 + m % 2;
  if (m - 1 - row < lines) return {t.col, m - 1 - row, 0, 0};
  const u32 y = row + 1 - e;
  return {u64{t.col} + (m - y), y, 0, 0};
}

Position rb_inverse(u32 side, Diagonal d, Tile2 t) {
  const u32 n = side - strict_shift(d), row = t.row - strict_shift(d), e = n % 2 == 0;
  if (t.col < n / 2 + n % 2) return {t.col, row + e, 0, 0};
  return {n - e - t.col, n - 1 - row, 0, 0};
}

Position rec_inverse(u32 side, Diagonal d, Tile2 t) {
  const u32 m0 = TriangleRec(side, d).base(), row = t.row - strict_shift(d);
  const u32 big_row = row / m0, big_col = t.col / m0;
  if (big_row == big_col) return {triangular(row % m0) + t.col % m0, big_row, 0, 0};
  const u32 l = floor_log2(big_row ^ big_col), s = m0 << l, q = big_row >> (l + 1);
  return {t.col - 2 * q * s, row - (q + 1) * s, 0, l + 1};
}

Position h_inverse(u32 side, Diagonal d, Tile2 t) {
  const u32 strict = strict_shift(d);
  u64 before = 0;
  u32 offset = 0;
  for (u32 k = 31;; --k) {
    const u32 p = 1u << k;
    if ((side & p) == 0) continue;
    const u64 tiles = triangular(p - strict);
    if (t.row - offset >= p) {
      before += tiles + u64{p} * offset;
      offset += p;
      continue;
    }
    const u32 r = t.row - offset;
    if (t.col < offset) return {before + tiles + u64{t.col} * p + r, 0, 0, 0};
    const u32 c = t.col - offset;
    if (r == c) return {before + triangular(p - 1) + r, 0, 0, 0};
    const u32 l = floor_log2(r ^ c), q = r >> (l + 1);
    const u64 y1 = r - (u64{2 * q} << l), x = c - (u64{q} << l);
    return {before + (y1 - 1) * (p / 2) + x, 0, 0, 0};
  }
}

Position utm_block_inverse(u32 side, Diagonal d, Tile2 t) {
  const u64 n = u64{side} + 1 - strict_shift(d), a = t.col, b = u64{t.row} + 1 - strict_shift(d);
  const u64 i = n - 1 - a, j = n - 1 - b;
  return {n * (n - 1) / 2 - 1 - (i * (i - 1) / 2 + j), 0, 0, 0};
}

Position circulant_inverse(u32 side, Diagonal diagonal, Tile2 t) {
  const u32 across = t.row - t.col, round = side - across;
  const bool straight = across < round || (across == round);
  const u32 distance = straight ? across : round, i = straight ? t.col : t.row;
  const u32 line = distance - strict_shift(diagonal);
  if (side % 2 == 1) return {i, line, 0, 0};
  return {i % (side / 2), 2 * line + i / (side / 2), 0, 0};
}

Position grouped_inverse(u32 side, Diagonal d, Tile2 t) {
  constexpr u32 kG = TriangleLambdaGrouped::kGroup;
  const u32 row = t.row - strict_shift(d), rows = side - strict_shift(d);
  const u32 first = row - row % kG, height = std::min(kG, rows - first);
  const u64 before = triangular(first);
  if (t.col >= first) return {before + u64{height} * first + triangular(row - first) + (t.col - first), 0, 0, 0};
  return {before + u64{t.col / kG} * height * kG + u64{row - first} * kG + t.col % kG, 0, 0, 0};
}

Position longest_inverse(u32 side, Diagonal, Tile2 t) {
  if (t.row == t.col) return {triangular(side - 1) + t.row, 0, 0, 0};
  return {triangular(t.row - 1) + t.col, 0, 0, 0};
}

struct Named {
  TriangleMapId id;
  Inverse inverse;
};
constexpr Named kInverses[] = {
    {TriangleMapId::bb, bb_inverse},
    {TriangleMapId::lambda, lambda_inverse},
    {TriangleMapId::fold, fold_inverse},
    {TriangleMapId::rb, rb_inverse},
    {TriangleMapId::rec, rec_inverse},
    {TriangleMapId::h, h_inverse},
    {TriangleMapId::utm_block, utm_block_inverse},
    {TriangleMapId::circulant, circulant_inverse},
    {TriangleMapId::lambda_grouped, grouped_inverse},
    {TriangleMapId::lambda_longest, longest_inverse},
};

void expect_inverse(const Named& named, u32 side, Diagonal diagonal, Tile2 tile) {
  const Position p = named.inverse(side, diagonal, tile);
  const Facts f = facts(named.id, side, diagonal);
  ASSERT_LT(p.pass, f.launches.size());
  ASSERT_TRUE(contains(f.launches[p.pass], p))
      << info(named.id).name << " side " << side << " tile " << tile.row << ", " << tile.col;
  ASSERT_EQ(tile_at(named.id, side, diagonal, p), tile)
      << info(named.id).name << " side " << side << " tile " << tile.row << ", " << tile.col << " " << text(diagonal);
}

TEST(Inverse, HoldsAtEveryTileOfSmallSides) {
  for (const Named& named : kInverses) {
    for (const Diagonal diagonal : kBothDiagonals) {
      const u32 s = strict_shift(diagonal);
      for (u32 side = 1 + s; side <= 40; ++side) {
        for (u32 row = s; row < side; ++row) {
          for (u32 col = 0; col + s <= row; ++col) expect_inverse(named, side, diagonal, {row, col});
        }
      }
    }
  }
}

TEST(Inverse, HoldsWhere32BitsEnd) {
  Random random;
  for (const u32 side : {46340u, 46341u, 46342u, 65535u, 65536u, 65537u, 92681u, 92682u, 92683u, 131071u, 1048575u,
                         1048577u, 3000017u, 2147483647u, 2147483648u}) {
    for (const Named& named : kInverses) {
      if (side > info(named.id).max_side) continue;
      for (const Diagonal diagonal : kBothDiagonals) {
        const u32 s = strict_shift(diagonal), last = side - 1;
        for (const Tile2 corner :
             {Tile2{s, 0}, Tile2{last, 0}, Tile2{last, last - s}, Tile2{last / 2, 0}, Tile2{last / 2, last / 2 - s},
              Tile2{last / 2 + 1, last / 2}, Tile2{last, last / 2}}) {
          expect_inverse(named, side, diagonal, corner);
        }
        for (u32 i = 0; i < 200; ++i) {
          const u32 row = s + static_cast<u32>(random.below(side - s));
          expect_inverse(named, side, diagonal, {row, static_cast<u32>(random.below(u64{row} + 1 - s))});
        }
      }
    }
  }
}

/// Pairs pass 2^31 at side 65536 and 2^32 at 92682: counts and launches must not wrap.
TEST(Overflow, CountsAndLaunchesAre64Bit) {
  for (const TriangleMapId id : all_triangle_maps()) {
    if (id == TriangleMapId::lambda_lut) continue;  // its table would be 17 GB
    for (const u32 m : {46340u, 46341u, 46342u, 65535u, 65536u, 65537u, 92681u, 92682u, 1048577u}) {
      for (const Diagonal diagonal : kBothDiagonals) {
        const Facts f = facts(id, m, diagonal, 1000);
        const u64 tiles = diagonal == Diagonal::with ? u64{m} * (u64{m} + 1) / 2 : u64{m} * (m - 1) / 2;
        ASSERT_EQ(f.tiles, tiles) << info(id).name;
        if (id == TriangleMapId::lambda_stream) continue;
        ASSERT_GE(f.counts.launched, tiles) << info(id).name << " " << m;
        ASSERT_LE(f.counts.launched, 2 * tiles + 2 * u64{m}) << info(id).name << " " << m;
      }
    }
  }
}

TEST(Overflow, PersistentRunsCrossRow65536) {
  const u32 m = 100000, workers = 997;
  const TriangleLambda one(m, Diagonal::without);
  const TriangleLambdaStream stream(m, Diagonal::without, workers);
  for (u32 worker = 0; worker < workers; ++worker) {
    const Share share = share_of(one.tile_count(), workers, worker);
    auto run = stream.begin({worker, 0, 0, 0});
    for (u64 step = 0; step < 300; ++step, run.next()) ASSERT_EQ(one.position_of(run.tile()), share.first + step);
  }
}

// tetra-h: the order that its header draws, and its inverse at sides too large to walk.

TEST(TetraH, PictureOfTheHeaderIsRight) {
  std::string text;
  for_each_tile(TetraMapId::tetra_h, 4, Diagonal::with, 1,
                [&](Tile3 t) { text += std::to_string(t.x) + std::to_string(t.y) + std::to_string(t.z) + " "; });
  EXPECT_EQ(text, "001 223 011 233 002 012 003 013 022 112 122 113 023 033 123 133 000 111 222 333 ");
}

/// Position in the tetrahedron of side 2^k: the box of the level at which x and z part.
u64 tetrahedron_position(u32 k, u32 x, u32 y, u32 z) {
  u64 rows = 0;  // of all levels
  for (u32 l = 0; l < k; ++l) rows += (u64{1} << l) * ((u64{1} << l) + 1);
  const u64 width = k == 0 ? 0 : u64{1} << (k - 1);
  if (x == z) return rows * width + x;
  const u32 l = floor_log2(x ^ z), s = 1u << l, q = z >> (l + 1);
  const u64 low = u64{q} * 2 * s, high = low + s;
  const bool line_is_x = y >= high;
  const u64 a = line_is_x ? z - high + 1 : x - low, b = line_is_x ? y - high : y - low;
  const u64 c = line_is_x ? x - low : z - high;
  u64 row = a * s + c;
  for (u32 below = 0; below < l; ++below) row += (u64{1} << below) * ((u64{1} << below) + 1);
  return row * width + u64{q} * s + b;
}

u64 position_of(u32 side, Diagonal diagonal, Tile3 tile) {
  const u32 shift = diagonal == Diagonal::without ? 1 : 0;
  const u32 layers = side - 2 * shift, x = tile.x, y = tile.y - shift, z = tile.z - 2 * shift;
  u32 o = 0, k = 31;
  for (;; --k) {
    const u32 p = 1u << k;
    if ((layers & p) == 0) continue;
    if (z < o + p) break;
    o += p;
  }
  const u64 p = u64{1} << k, half = o / 2;
  const u64 first = tetrahedral(o), inner = tetrahedral(p);
  if (x >= o) return first + tetrahedron_position(k, x - o, y - o, z - o);
  if (y >= o) {
    const u64 a = x < half ? z - o + 1 : y - o, b = x < half ? y - o : z - o;
    return first + inner + (a * half + x % half) * p + b;
  }
  const u64 r = y >= half ? o - 1 - y : y, c = y >= half ? x : x + (o - r);
  return first + inner + (half * (p + 1) + r * (u64{o} + 1) + c) * p + (z - o);
}

void expect_inverse(const TetraH& map, u64 w) {
  const auto cursor = map.begin({w, 0, 0, 0});
  ASSERT_TRUE(cursor.valid());
  const Tile3 t = cursor.tile();
  ASSERT_TRUE((TetraCells{map.side(), map.diagonal() == Diagonal::without}.holds(t)))
      << "side " << map.side() << " position " << w << ": " << t.x << ", " << t.y << ", " << t.z;
  ASSERT_EQ(position_of(map.side(), map.diagonal(), t), w) << "side " << map.side() << " " << text(map.diagonal());
}

TEST(TetraH, InverseHoldsAtEveryPositionOfSmallSides) {
  for (const Diagonal diagonal : kBothDiagonals) {
    for (u32 side = 3; side <= 40; ++side) {
      const TetraH map(side, diagonal);
      for (u64 w = 0; w < map.tile_count(); ++w) expect_inverse(map, w);
    }
  }
}

/// Positions pass 2^32 at side 2954. A map that launches as many positions as there are tiles, each of which its
/// inverse leads back to the position, sends no two positions to one tile.
TEST(TetraH, InverseHoldsWhere32BitsEndAndAtTheLimit) {
  Random random;
  for (const u32 side : {1023u, 1024u, 1025u, 1624u, 1625u, 2047u, 2048u, 2953u, 2954u, 2955u, 65535u, 65536u, 65537u,
                         1048575u, 2097151u, 2097152u, 2097153u, 2642243u}) {
    for (const Diagonal diagonal : kBothDiagonals) {
      const TetraH map(side, diagonal);
      const u64 tiles = map.tile_count();
      ASSERT_EQ(tiles, diagonal == Diagonal::with ? tetrahedral(side) : tetrahedral(side - 2));
      for (const u64 w : {u64{0}, u64{1}, tiles / 2, tiles - 2, tiles - 1}) expect_inverse(map, w);
      for (u32 bit = 0; bit < 22; ++bit) {  // both sides of the first positions of parts and prisms
        const u64 p = u64{1} << bit, o = side / (2 * p) * (2 * p), first = tetrahedral(o);
        for (const u64 w : {first, first + tetrahedral(p), first + tetrahedral(p) + o * p * (p + 1) / 2}) {
          if (w != 0 && w < tiles) expect_inverse(map, w), expect_inverse(map, w - 1);
        }
      }
      for (u32 i = 0; i < 3000; ++i) expect_inverse(map, random.below(tiles));
    }
  }
}

// The maps as published: exact up to their limit and wrong beyond it, which the checker for exact maps detects.
// The misprints of the papers are negative controls of the checker.

TEST(Historical, PassAtTheirLimitAndFailAbove) {
  for (const TriangleMapId id : all_triangle_maps()) {
    const MapInfo& map = info(id);
    if (!map.historical) continue;
    const u32 limit = static_cast<u32>(map.max_side);
    const MapReport below = report(id, limit, Diagonal::with);
    EXPECT_TRUE(below.passed()) << below.sentence;
    const MapReport above = report(id, limit + 1, Diagonal::with);
    EXPECT_FALSE(above.passed()) << map.name << " should be wrong at side " << limit + 1;
    EXPECT_GT(above.holes, 0u);
    const MapReport strict = report(id, limit, Diagonal::without);
    EXPECT_TRUE(strict.passed()) << strict.sentence;
  }
  const u32 limit = static_cast<u32>(info(TetraMapId::tetra_r).max_side);
  EXPECT_TRUE(report(TetraMapId::tetra_r, limit, Diagonal::with).passed());
  EXPECT_FALSE(report(TetraMapId::tetra_r, limit + 1, Diagonal::with).passed());
}

/// The first wrong row, and how it is wrong, pins each emulation to the published operations.
TEST(Historical, FailWhereDocumented) {
  EXPECT_EQ(first_wrong_row(historical_row<HistoricalRoot::x>, 0, 20000000), triangular(4608) - 1);
  EXPECT_EQ(historical_row<HistoricalRoot::x>(triangular(4608) - 1), 4608u);
  EXPECT_EQ(first_wrong_row(historical_row<HistoricalRoot::n>, 0, 20000000), triangular(1949));
  EXPECT_EQ(historical_row<HistoricalRoot::n>(triangular(1949)), 1948u);
  EXPECT_EQ(first_wrong_row(historical_row<HistoricalRoot::r>, 0, 20000000), triangular(2054));
  EXPECT_EQ(historical_row<HistoricalRoot::r>(triangular(2054)), 2053u);
  EXPECT_EQ(first_wrong_layer(tetra_r_layer, 0, 20000000), tetrahedral(204) - 1);
  EXPECT_EQ(tetra_r_layer(tetrahedral(204) - 1), 204u);
}

TEST(Historical, BoundaryRowsPassBelowTheLimit) {
  for (const u32 row : kBoundaryRows) {
    if (row < 4607) {
      EXPECT_TRUE(check_row_boundaries(historical_row<HistoricalRoot::x>, row)) << row;
    }
    if (row < 1949) {
      EXPECT_TRUE(check_row_boundaries(historical_row<HistoricalRoot::n>, row)) << row;
    }
    if (row < 2054) {
      EXPECT_TRUE(check_row_boundaries(historical_row<HistoricalRoot::r>, row)) << row;
    }
  }
}

TEST(Historical, WrongMapAtSide3000IsCaughtByTheChecker) {
  const MapReport r = report(TriangleMapId::lambda_r, 3000, Diagonal::with);
  EXPECT_FALSE(r.passed());
  expect_parts(r.sentence, {"tile (2054, 0) is never met", "answers tile (2053, 2054), which is outside"});
  const MapReport n = report(TriangleMapId::lambda_n, 3000, Diagonal::with);
  EXPECT_NE(n.sentence.find("tile (1949, 0) is never met"), std::string::npos) << n.sentence;
  EXPECT_TRUE(report(TriangleMapId::lambda_x, 3000, Diagonal::with).passed());
  EXPECT_TRUE(report(TriangleMapId::lambda, 3000, Diagonal::with).passed());
}

/// The published float32 index depends on n itself: both ends of each row, for every n up to the limit.
TEST(Historical, UtmIsExactForEveryNTo4097) {
  const auto rows_hold = [](u32 n) {
    const TriangleUtm map(n, Diagonal::without);
    u64 k = 0;
    for (u32 a = 0; a + 1 < n; ++a) {
      const u64 last = k + (n - 2 - a);
      if (!(map.begin({k, 0, 0, 0}).tile() == Tile2{a + 1, a})) return false;
      if (!(map.begin({last, 0, 0, 0}).tile() == Tile2{n - 1, a})) return false;
      k = last + 1;
    }
    return true;
  };
  for (u32 n = 1; n <= 4097; ++n) ASSERT_TRUE(rows_hold(n)) << n;
  EXPECT_FALSE(rows_hold(4098));
  EXPECT_FALSE(rows_hold(8192));
}

/// A triangle map made of one function (side, position) -> tile, which shows misprints to the checker.
template <class F>
class Printed : public TriangleBase {
 public:
  static constexpr MapInfo kInfo{"printed", Domain::triangle, Space::block, "", "", "", 0, nullptr, true};
  Printed(u32 side, Diagonal diagonal, Launch launch, F f) : TriangleBase(side, diagonal), launch_(launch), f_(f) {}
  Launch launch(u32) const { return launch_; }
  Cursor begin(Position p) const { return {f_(p), true}; }

 private:
  Launch launch_;
  F f_;
};

TEST(Misprint, RootWithTheHalfInsideFailsAtFive) {
  // sqrt(1/4 + 2w - 1/2) for sqrt(1/4 + 2w) - 1/2.
  const auto row = [](u64 w) {
    return static_cast<u32>(std::sqrt(std::max(0.0, 0.25 + 2.0 * static_cast<double>(w) - 0.5)));
  };
  u64 first = 0;
  while (row_is_right(first, row(first))) ++first;
  EXPECT_EQ(first, 5u);
  const auto tile = [&](Position p) { return Tile2{row(p.x), static_cast<u32>(p.x - triangular(row(p.x)))}; };
  EXPECT_FALSE(check_triangle_map(Printed(4, Diagonal::with, {10, 1, 1, 0}, tile)).passed());
}

TEST(Misprint, StrictColumnFailsAtZero) {
  // Strict i = diagonal i + 1 with j = w - i(i+1)/2; correct is i(i-1)/2.
  const auto wrong = [](Position p) {
    const u32 i = triangular_root(p.x) + 1;
    return Tile2{i, static_cast<u32>(p.x - triangular(i))};
  };
  const auto right = [](Position p) {
    const u32 i = triangular_root(p.x) + 1;
    return Tile2{i, static_cast<u32>(p.x - triangular(i - 1))};
  };
  EXPECT_FALSE(wrong({0, 0, 0, 0}) == (Tile2{1, 0}));
  const MapReport bad = check_triangle_map(Printed(9, Diagonal::without, {36, 1, 1, 0}, wrong));
  EXPECT_EQ(bad.outside, 36u) << "wrong at every omega";
  EXPECT_EQ(bad.holes, 36u);
  EXPECT_TRUE(check_triangle_map(Printed(9, Diagonal::without, {36, 1, 1, 0}, right)).passed());
}

TEST(Misprint, RbColumnCovers26Of36CellsAtEight) {
  // The column n - i - 1 of the folded part, with i the row just found, for n - x - e.
  const u32 n = 8;
  const auto printed = [](Position p) {
    const u32 x = static_cast<u32>(p.x), i = n - 1 - p.y;
    return p.y >= x + 1 ? Tile2{p.y - 1, x} : Tile2{i, n - i - 1};
  };
  const auto corrected = [](Position p) {
    const u32 x = static_cast<u32>(p.x), i = n - 1 - p.y;
    return p.y >= x + 1 ? Tile2{p.y - 1, x} : Tile2{i, n - x - 1};
  };
  const MapReport bad = check_triangle_map(Printed(n, Diagonal::with, {4, 9, 1, 0}, printed));
  EXPECT_EQ(bad.expected - bad.holes, 26u);
  EXPECT_TRUE(check_triangle_map(Printed(n, Diagonal::with, {4, 9, 1, 0}, corrected)).passed());
}

TEST(Misprint, UtmFromOneFails) {
  const u32 n = 12;
  const auto published = [](double k) {
    const double a = std::floor((-(2.0 * n + 1) + std::sqrt(4.0 * n * n - 4.0 * n - 8 * k + 1)) / -2);
    const double b = (a + 1) + k - (a - 1) * (2.0 * n - a) / 2;
    return Tile2{static_cast<u32>(b - 1), static_cast<u32>(a - 1)};
  };
  const auto from_zero = [&](Position p) { return published(static_cast<double>(p.x)); };
  // k = 66 alone would be the root of a negative number, so the last position is left out.
  const auto from_one = [&](Position p) { return published(static_cast<double>(p.x + 1)); };
  EXPECT_TRUE(check_triangle_map(Printed(n, Diagonal::without, {66, 1, 1, 0}, from_zero)).passed());
  const MapReport bad = check_triangle_map(Printed(n, Diagonal::without, {65, 1, 1, 0}, from_one));
  EXPECT_FALSE(bad.passed());
  EXPECT_NE(bad.sentence.find("tile (1, 0) is never met"), std::string::npos) << bad.sentence;
}

}  // namespace
}  // namespace tri::test
