#pragma once
/// The kernels that are compiled for each SIMD target, and the arrays that they read.

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "sim/base/numbers.hpp"
#include "sim/base/platform.hpp"
#include "sim/laws/physics_params.hpp"
#include "sim/model/compute.hpp"

namespace tri::cpu {

/// One cache line, and the widest vector.
inline constexpr std::size_t kAlignment = 64;
/// Elements past the last one that a kernel may load (but never use) with a whole vector.
inline constexpr std::size_t kPadding = 64;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment})); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete (p, std::align_val_t{kAlignment}); }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

/// n elements plus kPadding, all zero.
template <class T>
AlignedVector<T> padded(std::size_t n) {
  return AlignedVector<T>(n + kPadding, T{});
}

// The work on one tile of pairs or triples, as SIMD kernels chosen at run time for this processor. No maps and no
// threads here: the caller walks the tiles and owns the sums, one set per thread.
//
// A tile is rows x columns; every pair in it is computed once, row > column, and acts on both of its bodies (Newton's
// third law). Diagonal tiles accumulate only the pairs below the diagonal.

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

/// add_tile(law, bodies, tile, sums) adds the tile's sums, of accelerations or forces, as the law defines (laws::Sums),
/// or its energy.
#define TRI_DECLARE_TILES(Law, Tile) \
  void add_tile(const Law& law, const BodyView<float>& bodies, const Tile& tile, FastSums& sums); \
  void add_tile(const Law& law, const BodyView<double>& bodies, const Tile& tile, FastSums& sums); \
  void add_tile(const Law& law, const BodyView<float>& bodies, const Tile& tile, OrderedSums& sums); \
  void add_tile(const Law& law, const BodyView<double>& bodies, const Tile& tile, OrderedSums& sums); \
  void add_tile(const Law& law, const BodyView<double>& bodies, const Tile& tile, TileEnergy& sum);

/// Of the laws field.pair and field.triple (not none).
TRI_DECLARE_TILES(ForceField, PairTile)
TRI_DECLARE_TILES(ForceField, TripleTile)
/// Of gravity with its jerk.
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile,
              JerkTotals<FastSums>& sums);
void add_tile(const ForceField& field, const BodyView<double>& bodies, const PairTile& tile,
              JerkTotals<OrderedSums>& sums);

/// The SIMD target in use: "AVX2", "AVX-512", "SSE4" or "SCALAR".
const char* simd_target();

// Tiles of pairs for jobs other than forces: overlaps and distances. SIMD kernels chosen at run time.

using IndexPair = std::pair<u32, u32>;

/// The number of pairs of the tile that overlap or touch (laws/overlap.hpp) in open space. Uses x, y, z and r;
/// flat: x and r, of intervals.
u64 overlap_tile_count(const BodyView<float>& bodies, const PairTile& tile, bool flat = false);
u64 overlap_tile_count(const BodyView<double>& bodies, const PairTile& tile, bool flat = false);

/// Appends those pairs as (row, column); uses nearest images if the box is periodic.
void overlap_tile_list(const BodyView<float>& bodies, const Box& box, const PairTile& tile,
                       std::vector<IndexPair>& pairs);
void overlap_tile_list(const BodyView<double>& bodies, const Box& box, const PairTile& tile,
                       std::vector<IndexPair>& pairs);

/// Points by feature: feature f of point i is values[f * stride + i], readable for kPadding elements past the last.
template <class Real>
struct PointView {
  const Real* values = nullptr;
  std::size_t stride = 0;
  u32 n = 0;
  u32 features = 0;
};

/// A contiguous piece of the array of a layout, from the index `origin` on.
template <class Real>
struct DistancePiece {
  Real* values = nullptr;
  u64 origin = 0;
};

/// Whether a tile that is not diagonal is also written as its mirror image, which only `square` has.
enum class Mirror : u8 { no, yes };

/// Writes the distances of the tile's pairs, which are all in the piece. Each distance uses the same IEEE operations
/// wherever it is in a tile, so all maps and tile sides give the same bits. Only diagonal tiles, and those without
/// mirror images, write the diagonal of `square` and `lower`.
void distance_tile(const PointView<float>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<float>& to, Mirror mirror = Mirror::yes);
void distance_tile(const PointView<double>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<double>& to, Mirror mirror = Mirror::yes);
/// Computed in float64, and rounded once.
void distance_tile(const PointView<double>& points, DistanceLayout layout, const PairTile& tile,
                   const DistancePiece<float>& to, Mirror mirror = Mirror::yes);

// Loops that do one thing only, to find out how fast this machine does it at most.

/// float32 multiply-adds that multiply_adds() does a turn: one a lane of as many independent vectors as hide their
/// latency.
u32 lanes_a_turn();

/// `turns` times lanes_a_turn() multiply-adds in registers of the widest vectors of this processor. Returns a number
/// that depends on all of them, and is 1 to rounding.
float multiply_adds(u64 turns);

/// Writes `count` floats, a multiple of 16 at an address that is one of 64, past the caches where the processor can.
void stream_fill(float* to, std::size_t count, float value);

}  // namespace tri::cpu
