// Arrays of a caller as bodies and spheres, and bodies in the order of a curve.
//
// Bodies from arrays, and forces to an array, with the bits that the host has: products are not fused with sums.

#include <cfloat>
#include <numeric>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

#include "sim/base/hilbert.hpp"
#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/runtime/device.hpp"

namespace tri::cuda {
namespace {

using Bits = unsigned long long;

constexpr u32 kBodyRowThreads = 256;

u32 body_row_blocks(u32 n) { return (n - 1) / kBodyRowThreads + 1; }

/// One thread per body; a block adds to the survey once.
template <class Real>
__global__ void __launch_bounds__(kBodyRowThreads)
    body_rows_kernel(const BodyRows<Real> rows, const WrapWalls<Real> walls, Vec4<Real>* bodies, BodySurvey* survey) {
  constexpr Real kMinMass = sizeof(Real) == sizeof(float) ? static_cast<Real>(FLT_MIN) : Real(0);
  __shared__ Bits odd, heaviest, low[3], high[3];
  if (threadIdx.x == 0) odd = heaviest = 0;
  if (threadIdx.x < 3) low[threadIdx.x] = ~Bits{0}, high[threadIdx.x] = 0;
  __syncthreads();
  const u64 i = u64{blockIdx.x} * kBodyRowThreads + threadIdx.x;
  if (i < rows.n) {
    Real at[3];
    const Real m = rows.masses != nullptr ? rows.masses[i] : rows.mass;
    const Real r = rows.radii != nullptr ? rows.radii[i] : rows.radius;
    bool sound = isfinite(m) && isfinite(r) && m >= Real(0) && r >= Real(0) && !(m > Real(0) && m < kMinMass);
    for (u32 k = 0; k < 3; ++k) {
      at[k] = rows.positions[3 * i + k];
      sound = sound && isfinite(at[k]) && (rows.velocities == nullptr || isfinite(rows.velocities[3 * i + k]));
    }
    if (!sound) atomicAdd(&odd, Bits{1});
    atomicMax(&heaviest, ordered<Bits>(m));
    for (u32 k = 0; k < 3; ++k) {
      atomicMin(&low[k], ordered<Bits>(at[k]));
      atomicMax(&high[k], ordered<Bits>(at[k]));
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

// Spheres from arrays, and pairs to an array. A pair (i, j), i > j, of a list is one word of 64 bits with j in the high
// half, so the order of the words is that of (j, i), and a radix sort of words sorts the pairs.

namespace {

using Word = unsigned long long;

constexpr u32 kRowThreads = 256;

u32 row_blocks(u64 n) { return static_cast<u32>((n + kRowThreads - 1) / kRowThreads); }

/// One thread per sphere; a block adds to the survey once.
template <class Real>
__global__ void __launch_bounds__(kRowThreads)
    sphere_rows_kernel(const SphereRows<Real> rows, Sphere<Real>* spheres, u32 step, Sphere<Real>* sample,
                       SphereSurvey* survey) {
  __shared__ Word largest, smallest, farthest;
  if (threadIdx.x == 0) largest = farthest = 0, smallest = ~Word{0};
  __syncthreads();
  const u64 i = u64{blockIdx.x} * kRowThreads + threadIdx.x;
  bool odd = false;
  Word high = 0, low = ~Word{0}, far = 0;
  const auto bits = [](Real value) { return static_cast<Word>(__double_as_longlong(static_cast<double>(value))); };
  if (i < rows.n) {
    const Real* const at = rows.centres + i * rows.columns;
    const Real zero = 0;
    const Sphere<Real> s{at[0], rows.columns > 1 ? at[1] : zero, rows.columns > 2 ? at[2] : zero,
                         rows.radii != nullptr ? rows.radii[i] : rows.radius};
    spheres[i] = s;
    if (i % step == 0) sample[i / step] = s;
    odd = !(isfinite(s.x) && isfinite(s.y) && isfinite(s.z) && isfinite(s.r)) || s.r < zero;
    if (!odd && s.r > zero) high = low = bits(s.r);
    if (!odd) far = bits(max(abs(s.x), max(abs(s.y), abs(s.z))));
  }
#pragma unroll
  for (u32 across = 16; across > 0; across /= 2) {
    high = max(high, __shfl_xor_sync(0xffffffffu, high, across));
    low = min(low, __shfl_xor_sync(0xffffffffu, low, across));
    far = max(far, __shfl_xor_sync(0xffffffffu, far, across));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&largest, high);
    atomicMin(&smallest, low);
    atomicMax(&farthest, far);
  }
  const int odds = __syncthreads_count(odd);
  if (threadIdx.x != 0) return;
  if (odds > 0) atomicAdd(&survey->odd, static_cast<Word>(odds));
  atomicMax(&survey->farthest, farthest);
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

// The order of bodies along a Hilbert curve.

namespace {

constexpr u32 kThreads = kBoxThreads;
constexpr u32 kBits = 16;  ///< of each coordinate in a key
constexpr u32 kBoxBlocks = 128;

__global__ void __launch_bounds__(kThreads)
    key_kernel(const DeviceState<float> state, const u32* box, u64* keys, u32* identity) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= state.n) return;
  float low[3], extent = 0;
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    low[k] = from_ordered(box[k]);
    extent = fmaxf(extent, from_ordered(box[3 + k]) - low[k]);
  }
  const Vec4<float> p = state.position[i];
  const float scale = ((1u << kBits) - 1) / extent;
  const u32 most = (1u << kBits) - 1;
  // A number that is not finite becomes 0 or the largest.
  const auto cell = [&](float x, float from) { return min(__float2uint_rz((x - from) * scale), most); };
  keys[i] = hilbert_key<kBits>(cell(p.x, low[0]), cell(p.y, low[1]), cell(p.z, low[2]));
  identity[i] = i;
}

std::size_t sort_scratch_bytes(u32 n) {
  std::size_t bytes = 0;
  const u64* const keys = nullptr;
  const u32* const values = nullptr;
  TRI_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, static_cast<u64*>(nullptr), values,
                                           static_cast<u32*>(nullptr), n, 0, 3 * kBits));
  return bytes;
}

}  // namespace

BodyOrder::BodyOrder(u32 n) : order_(n), identity_(n), box_(6), keys_(n), sorted_(n), sort_(sort_scratch_bytes(n)) {}

// Indices and keys, each before and after the sort, and once more while it works.
u64 BodyOrder::bytes(u64 n) { return 3 * n * (sizeof(u32) + sizeof(u64)); }

void BodyOrder::keep_order() {
  std::vector<u32> as_given(order_.size());
  std::iota(as_given.begin(), as_given.end(), 0u);
  order_.upload(as_given, nullptr);
}

void enqueue_body_order(cudaStream_t stream, const DeviceState<float>& state, BodyOrder& to) {
  u32* const box = to.box_.data();
  TRI_CUDA(cudaMemsetAsync(box, 0xff, 3 * sizeof(u32), stream));
  TRI_CUDA(cudaMemsetAsync(box + 3, 0, 3 * sizeof(u32), stream));
  const u32 blocks = (state.n + kThreads - 1) / kThreads, box_blocks = blocks < kBoxBlocks ? blocks : kBoxBlocks;
  box_kernel<<<box_blocks, kThreads, 0, stream>>>(state, box);
  check_launch("box of the bodies");
  key_kernel<<<blocks, kThreads, 0, stream>>>(state, box, to.keys_.data(), to.identity_.data());
  check_launch("keys of bodies");
  std::size_t bytes = to.sort_.size();
  TRI_CUDA(cub::DeviceRadixSort::SortPairs(to.sort_.data(), bytes, to.keys_.data(), to.sorted_.data(),
                                           to.identity_.data(), to.order_.data(), state.n, 0, 3 * kBits, stream));
}

}  // namespace tri::cuda
