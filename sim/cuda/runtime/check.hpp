#pragma once
/// Error checks for CUDA calls. Exceptions name the failed call and its context and give a hint.
///
/// TRI_CUDA(call) throws CudaError, or MemoryError when GPU memory is exhausted. TRI_CUDA_NOTHROW(call) is for
/// destructors and reports to stderr, once per process: after a failed kernel every later call fails as well.
/// check_launch(name) belongs after every kernel launch: it reports launch errors at once; errors of the running kernel
/// surface at the next synchronising TRI_CUDA call.

#include <cuda_runtime_api.h>

#include <string>

#include "sim/base/error.hpp"

namespace tri::cuda {

/// Exit code 3 for a missing or unusable device, 4 for a failed kernel.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, const char* call, const std::string& context = {});
  cudaError_t status() const noexcept { return status_; }

 private:
  cudaError_t status_;
};

/// Throws MemoryError for exhausted memory, else CudaError. Clears a non-sticky error first, so that the next
/// check_launch() does not report it.
[[noreturn]] void throw_error(cudaError_t status, const char* call, const std::string& context = {});
void throw_if_failed(cudaError_t status, const char* call);
void report_if_failed(cudaError_t status, const char* call) noexcept;
void check_launch(const char* kernel);

}  // namespace tri::cuda

#define TRI_CUDA(call) ::tri::cuda::throw_if_failed((call), #call)
#define TRI_CUDA_NOTHROW(call) ::tri::cuda::report_if_failed((call), #call)
