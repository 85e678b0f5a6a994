// Work in slices: how many there are, and that they cover the whole work, on every map.

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/cuda/engine/overlap_search.hpp"
#include "sim/cuda/kernels/collisions/collision.hpp"
#include "sim/cuda/runtime/slicing.hpp"
#include "tests/sim/cuda/engine/pair_support.hpp"

namespace tri::test {
namespace {

using CudaSlices = CudaTest;

TEST(Slices, AsManyAsTheTimeAsksFor) {
  EXPECT_EQ(cuda::slices_of(1e6, 1e6, 50), 1u);
  EXPECT_EQ(cuda::slices_of(50e6, 1e6, 50), 1u);
  EXPECT_EQ(cuda::slices_of(50.1e6, 1e6, 50), 2u);
  EXPECT_EQ(cuda::slices_of(1e9, 1e6, 50), 20u);
  EXPECT_EQ(cuda::slices_of(0, 1e6, 50), 1u);
  EXPECT_EQ(cuda::slices_of(1e9, 1e6, std::numeric_limits<double>::infinity()), 1u);
  EXPECT_EQ(cuda::slices_of(1e30, 1e6, 1e-3), 1u << 16) << "bounded";
}

TEST_F(CudaSlices, TheEstimateIsOfThisDevice) {
  const double fp32 = cuda::min_pairs_per_ms(0, Precision::fp32), fp64 = cuda::min_pairs_per_ms(0, Precision::fp64);
  EXPECT_GT(fp32, 1e6);
  EXPECT_LT(fp32, 1e10);
  EXPECT_LE(fp64, fp32);
  EngineConfig config;
  config.slice_ms = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cuda::slices_for(config, 1000000, 0), 1u);
  config.slice_ms = 1;
  EXPECT_GT(cuda::slices_for(config, 1000000, 0), 10u);
  EXPECT_EQ(cuda::slices_for(config, 100, 0), 1u);
  config.slice_ms = 0;
  config.precision = Precision::fp32;
  const auto bodies_for = [&](double ms) { return static_cast<u64>(std::sqrt(2 * ms * fp32)); };
  EXPECT_EQ(cuda::slices_for(config, bodies_for(100), 0), cuda::drives_display(0) ? 2u : 1u);
  EXPECT_EQ(cuda::slices_for(config, bodies_for(990), 0), cuda::drives_display(0) ? 20u : 5u) << "for Ctrl-C";
}

/// The measured time of a slice is within the requested one.
TEST_F(CudaSlices, NoSliceTakesLongerThanRequested) {
  if (small_only()) GTEST_SKIP() << "under a checker times mean nothing";
  const u32 n = 65536;
  EngineConfig config = pair_config<float>(Accumulate::fast);
  config.slice_ms = 1;
  const u32 slices = cuda::slices_for(config, n, 0);
  const cuda::Stream stream;
  const HeldBodies<float> held(cloud_bodies(n), stream);
  cuda::DeviceBuffer<cuda::Vec4<float>> out(n);
  out.fill_bytes(0, stream);
  const auto tiling = cuda::fast_tiling(PairLaw::gravity, Precision::fp32, 384);
  const auto work =
      cuda::prepare_pair_tiles<float>(gravity_field(), TriangleMapId::lambda, n, tiling, Accumulate::fast, slices);
  EXPECT_GE(work.launches, slices);
  cuda::EventTimer timer;
  std::vector<double> times;
  for (int run = 0; run < 2; ++run) {  // the first loads the kernel
    for (u32 k = 0; k < work.launches; ++k) {
      timer.start(stream);
      work.launch(stream, k, held.view(), {out.data(), nullptr, nullptr});
      timer.stop(stream);
      if (run == 1) times.push_back(timer.elapsed_ms());
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  EXPECT_LT(times[times.size() / 2], 1.0);
}

template <class Real>
void check_sums(const PairCase& c) {
  const cuda::Stream stream;
  const u32 n = static_cast<u32>(c.bodies.size()), tile = 128;
  const HeldBodies<Real> held(c.bodies, stream);
  cuda::PairForces<Real> whole(c.field, pair_config<Real>(Accumulate::ordered), n, 0);
  const Sums<Real> expected = sums_by(whole, held, stream);
  const auto tiling = cuda::ordered_tiling(c.field.pair, kPrecisionOf<Real>, n, tile);
  cuda::DeviceBuffer<unsigned long long> bins(u64{n} * 3 * cuda::ordered_bins(kPrecisionOf<Real>)), left(1);
  cuda::DeviceBuffer<u32> broken(n);
  cuda::DeviceBuffer<cuda::Vec4<Real>> out(n);
  bins.fill_bytes(0, stream), left.fill_bytes(0, stream), broken.fill_bytes(0, stream);
  for (const TriangleMapId map : maps_for(n, tile)) {
    for (const u32 slices : {2u, 7u, 100000u}) {
      const auto work = cuda::prepare_pair_tiles<Real>(c.field, map, n, tiling, Accumulate::ordered, slices);
      EXPECT_GT(work.launches, 1u) << info(map).name;
      const cuda::PairSums<Real> sums{out.data(), bins.data(), broken.data()};
      // Backwards: slices are independent.
      for (u32 k = work.launches; k-- > 0;) work.launch(stream, k, held.view(), sums);
      cuda::finish_ordered_sums(sums, n, left.data(), stream);
      ASSERT_TRUE(same_bits(out.download(stream), expected)) << info(map).name << ", " << slices << " slices";
    }
  }
}

TEST_F(CudaSlices, SumsEqualThoseOfOneLaunch) {
  for (const PairCase& c : pair_cases(small_only() ? 400 : 2000)) {
    check_sums<float>(c);
    check_sums<double>(c);
  }
}

TEST_F(CudaSlices, ContactsEqualThoseOfOneLaunch) {
  const u32 n = small_only() ? 400 : 3000;
  const Bodies b = cloud_bodies(n);
  const cuda::Stream stream;
  const HeldBodies<float> held(b, stream);
  u64 expected = 0;
  for (const TriangleMapId map : maps_for(n, 128)) {
    for (const double slice_ms : {std::numeric_limits<double>::infinity(), 1e-5, 1e-7}) {
      EngineConfig config = pair_config<float>(Accumulate::fast, map, 128);
      config.slice_ms = slice_ms;
      config.broad_phase = BroadPhase::all_pairs;
      cuda::OverlapSearch<float> search(b, Box{}, config, stream);
      search.enqueue(stream, held.view());
      const u64 found = search.found(stream);
      if (expected == 0) expected = found;
      EXPECT_EQ(found, expected) << info(map).name << ", " << slice_ms;
    }
  }
  EXPECT_GT(expected, 100u);
}

}  // namespace
}  // namespace tri::test
