// The maps on the device: every omega of 32 bits, the host's answers, every launch shape, the dispatchers, and a wrong
// map caught.

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/base/numbers.hpp"
#include "sim/cuda/kernels/bench_kernels.hpp"
#include "sim/maps/map_check.hpp"
#include "sim/maps/map_registry.hpp"
#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"
#include "tests/sim/cuda/kernels/kernels.hpp"

namespace tri::test {
namespace {

constexpr Diagonal kDiagonals[] = {Diagonal::with, Diagonal::without};
/// The limits of the device, and small ones that split every launch into many grids.
constexpr GridLimits kShapes[] = {{}, {11, 5, 3}};

using CudaRoots = CudaTest;
using CudaMaps = CudaTest;

std::vector<RootKernels> all_flags() {
  return {root_kernels_plain(), root_kernels_fast_math(), root_kernels_without_fma()};
}

TEST_F(CudaRoots, EveryOmegaOf32BitsIsRight) {
  const u64 end = small_only() ? u64{1} << 16 : u64{1} << 32;
  for (const RootKernels& kernels : all_flags()) {
    for (const RootKind kind : kRootKinds) {
      EXPECT_EQ(kernels.wrong(kind, 0, end), 0u) << static_cast<int>(kind) << ", " << kernels.flags;
    }
  }
}

TEST_F(CudaRoots, OmegaAroundTheEndOf32BitsAndBeyondIsRight) {
  const u64 reach = small_only() ? 1000 : 50000;
  for (const RootKernels& kernels : all_flags()) {
    for (const RootKind kind : kRootKinds) {
      for (const u64 middle : {u64{1} << 32, u64{1} << 33, u64{1} << 40, u64{30'000'000'000'000}}) {
        EXPECT_EQ(kernels.wrong(kind, middle - reach, middle + reach), 0u)
            << static_cast<int>(kind) << ", " << kernels.flags << ", " << middle;
      }
    }
    // The last rows of the float64 seed.
    const u64 last = triangular_of_row(0x7fffffff);
    EXPECT_EQ(kernels.wrong(RootKind::double_seed, last - reach, last), 0u) << kernels.flags;
    EXPECT_EQ(kernels.wrong(RootKind::sqrt, last - reach, last), 0u) << kernels.flags;
  }
}

/// The float32 seed is known to fail here; if it does not, the test does not run that seed.
TEST_F(CudaRoots, TheFloatSeedAloneIsWrongFarOut) {
  if (small_only()) GTEST_SKIP() << "the wrong ones are rare";
  const u64 from = triangular_of_row(40'000'000);
  EXPECT_GT(root_kernels_plain().wrong(RootKind::float_seed, from, from + 2'000'000'000), 0u);
}

TEST_F(CudaRoots, HostAndDeviceAgreeOnRandomOmega) {
  const u64 total = small_only() ? 100'000 : 100'000'000;
  for (const RootKernels& kernels : all_flags()) {
    // All of the sample with the flags of the backend; the others are proven above, and sampled here.
    const bool plain = std::string(kernels.flags) == "plain";
    for (const RootKind kind : {RootKind::sqrt, RootKind::layer}) {
      const u64 count = plain && kind == RootKind::sqrt ? total : total / 20;
      const u32 bits = kind == RootKind::sqrt ? 61 : 60;
      for (u64 from = 0; from < count; from += u64{1} << 24) {
        const u64 part = std::min(count - from, u64{1} << 24);
        const std::vector<u32> got = kernels.roots(kind, from, part, bits);
        u64 different = 0;
        for (u64 k = 0; k < part; ++k) different += got[k] != root_of(kind, sample_omega(from + k, bits));
        ASSERT_EQ(different, 0u) << static_cast<int>(kind) << ", " << kernels.flags;
      }
    }
  }
}

template <class M>
u64 differences(const M& map, const std::vector<Answer>& device) {
  u64 different = 0;
  for (u64 k = 0; k < device.size(); ++k) different += !(device[k] == first_answer(map, sample_position(map, k)));
  return different;
}

TEST_F(CudaMaps, HostAndDeviceGiveTheSameTiles) {
  const u64 count = small_only() ? 10'000 : 1'000'000;
  for (u32 id = 0; id < kTriangleMapCount; ++id) {
    const auto map = static_cast<TriangleMapId>(id);
    for (const u32 side : {1u, 2u, 100u, 1621u, 4097u, 65537u, 3'000'000u}) {
      if (small_only() && side > 2000) continue;
      if (side > info(map).max_side || (map == TriangleMapId::lambda_lut && side > 5000)) continue;
      for (const Diagonal diagonal : kDiagonals) {
        if (side == 1 && diagonal == Diagonal::without) continue;
        const auto device = device_answers(map, side, diagonal, 1000, count);
        visit_triangle_map(map, side, diagonal, 1000, [&](const auto& m) {
          EXPECT_EQ(differences(m, device), 0u) << info(map).name << " " << side;
        });
      }
    }
  }
  for (u32 id = 0; id < kTetraMapCount; ++id) {
    const auto map = static_cast<TetraMapId>(id);
    for (const u32 side : {3u, 50u, 200u, 2343u, 100'000u}) {
      if (side > info(map).max_side || (small_only() && side > 100)) continue;
      for (const Diagonal diagonal : kDiagonals) {
        const auto device = device_answers(map, side, diagonal, 1000, count);
        visit_tetra_map(map, side, diagonal, 1000,
                        [&](const auto& m) { EXPECT_EQ(differences(m, device), 0u) << info(map).name << " " << side; });
      }
    }
  }
  for (u32 id = 0; id < kGasketMapCount; ++id) {
    const auto map = static_cast<GasketMapId>(id);
    for (const u32 levels : {0u, 1u, 5u, 12u, 16u}) {
      const auto device = device_answers(map, levels, count);
      visit_gasket_map(map, levels, 1000, [&](const auto& m) {
        EXPECT_EQ(differences(m, device), 0u) << info(map).name << " " << levels;
      });
    }
  }
}

/// What dispatched_tiles() must return, from the map itself on the host.
template <class M>
std::vector<Answer> host_tiles(const M& map, u32 slots) {
  std::vector<Answer> tiles;
  for_each_position(map, [&](Position p) {
    const std::size_t next = tiles.size() + slots;
    tile_visits(map, p, [&](auto tile) { tiles.push_back(answer_of(tile)); });
    ASSERT_LE(tiles.size(), next);
    tiles.resize(next);
  });
  return tiles;
}

template <class M>
u32 longest_run(const M& map) {
  u64 most = 0;
  for_each_position(map, [&](Position p) { most = std::max(most, tile_visits(map, p, [](auto) {})); });
  return static_cast<u32>(most);
}

/// device(slots) runs the map through its dispatcher. The last slot stays empty, unless a run is too long.
template <class M, class Device>
void expect_dispatched(const M& map, const Device& device) {
  const u32 slots = longest_run(map) + 1;
  const std::vector<Answer> host = host_tiles(map, slots), got = device(slots);
  ASSERT_EQ(got.size(), host.size());
  const auto [at, wrong] = std::mismatch(host.begin(), host.end(), got.begin());
  EXPECT_TRUE(at == host.end()) << map.kInfo.name << ", side " << map.side() << ", omega "
                                << (at - host.begin()) / slots << ": tile (" << wrong->a << ", " << wrong->b << ", "
                                << wrong->c << ") for (" << at->a << ", " << at->b << ", " << at->c << ")";
}

/// A dispatcher must give each position the tiles of the map that it was made from.
TEST_F(CudaMaps, DispatchersGiveEachPositionTheTilesOfItsMap) {
  for (const Diagonal diagonal : kDiagonals) {
    for (const u32 side : {1u, 2u, 3u, 7u, 8u, 33u, 100u}) {
      if (small_only() && side > 8) continue;
      for (u32 id = 0; id < kTriangleMapCount; ++id) {
        const auto map = static_cast<TriangleMapId>(id);
        if (info(map).space == Space::thread) continue;
        visit_triangle_map(map, side, diagonal, 37, [&](const auto& m) {
          expect_dispatched(m, [&](u32 slots) { return dispatched_tiles(map, side, diagonal, 37, slots); });
        });
      }
      for (u32 id = 0; id < kTetraMapCount; ++id) {
        const auto map = static_cast<TetraMapId>(id);
        visit_tetra_map(map, side, diagonal, 37, [&](const auto& m) {
          expect_dispatched(m, [&](u32 slots) { return dispatched_tiles(map, side, diagonal, 37, slots); });
        });
      }
    }
  }
}

void expect_covered(const DeviceCover& cover, const std::string& what) {
  const auto once = std::count(cover.met.begin(), cover.met.end(), 1u);
  EXPECT_EQ(static_cast<std::size_t>(once), cover.met.size()) << what;
  EXPECT_EQ(cover.outside, 0u) << what;
}

TEST_F(CudaMaps, EachTileIsVisitedOnceInEveryLaunchShape) {
  for (const GridLimits& shape : kShapes) {
    for (const Diagonal diagonal : kDiagonals) {
      for (const u32 side : {2u, 3u, 8u, 31u, 64u, 65u}) {
        if (small_only() && side > 8) continue;
        const std::string what = ", side " + std::to_string(side) + ", grids of " + std::to_string(shape.x);
        for (u32 id = 0; id < kTriangleMapCount; ++id) {
          const auto map = static_cast<TriangleMapId>(id);
          expect_covered(device_cover(map, side, diagonal, 37, shape), info(map).name + what);
        }
        for (u32 id = 0; id < kTetraMapCount; ++id) {
          const auto map = static_cast<TetraMapId>(id);
          if (side > 31) continue;
          expect_covered(device_cover(map, side, diagonal, 37, shape), info(map).name + what);
        }
      }
    }
    for (u32 id = 0; id < kGasketMapCount; ++id) {
      for (const u32 levels : {0u, 1u, 4u, 6u}) {
        const auto map = static_cast<GasketMapId>(id);
        expect_covered(device_cover(map, levels, shape), info(map).name + std::to_string(levels));
      }
    }
  }
}

TEST_F(CudaMaps, EachTileIsVisitedOnceAtLargerSides) {
  if (small_only()) GTEST_SKIP() << "large";
  for (const u32 side : {511u, 1025u, 1621u}) {
    for (u32 id = 0; id < kTriangleMapCount; ++id) {
      const auto map = static_cast<TriangleMapId>(id);
      expect_covered(device_cover(map, side, Diagonal::with, 2112, {}), info(map).name);
    }
  }
}

/// Beyond its limit the historical map visits some tiles twice and misses others, and the walk detects it.
TEST_F(CudaMaps, AWrongMapIsCaught) {
  if (small_only()) GTEST_SKIP() << "large";
  const u32 side = 3000;
  const DeviceCover cover = device_cover(TriangleMapId::lambda_r, side, Diagonal::with, 1, {});
  u64 holes = 0, duplicates = 0, first = ~u64{0};
  for (u64 k = 0; k < cover.met.size(); ++k) {
    holes += cover.met[k] == 0;
    duplicates += cover.met[k] > 1;
    if (cover.met[k] != 1 && first == ~u64{0}) first = k;
  }
  EXPECT_GT(holes, 0u);
  EXPECT_GT(duplicates + cover.outside, 0u);
  ASSERT_NE(first, ~u64{0});
  const u32 row = triangular_root(first);
  EXPECT_GE(row, 2055u);
  EXPECT_LE(row, 2057u);
  EXPECT_FALSE(refusal(info(TriangleMapId::lambda_r), side, 1).empty()) << "the map must be rejected";
}

// The kernels with one thread per element against plain host loops, at awkward sizes, on every map and block.

using cuda::DeviceBuffer;
using cuda::PreparedLaunch;
using cuda::Stream;

using CudaElements = CudaTest;

using TwoSums = std::pair<u64, u64>;

/// The sums that prepare(sums) adds up.
template <class Prepare>
TwoSums checksum(const Prepare& prepare, const Stream& stream) {
  DeviceBuffer<unsigned long long> sums(2 * cuda::kChecksumSlots);
  sums.fill_bytes(0, stream);
  prepare(sums.data()).enqueue(stream);
  const auto slots = sums.download(stream);
  const auto half = slots.begin() + cuda::kChecksumSlots;
  return {std::accumulate(slots.begin(), half, u64{0}), std::accumulate(half, slots.end(), u64{0})};
}

TwoSums plain_sums(u32 n, const Stream& stream) {
  return checksum([&](auto* sums) { return cuda::prepare_plain_checksum<TriangleMapId>(n, sums); }, stream);
}

TwoSums map_sums(TriangleMapId map, u32 n, u32 rho, const Stream& stream) {
  return checksum([&](auto* sums) { return cuda::prepare_checksum(map, n, rho, sums); }, stream);
}

TEST_F(CudaElements, EachElementIsVisitedOnce) {
  const Stream stream;
  for (const u32 n : sizes({1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 127, 1023, 1025, 4097})) {
    DeviceBuffer<u32> cells(u64{n} * (n + 1) / 2);
    for (const u32 rho : thinned<u32>({8, 1, 3, 16, 32})) {
      if (rho < 8 && n > 1025) continue;
      for (const TriangleMapId map : maps_for(n, rho)) {
        expect_each_once(map, n, rho, cells, stream);
      }
    }
  }
}

TEST_F(CudaElements, ChecksumsAgreeWithAPlainLoop) {
  const Stream stream;
  for (const u32 n : sizes({1, 5, 16, 33, 1000, 4097, 20000})) {
    const TwoSums expected = plain_sums(n, stream);
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
  const TwoSums expected = plain_sums(n, stream);
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
  const TwoSums expected = plain_sums(3000, stream);
  const TwoSums got = map_sums(TriangleMapId::lambda_r, 3000, 1, stream);
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
        cuda::prepare_automaton(map, n, rho, LifeRule{}, now.data(), next.data()).enqueue(stream);
        EXPECT_TRUE(next.download(stream) == expected) << name(map, n, rho);
      }
    }
    faults.fill_bytes(0, stream);
    cuda::plain_automaton_faults(now.data(), next.data(), n, 0xa5, faults.data(), stream);
    EXPECT_EQ(faults.download(stream)[0], 0u);
  }
}

// The kernels over single elements of the tetrahedron: coverage cell by cell, sums beyond 32 bits, every map.

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
    cuda::DeviceBuffer<u32> cells(u64{n} * (n + 1) * (n + 2) / 6);
    for (const u32 rho : thinned<u32>({4, 1, 3, 8, 10})) {
      if (rho < 8 && n > 400) continue;
      for (const TetraMapId map : usable_triple_maps(n, rho)) {
        expect_each_once(map, n, rho, cells, stream);
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

// The kernels that find out how fast a device is at most: that they do what is counted.

using CudaPeakRates = CudaTest;

TEST_F(CudaPeakRates, EveryThreadOfEveryBlockComesToTheFixedPoint) {
  const cuda::Stream stream;
  for (const u32 blocks : {1u, 3u, 1000u}) {
    cuda::DeviceBuffer<float> sums(u64{blocks} * cuda::kPeakThreads);
    sums.fill_bytes(0xff, stream);
    cuda::prepare_multiply_adds(blocks, 100, sums.data()).enqueue(stream);
    for (const float sum : sums.download(stream)) ASSERT_FLOAT_EQ(sum, cuda::kPeakChains);
  }
  EXPECT_EQ(cuda::multiply_adds_a_thread(100), 3200u);
}

TEST_F(CudaPeakRates, EmptyBlocksAreLaunched) {
  const cuda::Stream stream;
  const cuda::PreparedLaunch work = cuda::prepare_empty(100000);
  EXPECT_EQ(work.launched, 100000u);
  EXPECT_EQ(work.launches, 1u);
  work.enqueue(stream);
  stream.synchronize();
}

TEST_F(CudaPeakRates, AMultiplyAddTakesTimeForEachTurn) {
  const cuda::Stream stream;
  cuda::DeviceBuffer<float> sums(u64{4096} * cuda::kPeakThreads);
  const auto ms = [&](u32 turns) {
    const cuda::PreparedLaunch work = cuda::prepare_multiply_adds(4096, turns, sums.data());
    cuda::EventTimer timer;
    double least = 1e9;
    for (int k = 0; k < 5; ++k) {
      timer.start(stream);
      work.enqueue(stream);
      timer.stop(stream);
      least = std::min(least, timer.elapsed_ms());
    }
    return least;
  };
  const double once = ms(2000), twice = ms(4000);
  EXPECT_GT(twice, 1.6 * once) << "the loop was folded away";
  EXPECT_LT(twice, 2.4 * once);
}

}  // namespace
}  // namespace tri::test
