#pragma once
/// The fixture of tests whose kernels are compiled at run time: they need a device and NVRTC.

#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {

class RuntimeKernelTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (const Availability can = cuda::runtime_kernels_available(); !can) GTEST_SKIP() << can.reason;
  }
};

}  // namespace tri::test
