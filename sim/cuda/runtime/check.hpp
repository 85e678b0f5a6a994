#pragma once
/// CUDA calls whose failure becomes an exception that says which call, on what, and what to do.
///
/// TRI_CUDA(call) throws CudaError, or MemoryError when the card's memory ran out; TRI_CUDA_NOTHROW(call) is for
/// destructors and reports to stderr, once a process: after a failed kernel every later call fails alike.
/// check_launch(name) goes after every kernel launch: it sees the launch's own errors at once; those of the running
/// kernel surface at the next synchronising TRI_CUDA call.

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

/// Throws MemoryError for exhausted memory, else CudaError. A status that the runtime does not keep (all but those of a
/// failed kernel) is taken back first, so that the next check_launch() does not find it.
[[noreturn]] void throw_error(cudaError_t status, const char* call, const std::string& context = {});
void throw_if_failed(cudaError_t status, const char* call);
void report_if_failed(cudaError_t status, const char* call) noexcept;
void check_launch(const char* kernel);

}  // namespace tri::cuda

#define TRI_CUDA(call) ::tri::cuda::throw_if_failed((call), #call)
#define TRI_CUDA_NOTHROW(call) ::tri::cuda::report_if_failed((call), #call)
