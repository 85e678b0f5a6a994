// Overlapping pairs with many bodies per thread.
//
// A block of T threads processes a tile of (R T) x (R T) pairs: each thread keeps R row bodies in registers; the column
// bodies are in shared memory and broadcast to all threads, so that one load serves R pairs.
//
//            columns: shared memory, one after another
//          +----------------------------------+
//   rows   | thread t: bodies i0 + t, i0 + t + T, ... (R of them, registers)
//          +----------------------------------+
//
// Two steps. The *filter* runs on every pair and costs 9 issue slots: 3 subtractions, the sum of radii, 4 multiply-adds
// for s^2 - d^2, and one instruction that adds the sign bit of the result to the count of misses. Radii are widened by
// four parts in a million when staged, more than the total rounding error, so the filter never rejects an overlap. If a
// thread's count shows that not all pairs of a chunk of 8 columns miss, the thread repeats the chunk with the law's own
// test. Overlaps are rare in scenes, so the second step is free there; where everything overlaps the kernel takes about
// twice as long.

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/pairs/collision_pair.cuh"
#include "sim/cuda/kernels/position.cuh"

namespace tri::cuda {
namespace {

constexpr u32 kChunk = 8;

__device__ __forceinline__ float minus_square(float d, float gap) { return fmaf(-d, d, gap); }
__device__ __forceinline__ double minus_square(double d, double gap) { return fma(-d, d, gap); }
__device__ __forceinline__ u32 sign_of(float gap) { return __float_as_uint(gap) >> 31; }
__device__ __forceinline__ u32 sign_of(double gap) { return static_cast<u32>(__double2hiint(gap)) >> 31; }

/// 1 if the pair is certainly apart, else 0. Under periodic walls the differences are bit-identical to those of the
/// law's test, so that the widened radii cover the same rounding errors.
template <u32 kDimensions, bool kPeriodic, class Real>
__device__ __forceinline__ u32 apart(const Sphere<Real>& a, const Sphere<Real>& b,
                                     const laws::NearestImage<Real>& image) {
  Real dx = a.x - b.x;
  const Real s = a.r + b.r;
  Real gap = s * s;
  if constexpr (kDimensions == 3) {
    Real dy = a.y - b.y, dz = a.z - b.z;
    if constexpr (kPeriodic) image(laws::ScalarMath<Real>{}, dx, dy, dz);
    gap = minus_square(dz, gap);
    gap = minus_square(dy, gap);
  }
  return sign_of(minus_square(dx, gap));
}

/// The number of pairs of a thread's rows and a chunk of columns that are certainly apart.
template <u32 kDimensions, bool kPeriodic, u32 kRows, class Real>
__device__ __forceinline__ u32 misses_of(const Sphere<Real> (&row)[kRows], const Sphere<Real>* column,
                                         const laws::NearestImage<Real>& image) {
  u32 misses = 0;
#pragma unroll
  for (u32 d = 0; d < kChunk; ++d) {
    const Sphere<Real> other = column[d];
#pragma unroll
    for (u32 k = 0; k < kRows; ++k) misses += apart<kDimensions, kPeriodic>(row[k], other, image);
  }
  return misses;
}

/// A sphere of the tile for the filter; beyond n one that is apart from everything. Padding rows and columns are on
/// opposite sides, so that they never overlap each other.
template <class Real>
__device__ __forceinline__ Sphere<Real> widened(const Sphere<Real>* spheres, u32 n, u32 i, Real beyond) {
  if (i >= n) return {beyond, beyond, beyond, Real(0)};
  Sphere<Real> s = spheres[i];
  s.r *= Real(1) + Real(4e-6);
  return s;
}

/// Map: AnyTriangleMap, or a single map.
template <class Real, u32 kDimensions, u32 kRows, u32 kThreads, class Map>
__global__ void __launch_bounds__(kThreads)
    collision_tile_kernel(const __grid_constant__ Map map, const GridPiece piece, u32 n,
                          const Sphere<Real>* __restrict__ spheres, const CollisionOutput out,
                          const laws::NearestImage<Real> image) {
  constexpr u32 kTile = kRows * kThreads;
  __shared__ Sphere<Real> column[kTile];
  for (auto tiles = map.begin(block_position(piece)); tiles.valid(); tiles.next()) {
    const u32 i0 = tiles.tile().row * kTile + threadIdx.x, j0 = tiles.tile().col * kTile;
    Sphere<Real> row[kRows];
#pragma unroll
    for (u32 k = 0; k < kRows; ++k) {
      column[threadIdx.x + k * kThreads] = widened(spheres, n, j0 + threadIdx.x + k * kThreads, Real(1e18));
      row[k] = widened(spheres, n, i0 + k * kThreads, Real(-1e18));
    }
    __syncthreads();
    for (u32 c = 0; c < kTile; c += kChunk) {
      u32 misses;
      if (kDimensions == 3 && image.periodic) {
        misses = misses_of<kDimensions, true>(row, column + c, image);
      } else {
        misses = misses_of<kDimensions, false>(row, column + c, image);
      }
      if (misses == kRows * kChunk) continue;
      for (u32 d = 0; d < kChunk; ++d) {
        for (u32 k = 0; k < kRows; ++k) {
          const u32 i = i0 + k * kThreads, j = j0 + c + d;
          if (i < n && j < i && touches<kDimensions>(spheres[i], spheres[j], image)) record(out, i, j);
        }
      }
    }
    __syncthreads();
  }
}

template <class Real, u32 kDimensions, u32 kRows, u32 kThreads>
auto launch_of(u32 n, const Sphere<Real>* spheres, const CollisionOutput& out, const laws::NearestImage<Real>& image) {
  return [=](const auto& map, const GridPiece& piece, cudaStream_t stream) {
    collision_tile_kernel<Real, kDimensions, kRows, kThreads>
        <<<grid_of(piece), kThreads, 0, stream>>>(map, piece, n, spheres, out, image);
    check_launch("collision tiles");
  };
}

template <class Real, u32 kDimensions, u32 kRows, u32 kThreads>
PreparedLaunch prepare(TriangleMapId id, u32 n, const Sphere<Real>* spheres, const CollisionOutput& out,
                       const laws::NearestImage<Real>& image, u32 slices) {
  const u32 workers =
      resident_workers(&collision_tile_kernel<Real, kDimensions, kRows, kThreads, TriangleLambdaStream>, kThreads);
  const auto launch = launch_of<Real, kDimensions, kRows, kThreads>(n, spheres, out, image);
  return prepare_on_map(id, n, kRows * kThreads, workers * slices, on_kernel_map(launch), slices);
}

/// A single map, known at compile time.
template <u32 kRows, u32 kThreads>
PreparedLaunch prepare_alone(u32 n, const Sphere<float>* spheres, const CollisionOutput& out) {
  const TriangleLambda map(static_cast<u32>(tiles_per_side(TriangleLambda::kInfo, n, kRows * kThreads)),
                           Diagonal::with);
  return prepare_on(map, grid_pieces(map, kThreads), launch_of<float, 3, kRows, kThreads>(n, spheres, out, {}));
}

}  // namespace

PreparedLaunch prepare_collision_lambda_alone(u32 n, u32 tile, const Sphere<float>* spheres,
                                              const CollisionOutput& out) {
  TRI_EXPECTS(tile == kCollisionTileLarge || tile == kCollisionTileSmall);
  return tile == kCollisionTileSmall ? prepare_alone<4, 32>(n, spheres, out) : prepare_alone<8, 64>(n, spheres, out);
}

template <class Real>
PreparedLaunch prepare_collision_tiles(TriangleMapId map, u32 n, u32 tile, u32 dimensions, const Sphere<Real>* spheres,
                                       const CollisionOutput& out, const laws::NearestImage<Real>& image, u32 slices) {
  TRI_EXPECTS(dimensions == 1 || dimensions == 3);
  TRI_EXPECTS(tile == kCollisionTileLarge || tile == kCollisionTileSmall);
  if (tile == kCollisionTileSmall) {
    return dimensions == 1 ? prepare<Real, 1, 4, 32>(map, n, spheres, out, image, slices)
                           : prepare<Real, 3, 4, 32>(map, n, spheres, out, image, slices);
  }
  return dimensions == 1 ? prepare<Real, 1, 8, 64>(map, n, spheres, out, image, slices)
                         : prepare<Real, 3, 8, 64>(map, n, spheres, out, image, slices);
}

template PreparedLaunch prepare_collision_tiles(TriangleMapId, u32, u32, u32, const Sphere<float>*,
                                                const CollisionOutput&, const laws::NearestImage<float>&, u32);
template PreparedLaunch prepare_collision_tiles(TriangleMapId, u32, u32, u32, const Sphere<double>*,
                                                const CollisionOutput&, const laws::NearestImage<double>&, u32);

}  // namespace tri::cuda
