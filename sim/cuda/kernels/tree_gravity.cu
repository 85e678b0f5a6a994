/// Gravity by a tree (sim/cpu/tree.hpp): near leaves body by body, far nodes by series.
///
/// One evaluation: bodies in the order of the curve, nodes with their moments from the leaves up, the walk, which meets
/// each pair of nodes once and writes down for both what they take from the other, these entries sorted by target, the
/// fields of far nodes carried down, and what acts on the bodies of each leaf. Each target adds its sources in their
/// order along the curve, so that the bits follow from the positions alone.

#include <memory>
#include <type_traits>
#include <utility>

#include <cub/device/device_radix_sort.cuh>

#include "sim/base/error.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/kernels/tile_pairs.cuh"
#include "sim/cuda/kernels/tree_nodes.cuh"
#include "sim/cuda/kernels/tree_series.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/gravity.hpp"

namespace tri::cuda {
namespace {

using series::LanePair;

/// Series of a higher order are not faster at this tolerance.
u32 highest_order(double tolerance) { return tolerance >= 1e-4 ? 6 : kHighestOrder; }

// The walk. An entry says what a target takes from a source: target, order of the series (0: body by body), source.

struct Entries {
  u32 bits;  ///< of a node's number
  __device__ Word make(u32 target, u32 order, u32 source) const {
    return static_cast<Word>(target) << (bits + 4) | static_cast<Word>(order) << bits | source;
  }
  __device__ u32 target(Word key) const { return static_cast<u32>(key >> (bits + 4)); }
  __device__ u32 order(Word key) const { return static_cast<u32>(key >> bits) & 15u; }
  __device__ u32 source(Word key) const { return static_cast<u32>(key) & ((1u << bits) - 1); }
};

/// The squares of this rank.
struct Share {
  u32 rank = 0, ranks = 1;
  __device__ bool has(const TreeShape& shape, u32 node, u32 level) const {
    return ranks == 1 || shape.square_of(node, level) % ranks == rank;
  }
};

template <class Real>
struct WalkWork {
  TreeShape shape;
  TreeNodes<Real> nodes;
  FarRule<Real> rule;
  Entries entries;
  Share share;
  uint2 *from, *to;  ///< pairs of nodes before and after this round
  u64 room, key_room;
  Word* keys;
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

template <class Real>
__global__ void __launch_bounds__(kThreads) walk_kernel(const WalkWork<Real> work) {
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
    u32 order = 0, keys = 0, opened = 0;
    bool open_a = false;
    if (here) {
      const bool leaves = level_a == 0 && level_b == 0;
      if (a != b) order = far_order(work.nodes, a, b, work.rule);
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
      if (work.share.has(shape, a, level_a)) work.keys[at++] = work.entries.make(a, order, b);
      if (a != b && work.share.has(shape, b, level_b)) work.keys[at] = work.entries.make(b, order, a);
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

/// Where the entries of a target begin, those of series, and where they end; zero before.
struct EntryRange {
  u32 begin, series, end;
};

__global__ void __launch_bounds__(kThreads)
    ranges_kernel(const Word* keys, u64 count, const Entries entries, EntryRange* ranges) {
  const u64 i = u64{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count) return;
  const Word key = keys[i];
  const u32 target = entries.target(key);
  const bool far = entries.order(key) > 0;
  const bool first = i == 0 || entries.target(keys[i - 1]) != target;
  const bool last = i + 1 == count || entries.target(keys[i + 1]) != target;
  EntryRange& range = ranges[target];
  const u32 at = static_cast<u32>(i);
  if (first) range.begin = at;
  if (far && (first || entries.order(keys[i - 1]) == 0)) range.series = at;
  if (last) range.end = at + 1;
  if (last && !far) range.series = at + 1;
}

// Fields.

template <class Real>
struct FieldWork {
  NodeArrays<Real> at;
  const Word* keys;
  const EntryRange* ranges;
  Entries entries;
  Share share;
  Real eps2;
};

/// Warps that run the same series at a time: its instructions are too many for each to fetch its own.
constexpr u32 kSeriesWarps = 8;

template <class S, u32... kOrder>
__device__ __forceinline__ void add_series(u32 order, const LanePair<S>& pair, const S* moments, S* field, u32 lane,
                                           std::integer_sequence<u32, kOrder...>) {
  ((order == kOrder + 1 ? series::add_fields<kOrder + 1>(pair, moments, field, lane) : void()), ...);
}

/// A block a target.
template <class S>
__global__ void __launch_bounds__(32 * kSeriesWarps, 1) series_kernel(const FieldWork<S> work) {
  __shared__ S sums[kSeriesWarps][kMaxSeriesTerms + 3];
  const u32 lane = threadIdx.x % 32, target = blockIdx.x;
  const NodeArrays<S>& at = work.at;
  S* const field = sums[threadIdx.x / 32];
  for (u32 t = lane; t < at.stride; t += 32) field[t] = 0;
  const EntryRange range = work.ranges[target];
  const Vec4<S> here = at.nodes.place[target];
  for (u32 first = range.series; first < range.end; first += 32 * kSeriesWarps) {
    // Entries are sorted by their order.
    const u32 order = work.entries.order(work.keys[min(first + 32 * kSeriesWarps, range.end) - 1]);
    const bool used = first + threadIdx.x < range.end;
    const Word key = work.keys[used ? first + threadIdx.x : range.end - 1];
    const u32 source = work.entries.source(key);
    const Vec4<S> there = at.nodes.place[source];
    LanePair<S> pair{{here.x - there.x, here.y - there.y, here.z - there.z}, 0, 0, 0, work.entries.order(key)};
    const S r2 = pair.x[0] * pair.x[0] + pair.x[1] * pair.x[1] + pair.x[2] * pair.x[2] + work.eps2;
    const S inverse = S(1) / sqrt(r2);
    pair.x[0] *= inverse, pair.x[1] *= inverse, pair.x[2] *= inverse;
    pair.inverse = used ? inverse : S(0);
    pair.target = here.w * inverse, pair.source = there.w * inverse;
    __syncthreads();
    if (first + threadIdx.x - lane >= range.end) continue;  // none in this warp
    add_series(order, pair, at.moment + std::size_t{source} * at.stride, field, lane,
               std::make_integer_sequence<u32, kHighestOrder>{});
  }
  __syncthreads();
  for (u32 t = threadIdx.x; t < at.stride; t += 32 * kSeriesWarps) {
    double sum = 0;
    for (const auto& part : sums) sum += part[t];
    at.field[std::size_t{target} * at.stride + t] = static_cast<S>(sum);
  }
}

/// Adds the field of a node's parent to its own; a warp, which is a block, a node of this level.
template <class Real>
__global__ void __launch_bounds__(32) carry_kernel(const NodeArrays<Real> to, u32 level) {
  __shared__ AxisPowers<Real> powers;
  __shared__ Real fields[kMaxSeriesTerms];
  const u32 node = to.shape.first[level] + blockIdx.x, lane = threadIdx.x;
  const u32 parent = to.shape.first[level + 1] + blockIdx.x / kTreeChildren;
  const Vec4<Real> here = to.nodes.place[node], above = to.nodes.place[parent];
  if (lane == 0) powers.set(0, (here.x - above.x) / above.w);
  if (lane == 1) powers.set(1, (here.y - above.y) / above.w);
  if (lane == 2) powers.set(2, (here.z - above.z) / above.w);
  const u32 terms = terms_to(to.order);
  for (u32 t = lane; t < terms; t += 32) fields[t] = to.field[std::size_t{parent} * to.stride + t];
  __syncwarp();
  const Real ratio = here.w / above.w;
  for (u32 t = lane; t < terms; t += 32) {
    const tree::Term k = kDeviceTerms.of[t];
    const u32 degree = u32{k.x} + k.y + k.z, left = to.order - degree;
    Real sum = 0;
    for (u32 a = 0; a <= left; ++a) {
      for (u32 b = 0; a + b <= left; ++b) {
        const Real power = powers.of[0][a] * powers.of[1][b];
        for (u32 e = 0; a + b + e <= left; ++e) {
          sum += power * powers.of[2][e] * fields[tree::term_index(k.x + a, k.y + b, k.z + e)];
        }
      }
    }
    Real scale = 1;
    for (u32 d = 0; d < degree; ++d) scale *= ratio;
    to.field[std::size_t{node} * to.stride + t] += scale * sum;
  }
}

// Bodies.

/// x, y, z of an acceleration; the potential's negative.
template <class Real>
struct Pull {
  Real x = 0, y = 0, z = 0, w = 0;
  __device__ void add(const Pull& other) { x += other.x, y += other.y, z += other.z, w += other.w; }
};

template <bool kPotential, class Real>
__device__ __forceinline__ void add_body(Pull<Real>& to, const Vec4<Real>& on, const Vec4<Real>& by, Real eps2,
                                         bool self) {
  const Real x = by.x - on.x, y = by.y - on.y, z = by.z - on.z;
  const Real inverse = DeviceMath<Real>::rsqrt(fma(x, x, fma(y, y, fma(z, z, eps2))));
  const Real strength = self ? Real(0) : by.w * inverse * (inverse * inverse);
  to.x = fma(strength, x, to.x), to.y = fma(strength, y, to.y), to.z = fma(strength, z, to.z);
  if constexpr (kPotential) to.w += self ? Real(0) : by.w * inverse;
}

/// What a field about the centre of a leaf does to a body in it.
template <bool kPotential, class Real>
__device__ __forceinline__ Pull<Real> field_on(const Vec4<Real>& body, const Vec4<Real>& place, const Real* field,
                                               u32 order) {
  const Real per = Real(1) / place.w;
  const Real v[3] = {(body.x - place.x) * per, (body.y - place.y) * per, (body.z - place.z) * per};
  Pull<Real> sum;
  Real px = 1;
  for (u32 a = 0; a <= order; ++a) {
    Real pxy = px;
    for (u32 b = 0; a + b <= order; ++b) {
      Real power = pxy;
      for (u32 c = 0; a + b + c <= order; ++c) {
        if constexpr (kPotential) sum.w += power * field[tree::term_index(a, b, c)];
        if (a + b + c < order) {
          sum.x += power * field[tree::term_index(a + 1, b, c)];
          sum.y += power * field[tree::term_index(a, b + 1, c)];
          sum.z += power * field[tree::term_index(a, b, c + 1)];
        }
        power *= v[2] * (Real(1) / static_cast<Real>(c + 1));
      }
      pxy *= v[1] * (Real(1) / static_cast<Real>(b + 1));
    }
    px *= v[0] * (Real(1) / static_cast<Real>(a + 1));
  }
  sum.x *= per, sum.y *= per, sum.z *= per;
  return sum;
}

template <class Real>
struct BodyWork {
  FieldWork<Real> of;
  const u32* order;
  Vec4<Real>* out;  ///< [n] as the bodies are given
};

/// Near leaves of one leaf from which it gets a block of kLongWarps warps: those of sparse outskirts have all others.
constexpr u32 kLongList = 1024;
constexpr u32 kLongWarps = 32;

/// A block of kBlock warps a leaf. They take near leaves in turn, and their sums are added in order.
template <u32 kBlock, bool kPotential, class Real>
__global__ void __launch_bounds__(32 * kBlock) bodies_kernel(const BodyWork<Real> work) {
  constexpr u32 kEach = kTreeLeaf / 32;
  extern __shared__ unsigned char memory[];
  __shared__ Real field[kMaxSeriesTerms];
  const NodeArrays<Real>& at = work.of.at;
  const u32 leaf = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const EntryRange range = work.of.ranges[leaf];
  if ((range.series - range.begin > kLongList) != (kBlock == kLongWarps)) return;
  if (!work.of.share.has(at.shape, leaf, 0)) return;
  Vec4<Real>* const stage = reinterpret_cast<Vec4<Real>*>(memory) + warp * kTreeLeaf;
  for (u32 t = threadIdx.x; t < terms_to(at.order); t += 32 * kBlock) {
    field[t] = at.field[std::size_t{leaf} * at.stride + t];
  }
  const Real eps2 = work.of.eps2;
  Vec4<Real> on[kEach];
  Pull<Real> sum[kEach];
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) on[r] = at.body[leaf * kTreeLeaf + 32 * r + lane];
  for (u32 entry = range.begin + warp; entry < range.series; entry += kBlock) {
    const u32 source = work.of.entries.source(work.of.keys[entry]);
    __syncwarp();
#pragma unroll
    for (u32 r = 0; r < kEach; ++r) stage[32 * r + lane] = at.body[source * kTreeLeaf + 32 * r + lane];
    __syncwarp();
    Pull<Real> part[kEach];
    if (source == leaf) {
      const u32 count = at.shape.bodies_of(leaf, 0);
      for (u32 j = 0; j < count; ++j) {
#pragma unroll
        for (u32 r = 0; r < kEach; ++r) add_body<kPotential>(part[r], on[r], stage[j], eps2, j == 32 * r + lane);
      }
    } else {
#pragma unroll 8
      for (u32 j = 0; j < kTreeLeaf; ++j) {
        const Vec4<Real> by = stage[j];
#pragma unroll
        for (u32 r = 0; r < kEach; ++r) add_body<kPotential>(part[r], on[r], by, eps2, false);
      }
    }
#pragma unroll
    for (u32 r = 0; r < kEach; ++r) sum[r].add(part[r]);
  }
  __syncwarp();
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) stage[32 * r + lane] = {sum[r].x, sum[r].y, sum[r].z, sum[r].w};
  __syncthreads();
  const u32 place = leaf * kTreeLeaf + threadIdx.x;
  if (threadIdx.x >= kTreeLeaf || place >= at.shape.n) return;
  Pull<Real> all = field_on<kPotential>(at.body[place], at.nodes.place[leaf], field, at.order);
#pragma unroll 4
  for (u32 w = 0; w < kBlock; ++w) {
    const Vec4<Real> part = reinterpret_cast<const Vec4<Real>*>(memory)[w * kTreeLeaf + threadIdx.x];
    all.add({part.x, part.y, part.z, part.w});
  }
  work.out[work.order[place]] = {all.x, all.y, all.z, all.w};
}

/// Launches it for leaves with short lists or with long ones.
template <u32 kBlock, bool kPotential, class Real>
void enqueue_bodies(cudaStream_t stream, const BodyWork<Real>& work) {
  const auto kernel = bodies_kernel<kBlock, kPotential, Real>;
  constexpr u32 kShared = kBlock * kTreeLeaf * sizeof(Vec4<Real>);
  TRI_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  kernel<<<work.of.at.shape.leaves(), 32 * kBlock, kShared, stream>>>(work);
  check_launch("bodies of the tree");
}

u32 blocks_of(u64 count, u32 each) { return static_cast<u32>((count + each - 1) / each); }

/// Bits of the numbers of nodes.
u32 bits_of(u32 nodes) {
  u32 bits = 1;
  while (nodes >> bits != 0) ++bits;
  return bits;
}

/// Entries a leaf, and pairs of nodes in one round, that there is room for at first.
constexpr u64 kEntries = 320, kNodePairs = 192;

/// The error of each pair of nodes that is allowed, for one of the sum of many.
double pair_share(double tolerance) { return tolerance >= 1e-4 ? 0.12 : tolerance >= 1e-5 ? 0.25 : 0.2; }

u32 stride_of(u32 order) { return (terms_to(order) + 3) / 4 * 4; }

std::size_t order_scratch(u32 n) {
  std::size_t bytes = 0;
  TRI_CUDA(cub::DeviceRadixSort::SortPairs(nullptr, bytes, static_cast<const u64*>(nullptr), static_cast<u64*>(nullptr),
                                           static_cast<const u32*>(nullptr), static_cast<u32*>(nullptr), n, 0,
                                           3 * kCellBits));
  return bytes;
}

/// Everything in device memory.
template <class Real>
class TreeMemory {
 public:
  TreeMemory(u32 n, double tolerance, const Share& share)
      : shape_(n),
        share_(share),
        order_(highest_order(tolerance)),
        rule_{static_cast<Real>(pair_share(tolerance) * tolerance), order_},
        entries_{bits_of(shape_.nodes())},
        box_(6),
        cells_(n),
        sorted_cells_(n),
        identity_(n),
        bodies_(n),
        scratch_(order_scratch(n)),
        body_(std::size_t{shape_.leaves()} * kTreeLeaf),
        place_(shape_.nodes()),
        mass_(shape_.nodes()),
        least_(shape_.nodes()),
        floor_(1),
        moment_(std::size_t{shape_.nodes()} * stride_of(order_)),
        field_(moment_.size()),
        counters_(1),
        seen_(1),
        ranges_(shape_.nodes()) {
    const u64 squares = shape_.squares();
    make_lists(std::max(squares * (squares + 1) / 2, u64{shape_.leaves()} * kNodePairs));
    make_keys(u64{shape_.leaves()} * kEntries);
  }

  /// Nodes and what the walk begins with.
  void begin(cudaStream_t stream, const DeviceState<Real>& state, Real G, Real eps2) {
    sort_bodies(stream, state, G);
    const NodeArrays<Real> at = arrays();
    leaves_kernel<Real><<<shape_.leaves(), 32, 0, stream>>>(at);
    check_launch("leaves of the tree");
    for (u32 level = 1; level < shape_.levels; ++level) {
      parents_kernel<Real><<<shape_.count(level), 32 * kTreeChildren, 0, stream>>>(at, level);
      check_launch("nodes of the tree");
    }
    u32 top = shape_.levels - 1;
    while (top > 0 && shape_.count(top) < 32) --top;
    estimate_kernel<Real><<<blocks_of(shape_.leaves(), kWarps), kThreads, 0, stream>>>(at, eps2, top);
    check_launch("estimates of accelerations");
    floor_kernel<Real><<<1, 1024, 0, stream>>>(at, floor_.data());
    check_launch("mean of the estimates");
    for (u32 level = 0; level <= shape_.square_level; ++level) {
      settle_kernel<Real><<<blocks_of(shape_.count(level), kThreads), kThreads, 0, stream>>>(at, level, floor_.data());
      check_launch("estimates of nodes");
    }
    counters_.fill_bytes(0, stream);
  }

  const TreeShape& shape() const { return shape_; }
  /// Where a map puts the pairs of squares.
  uint2* squares() { return pairs_[0].data(); }
  Word* square_count() { return counters_.data()->pairs; }

  /// The walk from the squares on, and the sums. Waits for the walk. map(): puts the squares there once more.
  template <class Map>
  void end(cudaStream_t stream, Real eps2, Vec4<Real>* out, bool potential, const Map& map) {
    while (!walk(stream)) {
      counters_.fill_bytes(0, stream);
      map();
    }
    sort_entries(stream);
    const FieldWork<Real> work{arrays(), keys_.data(), ranges_.data(), entries_, share_, eps2};
    const u32 targets = shape_.first[shape_.square_level + 1];
    series_kernel<Real><<<targets, 32 * kSeriesWarps, 0, stream>>>(work);
    check_launch("series of the tree");
    for (u32 level = shape_.square_level; level-- > 0;) {
      carry_kernel<Real><<<shape_.count(level), 32, 0, stream>>>(work.at, level);
      check_launch("fields of nodes");
    }
    const BodyWork<Real> bodies{work, bodies_.data(), out};
    if (potential) {
      enqueue_bodies<kLongWarps, true>(stream, bodies), enqueue_bodies<kWarps, true>(stream, bodies);
    } else {
      enqueue_bodies<kLongWarps, false>(stream, bodies), enqueue_bodies<kWarps, false>(stream, bodies);
    }
  }

  TreeMeetings met() const {
    const TreeCounters& seen = *seen_.data();
    return {seen.met, seen.near, seen.series};
  }

 private:
  void make_lists(u64 room) {
    for (auto& list : pairs_) list = {}, list = DeviceBuffer<uint2>(room);
  }
  void make_keys(u64 room) {
    keys_ = {}, spare_ = {}, key_scratch_ = {};
    keys_ = DeviceBuffer<Word>(room), spare_ = DeviceBuffer<Word>(room);
    std::size_t bytes = 0;
    cub::DoubleBuffer<Word> none;
    TRI_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, none, room, 0, 64));
    key_scratch_ = DeviceBuffer<unsigned char>(bytes);
  }
  NodeArrays<Real> arrays() {
    return {shape_,         {place_.data(), mass_.data(), least_.data()},
            moment_.data(), field_.data(),
            order_,         stride_of(order_),
            body_.data(),   box_.data()};
  }

  void sort_bodies(cudaStream_t stream, const DeviceState<Real>& state, Real G) {
    TRI_CUDA(cudaMemsetAsync(box_.data(), 0xff, 3 * sizeof(Word), stream));
    TRI_CUDA(cudaMemsetAsync(box_.data() + 3, 0, 3 * sizeof(Word), stream));
    const u32 blocks = blocks_of(state.n, kThreads);
    box_kernel<Real><<<std::min(blocks, 512u), kThreads, 0, stream>>>(state, box_.data());
    check_launch("box of the bodies");
    key_kernel<Real><<<blocks, kThreads, 0, stream>>>(state, box_.data(), cells_.data(), identity_.data());
    check_launch("cells of the bodies");
    std::size_t bytes = scratch_.size();
    TRI_CUDA(cub::DeviceRadixSort::SortPairs(scratch_.data(), bytes, cells_.data(), sorted_cells_.data(),
                                             identity_.data(), bodies_.data(), state.n, 0, 3 * kCellBits, stream));
    const u32 padded = static_cast<u32>(body_.size());
    sorted_kernel<Real>
        <<<blocks_of(padded, kThreads), kThreads, 0, stream>>>(state, bodies_.data(), G, body_.data(), padded);
    check_launch("bodies along the curve");
  }

  /// False if there was too little room, and now there is more.
  bool walk(cudaStream_t stream) {
    const u32 rounds = 2 * shape_.square_level + 1;
    TRI_EXPECTS(rounds <= kTreeRounds);
    const u64 room = pairs_[0].size();
    for (u32 round = 0; round < rounds; ++round) {
      const WalkWork<Real> work{shape_,
                                {place_.data(), mass_.data(), least_.data()},
                                rule_,
                                entries_,
                                share_,
                                pairs_[round % 2].data(),
                                pairs_[1 - round % 2].data(),
                                room,
                                keys_.size(),
                                keys_.data(),
                                counters_.data(),
                                round};
      walk_kernel<Real><<<multiprocessors() * 8, kThreads, 0, stream>>>(work);
      check_launch("walk of the tree");
    }
    TRI_CUDA(cudaMemcpyAsync(seen_.data(), counters_.data(), sizeof(TreeCounters), cudaMemcpyDeviceToHost, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
    const TreeCounters& seen = *seen_.data();
    const u64 most = *std::max_element(seen.pairs, seen.pairs + rounds + 1);
    const auto more = [](u64 needed) { return needed + needed / 4; };
    const bool fits = most <= room && seen.keys <= keys_.size();
    if (most > room) make_lists(more(most));
    if (seen.keys > keys_.size()) make_keys(more(seen.keys));
    return fits;
  }

  void sort_entries(cudaStream_t stream) {
    const u64 count = seen_.data()->keys;
    cub::DoubleBuffer<Word> words(keys_.data(), spare_.data());
    std::size_t bytes = key_scratch_.size();
    TRI_CUDA(cub::DeviceRadixSort::SortKeys(key_scratch_.data(), bytes, words, count, 0,
                                            static_cast<int>(2 * entries_.bits + 4), stream));
    if (words.Current() != keys_.data()) std::swap(keys_, spare_);
    ranges_.fill_bytes(0, stream);
    if (count == 0) return;
    ranges_kernel<<<blocks_of(count, kThreads), kThreads, 0, stream>>>(keys_.data(), count, entries_, ranges_.data());
    check_launch("entries of the tree");
  }

  TreeShape shape_;
  Share share_;
  u32 order_;
  FarRule<Real> rule_;
  Entries entries_;
  DeviceBuffer<Word> box_;
  DeviceBuffer<u64> cells_, sorted_cells_;
  DeviceBuffer<u32> identity_, bodies_;
  DeviceBuffer<unsigned char> scratch_, key_scratch_;
  DeviceBuffer<Vec4<Real>> body_, place_;
  DeviceBuffer<Real> mass_, least_, floor_, moment_, field_;
  DeviceBuffer<uint2> pairs_[2];
  DeviceBuffer<Word> keys_, spare_;
  DeviceBuffer<TreeCounters> counters_;
  PinnedBuffer<TreeCounters> seen_;
  DeviceBuffer<EntryRange> ranges_;
};

/// A block adds up every kEnergyBlocks-th share of the bodies, in an order that does not vary.
__global__ void __launch_bounds__(kThreads)
    energy_kernel(const DeviceState<double> state, const Vec4<double>* pulls, double* partial) {
  __shared__ double parts[2][kWarps];
  const Vec4<double> from = state.position[0];  // the sum of m a is zero; sums of small numbers
  double sums[2] = {0, 0};
  for (u32 i = blockIdx.x * kThreads + threadIdx.x; i < state.n; i += kEnergyBlocks * kThreads) {
    const Vec4<double> p = state.position[i], a = pulls[i];
    sums[0] -= p.w * a.w / 2;  // each pair is in the field of both
    sums[1] += p.w * ((p.x - from.x) * a.x + (p.y - from.y) * a.y + (p.z - from.z) * a.z);
  }
  for (u32 k = 0; k < 2; ++k) {
    const double sum = warp_sum(sums[k]);
    if (threadIdx.x % 32 == 0) parts[k][threadIdx.x / 32] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= 2) return;
  double sum = 0;
  for (const double part : parts[threadIdx.x]) sum += part;
  partial[threadIdx.x * kEnergyBlocks + blockIdx.x] = sum;
}

template <class Real>
__global__ void __launch_bounds__(kThreads) widen_state_kernel(const DeviceState<Real> state, Vec4<double>* out) {
  const u32 i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= state.n) return;
  const Vec4<Real> p = state.position[i];
  out[i] = {p.x, p.y, p.z, p.w};
}

}  // namespace

void enqueue_tree_energy(cudaStream_t stream, const DeviceState<double>& state, const Vec4<double>* pulls,
                         double* partial) {
  energy_kernel<<<kEnergyBlocks, kThreads, 0, stream>>>(state, pulls, partial);
  check_launch("energy of the tree");
}

template <class Real>
void enqueue_widened_state(cudaStream_t stream, const DeviceState<Real>& state, Vec4<double>* out) {
  widen_state_kernel<Real><<<blocks_of(state.n, kThreads), kThreads, 0, stream>>>(state, out);
  check_launch("bodies in float64");
}
template void enqueue_widened_state(cudaStream_t, const DeviceState<float>&, Vec4<double>*);
template void enqueue_widened_state(cudaStream_t, const DeviceState<double>&, Vec4<double>*);

u64 tree_gravity_bytes(u64 n, Precision precision) {
  const u64 real = precision == Precision::fp32 ? 4 : 8, leaves = n / kTreeLeaf + 1, nodes = leaves + leaves / 7 + 10;
  const u64 lists = leaves * (2 * kNodePairs * sizeof(uint2) + 3 * kEntries * sizeof(Word));
  return n * (3 * (sizeof(u64) + sizeof(u32)) + 4 * real) + lists + nodes * (2 * stride_of(kHighestOrder) + 6) * real +
         nodes * sizeof(EntryRange);
}

template <class Real>
TreeGravity<Real> prepare_tree_gravity(const ForceField& field, TriangleMapId id, u32 n, double tolerance,
                                       bool potential, u32 rank, u32 ranks) {
  TRI_EXPECTS(field.pair == PairLaw::gravity);
  const auto memory = std::make_shared<TreeMemory<Real>>(n, tolerance, Share{rank, ranks});
  const laws::Gravity<Real> law(field.gravity);
  const Real G = law.G, eps2 = law.eps2;
  const u32 side = memory->shape().squares(), first = memory->shape().first[memory->shape().square_level];
  TreeGravity<Real> made;
  PairWork<Real>& work = made.sums;
  // visit(piece, stream, pairs, count) puts the pairs of squares there.
  const auto bind = [&](const auto& map, const auto& visit) {
    const std::vector<GridPiece> pieces = grid_pieces(map, 1);
    const LaunchCounts counts = launch_counts(map);
    work.launched = counts.launched, work.useful = counts.useful, work.launches = static_cast<u32>(pieces.size());
    work.launch = [=](cudaStream_t stream, u32 k, const DeviceState<Real>&, const PairSums<Real>&) {
      visit(pieces[k], stream, memory->squares(), memory->square_count());
    };
    work.end = [=](cudaStream_t stream, const DeviceState<Real>&, const PairSums<Real>& out) {
      memory->end(stream, eps2, out.out, potential, [&] {
        for (const GridPiece& piece : pieces) visit(piece, stream, memory->squares(), memory->square_count());
      });
    };
  };
  if (is_typed(id)) {
    const TypedKernel kernel{tree_squares_map_kernel(), 1};
    bind(typed_on_host(id, side),
         [launch = typed_launch(id, side, kernel, side, first), value = map_value(info(id), side)](
             const GridPiece& piece, cudaStream_t stream, uint2* pairs, Word* count) {
           launch(value.data(), piece, stream, pairs, count);
         });
  } else {
    visit_device_map(id, side, Diagonal::with, resident_workers(), [&](const auto& given, const auto& owner) {
      with_kernel_map(given, [&](const auto& map) {
        bind(given, [=](const GridPiece& piece, cudaStream_t stream, uint2* pairs, Word* count) {
          (void)owner;  // the map's table
          tree_squares_kernel<std::decay_t<decltype(map)>>
              <<<grid_of(piece), 1, 0, stream>>>(map, piece, side, first, pairs, count);
          check_launch("squares of the tree");
        });
      });
    });
  }
  work.begin = [=](cudaStream_t stream, const DeviceState<Real>& state, const PairSums<Real>&) {
    memory->begin(stream, state, G, eps2);
  };
  made.met = [memory] { return memory->met(); };
  return made;
}

template TreeGravity<float> prepare_tree_gravity(const ForceField&, TriangleMapId, u32, double, bool, u32, u32);
template TreeGravity<double> prepare_tree_gravity(const ForceField&, TriangleMapId, u32, double, bool, u32, u32);

}  // namespace tri::cuda
