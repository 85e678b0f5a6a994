// Messages for unusable machines: every status with which CUDA fails, without a device.

#include <set>

#include "sim/cuda/runtime/check.hpp"
#include "sim/cuda/runtime/device_memory.hpp"
#include "sim/cuda/runtime/device_reason.hpp"
#include "tests/sim/cuda/cuda_support.hpp"

namespace tri::test {
namespace {

using cuda::CudaError;
using cuda::no_tensor_code;
using cuda::ProbeFailure;
using cuda::unavailable_reason;

CudaDevice card(const char* name, u32 major, u32 minor) { return {0, name, major, minor, 0, 0, ""}; }

ProbeFailure here(std::optional<CudaDevice> device = {}) { return {{13000, 12040}, std::move(device), {}}; }

TEST(CudaReason, NoDriverAndOneTooOld) {
  EXPECT_EQ(unavailable_reason(cudaErrorInsufficientDriver, {{0, 12040}, {}, {}}), "no NVIDIA driver is installed");
  EXPECT_EQ(unavailable_reason(cudaErrorInsufficientDriver, {{11080, 12040}, {}, {}}),
            "the NVIDIA driver is too old: it runs CUDA 11.8 and this build needs 12.4; update the driver");
}

TEST(CudaReason, NoDevice) {
  ProbeFailure refused = here();
  EXPECT_EQ(unavailable_reason(cudaErrorNoDevice, refused), "the NVIDIA driver finds no GPU");
  refused.visible = "";
  EXPECT_EQ(unavailable_reason(cudaErrorNoDevice, refused),
            "CUDA_VISIBLE_DEVICES='' leaves no GPU; unset it, or let it name one");
  refused.visible = "7";
  EXPECT_NE(unavailable_reason(cudaErrorNoDevice, refused).find("='7'"), std::string::npos);
}

TEST(CudaReason, NoCodeNamesTheArchitectureToBuildFor) {
  for (const cudaError_t status : {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction}) {
    EXPECT_EQ(unavailable_reason(status, here(card("NVIDIA H200", 9, 0))),
              "this build has no code for NVIDIA H200 (compute capability 9.0); rebuild with "
              "-DCMAKE_CUDA_ARCHITECTURES=90");
  }
  // CUDA 13 compiles for Turing and later only.
  ProbeFailure volta{{13000, 13000}, card("Tesla V100", 7, 0), {}};
  EXPECT_EQ(unavailable_reason(cudaErrorNoKernelImageForDevice, volta),
            "this build has no code for Tesla V100 (compute capability 7.0); rebuild with a CUDA toolkit before 13 and "
            "-DCMAKE_CUDA_ARCHITECTURES=70");
  volta.versions.runtime = 12080;
  EXPECT_EQ(unavailable_reason(cudaErrorNoKernelImageForDevice, volta).find("toolkit"), std::string::npos);
  // CUDA 12.8 is the first that knows Blackwell.
  const ProbeFailure blackwell{{13000, 12060}, card("NVIDIA B200", 10, 0), {}};
  EXPECT_EQ(unavailable_reason(cudaErrorNoKernelImageForDevice, blackwell),
            "this build has no code for NVIDIA B200 (compute capability 10.0); rebuild with the CUDA toolkit 12.8 or "
            "later and -DCMAKE_CUDA_ARCHITECTURES=100");
  const ProbeFailure old_jit{{12040, 13000}, card("NVIDIA L4", 8, 9), {}};
  EXPECT_EQ(unavailable_reason(cudaErrorUnsupportedPtxVersion, old_jit),
            "this build has no code for NVIDIA L4 (compute capability 8.9); rebuild with "
            "-DCMAKE_CUDA_ARCHITECTURES=89, and the NVIDIA driver (CUDA 12.4) does not compile the portable code in it "
            "(CUDA 13.0)");
}

// A card is never told that it needs what it is newer than.
TEST(CudaReason, TensorCoresAreRefusedForTheCardOrForTheBuild) {
  EXPECT_EQ(no_tensor_code(card("NVIDIA L4", 8, 9), 9, " for triples in fp64"),
            "--arithmetic tensor needs a GPU of compute capability 9.0 or later for triples in fp64; this one has 8.9. "
            "Use --arithmetic float32.");
  EXPECT_EQ(no_tensor_code(card("NVIDIA B200", 10, 0), 9, " for triples in fp64"),
            "--arithmetic tensor needs program code for compute capability 9.0 or later for triples in fp64; what this "
            "build has for this GPU (10.0) is older. Rebuild with -DCMAKE_CUDA_ARCHITECTURES=100, or use --arithmetic "
            "float32.");
}

TEST(CudaReason, EachStatusHasItsOwnMessage) {
  std::set<std::string> said;
  const cudaError_t known[] = {
      cudaErrorInsufficientDriver,     cudaErrorStubLibrary,           cudaErrorNoDevice,
      cudaErrorNoKernelImageForDevice, cudaErrorUnsupportedPtxVersion, cudaErrorSystemDriverMismatch,
      cudaErrorSystemNotReady,         cudaErrorDevicesUnavailable,    cudaErrorMemoryAllocation};
  for (const cudaError_t status : known) {
    const std::string text = unavailable_reason(status, here(card("NVIDIA A2", 8, 6)));
    EXPECT_EQ(text.find("cannot be used"), std::string::npos) << text;
    EXPECT_NE(text.back(), '.') << text;
    EXPECT_TRUE(said.insert(text).second) << text;
  }
  EXPECT_EQ(unavailable_reason(cudaErrorECCUncorrectable, here(card("NVIDIA A2", 8, 6))),
            "NVIDIA A2 (compute capability 8.6) cannot be used: uncorrectable ECC error encountered "
            "(cudaErrorECCUncorrectable)");
  EXPECT_EQ(unavailable_reason(cudaErrorInitializationError, here()),
            "the NVIDIA driver cannot be used: initialization error (cudaErrorInitializationError)");
}

TEST(CudaCheck, ExitCodes) {
  for (const cudaError_t status :
       {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorInvalidDevice, cudaErrorNoKernelImageForDevice,
        cudaErrorUnsupportedPtxVersion, cudaErrorInitializationError, cudaErrorSystemNotReady, cudaErrorStubLibrary}) {
    EXPECT_EQ(CudaError(status, "call()").code(), ExitCode::no_gpu) << cudaGetErrorName(status);
  }
  EXPECT_EQ(CudaError(cudaErrorIllegalAddress, "call()").code(), ExitCode::numerical);
  EXPECT_THROW(cuda::throw_if_failed(cudaErrorMemoryAllocation, "call()"), MemoryError);
  EXPECT_THROW(cuda::throw_if_failed(cudaErrorIllegalAddress, "call()"), CudaError);
  EXPECT_NO_THROW(cuda::throw_if_failed(cudaSuccess, "call()"));
  const std::string text = message_of([] { cuda::throw_if_failed(cudaErrorMemoryAllocation, "cudaGraphInstantiate"); });
  EXPECT_NE(text.find("cudaGraphInstantiate failed"), std::string::npos) << text;
}

TEST(CudaCheck, ACountOfBytesBeyond64BitsIsNoMemory) {
  EXPECT_EQ(cuda::allocate_device_memory(0, 8), nullptr);
  // 2^64 bytes, which an allocator would see as zero.
  expect_parts(message_of<MemoryError>([] { cuda::allocate_device_memory(std::size_t{1} << 61, 8); }),
               {"1.72e+10 GiB"});
}

using CudaMemory = CudaTest;

/// Another program may take memory between prediction and allocation: the allocation fails, and the next launch works.
/// More than all addresses: of less the driver takes all that there is from the tests beside this one, and then fails.
TEST_F(CudaMemory, AFailedAllocationIsAMemoryErrorAndLeavesNothingBehind) {
  EXPECT_THROW(cuda::DeviceBuffer<u8>(std::size_t{1} << 60), MemoryError);
  EXPECT_NO_THROW(cuda::check_launch("nothing"));
  EXPECT_THROW(TRI_CUDA(cudaSetDevice(100000)), CudaError);
  EXPECT_NO_THROW(cuda::check_launch("nothing"));
}

}  // namespace
}  // namespace tri::test
