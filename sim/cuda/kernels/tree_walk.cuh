#pragma once
/// The walk over pairs of nodes on the device, which meets each pair of bodies once, and its entries: what a target
/// takes from a source.

#include "sim/cuda/kernels/tree_nodes.cuh"

namespace tri::cuda {

/// Which nodes are far from each other: the error of their series, relative to `least`, and the largest order.
template <class Real>
struct FarRule {
  Real tolerance;
  u32 order;
};

/// The means of a node, as scale_means() leaves them.
template <class Real>
__device__ __forceinline__ void load_means(const Real* means, u32 node, Real share, Real (&to)[kHighestOrder + 1]) {
  static_assert(kHighestOrder == 8);
  const Vec4<Real>* const from = reinterpret_cast<const Vec4<Real>*>(means) + 2 * std::size_t{node};
  const Vec4<Real> low = from[0], high = from[1];
  const Real all[kHighestOrder] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  tree::scale_means<kHighestOrder>(all, share, to);
}

/// Of both nodes, the larger mass relative to what the other's bodies may expect.
template <class Real>
__device__ __forceinline__ Real max_load(const TreeNodes<Real>& nodes, u32 a, u32 b) {
  const auto load = [](Real mass, Real least) { return mass > 0 ? mass / least : Real(0); };
  return max(load(nodes.mass[b], nodes.least[a]), load(nodes.mass[a], nodes.least[b]));
}

/// The order that serves, or 0. As Tree::far_order() of sim/cpu/tree.cpp, for both nodes.
template <class Real>
__device__ __forceinline__ u32 far_order(const TreeNodes<Real>& nodes, u32 a, u32 b, const FarRule<Real>& rule) {
  const Vec4<Real> p = nodes.place[a], q = nodes.place[b];
  const Real x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, r2 = x * x + y * y + z * z, radii = p.w + q.w;
  constexpr Real kShare2 = static_cast<Real>(tree::kFarShare * tree::kFarShare);
  if (!(radii * radii < kShare2 * r2)) return 0;  // nor where a number is none
  const Real inverse = 1 / sqrt(r2);
  const Real allowed = rule.tolerance * r2 * (1 - radii * inverse) / max_load(nodes, a, b);
  Real left_a[kHighestOrder + 1], left_b[kHighestOrder + 1];
  load_means(nodes.means, a, p.w * inverse, left_a), load_means(nodes.means, b, q.w * inverse, left_b);
  return tree::least_order<kHighestOrder>(left_a, left_b, allowed, rule.order);
}

namespace {

/// What a target takes from a source: nothing but bodies (0), a series of that order, or one of these.
enum : u32 {
  kBodiesTake = kHighestOrder + 1,  ///< each body of the target, a leaf, takes the series of the source
  kBodiesGive                       ///< the target takes one series of each body of the source, a leaf
};

/// Entries as numbers, sorted by target, then by kind and order, then by source. Of a million bodies they have 32 bits.
struct Entries {
  static constexpr u32 kKinds = kBodiesGive;  ///< no series has order 1
  u32 nodes;                                  ///< that may be targets or sources
  TRI_HD u64 count() const { return u64{nodes} * nodes * kKinds; }
  bool narrow() const { return count() <= u64{1} << 32; }
  template <class Key>
  __device__ Key make(u32 target, u32 order, u32 source) const {
    return static_cast<Key>(target) * (kKinds * nodes) + (order == 0 ? 0 : order - 1) * nodes + source;
  }
  template <class Key>
  __device__ u32 target(Key key) const {
    return static_cast<u32>(key / (kKinds * nodes));
  }
  /// Of a key of this target.
  template <class Key>
  __device__ u32 order(Key key, u32 target) const {
    const u32 kind = static_cast<u32>(key - make<Key>(target, 0, 0)) / nodes;
    return kind == 0 ? 0 : kind + 1;
  }
};

/// The squares of this rank.
struct Share {
  u32 rank = 0, ranks = 1;
  __device__ bool has(const TreeShape& shape, u32 node, u32 level) const {
    return ranks == 1 || shape.square_of(node, level) % ranks == rank;
  }
};

template <class Real, class Key>
struct WalkWork {
  TreeShape shape;
  TreeNodes<Real> nodes;
  FarRule<Real> rule;
  Entries entries;
  Share share;
  const Vec4<Real>* body;
  uint2 *from, *to;  ///< pairs of nodes before and after this round
  u64 room, key_room;
  Key* keys;
  TreeCounters* counters;
  u32 round;
};

/// Adds `mine` of every lane to *counter; returns where those of this lane begin.
__device__ __forceinline__ Word take(Word* counter, u32 mine, u32 lane) {
  u32 before = mine;
#pragma unroll
  for (u32 step = 1; step < 32; step *= 2) {
    const u32 other = __shfl_up_sync(~0u, before, step);
    if (lane >= step) before += other;
  }
  const u32 all = __shfl_sync(~0u, before, 31);
  Word first = 0;
  if (lane == 0 && all > 0) first = atomicAdd(counter, static_cast<Word>(all));
  return __shfl_sync(~0u, first, 0) + (before - mine);
}

/// Whether each body of a leaf is far from a node, so that the series of the highest order serves both ways.
template <class Real, class Key>
__device__ __forceinline__ bool bodies_far(const WalkWork<Real, Key>& work, u32 leaf, u32 node) {
  const TreeNodes<Real>& nodes = work.nodes;
  const Vec4<Real> place = nodes.place[node];
  const u32 begin = work.shape.begin_of(leaf, 0), end = work.shape.begin_of(leaf + 1, 0);
  Real nearest = 0;
  for (u32 i = begin; i < end; ++i) {
    const Vec4<Real> b = work.body[i];
    const Real x = b.x - place.x, y = b.y - place.y, z = b.z - place.z, r2 = x * x + y * y + z * z;
    if (i == begin || !(r2 >= nearest)) nearest = r2;
  }
  constexpr Real kShare2 = static_cast<Real>(tree::kFarShare * tree::kFarShare);
  if (!(place.w * place.w < kShare2 * nearest)) return false;
  const Real share = place.w / sqrt(nearest);
  Real error = nodes.means[std::size_t{node} * kHighestOrder + work.rule.order - 1];
  for (u32 k = 0; k < work.rule.order; ++k) error *= share;
  return error * max_load(nodes, leaf, node) <= work.rule.tolerance * nearest * (1 - share);
}

template <class Real, class Key>
__global__ void __launch_bounds__(kThreads) walk_kernel(const WalkWork<Real, Key> work) {
  const TreeShape& shape = work.shape;
  const u32 lane = threadIdx.x % 32;
  const u64 count = min(work.counters->pairs[work.round], static_cast<Word>(work.room));
  const u64 step = u64{gridDim.x} * kThreads;
  Word near = 0, met = 0, series = 0;
  for (u64 warp_first = u64{blockIdx.x} * kThreads + (threadIdx.x - lane); warp_first < count; warp_first += step) {
    const bool here = warp_first + lane < count;
    const uint2 pair = work.from[here ? warp_first + lane : warp_first];
    const u32 a = pair.x, b = pair.y, level_a = shape.level_of(a), level_b = shape.level_of(b);
    const u64 bodies = u64{shape.bodies_of(a, level_a)} * shape.bodies_of(b, level_b);
    u32 order = 0, other = 0, keys = 0, opened = 0;  // what a takes from b, and b from a
    bool open_a = false;
    if (here) {
      const bool leaves = level_a == 0 && level_b == 0;
      if (a != b) order = other = far_order(work.nodes, a, b, work.rule);
      if (order == 0 && (level_a == 0) != (level_b == 0)) {
        // A leaf that is larger than the node is not made smaller by opening the node.
        const bool leaf_a = level_a == 0;
        const u32 leaf = leaf_a ? a : b, node = leaf_a ? b : a;
        if (work.nodes.place[leaf].w >= work.nodes.place[node].w && bodies_far(work, leaf, node)) {
          order = leaf_a ? kBodiesTake : kBodiesGive, other = leaf_a ? kBodiesGive : kBodiesTake;
        }
      }
      if (order > 0 || leaves) {
        keys = (work.share.has(shape, a, level_a) ? 1 : 0) + (a != b && work.share.has(shape, b, level_b) ? 1 : 0);
        const u64 pairs = a == b ? (bodies - shape.bodies_of(a, level_a)) / 2 : bodies;
        met += pairs, near += order > 0 ? 0 : pairs, series += order > 0;
      } else if (a == b) {
        const u32 children = shape.children_of(a, level_a);
        opened = children * (children + 1) / 2;
      } else {
        open_a = level_a > 0 && (level_b == 0 || work.nodes.place[a].w >= work.nodes.place[b].w);
        opened = open_a ? shape.children_of(a, level_a) : shape.children_of(b, level_b);
      }
    }
    Word at = take(&work.counters->keys, keys, lane);
    if (keys > 0 && at + keys <= work.key_room) {
      if (work.share.has(shape, a, level_a)) work.keys[at++] = work.entries.template make<Key>(a, order, b);
      if (a != b && work.share.has(shape, b, level_b)) work.keys[at] = work.entries.template make<Key>(b, other, a);
    }
    at = take(&work.counters->pairs[work.round + 1], opened, lane);
    if (opened == 0 || at + opened > work.room) continue;
    if (a == b) {
      const u32 child = shape.child_of(a, level_a), children = shape.children_of(a, level_a);
      for (u32 i = 0; i < children; ++i) {
        for (u32 j = 0; j <= i; ++j) work.to[at++] = make_uint2(child + i, child + j);
      }
    } else if (open_a) {
      for (u32 i = 0; i < opened; ++i) work.to[at++] = make_uint2(shape.child_of(a, level_a) + i, b);
    } else {
      for (u32 i = 0; i < opened; ++i) work.to[at++] = make_uint2(a, shape.child_of(b, level_b) + i);
    }
  }
  near = warp_sum(near), met = warp_sum(met), series = warp_sum(series);
  if (lane != 0 || met == 0) return;
  atomicAdd(&work.counters->met, met);
  if (near > 0) atomicAdd(&work.counters->near, near);
  if (series > 0) atomicAdd(&work.counters->series, series);
}

/// Where the entries of a target of each kind or order begin, and where the last ones end. Zero before.
struct EntryRange {
  u32 at[kBodiesGive + 2];
  __device__ u32 begin(u32 order) const { return at[order]; }
  __device__ u32 end(u32 order) const { return at[order + 1]; }
};

/// Also takes the sources out of the keys.
template <class Key>
__global__ void __launch_bounds__(kThreads)
    ranges_kernel(const Key* keys, u64 count, const Entries entries, EntryRange* ranges, u32* sources) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const Key key = keys[i];
  const u32 target = entries.target(key), at = static_cast<u32>(i), here = entries.order(key, target);
  sources[i] = static_cast<u32>(key - entries.make<Key>(target, here, 0));
  const Key begin = entries.make<Key>(target, 0, 0);
  const bool first = i == 0 || keys[i - 1] < begin;
  const bool last = i + 1 == count || keys[i + 1] - begin >= entries.kKinds * entries.nodes;
  EntryRange& range = ranges[target];
  if (first) range.at[0] = at;
  for (u32 order = first ? 0 : entries.order(keys[i - 1], target); order < here; ++order) range.at[order + 1] = at;
  for (u32 order = here; last && order <= kBodiesGive; ++order) range.at[order + 1] = at + 1;
}

// The largest rate of a fall, G (m_i + m_j) / s^3, of all pairs of bodies (gravity.hpp): nodes whose bodies cannot have
// it are left out, so that hardly more than leaves that touch meet. All in float64.

struct FallWork {
  NodeArrays<double> at;
  double* heaviest;  ///< [nodes]
  u32 rank, ranks;   ///< whose leaves
  double eps2;
  Word* most;  ///< bits of the largest rate so far, >= 0

  __device__ double rate(double mass, double d2) const {
    const double inverse = rsqrt(d2 + eps2);
    return mass * inverse * inverse * inverse;
  }
  __device__ double so_far() const { return __longlong_as_double(*reinterpret_cast<volatile long long*>(most)); }
  /// No pair of a body of `mass` within `radius` of `place` and one of the node has more.
  __device__ double bound(const Vec4<double>& place, double radius, double mass, u32 node) const {
    const Vec4<double> to = at.nodes.place[node];
    const double gap = max(0.0, norm3d(place.x - to.x, place.y - to.y, place.z - to.z) - radius - to.w);
    return (1 + 1e-12) * rate(mass + heaviest[node], gap * gap);
  }
};

/// A warp a node of this level; those below are known.
__global__ void __launch_bounds__(32) heaviest_kernel(const FallWork work, u32 level) {
  const TreeShape& shape = work.at.shape;
  const u32 node = shape.first[level] + blockIdx.x, lane = threadIdx.x;
  double most = 0;
  if (level == 0) {
    for (u32 i = lane; i < kTreeLeaf; i += 32) most = max(most, fabs(work.at.body[node * kTreeLeaf + i].w));
  } else if (lane < shape.children_of(node, level)) {
    most = work.heaviest[shape.child_of(node, level) + lane];
  }
  most = warp_max(most);
  if (lane == 0) work.heaviest[node] = most;
}

/// A warp compares the bodies of two leaves; a == b: each pair once.
__device__ __forceinline__ void compare_leaves(const FallWork& work, u32 a, u32 b, u32 lane) {
  constexpr u32 kEach = kTreeLeaf / 32;
  const double before = work.so_far();
  const u32 own = work.at.shape.bodies_of(a, 0), others = work.at.shape.bodies_of(b, 0);
  Vec4<double> body[kEach];
  bool wanted[kEach], any = false;
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) {
    const u32 i = 32 * r + lane;
    body[r] = work.at.body[a * kTreeLeaf + i];
    wanted[r] = i < own && (a == b || work.bound(body[r], 0, fabs(body[r].w), b) > before);
    any = any || wanted[r];
  }
  if (!__any_sync(~0u, any)) return;
  double most = before;
  for (u32 j = 0; j < others; ++j) {
    const Vec4<double> other = work.at.body[b * kTreeLeaf + j];
#pragma unroll
    for (u32 r = 0; r < kEach; ++r) {
      if (!wanted[r] || (a == b && 32 * r + lane <= j)) continue;
      const double x = body[r].x - other.x, y = body[r].y - other.y, z = body[r].z - other.z;
      most = max(most, work.rate(fabs(body[r].w + other.w), x * x + y * y + z * z));
    }
  }
  most = warp_max(most);
  if (lane == 0 && most > before) atomicMax(work.most, static_cast<Word>(__double_as_longlong(most)));
}

/// A warp a leaf. within: pairs in the leaf, which later searches compare with; else those with leaves before it.
__global__ void __launch_bounds__(kThreads) falls_kernel(const FallWork work, bool within) {
  __shared__ u32 stacks[kWarps][kTreeLevels * kTreeChildren];
  const TreeShape& shape = work.at.shape;
  const u32 lane = threadIdx.x % 32, leaf = blockIdx.x * kWarps + threadIdx.x / 32;
  if (leaf >= shape.leaves() || leaf % work.ranks != work.rank) return;
  if (within) return compare_leaves(work, leaf, leaf, lane);
  u32* const stack = stacks[threadIdx.x / 32];
  const Vec4<double> place = work.at.nodes.place[leaf];
  const double mass = work.heaviest[leaf];
  u32 count = 1;
  if (lane == 0) stack[0] = shape.nodes() - 1;  // the root
  while (count > 0) {
    __syncwarp();
    const u32 node = stack[--count], level = shape.level_of(node);
    __syncwarp();
    if (level == 0) {
      if (node != leaf) compare_leaves(work, leaf, node, lane);
      continue;
    }
    const u32 child = shape.child_of(node, level) + lane;
    const bool open = lane < shape.children_of(node, level) && shape.begin_of(child, level - 1) <= leaf * kTreeLeaf &&
                      work.bound(place, place.w, mass, child) > work.so_far();
    const u32 opened = __ballot_sync(~0u, open);
    if (open) stack[count + __popc(opened & ((1u << lane) - 1))] = child;
    count += __popc(opened);
  }
}

}  // namespace
}  // namespace tri::cuda
