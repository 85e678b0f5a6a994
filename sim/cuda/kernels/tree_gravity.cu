/// Gravity by a tree (sim/cpu/tree.hpp): near leaves body by body, far nodes by series.
///
/// One evaluation: bodies in the order of the curve, nodes with their moments from the leaves up, the walk, which meets
/// each pair of nodes once and writes down for both what they take from the other, these entries sorted by target, the
/// fields of far nodes carried down, and what acts on the bodies of each leaf. In sparse outskirts, where a leaf is as
/// large as its distance from all else, its bodies meet far nodes one by one. Each target adds its sources in their
/// order along the curve, so that the bits follow from the positions alone. Near and far bodies are met at the same
/// time, on two streams, and their sums added at the end.

#include <bit>
#include <memory>
#include <type_traits>
#include <utility>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "sim/base/error.hpp"
#include "sim/cuda/kernels/maps.cuh"
#include "sim/cuda/kernels/pairs.hpp"
#include "sim/cuda/kernels/terms.cuh"
#include "sim/cuda/kernels/tile_pairs.cuh"
#include "sim/cuda/kernels/tree_nodes.cuh"
#include "sim/cuda/kernels/tree_series.cuh"
#include "sim/cuda/kernels/tree_walk.cuh"
#include "sim/cuda/runtime/device.hpp"
#include "sim/cuda/runtime/launches.hpp"
#include "sim/laws/gravity.hpp"

namespace tri::cuda {
namespace {

/// Launches the series of all orders.
template <class S, u32... kLess>
void enqueue_series(cudaStream_t stream, const FieldWork<S>& work, std::integer_sequence<u32, kLess...>) {
  const TreeShape& shape = work.at.shape;
  const u32 targets = shape.first[shape.square_level + 1];
  const auto launch = [&](auto order) {
    if (order.value > work.at.order) return;
    series_kernel<order.value, S><<<targets, 32 * kSeriesWarps, 0, stream>>>(work);
    check_launch("series of the tree");
  };
  (launch(std::integral_constant<u32, kLess + tree::kMinOrder>{}), ...);
  const auto giving = work.at.order == kHighestOrder ? giving_kernel<kHighestOrder, S> : giving_kernel<kLooseOrder, S>;
  if (targets == shape.leaves()) return;
  const u32 nodes = targets - shape.leaves(), parts = giving_parts(shape);
  giving<<<dim3(nodes, parts), 32 * kGivingWarps, 0, stream>>>(work);
  check_launch("series of bodies");
  given_kernel<S><<<nodes, kThreads, 0, stream>>>(work, parts);
  check_launch("fields of bodies");
}

// Bodies.

/// x, y, z of an acceleration; the potential's negative.
template <class Real>
struct Pull {
  Real x = 0, y = 0, z = 0, w = 0;
  __device__ void add(const Pull& other) { x += other.x, y += other.y, z += other.z, w += other.w; }
};

/// kUnit: as if its mass were 1.
template <bool kPotential, bool kUnit, class Real>
__device__ __forceinline__ void add_body(Pull<Real>& to, const Vec4<Real>& on, const Vec4<Real>& by, Real eps2,
                                         bool self) {
  const Real x = by.x - on.x, y = by.y - on.y, z = by.z - on.z;
  const Real inverse = DeviceMath<Real>::rsqrt(fma(x, x, fma(y, y, fma(z, z, eps2))));
  const Real depth = kUnit ? inverse : by.w * inverse, strength = self ? Real(0) : depth * (inverse * inverse);
  to.x = fma(strength, x, to.x), to.y = fma(strength, y, to.y), to.z = fma(strength, z, to.z);
  if constexpr (kPotential) to.w += self ? Real(0) : depth;
}

/// What the staged bodies of a whole leaf do to those of a lane.
template <bool kPotential, bool kUnit, u32 kEach, class Real>
__device__ __forceinline__ void add_leaf(Pull<Real> (&to)[kEach], const Vec4<Real> (&on)[kEach],
                                         const Vec4<Real>* stage, Real eps2) {
#pragma unroll 16
  for (u32 j = 0; j < kTreeLeaf; ++j) {
    const Vec4<Real> by = stage[j];
#pragma unroll
    for (u32 r = 0; r < kEach; ++r) add_body<kPotential, kUnit>(to[r], on[r], by, eps2, false);
  }
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

/// Warps of a block a leaf, and near leaves from which it gets more: those of sparse outskirts have all others.
constexpr u32 kNearWarps = 16, kLongWarps = 32;
constexpr u32 kLongList = 512;

template <class Real>
struct BodyWork {
  FieldWork<Real> of;
  const u32* order;
  Vec4<Real>* out;  ///< [n] as the bodies are given
  Vec4<Real>* far;  ///< the same from far nodes, along the curve
};

/// A block of kBlock warps a leaf. They take near leaves in turn, and their sums are added in order.
template <u32 kBlock, bool kPotential, class Real>
__global__ void __launch_bounds__(32 * kBlock) bodies_kernel(const BodyWork<Real> work) {
  constexpr u32 kEach = kTreeLeaf / 32;
  extern __shared__ unsigned char memory[];
  const NodeArrays<Real>& at = work.of.at;
  const u32 leaf = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const EntryRange range = work.of.ranges[leaf];
  if ((range.end(0) - range.begin(0) > kLongList) != (kBlock == kLongWarps)) return;
  if (!work.of.share.has(at.shape, leaf, 0)) return;
  Vec4<Real>* const stage = reinterpret_cast<Vec4<Real>*>(memory) + warp * kTreeLeaf;
  const Real eps2 = work.of.eps2;
  Vec4<Real> on[kEach];
  Pull<Real> sum[kEach];
#pragma unroll
  for (u32 r = 0; r < kEach; ++r) on[r] = at.body[leaf * kTreeLeaf + 32 * r + lane];
  for (u32 entry = range.begin(0) + warp; entry < range.end(0); entry += kBlock) {
    const u32 source = work.of.sources[entry];
    __syncwarp();
    Real mass = 0;
    bool equal = true;  // masses, as is usual: the mass then multiplies the sum
#pragma unroll
    for (u32 r = 0; r < kEach; ++r) {
      const Vec4<Real> b = at.body[source * kTreeLeaf + 32 * r + lane];
      stage[32 * r + lane] = b;
      if (r == 0) mass = __shfl_sync(~0u, b.w, 0);
      equal = equal && b.w == mass;
    }
    equal = __all_sync(~0u, equal);
    __syncwarp();
    Pull<Real> part[kEach];
    if (source == leaf) {
      const u32 count = at.shape.bodies_of(leaf, 0);
      for (u32 j = 0; j < count; ++j) {
#pragma unroll
        for (u32 r = 0; r < kEach; ++r) {
          add_body<kPotential, false>(part[r], on[r], stage[j], eps2, j == 32 * r + lane);
        }
      }
    } else if (equal) {
      add_leaf<kPotential, true>(part, on, stage, eps2);
#pragma unroll
      for (Pull<Real>& p : part) p = {mass * p.x, mass * p.y, mass * p.z, mass * p.w};
    } else {
      add_leaf<kPotential, false>(part, on, stage, eps2);
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
  Pull<Real> all;
#pragma unroll 4
  for (u32 w = 0; w < kBlock; ++w) {
    const Vec4<Real> part = reinterpret_cast<const Vec4<Real>*>(memory)[w * kTreeLeaf + threadIdx.x];
    all.add({part.x, part.y, part.z, part.w});
  }
  work.out[work.order[place]] = {all.x, all.y, all.z, all.w};
}

/// What the field of a leaf does to each body in it.
template <bool kPotential, class Real>
__global__ void __launch_bounds__(kTreeLeaf) fields_kernel(const BodyWork<Real> work) {
  __shared__ Real field[kMaxSeriesTerms];
  const NodeArrays<Real>& at = work.of.at;
  const u32 leaf = blockIdx.x, place = leaf * kTreeLeaf + threadIdx.x;
  if (!work.of.share.has(at.shape, leaf, 0)) return;
  for (u32 t = threadIdx.x; t < terms_to(at.order); t += kTreeLeaf) {
    field[t] = at.field[std::size_t{leaf} * at.stride + t];
  }
  __syncthreads();
  if (place >= at.shape.n) return;
  const Pull<Real> sum = field_on<kPotential>(at.body[place], at.nodes.place[leaf], field, at.order);
  work.far[place] = {sum.x, sum.y, sum.z, sum.w};
}

/// Adds what far nodes do to what near bodies do.
template <class Real>
__global__ void __launch_bounds__(kThreads) add_far_kernel(const BodyWork<Real> work) {
  const TreeShape& shape = work.of.at.shape;
  const u32 place = blockIdx.x * kThreads + threadIdx.x;
  if (place >= shape.n || !work.of.share.has(shape, place / kTreeLeaf, 0)) return;
  const Vec4<Real> far = work.far[place];
  Vec4<Real>& out = work.out[work.order[place]];
  out = {out.x + far.x, out.y + far.y, out.z + far.z, out.w + far.w};
}

/// Adds what each body of a leaf takes from the series of nodes: leaves of sparse outskirts are as large as their
/// distance from all else. A block a leaf: two warps an entry, kSlots entries at a time, added in order.
constexpr u32 kSlots = 8;
template <u32 kOrder, class Real>
__global__ void __launch_bounds__(2 * 32 * kSlots, 1) outskirts_kernel(const BodyWork<Real> work) {
  __shared__ Vec4<Real> parts[kSlots][kTreeLeaf];
  const NodeArrays<Real>& at = work.of.at;
  const u32 leaf = blockIdx.x, in_leaf = threadIdx.x % kTreeLeaf, slot = threadIdx.x / kTreeLeaf;
  const EntryRange range = work.of.ranges[leaf];
  const u32 begin = range.begin(kBodiesTake), end = range.end(kBodiesTake);
  if (begin == end) return;
  const u32 place = leaf * kTreeLeaf + in_leaf;
  Vec4<Real> body = at.body[place];
  body.w = 0;
  Pull<Real> sum;
  for (u32 entry = begin + slot; entry < end; entry += kSlots) {
    const u32 source = work.of.sources[entry];
    const LanePair<Real> pair = lane_pair(body, at.nodes.place[source], work.of.eps2, true);
    Real rows[4];
    series::field_rows<kOrder>(pair, at.moment + std::size_t{source} * at.stride, rows);
    const Real inverse2 = pair.inverse * pair.inverse;
    sum.add({rows[1] * inverse2, rows[2] * inverse2, rows[3] * inverse2, rows[0] * pair.inverse});
  }
  parts[slot][in_leaf] = {sum.x, sum.y, sum.z, sum.w};
  __syncthreads();
  if (slot > 0 || place >= at.shape.n) return;
  Vec4<Real>& out = work.far[place];
  for (const auto& part : parts) {
    const Vec4<Real>& p = part[in_leaf];
    out.x += p.x, out.y += p.y, out.z += p.z, out.w += p.w;
  }
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

/// Nodes at which estimates begin, at least, if there are as many: the lanes of a warp then have equal shares.
constexpr u32 kEstimateNodes = 1024;

/// Entries a leaf, and pairs of nodes in one round, that there is room for at first.
constexpr u64 kEntries = 320, kNodePairs = 192;

/// The error of each pair of nodes that is allowed, for one of the sum of many.
double pair_share(double tolerance, u32 n) {
  const double share = tolerance >= 1e-5 ? 0.25 : tolerance >= 1e-6 ? 0.15 : 0.12;
  return share * tree::share_for(n);
}

u32 stride_of(u32 order) { return (terms_to(order) + 3) / 4 * 4; }

/// Bodies up to which a merge sort is the faster one: the passes of the other do not fill a GPU with so few.
constexpr u32 kMergedBodies = 1u << 17;

struct IsLess {
  __device__ bool operator()(u64 a, u64 b) const { return a < b; }
};

/// Sorts bodies by cells. Without scratch: sets the bytes that it needs.
void sort_cells(void* scratch, std::size_t& bytes, const u64* cells, u64* sorted, const u32* from, u32* to, u32 n,
                cudaStream_t stream) {
  if (n <= kMergedBodies) {
    TRI_CUDA(cub::DeviceMergeSort::SortPairsCopy(scratch, bytes, cells, from, sorted, to, n, IsLess{}, stream));
  } else {
    TRI_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, cells, sorted, from, to, n, 0, 3 * kCellBits, stream));
  }
}

std::size_t order_scratch(u32 n) {
  std::size_t bytes = 0;
  sort_cells(nullptr, bytes, nullptr, nullptr, nullptr, nullptr, n, nullptr);
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
        rule_{static_cast<Real>(pair_share(tolerance, n) * tolerance), order_},
        entries_{shape_.first[shape_.square_level + 1]},
        box_(6),
        cells_(n),
        sorted_cells_(n),
        identity_(n),
        bodies_(n),
        scratch_(order_scratch(n)),
        body_(std::size_t{shape_.leaves()} * kTreeLeaf),
        far_(body_.size()),
        place_(shape_.nodes()),
        mass_(shape_.nodes()),
        least_(shape_.nodes()),
        means_(std::size_t{shape_.nodes()} * kHighestOrder),
        floor_(1),
        moment_(std::size_t{shape_.nodes()} * stride_of(order_)),
        field_(moment_.size()),
        parts_(std::size_t{shape_.first[shape_.square_level + 1] - shape_.leaves()} * giving_parts(shape_) *
               stride_of(order_)),
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
    for (u32 level = 0; level <= shape_.square_level; ++level) {
      means_kernel<Real><<<shape_.count(level), kThreads, 0, stream>>>(at, level);
      check_launch("distances in nodes");
    }
    u32 top = shape_.levels - 1;
    while (top > 0 && shape_.count(top) < kEstimateNodes) --top;
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
    while (!(entries_.narrow() ? walk<u32>(stream) : walk<Word>(stream))) {
      counters_.fill_bytes(0, stream);
      map();
    }
    entries_.narrow() ? sort_entries<u32>(stream) : sort_entries<Word>(stream);
    const FieldWork<Real> work{arrays(),     reinterpret_cast<const u32*>(spare_.data()), ranges_.data(), share_, eps2,
                               parts_.data()};
    const BodyWork<Real> bodies{work, bodies_.data(), out, far_.data()};
    begin_.record(stream);
    TRI_CUDA(cudaStreamWaitEvent(far_stream_, begin_));
    enqueue_far(far_stream_, bodies, potential);
    end_.record(far_stream_);
    if (potential) {
      enqueue_bodies<kLongWarps, true>(stream, bodies), enqueue_bodies<kNearWarps, true>(stream, bodies);
    } else {
      enqueue_bodies<kLongWarps, false>(stream, bodies), enqueue_bodies<kNearWarps, false>(stream, bodies);
    }
    TRI_CUDA(cudaStreamWaitEvent(stream, end_));
    add_far_kernel<Real><<<blocks_of(shape_.n, kThreads), kThreads, 0, stream>>>(bodies);
    check_launch("far nodes on bodies");
  }

  /// Of the bodies of the last evaluation. Raises what is at `most`.
  void falls(cudaStream_t stream, double eps2, Word* most) {
    if constexpr (std::is_same_v<Real, double>) {
      if (heaviest_.size() == 0) heaviest_ = DeviceBuffer<double>(shape_.nodes());
      const FallWork work{arrays(), heaviest_.data(), share_.rank, share_.ranks, eps2, most};
      for (u32 level = 0; level < shape_.levels; ++level)
        heaviest_kernel<<<shape_.count(level), 32, 0, stream>>>(work, level);
      for (const bool within : {true, false})
        falls_kernel<<<blocks_of(shape_.leaves(), kWarps), kThreads, 0, stream>>>(work, within);
      check_launch("the fastest fall");
    }
  }

  TreeMeetings met() const {
    const TreeCounters& seen = *seen_.data();
    return {seen.met, seen.near, seen.series};
  }

 private:
  /// All but near bodies. On a stream of its own, since most of these kernels leave room for others.
  void enqueue_far(cudaStream_t stream, const BodyWork<Real>& work, bool potential) {
    field_.fill_bytes(0, stream);
    enqueue_series(stream, work.of, std::make_integer_sequence<u32, kHighestOrder - tree::kMinOrder + 1>{});
    for (u32 level = shape_.square_level; level-- > 0;) {
      carry_kernel<Real><<<shape_.count(level), 32, 0, stream>>>(work.of.at, level);
      check_launch("fields of nodes");
    }
    const auto fields = potential ? fields_kernel<true, Real> : fields_kernel<false, Real>;
    fields<<<shape_.leaves(), kTreeLeaf, 0, stream>>>(work);
    check_launch("fields on bodies");
    const auto outskirts =
        order_ == kHighestOrder ? outskirts_kernel<kHighestOrder, Real> : outskirts_kernel<kLooseOrder, Real>;
    outskirts<<<shape_.leaves(), 2 * 32 * kSlots, 0, stream>>>(work);
    check_launch("outskirts of the tree");
  }
  void make_lists(u64 room) {
    for (auto& list : pairs_) list = {}, list = DeviceBuffer<uint2>(room);
  }
  void make_keys(u64 room) {
    keys_ = {}, spare_ = {}, key_scratch_ = {};
    key_room_ = room;
    const u64 words = entries_.narrow() ? (room + 1) / 2 : room;
    keys_ = DeviceBuffer<Word>(words), spare_ = DeviceBuffer<Word>(words);
    const auto scratch = [room](auto keys) {
      std::size_t bytes = 0;
      TRI_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, room, 0, 8 * sizeof(*keys.Current())));
      return bytes;
    };
    key_scratch_ = DeviceBuffer<unsigned char>(entries_.narrow() ? scratch(cub::DoubleBuffer<u32>())
                                                                 : scratch(cub::DoubleBuffer<Word>()));
  }
  NodeArrays<Real> arrays() {
    return {shape_,         {place_.data(), mass_.data(), least_.data(), means_.data()},
            moment_.data(), field_.data(),
            order_,         stride_of(order_),
            body_.data(),   box_.data()};
  }

  void sort_bodies(cudaStream_t stream, const DeviceState<Real>& state, Real G) {
    TRI_CUDA(cudaMemsetAsync(box_.data(), 0xff, 3 * sizeof(Word), stream));
    TRI_CUDA(cudaMemsetAsync(box_.data() + 3, 0, 3 * sizeof(Word), stream));
    const u32 blocks = blocks_of(state.n, kThreads);
    box_kernel<<<std::min(blocks, 512u), kThreads, 0, stream>>>(state, box_.data());
    check_launch("box of the bodies");
    key_kernel<Real><<<blocks, kThreads, 0, stream>>>(state, box_.data(), cells_.data(), identity_.data());
    check_launch("cells of the bodies");
    std::size_t bytes = scratch_.size();
    sort_cells(scratch_.data(), bytes, cells_.data(), sorted_cells_.data(), identity_.data(), bodies_.data(), state.n,
               stream);
    const u32 padded = static_cast<u32>(body_.size());
    sorted_kernel<Real>
        <<<blocks_of(padded, kThreads), kThreads, 0, stream>>>(state, bodies_.data(), G, body_.data(), padded);
    check_launch("bodies along the curve");
  }

  /// False if there was too little room, and now there is more.
  template <class Key>
  bool walk(cudaStream_t stream) {
    const u32 rounds = 2 * shape_.square_level + 1;
    TRI_EXPECTS(rounds <= kTreeRounds);
    const u64 room = pairs_[0].size();
    for (u32 round = 0; round < rounds; ++round) {
      const WalkWork<Real, Key> work{shape_,
                                     {place_.data(), mass_.data(), least_.data(), means_.data()},
                                     rule_,
                                     entries_,
                                     share_,
                                     body_.data(),
                                     pairs_[round % 2].data(),
                                     pairs_[1 - round % 2].data(),
                                     room,
                                     key_room_,
                                     reinterpret_cast<Key*>(keys_.data()),
                                     counters_.data(),
                                     round};
      walk_kernel<Real, Key><<<multiprocessors() * 8, kThreads, 0, stream>>>(work);
      check_launch("walk of the tree");
    }
    TRI_CUDA(cudaMemcpyAsync(seen_.data(), counters_.data(), sizeof(TreeCounters), cudaMemcpyDeviceToHost, stream));
    TRI_CUDA(cudaStreamSynchronize(stream));
    const TreeCounters& seen = *seen_.data();
    const u64 most = *std::max_element(seen.pairs, seen.pairs + rounds + 1);
    const auto more = [](u64 needed) { return needed + needed / 4; };
    const bool fits = most <= room && seen.keys <= key_room_;
    if (most > room) make_lists(more(most));
    if (seen.keys > key_room_) make_keys(more(seen.keys));
    return fits;
  }

  /// Leaves the sources in spare_.
  template <class Key>
  void sort_entries(cudaStream_t stream) {
    const u64 count = seen_.data()->keys;
    cub::DoubleBuffer<Key> keys(reinterpret_cast<Key*>(keys_.data()), reinterpret_cast<Key*>(spare_.data()));
    std::size_t bytes = key_scratch_.size();
    TRI_CUDA(cub::DeviceRadixSort::SortKeys(key_scratch_.data(), bytes, keys, count, 0,
                                            static_cast<int>(std::bit_width(entries_.count() - 1)), stream));
    if (keys.selector != 0) std::swap(keys_, spare_);
    ranges_.fill_bytes(0, stream);
    if (count == 0) return;
    ranges_kernel<Key><<<blocks_of(count, kThreads), kThreads, 0, stream>>>(
        keys.Current(), count, entries_, ranges_.data(), reinterpret_cast<u32*>(spare_.data()));
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
  DeviceBuffer<Vec4<Real>> body_, far_, place_;
  DeviceBuffer<Real> mass_, least_, means_, floor_, moment_, field_, parts_;
  DeviceBuffer<uint2> pairs_[2];
  DeviceBuffer<Word> keys_, spare_;
  u64 key_room_ = 0;
  DeviceBuffer<TreeCounters> counters_;
  PinnedBuffer<TreeCounters> seen_;
  DeviceBuffer<EntryRange> ranges_;
  DeviceBuffer<double> heaviest_;  ///< empty until falls() needs it
  Stream far_stream_{true};
  Event begin_, end_;  ///< of what far nodes do
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
  const bool narrow = Entries{static_cast<u32>(nodes)}.narrow();
  const u64 lists = leaves * (2 * kNodePairs * sizeof(uint2) + 3 * kEntries * (narrow ? sizeof(u32) : sizeof(Word)));
  const u64 parts = std::max(u64{kGivingBlocks}, nodes - leaves);
  return n * (3 * (sizeof(u64) + sizeof(u32)) + 8 * real) + lists + nodes * sizeof(EntryRange) +
         (nodes * (2 * stride_of(kHighestOrder) + 6 + kHighestOrder) + parts * stride_of(kHighestOrder)) * real;
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
  made.falls = [=](cudaStream_t stream, unsigned long long* most) { memory->falls(stream, eps2, most); };
  return made;
}

template TreeGravity<float> prepare_tree_gravity(const ForceField&, TriangleMapId, u32, double, bool, u32, u32);
template TreeGravity<double> prepare_tree_gravity(const ForceField&, TriangleMapId, u32, double, bool, u32, u32);

}  // namespace tri::cuda
