#pragma once
/// The work on one tile of pairs or triples, as SIMD kernels chosen at run time for this processor. No maps and no
/// threads here: the caller walks the tiles and owns the sums, one set per thread.
///
/// A tile is rows x columns; every pair in it is computed once, row > column, and acts on both of its bodies (Newton's
/// third law). Diagonal tiles accumulate only the pairs below the diagonal.

#include "sim/base/platform.hpp"
#include "sim/base/wide.hpp"
#include "sim/laws/physics_params.hpp"

namespace tri::cpu {

/// Bodies as arrays of [n], readable for kPadding elements past the end. Arrays that a law does not use (Uses) may be
/// null.
template <class Real>
struct BodyView {
  const Real* x = nullptr;
  const Real* y = nullptr;
  const Real* z = nullptr;
  const Real* m = nullptr;
  const Real* r = nullptr;
  const Real* vx = nullptr;
  const Real* vy = nullptr;
  const Real* vz = nullptr;
  const Real* q = nullptr;  ///< charge; null: 0 everywhere, also for laws that use it
};

/// Rows [row0, row1), columns [col0, col1), as body indices. diagonal: both ranges are the same.
struct PairTile {
  u32 row0 = 0, row1 = 0;
  u32 col0 = 0, col1 = 0;
  bool diagonal = false;
};

/// Layers [z0, z1), rows [y0, y1), columns [x0, x1), as body indices; every triple x < y < z in it is computed once.
/// The ranges are equal or disjoint, in the order x, y, z.
struct TripleTile {
  u32 x0 = 0, x1 = 0;
  u32 y0 = 0, y1 = 0;
  u32 z0 = 0, z1 = 0;
};

/// Floating-point sums, x, y, z of [n]. Terms are added in the kernel's precision within a tile, in float64 across
/// tiles.
struct FastSums {
  double* axis[3] = {};
};

/// Fixed-point sums, x, y, z of [n], in units of 1/scale (a power of two).
struct OrderedSums {
  Wide* axis[3] = {};
  double scale = 1;
  /// The bits of the largest |component| so far. As integers they order like the numbers, with infinity and NaN above
  /// every finite value, so this too does not depend on order. It also detects a contribution above 2^51 / scale, whose
  /// sum is invalid.
  u64 largest = 0;
};

/// Energy and virial, in float64.
struct TileEnergy {
  double potential = 0;
  double virial = 0;  ///< sum over pairs of (r_i - r_j).F_i
};

/// Sums of accelerations and jerks (laws::GravityJerk), and the largest squared rates of the pairs met.
template <class Sums>
struct JerkTotals {
  Sums acceleration, jerk;
  double fall = 0, fly = 0;
};

/// Adds the tile's sums of the law `field.pair` (not none), of accelerations or forces, as the law defines
/// (laws::Sums), or its energy.
void add_tile(const ForceField& field, const BodyView<float>& bodies, const PairTile& tile, FastSums& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile, FastSums& sums);
void add_tile(const ForceField& field, const BodyView<float>& bodies, const PairTile& tile, OrderedSums& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile, OrderedSums& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile, TileEnergy& sum);

/// The same for gravity with its jerk.
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile,
              JerkTotals<FastSums>& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile,
              JerkTotals<OrderedSums>& sums);

/// The same for the forces of the law `field.triple` (not none).
void add_tile(const ForceField& field, const BodyView<float>& bodies, const TripleTile& tile, FastSums& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const TripleTile& tile, FastSums& sums);
void add_tile(const ForceField& field, const BodyView<float>& bodies, const TripleTile& tile, OrderedSums& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const TripleTile& tile, OrderedSums& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const TripleTile& tile, TileEnergy& sum);

/// The SIMD target in use: "AVX2", "AVX-512", "SSE4" or "SCALAR".
const char* simd_target();

}  // namespace tri::cpu
