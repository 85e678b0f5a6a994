// The kernels that find out how fast a device is at most: that they do what is counted.

#include "sim/cuda/kernels/peak_rates.hpp"

#include <algorithm>

#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

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
