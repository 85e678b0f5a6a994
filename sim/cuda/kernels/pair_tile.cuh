#pragma once
/// Tiles of pairs: forces, energies, jerks.
///
/// Tiles of pairs: computes every pair once, for both of its bodies.
///
/// A tile is cut into pieces of 32 R rows by C columns; the warps of a block take one piece after another and never
/// wait for each other. A lane keeps R row bodies and their sums in registers. Columns are staged 32 at a time; in step
/// k lane l takes column l + k:
///
///              columns in shared memory, twice: 0 .. 31, 0 .. 31 (so that l + k needs no wrap)
///      lane 0  k=0  1  2  3 ...
///      lane 1      k=0 1  2  3 ...        no two lanes have the same column in a step, so a lane adds to the
///      lane 2          k=0 1  2 ...       column's sum, also in shared memory, without atomics or bank conflicts
///
/// Gravity takes 17 issue slots per pair (two interactions): 3 differences, 3 multiply-adds, the root, 4 products, 6
/// multiply-adds; reading and writing the column's sum once for R rows adds under one. Sums go to memory by one atomic
/// vector addition per body and piece.
///
/// On the diagonal, where a piece's columns are among its rows, every row is computed against every column and keeps
/// only its own share: twice the pairs, no column sums. Those pieces are few.
///
/// Ordered sums: within a piece terms are added in a fixed order in floating point; the piece's sums are added exactly
/// (terms.cuh). Pieces start at multiples of their size whatever the tile, the map and the block, and 32 R and C
/// depend on n, law and precision alone, so the result is bit-identical.

#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/position.cuh"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/laws/gravity.hpp"
#include "sim/laws/nearest_image.hpp"
#include "sim/maps/triangle_lambda.hpp"

namespace tri::cuda {

/// What a pair contributes: (x, y, z) times `to_row` to the row, the opposite times `to_column` to the column. For
/// central laws (x, y, z) is the distance vector, and the products fuse into the multiply-adds of the sums. The
/// strength of such a law may depend on the bodies beside their distance (strength_of()), as those do that a user
/// typed.
template <class Real>
struct PairInteraction {
  Real x, y, z;
  Real to_row, to_column;
};

template <class Law, class Real>
__device__ __forceinline__ PairInteraction<Real> interaction_of(const Law& law, const laws::Body<Real>& row,
                                                                const laws::Body<Real>& column) {
  using M = DeviceMath<Real>;
  if constexpr (Law::kCentral) {
    Real dx = column.x - row.x, dy = column.y - row.y, dz = column.z - row.z;
    laws::to_nearest(law, M{}, dx, dy, dz);
    Real strength;
    if constexpr (requires { law.strength_of(M{}, row, column, dx, dy, dz); }) {
      strength = law.strength_of(M{}, row, column, dx, dy, dz);
    } else {
      strength = law.strength(M{}, dx, dy, dz);
    }
    constexpr bool kWeights = Law::kSums == laws::Sums::acceleration;
    return {dx, dy, dz, kWeights ? strength * column.m : strength, kWeights ? strength * row.m : strength};
  } else {
    static_assert(Law::kSums == laws::Sums::force);
    const auto term = law(M{}, row, column);
    return {term.fx, term.fy, term.fz, Real(1), Real(1)};
  }
}

template <class Real>
__device__ __forceinline__ void add_times(Sum3<Real>& sum, Real factor, const PairInteraction<Real>& p) {
  using M = DeviceMath<Real>;
  sum = {M::mul_add(factor, p.x, sum.x), M::mul_add(factor, p.y, sum.y), M::mul_add(factor, p.z, sum.z)};
}

/// A warp's shared memory.
template <class Law, class Real>
struct PairStage {
  BodyStore<Law, Real, 65> columns;  ///< one more than twice 32, for prefetching the next step's body
  Vec4Store<Real, 64> sums;
};

template <class Law, class Real, u32 kRows, bool kOrdered>
struct PairPiece {
  static constexpr u32 kSpan = 32 * kRows;
  using Stage = PairStage<Law, Real>;

  const Law& law;
  const DeviceState<Real>& state;
  const PairSums<Real>& out;
  Stage& stage;
  Real mass_scale;
  u32 lane;

  laws::Body<Real> row[kRows];
  Sum3<Real> sum[kRows];

  /// All columns precede all rows.
  __device__ __forceinline__ void off_diagonal(u32 col0, u32 columns) {
    laws::Body<Real> coming = body(col0 + lane);
    for (u32 c = 0; c < columns; c += 32) {
      stage.columns.put(lane, coming);
      stage.columns.put(lane + 32, coming);
      if (lane == 0) stage.columns.put(64, coming);
      stage.sums.put(lane, {});
      stage.sums.put(lane + 32, {});
      if (c + 32 < columns) coming = body(col0 + c + 32 + lane);
      __syncwarp();
      steps();
      const Vec4<Real> a = stage.sums.get(lane), b = stage.sums.get(lane + 32);
      add_sum<kOrdered>(out, state.n, col0 + c + lane, Sum3<Real>{a.x + b.x, a.y + b.y, a.z + b.z});
      __syncwarp();
    }
  }

  __device__ __forceinline__ void steps() {
    laws::Body<Real> column = stage.columns.get(lane);
#pragma unroll(kRows > 8 ? 1 : kRows > 4 ? 2 : 4)
    for (u32 k = 0; k < 32; ++k) {
      const Vec4<Real> before = stage.sums.get(lane + k);
      const laws::Body<Real> next = stage.columns.get(lane + k + 1);
      // All interactions before any sum: the compiler's schedule then has the fewest register bank stalls (3 % on an
      // H200).
      PairInteraction<Real> interaction[kRows];
#pragma unroll
      for (u32 r = 0; r < kRows; ++r) interaction[r] = interaction_of(law, row[r], column);
      Sum3<Real> on_column{before.x, before.y, before.z};
#pragma unroll
      for (u32 r = 0; r < kRows; ++r) {
        add_times(sum[r], interaction[r].to_row, interaction[r]);
        add_times(on_column, -interaction[r].to_column, interaction[r]);
      }
      stage.sums.put(lane + k, {on_column.x, on_column.y, on_column.z, before.w});
      column = next;
      __syncwarp();  // the next lane adds to this column in the next step
    }
  }

  /// The columns are among the rows.
  __device__ __forceinline__ void on_diagonal(u32 row0, u32 col0, u32 columns) {
    for (u32 c = 0; c < columns && col0 + c < state.n; c += 32) {
      stage.columns.put(lane, body(col0 + c + lane));
      __syncwarp();
      const u32 end = state.n - (col0 + c) < 32 ? state.n - (col0 + c) : 32;
      for (u32 k = 0; k < end; ++k) {
        const laws::Body<Real> column = stage.columns.get(k);
#pragma unroll
        for (u32 r = 0; r < kRows; ++r) {
          PairInteraction<Real> interaction = interaction_of(law, row[r], column);
          // A body with itself: drops the result, including infinity and NaN.
          const bool self = col0 + c + k == row0 + 32 * r + lane;
          if constexpr (!Law::kCentral)
            interaction.x = self ? 0 : interaction.x, interaction.y = self ? 0 : interaction.y,
            interaction.z = self ? 0 : interaction.z;
          add_times(sum[r], self ? Real(0) : interaction.to_row, interaction);
        }
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ void run(u32 row0, u32 col0, u32 columns) {
#pragma unroll
    for (u32 r = 0; r < kRows; ++r) row[r] = body(row0 + 32 * r + lane), sum[r] = {};
    if (col0 + columns <= row0) {
      off_diagonal(col0, columns);
    } else {
      on_diagonal(row0, col0, columns);
    }
#pragma unroll
    for (u32 r = 0; r < kRows; ++r) {
      const u32 i = row0 + 32 * r + lane;
      if (i < state.n) add_sum<kOrdered>(out, state.n, i, sum[r]);
    }
  }

  __device__ __forceinline__ laws::Body<Real> body(u32 i) const { return body_at<Law>(state, i, mass_scale); }
};

/// Minimum warps per multiprocessor that the registers must allow. Fewer would suffice, as a lane has kRows independent
/// pairs; the point is that the compiler does not save registers at the price of bank conflicts. (12 rows on an H200:
/// 168 registers are 2 % faster than 163, and both leave room for twelve warps.)
template <class Real, u32 kRows>
inline constexpr u32 kResidentWarps = kRows > 8 || (kRows > 4 && sizeof(Real) == 8) ? 8
                                      : kRows > 4                                   ? 12
                                                                                    : 16;

/// M: AnyTriangleMap, or lambda-stream (see there).
template <class Law, class Real, u32 kRows, u32 kWarps, bool kOrdered, class M>
__global__ void __launch_bounds__(32 * kWarps, kResidentWarps<Real, kRows> / kWarps)
    pair_tile_kernel(const __grid_constant__ M map, const GridPiece launch, const Law given,
                     const DeviceState<Real> state, const PairSums<Real> out, u32 tile, u32 columns) {
  using Piece = PairPiece<Law, Real, kRows, kOrdered>;
  __shared__ PairStage<Law, Real> stages[kWarps];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Law law = given;
  Real mass_scale = 1;
  // The compiler drops the law's product with 1.
  if constexpr (requires { law.extract_mass_factor(); }) mass_scale = law.extract_mass_factor();
  const u32 across = tile / columns, pieces = tile / Piece::kSpan * across;
  Position position;
  if (!block_share(launch, position)) return await_earlier();  // the next kernel relies on it
  auto tiles = map.begin(position);
  await_earlier();
  for (; tiles.valid(); tiles.next()) {
    for (u32 p = warp; p < pieces; p += kWarps) {
      const u32 row0 = tiles.tile().row * tile + p / across * Piece::kSpan;
      const u32 col0 = tiles.tile().col * tile + p % across * columns;
      if (row0 >= state.n || col0 >= row0 + Piece::kSpan) continue;
      Piece piece{law, state, out, stages[warp], mass_scale, lane, {}, {}};
      piece.run(row0, col0, columns);
    }
  }
}

// The energy and virial of a pair law over all pairs, in float64 whatever the state.

/// Threads of a block, and bodies on a side of its tiles.
inline constexpr u32 kEnergyThreads = 128;

/// The block-wide sum in thread 0, always by the same tree.
__device__ inline double block_sum(double mine) {
  __shared__ double part[kEnergyThreads];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (u32 half = kEnergyThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = part[0];
  __syncthreads();
  return sum;
}

/// Body i in float64, whatever the precision of the state.
template <class Law, class Real>
__device__ __forceinline__ laws::Body<double> wide_body(const DeviceState<Real>& state, u32 i) {
  const laws::Body<Real> b = body_at<Law>(state, i, Real(1));
  return {double{b.x},  double{b.y},  double{b.z},  double{b.m}, double{b.r},
          double{b.vx}, double{b.vy}, double{b.vz}, double{b.q}};
}

/// Tiles of 128 x 128 along the map lambda from `first` to `end`, block b taking first + b, first + b + gridDim.x, ...;
/// a thread has one row, and the columns are in shared memory. Adds to the block's sums. The order of additions depends
/// on n alone. Of several ranks each has every step-th block.
template <class Law, class Real>
static __global__ void __launch_bounds__(kEnergyThreads)
    energy_kernel(const Law law, const DeviceState<Real> state, const TriangleLambda map, u64 first, u64 end,
                  double* partial, u32 rank, u32 step) {
  __shared__ laws::Body<double> columns[kEnergyThreads];
  if (blockIdx.x % step != rank) return;
  double potential = 0, virial = 0;
  for (u64 w = first + blockIdx.x; w < end; w += gridDim.x) {
    const Tile2 tile = map.begin({w, 0, 0, 0}).tile();
    const u32 i = tile.row * kEnergyThreads + threadIdx.x, col0 = tile.col * kEnergyThreads;
    columns[threadIdx.x] = wide_body<Law>(state, col0 + threadIdx.x);
    const laws::Body<double> row = wide_body<Law>(state, i);
    __syncthreads();
    const u32 column_count = i >= state.n ? 0 : i - col0 < kEnergyThreads ? i - col0 : kEnergyThreads;
    for (u32 c = 0; c < column_count; ++c) {
      const laws::Body<double> column = columns[c];
      const auto term = law(DeviceMath<double>{}, row, column);
      double dx = row.x - column.x, dy = row.y - column.y, dz = row.z - column.z;
      laws::to_nearest(law, DeviceMath<double>{}, dx, dy, dz);
      double dot = dx * term.fx + dy * term.fy + dz * term.fz;
      if constexpr (Law::kSums == laws::Sums::acceleration) dot *= row.m * column.m;
      potential += term.potential;
      virial += dot;
    }
    __syncthreads();
  }
  potential = block_sum(potential);
  virial = block_sum(virial);
  if (threadIdx.x == 0) partial[blockIdx.x] += potential, partial[gridDim.x + blockIdx.x] += virial;
}

// Tiles of pairs under gravity with its jerk, each pair once, for both of its bodies. The algorithm and the shape of
// the pieces are those of pair_tile.cuh; a lane has kJerkRows bodies with six sums each, and a column has two vectors
// of sums in shared memory.
//
// Ordered sums: as there, within a piece in a fixed order, over pieces exactly. Rates are maxima, which know no order.

inline constexpr u32 kJerkRows = 4, kJerkWarps = 2;
inline constexpr u32 kJerkSpan = 32 * kJerkRows, kJerkColumns = 64;

using JerkLaw = laws::GravityJerk<double>;

/// A warp's shared memory.
struct JerkStage {
  BodyStore<JerkLaw, double, 65> columns;  ///< one more than twice 32, for prefetching the next step's body
  Vec4Store<double, 64> acceleration, jerk;
};

/// Partial sums of one body.
struct JerkSum {
  Sum3<double> a, j;

  /// Adds the term of a pair times `mass`, that of the other body, or minus it.
  __device__ __forceinline__ void add(const laws::JerkTerm<double>& t, double mass) {
    a = {__fma_rn(t.ax, mass, a.x), __fma_rn(t.ay, mass, a.y), __fma_rn(t.az, mass, a.z)};
    j = {__fma_rn(t.jx, mass, j.x), __fma_rn(t.jy, mass, j.y), __fma_rn(t.jz, mass, j.z)};
  }
};

template <bool kOrdered>
struct JerkPiece {
  const JerkLaw& law;
  const DeviceState<double>& state;
  const JerkSums& out;
  JerkStage& stage;
  u32 lane;
  double& fall;
  double& fly;

  laws::Body<double> row[kJerkRows];
  JerkSum sum[kJerkRows];
  bool real[kJerkRows];  ///< whether there is such a body

  __device__ __forceinline__ laws::Body<double> body(u32 i) const { return body_at<JerkLaw>(state, i, 1.0); }

  __device__ __forceinline__ void add_to(u32 i, const JerkSum& s) const {
    add_sum<kOrdered>(out.acceleration, state.n, i, s.a);
    add_sum<kOrdered>(out.jerk, state.n, i, s.j);
  }

  /// fmax() drops the NaN of two bodies at one place, which their sums keep.
  __device__ __forceinline__ void meet(const laws::JerkTerm<double>& t) {
    fall = fmax(fall, t.fall), fly = fmax(fly, t.fly);
  }

  /// All columns precede all rows.
  __device__ __forceinline__ void off_diagonal(u32 col0) {
    laws::Body<double> coming = body(col0 + lane);
    for (u32 c = 0; c < kJerkColumns; c += 32) {
      stage.columns.put(lane, coming);
      stage.columns.put(lane + 32, coming);
      if (lane == 0) stage.columns.put(64, coming);
      stage.acceleration.put(lane, {}), stage.acceleration.put(lane + 32, {});
      stage.jerk.put(lane, {}), stage.jerk.put(lane + 32, {});
      if (c + 32 < kJerkColumns) coming = body(col0 + c + 32 + lane);
      __syncwarp();
      steps();
      const Vec4<double> a0 = stage.acceleration.get(lane), a1 = stage.acceleration.get(lane + 32);
      const Vec4<double> j0 = stage.jerk.get(lane), j1 = stage.jerk.get(lane + 32);
      add_to(col0 + c + lane, {{a0.x + a1.x, a0.y + a1.y, a0.z + a1.z}, {j0.x + j1.x, j0.y + j1.y, j0.z + j1.z}});
      __syncwarp();
    }
  }

  __device__ __forceinline__ void steps() {
    laws::Body<double> column = stage.columns.get(lane);
    for (u32 k = 0; k < 32; ++k) {
      const Vec4<double> a = stage.acceleration.get(lane + k), j = stage.jerk.get(lane + k);
      const laws::Body<double> next = stage.columns.get(lane + k + 1);
      JerkSum on_column{{a.x, a.y, a.z}, {j.x, j.y, j.z}};
#pragma unroll
      for (u32 r = 0; r < kJerkRows; ++r) {
        const laws::JerkTerm<double> term = law(DeviceMath<double>{}, row[r], column);
        sum[r].add(term, column.m);
        on_column.add(term, -row[r].m);
        if (real[r]) meet(term);
      }
      stage.acceleration.put(lane + k, {on_column.a.x, on_column.a.y, on_column.a.z, 0.0});
      stage.jerk.put(lane + k, {on_column.j.x, on_column.j.y, on_column.j.z, 0.0});
      column = next;
      __syncwarp();  // the next lane adds to this column in the next step
    }
  }

  /// The columns are among the rows: every row against every column, each row's own share alone.
  __device__ __forceinline__ void on_diagonal(u32 row0, u32 col0) {
    for (u32 c = 0; c < kJerkColumns && col0 + c < state.n; c += 32) {
      stage.columns.put(lane, body(col0 + c + lane));
      __syncwarp();
      const u32 end = state.n - (col0 + c) < 32 ? state.n - (col0 + c) : 32;
      for (u32 k = 0; k < end; ++k) {
        const laws::Body<double> column = stage.columns.get(k);
#pragma unroll
        for (u32 r = 0; r < kJerkRows; ++r) {
          // A body with itself gives nothing, neither infinity nor NaN.
          if (!real[r] || col0 + c + k == row0 + 32 * r + lane) continue;
          const laws::JerkTerm<double> term = law(DeviceMath<double>{}, row[r], column);
          sum[r].add(term, column.m);
          meet(term);
        }
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ void run(u32 row0, u32 col0) {
#pragma unroll
    for (u32 r = 0; r < kJerkRows; ++r) {
      const u32 i = row0 + 32 * r + lane;
      row[r] = body(i), sum[r] = {}, real[r] = i < state.n;
    }
    if (col0 + kJerkColumns <= row0) {
      off_diagonal(col0);
    } else {
      on_diagonal(row0, col0);
    }
#pragma unroll
    for (u32 r = 0; r < kJerkRows; ++r) {
      if (real[r]) add_to(row0 + 32 * r + lane, sum[r]);
    }
  }
};

/// The largest of the warp's values into *to, by lane 0.
__device__ __forceinline__ void raise(unsigned long long* to, double value) {
  for (u32 half = 16; half > 0; half /= 2) value = fmax(value, __shfl_xor_sync(0xffffffffu, value, half));
  if (threadIdx.x % 32 == 0 && value > 0) atomicMax(to, static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// M: AnyTriangleMap, or lambda-stream (see there).
template <bool kOrdered, class M>
__global__ void __launch_bounds__(32 * kJerkWarps, 4)
    jerk_tile_kernel(const __grid_constant__ M map, const GridPiece launch, const JerkLaw law, u32 tile,
                     const DeviceState<double> state, const JerkSums out) {
  __shared__ JerkStage stages[kJerkWarps];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 across = tile / kJerkColumns, pieces = tile / kJerkSpan * across;
  double fall = 0, fly = 0;
  Position position;
  if (!block_share(launch, position)) return;
  for (auto tiles = map.begin(position); tiles.valid(); tiles.next()) {
    for (u32 p = warp; p < pieces; p += kJerkWarps) {
      const u32 row0 = tiles.tile().row * tile + p / across * kJerkSpan;
      const u32 col0 = tiles.tile().col * tile + p % across * kJerkColumns;
      if (row0 >= state.n || col0 >= row0 + kJerkSpan) continue;
      JerkPiece<kOrdered> piece{law, state, out, stages[warp], lane, fall, fly, {}, {}, {}};
      piece.run(row0, col0);
    }
  }
  raise(&out.rates->fall, fall);
  raise(&out.rates->fly, fly);
}

}  // namespace tri::cuda
