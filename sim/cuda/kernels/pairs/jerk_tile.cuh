#pragma once
/// Tiles of pairs under gravity with its jerk, each pair once, for both of its bodies. The algorithm and the shape of
/// the pieces are those of pair_tile.cuh; a lane has kJerkRows bodies with six sums each, and a column has two vectors
/// of sums in shared memory.
///
/// Ordered sums: as there, within a piece in a fixed order, over pieces exactly. Rates are maxima, which know no order.

#include "sim/cuda/kernels/pairs/jerk_sums.hpp"
#include "sim/cuda/kernels/pairs/pair_bodies.cuh"
#include "sim/cuda/kernels/pairs/pair_math.cuh"
#include "sim/cuda/kernels/position.cuh"
#include "sim/laws/gravity_jerk.hpp"

namespace tri::cuda {

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
