// Triples as matrix products: a block makes the elements of its rows and columns, multiplies them, and turns what it
// has into forces.

#include "sim/cuda/kernels/tensor/triple_products.hpp"

#include <memory>
#include <nv/target>

#include "sim/cuda/kernels/any_map.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/triples/triple_sums.cuh"

namespace tri::cuda {
namespace {

constexpr u32 kThreads = 256;
/// The tile of a block: pairs (row, column), in tiles of 16 x 24 of its 4 x 2 warps.
constexpr u32 kRows = 64, kColumns = 48, kWarpRows = 16, kWarpColumns = 24, kWide = kWarpColumns / 8;
constexpr u32 kParts = (kProductBlock / kRows) * (kProductBlock / kColumns);  ///< tiles of a tile of the map
/// Third bodies whose elements are in shared memory at once.
constexpr u32 kDepth = 16;
/// What is stored of an element.
enum Value : u32 { kX1, kX2, kX3, kX4, kS, kP, kValues };
constexpr u32 kProducts = 6;  ///< sums: of the squares of the first five, and of S P + P S

/// Where bodies beyond the last are: all their functions of a side vanish beside the others'.
constexpr double kNowhere = 1e100;

/// Elements of kDepth third bodies in the order of the fragments of a matrix product, without bank conflicts: two rows
/// that are eight apart are neighbours, and two layers of a column.
struct Elements {
  double2 rows[kValues][kDepth][kRows / 2 + 1];
  double2 columns[kValues][kDepth / 2][kColumns + 2];

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
  Places<kRows> row;
  Places<kColumns> column;
  Places<kDepth> layer[4];
};

/// The distance between neighbours: the sum of the exponents of its square over the bodies, and their number.
struct Spacing {
  long long exponents;
  unsigned long long bodies;

  /// Of the unit of length: the power of two that is nearest to 1.3 times the distance. With that the errors are least
  /// (docs/tensor.md); half of it or twice as much makes them ten times as large.
  __device__ __forceinline__ int exponent() const {
    if (bodies == 0) return 0;
    return static_cast<int>(floor(static_cast<double>(exponents) / (2 * static_cast<double>(bodies)) + 1.125));
  }
};

/// A block finds the nearest other body of body blockIdx.x.
template <class Real>
__global__ void __launch_bounds__(128) spacing_kernel(const DeviceState<Real> state, Spacing* to) {
  constexpr double kFar = 1e308;
  const Vec4<Real> own = state.position[blockIdx.x];
  double nearest = kFar;
  for (u32 j = threadIdx.x; j < state.n; j += blockDim.x) {
    const Vec4<Real> p = state.position[j];
    const double x = double{p.x} - double{own.x}, y = double{p.y} - double{own.y}, z = double{p.z} - double{own.z};
    const double square = x * x + y * y + z * z;
    if (square > 0 && square < nearest) nearest = square;
  }
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) nearest = fmin(nearest, __shfl_xor_sync(~0u, nearest, step));
  __shared__ double of_warp[4];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = nearest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const double other : of_warp) nearest = fmin(nearest, other);
  if (!(nearest < kFar)) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&to->exponents), static_cast<unsigned long long>(ilogb(nearest)));
  atomicAdd(&to->bodies, 1ull);
}

template <class Real>
__global__ void __launch_bounds__(128)
    unit_kernel(const DeviceState<Real> state, const Spacing* spacing, u32 padded, const UnitBodies to) {
  const u32 i = blockIdx.x * 128 + threadIdx.x;
  if (i >= padded) return;
  to.xy[i] = make_double2(kNowhere, kNowhere), to.z[i] = kNowhere;
  if (i >= state.n) return;
  const double scale = ldexp(1.0, -spacing->exponent());
  const Vec4<Real> p = state.position[i];
  to.xy[i] = make_double2(double{p.x} * scale, double{p.y} * scale), to.z[i] = double{p.z} * scale;
}

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
template <class Real, bool kOrdered>
struct ProductTile {
  ProductStage& stage;
  const UnitBodies& bodies;
  u32 n, row0, column0;

  static __device__ __forceinline__ u32 lane() { return threadIdx.x % 32; }
  static __device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }
  static __device__ __forceinline__ u32 warp_row() { return warp() % 4 * kWarpRows; }
  static __device__ __forceinline__ u32 warp_column() { return warp() / 4 * kWarpColumns; }

  __device__ __forceinline__ void load_rows_and_columns() const {
    const u32 t = threadIdx.x;
    if (t < kRows) stage.row.xy[t] = bodies.xy[row0 + t], stage.row.z[t] = bodies.z[row0 + t];
    if (t >= kRows && t < kRows + kColumns) {
      const u32 c = t - kRows;
      stage.column.xy[c] = bodies.xy[column0 + c], stage.column.z[c] = bodies.z[column0 + c];
    }
  }
  __device__ __forceinline__ void load_layers(u32 chunk) const {
    const u32 t = threadIdx.x;
    if (t >= kDepth) return;
    Places<kDepth>& to = stage.layer[chunk % 4];
    to.xy[t] = bodies.xy[chunk * kDepth + t], to.z[t] = bodies.z[chunk * kDepth + t];
  }

  /// Makes the elements of a chunk of layers: seven a thread, four of two rows, two of a column, one of another. All
  /// seven go through each operation together, so that none waits for the one before.
  __device__ __forceinline__ void make_elements(u32 chunk) const {
    Elements& to = stage.elements[chunk % 2];
    const Places<kDepth>& layer = stage.layer[chunk % 4];
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
    for (u32 v = 0; v < kValues; ++v) {
#pragma unroll
      for (u32 k = 0; k < 2; ++k) {
        to.rows[v][2 * warp() + k][lane()] = make_double2(value(v, 2 * k), value(v, 2 * k + 1));
      }
      to.columns[v][warp()][lane()] = make_double2(value(v, 4), value(v, 5));
      to.column(v, other_layer, other) = value(v, 6);
    }
    clear_diagonals(to, chunk * kDepth);
  }

  /// The elements of a body and itself are zero. The condition is the same for all threads.
  __device__ __forceinline__ void clear_diagonals(Elements& to, u32 layer0) const {
    const bool in_rows = layer0 + kDepth > row0 && layer0 < row0 + kRows;
    const bool in_columns = layer0 + kDepth > column0 && layer0 < column0 + kColumns;
    if (!in_rows && !in_columns) return;
    __syncthreads();
    if (threadIdx.x >= kDepth) return;
    const u32 body = layer0 + threadIdx.x;
    for (u32 v = 0; v < kValues; ++v) {
      if (body >= row0 && body < row0 + kRows) to.row(v, threadIdx.x, body - row0) = 0;
      if (body >= column0 && body < column0 + kColumns) to.column(v, threadIdx.x, body - column0) = 0;
    }
  }

  using Sums = double[kProducts][kWide][4];

  /// Adds the products over eight layers of a chunk.
  __device__ __forceinline__ void multiply(Sums& sums, const Elements& of, u32 eight) const {
    const u32 g = lane() / 4, t = lane() % 4;
    const double2* const row = &of.rows[0][8 * eight + 2 * t][warp_row() / 2 + g];
    const double2* const column = &of.columns[0][4 * eight + t][warp_column() + g];
    constexpr u32 kRowStride = kRows / 2 + 1, kRowValue = kDepth * kRowStride;
    constexpr u32 kColumnValue = kDepth / 2 * (kColumns + 2);
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
      for (u32 w = 0; w < kWide; ++w) {
        double b[2];
        right(v, w, b);
        multiply_add(sums[v][w], a, b);
      }
    }
    double s[4], p[4];
    left(kS, s), left(kP, p);
#pragma unroll
    for (u32 w = 0; w < kWide; ++w) {
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
    const u32 chunks = (n + kDepth - 1) / kDepth;
    load_layers(0), load_layers(1);
    __syncthreads();
    make_elements(0);
#pragma unroll 1
    for (u32 c = 0; c < chunks; ++c) {
      __syncthreads();
      if (c + 2 < chunks) load_layers(c + 2);
      if (c + 1 < chunks) make_elements(c + 1);
#pragma unroll
      for (u32 eight = 0; eight < kDepth / 8; ++eight) multiply(sums, stage.elements[c % 2], eight);
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
  __device__ __forceinline__ void give(const Sums& sums, const PairSums<Real>& out, double force, double energy) const {
    const u32 g = lane() / 4, t = lane() % 4;
    double on_row[2][4] = {};
#pragma unroll
    for (u32 w = 0; w < kWide; ++w) {
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

  __device__ __forceinline__ void add(const PairSums<Real>& out, u32 body, const double* f, double energy) const {
    if (body >= n) return;
    const Sum3<Real> sum{static_cast<Real>(f[0]), static_cast<Real>(f[1]), static_cast<Real>(f[2])};
    if constexpr (kOrdered) {
      add_sum<true>(out, n, body, sum);
    } else {
      add_with_energy(copy_of_block<kTripleCopies>(out.out, n) + body, sum, static_cast<Real>(energy));
    }
  }
};

/// M: AnyTriangleMap, or a persistent map. kParts blocks of the grid share a position of the map.
template <class M, class Real, bool kOrdered>
__global__ void __launch_bounds__(kThreads, 1)
    triple_products_kernel(const __grid_constant__ M map, const GridPiece launch, double nu, const UnitBodies bodies,
                           u32 n, const PairSums<Real> out, const Spacing* spacing) {
  extern __shared__ uint4 shared[];
  ProductStage& stage = *reinterpret_cast<ProductStage*>(shared);
  const u32 part = blockIdx.x % kParts;
  const int unit = spacing->exponent();
  for (auto walk = map.begin(position_in(launch, blockIdx.x / kParts, blockIdx.y, blockIdx.z)); walk.valid();
       walk.next()) {
    constexpr u32 kAcross = kProductBlock / kColumns;
    const u32 row0 = walk.tile().row * kProductBlock + part / kAcross * kRows;
    const u32 column0 = walk.tile().col * kProductBlock + part % kAcross * kColumns;
    if (column0 + 1 >= row0 + kRows || row0 >= n || column0 >= n) continue;
    const ProductTile<Real, kOrdered> tile{stage, bodies, n, row0, column0};
    double sums[kProducts][kWide][4] = {};
    tile.run(sums);
    tile.give(sums, out, -2 * ldexp(nu, -10 * unit), ldexp(nu, -9 * unit));
    __syncthreads();  // before the next tile's bodies
  }
}

template <class Real, bool kOrdered>
PairWork<Real> prepare(double nu, TriangleMapId id, u32 n, u32 slices) {
  constexpr u32 kShared = sizeof(ProductStage);
  struct Memory {
    DeviceBuffer<Spacing> spacing;
    DeviceBuffer<double2> xy;
    DeviceBuffer<double> z;
  };
  const u32 padded = (n + kProductBlock - 1) / kProductBlock * kProductBlock;
  const auto memory = std::make_shared<Memory>(
      Memory{DeviceBuffer<Spacing>(1), DeviceBuffer<double2>(padded), DeviceBuffer<double>(padded)});
  const u32 workers = (multiprocessors() + kParts - 1) / kParts * slices;
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<Real>& state,
                          const PairSums<Real>& out) {
    const UnitBodies bodies{memory->xy.data(), memory->z.data()};
    if (piece.origin.x == 0 && piece.origin.y == 0 && piece.origin.z == 0 && piece.origin.pass == 0) {
      memory->spacing.fill_bytes(0, stream);
      spacing_kernel<<<n, 128, 0, stream>>>(state, memory->spacing.data());
      check_launch("distances between neighbours");
      const u32 blocks = (padded + 127) / 128;
      unit_kernel<<<blocks, 128, 0, stream>>>(state, memory->spacing.data(), padded, bodies);
      check_launch("bodies in units of that");
    }
    const auto kernel = &triple_products_kernel<std::decay_t<decltype(map)>, Real, kOrdered>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    const dim3 grid(piece.x * kParts, piece.y, piece.z);
    kernel<<<grid, kThreads, kShared, stream>>>(map, piece, nu, bodies, n, out, memory->spacing.data());
    check_launch("products of triples");
  };
  return prepare_on_map<const DeviceState<Real>&, const PairSums<Real>&>(id, n, kProductBlock, workers,
                                                                         on_kernel_map(launch), slices);
}

}  // namespace

bool has_triple_products(int device) {
  int major = 0;
  TRI_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 9) return false;
  // Code for an earlier architecture ends in a trap, whatever the device.
  cudaFuncAttributes code{};
  TRI_CUDA(cudaFuncGetAttributes(&code, triple_products_kernel<AnyTriangleMap, double, false>));
  return code.ptxVersion >= 90;
}

template <class Real>
PairWork<Real> prepare_triple_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n, Accumulate accumulate,
                                       u32 slices) {
  return accumulate == Accumulate::fast ? prepare<Real, false>(law.nu, map, n, slices)
                                        : prepare<Real, true>(law.nu, map, n, slices);
}

template PairWork<float> prepare_triple_products(const AxilrodTellerParams&, TriangleMapId, u32, Accumulate, u32);
template PairWork<double> prepare_triple_products(const AxilrodTellerParams&, TriangleMapId, u32, Accumulate, u32);

}  // namespace tri::cuda
