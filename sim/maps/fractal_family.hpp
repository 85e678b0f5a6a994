#pragma once
/// The family F(k, s): fractals of k replicas, each 1/s as wide. The Sierpinski gasket is F(3, 2). One map serves the
/// whole family: write omega in base k; digit b at level u adds tau[b] s^(u-1).
///
///     gasket F(3,2)   Vicsek F(5,3)   carpet F(8,3)   3-D gasket F(4,2)
///       0 .             . 0 .           0 1 2           (0,0,0) (1,0,0) (0,1,0) (0,0,1):
///       1 2             1 2 3           3 . 4           cells with (x&y) = (y&z) = (x&z) = 0
///                       . 4 .           5 6 7
///
/// Source: GASKET leaves the family open; the digit map is ours. Launches: one, k^r x 1. None idle. Exact while k^r and
/// s^r fit (64 and 32 bits).

#include "map_concepts.hpp"

namespace tri {

TRI_HD constexpr u64 power_of(u64 base, u32 exponent) {
  u64 product = 1;
  for (u32 i = 0; i < exponent; ++i) product *= base;
  return product;
}

/// A cell of a fractal in two (z = 0) or three dimensions, origin at a corner.
struct FractalCell {
  u32 x = 0, y = 0, z = 0;
  friend TRI_HD constexpr bool operator==(const FractalCell& a, const FractalCell& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

/// The replicas tau[0..k-1] of a member of the family, in cells of an s x s (x s) square.
template <u32 kReplicas, u32 kScale>
struct FractalFamily {
  static constexpr u32 kK = kReplicas;
  static constexpr u32 kS = kScale;
  FractalCell tau[kReplicas];

  /// k^levels and s^levels.
  TRI_HD static constexpr u64 count(u32 levels) { return power_of(kReplicas, levels); }
  TRI_HD static constexpr u64 side(u32 levels) { return power_of(kScale, levels); }

  TRI_HD constexpr FractalCell cell(u64 w, u32 levels) const {
    FractalCell sum;
    u32 scale = 1;
    for (u32 u = 0; u < levels; ++u, w /= kReplicas, scale *= kScale) {
      const FractalCell& step = tau[w % kReplicas];
      sum.x += step.x * scale;
      sum.y += step.y * scale;
      sum.z += step.z * scale;
    }
    return sum;
  }

  /// By the definition: at every scale the cell lies in one of the replicas.
  TRI_HD constexpr bool holds(FractalCell at, u32 levels) const {
    for (u32 u = 0; u < levels; ++u) {
      const FractalCell low{at.x % kScale, at.y % kScale, at.z % kScale};
      bool found = false;
      for (const FractalCell& step : tau) found = found || step == low;
      if (!found) return false;
      at = {at.x / kScale, at.y / kScale, at.z / kScale};
    }
    return at == FractalCell{};
  }
};

inline constexpr FractalFamily<3, 2> kSierpinskiGasket{{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}}};
inline constexpr FractalFamily<5, 3> kVicsek{{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {1, 2, 0}}};
inline constexpr FractalFamily<8, 3> kCarpet{
    {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 0}, {0, 2, 0}, {1, 2, 0}, {2, 2, 0}}};
inline constexpr FractalFamily<4, 2> kGasket3d{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// A member of the family as a map, which contains the replicas.
template <class Family>
class FractalMap {
 public:
  using Tile = FractalCell;
  static constexpr MapInfo kInfo{"fractal",
                                 Domain::gasket,
                                 Space::block,
                                 "base-k digits of w, each adds tau[b] s^(u-1)",
                                 "ours, for the family GASKET leaves open",
                                 "k^r below 2^64, s^r below 2^32",
                                 u64{1} << 32,
                                 nullptr,
                                 false};

  TRI_HD constexpr FractalMap(const Family& family, u32 levels) : family_(family), levels_(levels) {}

  TRI_HD constexpr u32 side() const { return static_cast<u32>(Family::side(levels_)); }
  TRI_HD constexpr u64 tile_count() const { return Family::count(levels_); }
  TRI_HD constexpr u32 launch_count() const { return 1; }
  TRI_HD constexpr Launch launch(u32 pass) const { return {tile_count(), 1, 1, pass}; }
  TRI_HD TRI_INLINE OneTile<FractalCell> begin(Position p) const { return {family_.cell(p.x, levels_), true}; }

 private:
  Family family_;
  u32 levels_;
};

}  // namespace tri
