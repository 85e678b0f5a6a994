#pragma once
/// Tiles of the products of triple_half_products.hpp: a block makes the values of the ten forms for its rows and
/// columns, multiplies them, and turns the sums into forces.

#include <nv/target>

#include "sim/cuda/kernels/triples/near_chunks.cuh"
#include "sim/cuda/kernels/triples/triple_forms.cuh"
#include "sim/cuda/kernels/triples/triple_half_products.hpp"
#include "sim/cuda/kernels/triples/triple_sums.cuh"

namespace tri::cuda {

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

}  // namespace tri::cuda
