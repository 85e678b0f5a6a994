// The kernels with one thread per element against plain host loops, at awkward sizes, on every map and block.

#include <algorithm>
#include <numeric>

#include "sim/base/splitmix64.hpp"
#include "sim/cuda/kernels/element_kernels.hpp"
#include "sim/cuda/kernels/plain/plain_kernels.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using cuda::DeviceBuffer;
using cuda::PreparedLaunch;
using cuda::Stream;

using CudaElements = CudaTest;

using Sums = std::pair<u64, u64>;

/// The sums that prepare(sums) adds up.
template <class Prepare>
Sums checksum(const Prepare& prepare, const Stream& stream) {
  DeviceBuffer<unsigned long long> sums(2 * cuda::kChecksumSlots);
  sums.fill_bytes(0, stream);
  prepare(sums.data()).enqueue(stream);
  const auto slots = sums.download(stream);
  const auto half = slots.begin() + cuda::kChecksumSlots;
  return {std::accumulate(slots.begin(), half, u64{0}), std::accumulate(half, slots.end(), u64{0})};
}

Sums plain_sums(u32 n, const Stream& stream) {
  return checksum([&](auto* sums) { return cuda::prepare_plain_checksum<TriangleMapId>(n, sums); }, stream);
}

Sums map_sums(TriangleMapId map, u32 n, u32 rho, const Stream& stream) {
  return checksum([&](auto* sums) { return cuda::prepare_checksum(map, n, rho, sums); }, stream);
}

TEST_F(CudaElements, EachElementIsVisitedOnce) {
  const Stream stream;
  for (const u32 n : sizes({1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 127, 1023, 1025, 4097})) {
    DeviceBuffer<u32> cells(u64{n} * (n + 1) / 2);
    for (const u32 rho : thinned<u32>({8, 1, 3, 16, 32})) {
      if (rho < 8 && n > 1025) continue;
      for (const TriangleMapId map : maps_for(n, rho)) {
        cells.fill_bytes(0, stream);
        cuda::prepare_write(map, n, rho, cells.data()).enqueue(stream);
        const std::vector<u32> met = cells.download(stream);
        EXPECT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 1u)), met.size()) << name(map, n, rho);
      }
    }
  }
}

TEST_F(CudaElements, ChecksumsAgreeWithAPlainLoop) {
  const Stream stream;
  for (const u32 n : sizes({1, 5, 16, 33, 1000, 4097, 20000})) {
    const Sums expected = plain_sums(n, stream);
    EXPECT_EQ(expected.first, u64{n} * (n + 1) / 2);
    for (const u32 rho : {8u, 16u, 32u}) {
      for (const TriangleMapId map : maps_for(n, rho))
        EXPECT_EQ(map_sums(map, n, rho, stream), expected) << name(map, n, rho);
    }
  }
}

/// More than 2^31 - 1 blocks along x, more than 65535 along y.
TEST_F(CudaElements, LaunchesBeyondTheGridLimitsAreSplit) {
  if (small_only()) GTEST_SKIP() << "billions of blocks";
  const Stream stream;
  const u32 n = 65600;
  const Sums expected = plain_sums(n, stream);
  for (const TriangleMapId map : {TriangleMapId::bb, TriangleMapId::lambda, TriangleMapId::h, TriangleMapId::rec}) {
    const auto prepare = [&](auto* sums) {
      const PreparedLaunch work = cuda::prepare_checksum(map, n, 1, sums);
      EXPECT_GT(work.launches, 1u) << info(map).name;
      return work;
    };
    EXPECT_EQ(checksum(prepare, stream), expected) << info(map).name;
  }
}

/// The sums must detect a wrong map.
TEST_F(CudaElements, AWrongMapHasAnotherChecksum) {
  if (small_only()) GTEST_SKIP() << "large";
  const Stream stream;
  const Sums expected = plain_sums(3000, stream);
  const Sums got = map_sums(TriangleMapId::lambda_r, 3000, 1, stream);
  EXPECT_NE(got.second, expected.second);
}

/// Life by four nested loops.
std::vector<u8> next_generation(const std::vector<u8>& now, i64 n) {
  const auto alive = [&](i64 i, i64 j) {
    return i >= 0 && i < n && j >= 0 && j <= i ? now[static_cast<std::size_t>(i * n + j)] : 0;
  };
  std::vector<u8> next(now.size(), 0xa5);
  for (i64 i = 0; i < n; ++i) {
    for (i64 j = 0; j <= i; ++j) {
      int around = -alive(i, j);
      for (i64 di = -1; di <= 1; ++di) {
        for (i64 dj = -1; dj <= 1; ++dj) around += alive(i + di, j + dj);
      }
      next[static_cast<std::size_t>(i * n + j)] = around == 3 || (around == 2 && alive(i, j));
    }
  }
  return next;
}

TEST_F(CudaElements, AutomatonLivesOnTheTriangle) {
  const Stream stream;
  for (const u32 n : sizes({1, 2, 3, 16, 33, 127, 257})) {
    std::vector<u8> start(u64{n} * n, 0);
    SplitMix64 random{n};
    for (u64 i = 0; i < n; ++i) {
      for (u64 j = 0; j <= i; ++j) start[i * n + j] = random.next() % 3 == 0;
    }
    const std::vector<u8> expected = next_generation(start, n);
    DeviceBuffer<u8> now(start.size()), next(start.size());
    DeviceBuffer<unsigned long long> faults(1);
    now.upload(start, stream);
    for (const u32 rho : {1u, 8u, 16u, 32u}) {
      for (const TriangleMapId map : maps_for(n, rho)) {
        next.fill_bytes(0xa5, stream);
        cuda::prepare_automaton(map, n, rho, now.data(), next.data()).enqueue(stream);
        EXPECT_TRUE(next.download(stream) == expected) << name(map, n, rho);
      }
    }
    faults.fill_bytes(0, stream);
    cuda::plain_automaton_faults(now.data(), next.data(), n, 0xa5, faults.data(), stream);
    EXPECT_EQ(faults.download(stream)[0], 0u);
  }
}

}  // namespace
}  // namespace tri::test
