#pragma once
/// Series of gravity between nodes of a tree on the device (sim/laws/series.hpp): a lane a pair of nodes.
///
/// Moments and fields are in units of a node's radius, derivatives in units of the distance, so that no order leaves
/// float32:
///
///     M_l = radius^-|l| sum_j m_j (-w_j)^l / l!,    sum_k F_k (v / radius)^k / k! = sum_j m_j g(R + v - w_j)
///
/// The terms are in the order of series.hpp. All indices are known when this is compiled, so that derivatives and
/// moments are in registers.

#include <utility>

#include "sim/base/platform.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/tree_nodes.cuh"
#include "sim/cuda/kernels/tree_walk.cuh"
#include "sim/laws/series.hpp"

namespace tri::cuda::series {

using tree::kTerms;
using tree::term_index;
using tree::terms_to;

/// Rows of a field that are computed at a time: each moment then serves as many.
inline constexpr u32 kRows = 8;

/// Exponents of the term kT, and their sum.
template <u32 kT>
inline constexpr u32 kX = kTerms[kT].x;
template <u32 kT>
inline constexpr u32 kY = kTerms[kT].y;
template <u32 kT>
inline constexpr u32 kZ = kTerms[kT].z;
template <u32 kT>
inline constexpr u32 kDegree = kX<kT> + kY<kT> + kZ<kT>;

constexpr double factorial(u32 n) { return n < 2 ? 1 : n * factorial(n - 1); }

template <u32 kT>
inline constexpr double kFactorial = factorial(kX<kT>) * factorial(kY<kT>) * factorial(kZ<kT>);

/// The index of k + l.
template <u32 kK, u32 kL>
inline constexpr u32 kSum = term_index(kX<kK> + kX<kL>, kY<kK> + kY<kL>, kZ<kK> + kZ<kL>);

/// One derivative over k! of the reciprocal distance, from those of lower degree. x: the vector between the centres in
/// units of the distance.
template <u32 kT, class S>
__device__ __forceinline__ void derive(const S (&x)[3], S* d) {
  constexpr u32 a = kX<kT>, b = kY<kT>, c = kZ<kT>, n = a + b + c;
  S one = 0, two = 0;
  if constexpr (a > 0) one += x[0] * d[term_index(a - 1, b, c)];
  if constexpr (b > 0) one += x[1] * d[term_index(a, b - 1, c)];
  if constexpr (c > 0) one += x[2] * d[term_index(a, b, c - 1)];
  if constexpr (a > 1) two += d[term_index(a - 2, b, c)];
  if constexpr (b > 1) two += d[term_index(a, b - 2, c)];
  if constexpr (c > 1) two += d[term_index(a, b, c - 2)];
  d[kT] = static_cast<S>((1.0 - 2.0 * n) / n) * one + static_cast<S>((1.0 - n) / n) * two;
}

template <class S, u32... kT>
__device__ __forceinline__ void derive_all(const S (&x)[3], S* d, std::integer_sequence<u32, kT...>) {
  d[0] = 1;
  (derive<kT + 1>(x, d), ...);
  ((d[kT + 1] *= static_cast<S>(kFactorial<kT + 1>)), ...);
}

/// kCount rows from kK on: adds D_(k+l) M_l.
template <u32 kOrder, u32 kK, u32 kCount, u32 kL, class S, u32... kRow>
__device__ __forceinline__ void add_product(const S* d, const S* m, S (&sum)[kRows],
                                            std::integer_sequence<u32, kRow...>) {
  const auto add = [&](auto row) {
    constexpr u32 k = kK + row.value;
    if constexpr (row.value < kCount) {
      if constexpr (kDegree<k> + kDegree<kL> <= kOrder) {
        constexpr u32 both = kSum<k, kL>;
        sum[row.value] = d[both] * m[kL] + sum[row.value];
      }
    }
  };
  (add(std::integral_constant<u32, kRow>{}), ...);
}

template <u32 kOrder, u32 kK, u32 kCount, class S, u32... kL>
__device__ __forceinline__ void add_products(const S* d, const S* m, S (&sum)[kRows],
                                             std::integer_sequence<u32, kL...>) {
  (add_product<kOrder, kK, kCount, kL>(d, m, sum, std::make_integer_sequence<u32, kRows>{}), ...);
}

/// Adds the rows of all lanes to field[kK], ...: after three halvings lane 4 g has a part of row g.
template <u32 kK, u32 kCount, class S>
__device__ __forceinline__ void add_rows(S (&v)[kRows], S* field, u32 lane) {
#pragma unroll
  for (u32 half = kRows / 2, across = 16; half > 0; half /= 2, across /= 2) {
    const bool upper = (lane & across) != 0;
#pragma unroll
    for (u32 j = 0; j < half; ++j) {
      const S mine = upper ? v[j + half] : v[j], other = upper ? v[j] : v[j + half];
      v[j] = mine + __shfl_xor_sync(~0u, other, across);
    }
  }
  v[0] += __shfl_xor_sync(~0u, v[0], 2);
  v[0] += __shfl_xor_sync(~0u, v[0], 1);
  const u32 row = lane / 4;
  if (lane % 4 == 0 && row < kCount) field[kK + row] += v[0];
  __syncwarp();
}

template <u32 kK, class S, u32... kRow>
__device__ __forceinline__ void scale_rows(S (&sum)[kRows], const S* power, std::integer_sequence<u32, kRow...>) {
  ((sum[kRow] *= power[kDegree<kK + kRow>]), ...);
}

template <u32 kOrder, u32 kGroup, class S>
__device__ __forceinline__ void add_group(const S* d, const S* m, const S* power, S* field, u32 lane) {
  constexpr u32 k = kGroup * kRows, count = terms_to(kOrder) - k < kRows ? terms_to(kOrder) - k : kRows;
  S sum[kRows] = {};
  constexpr u32 most = kOrder - kDegree<k>;
  add_products<kOrder, k, count>(d, m, sum, std::make_integer_sequence<u32, terms_to(most)>{});
  scale_rows<k>(sum, power, std::make_integer_sequence<u32, count>{});
  add_rows<k, count>(sum, field, lane);
}

template <u32 kOrder, class S, u32... kGroup>
__device__ __forceinline__ void add_groups(const S* d, const S* m, const S* power, S* field, u32 lane,
                                           std::integer_sequence<u32, kGroup...>) {
  (add_group<kOrder, kGroup>(d, m, power, field, lane), ...);
}

/// A pair of nodes as a lane sees it.
template <class S>
struct LanePair {
  S x[3];            ///< from the source's centre to the target's, in units of the distance
  S inverse;         ///< of the distance; 0: no pair
  S target, source;  ///< radii in units of the distance
};

/// Four moments at a time: the rows of the lanes are far apart, so that each load takes as long as many.
template <u32 kCount, u32 kT, class S>
__device__ __forceinline__ void load_four(const Vec4<S>* from, const S* power, S* m) {
  const Vec4<S> four = from[kT / 4];
  m[kT] = four.x * power[kDegree<kT>];
  if constexpr (kT + 1 < kCount) m[kT + 1] = four.y * power[kDegree<kT + 1>];
  if constexpr (kT + 2 < kCount) m[kT + 2] = four.z * power[kDegree<kT + 2>];
  if constexpr (kT + 3 < kCount) m[kT + 3] = four.w * power[kDegree<kT + 3>];
}

template <u32 kCount, class S, u32... kFour>
__device__ __forceinline__ void load_moments(const S* from, const S* power, S* m,
                                             std::integer_sequence<u32, kFour...>) {
  (load_four<kCount, 4 * kFour>(reinterpret_cast<const Vec4<S>*>(from), power, m), ...);
}

/// Adds what the sources of all lanes do to one target to field[terms_to(kOrder)], in shared memory of the warp, in an
/// order that does not vary. moments: of this lane's source, aligned as a Vec4 and readable to the next multiple of 4.
template <u32 kOrder, class S>
__device__ __noinline__ void add_fields(const LanePair<S>& pair, const S* moments, S* field, u32 lane) {
  constexpr u32 kCount = terms_to(kOrder);
  S d[kCount], m[kCount], power[kOrder + 1];
  power[0] = 1;
#pragma unroll
  for (u32 n = 1; n <= kOrder; ++n) power[n] = power[n - 1] * pair.source;
  load_moments<kCount>(moments, power, m, std::make_integer_sequence<u32, (kCount + 3) / 4>{});
  derive_all(pair.x, d, std::make_integer_sequence<u32, kCount - 1>{});
  power[0] = pair.inverse;
#pragma unroll
  for (u32 n = 1; n <= kOrder; ++n) power[n] = power[n - 1] * pair.target;
  add_groups<kOrder>(d, m, power, field, lane, std::make_integer_sequence<u32, (kCount + kRows - 1) / kRows>{});
}

/// kCount rows from kK on for a source without extent.
template <u32 kOrder, u32 kGroup, class S, u32... kRow>
__device__ __forceinline__ void add_body_group(const S* d, const S* power, S* field, u32 lane,
                                               std::integer_sequence<u32, kRow...>) {
  constexpr u32 k = kGroup * kRows;
  S sum[kRows] = {};
  ((sum[kRow] = d[k + kRow] * power[kDegree<k + kRow>]), ...);
  add_rows<k, sizeof...(kRow)>(sum, field, lane);
}

template <u32 kOrder, class S, u32... kGroup>
__device__ __forceinline__ void add_body_groups(const S* d, const S* power, S* field, u32 lane,
                                                std::integer_sequence<u32, kGroup...>) {
  constexpr u32 kCount = terms_to(kOrder);
  (add_body_group<kOrder, kGroup>(
       d, power, field, lane,
       std::make_integer_sequence<u32, (kCount - kGroup * kRows < kRows ? kCount - kGroup * kRows : kRows)>{}),
   ...);
}

/// As add_fields(), for sources that are bodies of this mass.
template <u32 kOrder, class S>
__device__ __noinline__ void add_body_fields(const LanePair<S>& pair, S mass, S* field, u32 lane) {
  constexpr u32 kCount = terms_to(kOrder);
  S d[kCount], power[kOrder + 1];
  derive_all(pair.x, d, std::make_integer_sequence<u32, kCount - 1>{});
  power[0] = pair.inverse * mass;
#pragma unroll
  for (u32 n = 1; n <= kOrder; ++n) power[n] = power[n - 1] * pair.target;
  add_body_groups<kOrder>(d, power, field, lane, std::make_integer_sequence<u32, (kCount + kRows - 1) / kRows>{});
}

/// What a source does to a body: the potential's negative and its gradient, in units of 1 / distance and its square.
template <u32 kOrder, class S>
__device__ __noinline__ void field_rows(const LanePair<S>& pair, const S* moments, S (&to)[4]) {
  constexpr u32 kCount = terms_to(kOrder);
  S d[kCount], m[kCount], power[kOrder + 1], sum[kRows] = {};
  power[0] = 1;
#pragma unroll
  for (u32 n = 1; n <= kOrder; ++n) power[n] = power[n - 1] * pair.source;
  load_moments<kCount>(moments, power, m, std::make_integer_sequence<u32, (kCount + 3) / 4>{});
  derive_all(pair.x, d, std::make_integer_sequence<u32, kCount - 1>{});
  add_products<kOrder, 0, 4>(d, m, sum, std::make_integer_sequence<u32, kCount>{});
#pragma unroll
  for (u32 row = 0; row < 4; ++row) to[row] = sum[row];
}

}  // namespace tri::cuda::series

namespace tri::cuda {
namespace {

using series::LanePair;

/// Series of a higher order are not faster at this tolerance.
constexpr u32 kLooseOrder = 6;
u32 highest_order(double tolerance) { return tolerance >= 1e-4 ? kLooseOrder : kHighestOrder; }

// Fields.

template <class Real>
struct FieldWork {
  NodeArrays<Real> at;
  const u32* sources;  ///< of all entries
  const EntryRange* ranges;
  Share share;
  Real eps2;
  Real* parts;  ///< of giving_kernel(): fields, giving_parts() for each node above leaves
};

/// Warps of a block that share a target.
constexpr u32 kSeriesWarps = 2, kGivingWarps = 8;

/// The pair of a target at `here` and a source at `there`.
template <class S>
__device__ __forceinline__ LanePair<S> lane_pair(const Vec4<S>& here, const Vec4<S>& there, S eps2, bool used) {
  LanePair<S> pair{{here.x - there.x, here.y - there.y, here.z - there.z}, 0, 0, 0};
  const S r2 = pair.x[0] * pair.x[0] + pair.x[1] * pair.x[1] + pair.x[2] * pair.x[2] + eps2;
  const S inverse = S(1) / sqrt(r2);
  pair.x[0] *= inverse, pair.x[1] *= inverse, pair.x[2] *= inverse;
  pair.inverse = used ? inverse : S(0);
  pair.target = here.w * inverse, pair.source = there.w * inverse;
  return pair;
}

/// Adds the fields of all warps, in order, to that of the target.
template <u32 kBlock, u32 kTerms, class S>
__device__ __forceinline__ void add_to_field(const S (&sums)[kBlock][kTerms], S* field) {
  __syncthreads();
  for (u32 t = threadIdx.x; t < kTerms; t += 32 * kBlock) {
    double sum = 0;
    for (const auto& part : sums) sum += part[t];
    field[t] += static_cast<S>(sum);
  }
}

/// All series of one order: a block a target, a lane a source. A kernel of its own for each order, since the code of
/// one is about as long as a multiprocessor's cache of instructions.
template <u32 kOrder, class S>
__global__ void __launch_bounds__(32 * kSeriesWarps) series_kernel(const FieldWork<S> work) {
  constexpr u32 kTerms = terms_to(kOrder);
  __shared__ S sums[kSeriesWarps][kTerms];
  const u32 lane = threadIdx.x % 32, target = blockIdx.x;
  const NodeArrays<S>& at = work.at;
  const u32 begin = work.ranges[target].begin(kOrder), end = work.ranges[target].end(kOrder);
  if (begin == end) return;
  S* const field = sums[threadIdx.x / 32];
  for (u32 t = lane; t < kTerms; t += 32) field[t] = 0;
  __syncwarp();
  const Vec4<S> here = at.nodes.place[target];
  for (u32 first = begin + threadIdx.x - lane; first < end; first += 32 * kSeriesWarps) {
    const bool used = first + lane < end;
    const u32 source = work.sources[used ? first + lane : end - 1];
    const LanePair<S> pair = lane_pair(here, at.nodes.place[source], work.eps2, used);
    series::add_fields<kOrder>(pair, at.moment + std::size_t{source} * at.stride, field, lane);
  }
  add_to_field(sums, at.field + std::size_t{target} * at.stride);
}

/// What the bodies of leaves give to nodes above: gridDim.y blocks a node, which share its leaves; a warp half a leaf.
template <u32 kOrder, class S>
__global__ void __launch_bounds__(32 * kGivingWarps) giving_kernel(const FieldWork<S> work) {
  constexpr u32 kTerms = terms_to(kOrder);
  __shared__ S sums[kGivingWarps][kTerms];
  const NodeArrays<S>& at = work.at;
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, target = at.shape.leaves() + blockIdx.x;
  const u32 begin = work.ranges[target].begin(kBodiesGive), end = work.ranges[target].end(kBodiesGive);
  if (begin == end) return;
  const u32 halves = 2 * (end - begin), step = kGivingWarps * gridDim.y;
  for (u32 t = lane; t < kTerms; t += 32) sums[warp][t] = 0;
  __syncwarp();
  const Vec4<S> here = at.nodes.place[target];
  for (u32 half = kGivingWarps * blockIdx.y + warp; half < halves; half += step) {
    const u32 i = work.sources[begin + half / 2] * kTreeLeaf + half % 2 * 32 + lane;
    Vec4<S> there = at.body[i];
    const S mass = there.w;
    there.w = 0;
    series::add_body_fields<kOrder>(lane_pair(here, there, work.eps2, i < at.shape.n), mass, sums[warp], lane);
  }
  __syncthreads();
  S* const part = work.parts + (std::size_t{blockIdx.x} * gridDim.y + blockIdx.y) * at.stride;
  for (u32 t = threadIdx.x; t < kTerms; t += 32 * kGivingWarps) {
    double sum = 0;
    for (const auto& of : sums) sum += of[t];
    part[t] = static_cast<S>(sum);
  }
}

/// Adds the parts of those blocks to the field of each node, in order; a block a node.
template <class S>
__global__ void __launch_bounds__(kThreads) given_kernel(const FieldWork<S> work, u32 parts) {
  const NodeArrays<S>& at = work.at;
  const u32 target = at.shape.leaves() + blockIdx.x;
  const EntryRange range = work.ranges[target];
  if (range.begin(kBodiesGive) == range.end(kBodiesGive)) return;
  const S* const from = work.parts + std::size_t{blockIdx.x} * parts * at.stride;
  for (u32 t = threadIdx.x; t < terms_to(at.order); t += kThreads) {
    double sum = 0;
    for (u32 part = 0; part < parts; ++part) sum += from[part * at.stride + t];
    at.field[std::size_t{target} * at.stride + t] += static_cast<S>(sum);
  }
}

/// Blocks of giving_kernel(), at least: few nodes do not fill a GPU, and the lists of some are long.
constexpr u32 kGivingBlocks = 1024;

/// How many share a node.
u32 giving_parts(const TreeShape& shape) {
  const u32 nodes = shape.first[shape.square_level + 1] - shape.leaves();
  return nodes == 0 ? 1 : std::max(1u, kGivingBlocks / nodes);
}

/// Adds the field of a node's parent to its own; a warp, which is a block, a node of this level.
template <class Real>
__global__ void __launch_bounds__(32) carry_kernel(const NodeArrays<Real> to, u32 level) {
  __shared__ AxisPowers<Real> powers;
  __shared__ Real fields[kMaxSeriesTerms], shifted[kMaxSeriesTerms];
  const u32 node = to.shape.first[level] + blockIdx.x, lane = threadIdx.x;
  const u32 parent = to.shape.first[level + 1] + blockIdx.x / kTreeChildren;
  const Vec4<Real> here = to.nodes.place[node], above = to.nodes.place[parent];
  if (lane == 0) powers.set(0, (here.x - above.x) / above.w);
  if (lane == 1) powers.set(1, (here.y - above.y) / above.w);
  if (lane == 2) powers.set(2, (here.z - above.z) / above.w);
  const u32 terms = terms_to(to.order);
  for (u32 t = lane; t < terms; t += 32) fields[t] = to.field[std::size_t{parent} * to.stride + t];
  __syncwarp();
  shift_along<0, true>(powers.of[0], to.order, fields, shifted, lane);
  shift_along<1, true>(powers.of[1], to.order, shifted, fields, lane);
  shift_along<2, true>(powers.of[2], to.order, fields, shifted, lane);
  const Real ratio = here.w / above.w;
  for (u32 t = lane; t < terms; t += 32) {
    const tree::Term k = kDeviceTerms.of[t];
    Real scale = 1;
    for (u32 d = 0; d < u32{k.x} + k.y + k.z; ++d) scale *= ratio;
    to.field[std::size_t{node} * to.stride + t] += scale * shifted[t];
  }
}

}  // namespace
}  // namespace tri::cuda
