#pragma once
/// Tiles of the products of triple_products.hpp: a block makes the elements of its rows and columns, multiplies them,
/// and turns what it has into forces.

#include <nv/target>

#include "sim/cuda/kernels/triples/triple_products.hpp"
#include "sim/cuda/kernels/triples/triple_sums.cuh"

namespace tri::cuda {

inline constexpr u32 kProductThreads = 256;
/// The tile of a block: pairs (row, column), in tiles of 16 x 24 of its 4 x 2 warps.
inline constexpr u32 kProductRows = 64, kProductColumns = 48, kProductWarpRows = 16, kProductWarpColumns = 24,
                     kProductWide = kProductWarpColumns / 8;
inline constexpr u32 kProductParts =
    (kProductBlock / kProductRows) * (kProductBlock / kProductColumns);  ///< tiles of a tile of the map
/// Third bodies whose elements are in shared memory at once.
inline constexpr u32 kProductDepth = 16;
/// What is stored of an element.
enum Value : u32 { kX1, kX2, kX3, kX4, kS, kP, kSideValues };
inline constexpr u32 kProductSums = 6;  ///< sums: of the squares of the first five, and of S P + P S

/// Where bodies beyond the last are: all their functions of a side vanish beside the others'.
inline constexpr double kNowhere = 1e100;

/// Elements of kProductDepth third bodies in the order of the fragments of a matrix product, without bank conflicts:
/// two rows that are eight apart are neighbours, and two layers of a column.
struct Elements {
  double2 rows[kSideValues][kProductDepth][kProductRows / 2 + 1];
  double2 columns[kSideValues][kProductDepth / 2][kProductColumns + 2];

  __device__ __forceinline__ double& row(u32 value, u32 layer, u32 r) {
    return reinterpret_cast<double*>(&rows[value][layer][r / 16 * 8 + r % 8])[r % 16 / 8];
  }
  __device__ __forceinline__ double& column(u32 value, u32 layer, u32 c) {
    return reinterpret_cast<double*>(&columns[value][layer / 2][c])[layer % 2];
  }
};

template <u32 kCount>
struct Places {
  double2 xy[kCount];
  double z[kCount];
};

/// The bodies in units of the distance between neighbours, [padded] in device memory: a multiple of kProductBlock.
struct UnitBodies {
  double2* xy;
  double* z;
};

/// All of a block's shared memory.
struct ProductStage {
  Elements elements[2];  ///< of the layers in use and of the next ones
  Places<kProductRows> row;
  Places<kProductColumns> column;
  Places<kProductDepth> layer[4];
};

/// 1 / sqrt(x) to rounding: an approximation of 20 bits and one step of third order.
__device__ __forceinline__ double start_of_root(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
__device__ __forceinline__ double inverse_root(double x) {
  const double y = start_of_root(x), rest = fma(-(x * y), y, 1.0);
  return fma(y * rest, fma(0.375, rest, 0.5), y);
}

/// Adds 16 x 8 products of 8 terms. On devices before 9.0, which the host refuses, it ends the kernel.
__device__ __forceinline__ void multiply_add(double (&to)[4], const double (&a)[4], const double (&b)[2]) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90,
                    (asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
                         "%9}, {%0, %1, %2, %3};"
                         : "+d"(to[0]), "+d"(to[1]), "+d"(to[2]), "+d"(to[3])
                         : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));),
                    (__trap();))
}

/// The tile at rows row0 .. row0 + 63 and columns column0 .. column0 + 47, for the threads of a block.
template <bool kOrdered>
struct ProductTile {
  ProductStage& stage;
  const UnitBodies& bodies;
  u32 n, row0, column0;

  static __device__ __forceinline__ u32 lane() { return threadIdx.x % 32; }
  static __device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }
  static __device__ __forceinline__ u32 warp_row() { return warp() % 4 * kProductWarpRows; }
  static __device__ __forceinline__ u32 warp_column() { return warp() / 4 * kProductWarpColumns; }

  __device__ __forceinline__ void load_rows_and_columns() const {
    const u32 t = threadIdx.x;
    if (t < kProductRows) stage.row.xy[t] = bodies.xy[row0 + t], stage.row.z[t] = bodies.z[row0 + t];
    if (t >= kProductRows && t < kProductRows + kProductColumns) {
      const u32 c = t - kProductRows;
      stage.column.xy[c] = bodies.xy[column0 + c], stage.column.z[c] = bodies.z[column0 + c];
    }
  }
  __device__ __forceinline__ void load_layers(u32 chunk) const {
    const u32 t = threadIdx.x;
    if (t >= kProductDepth) return;
    Places<kProductDepth>& to = stage.layer[chunk % 4];
    to.xy[t] = bodies.xy[chunk * kProductDepth + t], to.z[t] = bodies.z[chunk * kProductDepth + t];
  }

  /// Makes the elements of a chunk of layers: seven a thread, four of two rows, two of a column, one of another. All
  /// seven go through each operation together, so that none waits for the one before.
  __device__ __forceinline__ void make_elements(u32 chunk) const {
    Elements& to = stage.elements[chunk % 2];
    const Places<kProductDepth>& layer = stage.layer[chunk % 4];
    constexpr u32 kCount = 7;
    double x[kCount], y[kCount], r[kCount], s[kCount];
    const u32 row = lane() / 8 * 16 + lane() % 8, other = 32 + threadIdx.x % 16, other_layer = threadIdx.x / 16;
    {
      const auto square = [&](u32 k, double2 xy, double z) {
        const double dx = layer.xy[k].x - xy.x, dy = layer.xy[k].y - xy.y, dz = layer.z[k] - z;
        return fma(dz, dz, fma(dy, dy, dx * dx));
      };
#pragma unroll
      for (u32 k = 0; k < 2; ++k) {
        x[2 * k] = square(2 * warp() + k, stage.row.xy[row], stage.row.z[row]);
        x[2 * k + 1] = square(2 * warp() + k, stage.row.xy[row + 8], stage.row.z[row + 8]);
        x[4 + k] = square(2 * warp() + k, stage.column.xy[lane()], stage.column.z[lane()]);
      }
      x[6] = square(other_layer, stage.column.xy[other], stage.column.z[other]);
    }
    double rest[kCount];
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) y[e] = start_of_root(x[e]);
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) rest[e] = x[e] * y[e];
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) rest[e] = fma(-rest[e], y[e], 1.0);
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) y[e] = fma(y[e] * rest[e], fma(0.375, rest[e], 0.5), y[e]);
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) s[e] = y[e] * y[e];
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) r[e] = y[e] * s[e];
#pragma unroll
    for (u32 e = 0; e < kCount; ++e) s[e] = r[e] * s[e];
    const auto value = [&](u32 v, u32 e) {
      switch (v) {
        case kX1:
          return r[e] + fma(1.125, s[e], y[e]);
        case kX2:
          return r[e] - fma(1.125, s[e], y[e]);
        case kX3:
          return fma(2.0, y[e], r[e]);
        case kX4:
          return fma(-2.0, y[e], r[e]);
        case kS:
          return s[e];
        default:
          return fma(1.125, r[e], x[e] * y[e]);
      }
    };
#pragma unroll
    for (u32 v = 0; v < kSideValues; ++v) {
#pragma unroll
      for (u32 k = 0; k < 2; ++k) {
        to.rows[v][2 * warp() + k][lane()] = make_double2(value(v, 2 * k), value(v, 2 * k + 1));
      }
      to.columns[v][warp()][lane()] = make_double2(value(v, 4), value(v, 5));
      to.column(v, other_layer, other) = value(v, 6);
    }
    clear_diagonals(to, chunk * kProductDepth);
  }

  /// The elements of a body and itself are zero. The condition is the same for all threads.
  __device__ __forceinline__ void clear_diagonals(Elements& to, u32 layer0) const {
    const bool in_rows = layer0 + kProductDepth > row0 && layer0 < row0 + kProductRows;
    const bool in_columns = layer0 + kProductDepth > column0 && layer0 < column0 + kProductColumns;
    if (!in_rows && !in_columns) return;
    __syncthreads();
    if (threadIdx.x >= kProductDepth) return;
    const u32 body = layer0 + threadIdx.x;
    for (u32 v = 0; v < kSideValues; ++v) {
      if (body >= row0 && body < row0 + kProductRows) to.row(v, threadIdx.x, body - row0) = 0;
      if (body >= column0 && body < column0 + kProductColumns) to.column(v, threadIdx.x, body - column0) = 0;
    }
  }

  using Sums = double[kProductSums][kProductWide][4];

  /// Adds the products over eight layers of a chunk.
  __device__ __forceinline__ void multiply(Sums& sums, const Elements& of, u32 eight) const {
    const u32 g = lane() / 4, t = lane() % 4;
    const double2* const row = &of.rows[0][8 * eight + 2 * t][warp_row() / 2 + g];
    const double2* const column = &of.columns[0][4 * eight + t][warp_column() + g];
    constexpr u32 kRowStride = kProductRows / 2 + 1, kRowValue = kProductDepth * kRowStride;
    constexpr u32 kColumnValue = kProductDepth / 2 * (kProductColumns + 2);
    const auto left = [&](u32 v, double(&to)[4]) {
      const double2 first = row[v * kRowValue], second = row[v * kRowValue + kRowStride];
      to[0] = first.x, to[1] = first.y, to[2] = second.x, to[3] = second.y;
    };
    const auto right = [&](u32 v, u32 w, double(&to)[2]) {
      const double2 pair = column[v * kColumnValue + 8 * w];
      to[0] = pair.x, to[1] = pair.y;
    };
#pragma unroll
    for (u32 v = kX1; v <= kX4; ++v) {
      double a[4];
      left(v, a);
#pragma unroll
      for (u32 w = 0; w < kProductWide; ++w) {
        double b[2];
        right(v, w, b);
        multiply_add(sums[v][w], a, b);
      }
    }
    double s[4], p[4];
    left(kS, s), left(kP, p);
#pragma unroll
    for (u32 w = 0; w < kProductWide; ++w) {
      double right_s[2], right_p[2];
      right(kS, w, right_s), right(kP, w, right_p);
      multiply_add(sums[kS][w], s, right_s);
      multiply_add(sums[kP][w], s, right_p);
      multiply_add(sums[kP][w], p, right_s);
    }
  }

  /// The products over all layers.
  __device__ __forceinline__ void run(Sums& sums) const {
    load_rows_and_columns();
    const u32 chunks = (n + kProductDepth - 1) / kProductDepth;
    load_layers(0), load_layers(1);
    __syncthreads();
    make_elements(0);
#pragma unroll 1
    for (u32 c = 0; c < chunks; ++c) {
      __syncthreads();
      if (c + 2 < chunks) load_layers(c + 2);
      if (c + 1 < chunks) make_elements(c + 1);
#pragma unroll
      for (u32 eight = 0; eight < kProductDepth / 8; ++eight) multiply(sums, stage.elements[c % 2], eight);
    }
  }

  /// T(v, the sums of a pair) times 3, which is linear in v = (p, q, r, s); p is that of P'.
  static __device__ __forceinline__ double form(const Sums& sums, u32 w, u32 e, double p, double q, double r,
                                                double s) {
    const double y = fma(1.125, s, q);
    const double squares = (r + y) * sums[kX1][w][e] + (r - y) * sums[kX2][w][e] -
                           0.25 * (fma(2.0, q, r) * sums[kX3][w][e] + fma(-2.0, q, r) * sums[kX4][w][e]);
    return 0.5 * squares - 1.125 * (p * sums[kS][w][e] + s * sums[kP][w][e]);
  }

  /// Forces and energy of the tile's pairs. force: the unit of force and twice the sign; energy: the unit of energy.
  __device__ __forceinline__ void give(const Sums& sums, const PairSums<double>& out, double force,
                                       double energy) const {
    const u32 g = lane() / 4, t = lane() % 4;
    double on_row[2][4] = {};
#pragma unroll
    for (u32 w = 0; w < kProductWide; ++w) {
      double on_column[2][3] = {};
#pragma unroll
      for (u32 e = 0; e < 4; ++e) {
        const u32 row = warp_row() + g + e / 2 * 8, column = warp_column() + 8 * w + 2 * t + e % 2;
        const u32 i = row0 + row, j = column0 + column;
        if (i <= j || i >= n) continue;
        const double dx = stage.row.xy[row].x - stage.column.xy[column].x,
                     dy = stage.row.xy[row].y - stage.column.xy[column].y,
                     dz = stage.row.z[row] - stage.column.z[column];
        const double x = fma(dz, dz, fma(dy, dy, dx * dx));
        const double q = inverse_root(x), q2 = q * q, r = q * q2, s = r * q2;
        const double p = fma(1.125, r, x * q);
        // The derivatives of P', Q, R and S.
        const double slope =
            form(sums, w, e, fma(-1.6875, s, 0.5 * q), -0.5 * r, -1.5 * s, -2.5 * (s * q2)) * (force / 3);
        const double each = form(sums, w, e, p, q, r, s) * (energy / 9);
        const double f[3] = {slope * dx, slope * dy, slope * dz};
#pragma unroll
        for (u32 k = 0; k < 3; ++k) on_row[e / 2][k] += f[k], on_column[e % 2][k] -= f[k];
        on_row[e / 2][3] += each;
      }
#pragma unroll
      for (u32 half = 0; half < 2; ++half) {
#pragma unroll
        for (double& f : on_column[half]) {
          for (u32 step = 4; step < 32; step *= 2) f += __shfl_xor_sync(~0u, f, step);
        }
        const u32 j = column0 + warp_column() + 8 * w + 2 * t + half;
        if (g == 0) add(out, j, on_column[half], 0);
      }
    }
#pragma unroll
    for (u32 half = 0; half < 2; ++half) {
#pragma unroll
      for (double& f : on_row[half]) {
        for (u32 step = 1; step < 4; step *= 2) f += __shfl_xor_sync(~0u, f, step);
      }
      if (t == 0) add(out, row0 + warp_row() + g + 8 * half, on_row[half], on_row[half][3]);
    }
  }

  __device__ __forceinline__ void add(const PairSums<double>& out, u32 body, const double* f, double energy) const {
    if (body >= n) return;
    const Sum3<double> sum{f[0], f[1], f[2]};
    if constexpr (kOrdered) {
      add_sum<true>(out, n, body, sum);
    } else {
      add_with_energy(copy_of_block<kTripleCopies>(out.out, n) + body, sum, energy);
    }
  }
};

}  // namespace tri::cuda
