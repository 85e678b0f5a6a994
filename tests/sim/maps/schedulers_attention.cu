/// Causal attention, heads of 64, tiles of 64 x 64: the schedulers of FlashAttention 2 and 3 beside ours, in one
/// kernel.

#include <mma.h>

#include "sim/maps/triangle_attention.hpp"
#include "tests/sim/maps/schedulers.cuh"

namespace wmma = nvcuda::wmma;

namespace tri::schedulers {
namespace {

constexpr int kHead = 64, kWide = kHead + 8;

/// FlashAttention: rows of a head, heads of a sequence, sequences; version 3 begins with the longest row and takes
/// heads in sections whose keys and values fit into 32 MB.
struct FlashOrder {
  AttentionTiling tiling;
  int rows, heads, problems, section;  // section 0: version 2
  __device__ AttentionRow operator()(u64 position) const {
    const int t = static_cast<int>(position);
    int row = t % rows, problem = t / rows;
    if (section != 0) {
      const int part = t / (section * rows), inside = t % (section * rows), left = problems - part * section;
      const int width = left < section ? left : section;
      row = rows - 1 - inside / width, problem = part * section + inside % width;
    }
    AttentionRow out = tiling.row(u32(row));
    out.sequence = u32(problem / heads), out.head = u32(problem % heads);
    return out;
  }
};
template <class M>
struct RowOrder {
  M map;
  __device__ AttentionRow operator()(u64 position) const { return map.begin({position, 0, 0, 0}).tile(); }
};

struct Sequence {
  AttentionMask mask;
  u64 queries = 0, keys = 0;  ///< where its first head lies in Q and O, and in K and V
};
struct Attention {
  const Half *q, *k, *v;
  float* o;
  const Sequence* sequences;
};

struct AttentionMemory {
  Half q[kHead * kWide], k[kHead * kWide], v[kHead * kWide], p[kHead * kWide];
  float s[kHead * kWide], o[kHead * kWide];
};

__device__ void load_tile(Half* to, const Half* from, int rows) {
  for (int t = threadIdx.x; t < kHead * kHead / 8; t += blockDim.x) {
    const int row = t / (kHead / 8), part = t % (kHead / 8) * 8;
    const uint4 none{};
    *reinterpret_cast<uint4*>(to + row * kWide + part) =
        row < rows ? *reinterpret_cast<const uint4*>(from + row * kHead + part) : none;
  }
}

/// A warp's 16 rows of the scores to weights: two lanes a row; the sums so far are scaled to the new maximum.
__device__ void soften(AttentionMemory& m, const AttentionMask& mask, bool masked, int query, int key, float& top,
                       float& sum) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 2, from = lane % 2 * 32;
  float highest = top;
  for (int c = from; c < from + 32; ++c) {
    float& s = m.s[row * kWide + c];
    s = masked && !mask.holds(u32(query + row), u32(key + c)) ? -INFINITY : s * 0.125f;
    highest = fmaxf(highest, s);
  }
  highest = fmaxf(highest, __shfl_xor_sync(~0u, highest, 1));
  const float base = highest == -INFINITY ? 0.0f : highest, scale = __expf(top - base);
  float part = 0.0f;
  for (int c = from; c < from + 32; ++c) {
    const float weight = __expf(m.s[row * kWide + c] - base);
    part += weight;
    m.p[row * kWide + c] = __float2bfloat16(weight);
    m.o[row * kWide + c] *= scale;
  }
  sum = sum * scale + part + __shfl_xor_sync(~0u, part, 1);
  top = highest;
}

/// 16 rows of a warp: to = x y^T (kTransposed) or to + x y, over 64 columns.
template <bool kTransposed>
__device__ void multiply_rows(float* to, const Half* x, const Half* y) {
  using Layout = std::conditional_t<kTransposed, wmma::col_major, wmma::row_major>;
  for (int c = 0; c < kHead; c += 16) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    if (kTransposed) wmma::fill_fragment(sum, 0.0f);
    if (!kTransposed) wmma::load_matrix_sync(sum, to + c, kWide, wmma::mem_row_major);
    for (int k = 0; k < kHead; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, Half, wmma::row_major> p;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, Half, Layout> q;
      wmma::load_matrix_sync(p, x + k, kWide);
      wmma::load_matrix_sync(q, kTransposed ? y + c * kWide + k : y + k * kWide + c, kWide);
      wmma::mma_sync(sum, p, q, sum);
    }
    wmma::store_matrix_sync(to + c, sum, kWide, wmma::mem_row_major);
  }
}

__device__ void attend_row(AttentionMemory& m, const Attention& a, const AttentionRow& at) {
  const Sequence sequence = a.sequences[at.sequence];
  const AttentionMask mask = sequence.mask;
  const u64 queries = sequence.queries + u64{at.head} * mask.queries * kHead,
            keys = sequence.keys + u64{at.head} * mask.keys * kHead;
  const int query = int(at.row) * kHead, rows = min(kHead, int(mask.queries) - query);
  const int strip = threadIdx.x / 32 * 16 * kWide, lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 2;
  if (rows <= 0) return;  // of a padded grid
  __syncthreads();
  load_tile(m.q, a.q + queries + u64(query) * kHead, rows);
  for (int t = threadIdx.x; t < kHead * kWide; t += blockDim.x) m.o[t] = 0.0f;
  float top = -INFINITY, sum = 0.0f;
  for (int tile = int(at.end) - 1; tile >= int(at.first); --tile) {
    const int key = tile * kHead, count = min(kHead, int(mask.keys) - key);
    __syncthreads();
    load_tile(m.k, a.k + keys + u64(key) * kHead, count), load_tile(m.v, a.v + keys + u64(key) * kHead, count);
    __syncthreads();
    multiply_rows<true>(m.s + strip, m.q + strip, m.k);
    __syncwarp();
    soften(m, mask, tile < int(at.whole) || tile >= int(at.whole_end), query, key, top, sum);
    __syncwarp();
    multiply_rows<false>(m.o + strip, m.p + strip, m.v);
    __syncwarp();
  }
  __syncthreads();
  if (row >= rows) return;
  const float scale = sum > 0.0f ? 1.0f / sum : 0.0f;  // a query without a key has 0
  float* const to = a.o + queries + u64(query + row) * kHead;
  for (int c = lane % 2 * 32; c < lane % 2 * 32 + 32; ++c) to[c] = m.o[row * kWide + c] * scale;
}

template <class Order>
__global__ __launch_bounds__(128) void attend(Order order, Way way, u64 count, Counter* counter, Attention a) {
  extern __shared__ __align__(128) unsigned char memory[];
  for_positions(way, count, counter,
                [&](u64 w) { attend_row(*reinterpret_cast<AttentionMemory*>(memory), a, order(w)); });
}

/// Sequences side by side, with Q, K, V and O.
struct AttentionCase {
  std::vector<Sequence> sequences;
  int heads;
  Array<Half> q, k, v;
  Array<float> o;
  Array<Sequence> on_device;
  std::vector<Half> host_q, host_k, host_v;

  static std::vector<Sequence> laid_out(const std::vector<AttentionMask>& masks, int heads) {
    std::vector<Sequence> out;
    u64 queries = 0, keys = 0;
    for (const AttentionMask& mask : masks) {
      out.push_back({mask, queries, keys});
      queries += u64{mask.queries} * heads * kHead, keys += u64{mask.keys} * heads * kHead;
    }
    return out;
  }
  static u64 total(const std::vector<AttentionMask>& masks, int heads, u32 AttentionMask::*part) {
    u64 sum = 0;
    for (const AttentionMask& mask : masks) sum += u64{mask.*part} * heads * kHead;
    return sum;
  }
  AttentionCase(const std::vector<AttentionMask>& masks, int head_count)
      : sequences(laid_out(masks, head_count)),
        heads(head_count),
        q(total(masks, heads, &AttentionMask::queries)),
        k(total(masks, heads, &AttentionMask::keys)),
        v(k.count),
        o(q.count),
        on_device(sequences) {
    host_q = random_half(q.count), host_k = random_half(k.count), host_v = random_half(v.count);
    std::reverse(host_v.begin(), host_v.end());
    must(cudaMemcpy(q.at, host_q.data(), q.count * sizeof(Half), cudaMemcpyHostToDevice), "copy");
    must(cudaMemcpy(k.at, host_k.data(), k.count * sizeof(Half), cudaMemcpyHostToDevice), "copy");
    must(cudaMemcpy(v.at, host_v.data(), v.count * sizeof(Half), cudaMemcpyHostToDevice), "copy");
  }

  /// Whether 40 rows of the result are those of float64.
  bool right() const {
    const auto result = o.host();
    Random random;
    for (int turn = 0; turn < 40; ++turn) {
      const Sequence& s = sequences[random.next() % sequences.size()];
      const u32 head = random.next() % u32(heads), last = s.mask.queries - 1;
      const u32 query = turn == 0 ? 0 : turn == 1 ? last : random.next() % s.mask.queries;
      const u64 at = s.queries + (u64{head} * s.mask.queries + query) * kHead,
                keys = s.keys + u64{head} * s.mask.keys * kHead;
      std::vector<double> sum(kHead);
      double weights = 0;
      for (u32 key = 0; key < s.mask.keys; ++key) {
        if (!s.mask.holds(query, key)) continue;
        double dot = 0;
        for (int c = 0; c < kHead; ++c)
          dot += double(__bfloat162float(host_q[at + c])) * __bfloat162float(host_k[keys + u64{key} * kHead + c]);
        const double weight = std::exp(dot * 0.125);
        weights += weight;
        for (int c = 0; c < kHead; ++c) sum[c] += weight * __bfloat162float(host_v[keys + u64{key} * kHead + c]);
      }
      for (int c = 0; c < kHead; ++c) {
        if (!(std::abs(result[at + c] - (weights > 0 ? sum[c] / weights : 0)) <= 0.02)) return false;
      }
    }
    return true;
  }
};

template <class Order>
Contender attention_by(const char* name, const Order& order, Way way, u64 count, AttentionCase& c, bool ours) {
  const auto counter = std::make_shared<Array<Counter>>(1);
  constexpr int kBytes = sizeof(AttentionMemory);
  must(cudaFuncSetAttribute(attend<Order>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes), "shared memory");
  int resident = 1;
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, attend<Order>, 128, kBytes), "occupancy");
  must(cudaMemset(c.o.at, 0xff, c.o.count * sizeof(float)), "memset");  // no number: each row must be written
  const Attention a{c.q.at, c.k.at, c.v.at, c.o.at, c.on_device.at};
  Contender made{name, way, ours,
                 [=] { attend<<<blocks(way, count, resident), 128, kBytes>>>(order, way, count, counter->at, a); }};
  made.launch();
  made.right = c.right();
  return made;
}

const auto kNothing = [](double) {};

void compare_attention(const char* title, const AttentionMask& mask, int heads, int batch) {
  std::printf("%s: %u queries, %u keys, %d heads, batch %d\n", title, mask.queries, mask.keys, heads, batch);
  AttentionCase c(std::vector<AttentionMask>(batch, mask), heads);
  const AttentionTiling tiling(mask, kHead, kHead);
  const int rows = int(tiling.rows()), problems = heads * batch;
  int section = 1;  // as FlashAttention 3 finds it
  while (u64{mask.keys} * kHead * 2 * 2 * section * 2 <= (u64{32} << 20)) section *= 2;
  section = std::min(section, problems);
  const u64 count = u64(rows) * problems;
  const FlashOrder second{tiling, rows, heads, problems, 0}, third{tiling, rows, heads, problems, section};
  const RowOrder<AttentionRows> own{{tiling, u32(heads), u32(batch), u32(section)}};
  const double ratio = compare({attention_by("FlashAttention 2's grid", second, Way::grid, count, c, false),
                                attention_by("FlashAttention 3, static", second, Way::stride, count, c, false),
                                attention_by("FlashAttention 3, dynamic", third, Way::queue, count, c, false),
                                attention_by("AttentionRows", own, Way::grid, count, c, true),
                                attention_by("AttentionRows", own, Way::queue, count, c, true)},
                               kNothing);
  std::printf("  the faster of ours beside the fastest of theirs, time: %.3f\n", ratio);
}

/// FlashAttention 2's grid for sequences of different lengths: as many rows for each as the longest has.
struct PaddedOrder {
  const Sequence* sequences;
  u32 rows, heads;
  __device__ AttentionRow operator()(u64 position) const {
    const u32 row = u32(position % rows), problem = u32(position / rows);
    const AttentionTiling tiling(sequences[problem / heads].mask, kHead, kHead);
    AttentionRow out;
    if (row < tiling.rows()) out = tiling.row(row);
    out.row = row, out.sequence = problem / heads, out.head = problem % heads;
    return out;
  }
};

void compare_ragged(int count, u32 shortest, u32 longest, int heads) {
  std::vector<AttentionMask> masks;
  Random random;
  u32 rows = 0;
  for (int k = 0; k < count; ++k) {
    const u32 length = shortest + random.next() % (longest - shortest);
    masks.push_back(AttentionMask::causal(length, length));
    rows = std::max(rows, AttentionTiling(masks.back(), kHead, kHead).rows());
  }
  std::printf("ragged: %d sequences of %u to %u, %d heads\n", count, shortest, longest, heads);
  AttentionCase c(masks, heads);
  const Array<AttentionRow> table(AttentionBatch::make_table(masks, kHead, kHead));
  const RowOrder<AttentionBatch> own{{table.at, u32(table.count), u32(heads)}};
  const u64 tiles = own.map.tile_count(), padded = u64{rows} * heads * count;
  const PaddedOrder grid{c.on_device.at, rows, u32(heads)};
  const double ratio = compare({attention_by("padded grid", grid, Way::grid, padded, c, false),
                                attention_by("AttentionBatch", own, Way::grid, tiles, c, true),
                                attention_by("AttentionBatch", own, Way::queue, tiles, c, true)},
                               kNothing);
  std::printf("  the faster of ours beside the padded grid, time: %.3f\n", ratio);
}

}  // namespace

void attention() {
  std::printf("2. Attention, heads of %d, bf16, tiles of %d x %d\n", kHead, kHead, kHead);
  const u32 tokens = quick ? 2048 : 16384;
  for (u32 length = quick ? 1024 : 512; length <= tokens; length *= 2) {
    compare_attention("causal", AttentionMask::causal(length, length), quick ? 4 : 32, int(tokens / length));
  }
  compare_attention("causal, a part of the queries", AttentionMask::causal(tokens / 16, tokens), quick ? 4 : 32, 1);
  compare_attention("causal, a window of 1,024", AttentionMask::windowed(tokens, tokens, 1024, 0), quick ? 4 : 32, 1);
  compare_attention("causal, more queries than keys", AttentionMask::causal(2000, 1000), quick ? 4 : 32, 4);
  quick ? compare_ragged(5, 100, 900, 4) : compare_ragged(32, 128, 4096, 16);
}

}  // namespace tri::schedulers
