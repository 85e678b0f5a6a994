// The device meters on a real GPU.

#include "tests/sim/backend/cases.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using CudaMeter = CudaTest;

TEST_F(CudaMeter, ReadsPlausibleFiguresOfABusyCard) {
  const auto backend = make_backend("cuda");
  std::string why_not;
  const auto meter = backend->make_meter(why_not);
  if (meter == nullptr) GTEST_SKIP() << why_not;
  BenchSpec spec;
  spec.kernel = BenchKernel::collision;
  spec.n = small_only() ? 1000 : 65536;
  const auto bench = backend->make_bench(spec);
  bench->run();
  meter->begin();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) bench->run();
  const MeterReading r = meter->end();
  EXPECT_GE(r.seconds, 0.3);
  EXPECT_TRUE(r.energy_j || r.clock_mhz || r.temperature_c);
  if (r.energy_j) {
    EXPECT_GT(*r.power_w, 1.0);
    EXPECT_LT(*r.power_w, 3000.0);
    EXPECT_DOUBLE_EQ(*r.power_w, *r.energy_j / r.seconds);
  }
  if (r.clock_mhz) {
    EXPECT_GT(*r.clock_low_mhz, 50.0);
    EXPECT_LE(*r.clock_low_mhz, *r.clock_mhz);
    EXPECT_LT(*r.clock_mhz, 5000.0);
  }
  if (r.temperature_c) {
    EXPECT_GT(*r.temperature_c, 0.0);
    EXPECT_LT(*r.temperature_c, 120.0);
  }
}

}  // namespace
}  // namespace tri::test
