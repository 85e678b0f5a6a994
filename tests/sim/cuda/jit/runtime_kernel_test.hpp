#pragma once
/// The fixture of tests whose kernels are compiled at run time: they need a device and NVRTC, and keep what they
/// compile in a folder of their own.

#include <cstdlib>
#include <filesystem>

#include "sim/cuda/jit/runtime_kernel.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {

class RuntimeKernelTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    setenv("TRI_CACHE", (std::filesystem::path(testing::TempDir()) / "tri_kernels_of_tests").c_str(), 1);
    if (const Availability can = cuda::runtime_kernels_available(); !can) GTEST_SKIP() << can.reason;
  }
};

}  // namespace tri::test
