// The kernels over single elements of the tetrahedron: coverage cell by cell, sums beyond 32 bits, every map.

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/cuda/kernels/element_kernels.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaTripleElements = CudaTest;
using Sums3 = std::array<u64, 3>;

template <class Prepare>
Sums3 checksum3(const Prepare& prepare, const cuda::Stream& stream) {
  cuda::DeviceBuffer<unsigned long long> sums(3 * cuda::kChecksumSlots);
  sums.fill_bytes(0, stream);
  prepare(sums.data()).enqueue(stream);
  const auto slots = sums.download(stream);
  Sums3 result{};
  for (u32 row = 0; row < 3; ++row) {
    const auto begin = slots.begin() + row * cuda::kChecksumSlots;
    result[row] = std::accumulate(begin, begin + cuda::kChecksumSlots, u64{0});
  }
  return result;
}

TEST_F(CudaTripleElements, EachElementIsVisitedOnce) {
  const cuda::Stream stream;
  for (const u32 n : sizes({1, 2, 3, 4, 5, 7, 8, 9, 33, 65, 129, 400, 1024})) {
    const u64 cells = u64{n} * (n + 1) * (n + 2) / 6;
    cuda::DeviceBuffer<u32> counters(cells);
    for (const u32 rho : thinned<u32>({4, 1, 3, 8, 10})) {
      if (rho < 8 && n > 400) continue;
      for (const TetraMapId map : usable_triple_maps(n, rho)) {
        counters.fill_bytes(0, stream);
        cuda::prepare_write(map, n, rho, counters.data()).enqueue(stream);
        const std::vector<u32> met = counters.download(stream);
        EXPECT_EQ(static_cast<u64>(std::count(met.begin(), met.end(), 1u)), cells)
            << info(map).name << ", n " << n << ", rho " << rho;
      }
    }
  }
}

/// The sums of (i+1)(j+1)(k+1) over i < j < k, from closed forms and beyond 64 bits by Newton's identity, modulo 2^64.
TEST_F(CudaTripleElements, SumsAgreeWithClosedFormsAndAPlainLoop) {
  const cuda::Stream stream;
  const std::vector<std::pair<u32, u64>> known = {{3, 6},
                                                  {1000, 20812437520875000u},
                                                  {1024, 23995673067520000u},
                                                  {2346, 3471693783477065790u},
                                                  {4096, 6124877902470184960u}};
  for (const auto& [n, product] : known) {
    if (small_only() && n > 130) continue;
    const Sums3 expected =
        checksum3([n = n](auto* sums) { return cuda::prepare_plain_checksum<TetraMapId>(n, sums); }, stream);
    EXPECT_EQ(expected[0], u64{n} * (n + 1) * (n + 2) / 6);
    EXPECT_EQ(expected[2], product) << n;
    for (const u32 rho : {4u, 8u}) {
      for (const TetraMapId map : usable_triple_maps(n, rho)) {
        const Sums3 met =
            checksum3([&, n = n](auto* sums) { return cuda::prepare_checksum(map, n, rho, sums); }, stream);
        EXPECT_EQ(met, expected) << info(map).name << ", n " << n << ", rho " << rho;
      }
    }
  }
}

/// Beyond its limit the printed root is wrong, and the sums detect it.
TEST_F(CudaTripleElements, AWrongMapIsCaught) {
  if (small_only()) GTEST_SKIP() << "large";
  const cuda::Stream stream;
  const u32 n = 8 * 205;
  const Sums3 right =
      checksum3([&](auto* sums) { return cuda::prepare_checksum(TetraMapId::tetra, n, 8, sums); }, stream);
  const Sums3 wrong =
      checksum3([&](auto* sums) { return cuda::prepare_checksum(TetraMapId::tetra_r, n, 8, sums); }, stream);
  EXPECT_NE(wrong, right);
  EXPECT_FALSE(refusal(info(TetraMapId::tetra_r), n, 8).empty()) << "the map must be rejected";
}

}  // namespace
}  // namespace tri::test
