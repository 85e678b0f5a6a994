#include "sim/cuda/runtime/check.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>

namespace tri::cuda {
namespace {

ExitCode code_for(cudaError_t status) {
  switch (status) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInvalidDevice:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidSource:  // dynamic parallelism when the driver compiled from PTX
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorSystemNotReady:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
      return ExitCode::no_gpu;
    default:
      return ExitCode::numerical;
  }
}

const char* hint_for(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "Use a smaller --n, or free GPU memory.";
    case cudaErrorNoDevice:
      return "Use --backend cpu, or make a GPU visible (CUDA_VISIBLE_DEVICES).";
    case cudaErrorInsufficientDriver:
      return "Update the NVIDIA driver, or use --backend cpu.";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidSource:
      return "Rebuild with -DCMAKE_CUDA_ARCHITECTURES set for this card, or use --backend cpu.";
    case cudaErrorInvalidDevice:
      return "See `triangulum list devices` for the numbers that --device accepts.";
    default:
      return "Run again under compute-sanitizer to locate the error.";
  }
}

std::string sentence(cudaError_t status, const char* call, const std::string& context) {
  return fmt::format("{}{}{} failed: {} ({}). {}", context, context.empty() ? "" : ": ", call,
                     cudaGetErrorString(status), cudaGetErrorName(status), hint_for(status));
}

}  // namespace

CudaError::CudaError(cudaError_t status, const char* call, const std::string& context)
    : Error(code_for(status), sentence(status, call, context)), status_(status) {}

void throw_error(cudaError_t status, const char* call, const std::string& context) {
  (void)cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw MemoryError(sentence(status, call, context));
  throw CudaError(status, call, context);
}

void throw_if_failed(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw_error(status, call);
}

void report_if_failed(cudaError_t status, const char* call) noexcept {
  static std::atomic_flag reported;
  if (status == cudaSuccess || reported.test_and_set()) return;
  std::fprintf(stderr, "warning: %s failed: %s\n", call, cudaGetErrorString(status));
}

void check_launch(const char* kernel) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw_error(status, kernel, "launch");
}

}  // namespace tri::cuda
