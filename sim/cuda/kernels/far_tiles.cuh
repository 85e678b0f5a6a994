#pragma once
/// Pairs of tiles that are far apart, as matrix products.

#include <cuda_fp16.h>
#include <nv/target>

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/terms.cuh"

namespace tri::cuda {

/// Copies of the fast sums, in the order of the curve: fewer additions to each float32 number than to one copy, and so
/// fewer roundings.
inline constexpr u32 kSumCopies = 8;

template <bool kOrdered>
struct TileSums {
  PairSums<float> sums;           ///< ordered: of the bodies in their own order
  Vec4<float>* copies = nullptr;  ///< fast: [kSumCopies, padded], zero at first
  const u32* order = nullptr;     ///< [n]
  u32 n = 0, padded = 0;

  /// Adds to the s-th body on the curve; `copy` spreads the additions.
  __device__ __forceinline__ void add(u32 s, u32 copy, const Sum3<float>& sum) const {
    if constexpr (kOrdered) {
      if (s < n) add_sum<true>(sums, n, order[s], sum);
    } else {
      add_fast(copies + std::size_t{copy % kSumCopies} * padded + s, sum);
    }
  }
};

// Pairs of tiles that are apart, by matrix products (pairs.hpp has the mathematics).
//
// One warp takes a row tile and several column tiles. For each pair of tiles it writes a row of eight half-precision
// numbers a body into shared memory,
//
//     [ 3 + 1 factors of t | m w x/R, m w y/R, m w z/R, m w ],   w = P^(-3/2)
//
// which are the operands of every product: of 16 row bodies and 8 column bodies
//
//     t = c u = factors . factors      one mma.m16n8k8, whose result has the layout
//     sum over columns of v m w (x, 1)     of the first operand of the next product,
//     sum over rows of v m w (x, 1)        and transposed (movmatrix) of that for the other side.
//
// The first four columns of the last two products mean nothing, and neither do factors 5 to 8 of t, which are masked.

__device__ __forceinline__ u32 half2_of(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  return reinterpret_cast<const u32&>(both);
}
__device__ __forceinline__ u32 fma_half2(u32 a, u32 b, u32 c) {
  u32 out;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(a), "r"(b), "r"(c));
  return out;
}
__device__ __forceinline__ u32 mul_half2(u32 a, u32 b) {
  u32 out;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
  return out;
}
__device__ __forceinline__ u32 transposed(u32 a) {
  u32 out;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(a));
  return out;
}
/// Four 8 x 8 blocks from 32 rows of 16 bytes; each lane gives the address of a row.
__device__ __forceinline__ void load_blocks(u32 (&to)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_blocks_transposed(u32 (&to)[4], u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
/// 16 x 8 products of eight terms, in half precision.
__device__ __forceinline__ void multiply(u32 (&to)[2], const u32 (&a)[2], u32 b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %5};"
      : "=r"(to[0]), "=r"(to[1])
      : "r"(a[0]), "r"(a[1]), "r"(b), "r"(0));
}
/// The same in float32, less a number.
__device__ __forceinline__ void multiply_less(float (&to)[4], const u32 (&a)[2], u32 b, float less) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};"
      : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
      : "r"(a[0]), "r"(a[1]), "r"(b), "f"(-less));
}
/// Adds 16 x 8 products of 16 terms, in float32. On devices before 8.0, which the host refuses (has_tensor_gravity()),
/// it ends the kernel.
__device__ __forceinline__ void multiply_add(float (&to)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  NV_IF_ELSE_TARGET(
      NV_PROVIDES_SM_80,
      (asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
           "%2, %3};"
           : "+f"(to[0]), "+f"(to[1]), "+f"(to[2]), "+f"(to[3])
           : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));),
      (__trap();))
}

/// Two half-precision numbers x, which must be exact in them.
__host__ __device__ constexpr u32 twice_half(double x) {
  const bool negative = x < 0;
  if (negative) x = -x;
  u32 exponent = 15;
  while (x >= 2) x /= 2, ++exponent;
  while (x < 1) x *= 2, --exponent;
  const u32 bits = (negative ? 0x8000u : 0) | exponent << 10 | static_cast<u32>((x - 1) * 1024);
  return bits << 16 | bits;
}

/// A polynomial for v = (1 + u)^(-3/2) - 1: kScale v = t + t^2 (c2 + c3 t + ...), t = -1.5 kScale u. The first
/// coefficient is 1, so that only the last operation rounds a number as large as v. What matters is the mean error over
/// pairs, which adds up: u is about as often positive as negative, so even powers count. kScale is chosen so that c2,
/// rounded to half precision, is exact for v, and the last even coefficient stands for the next one too. An odd degree
/// would leave the even power above it.
template <u32 kDegree>
struct VSeries;
template <>
struct VSeries<2> {
  static constexpr float kScale = 1.8765f / (2.25f * 0.8125f);
};
template <>
struct VSeries<4> {
  static constexpr float kScale = 1.875f / (2.25f * 0.8125f);
};
template <>
struct VSeries<6> : VSeries<4> {};

template <u32 kDegree>
__device__ __forceinline__ u32 scaled_v(u32 t) {
  static_assert(kDegree == 2 || kDegree == 4 || kDegree == 6);
  constexpr u32 c2 = twice_half(0.8125);
  u32 sum = c2;
  if constexpr (kDegree == 4) {
    constexpr u32 c3 = twice_half(0.61962890625), c4 = twice_half(0.45361328125);
    sum = fma_half2(t, fma_half2(t, c4, c3), c2);
  } else if constexpr (kDegree == 6) {
    constexpr u32 c3 = twice_half(0.6162109375), c4 = twice_half(0.45068359375);
    constexpr u32 c5 = twice_half(0.3271484375), c6 = twice_half(0.23974609375);
    sum = fma_half2(t, fma_half2(t, fma_half2(t, fma_half2(t, c6, c5), c4), c3), c2);
  }
  return fma_half2(t, mul_half2(t, sum), t);
}

/// kScale v of 16 x 8 pairs. kByRoots: through the units for roots, in float32, which have nothing else to do.
template <u32 kDegree, bool kByRoots>
__device__ __forceinline__ void v_block(u32 (&v)[2], const u32 (&a)[2], u32 b) {
  if constexpr (kByRoots) {
    float t[4];
    constexpr float kScale = VSeries<kDegree>::kScale;
    multiply_less(t, a, b, 1.5f * kScale);
    const float factor = sqrtf(1.5f * kScale) * (1.5f * kScale) * kScale;
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      const float y = DeviceMath<float>::rsqrt(-t[k]);  // -t = 1.5 kScale (1 + u)
      t[k] = fmaf(factor * (y * y), y, -kScale);
    }
    v[0] = half2_of(t[0], t[1]), v[1] = half2_of(t[2], t[3]);
  } else {
    u32 t[2];
    multiply(t, a, b);
    v[0] = scaled_v<kDegree>(t[0]), v[1] = scaled_v<kDegree>(t[1]);
  }
}

/// A warp's shared memory.
template <u32 kTile>
struct FarStage {
  uint4 rows[kTile];         ///< operands; then float4 sums of v m w (x/R, 1) of the row bodies
  uint4 columns[kTile];      ///< operands
  float4 row_body[kTile];    ///< relative, of all column tiles
  float4 column_sum[kTile];  ///< as of the rows
  float4 whole[2];           ///< sums of m w (x/R, 1) over the rows, over the columns
};

/// The distance of two tiles.
struct Between {
  float x, y, z, inverse;  ///< of the centres, from the row's to the column's; 1 / sqrt(d.d + eps^2)
};

__device__ __forceinline__ Between between(const TileHead& row, const TileHead& column, float eps2) {
  Between d{column.x - row.x, column.y - row.y, column.z - row.z, 0};
  const float square = fmaf(d.x, d.x, fmaf(d.y, d.y, fmaf(d.z, d.z, eps2)));
  d.inverse = DeviceMath<float>::rsqrt(square);
  d.inverse *= fmaf(-0.5f * square * d.inverse, d.inverse, 1.5f);  // to the last bits: every pair has this factor
  return d;
}

/// Writes the operands of one body of a tile with this radius; `sign`: +1 for columns, -1 for rows; t is that of
/// VSeries<kDegree>. Adds m w (x/R, 1) to `whole`. Returns w.
template <u32 kDegree>
__device__ __forceinline__ float put_operands(uint4& to, const float4& b, const Between& d, float radius, float sign,
                                              float4& whole) {
  const float inverse2 = d.inverse * d.inverse, along = 2 * sign * inverse2 * radius;
  const float square = fmaf(b.x, b.x, fmaf(b.y, b.y, b.z * b.z));
  const float p =
      fmaf(b.x, d.x * along, fmaf(b.y, d.y * along, fmaf(b.z, d.z * along, square * (inverse2 * radius * radius))));
  const float root = DeviceMath<float>::rsqrt(1 + p), reciprocal = root * root, w = reciprocal * root, mass = b.w * w;
  constexpr float kScale = VSeries<kDegree>::kScale;
  const float factor = reciprocal * (sqrtf(3 * kScale) * d.inverse * radius);
  to = make_uint4(half2_of(b.x * factor, b.y * factor), half2_of(b.z * factor, p * (sqrtf(1.5f * kScale) * reciprocal)),
                  half2_of(mass * b.x, mass * b.y), half2_of(mass * b.z, mass));
  whole.x = fmaf(mass, b.x, whole.x), whole.y = fmaf(mass, b.y, whole.y), whole.z = fmaf(mass, b.z, whole.z);
  whole.w += mass;
  return w;
}

/// Puts the sums of a warp over eight numbers a lane into shared memory.
__device__ __forceinline__ void sum_whole(float4 (&to)[2], const float4& rows, const float4& columns, u32 lane) {
  const float mine[8] = {rows.x, rows.y, rows.z, rows.w, columns.x, columns.y, columns.z, columns.w};
  const bool b16 = lane & 16, b8 = lane & 8, b4 = lane & 4;
  float four[4], two[2];
#pragma unroll
  for (u32 e = 0; e < 4; ++e) {
    four[e] = (b16 ? mine[e + 4] : mine[e]) + __shfl_xor_sync(~0u, b16 ? mine[e] : mine[e + 4], 16);
  }
#pragma unroll
  for (u32 e = 0; e < 2; ++e) {
    two[e] = (b8 ? four[e + 2] : four[e]) + __shfl_xor_sync(~0u, b8 ? four[e] : four[e + 2], 8);
  }
  float one = (b4 ? two[1] : two[0]) + __shfl_xor_sync(~0u, b4 ? two[0] : two[1], 4);
  one += __shfl_xor_sync(~0u, one, 2);
  one += __shfl_xor_sync(~0u, one, 1);
  if (lane % 4 == 0) reinterpret_cast<float*>(to)[lane / 4] = one;
}

/// Of every eight blocks those that are computed by roots. Two of degree 6: the polynomials and the roots then take
/// about as long, each in its own units.
template <u32 kDegree>
inline constexpr u32 kRootBlocks = kDegree == 6 ? 0x88 : 0;

/// The products of a pair of tiles: replaces the rows' operands by their sums, and writes those of the columns.
template <u32 kTile, u32 kDegree>
__device__ __forceinline__ void multiply_tiles(FarStage<kTile>& stage, u32 lane) {
  constexpr u32 kBlocks = kTile / 16;
  const u32 rows = static_cast<u32>(__cvta_generic_to_shared(stage.rows)) + lane * 16;
  const u32 columns = static_cast<u32>(__cvta_generic_to_shared(stage.columns)) + lane * 16;
  const u32 keep = lane & 2 ? 0 : ~0u;  // lanes whose columns of the first operand are factors 1 to 4
  u32 factors[kBlocks][2], weights[kBlocks][2];
  float row_sum[kBlocks][4];
#pragma unroll
  for (u32 b = 0; b < kBlocks; b += 2) {
    u32 q[4];
    load_blocks(q, rows + b * 256);
    factors[b][0] = q[0] & keep, factors[b][1] = q[1] & keep;
    factors[b + 1][0] = q[2] & keep, factors[b + 1][1] = q[3] & keep;
    load_blocks_transposed(q, rows + b * 256);
    weights[b][0] = q[0], weights[b][1] = q[1], weights[b + 1][0] = q[2], weights[b + 1][1] = q[3];
#pragma unroll
    for (u32 e = 0; e < 4; ++e) row_sum[b][e] = row_sum[b + 1][e] = 0;
  }
  // Lanes with bit 1 hold columns 4 to 7 of a product, two of them in two rows.
  const u32 place = (lane / 4) * 2 + lane % 2;
  float2* const column_out = reinterpret_cast<float2*>(stage.column_sum) + place;
  float2* const row_out = reinterpret_cast<float2*>(stage.rows) + place;
#pragma unroll 1
  for (u32 j = 0; j < kBlocks; j += 2) {
    u32 factor[4], weight[4];
    load_blocks(factor, columns + j * 256);
    load_blocks_transposed(weight, columns + j * 256);
#pragma unroll
    for (u32 h = 0; h < 2; ++h) {
      float column_sum[4] = {0, 0, 0, 0};
#pragma unroll
      for (u32 b = 0; b < kBlocks; b += 2) {
        constexpr u32 kMask = kRootBlocks<kDegree>;
        u32 v[4][2];
        const auto block = [&](auto which, u32(&to)[2], const u32(&a)[2], u32 with) {
          if (h == 0) {
            v_block<kDegree, (kMask >> which.value & 1) != 0>(to, a, with);
          } else {
            v_block<kDegree, (kMask >> (which.value + 4) & 1) != 0>(to, a, with);
          }
        };
        block(std::integral_constant<u32, 0>{}, v[0], factors[b], factor[2 * h]);
        block(std::integral_constant<u32, 1>{}, v[1], factors[b], factor[2 * h + 1]);
        block(std::integral_constant<u32, 2>{}, v[2], factors[b + 1], factor[2 * h]);
        block(std::integral_constant<u32, 3>{}, v[3], factors[b + 1], factor[2 * h + 1]);
        multiply_add(row_sum[b], v[0][0], v[0][1], v[1][0], v[1][1], weight[2 * h], weight[2 * h + 1]);
        multiply_add(row_sum[b + 1], v[2][0], v[2][1], v[3][0], v[3][1], weight[2 * h], weight[2 * h + 1]);
        multiply_add(column_sum, transposed(v[0][0]), transposed(v[1][0]), transposed(v[0][1]), transposed(v[1][1]),
                     weights[b][0], weights[b][1]);
        multiply_add(column_sum, transposed(v[2][0]), transposed(v[3][0]), transposed(v[2][1]), transposed(v[3][1]),
                     weights[b + 1][0], weights[b + 1][1]);
      }
      if (lane & 2) {
        column_out[(j + h) * 32] = make_float2(column_sum[0], column_sum[1]);
        column_out[(j + h) * 32 + 16] = make_float2(column_sum[2], column_sum[3]);
      }
    }
  }
  if (lane & 2) {
#pragma unroll
    for (u32 b = 0; b < kBlocks; ++b) {
      row_out[b * 32] = make_float2(row_sum[b][0], row_sum[b][1]);
      row_out[b * 32 + 16] = make_float2(row_sum[b][2], row_sum[b][3]);
    }
  }
}

__device__ __forceinline__ float4 times(float radius, const float4& sum) {
  return make_float4(radius * sum.x, radius * sum.y, radius * sum.z, sum.w);
}

/// The acceleration of a body at `b` (in radii) by a tile in the direction (x, y, z): v_sum times (radius, per_v) has
/// the sums of v m w (position, 1) over that tile, `whole` those of m w (position, 1).
__device__ __forceinline__ void pull(Sum3<float>& to, float scale, const float4& b, float own_radius, float x, float y,
                                     float z, float radius, float per_v, const float4& v_sum, const float4& whole) {
  const float mass = fmaf(v_sum.w, per_v, whole.w);
  to.x = fmaf(scale, fmaf(mass, fmaf(-own_radius, b.x, x), fmaf(radius, v_sum.x, whole.x)), to.x);
  to.y = fmaf(scale, fmaf(mass, fmaf(-own_radius, b.y, y), fmaf(radius, v_sum.y, whole.y)), to.y);
  to.z = fmaf(scale, fmaf(mass, fmaf(-own_radius, b.z, z), fmaf(radius, v_sum.z, whole.z)), to.z);
}

/// All pairs of a unit of far tiles. relative, heads and masses are those of tiles of kTile bodies; `number` of the
/// unit spreads additions.
template <u32 kTile, u32 kDegree, bool kOrdered>
__device__ __forceinline__ void far_unit(const Vec4<float>* relative, const TileHead* heads, const TileMass* masses,
                                         const TileSums<kOrdered>& sums, float eps2, const PairUnit& unit, u32 number,
                                         void* memory, u32 lane) {
  constexpr u32 kSteps = kTile / 32;
  constexpr float kPerV = 1 / VSeries<kDegree>::kScale;
  auto& stage = *static_cast<FarStage<kTile>*>(memory);
  const float4* const bodies = reinterpret_cast<const float4*>(relative);
  const TileHead row = heads[unit.row];
  const float row_mass = masses[unit.row].unit;
  Sum3<float> row_total[kSteps];
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) stage.row_body[r * 32 + lane] = bodies[unit.row * kTile + r * 32 + lane];
#pragma unroll 1
  for (u32 left = unit.columns; left != 0; left &= left - 1) {
    const u32 column_tile = unit.group * kGroup + __ffs(left) - 1, first = column_tile * kTile;
    const TileHead column = heads[column_tile];
    const Between d = between(row, column, eps2);
    float row_w[kSteps], column_w[kSteps];
    float4 row_whole = make_float4(0, 0, 0, 0), column_whole = row_whole;
#pragma unroll
    for (u32 r = 0; r < kSteps; ++r) {
      const u32 s = r * 32 + lane;
      row_w[r] = put_operands<kDegree>(stage.rows[s], stage.row_body[s], d, row.radius, -1.0f, row_whole);
    }
#pragma unroll
    for (u32 r = 0; r < kSteps; ++r) {
      const u32 s = r * 32 + lane;
      column_w[r] = put_operands<kDegree>(stage.columns[s], bodies[first + s], d, column.radius, 1.0f, column_whole);
    }
    sum_whole(stage.whole, row_whole, column_whole, lane);
    __syncwarp();
    multiply_tiles<kTile, kDegree>(stage, lane);
    __syncwarp();
    const float cube = d.inverse * d.inverse * d.inverse;
    const float on_column = cube * row_mass, on_row = cube * masses[column_tile].unit;
    const float4 rows_whole = times(row.radius, stage.whole[0]);
    const float4 columns_whole = times(column.radius, stage.whole[1]);
#pragma unroll
    for (u32 r = 0; r < kSteps; ++r) {
      const u32 s = r * 32 + lane;
      Sum3<float> sum;
      pull(sum, column_w[r] * on_column, bodies[first + s], column.radius, -d.x, -d.y, -d.z, row.radius * kPerV, kPerV,
           stage.column_sum[s], rows_whole);
      sums.add(first + s, unit.row, sum);
    }
#pragma unroll
    for (u32 r = 0; r < kSteps; ++r) {
      const u32 s = r * 32 + lane;
      pull(row_total[r], row_w[r] * on_row, stage.row_body[s], row.radius, d.x, d.y, d.z, column.radius * kPerV, kPerV,
           reinterpret_cast<const float4*>(stage.rows)[s], columns_whole);
    }
    __syncwarp();
  }
#pragma unroll
  for (u32 r = 0; r < kSteps; ++r) sums.add(unit.row * kTile + r * 32 + lane, number, row_total[r]);
  __syncwarp();
}

}  // namespace tri::cuda
