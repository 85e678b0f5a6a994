/// Maps beside the schedulers that others publish, on their own shapes: right, and how fast.
///
///     nvcc -std=c++20 -O3 -arch=native -I. tests/sim/maps/schedulers*.cu -o schedulers && ./schedulers
///
/// A triangular product (QuACK), causal attention (FlashAttention 2 and 3) and a broad phase of all pairs (MuJoCo-Warp,
/// Newton): one kernel each, in which only the order of tiles differs. The index arithmetic of others is written anew
/// from what their sources do. Every time is the median of 21 launches; `quick` makes it 3, and the shapes small. Exits
/// with 1 where a result of ours is wrong, with 3 without a GPU.

#include <mma.h>

#include <cstring>
#include <string>

#include "sim/maps/triangle_lambda.hpp"
#include "sim/maps/triangle_lambda_grouped.hpp"
#include "tests/sim/maps/schedulers.cuh"

namespace wmma = nvcuda::wmma;

namespace tri::schedulers {
namespace {

// Triangular products D = A A^T, the tiles on and below the diagonal: QuACK's order beside ours, in one kernel.

/// QuACK: groups of `group` rows; in a group squares of group x group from the left, column after column, and at the
/// end the triangle. The roots are float32 and the device's approximation.
struct QuackOrder {
  int rows, group;
  static constexpr const char* kName = "QuACK's order";
  __device__ static float root(int index) {
    float v = 2.25f + static_cast<float>(2 * index);
    asm("sqrt.approx.f32 %0, %0;" : "+f"(v));
    return v - 0.5f;
  }
  __device__ Tile2 operator()(u64 position) const {
    const int t = static_cast<int>(position);
    const int band = static_cast<int>(ceilf(root(t) * (1.0f / static_cast<float>(group)))) - 1, top = band * group;
    const int rest = t - top * (top + 1) / 2, height = band < rows / group ? group : rows % group;
    const int square = height * group, before = rest / square, inside = rest - before * square;
    if (rest < square * band) return {u32(top + inside % height), u32(before * group + inside / height)};
    const int row = static_cast<int>(ceilf(root(inside))) - 1;
    return {u32(top + row), u32(before * group + inside - row * (row + 1) / 2)};
  }
};

template <class M>
struct MapOrder {
  M map;
  static constexpr const char* kName = M::kInfo.name;
  __device__ Tile2 operator()(u64 position) const { return map.begin({position, 0, 0, 0}).tile(); }
};
using Grouped = MapOrder<TriangleGroupedBy<3>>;
using Lambda = MapOrder<TriangleLambda>;

template <class Order>
__global__ void count_tiles(Order order, u32 side, u64 count, u32* met, Counter* outside) {
  const u64 w = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (w >= count) return;
  const Tile2 at = order(w);
  if (at.row >= side || at.col > at.row) {
    atomicAdd(outside, Counter{1});
  } else {
    atomicAdd(met + triangular_of_row(at.row) + at.col, 1u);
  }
}

/// Tiles of a side that an order misses, or meets outside.
template <class Order>
u64 faults(const Order& order, u32 side) {
  const u64 count = triangular(side);
  Array<u32> met(count);
  Array<Counter> outside(1);
  count_tiles<<<unsigned((count + 255) / 256), 256>>>(order, side, count, met.at, outside.at);
  const auto all = met.host();
  return u64(std::count_if(all.begin(), all.end(), [](u32 n) { return n != 1; })) + outside.host()[0];
}

constexpr int kTile = 128, kDeep = 32, kPad = 8, kLine = kDeep + kPad;

__device__ void fetch(Half* to, const Half* from, int depth) {  // 128 x 32 elements, 16 bytes a thread and turn
  for (int k = threadIdx.x; k < kTile * kDeep / 8; k += blockDim.x) {
    const int row = k / (kDeep / 8), part = k % (kDeep / 8) * 8;
    const unsigned there = static_cast<unsigned>(__cvta_generic_to_shared(to + row * kLine + part));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(there), "l"(from + u64(row) * depth + part));
  }
}

/// One tile of D: 8 warps, each 32 x 64, two stages of A in shared memory.
__device__ void multiply_tile(Half* stage, const Half* a, float* d, int n, int depth, Tile2 at) {
  const int warp = threadIdx.x / 32, top = warp / 2 * 32, left = warp % 2 * 64;
  const Half* const rows = a + u64{at.row} * kTile * depth;
  const Half* const cols = a + u64{at.col} * kTile * depth;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][4];
  for (auto& line : sum)
    for (auto& part : line) wmma::fill_fragment(part, 0.0f);
  const auto fetch_both = [&](int k) {
    Half* const to = stage + (k / kDeep & 1) * 2 * kTile * kLine;
    if (k < depth) fetch(to, rows + k, depth), fetch(to + kTile * kLine, cols + k, depth);
    asm volatile("cp.async.commit_group;");
  };
  fetch_both(0);
  for (int k = 0; k < depth; k += kDeep) {
    fetch_both(k + kDeep);
    asm volatile("cp.async.wait_group 1;");
    __syncthreads();
    const Half* const x = stage + (k / kDeep & 1) * 2 * kTile * kLine;
    for (int step = 0; step < kDeep; step += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, Half, wmma::row_major> p[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, Half, wmma::col_major> q[4];
      for (int r = 0; r < 2; ++r) wmma::load_matrix_sync(p[r], x + (top + 16 * r) * kLine + step, kLine);
      for (int c = 0; c < 4; ++c) wmma::load_matrix_sync(q[c], x + (kTile + left + 16 * c) * kLine + step, kLine);
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 4; ++c) wmma::mma_sync(sum[r][c], p[r], q[c], sum[r][c]);
    }
    __syncthreads();
  }
  float* const to = d + (u64{at.row} * kTile + top) * n + u64{at.col} * kTile + left;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c)
      wmma::store_matrix_sync(to + u64(16 * r) * n + 16 * c, sum[r][c], n, wmma::mem_row_major);
}

template <class Order>
__global__ __launch_bounds__(256) void multiply(Order order, Way way, u64 count, Counter* counter, const Half* a,
                                                float* d, int n, int depth) {
  __shared__ alignas(128) Half stage[2 * 2 * kTile * kLine];
  for_positions(way, count, counter, [&](u64 w) { multiply_tile(stage, a, d, n, depth, order(w)); });
}

/// Whether 2,000 elements of D are the products in float64, and the upper tiles are untouched.
bool product_is_right(const std::vector<Half>& a, const Array<float>& d, int n, int depth) {
  const auto result = d.host();
  Random random;
  for (int k = 0; k < 2000; ++k) {
    const int i = int(random.next()) % n, j = int(random.next()) % n;
    double sum = 0, size = 1;
    for (int t = 0; t < depth; ++t) {
      const double term = double(__bfloat162float(a[u64(i) * depth + t])) * __bfloat162float(a[u64(j) * depth + t]);
      sum += term, size += std::abs(term);
    }
    const double expected = j / kTile <= i / kTile ? sum : 0;
    if (!(std::abs(result[u64(i) * n + j] - expected) <= 1e-5 * size)) return false;
  }
  return true;
}

template <class Order>
Contender product(const Order& order, Way way, const std::vector<Half>& host, const Array<Half>& a, Array<float>& d,
                  int n, int depth) {
  const u64 count = triangular(n / kTile);
  const auto counter = std::make_shared<Array<Counter>>(1);
  int resident = 1;
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, multiply<Order>, 256, 0), "occupancy");
  Contender made{Order::kName, way, !std::is_same_v<Order, QuackOrder>, [=, &a, &d] {
                   multiply<<<blocks(way, count, resident), 256>>>(order, way, count, counter->at, a.at, d.at, n,
                                                                   depth);
                 }};
  d.zero();
  made.launch();
  made.right = product_is_right(host, d, n, depth);
  return made;
}

void products() {
  std::printf("1. Triangular products, tiles of %d x %d, bf16; seven shapes (n x depth)\n", kTile, kTile);
  const std::vector<std::pair<int, int>> shapes =
      quick ? std::vector<std::pair<int, int>>{{1024, 512}}
            : std::vector<std::pair<int, int>>{{1024, 1024}, {2048, 2048}, {2560, 5120}, {4096, 4096},
                                               {5120, 5120}, {8192, 8192}, {16384, 4096}};
  for (const auto& [n, depth] : shapes) {
    std::printf("n = %d, depth = %d\n", n, depth);
    const auto host = random_half(u64(n) * depth);
    const Array<Half> a(host);
    Array<float> d(u64(n) * n);
    const u32 side = u32(n / kTile);
    const QuackOrder quack{int(side), std::min(8, int(side))};
    std::vector<Contender> all;
    for (const Way way : {Way::grid, Way::stride, Way::queue}) {
      all.push_back(product(quack, way, host, a, d, n, depth));
      all.push_back(product(Grouped{{side, Diagonal::with}}, way, host, a, d, n, depth));
      all.push_back(product(Lambda{{side, Diagonal::with}}, way, host, a, d, n, depth));
    }
    const double ratio = compare(all, [&](double ms) {
      std::printf(" %8.1f TFLOP/s", 2.0 * double(triangular(side)) * kTile * kTile * depth / ms / 1e9);
    });
    std::printf("  the faster of ours beside QuACK's, time: %.3f\n", ratio);
  }
  for (const u32 side : {64u, 4095u, 4104u, 8000u}) {
    const u64 ours = faults(Grouped{{side, Diagonal::with}}, side) + faults(Lambda{{side, Diagonal::with}}, side);
    std::printf("  %u tiles a side: tiles missed, met again or outside: QuACK's %llu, ours %llu\n", side,
                Counter(faults(QuackOrder{int(side), 8}, side)), Counter(ours));
    wrong += ours != 0;
  }
}

// The broad phase, all pairs of n spheres that meet: the index arithmetic of MuJoCo-Warp and Newton, and the square,
// beside ours. Products of 32 bits wrap, as they do in Warp.

struct Found {
  Counter pairs = 0, hash = 0, outside = 0;
  bool operator==(const Found& f) const { return pairs == f.pairs && hash == f.hash && outside == f.outside; }
};

__host__ __device__ Counter hash_of(u64 i, u64 j) {  // i < j
  u64 z = (i << 32 | j) * 0x9e3779b97f4a7c15ull;
  return (z ^ z >> 29) * 0xbf58476d1ce4e5b9ull;
}

__host__ __device__ bool meet(float4 a, float4 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, r = a.w + b.w;
  return x * x + y * y + z * z <= r * r;
}

__device__ void report(Found* found, u64 i, u64 j) {
  atomicAdd(&found->pairs, Counter{1});
  atomicAdd(&found->hash, i < j ? hash_of(i, j) : hash_of(j, i));
}

/// MuJoCo-Warp, as it was: a float32 root from the end. Products are of 32 bits, as in Warp.
struct MujocoPairs {
  static constexpr const char* kName = "MuJoCo-Warp, float32 root";
  __device__ int2 operator()(u64 position, int n) const {
    const int e = int(position),
              i = n - 2 - int(sqrtf(float(int(4 * u32(n) * u32(n - 1) - 8 * u32(e) - 7))) / 2.0f - 0.5f);
    const u32 above = u32(n) * u32(n - 1) / 2 - u32(n - i) * u32(n - i - 1) / 2;
    return {i, int(u32(e) + u32(i) + 1 - above)};
  }
};

/// Newton: bisection for the row, in 32 bits.
struct NewtonPairs {
  static constexpr const char* kName = "Newton, bisection";
  __device__ int2 operator()(u64 position, int n) const {
    const int e = int(position);
    if (e >= int(u32(n) * u32(n - 1)) >> 1) return {-1, -1};
    int low = 0, high = n - 1;
    while (low < high) {
      const int middle = (low + high) >> 1;
      const bool before = int(u32(middle) * u32(2 * n - middle - 1)) >> 1 <= e;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    const int i = low - 1;
    return {i, e - (int(u32(i) * u32(2 * n - i - 1)) >> 1) + i + 1};
  }
};

/// MuJoCo-Warp, as it is: a table of all pairs.
struct TablePairs {
  const int2* table;
  static constexpr const char* kName = "MuJoCo-Warp, table of pairs";
  __device__ int2 operator()(u64 position, int) const { return table[position]; }
};

struct ExactPairs {
  static constexpr const char* kName = "lambda";
  __device__ int2 operator()(u64 position, int) const {
    const RowCol at = triangular_split(position);
    return {int(at.col), int(at.row + 1)};
  }
};

template <class Pairs>
__global__ void meet_pairs(Pairs pairs, u64 count, int n, const float4* spheres, Found* found) {
  const u64 w = u64{blockIdx.x} * blockDim.x + threadIdx.x;
  if (w >= count) return;
  const int2 p = pairs(w, n);
  if (p.x < 0 || p.y < 0 || p.x >= n || p.y >= n || p.x == p.y) {
    atomicAdd(&found->outside, Counter{1});
  } else if (meet(spheres[p.x], spheres[p.y])) {
    report(found, u64(p.x), u64(p.y));
  }
}

__global__ void meet_square(int n, const float4* spheres, Found* found) {
  const u32 i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < j && j < u32(n) && meet(spheres[i], spheres[j])) report(found, i, j);
}

/// A tile of 128 x 128 pairs a block: a thread has one sphere of the row's and meets those of the column's.
__global__ void meet_tiles(TriangleLambda map, int n, const float4* spheres, Found* found) {
  __shared__ float4 others[128];
  const Tile2 at = map.begin({blockIdx.x, 0, 0, 0}).tile();
  const u32 i = at.row * 128 + threadIdx.x, first = at.col * 128;
  if (first + threadIdx.x < u32(n)) others[threadIdx.x] = spheres[first + threadIdx.x];
  __syncthreads();
  if (i >= u32(n)) return;
  const float4 own = spheres[i];
  const u32 count = at.row == at.col ? threadIdx.x : 128;  // columns lie before rows, so none is beyond n
  for (u32 k = 0; k < count; ++k) {
    if (meet(own, others[k])) report(found, first + k, i);
  }
}

Found found_by_host(const std::vector<float4>& spheres) {
  Found found;
  for (u64 j = 1; j < spheres.size(); ++j) {
    for (u64 i = 0; i < j; ++i) {
      if (meet(spheres[i], spheres[j])) ++found.pairs, found.hash += hash_of(i, j);
    }
  }
  return found;
}

void time_pairs(const char* name, const Found& expected, bool ours, const std::function<void(Found*)>& launch) {
  Array<Found> found(1);
  launch(found.at);
  const Found once = found.host()[0];
  const bool right = once == expected;
  wrong += ours && !right;
  // Where nearly every thread counts itself as one without a pair, a time says nothing.
  const double ms = once.outside < 1000000 ? medians_ms({[&] { launch(found.at); }})[0] : NAN;
  std::printf("  %-28s %9.4f ms  %llu pairs, %llu threads without one%s\n", name, ms, once.pairs, once.outside,
              right ? "" : "   WRONG");
}

template <class Pairs>
void time_thread_pairs(const Pairs& pairs, const Found& expected, bool ours, int n, const float4* spheres) {
  const u64 count = u64(n) * u64(n - 1) / 2;
  time_pairs(Pairs::kName, expected, ours, [&](Found* found) {
    meet_pairs<<<unsigned((count + 255) / 256), 256>>>(pairs, count, n, spheres, found);
  });
}

void broad_phase(int n) {
  std::vector<float4> host(n);
  Random random;
  // Multiples of 1/1024: no operation of meet() rounds, so that a host and a device agree. A few contacts a sphere.
  const u32 largest = 1 + static_cast<u32>(700.0 / std::cbrt(double(n)));
  const auto unit = [&random] { return float(random.next() % 1024) / 1024.0f; };
  for (float4& s : host) s = {unit(), unit(), unit(), float(1 + random.next() % largest) / 1024.0f};
  const Array<float4> spheres(host);
  Array<Found> square(1);
  const dim3 grid(unsigned(n + 31) / 32, unsigned(n + 7) / 8);
  meet_square<<<grid, dim3(32, 8)>>>(n, spheres.at, square.at);
  const Found expected = n <= 20000 ? found_by_host(host) : square.host()[0];
  std::printf("n = %d spheres\n", n);
  time_pairs("the square, upper half idle", expected, true,
             [&](Found* found) { meet_square<<<grid, dim3(32, 8)>>>(n, spheres.at, found); });
  time_thread_pairs(MujocoPairs{}, expected, false, n, spheres.at);
  time_thread_pairs(NewtonPairs{}, expected, false, n, spheres.at);
  if (n <= 20000) {
    std::vector<int2> all;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) all.push_back({i, j});
    const Array<int2> table(all);
    time_thread_pairs(TablePairs{table.at}, expected, false, n, spheres.at);
  }
  time_thread_pairs(ExactPairs{}, expected, true, n, spheres.at);
  const TriangleLambda map(u32(n + 127) / 128, Diagonal::with);
  time_pairs("lambda, tiles of 128 x 128", expected, true,
             [&](Found* found) { meet_tiles<<<unsigned(map.tile_count()), 128>>>(map, n, spheres.at, found); });
}

void broad_phases() {
  std::printf("3. Broad phase, all pairs\n");
  const std::vector<int> sizes =
      quick ? std::vector<int>{1000, 4609} : std::vector<int>{1000, 4608, 4609, 16384, 46342};
  for (const int n : sizes) broad_phase(n);
}

}  // namespace
}  // namespace tri::schedulers

int main(int argc, char** argv) {
  using namespace tri::schedulers;
  quick = argc > 1 && std::strcmp(argv[1], "quick") == 0;
  cudaDeviceProp device{};
  must(cudaGetDeviceProperties(&device, 0), "device");
  multiprocessors = device.multiProcessorCount;
  std::printf("%s, %d multiprocessors\n", device.name, multiprocessors);
  products();
  attention();
  broad_phases();
  std::printf(wrong == 0 ? "Every result of ours is right.\n" : "%d results of ours are WRONG.\n", wrong);
  return wrong == 0 ? 0 : 1;
}
