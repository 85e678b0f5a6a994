#pragma once
/// Arrays on a device: vectors, states, spheres, points, sums.
///
/// Four numbers that one or two vector loads fetch.

#include <vector_types.h>

#include "sim/base/platform.hpp"

namespace tri::cuda {

template <class Real>
struct alignas(4 * sizeof(Real) < 16 ? 4 * sizeof(Real) : 16) Vec4 {
  Real x, y, z, w;
};

// The bodies of a simulation in the kernels' layout: two 16- or 32-byte vectors per body, so that one load fetches
// what a pair law needs; and where its sums go. What kernels read that are compiled at run time, too (sim/cuda/jit).

/// Places of bodies in an array, high excluded.
struct BodyRange {
  u32 low = 0, high = 0;
};

/// Views of device memory, [n] each; not owned. Must stay valid as long as enqueued work reads them.
template <class Real>
struct DeviceState {
  const Vec4<Real>* position = nullptr;  ///< x, y, z, m
  const Vec4<Real>* velocity = nullptr;  ///< vx, vy, vz, r; laws of position and mass alone never read it
  u32 n = 0;
  /// [n] charges in the order of the bodies; null: 0 everywhere. What sorts bodies for itself (the grid of contacts and
  /// its domains, gravity and triples on tensor cores) leaves them alone: no law that reads charges runs there.
  const Real* charge = nullptr;
};

/// Where kernels add the sums of bodies, device memory. fast: `out`, zeroed by the caller. ordered: the three others,
/// zero before the first launch and left zero by finish_ordered_sums() (pairs.hpp).
template <class Real>
struct PairSums {
  Vec4<Real>* out = nullptr;           ///< [n]
  unsigned long long* bins = nullptr;  ///< [ordered_bins(precision), 3, n]
  u32* broken = nullptr;               ///< [n] nonzero: a term was out of range
};

// Where the kernel of jerks adds its sums.

/// Bits of numbers >= 0, which order like the numbers; zero before the first launch.
struct PairRates {
  unsigned long long fall = 0, fly = 0;
};

/// Output, device memory; each of the two as PairSums.
struct JerkSums {
  PairSums<double> acceleration, jerk;
  PairRates* rates = nullptr;
};

// Spheres in device memory, and where the kernels record those that overlap.

/// A sphere in the kernels' layout: position and radius. In one dimension only x and r are used.
template <class Real>
struct alignas(4 * sizeof(Real) < 16 ? 4 * sizeof(Real) : 16) Sphere {
  Real x, y, z, r;
};

/// Output, device memory zeroed by the caller. Any of per_body and pairs may be nullptr.
struct CollisionOutput {
  unsigned long long* count = nullptr;  ///< [1] overlapping pairs; correct even when `pairs` overflows
  u32* per_body = nullptr;              ///< [n] contacts of each body
  uint2* pairs = nullptr;               ///< [capacity] (i, j), i > j, unordered; the first min(count, capacity) are set
  u64 capacity = 0;
};

/// Mark of a body of another rank in a list of pairs that ranks share (pair_jobs.hpp). Bodies have numbers below it.
inline constexpr u32 kForeign = u32{1} << 31;

// Points in device memory, as the kernels of all-pairs distances read them.

/// Tile side of the fast kernel.
inline constexpr u32 kDistanceTile = 256;

constexpr u32 vectors_of(u32 features) { return (features + 3) / 4; }

/// Points as kernels read them: features 4 q .. 4 q + 3 of point p are at values[q * vector_step + p * point_step], and
/// 0 beyond the last.
template <class Real>
struct PointArray {
  const Real* values;
  u64 point_step, vector_step;
  u32 features;
  bool whole;  ///< all vectors have four values in memory, aligned as a Vec4
};

// What the kernels of pairs.hpp share: the bodies in the order of a space-filling curve, cut into tiles, and
// lists of tile pairs.

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

// Tiles of triples, and the copies of the bodies that they add to.

/// Side in bodies of the pieces of a tile; a tile is a multiple of it.
inline constexpr u32 kTripleCube = 32;

/// Fast sums go to this many copies of the bodies, [copies, n], which gather_triple_sums() adds in float64. Concurrent
/// blocks add to different copies: thousands of terms per body then neither contend for one address nor lose precision
/// in one large float32 sum. The papers' kernel has many small terms.
inline constexpr u32 kTripleCopies = 16, kElementCopies = 256;

/// Tile side where triples are counted: 32 points, 256 threads.
inline constexpr u32 kCountTile = 32;

// Sizes of the buffers and blocks of kernels over single elements.

/// Elements of the dummy kernel's scratch: small enough to stay in the L2 cache.
inline constexpr u32 kDummySlots = 1u << 20;
/// Sums that the blocks of a checksum spread over.
inline constexpr u32 kChecksumSlots = 1024;

/// Threads of a block of triples, if its tile has so many elements and a layer no more.
inline constexpr u32 kLayerThreads = 128;
/// Layers of threads of a block for tiles of rho x rho x rho elements, rho >= 1.
constexpr u32 layers_of_block(u32 rho) {
  const u32 layers = kLayerThreads / (rho * rho);
  return layers < 1 ? 1 : layers < rho ? layers : rho;
}

// Sums that the blocks of a fractal's sum spread over.

inline constexpr u32 kSumSlots = 1024;

}  // namespace tri::cuda
