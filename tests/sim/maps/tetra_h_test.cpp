/// tetra-h: the order that its header draws, and its inverse at sides too large to walk.

#include <gtest/gtest.h>

#include "tests/sim/maps/map_support.hpp"

namespace tri::test {
namespace {

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

}  // namespace
}  // namespace tri::test
