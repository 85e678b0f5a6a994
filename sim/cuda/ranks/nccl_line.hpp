#pragma once
/// A communicator of NCCL for messages from host to host: it has a stream of its own and some memory of the device,
/// through which they pass. Calls wait for the others, on one block of the GPU, for as long as they are allowed to.

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "sim/cuda/ranks/nccl_api.hpp"
#include "sim/cuda/runtime/device_buffer.hpp"
#include "sim/cuda/runtime/stream.hpp"

namespace tri::cuda {

/// The other ranks did not come in time. Nothing can be done with the line after that.
struct NcclTimeout : BackendError {
  using BackendError::BackendError;
};

class NcclLine {
 public:
  /// Every rank makes one, with its device current. bytes: of the device's memory. Throws BackendError, CudaError and
  /// NcclTimeout.
  NcclLine(const nccl::Api& api, const nccl::UniqueId& id, u32 rank, u32 ranks, std::size_t bytes, double within_s);
  ~NcclLine();
  NcclLine(const NcclLine&) = delete;
  NcclLine& operator=(const NcclLine&) = delete;

  /// One of NCCL's calls, in place on so many bytes of the device.
  using Call = std::function<nccl::Status(std::byte* memory, std::size_t bytes, nccl::Comm, cudaStream_t)>;
  /// The call, for all bytes, piece by piece; sends and receives say whether this rank's bytes matter before and after
  /// it. 0 seconds: waits for as long as it takes. As the constructor.
  void pass(std::span<std::byte> bytes, const Call& call, double within_s = 0, bool sends = true, bool receives = true);

 private:
  void check(nccl::Status status);
  bool settled();
  void wait(const std::function<bool()>& done, double end_s);

  const nccl::Api& api_;
  nccl::Comm comm_ = nullptr;
  bool broken_ = true;  ///< a call did not end well
  Stream stream_;
  Event done_;
  DeviceBuffer<std::byte> memory_;
};

/// What NCCL says of a failure, as a sentence.
std::string nccl_sentence(const nccl::Api& api, nccl::Status status, nccl::Comm comm = nullptr);

}  // namespace tri::cuda
