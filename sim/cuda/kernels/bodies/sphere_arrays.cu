// Spheres from arrays, and pairs to an array. A pair (i, j), i > j, of a list is one word of 64 bits with j in the high
// half, so the order of the words is that of (j, i), and a radix sort of words sorts the pairs.

#include <cub/device/device_radix_sort.cuh>

#include "sim/cuda/kernels/bodies/sphere_arrays.hpp"
#include "sim/cuda/kernels/bodies/wrap_unfused.cuh"
#include "sim/cuda/runtime/check.hpp"

namespace tri::cuda {
namespace {

using Word = unsigned long long;

constexpr u32 kRowThreads = 256;

u32 row_blocks(u64 n) { return static_cast<u32>((n + kRowThreads - 1) / kRowThreads); }

/// One thread per sphere; a block adds to the survey once.
template <class Real>
__global__ void __launch_bounds__(kRowThreads)
    sphere_rows_kernel(const SphereRows<Real> rows, Sphere<Real>* spheres, u32 step, Sphere<Real>* sample,
                       SphereSurvey* survey) {
  __shared__ Word largest, smallest;
  if (threadIdx.x == 0) largest = 0, smallest = ~Word{0};
  __syncthreads();
  const u64 i = u64{blockIdx.x} * kRowThreads + threadIdx.x;
  bool odd = false;
  Word high = 0, low = ~Word{0};
  if (i < rows.n) {
    const Real* const at = rows.centres + i * rows.columns;
    const Real zero = 0;
    const Sphere<Real> s{at[0], rows.columns > 1 ? at[1] : zero, rows.columns > 2 ? at[2] : zero,
                         rows.radii != nullptr ? rows.radii[i] : rows.radius};
    spheres[i] = s;
    if (i % step == 0) sample[i / step] = s;
    odd = !(isfinite(s.x) && isfinite(s.y) && isfinite(s.z) && isfinite(s.r)) || s.r < zero;
    if (!odd && s.r > zero) high = low = static_cast<Word>(__double_as_longlong(static_cast<double>(s.r)));
  }
#pragma unroll
  for (u32 across = 16; across > 0; across /= 2) {
    high = max(high, __shfl_xor_sync(0xffffffffu, high, across));
    low = min(low, __shfl_xor_sync(0xffffffffu, low, across));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&largest, high);
    atomicMin(&smallest, low);
  }
  const int odds = __syncthreads_count(odd);
  if (threadIdx.x != 0) return;
  if (odds > 0) atomicAdd(&survey->odd, static_cast<Word>(odds));
  if (largest > 0) atomicMax(&survey->largest, largest);
  if (largest > 0) atomicMin(&survey->smallest, smallest);
}

template <class Real>
struct WrapBox {
  Real low[3], high[3];
};

template <class Real>
__global__ void __launch_bounds__(kRowThreads) wrap_kernel(Sphere<Real>* spheres, u32 n, const WrapBox<Real> box) {
  const u64 i = u64{blockIdx.x} * kRowThreads + threadIdx.x;
  if (i >= n) return;
  Sphere<Real> s = spheres[i];
  wrap_unfused(s.x, box.low[0], box.high[0]);
  wrap_unfused(s.y, box.low[1], box.high[1]);
  wrap_unfused(s.z, box.low[2], box.high[2]);
  spheres[i] = s;
}

__global__ void __launch_bounds__(kRowThreads) pairs_out_kernel(const Word* words, u64 count, longlong2* out) {
  const u64 p = u64{blockIdx.x} * kRowThreads + threadIdx.x;
  if (p >= count) return;
  const Word word = words[p];
  out[p] = make_longlong2(static_cast<long long>(word >> 32), static_cast<long long>(word & 0xffffffffu));
}

__global__ void __launch_bounds__(kRowThreads) widen_kernel(const u32* from, u64 n, i64* out) {
  const u64 k = u64{blockIdx.x} * kRowThreads + threadIdx.x;
  if (k < n) out[k] = from[k];
}

cudaError_t sort_words(void* scratch, std::size_t& bytes, cub::DoubleBuffer<Word>& words, u64 count, int end_bit,
                       cudaStream_t stream) {
  return cub::DeviceRadixSort::SortKeys(scratch, bytes, words, count, 0, end_bit, stream);
}

}  // namespace

template <class Real>
void enqueue_sphere_rows(cudaStream_t stream, const SphereRows<Real>& rows, Sphere<Real>* spheres, u32 step,
                         Sphere<Real>* sample, SphereSurvey* survey) {
  sphere_rows_kernel<Real><<<row_blocks(rows.n), kRowThreads, 0, stream>>>(rows, spheres, step, sample, survey);
  check_launch("spheres of rows");
}

template <class Real>
void enqueue_wrapped(cudaStream_t stream, Sphere<Real>* spheres, u32 n, const Real (&low)[3], const Real (&high)[3]) {
  const WrapBox<Real> box{{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  wrap_kernel<Real><<<row_blocks(n), kRowThreads, 0, stream>>>(spheres, n, box);
  check_launch("spheres in a box");
}

u64 pair_sort_bytes(u64 count) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<Word> none;
  TRI_CUDA(sort_words(nullptr, bytes, none, count, 64, nullptr));
  return bytes;
}

void enqueue_sorted_pairs(cudaStream_t stream, u32 n, uint2* pairs, u64 count, uint2* spare, void* scratch, i64* out) {
  int bits = 32;  // of the high half only those that numbers below n have
  for (u32 left = n - 1; left > 0; left /= 2) ++bits;
  cub::DoubleBuffer<Word> words(reinterpret_cast<Word*>(pairs), reinterpret_cast<Word*>(spare));
  std::size_t bytes = pair_sort_bytes(count);
  TRI_CUDA(sort_words(scratch, bytes, words, count, bits, stream));
  pairs_out_kernel<<<row_blocks(count), kRowThreads, 0, stream>>>(words.Current(), count,
                                                                  reinterpret_cast<longlong2*>(out));
  check_launch("pairs of an array");
}

void enqueue_widened(cudaStream_t stream, const u32* from, u64 n, i64* out) {
  widen_kernel<<<row_blocks(n), kRowThreads, 0, stream>>>(from, n, out);
  check_launch("counts of an array");
}

template void enqueue_sphere_rows(cudaStream_t, const SphereRows<float>&, Sphere<float>*, u32, Sphere<float>*,
                                  SphereSurvey*);
template void enqueue_sphere_rows(cudaStream_t, const SphereRows<double>&, Sphere<double>*, u32, Sphere<double>*,
                                  SphereSurvey*);
template void enqueue_wrapped(cudaStream_t, Sphere<float>*, u32, const float (&)[3], const float (&)[3]);
template void enqueue_wrapped(cudaStream_t, Sphere<double>*, u32, const double (&)[3], const double (&)[3]);

}  // namespace tri::cuda
