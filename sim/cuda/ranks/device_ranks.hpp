#pragma once
/// What ranks with a device each add up on their devices: by NCCL, or through the host where that is missing or two
/// ranks have the same device.

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/backend/communicator.hpp"
#include "sim/backend/ranks.hpp"
#include "sim/base/error.hpp"

namespace tri::cuda {

/// Bytes for another rank, and memory for as many from it.
struct Parcel {
  u32 peer;
  const void* out;
  void* in;
};

/// Every rank calls the same functions in the same order, with memory of its device. One thread of a rank at a time.
class DeviceRanks {
 public:
  explicit DeviceRanks(Communicator& ranks) : ranks_(ranks) {}
  virtual ~DeviceRanks() = default;
  DeviceRanks(const DeviceRanks&) = delete;
  DeviceRanks& operator=(const DeviceRanks&) = delete;

  u32 rank() const { return ranks_.rank(); }
  u32 size() const { return ranks_.size(); }
  /// As tri::all_or_none(): for what takes memory of one device, before the calls below.
  void all_or_none(const std::function<void()>& part) { tri::all_or_none(ranks_, part); }
  /// Throws BackendError on every rank unless they all bring the same number.
  void agree(const std::string& what, u64 number);
  /// [size()] the number of every rank, 0 or more. A host call, which waits for the others.
  std::vector<double> of_each(double number);

  /// The largest, or the sum, of what the ranks bring. Host calls, which wait for the others.
  u64 largest(u64 value);
  u64 total(u64 value);
  /// Every rank gets the elements of all, in the order of the ranks. As those.
  void gather(std::vector<uint2>& values);

  /// How they add: "NCCL 2.28.3", "host memory".
  virtual std::string means() const = 0;
  /// Whether the calls below wait for nothing, so that they may be captured into a graph.
  virtual bool may_be_captured() const = 0;
  /// Every element becomes the sum, the largest or the smallest of all ranks, with the same bits on each. Throw
  /// CudaError and BackendError.
  virtual void enqueue_sum(cudaStream_t stream, std::span<float> values) = 0;
  virtual void enqueue_sum(cudaStream_t stream, std::span<double> values) = 0;
  virtual void enqueue_sum(cudaStream_t stream, std::span<unsigned long long> values) = 0;
  virtual void enqueue_max(cudaStream_t stream, std::span<u32> values) = 0;
  virtual void enqueue_max(cudaStream_t stream, std::span<unsigned long long> values) = 0;
  virtual void enqueue_min(cudaStream_t stream, std::span<unsigned long long> values) = 0;
  /// Every rank gets the bytes of `root`.
  virtual void enqueue_broadcast(cudaStream_t stream, std::span<std::byte> bytes, u32 root) = 0;
  /// Every parcel, of so many bytes on every rank, goes to its peer, which has one for this rank. At most one for each
  /// other rank.
  virtual void enqueue_exchange(cudaStream_t stream, std::span<const Parcel> parcels, std::size_t bytes) = 0;

 protected:
  Communicator& ranks_;
};

/// Whether NCCL is there, and its version; else why not.
Availability nccl_available();

/// A call that every rank makes, with its device current. The communicator must outlive the result. Throws CudaError
/// and BackendError.
std::unique_ptr<DeviceRanks> make_device_ranks(Communicator& ranks, int device);

}  // namespace tri::cuda
