/// Forces of triples as products of half-precision matrices.
///
/// The values of the ten forms of triples.hpp at the sides between a tile's rows or columns and third
/// bodies.

#include <memory>

#include <cuda_fp16.h>
#include <nv/target>

#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/cuda/runtime/device.hpp"

namespace tri::cuda {

inline constexpr u32 kHalfThreads = 256;
/// Rows and columns of a block's tile.
inline constexpr u32 kHalfSide = 64;
inline constexpr u32 kHalfParts = (kProductBlock / kHalfSide) * (kProductBlock / kHalfSide);
/// Third bodies whose values are in shared memory at once.
inline constexpr u32 kHalfDepth = 16;
inline constexpr u32 kForms = 10;

/// Bodies in units of the distance between neighbours; w is a power of two by which the sides of the body are
/// multiplied once more, the smallest that keeps their values within half precision.
using ScaledBody = float4;

/// Where bodies beyond the last are: their values vanish in half precision.
inline constexpr float kFarAway = 1e9f;

/// The values of kHalfDepth third bodies: for each form the larger halves and the smaller ones, of the first eight
/// third bodies and the last eight, for rows and columns of the tile. Eight neighbouring bodies are 128 bytes.
struct FormValues {
  uint4 eight[kForms][2][2][2 * kHalfSide];
};

__device__ __forceinline__ u32 packed(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const u32*>(&both);
}

/// Splits eight values: each is its larger half, of 11 bits, and the rest.
__device__ __forceinline__ void split(const float (&value)[8], uint4& large, uint4& small) {
  u32 first[4], second[4];
#pragma unroll
  for (u32 k = 0; k < 4; ++k) {
    // Cut, not rounded, so that it needs no way back from half precision.
    const float a = __uint_as_float(__float_as_uint(value[2 * k]) & 0xffffe000u);
    const float b = __uint_as_float(__float_as_uint(value[2 * k + 1]) & 0xffffe000u);
    first[k] = packed(a, b);
    second[k] = packed(value[2 * k] - a, value[2 * k + 1] - b);
  }
  large = make_uint4(first[0], first[1], first[2], first[3]);
  small = make_uint4(second[0], second[1], second[2], second[3]);
}

/// To about 22 bits; the arguments are neither negative nor tiny.
__device__ __forceinline__ float inverse_root(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// Operations on two numbers in half precision.
__device__ __forceinline__ u32 sum2(u32 a, u32 b) {
  u32 to;
  asm("add.f16x2 %0, %1, %2;" : "=r"(to) : "r"(a), "r"(b));
  return to;
}
__device__ __forceinline__ u32 difference2(u32 a, u32 b) {
  u32 to;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(to) : "r"(a), "r"(b));
  return to;
}
__device__ __forceinline__ u32 multiply_add2(u32 factor, u32 a, u32 b) {
  u32 to;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(to) : "r"(factor), "r"(a), "r"(b));
  return to;
}
inline constexpr u32 kTwo2 = 0x40004000, kMinusTwo2 = 0xc000c000, kHalf2 = 0x38003800, kMinusHalf2 = 0xb800b800;

/// The tensor of a side (triples.hpp); c = -(a + b).
struct DipoleTensor {
  float a, b, p, q, r;
};
/// The tensor of a side in units of 1 / own.w, where `own` is in these units; zero for a body and itself.
__device__ __forceinline__ DipoleTensor tensor_of(const ScaledBody& own, const ScaledBody& other, bool itself) {
  const float x = fmaf(-own.w, other.x, own.x), y = fmaf(-own.w, other.y, own.y), z = fmaf(-own.w, other.z, own.z);
  const float far = inverse_root(fmaf(x, x, fmaf(y, y, z * z)));
  const float inverse = itself ? 0.0f : far, square = inverse * inverse;
  const float cube = inverse * square, strength = cube * (3 * square);
  const float sx = strength * x, sy = strength * y;
  return {fmaf(sx, x, -cube), fmaf(sy, y, -cube), sy * z, sx * z, sx * y};
}

/// Makes the values of a row or column and the eight third bodies in `layer`, at `half` of a chunk. own: the body, its
/// position already multiplied by w; self: which of the eight it is, or any other number. kNear: both halves of values.
template <bool kNear>
__device__ __forceinline__ void make_values(FormValues& to, const ScaledBody& own, const ScaledBody* layer, u32 side,
                                            u32 half, u32 self) {
  DipoleTensor t[8];
#pragma unroll
  for (u32 k = 0; k < 8; ++k) t[k] = tensor_of(own, layer[k], k == self);
  if constexpr (kNear) {
    const auto store = [&](u32 form, const auto& value_of) {
      float value[8];
#pragma unroll
      for (u32 k = 0; k < 8; ++k) value[k] = value_of(t[k]);
      split(value, to.eight[form][0][half][side], to.eight[form][1][half][side]);
    };
    store(0, [](const DipoleTensor& u) { return u.p + u.q + u.r; });
    store(1, [](const DipoleTensor& u) { return fmaf(-2, u.q + u.r, u.a); });
    store(2, [](const DipoleTensor& u) { return fmaf(-2, u.r + u.p, u.b); });
    store(3, [](const DipoleTensor& u) { return fmaf(2, u.p + u.q, u.a + u.b); });
    store(4, [](const DipoleTensor& u) { return fmaf(-0.5f, u.r, u.a + u.q); });
    store(5, [](const DipoleTensor& u) { return fmaf(-0.5f, u.q, u.a + u.r); });
    store(6, [](const DipoleTensor& u) { return fmaf(-0.5f, u.p, u.b + u.r); });
    store(7, [](const DipoleTensor& u) { return fmaf(-0.5f, u.r, u.b + u.p); });
    store(8, [](const DipoleTensor& u) { return fmaf(0.5f, u.q, (u.a + u.b) - u.p); });
    store(9, [](const DipoleTensor& u) { return fmaf(0.5f, u.p, (u.a + u.b) - u.q); });
  } else {
    // Two layers at a time, in half precision from here on. c and its forms have the other sign, which the products of
    // two do not show.
    u32 a[4], b[4], c[4], p[4], q[4], r[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const DipoleTensor &u = t[2 * k], &v = t[2 * k + 1];
      a[k] = packed(u.a, v.a), b[k] = packed(u.b, v.b);
      p[k] = packed(u.p, v.p), q[k] = packed(u.q, v.q), r[k] = packed(u.r, v.r);
      c[k] = sum2(a[k], b[k]);
    }
    const auto store = [&](u32 form, const auto& value_of) {
      to.eight[form][0][half][side] = make_uint4(value_of(0), value_of(1), value_of(2), value_of(3));
    };
    const auto wide = [](u32 one, u32 other, u32 from) {
      return multiply_add2(kMinusTwo2, one, multiply_add2(kMinusTwo2, other, from));
    };
    const auto skew = [](u32 third, u32 one, u32 other) { return multiply_add2(kMinusHalf2, third, sum2(one, other)); };
    const auto less = [](u32 third, u32 one, u32 other) {
      return multiply_add2(kHalf2, third, difference2(one, other));
    };
    store(0, [&](u32 k) { return sum2(sum2(p[k], q[k]), r[k]); });
    store(1, [&](u32 k) { return wide(q[k], r[k], a[k]); });
    store(2, [&](u32 k) { return wide(r[k], p[k], b[k]); });
    store(3, [&](u32 k) { return multiply_add2(kTwo2, p[k], multiply_add2(kTwo2, q[k], c[k])); });
    store(4, [&](u32 k) { return skew(r[k], a[k], q[k]); });
    store(5, [&](u32 k) { return skew(q[k], a[k], r[k]); });
    store(6, [&](u32 k) { return skew(p[k], b[k], r[k]); });
    store(7, [&](u32 k) { return skew(r[k], b[k], p[k]); });
    store(8, [&](u32 k) { return less(q[k], c[k], p[k]); });
    store(9, [&](u32 k) { return less(p[k], c[k], q[k]); });
  }
}

// Which third bodies are near a tile of pairs.

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

// Tiles of the products of triples.hpp: a block makes the values of the ten forms for its rows and
// columns, multiplies them, and turns the sums into forces.

/// All of a block's shared memory while it multiplies.
struct HalfStage {
  FormValues values[2];  ///< of the chunk in use and of the next one
  ScaledBody layer[4][kHalfDepth];
  TileBounds bounds;
};

/// ... and after that: the sums of all pairs, and what columns add up to in each strip of rows.
struct HalfSums {
  float form[kForms][kHalfSide][kHalfSide + 1];
  float column[kHalfSide / 4][kHalfSide][3];
};

constexpr u32 kHalfShared = sizeof(HalfStage) > sizeof(HalfSums) ? sizeof(HalfStage) : sizeof(HalfSums);

__device__ __forceinline__ void load_matrices(u32 (&to)[4], const uint4* at) {
  const u32 address = static_cast<u32>(__cvta_generic_to_shared(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// Adds 16 x 8 products of 16 terms. On devices before 8.0, which the host refuses, it ends the kernel.
__device__ __forceinline__ void multiply_add(float (&to)[4], const u32 (&a)[4], u32 b0, u32 b1) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
                    (asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
                         "%9}, {%0, %1, %2, %3};"
                         : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));),
                    (__trap();))
}

/// The tile at rows row0 .. row0 + 63 and columns column0 .. column0 + 63, for the threads of a block.
template <bool kOrdered>
struct HalfTile {
  void* shared;
  const HalfBodies& bodies;
  u32 row0, column0;

  /// The sums of a warp: those of its own form for the whole tile, and of one of the last two for a quarter of it.
  struct Sums {
    float own[4][8][4], shared[2][4][4];
  };

  __device__ __forceinline__ HalfStage& stage() const { return *static_cast<HalfStage*>(shared); }
  static __device__ __forceinline__ u32 lane() { return threadIdx.x % 32; }
  static __device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }
  /// The row or column whose values a thread makes, and which eight of a chunk's layers.
  static __device__ __forceinline__ u32 side() { return threadIdx.x % (2 * kHalfSide); }
  static __device__ __forceinline__ u32 half() { return threadIdx.x / (2 * kHalfSide); }
  __device__ __forceinline__ u32 place() const {
    return side() < kHalfSide ? row0 + side() : column0 + side() - kHalfSide;
  }

  __device__ __forceinline__ void load_layers(u32 slot, u32 chunk) const {
    const u32 t = threadIdx.x;
    if (t < kHalfDepth && chunk != kNoChunk) {
      const u32 to = static_cast<u32>(__cvta_generic_to_shared(&stage().layer[slot % 4][t]));
      NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
                        (asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
                                      :
                                      : "r"(to), "l"(bodies.body + chunk * kHalfDepth + t)
                                      : "memory");),
                        (__trap();))
    }
  }

  /// Waits for what this thread has loaded.
  static __device__ __forceinline__ void await_layers() {
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.wait_all;" : : : "memory");), (__trap();))
  }

  /// Adds the products over a chunk of layers. Near chunks are summed on their own, since tensor cores cut their sums
  /// and do not round them; what they cut of far ones, which come first, is little.
  template <bool kNear, u32 kHigh, u32 kWide>
  static __device__ __forceinline__ void multiply(float (&sums)[kHigh][kWide][4], const uint4 (&values)[2][2][128],
                                                  u32 row, u32 column) {
    constexpr u32 kParts = kNear ? 2 : 1;
    const u32 l = lane();
    u32 right[kParts][kWide / 2][4];
#pragma unroll
    for (u32 part = 0; part < kParts; ++part) {
#pragma unroll
      for (u32 w = 0; w < kWide / 2; ++w) {
        load_matrices(right[part][w], &values[part][l / 8 % 2][kHalfSide + column + 16 * w + l % 8 + l / 16 * 8]);
      }
    }
#pragma unroll
    for (u32 h = 0; h < kHigh; ++h) {
      u32 left[kParts][4];
#pragma unroll
      for (u32 part = 0; part < kParts; ++part) {
        load_matrices(left[part], &values[part][l / 16][row + 16 * h + l % 16]);
      }
#pragma unroll
      for (u32 w = 0; w < kWide; ++w) {
        const u32* const large = &right[0][w / 2][w % 2 * 2];
        if constexpr (kNear) {
          const u32* const small = &right[1][w / 2][w % 2 * 2];
          float sum[4] = {0, 0, 0, 0};
          multiply_add(sum, left[1], large[0], large[1]);
          multiply_add(sum, left[0], small[0], small[1]);
          multiply_add(sum, left[0], large[0], large[1]);
#pragma unroll
          for (u32 e = 0; e < 4; ++e) sums[h][w][e] += sum[e];
        } else {
          multiply_add(sums[h][w], left[0], large[0], large[1]);
        }
      }
    }
  }

  static __device__ __forceinline__ u32 shared_row() { return warp() / 2 % 2 * 32; }
  static __device__ __forceinline__ u32 shared_column() { return warp() % 2 * 32; }
  static __device__ __forceinline__ u32 shared_form() { return 8 + warp() / 4; }

  /// The products over all near chunks, or all others. One half of the warps makes values while the other multiplies.
  template <bool kNear>
  __device__ __forceinline__ void run(Sums& sums, const ScaledBody& own, float slope) const {
    ChunkWalk<kNear> walk{bodies, stage().bounds, slope};
    const auto make = [&](u32 slot, u32 chunk) {
      if (chunk == kNoChunk) return;
      const u32 self = place() - (chunk * kHalfDepth + 8 * half());
      make_values<kNear>(stage().values[slot % 2], own, stage().layer[slot % 4] + 8 * half(), side(), half(), self);
    };
    u32 now = walk.next(), after = walk.next();
    load_layers(0, now), load_layers(1, after);
    await_layers();
    __syncthreads();
    make(0, now);
#pragma unroll 1
    for (u32 slot = 0; now != kNoChunk; ++slot) {
      await_layers();
      __syncthreads();
      const u32 last = walk.next();
      load_layers(slot + 2, last);
      // Two copies of the code of make() are faster than one in a loop.
      if (warp() < 4) make(slot + 1, after);
      const FormValues& of = stage().values[slot % 2];
      multiply<kNear>(sums.own, of.eight[warp()], 0, 0);
      multiply<kNear>(sums.shared, of.eight[shared_form()], shared_row(), shared_column());
      if (warp() >= 4) make(slot + 1, after);
      now = after, after = last;
    }
    __syncthreads();
  }

  /// The products over all layers.
  __device__ __forceinline__ void run(Sums& sums) const {
    const u32 t = threadIdx.x;
    TileBounds& bounds = stage().bounds;
    if (t < kSideChunks) bounds.rows[t] = bodies.bounds[row0 / kHalfDepth + t];
    if (t < kSideChunks) bounds.columns[t] = bodies.bounds[column0 / kHalfDepth + t];
    __syncthreads();
    const float slope = bounds.steepest_slope();
    ScaledBody own = bodies.body[place()];
    own.x *= own.w, own.y *= own.w, own.z *= own.w;
    run<false>(sums, own, slope);
    run<true>(sums, own, slope);
  }

  template <u32 kHigh, u32 kWide>
  static __device__ __forceinline__ void put(const float (&sums)[kHigh][kWide][4],
                                             float (&to)[kHalfSide][kHalfSide + 1], u32 row, u32 column) {
    const u32 g = lane() / 4, t = lane() % 4;
#pragma unroll
    for (u32 h = 0; h < kHigh; ++h) {
#pragma unroll
      for (u32 w = 0; w < kWide; ++w) {
#pragma unroll
        for (u32 e = 0; e < 4; ++e) to[row + 16 * h + g + e / 2 * 8][column + 8 * w + 2 * t + e % 2] = sums[h][w][e];
      }
    }
  }

  /// Forces and energy of the tile's pairs. force: a third of nu in the unit of force; energy: in that of energy.
  __device__ __forceinline__ void give(const Sums& sums, const PairSums<float>& out, float force, float energy) const {
    HalfSums& all = *static_cast<HalfSums*>(shared);
    put(sums.own, all.form[warp()], 0, 0);
    put(sums.shared, all.form[shared_form()], shared_row(), shared_column());
    __syncthreads();
    const u32 across = threadIdx.x % 16, strip = threadIdx.x / 16;
    float on_column[4][3] = {};
#pragma unroll 1
    for (u32 d = 0; d < 4; ++d) {
      const u32 row = 4 * strip + d, i = row0 + row;
      const ScaledBody mine = bodies.body[i];
      float on_row[4] = {0, 0, 0, 0};
#pragma unroll
      for (u32 w = 0; w < 4; ++w) {
        const u32 column = across + 16 * w, j = column0 + column;
        if (i <= j || i >= bodies.n) continue;
        const ScaledBody other = bodies.body[j];
        float f[3];
        const float each = pair_force(all, row, column, mine, other, f);
#pragma unroll
        for (u32 k = 0; k < 3; ++k) on_row[k] += f[k], on_column[w][k] -= f[k];
        on_row[3] += each;
      }
#pragma unroll
      for (float& f : on_row) {
        for (u32 step = 1; step < 16; step *= 2) f += __shfl_xor_sync(~0u, f, step);
      }
      if (across == 0) add(out, i, on_row, force, energy);
    }
#pragma unroll
    for (u32 w = 0; w < 4; ++w) {
#pragma unroll
      for (u32 k = 0; k < 3; ++k) all.column[strip][across + 16 * w][k] = on_column[w][k];
    }
    __syncthreads();
    if (threadIdx.x >= kHalfSide) return;
    float total[4] = {0, 0, 0, 0};
    for (u32 s = 0; s < kHalfSide / 4; ++s) {
#pragma unroll
      for (u32 k = 0; k < 3; ++k) total[k] += all.column[s][threadIdx.x][k];
    }
    add(out, column0 + threadIdx.x, total, force, energy);
  }

  /// The gradient of Tr(T_ij S) by the first body's position, where S has the sums of a pair, and that trace.
  static __device__ __forceinline__ float pair_force(const HalfSums& all, u32 row, u32 column, const ScaledBody& mine,
                                                     const ScaledBody& other, float (&f)[3]) {
    const float both = mine.w * other.w, scale = both * both * both;
    float g[kForms];
#pragma unroll
    for (u32 m = 0; m < kForms; ++m) {
      g[m] = all.form[m][row][column] * ((m == 0 ? 1.0f : m < 4 ? 1.0f / 9 : 4.0f / 9) * scale);
    }
    // What a, b, c, p, q and r of this side are multiplied with.
    const float a = g[1] + (g[4] + g[5]), b = g[2] + (g[6] + g[7]), c = g[3] + (g[8] + g[9]);
    const float p = g[0] - 2 * (g[2] + g[3]) + (g[7] + g[8]) - 0.5f * (g[6] + g[9]);
    const float q = g[0] - 2 * (g[1] + g[3]) + (g[4] + g[9]) - 0.5f * (g[5] + g[8]);
    const float r = g[0] - 2 * (g[1] + g[2]) + (g[5] + g[6]) - 0.5f * (g[4] + g[7]);
    const float x = mine.x - other.x, y = mine.y - other.y, z = mine.z - other.z;
    const float square = 1 / (x * x + y * y + z * z), cube = square * sqrtf(square), fifth = 3 * cube * square;
    const float sx = a * x + 0.5f * (r * y + q * z), sy = b * y + 0.5f * (r * x + p * z),
                sz = c * z + 0.5f * (q * x + p * y);
    const float form = sx * x + sy * y + sz * z, trace = a + b + c;
    const float along = fifth * (trace - 5 * form * square);
    f[0] = 2 * fifth * sx + along * x, f[1] = 2 * fifth * sy + along * y, f[2] = 2 * fifth * sz + along * z;
    return fifth * form - cube * trace;
  }

  __device__ __forceinline__ void add(const PairSums<float>& out, u32 place, const float* f, float force,
                                      float energy) const {
    if (place >= bodies.n) return;
    const u32 body = bodies.order[place];
    const Sum3<float> sum{f[0] * force, f[1] * force, f[2] * force};
    if constexpr (kOrdered) {
      add_sum<true>(out, bodies.n, body, sum);
    } else {
      add_with_energy(copy_of_block<kTripleCopies>(out.out, bodies.n) + body, sum, f[3] * energy);
    }
  }
};

// Triples as matrix products in float32: the units of length and of values, and the launches.

namespace {

/// Whole blocks of the map and of scale_kernel().
u32 padded_count(u64 n) { return static_cast<u32>((n + 383) / 384 * 384); }
static_assert(384 % kProductBlock == 0 && 384 % 128 == 0);

/// The limit of HalfBodies, for bodies at distance 1. Measured: docs/notes/tensor.md.
constexpr float kNearSlope = 1e-2f;

/// The power of two for a body's sides, the shortest of which has this square: no value of a form exceeds five times
/// its cube's inverse, and half precision ends at 65,504.
__device__ __forceinline__ float side_scale(double shortest) {
  const double exponent = ceil(-log2(65504 / 5.01) / 3 - 0.5 * log2(shortest));
  return static_cast<float>(exp2(fmin(fmax(exponent, -20.0), 20.0)));
}

/// Across the lanes that have a chunk's bodies.
template <class Operation>
__device__ __forceinline__ float over_chunk(float x, const Operation& operation) {
#pragma unroll
  for (u32 step = 1; step < kHalfDepth; step *= 2) x = operation(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

__global__ void __launch_bounds__(128)
    scale_kernel(const DeviceState<float> state, const u32* order, const Spacing* spacing, const double* squares,
                 ScaledBody* bodies, ChunkBounds* bounds) {
  const u32 s = blockIdx.x * 128 + threadIdx.x;
  const bool here = s < state.n;
  ScaledBody body = make_float4(kFarAway, kFarAway, kFarAway, 1);
  float shortest = kFarAway;
  if (here) {
    const int exponent = spacing->exponent();
    const Vec4<float> p = state.position[order[s]];
    const double square = ldexp(squares[order[s]], -2 * exponent);
    body = make_float4(ldexpf(p.x, -exponent), ldexpf(p.y, -exponent), ldexpf(p.z, -exponent), side_scale(square));
    shortest = static_cast<float>(fmin(sqrt(square), double{kFarAway}));
  }
  bodies[s] = body;
  const auto least = [](float a, float b) { return fminf(a, b); };
  const auto largest = [](float a, float b) { return fmaxf(a, b); };
  float centre[3], square = 0;
  const float at[3] = {body.x, body.y, body.z};
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const float low = over_chunk(at[k], least), high = over_chunk(here ? at[k] : low, largest);
    centre[k] = 0.5f * low + 0.5f * high;
    if (here) square += (at[k] - centre[k]) * (at[k] - centre[k]);
  }
  const float radius = sqrtf(over_chunk(square, largest)) * 1.00001f;
  shortest = over_chunk(shortest, least);
  if (s % kHalfDepth == 0) bounds[s / kHalfDepth] = {centre[0], centre[1], centre[2], radius, shortest};
}

/// M: AnyTriangleMap, or a persistent map. kHalfParts blocks of the grid share a position of the map.
template <class M, bool kOrdered>
__global__ void __launch_bounds__(kHalfThreads, 1)
    triple_half_products_kernel(const __grid_constant__ M map, const GridPiece launch, double nu,
                                const HalfBodies given, const PairSums<float> out, const Spacing* spacing) {
  extern __shared__ uint4 shared[];
  const u32 part = blockIdx.x % kHalfParts;
  const int unit = spacing->exponent();
  HalfBodies bodies = given;
  const float length = spacing->length();
  bodies.limit *= powf(length, -10);
  Position position;
  if (!share_of(launch, blockIdx.x / kHalfParts, blockIdx.y, blockIdx.z, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    constexpr u32 kAcross = kProductBlock / kHalfSide;
    const u32 row0 = walk.tile().row * kProductBlock + part / kAcross * kHalfSide;
    const u32 column0 = walk.tile().col * kProductBlock + part % kAcross * kHalfSide;
    if (column0 > row0 || row0 >= bodies.n || column0 >= bodies.n) continue;
    const HalfTile<kOrdered> tile{shared, bodies, row0, column0};
    typename HalfTile<kOrdered>::Sums sums = {};
    tile.run(sums);
    tile.give(sums, out, static_cast<float>(ldexp(nu / 3, -10 * unit)), static_cast<float>(ldexp(-nu / 9, -9 * unit)));
    __syncthreads();  // before the next tile's values
  }
}

template <bool kOrdered>
PairWork<float> prepare(double nu, TriangleMapId id, u32 n, const GridCut& cut) {
  struct Memory {
    DeviceBuffer<Spacing> spacing;
    DeviceBuffer<double> squares;
    DeviceBuffer<ScaledBody> bodies;
    DeviceBuffer<ChunkBounds> bounds;
    BodyOrder order;
  };
  const u32 padded = padded_count(n);
  const auto memory = std::make_shared<Memory>(Memory{DeviceBuffer<Spacing>(1), DeviceBuffer<double>(n),
                                                      DeviceBuffer<ScaledBody>(padded),
                                                      DeviceBuffer<ChunkBounds>(padded / kHalfDepth), BodyOrder(n)});
  const u32 workers = cut.workers((multiprocessors() + kHalfParts - 1) / kHalfParts);
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<float>&,
                          const PairSums<float>& out) {
    const HalfBodies bodies{n, memory->bodies.data(), memory->bounds.data(), memory->order.data(), kNearSlope};
    const auto kernel = &triple_half_products_kernel<std::decay_t<decltype(map)>, kOrdered>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kHalfShared));
    const dim3 blocks = grid_of(piece);
    kernel<<<dim3(blocks.x * kHalfParts, blocks.y, blocks.z), kHalfThreads, kHalfShared, stream>>>(
        map, piece, nu, bodies, out, memory->spacing.data());
    check_launch("products of triples in half precision");
  };
  PairWork<float> work = prepare_on_map<const DeviceState<float>&, const PairSums<float>&>(
      id, n, kProductBlock, workers, on_kernel_map(launch), cut);
  work.begin = [=](cudaStream_t stream, const DeviceState<float>& state, const PairSums<float>&) {
    enqueue_spacing(stream, state, memory->spacing.data(), memory->squares.data());
    enqueue_body_order(stream, state, memory->order);
    scale_kernel<<<padded / 128, 128, 0, stream>>>(state, memory->order.data(), memory->spacing.data(),
                                                   memory->squares.data(), memory->bodies.data(),
                                                   memory->bounds.data());
    check_launch("bodies in units of that");
  };
  return work;
}

}  // namespace

bool has_triple_half_products(int device) {
  return has_code(&triple_half_products_kernel<AnyTriangleMap, false>, device, 8);
}

u64 triple_half_products_bytes(u64 n) {
  const u64 padded = padded_count(n);
  return n * sizeof(double) + padded * sizeof(ScaledBody) + padded / kHalfDepth * sizeof(ChunkBounds) +
         BodyOrder::bytes(n);
}

PairWork<float> prepare_triple_half_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                             Accumulate accumulate, const GridCut& cut) {
  return accumulate == Accumulate::fast ? prepare<false>(law.nu, map, n, cut) : prepare<true>(law.nu, map, n, cut);
}

}  // namespace tri::cuda
