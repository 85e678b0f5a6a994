#pragma once
/// CUDA calls whose failure becomes an exception that says which call, on what, and what to do.
///
/// TRI_CUDA(call) throws CudaError; TRI_CUDA_NOTHROW(call) is for destructors and reports to stderr once.
/// check_launch(name) goes after every kernel launch: it sees the launch's own errors at once; those of the running
/// kernel surface at the next synchronising TRI_CUDA call.

#include <cuda_runtime_api.h>

#include <string>

#include "sim/error.hpp"

namespace tri::cuda {

/// Exit code 3 for a missing or unusable device, 5 for exhausted memory, 4 for a failed kernel.
class CudaError : public Error {
 public:
  CudaError(cudaError_t status, const char* call, const std::string& context = {});
  cudaError_t status() const noexcept { return status_; }

 private:
  cudaError_t status_;
};

void throw_if_failed(cudaError_t status, const char* call);
void report_if_failed(cudaError_t status, const char* call) noexcept;
void check_launch(const char* kernel);

}  // namespace tri::cuda

#define TRI_CUDA(call) ::tri::cuda::throw_if_failed((call), #call)
#define TRI_CUDA_NOTHROW(call) ::tri::cuda::report_if_failed((call), #call)
