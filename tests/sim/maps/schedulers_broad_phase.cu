/// The broad phase, all pairs of n spheres that meet: the index arithmetic of MuJoCo-Warp and Newton, and the square,
/// beside ours. Products of 32 bits wrap, as they do in Warp.

#include <string>

#include "sim/maps/triangle_lambda.hpp"
#include "tests/sim/maps/schedulers.cuh"

namespace tri::schedulers {
namespace {

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
  const double ms = once.outside < 1000000 ? median_ms([&] { launch(found.at); }) : NAN;
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

}  // namespace

void broad_phases() {
  std::printf("3. Broad phase, all pairs\n");
  const std::vector<int> sizes =
      quick ? std::vector<int>{1000, 4609} : std::vector<int>{1000, 4608, 4609, 16384, 46342};
  for (const int n : sizes) broad_phase(n);
}

}  // namespace tri::schedulers
