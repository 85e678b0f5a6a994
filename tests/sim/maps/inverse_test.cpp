/// Triangle maps at sides too large to walk: each map against its inverse, which is written here independently. A map
/// that launches as many positions as there are tiles, and whose inverse finds each tile in the launch, is a bijection.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

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

}  // namespace
}  // namespace tri::test
