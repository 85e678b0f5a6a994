#pragma once
/// The CUDA backend. A build without CUDA links cuda_absent.cpp instead, so callers carry no #ifdef.

#include <memory>

#include "sim/backend/backend.hpp"
#include "sim/backend/communicator.hpp"

namespace tri {

/// Throws BackendError with the reason when the device is not usable or does not exist.
std::unique_ptr<Backend> make_cuda_backend(int device);

/// That of a rank, whose engines share their sums with those of the other ranks: every rank then makes the same calls
/// of engines and of benches that are shared, the making of both included. The communicator must outlive it.
std::unique_ptr<Backend> make_cuda_backend(int device, Communicator& ranks);

/// How devices of this machine add up their sums where several work together: ok with "NCCL 2.28.3", else why by
/// host memory.
Availability cuda_sums_by_nccl();

}  // namespace tri
