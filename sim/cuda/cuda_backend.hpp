#pragma once
/// The CUDA backend. A build without CUDA links cuda_absent.cpp instead, so callers carry no #ifdef.

#include <memory>
#include <string>
#include <vector>

#include "sim/backend/backend.hpp"
#include "sim/backend/ranks.hpp"

namespace tri {

/// Throws BackendError with the reason when the device is not usable or does not exist.
std::unique_ptr<Backend> make_cuda_backend(int device);

/// That of a rank, whose engines share their sums with those of the other ranks: every rank then makes the same calls
/// of engines and of benches that are shared, the making of both included. The communicator must outlive it.
std::unique_ptr<Backend> make_cuda_backend(int device, Communicator& ranks);

/// finish_backends() for CUDA: waits for kernels that are being compiled (jit/runtime_kernel.hpp).
void finish_cuda_work() noexcept;

/// How devices of this machine add up their sums where several work together: ok with "NCCL 2.28.3", else why by
/// host memory.
Availability cuda_sums_by_nccl();

/// The processes that compute on a device on which this one does, too; empty if they are not known (nvml.hpp).
std::vector<DeviceProcess> cuda_processes(const std::string& bus_id);

/// Ranks of processes with a device each, whose messages NCCL carries, and which meet at "host:port", an address of the
/// first one's machine. host_rank: this rank's number on its machine. Once in a process. Ends it with a sentence if the
/// others do not come in two minutes. Throws BackendError and CudaError.
std::unique_ptr<Communicator> make_cuda_communicator(int device, u32 rank, u32 ranks, u32 host_rank,
                                                     const std::string& address);

}  // namespace tri
