#pragma once
/// Overlapping pairs on a map: by elements and by tiles.
///
/// The test of one pair, and the recording of a pair that overlaps. Shared by both collision kernels.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/laws/law_basics.hpp"
#include "sim/laws/overlap.hpp"

namespace tri::cuda {

template <u32 kDimensions, class Real>
__device__ __forceinline__ laws::Body<Real> overlap_body(const Sphere<Real>& s) {
  const Real zero = 0;
  if constexpr (kDimensions == 1) {
    return {s.x, zero, zero, zero, s.r, zero, zero, zero, zero};
  } else {
    return {s.x, s.y, s.z, zero, s.r, zero, zero, zero, zero};
  }
}

/// The law. Intervals have no images.
template <u32 kDimensions, class Real>
__device__ __forceinline__ laws::Overlap<Real> overlap_law(const laws::NearestImage<Real>& image) {
  if constexpr (kDimensions == 1) return {};
  return {image};
}

/// The law's first test.
template <u32 kDimensions, class Real>
__device__ __forceinline__ bool may_touch(const Sphere<Real>& a, const Sphere<Real>& b,
                                          const laws::NearestImage<Real>& image = {}) {
  const laws::Body<Real> p = overlap_body<kDimensions>(a), q = overlap_body<kDimensions>(b);
  return overlap_law<kDimensions>(image).near(laws::ScalarMath<Real>{}, p, q);
}

/// Both tests.
template <u32 kDimensions, class Real>
__device__ __forceinline__ bool touches(const Sphere<Real>& a, const Sphere<Real>& b,
                                        const laws::NearestImage<Real>& image = {}) {
  return may_touch<kDimensions>(a, b, image) &&
         overlap_law<kDimensions>(image).touches(overlap_body<kDimensions>(a), overlap_body<kDimensions>(b));
}

/// Records a pair in every requested output. The caller adds to the total, unless pairs are listed: then the list index
/// is the count.
__device__ __forceinline__ void record(const CollisionOutput& out, u32 i, u32 j) {
  if (out.per_body != nullptr) {
    atomicAdd(&out.per_body[i], 1u);
    atomicAdd(&out.per_body[j], 1u);
  }
  const unsigned long long position = atomicAdd(out.count, 1ull);
  if (out.pairs != nullptr && position < out.capacity) out.pairs[position] = make_uint2(i, j);
}

// Overlapping pairs as in the papers: one thread per pair. In block space the rho row spheres and rho column spheres
// of a tile are staged in shared memory; in thread space each thread reads its two spheres from global memory.

template <u32 kDimensions, class Real, class M>
TRI_KERNEL void collision_element_kernel(const M map, const GridPiece piece, u32 n,
                                         const Sphere<Real>* __restrict__ spheres, const CollisionOutput out,
                                         const laws::NearestImage<Real> image) {
  if constexpr (M::kInfo.space == Space::thread) {
    for_each_element(map, piece, n, [&](u32 i, u32 j) {
      if (j < i && touches<kDimensions>(spheres[i], spheres[j], image)) record(out, i, j);
    });
  } else {
    extern __shared__ __align__(16) unsigned char staged[];
    Sphere<Real>* rows = reinterpret_cast<Sphere<Real>*>(staged);
    Sphere<Real>* cols = rows + blockDim.y;
    for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
      const u32 i0 = tiles.tile().row * blockDim.y, j0 = tiles.tile().col * blockDim.x;
      for (u32 k = threadIdx.y; k < 2; k += blockDim.y) {
        const u32 index = (k == 0 ? i0 : j0) + threadIdx.x;
        (k == 0 ? rows : cols)[threadIdx.x] = index < n ? spheres[index] : Sphere<Real>{};
      }
      __syncthreads();
      const u32 i = i0 + threadIdx.y, j = j0 + threadIdx.x;
      if (i < n && j < i && touches<kDimensions>(rows[threadIdx.y], cols[threadIdx.x], image)) record(out, i, j);
      __syncthreads();
    }
  }
}

// Overlapping pairs with many bodies per thread.
//
// A block of T threads processes a tile of (R T) x (R T) pairs: each thread keeps R row bodies in registers; the
// column bodies are in shared memory and broadcast to all threads, so that one load serves R pairs.
//
//            columns: shared memory, one after another
//          +----------------------------------+
//   rows   | thread t: bodies i0 + t, i0 + t + T, ... (R of them, registers)
//          +----------------------------------+
//
// Two steps. A *filter* runs on every pair; it never rejects an overlap. If one of the rows may overlap with one of a
// chunk of 8 columns, the thread repeats the chunk column by column, with the law's own test where the filter passes.
// Overlaps are rare in scenes, so the second step is almost free there; where everything overlaps, every pair passes
// the filter twice and then takes the law's test.
//
// In open space the filter expands the square and takes 5 issue slots a pair, 4 multiply-adds and a minimum:
//
//     d^2 - s^2 = (|x_i|^2 - r_i^2) + (|x_j|^2 - r_j^2) - 2 x_i.x_j - 2 r_i r_j,    s = r_i + r_j.
//
// The bracket of the row starts the sum; that of the column is what the least sum of all rows is compared with.
// Positions are relative to a body of the tile. With u = 2^-24 the roundings of positions, of brackets and of the sum
// change the left side by less than 17 u (|x_i|^2 + |x_j|^2) + 12 u (r_i^2 + r_j^2), and those of the law's test count
// 22 u (r_i^2 + r_j^2): each bracket is staged smaller by 32 u |x|^2 + 64 u r^2. Pairs nearer than about 1/500 of
// the tile's extent then pass as well, which matters only if most bodies are that near to each other.

inline constexpr u32 kChunk = 8;

/// What a filter keeps of a row, in registers.
template <class Real>
struct FilterRow {
  Sphere<Real> sphere;
  Real own;
};

/// Bounds of what filters compute with, so that nothing overflows or vanishes.
template <class Real>
inline constexpr Real kHuge = sizeof(Real) == sizeof(float) ? Real(1e18) : Real(1e150);
template <class Real>
inline constexpr Real kTiny = sizeof(Real) == sizeof(float) ? Real(1e-22) : Real(1e-160);
template <class Real>
inline constexpr Real kUnreachable = kHuge<Real>* kHuge<Real> * 100;
/// Infinity.
template <class Real>
__device__ __forceinline__ Real infinite() {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return __int_as_float(0x7f800000);
  } else {
    return __longlong_as_double(0x7ff0000000000000ll);
  }
}

/// Whether numbers are so large that the square of a sum might overflow, or no numbers.
template <class Real>
__device__ __forceinline__ bool is_huge(const Sphere<Real>& s) {
  return !(fabs(s.x) < kHuge<Real> && fabs(s.y) < kHuge<Real> && fabs(s.z) < kHuge<Real> && fabs(s.r) < kHuge<Real>);
}

/// A radius larger by more than the roundings of the law's test.
template <class Real>
__device__ __forceinline__ Real widened(Real r) {
  return fma(r, Real(1) + Real(4e-6), kTiny<Real>);
}

/// Filters: value(row, column) is at most the column's limit if the two may overlap. Huge spheres may overlap with all.

/// Intervals: |x_i - x_j| - r_i and r_j.
template <class Real>
struct IntervalFilter {
  static constexpr bool kHasLimits = true;

  __device__ __forceinline__ FilterRow<Real> row(const Sphere<Real>& s) const {
    const Sphere<Real> flat{s.x, 0, 0, s.r};
    if (is_huge(flat)) return {{0, 0, 0, 0}, infinite<Real>()};
    return {flat, widened(s.r)};
  }
  __device__ __forceinline__ FilterRow<Real> no_row() const { return {{0, 0, 0, 0}, -infinite<Real>()}; }
  __device__ __forceinline__ void column(const Sphere<Real>& s, Sphere<Real>& to, Real& limit) const {
    to = {s.x, 0, 0, s.r};
    limit = widened(s.r);
    if (is_huge(to)) to.x = 0, limit = infinite<Real>();
  }
  __device__ __forceinline__ void no_column(Sphere<Real>& to, Real& limit) const {
    to = {0, 0, 0, 0}, limit = -infinite<Real>();
  }
  __device__ __forceinline__ Real value(const FilterRow<Real>& row, const Sphere<Real>& column) const {
    return fabs(row.sphere.x - column.x) - row.own;
  }
};

/// Spheres in open space: the expanded square.
template <class Real>
struct SphereFilter {
  static constexpr bool kHasLimits = true;

  Sphere<Real> origin;

  /// The bracket of a sphere, which is made relative to the origin.
  __device__ __forceinline__ Real bracket(Sphere<Real>& s) const {
    constexpr Real kUnit = sizeof(Real) == sizeof(float) ? Real(0x1p-24) : Real(0x1p-53);
    if (is_huge(s) || is_huge(origin)) {
      s = {0, 0, 0, 0};
      return -infinite<Real>();
    }
    s.x -= origin.x, s.y -= origin.y, s.z -= origin.z;
    const Real square = fma(s.z, s.z, fma(s.y, s.y, s.x * s.x)), radius = s.r * s.r;
    const Real margin = fma(32 * kUnit, square, fma(64 * kUnit, radius, kTiny<Real> * Real(1e-14)));
    return (square - radius) - margin;
  }
  __device__ __forceinline__ FilterRow<Real> row(Sphere<Real> s) const {
    const Real own = bracket(s);
    return {s, own};
  }
  __device__ __forceinline__ FilterRow<Real> no_row() const { return {{0, 0, 0, 0}, kUnreachable<Real>}; }
  __device__ __forceinline__ void column(Sphere<Real> s, Sphere<Real>& to, Real& limit) const {
    limit = -bracket(s);
    to = {-2 * s.x, -2 * s.y, -2 * s.z, -2 * s.r};
  }
  __device__ __forceinline__ void no_column(Sphere<Real>& to, Real& limit) const {
    to = {0, 0, 0, 0}, limit = -kUnreachable<Real>;
  }
  __device__ __forceinline__ Real value(const FilterRow<Real>& row, const Sphere<Real>& column) const {
    const Sphere<Real>& s = row.sphere;
    return fma(s.r, column.r, fma(s.z, column.z, fma(s.y, column.y, fma(s.x, column.x, row.own))));
  }
};

/// Spheres in a periodic box: d^2 - s^2 in 9 issue slots and those of the image. The differences are bit-identical to
/// those of the law's first test, so that the wider radii cover the same roundings.
template <class Real>
struct ImageFilter {
  static constexpr bool kHasLimits = false;  ///< all of them are 0

  laws::NearestImage<Real> image;

  __device__ __forceinline__ FilterRow<Real> row(const Sphere<Real>& s) const {
    if (is_huge(s)) return {{0, 0, 0, infinite<Real>()}, 0};
    return {{s.x, s.y, s.z, widened(s.r) + image.slack}, 0};
  }
  __device__ __forceinline__ FilterRow<Real> no_row() const { return {{0, 0, 0, 0}, infinite<Real>()}; }
  __device__ __forceinline__ void column(const Sphere<Real>& s, Sphere<Real>& to, Real& /*limit*/) const {
    to = row(s).sphere;
  }
  __device__ __forceinline__ void no_column(Sphere<Real>& to, Real& /*limit*/) const {
    to = {kHuge<Real>, kHuge<Real>, kHuge<Real>, 0};
  }
  __device__ __forceinline__ Real value(const FilterRow<Real>& row, const Sphere<Real>& column) const {
    Real dx = row.sphere.x - column.x, dy = row.sphere.y - column.y, dz = row.sphere.z - column.z;
    image(laws::ScalarMath<Real>{}, dx, dy, dz);
    const Real s = row.sphere.r + column.r;
    return fma(dz, dz, fma(dy, dy, fma(dx, dx, -(s * s))));
  }
};

/// Whether one of the values is at most the limit. Values that are no numbers are not.
template <u32 kCount>
__device__ __forceinline__ bool one_within(const float (&values)[kCount], float limit) {
  float least = values[0];
#pragma unroll
  for (u32 k = 1; k < kCount; ++k) least = fminf(least, values[k]);
  return least <= limit;
}
template <u32 kCount>
__device__ __forceinline__ bool one_within(const double (&values)[kCount], double limit) {
  bool within = false;
#pragma unroll
  for (u32 k = 0; k < kCount; ++k) within |= values[k] <= limit;
  return within;
}

/// The bodies of a tile, and what to do with those that overlap.
template <class Real>
struct CollisionTile {
  u32 n, row0, column0;  ///< the first row of the block, and column
  const Sphere<Real>* spheres;
  const CollisionOutput& out;
  const laws::NearestImage<Real>& image;
};

template <class Real, u32 kSide>
struct FilterColumns {
  Sphere<Real> sphere[kSide];
  Real limit[kSide];
};

template <u32 kDimensions, u32 kRows, u32 kThreads, class Real, class Filter>
__device__ __forceinline__ void collide(const CollisionTile<Real>& tile, const Filter& filter,
                                        FilterColumns<Real, kRows * kThreads>& columns) {
  constexpr u32 kTile = kRows * kThreads;
  const u32 i0 = tile.row0 + threadIdx.x;
  FilterRow<Real> row[kRows];
#pragma unroll
  for (u32 k = 0; k < kRows; ++k) {
    const u32 at = threadIdx.x + k * kThreads, i = i0 + k * kThreads, j = tile.column0 + at;
    row[k] = i < tile.n ? filter.row(tile.spheres[i]) : filter.no_row();
    if (j < tile.n) {
      filter.column(tile.spheres[j], columns.sphere[at], columns.limit[at]);
    } else {
      filter.no_column(columns.sphere[at], columns.limit[at]);
    }
  }
  __syncthreads();
  const auto passes = [&](u32 at) {
    const Sphere<Real> column = columns.sphere[at];
    Real values[kRows];
#pragma unroll
    for (u32 k = 0; k < kRows; ++k) values[k] = filter.value(row[k], column);
    return one_within(values, Filter::kHasLimits ? columns.limit[at] : Real(0));
  };
  for (u32 c = 0; c < kTile; c += kChunk) {
    bool within = false;
#pragma unroll
    for (u32 d = 0; d < kChunk; ++d) within |= passes(c + d);
    if (!within) continue;
#pragma unroll 1
    for (u32 d = 0; d < kChunk; ++d) {
      if (!passes(c + d)) continue;
#pragma unroll 1
      for (u32 k = 0; k < kRows; ++k) {
        const u32 i = i0 + k * kThreads, j = tile.column0 + c + d;
        if (i < tile.n && j < i && touches<kDimensions>(tile.spheres[i], tile.spheres[j], tile.image)) {
          record(tile.out, i, j);
        }
      }
    }
  }
  __syncthreads();
}

/// Map: AnyTriangleMap, or a single map.
template <class Real, u32 kDimensions, u32 kRows, u32 kThreads, class Map>
TRI_KERNEL void __launch_bounds__(kThreads)
    collision_tile_kernel(const __grid_constant__ Map map, const GridPiece piece, u32 n,
                          const Sphere<Real>* __restrict__ spheres, const CollisionOutput out,
                          const laws::NearestImage<Real> image) {
  constexpr u32 kTile = kRows * kThreads;
  __shared__ FilterColumns<Real, kTile> columns;
  for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
    const CollisionTile<Real> tile{n, tiles.tile().row * kTile, tiles.tile().col * kTile, spheres, out, image};
    if constexpr (kDimensions == 1) {
      collide<1, kRows, kThreads>(tile, IntervalFilter<Real>{}, columns);
    } else if (image.periodic) {
      collide<3, kRows, kThreads>(tile, ImageFilter<Real>{image}, columns);
    } else {
      collide<3, kRows, kThreads>(tile, SphereFilter<Real>{spheres[min(tile.column0, n - 1)]}, columns);
    }
  }
}

}  // namespace tri::cuda
