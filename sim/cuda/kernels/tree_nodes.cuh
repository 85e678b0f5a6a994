#pragma once
/// The nodes of a tree over bodies in the order of a Hilbert curve, on the device, and who meets whom: the counterpart
/// of sim/cpu/tree.hpp.
///
/// Level 0 are the leaves; the nodes of a level are neighbours, so that a node's children, bodies and level follow from
/// its number.

#include <algorithm>

#include "sim/base/hilbert.hpp"
#include "sim/cuda/kernels/arrays.hpp"
#include "sim/cuda/kernels/bodies.cuh"
#include "sim/cuda/kernels/bodies.hpp"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/laws/series.hpp"

namespace tri::cuda {

inline constexpr u32 kTreeLeaf = 64;     ///< bodies
inline constexpr u32 kTreeChildren = 8;  ///< of a node
inline constexpr u32 kTreeLevels = 11;   ///< at most
/// Squares on a side, at most. They hold 4,096 bodies up to 2^24 bodies, and more beyond.
inline constexpr u32 kTreeSquares = 4096;

/// Series of a higher order have no kernel: nodes are opened instead.
inline constexpr u32 kHighestOrder = 8;

struct TreeShape {
  u32 n = 0, levels = 0, square_level = 0;
  u32 first[kTreeLevels + 1] = {};  ///< the first node of a level; last, the number of nodes

  explicit TreeShape(u32 bodies) : n(bodies) {
    u64 count = std::max(1u, (n + kTreeLeaf - 1) / kTreeLeaf);
    for (bool more = true; more; count = (count + kTreeChildren - 1) / kTreeChildren) {
      more = count > 1;
      first[levels + 1] = first[levels] + static_cast<u32>(count);
      ++levels;
    }
    square_level = std::min(levels - 1, 2u);
    while (squares() > kTreeSquares) ++square_level;
  }

  TRI_HD u32 nodes() const { return first[levels]; }
  TRI_HD u32 leaves() const { return first[1]; }
  TRI_HD u32 count(u32 level) const { return first[level + 1] - first[level]; }
  TRI_HD u32 squares() const { return count(square_level); }
  TRI_HD u32 level_of(u32 node) const {
    u32 level = 0;
    while (node >= first[level + 1]) ++level;
    return level;
  }
  /// Leaves below a node of a level.
  TRI_HD static u64 leaves_of(u32 level) { return u64{1} << 3 * level; }
  TRI_HD u32 begin_of(u32 node, u32 level) const {
    const u64 at = (node - first[level]) * leaves_of(level) * kTreeLeaf;
    return static_cast<u32>(at < n ? at : n);
  }
  TRI_HD u32 bodies_of(u32 node, u32 level) const { return begin_of(node + 1, level) - begin_of(node, level); }
  TRI_HD u32 child_of(u32 node, u32 level) const { return first[level - 1] + (node - first[level]) * kTreeChildren; }
  TRI_HD u32 children_of(u32 node, u32 level) const {
    const u32 left = first[level] - child_of(node, level);
    return left < kTreeChildren ? left : kTreeChildren;
  }
  /// The square that a node at its level or below lies in.
  TRI_HD u32 square_of(u32 node, u32 level) const { return (node - first[level]) >> 3 * (square_level - level); }
};

/// What the walk reads of nodes, [nodes] each.
template <class Real>
struct TreeNodes {
  Vec4<Real>* place;  ///< centre, radius
  Real* mass;         ///< times G
  Real* least;        ///< the least acceleration that its bodies may expect: what errors are measured by
  Real* means;        ///< [nodes, kHighestOrder] as tree::scale_means() takes them
};

namespace {

constexpr u32 kThreads = kBoxThreads, kWarps = kThreads / 32;
constexpr u32 kMaxSeriesTerms = tree::terms_to(kHighestOrder);
using tree::terms_to;

template <class S>
__device__ __forceinline__ S warp_sum(S x) {
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}
template <class S>
__device__ __forceinline__ S warp_max(S x) {
#pragma unroll
  for (u32 step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

// Order along the curve.

constexpr u32 kCellBits = 20;
using Word = unsigned long long;

__device__ __forceinline__ double extent_of(const Word* box) {
  double extent = 0;
  for (u32 k = 0; k < 3; ++k) extent = max(extent, from_ordered(box[3 + k]) - from_ordered(box[k]));
  return extent;
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    key_kernel(const DeviceState<Real> state, const Word* box, u64* keys, u32* identity) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= state.n) return;
  constexpr u32 kMaxCell = (1u << kCellBits) - 1;
  const double scale = kMaxCell / extent_of(box);
  const Vec4<Real> p = state.position[i];
  // A number that is not finite becomes 0 or the largest.
  const auto cell = [&](double x, u32 axis) {
    return min(__double2uint_rz((x - from_ordered(box[axis])) * scale), kMaxCell);
  };
  keys[i] = hilbert_key<kCellBits>(cell(p.x, 0), cell(p.y, 1), cell(p.z, 2));
  identity[i] = i;
}

template <class Real>
__global__ void __launch_bounds__(kThreads)
    sorted_kernel(const DeviceState<Real> state, const u32* order, Real G, Vec4<Real>* body, u32 padded) {
  const u32 s = blockIdx.x * kThreads + threadIdx.x;
  if (s >= padded) return;
  const Real far = beyond(Real(0));
  Vec4<Real> b{far, far, far, 0};
  if (s < state.n) b = state.position[order[s]], b.w *= G;
  body[s] = b;
}

// Nodes and moments.

struct TermTable {
  tree::Term of[kMaxSeriesTerms];
};
constexpr TermTable make_terms() {
  TermTable table{};
  for (u32 i = 0; i < kMaxSeriesTerms; ++i) table.of[i] = tree::kTerms[i];
  return table;
}
__device__ const TermTable kDeviceTerms = make_terms();

/// x^k / k! along each axis.
template <class Real>
struct AxisPowers {
  Real of[3][kHighestOrder + 1];

  __device__ void set(u32 axis, Real x) {
    of[axis][0] = 1;
    for (u32 k = 1; k <= kHighestOrder; ++k) of[axis][k] = of[axis][k - 1] * x * (Real(1) / static_cast<Real>(k));
  }
};

template <class Real>
struct NodeArrays {
  TreeShape shape;
  TreeNodes<Real> nodes;
  Real* moment;  ///< [nodes, stride]
  Real* field;   ///< [nodes, stride]
  u32 order, stride;
  const Vec4<Real>* body;
  const Word* box;

  /// No node is smaller: what lies closer meets body by body.
  __device__ Real tiny() const {
    constexpr Real kMinRadius = sizeof(Real) == 4 ? static_cast<Real>(1e-30) : static_cast<Real>(1e-290);
    const Real share = static_cast<Real>(extent_of(box) * 1e-9);
    return share > kMinRadius ? share : kMinRadius;
  }
};

/// A warp, which is a block, a leaf.
template <class Real>
__global__ void __launch_bounds__(32) leaves_kernel(const NodeArrays<Real> to) {
  constexpr u32 kEach = kTreeLeaf / 32;
  __shared__ AxisPowers<Real> powers[kTreeLeaf];
  __shared__ Real masses[kTreeLeaf];
  const u32 leaf = blockIdx.x, lane = threadIdx.x, count = to.shape.bodies_of(leaf, 0);
  Vec4<Real> b[kEach];
  Real total = 0;
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) b[r] = to.body[leaf * kTreeLeaf + 32 * r + lane], total += b[r].w;
  total = warp_sum(total);
  const Vec4<Real> from = to.body[leaf * kTreeLeaf];  // so that sums are of small numbers
  Real sum[3] = {0, 0, 0};
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) {
    if (32 * r + lane >= count) continue;
    const Real weight = total > 0 ? b[r].w / total : Real(1) / static_cast<Real>(count);
    sum[0] += weight * (b[r].x - from.x), sum[1] += weight * (b[r].y - from.y), sum[2] += weight * (b[r].z - from.z);
  }
  const Real centre[3] = {from.x + warp_sum(sum[0]), from.y + warp_sum(sum[1]), from.z + warp_sum(sum[2])};
  Real farthest = 0;
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) {
    if (32 * r + lane >= count) continue;
    const Real x = b[r].x - centre[0], y = b[r].y - centre[1], z = b[r].z - centre[2];
    farthest = max(farthest, x * x + y * y + z * z);
  }
  const Real radius = max(sqrt(warp_max(farthest)) * Real(1.000001), to.tiny());
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) {
    AxisPowers<Real>& p = powers[32 * r + lane];
    p.set(0, (centre[0] - b[r].x) / radius), p.set(1, (centre[1] - b[r].y) / radius);
    p.set(2, (centre[2] - b[r].z) / radius);
    masses[32 * r + lane] = b[r].w;
  }
  __syncwarp();
  for (u32 t = lane; t < terms_to(to.order); t += 32) {
    const tree::Term k = kDeviceTerms.of[t];
    double moment = 0;  // in float32 the sum of 64 masses is off by more than a pair's force
    for (u32 j = 0; j < count; ++j) {
      moment += masses[j] * powers[j].of[0][k.x] * powers[j].of[1][k.y] * powers[j].of[2][k.z];
    }
    to.moment[std::size_t{leaf} * to.stride + t] = static_cast<Real>(moment);
  }
  if (lane == 0) to.nodes.place[leaf] = {centre[0], centre[1], centre[2], radius}, to.nodes.mass[leaf] = total;
}

/// Moments about another centre, along one axis: to_k = sum_i power_i from_(k - i). kField: of a field, whose sum is of
/// from_(k + i). A warp; three of these make a whole shift, in O(order^4) and not O(order^6).
template <u32 kAxis, bool kField, class Real>
__device__ __forceinline__ void shift_along(const Real* power, u32 order, const Real* from, Real* to, u32 lane) {
  for (u32 t = lane; t < terms_to(order); t += 32) {
    const tree::Term k = kDeviceTerms.of[t];
    const u32 along = kAxis == 0 ? k.x : kAxis == 1 ? k.y : k.z;
    const u32 most = kField ? order - (u32{k.x} + k.y + k.z) : along;
    Real sum = 0;
    for (u32 i = 0; i <= most; ++i) {
      const u32 other = kField ? along + i : along - i;
      sum += power[i] *
             from[tree::term_index(kAxis == 0 ? other : k.x, kAxis == 1 ? other : k.y, kAxis == 2 ? other : k.z)];
    }
    to[t] = sum;
  }
  __syncwarp();
}

/// The same for a node of a higher level; a block a node, a warp a child.
template <class Real>
__global__ void __launch_bounds__(32 * kTreeChildren) parents_kernel(const NodeArrays<Real> to, u32 level) {
  __shared__ AxisPowers<Real> powers[kTreeChildren];
  __shared__ Real ratio[kTreeChildren][kHighestOrder + 1], moments[kTreeChildren][kMaxSeriesTerms],
      shifted[kTreeChildren][kMaxSeriesTerms];
  const u32 node = to.shape.first[level] + blockIdx.x, lane = threadIdx.x % 32, c = threadIdx.x / 32;
  const u32 child = to.shape.child_of(node, level), count = to.shape.children_of(node, level);
  const bool here = lane < count;
  const Vec4<Real> p = to.nodes.place[child + (here ? lane : 0)];
  const Real mass = here ? to.nodes.mass[child + lane] : Real(0), total = warp_sum(mass);
  const Vec4<Real> from = to.nodes.place[child];
  const Real weight = !here ? Real(0) : total > 0 ? mass / total : Real(1) / static_cast<Real>(count);
  const Real centre[3] = {from.x + warp_sum(weight * (p.x - from.x)), from.y + warp_sum(weight * (p.y - from.y)),
                          from.z + warp_sum(weight * (p.z - from.z))};
  const Real x = centre[0] - p.x, y = centre[1] - p.y, z = centre[2] - p.z;
  const Real radius = warp_max(here ? (sqrt(x * x + y * y + z * z) + p.w) * Real(1.000001) : Real(0));
  if (lane == c && here) {
    powers[c].set(0, x / radius), powers[c].set(1, y / radius), powers[c].set(2, z / radius);
    Real power = 1;
    for (u32 k = 0; k <= kHighestOrder; ++k) ratio[c][k] = power, power *= p.w / radius;
  }
  if (threadIdx.x == 0) {
    to.nodes.place[node] = {centre[0], centre[1], centre[2], radius}, to.nodes.mass[node] = total;
  }
  __syncwarp();
  const u32 terms = terms_to(to.order);
  for (u32 t = lane; t < terms && c < count; t += 32) {
    const tree::Term k = kDeviceTerms.of[t];
    moments[c][t] = to.moment[std::size_t{child + c} * to.stride + t] * ratio[c][k.x + k.y + k.z];
  }
  __syncwarp();
  if (c < count) {
    shift_along<0, false>(powers[c].of[0], to.order, moments[c], shifted[c], lane);
    shift_along<1, false>(powers[c].of[1], to.order, shifted[c], moments[c], lane);
    shift_along<2, false>(powers[c].of[2], to.order, moments[c], shifted[c], lane);
  }
  __syncthreads();
  for (u32 t = threadIdx.x; t < terms; t += 32 * kTreeChildren) {
    double sum = 0;
    for (u32 i = 0; i < count; ++i) sum += shifted[i][t];
    to.moment[std::size_t{node} * to.stride + t] = static_cast<Real>(sum);
  }
}

/// Adds what each body of a node says to its means; a block a node of this level.
template <class Real>
__global__ void __launch_bounds__(kThreads) means_kernel(const NodeArrays<Real> to, u32 level) {
  constexpr u32 kSums = 2 * kHighestOrder + 6;  // by masses, by bodies, products of coordinates
  __shared__ Real parts[kWarps][kSums];
  const u32 node = to.shape.first[level] + blockIdx.x, lane = threadIdx.x % 32;
  const u32 begin = to.shape.begin_of(node, level), end = to.shape.begin_of(node + 1, level);
  const Vec4<Real> place = to.nodes.place[node];
  const Real per_radius = 1 / place.w, total = to.nodes.mass[node];
  Real sums[kSums] = {};
  for (u32 i = begin + threadIdx.x; i < end; i += kThreads) {
    const Vec4<Real> b = to.body[i];
    const Real x = (b.x - place.x) * per_radius, y = (b.y - place.y) * per_radius, z = (b.z - place.z) * per_radius;
    const Real distance = sqrt(x * x + y * y + z * z);
    const Real products[6] = {x * x, y * y, z * z, x * y, y * z, z * x};
#pragma unroll
    for (u32 k = 0; k < 6; ++k) sums[2 * kHighestOrder + k] += products[k];
    Real power = 1;
#pragma unroll
    for (u32 k = 0; k < kHighestOrder; ++k) {
      power *= distance;
      sums[k] += b.w * power, sums[kHighestOrder + k] += power;
    }
  }
#pragma unroll
  for (u32 k = 0; k < kSums; ++k) {
    const Real sum = warp_sum(sums[k]);
    if (lane == 0) parts[threadIdx.x / 32][k] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= kHighestOrder) return;
  Real of_mass = 0, of_bodies = 0, s[6] = {};
  for (const auto& part : parts) {
    of_mass += part[threadIdx.x], of_bodies += part[kHighestOrder + threadIdx.x];
    for (u32 k = 0; k < 6; ++k) s[k] += part[2 * kHighestOrder + k];
  }
  to.nodes.means[std::size_t{node} * kHighestOrder + threadIdx.x] =
      tree::alignment(s[0], s[1], s[2], s[3], s[4], s[5]) *
      max(total > 0 ? of_mass / total : Real(0), of_bodies / static_cast<Real>(max(end - begin, 1u)));
}

/// Sets `least` of a leaf to an estimate of its acceleration by centres of mass. A warp a leaf; each lane looks at what
/// is below some nodes of the level `top`.
template <class Real>
__global__ void __launch_bounds__(kThreads) estimate_kernel(const NodeArrays<Real> to, Real eps2, u32 top) {
  const TreeShape& shape = to.shape;
  const u32 leaf = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (leaf >= shape.leaves()) return;
  const Vec4<Real> here = to.nodes.place[leaf];
  Real sum[3] = {0, 0, 0};
  for (u32 begin = lane; begin < shape.count(top); begin += 32) {
    u32 level = top, at = begin;
    for (;;) {
      const Vec4<Real> there = to.nodes.place[shape.first[level] + at];
      const Real x = there.x - here.x, y = there.y - here.y, z = there.z - here.z, r2 = x * x + y * y + z * z;
      if (level > 0 && there.w * there.w > Real(0.64) * r2) {
        --level, at *= kTreeChildren;
        continue;
      }
      const Real soft = r2 + eps2 + here.w * here.w;  // the leaf itself adds nothing
      const Real inverse = DeviceMath<Real>::rsqrt(soft),
                 strength = to.nodes.mass[shape.first[level] + at] * inverse * (inverse * inverse);
      sum[0] += strength * x, sum[1] += strength * y, sum[2] += strength * z;
      // The next node that is not below this one.
      ++at;
      while (level < top && (at % kTreeChildren == 0 || at >= shape.count(level))) {
        at = (at - 1) / kTreeChildren + 1, ++level;
      }
      if (level == top) break;
    }
  }
#pragma unroll
  for (Real& axis : sum) axis = warp_sum(axis);
  if (lane == 0) to.nodes.least[leaf] = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

/// A tenth of the root mean square of the estimates; one block.
template <class Real>
__global__ void __launch_bounds__(1024) floor_kernel(const NodeArrays<Real> of, Real* floor) {
  __shared__ double part[32];
  double sum = 0;
  for (u32 leaf = threadIdx.x; leaf < of.shape.leaves(); leaf += 1024) {
    const double least = of.nodes.least[leaf];
    if (isfinite(least)) sum += least * least * of.shape.bodies_of(leaf, 0);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = warp_sum(part[threadIdx.x]);
  if (threadIdx.x == 0) *floor = static_cast<Real>(0.1 * sqrt(sum / of.shape.n));
}

/// No estimate is below the floor, and those of parents are the least of their children.
template <class Real>
__global__ void __launch_bounds__(kThreads) settle_kernel(const NodeArrays<Real> to, u32 level, const Real* floor) {
  const u32 at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= to.shape.count(level)) return;
  const u32 node = to.shape.first[level] + at;
  Real* const least = to.nodes.least;
  if (level == 0) {
    least[node] = max(least[node], *floor);
    return;
  }
  const u32 child = to.shape.child_of(node, level), count = to.shape.children_of(node, level);
  Real smallest = least[child];
  for (u32 c = 1; c < count; ++c) smallest = min(smallest, least[child + c]);
  least[node] = smallest;
}

}  // namespace

/// Pairs of nodes in lists, and what was met. In device memory, counted even where there was no room.
inline constexpr u32 kTreeRounds = 12;
struct TreeCounters {
  unsigned long long pairs[kTreeRounds + 1];  ///< of nodes, before each round
  unsigned long long keys;
  unsigned long long near, met, series;  ///< pairs of bodies one by one; all of them; pairs of far nodes
};

}  // namespace tri::cuda
