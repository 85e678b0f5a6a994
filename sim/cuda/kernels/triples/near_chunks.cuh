#pragma once
/// Which third bodies are near a tile of pairs.

#include "sim/cuda/kernels/triples/triple_forms.cuh"

namespace tri::cuda {

/// Where kHalfDepth bodies that are neighbours in the order are: the centre of their box, the radius of a sphere around
/// that, and the shortest side that one of them is at.
struct alignas(16) ChunkBounds {
  float x, y, z, radius, shortest;
};

inline constexpr u32 kSideChunks = kHalfSide / kHalfDepth;

/// What the products read. Bodies are in the order of a curve, so that tiles and chunks are compact.
struct HalfBodies {
  u32 n;
  const ScaledBody* body;     ///< [padded]
  const ChunkBounds* bounds;  ///< [padded / kHalfDepth]
  const u32* order;           ///< [n] the body at a place
  float limit;  ///< of the slope of a triple's energy, below which the larger halves of its values are enough
};

/// To about 22 bits.
__device__ __forceinline__ float root(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// A lower bound of the distances between bodies of two chunks.
__device__ __forceinline__ float distance(const ChunkBounds& a, const ChunkBounds& b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  // Rounded in the same way wherever it is inlined: no chunk may be near and not near.
  const float gap = fmaf(root(fmaf(z, z, fmaf(y, y, x * x))), 0.99999f, -(a.radius + b.radius));
  return fmaxf(gap, fmaxf(a.shortest, b.shortest));
}
/// ... of a chunk and a tile's rows or columns.
__device__ __forceinline__ float distance(const ChunkBounds (&side)[kSideChunks], const ChunkBounds& chunk) {
  float least = distance(side[0], chunk);
#pragma unroll
  for (u32 k = 1; k < kSideChunks; ++k) least = fminf(least, distance(side[k], chunk));
  return least;
}

/// What decides how a tile takes third bodies.
struct TileBounds {
  ChunkBounds rows[kSideChunks], columns[kSideChunks];

  /// The largest d_ij^-4 between rows and columns.
  __device__ __forceinline__ float steepest_slope() const {
    float least = distance(rows, columns[0]);
    for (u32 k = 1; k < kSideChunks; ++k) least = fminf(least, distance(rows, columns[k]));
    return 1 / (least * least * least * least);
  }
  /// Whether a chunk is so near that its values are needed to 22 bits: whether d_ij^-4 d_ik^-3 d_jk^-3, which bounds
  /// the forces of its triples on a pair, is above the limit. slope: steepest_slope().
  __device__ __forceinline__ bool is_near(const ChunkBounds& chunk, float slope, float limit) const {
    const float both = distance(rows, chunk) * distance(columns, chunk);
    return slope > limit * both * both * both;
  }
};

inline constexpr u32 kNoChunk = ~0u;

/// The chunks of third bodies that a tile takes in one way: near ones, or the others. All threads of a block have the
/// same walk.
template <bool kNear>
struct ChunkWalk {
  const HalfBodies& bodies;
  const TileBounds& tile;
  float slope;
  u32 first = 0, left = 0;  ///< a group of 32 chunks, and those of it that are still to come

  /// The next chunk, or kNoChunk. For whole warps.
  __device__ __forceinline__ u32 next() {
    const u32 chunks = (bodies.n + kHalfDepth - 1) / kHalfDepth;
    while (left == 0) {
      if (first >= chunks) return kNoChunk;
      const u32 chunk = first + threadIdx.x % 32;
      const bool near = tile.is_near(bodies.bounds[min(chunk, chunks - 1)], slope, bodies.limit);
      left = __ballot_sync(~0u, chunk < chunks && near == kNear);
      first += 32;
    }
    const u32 bit = __ffs(static_cast<int>(left)) - 1;
    left &= left - 1;
    return first - 32 + bit;
  }
};

}  // namespace tri::cuda
