#pragma once
/// What the kernels of tensor_gravity.hpp share: the bodies in the order of a space-filling curve, cut into tiles, and
/// lists of tile pairs.

#include "sim/cuda/kernels/pairs/device_state.hpp"

namespace tri::cuda {

inline constexpr u32 kCoarse = 128, kFine = 64;  ///< bodies a tile
/// Coarse tiles whose pairs with one coarse tile are decided on at once, by the lanes of a warp.
inline constexpr u32 kGroup = 32;

/// A tile: the centre of its box and the radius of a sphere around that.
struct TileHead {
  float x, y, z, radius;
};

/// Second moments of the bodies' positions in a tile relative to its centre, the mean over the bodies.
struct TileSpread {
  float xx, yy, zz, xy, xz, yz;
};

/// G m of a tile's bodies.
struct TileMass {
  float unit;  ///< a power of two that no mass exceeds
  float total;
  float root;  ///< of the sum of squares, times how much larger the errors count in a plane or on a line
};

/// [..] in device memory, in the order of the curve; `padded` bodies are a multiple of kCoarse. Those from n on are
/// without mass, in tiles at the centre, in `body` far away.
struct TiledBodies {
  u32 n = 0, padded = 0;
  u32* order = nullptr;                 ///< [n] the index of the body that is the s-th on the curve
  Vec4<float>* body = nullptr;          ///< [padded] x, y, z, G m
  Vec4<float>* coarse = nullptr;        ///< [padded] relative to the centre, in radii; G m / unit
  Vec4<float>* fine = nullptr;          ///< [padded] the same in fine tiles
  TileHead* coarse_head = nullptr;      ///< [padded / kCoarse]
  TileHead* fine_head = nullptr;        ///< [padded / kFine]
  TileSpread* coarse_spread = nullptr;  ///< [padded / kCoarse]
  TileSpread* fine_spread = nullptr;    ///< [padded / kFine]
  TileMass* coarse_mass = nullptr;      ///< [padded / kCoarse]
  TileMass* fine_mass = nullptr;        ///< [padded / kFine]
  float* pull = nullptr;                ///< [padded / kCoarse] the square of a tile's acceleration
};

/// What an evaluation begins with at zero: so many copies of the fast sums, [count, padded], and counters.
struct ZeroedArrays {
  Vec4<float>* copies = nullptr;
  u32 count = 0;
  u32* counters = nullptr;
  u32 counter_count = 0;
};

/// Which pairs of tiles are computed on tensor cores, and how.
struct TensorLimits {
  /// Up to which bound of |u| v is computed by a polynomial of this degree.
  float degree2, degree4, degree6;
  /// The largest rms of u in a pair of tiles. The error of v is proportional to it.
  float rms;
  /// The largest product of that rms and the pull between the tiles, which is that of a body with the rms mass times
  /// the root of their number, relative to the rms acceleration of tiles. The error of accelerations is proportional to
  /// it.
  float pull;
};

/// How a pair of tiles is computed: by polynomials of these degrees on coarse or fine tiles, or plainly.
enum class PairClass : u32 { coarse2, coarse4, coarse6, fine4, fine6, plain };
inline constexpr u32 kPairClasses = 6;

/// Pairs of one class of tile `row` with the tiles kGroup * group + b for the bits b of `columns`. Plain ones have
/// coarse rows and fine columns.
struct PairUnit {
  u32 row, group, columns;
};

/// Lists in device memory, one a class.
struct PairUnits {
  PairUnit* unit[kPairClasses] = {};
  u32* made = nullptr;   ///< [kPairClasses] units in the lists
  u32* taken = nullptr;  ///< how many of them, over all lists in turn, have been taken
};

}  // namespace tri::cuda
