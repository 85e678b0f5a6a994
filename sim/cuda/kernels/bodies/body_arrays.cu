// Bodies from arrays, and forces to an array, with the bits that the host has: products are not fused with sums.

#include <cfloat>

#include "sim/cuda/kernels/bodies/body_arrays.hpp"
#include "sim/cuda/kernels/bodies/wrap_unfused.cuh"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

using Bits = unsigned long long;

constexpr u32 kBodyRowThreads = 256;

u32 body_row_blocks(u32 n) { return (n - 1) / kBodyRowThreads + 1; }

template <class Real>
__device__ Bits ordered(Real value) {
  return ordered_bits(static_cast<Bits>(__double_as_longlong(static_cast<double>(value))));
}

/// One thread per body; a block adds to the survey once.
template <class Real>
__global__ void __launch_bounds__(kBodyRowThreads)
    body_rows_kernel(const BodyRows<Real> rows, const WrapWalls<Real> walls, Vec4<Real>* bodies, BodySurvey* survey) {
  constexpr Real kLeastMass = sizeof(Real) == sizeof(float) ? static_cast<Real>(FLT_MIN) : Real(0);
  __shared__ Bits odd, heaviest, low[3], high[3];
  if (threadIdx.x == 0) odd = heaviest = 0;
  if (threadIdx.x < 3) low[threadIdx.x] = ~Bits{0}, high[threadIdx.x] = 0;
  __syncthreads();
  const u64 i = u64{blockIdx.x} * kBodyRowThreads + threadIdx.x;
  if (i < rows.n) {
    Real at[3];
    const Real m = rows.masses != nullptr ? rows.masses[i] : rows.mass;
    const Real r = rows.radii != nullptr ? rows.radii[i] : rows.radius;
    bool sound = isfinite(m) && isfinite(r) && m >= Real(0) && r >= Real(0) && !(m > Real(0) && m < kLeastMass);
    for (u32 k = 0; k < 3; ++k) {
      at[k] = rows.positions[3 * i + k];
      sound = sound && isfinite(at[k]) && (rows.velocities == nullptr || isfinite(rows.velocities[3 * i + k]));
    }
    if (!sound) atomicAdd(&odd, Bits{1});
    atomicMax(&heaviest, ordered(m));
    for (u32 k = 0; k < 3; ++k) {
      atomicMin(&low[k], ordered(at[k]));
      atomicMax(&high[k], ordered(at[k]));
      if (walls.periodic && sound) wrap_unfused(at[k], walls.low[k], walls.high[k]);
    }
    bodies[i] = {at[0], at[1], at[2], m};
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (odd > 0) atomicAdd(&survey->odd, odd);
  atomicMax(&survey->heaviest, heaviest);
  for (u32 k = 0; k < 3; ++k) {
    atomicMin(&survey->low[k], low[k]);
    atomicMax(&survey->high[k], high[k]);
  }
}

template <class Real>
__global__ void __launch_bounds__(kBodyRowThreads)
    force_rows_kernel(const Vec4<Real>* bodies, u32 n, const Vec4<Real>* pairs, bool accelerations,
                      const Vec4<Real>* triples, Real* out, unsigned long long* odd) {
  const u64 i = u64{blockIdx.x} * kBodyRowThreads + threadIdx.x;
  bool bad = false;
  if (i < n) {
    const Vec4<Real> none{0, 0, 0, 0};
    const Vec4<Real> of_pairs = pairs != nullptr ? pairs[i] : none;
    const Vec4<Real> of_triples = triples != nullptr ? triples[i] : none;
    const double weight = accelerations ? static_cast<double>(bodies[i].w) : 1.0;
    const Real pair[3] = {of_pairs.x, of_pairs.y, of_pairs.z};
    const Real triple[3] = {of_triples.x, of_triples.y, of_triples.z};
    for (u32 k = 0; k < 3; ++k) {
      const double product = __dmul_rn(weight, static_cast<double>(pair[k]));
      const Real total = static_cast<Real>(__dadd_rn(product, static_cast<double>(triple[k])));
      bad = bad || !isfinite(total);
      out[3 * i + k] = total;
    }
  }
  const int bads = __syncthreads_count(bad);
  if (threadIdx.x == 0 && bads > 0) atomicAdd(odd, static_cast<unsigned long long>(bads));
}

template <class Real>
__global__ void __launch_bounds__(kBodyRowThreads)
    columns_kernel(const Real* rows, u32 n, u32 features, double* columns, Bits* odd) {
  const u64 i = u64{blockIdx.x} * kBodyRowThreads + threadIdx.x;
  bool bad = false;
  for (u64 f = 0; i < n && f < features; ++f) {
    const Real value = rows[i * features + f];
    bad = bad || !isfinite(value);
    columns[f * n + i] = static_cast<double>(value);
  }
  const int bads = __syncthreads_count(bad);
  if (threadIdx.x == 0 && bads > 0) atomicAdd(odd, static_cast<Bits>(bads));
}

}  // namespace

template <class Real>
void enqueue_body_rows(cudaStream_t stream, const BodyRows<Real>& rows, const WrapWalls<Real>& walls,
                       Vec4<Real>* bodies, BodySurvey* survey) {
  body_rows_kernel<Real><<<body_row_blocks(rows.n), kBodyRowThreads, 0, stream>>>(rows, walls, bodies, survey);
  check_launch("bodies of rows");
}

template <class Real>
void enqueue_force_rows(cudaStream_t stream, const Vec4<Real>* bodies, u32 n, const Vec4<Real>* pairs,
                        bool accelerations, const Vec4<Real>* triples, Real* out, unsigned long long* odd) {
  force_rows_kernel<Real>
      <<<body_row_blocks(n), kBodyRowThreads, 0, stream>>>(bodies, n, pairs, accelerations, triples, out, odd);
  check_launch("forces of an array");
}

template <class Real>
void enqueue_columns(cudaStream_t stream, const Real* rows, u32 n, u32 features, double* columns,
                     unsigned long long* odd) {
  columns_kernel<Real><<<body_row_blocks(n), kBodyRowThreads, 0, stream>>>(rows, n, features, columns, odd);
  check_launch("columns of rows");
}

template void enqueue_columns(cudaStream_t, const float*, u32, u32, double*, unsigned long long*);
template void enqueue_columns(cudaStream_t, const double*, u32, u32, double*, unsigned long long*);
template void enqueue_body_rows(cudaStream_t, const BodyRows<float>&, const WrapWalls<float>&, Vec4<float>*,
                                BodySurvey*);
template void enqueue_body_rows(cudaStream_t, const BodyRows<double>&, const WrapWalls<double>&, Vec4<double>*,
                                BodySurvey*);
template void enqueue_force_rows(cudaStream_t, const Vec4<float>*, u32, const Vec4<float>*, bool, const Vec4<float>*,
                                 float*, unsigned long long*);
template void enqueue_force_rows(cudaStream_t, const Vec4<double>*, u32, const Vec4<double>*, bool, const Vec4<double>*,
                                 double*, unsigned long long*);

}  // namespace tri::cuda
