/// Forces and counts of triples as matrix products.
///
/// Tiles of the products of triples.hpp: a block makes the elements of its rows and columns, multiplies them,
/// and turns what it has into forces.

#include <memory>

#include <nv/target>

#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/kernels/triples.hpp"
#include "sim/cuda/runtime/device.hpp"
#include "sim/model/compute.hpp"

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

// Triples as matrix products: the unit of length, and the launches.

namespace {

__global__ void __launch_bounds__(128)
    unit_kernel(const DeviceState<double> state, const Spacing* spacing, u32 padded, const UnitBodies to) {
  const u32 i = blockIdx.x * 128 + threadIdx.x;
  if (i >= padded) return;
  to.xy[i] = make_double2(kNowhere, kNowhere), to.z[i] = kNowhere;
  if (i >= state.n) return;
  const double scale = ldexp(1.0, -spacing->exponent());
  const Vec4<double> p = state.position[i];
  to.xy[i] = make_double2(p.x * scale, p.y * scale), to.z[i] = p.z * scale;
}

/// M: AnyTriangleMap, or a persistent map. kProductParts blocks of the grid share a position of the map.
template <class M, bool kOrdered>
__global__ void __launch_bounds__(kProductThreads, 1)
    triple_products_kernel(const __grid_constant__ M map, const GridPiece launch, double nu, const UnitBodies bodies,
                           u32 n, const PairSums<double> out, const Spacing* spacing) {
  extern __shared__ uint4 shared[];
  ProductStage& stage = *reinterpret_cast<ProductStage*>(shared);
  const u32 part = blockIdx.x % kProductParts;
  const int unit = spacing->exponent();
  Position position;
  if (!share_of(launch, blockIdx.x / kProductParts, blockIdx.y, blockIdx.z, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    constexpr u32 kAcross = kProductBlock / kProductColumns;
    const u32 row0 = walk.tile().row * kProductBlock + part / kAcross * kProductRows;
    const u32 column0 = walk.tile().col * kProductBlock + part % kAcross * kProductColumns;
    if (column0 + 1 >= row0 + kProductRows || row0 >= n || column0 >= n) continue;
    const ProductTile<kOrdered> tile{stage, bodies, n, row0, column0};
    double sums[kProductSums][kProductWide][4] = {};
    tile.run(sums);
    tile.give(sums, out, -2 * ldexp(nu, -10 * unit), ldexp(nu, -9 * unit));
    __syncthreads();  // before the next tile's bodies
  }
}

template <bool kOrdered>
PairWork<double> prepare(double nu, TriangleMapId id, u32 n, const GridCut& cut) {
  constexpr u32 kShared = sizeof(ProductStage);
  struct Memory {
    DeviceBuffer<Spacing> spacing;
    DeviceBuffer<double2> xy;
    DeviceBuffer<double> z;
  };
  const u32 padded = (n + kProductBlock - 1) / kProductBlock * kProductBlock;
  const auto memory = std::make_shared<Memory>(
      Memory{DeviceBuffer<Spacing>(1), DeviceBuffer<double2>(padded), DeviceBuffer<double>(padded)});
  const u32 workers = cut.workers((multiprocessors() + kProductParts - 1) / kProductParts);
  const auto launch = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, const DeviceState<double>&,
                          const PairSums<double>& out) {
    const UnitBodies bodies{memory->xy.data(), memory->z.data()};
    const auto kernel = &triple_products_kernel<std::decay_t<decltype(map)>, kOrdered>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    const dim3 blocks = grid_of(piece), grid(blocks.x * kProductParts, blocks.y, blocks.z);
    kernel<<<grid, kProductThreads, kShared, stream>>>(map, piece, nu, bodies, n, out, memory->spacing.data());
    check_launch("products of triples");
  };
  PairWork<double> work = prepare_on_map<const DeviceState<double>&, const PairSums<double>&>(
      id, n, kProductBlock, workers, on_kernel_map(launch), cut);
  work.begin = [=](cudaStream_t stream, const DeviceState<double>& state, const PairSums<double>&) {
    const UnitBodies bodies{memory->xy.data(), memory->z.data()};
    enqueue_spacing(stream, state, memory->spacing.data());
    const u32 blocks = (padded + 127) / 128;
    unit_kernel<<<blocks, 128, 0, stream>>>(state, memory->spacing.data(), padded, bodies);
    check_launch("bodies in units of that");
  };
  return work;
}

}  // namespace

bool has_triple_products(int device) { return has_code(&triple_products_kernel<AnyTriangleMap, false>, device, 9); }

PairWork<double> prepare_triple_products(const AxilrodTellerParams& law, TriangleMapId map, u32 n,
                                         Accumulate accumulate, const GridCut& cut) {
  return accumulate == Accumulate::fast ? prepare<false>(law.nu, map, n, cut) : prepare<true>(law.nu, map, n, cut);
}

// Counts of triples as products of bit matrices. A block of 4 warps multiplies a tile of 128 x 128 pairs, each warp
// 64 x 64 in registers, with the rows of bits coming through shared memory in stages of 512 columns. At the end every
// thread adds its cells to a histogram of its own in shared memory, which needs no agreement with any other thread; a
// second block of the multiprocessor multiplies meanwhile.

namespace {

constexpr u32 kThreads = 128;
/// Bytes of a row, and of all rows, of a stage; a row has four chunks of 128 bits.
constexpr u32 kRowBytes = kBitPitch / 8, kStage = 2 * kBitBlock * kRowBytes, kStages = 4;
constexpr u32 kShared = kStages * kStage;
static_assert(kShared >= SideBins::kMax * kThreads * sizeof(u32), "the histograms take the place of the stages");
/// Products whose bits are in memory at once.
constexpr u32 kBatch = 4;

struct BinPairs {
  BinPair of[kBatch];
  u32 count;
};

/// Writes for each product of the batch the bits of 32 cells, whose bins are bytes.
__global__ void __launch_bounds__(kThreads)
    pair_bits_kernel(const u8* table, u64 words, const BinPairs batch, u32* bits) {
  const u64 w = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (w >= words) return;
  const uint4 low = reinterpret_cast<const uint4*>(table)[2 * w],
              high = reinterpret_cast<const uint4*>(table)[2 * w + 1];
  const u32 cells[8]{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  for (u32 m = 0; m < batch.count; ++m) {
    const u32 q = batch.of[m].q * 0x01010101u, r = batch.of[m].r * 0x01010101u;
    u32 word = 0;
#pragma unroll
    for (u32 c = 0; c < 8; ++c) {
      const u32 equal = __vcmpeq4(cells[c], q) | __vcmpeq4(cells[c], r);
      word |= (((equal & 0x08040201u) * 0x01010101u) >> 24) << (4 * c);  // a bit of each byte, side by side
    }
    bits[m * words + w] = word;
  }
}

// Devices before 8.0, which the host refuses (has_bit_products()), have none of the following.

/// 16 bytes to shared memory, behind the computation.
__device__ __forceinline__ void copy_chunk(u32 to, const void* from) {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from)
                                                : "memory");))
}
__device__ __forceinline__ void end_copies() {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.commit_group;" ::: "memory");))
}
/// Waits for all but the latest kLeft groups of copies.
template <u32 kLeft>
__device__ __forceinline__ void await_copies() {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");))
}

/// Four 8 x 128 matrices of bits, whose rows are those of the 32 lanes' addresses.
__device__ __forceinline__ void load_bits(u32* to, u32 from) {
  NV_IF_TARGET(NV_PROVIDES_SM_80, (asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                                                : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                                                : "r"(from)
                                                : "memory");))
}

/// sums += the number of common bits of 16 rows and 8 columns, 256 of each: words of rows 0-7 and 8-15, first half and
/// second; of columns, likewise. On earlier devices it ends the kernel.
__device__ __forceinline__ void count_common(int (&sums)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
  NV_IF_ELSE_TARGET(NV_PROVIDES_SM_80,
                    (asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
                                  "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                  : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                                  : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));),
                    (__trap();))
}

/// A tile: rows i of i0, rows j of j0 as columns, over all k beyond j0.
class BitTile {
 public:
  __device__ BitTile(unsigned char* shared, const u8* bits, u32 pitch, u32 i0, u32 j0)
      : stages_(static_cast<u32>(__cvta_generic_to_shared(shared))),
        bits_(bits),
        pitch_(pitch),
        i0_(i0),
        j0_(j0),
        first_(j0 / kBitPitch),
        steps_(pitch / kBitPitch - first_) {}

  /// First row and column of this warp.
  __device__ static u32 row() { return threadIdx.x / 32 % 2 * 64; }
  __device__ static u32 column() { return threadIdx.x / 64 * 64; }

  /// sums [rows of 16][columns of 8] become the numbers of common bits.
  __device__ __forceinline__ void multiply(int (&sums)[4][8][4]) const {
    for (u32 s = 0; s < kStages - 1; ++s) {
      if (s < steps_) load(s);
      end_copies();
    }
    for (u32 s = 0; s < steps_; ++s) {
      await_copies<kStages - 2>();
      __syncthreads();  // all have copied stage s, and are done with the one that the next copies replace
      if (s + kStages - 1 < steps_) load(s + kStages - 1);
      end_copies();
      add_stage(stages_ + s % kStages * kStage, sums);
    }
    await_copies<0>();
    __syncthreads();
  }

 private:
  /// Where chunk c of a row is: eight rows of one chunk are in different banks.
  __device__ static u32 place(u32 row, u32 chunk) { return row * kRowBytes + (chunk ^ (row / 2 % 4)) * 16; }

  __device__ __forceinline__ void load(u32 s) const {
    const u32 to = stages_ + s % kStages * kStage;
#pragma unroll
    for (u32 k = 0; k < kStage / 16 / kThreads; ++k) {
      const u32 c = k * kThreads + threadIdx.x, row = c / 4,
                point = row < kBitBlock ? i0_ + row : j0_ + row - kBitBlock;
      copy_chunk(to + place(row, c % 4), bits_ + u64{point} * (pitch_ / 8) + (first_ + s) * kRowBytes + c % 4 * 16);
    }
  }

  __device__ __forceinline__ void add_stage(u32 stage, int (&sums)[4][8][4]) const {
    const u32 a = row() + threadIdx.x % 32, b = kBitBlock + column() + threadIdx.x % 32;
#pragma unroll
    for (u32 chunk = 0; chunk < 4; chunk += 2) {
      u32 row_low[8], row_high[8], column_low[8], column_high[8];
#pragma unroll
      for (u32 h = 0; h < 2; ++h) {
        load_bits(row_low + 4 * h, stage + place(a + 32 * h, chunk));
        load_bits(row_high + 4 * h, stage + place(a + 32 * h, chunk + 1));
        load_bits(column_low + 4 * h, stage + place(b + 32 * h, chunk));
        load_bits(column_high + 4 * h, stage + place(b + 32 * h, chunk + 1));
      }
#pragma unroll
      for (u32 m = 0; m < 4; ++m) {
#pragma unroll
        for (u32 q = 0; q < 8; ++q) {
          count_common(sums[m][q], row_low[2 * m], row_low[2 * m + 1], row_high[2 * m], row_high[2 * m + 1],
                       column_low[q], column_high[q]);
        }
      }
    }
  }

  u32 stages_;
  const u8* bits_;
  u32 pitch_, i0_, j0_, first_, steps_;
};

/// Bins of pairs that are none, i >= j or beyond n, are kNoBin.
template <class M>
__global__ void __launch_bounds__(kThreads, 2)
    bit_products_kernel(const __grid_constant__ M map, const GridPiece launch, const u8* bits, const u8* table,
                        u32 pitch, u32 n, u32 bins, unsigned long long* sums) {
  extern __shared__ uint4 memory[];
  u32* const histograms = reinterpret_cast<u32*>(memory);  // [bins][thread]
  const u32 lane = threadIdx.x % 32;
  Position position;
  if (!block_share(launch, position)) return;
  for (auto walk = map.begin(position); walk.valid(); walk.next()) {
    const u32 i0 = walk.tile().col * kBitBlock, j0 = walk.tile().row * kBitBlock;
    int cells[4][8][4] = {};
    const BitTile tile(reinterpret_cast<unsigned char*>(memory), bits, pitch, i0, j0);
    tile.multiply(cells);
    for (u32 p = 0; p < bins; ++p) histograms[p * kThreads + threadIdx.x] = 0;
    const auto add = [&](u32 bin, int count) {
      if (bin != kNoBin) atomicAdd(histograms + bin * kThreads + threadIdx.x, static_cast<u32>(count));
    };
#pragma unroll
    for (u32 r = 0; r < 8; ++r) {  // rows of eight
      const u32 i = i0 + BitTile::row() + 8 * r + lane / 4;
      const u8* of_row = table + u64{i} * pitch + j0 + BitTile::column() + lane % 4 * 2;
#pragma unroll
      for (u32 q = 0; q < 8; ++q) {
        const uchar2 two = *reinterpret_cast<const uchar2*>(of_row + 8 * q);
        add(two.x, cells[r / 2][q][r % 2 * 2]), add(two.y, cells[r / 2][q][r % 2 * 2 + 1]);
      }
    }
    __syncthreads();
    for (u32 p = threadIdx.x / 32; p < bins; p += kThreads / 32) {
      unsigned long long sum = 0;
#pragma unroll
      for (u32 t = 0; t < kThreads; t += 32) sum += histograms[p * kThreads + t + lane];
#pragma unroll
      for (u32 step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
      if (lane == 0 && sum != 0) atomicAdd(sums + p, sum);
    }
    __syncthreads();  // before the next tile's stages
  }
}

}  // namespace

BinPair bins_of_product(u32 product) {
  u32 r = 0;
  while (product > r) product -= ++r;
  return {product, r};
}

bool has_bit_products(int device) { return has_code(&bit_products_kernel<AnyTriangleMap>, device, 8); }

u64 bit_products_bytes(u64 n) {
  const u64 side = bit_pitch(static_cast<u32>(n));
  return kBatch * side * side / 8;
}

PreparedLaunch prepare_bit_products(TriangleMapId id, u32 n, u32 bins, const u8* table, unsigned long long* sums,
                                    const GridCut& cut) {
  const u32 pitch = bit_pitch(n), products = bit_products(bins), batches = (products + kBatch - 1) / kBatch;
  const u64 words = u64{pitch} * pitch / 32;
  const auto bits = std::make_shared<DeviceBuffer<u32>>(words * kBatch);
  const auto multiply = [=](const auto& map, const GridPiece& piece, cudaStream_t stream, u32 product) {
    const auto kernel = &bit_products_kernel<std::decay_t<decltype(map)>>;
    TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
    const u8* of_product = reinterpret_cast<const u8*>(bits->data() + product % kBatch * words);
    kernel<<<grid_of(piece), kThreads, kShared, stream>>>(map, piece, of_product, table, pitch, n, bins,
                                                          sums + u64{product} * bins);
    check_launch("products of bits");
  };
  GridCut of_batch = cut;
  of_batch.slices = (cut.slices + batches - 1) / batches;
  const Prepared<u32> work =
      prepare_on_map<u32>(id, n, kBitBlock, of_batch.workers(2 * multiprocessors()), on_kernel_map(multiply), of_batch);
  PreparedLaunch all;
  all.launched = work.launched, all.useful = work.useful;
  all.launches = batches * work.launches;
  all.launch = [=](cudaStream_t stream, u32 k) {
    const u32 first = k / work.launches * kBatch, end = first + kBatch < products ? first + kBatch : products;
    if (k % work.launches == 0) {
      BinPairs batch{{}, end - first};
      for (u32 p = first; p < end; ++p) batch.of[p - first] = bins_of_product(p);
      pair_bits_kernel<<<static_cast<u32>((words + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
          table, words, batch, bits->data());
      check_launch("bits of pairs");
    }
    for (u32 p = first; p < end; ++p) work.launch(stream, k % work.launches, p);
  };
  return all;
}

}  // namespace tri::cuda
