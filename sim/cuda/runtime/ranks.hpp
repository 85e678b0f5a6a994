#pragma once
/// Ranks with a device each: what they add up and exchange, by NCCL or host memory.
///
/// What ranks with a device each add up on their devices: by NCCL, or through the host where that is missing or two
/// ranks have the same device.

#include <sys/types.h>
#include <climits>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

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

// The part of NVIDIA's collective communications library (NCCL) that several devices need, loaded at run time: the
// program builds and runs without it. Names and numbers are those of the NCCL API reference.

namespace tri::cuda::nccl {

using Status = int;  ///< ncclResult_t
inline constexpr Status kSuccess = 0, kInvalidUsage = 5, kInProgress = 7;

using Comm = void*;  ///< ncclComm_t, opaque
struct UniqueId {    ///< ncclUniqueId
  char bytes[128];
};

/// ncclDataType_t, ncclRedOp_t
inline constexpr int kUint8 = 1, kUint32 = 3, kUint64 = 5, kFloat32 = 7, kFloat64 = 8;
inline constexpr int kSum = 0, kMax = 2, kMin = 3;

/// ncclConfig_t of version 2.17, which later ones take as well.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21700;
  int blocking = INT_MIN, cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN;  ///< INT_MIN: as usual
  const char* net_name = nullptr;
};

struct Api {
  Status (*get_version)(int*) = nullptr;
  Status (*get_unique_id)(UniqueId*) = nullptr;
  Status (*comm_init_rank)(Comm*, int ranks, UniqueId, int rank) = nullptr;
  Status (*comm_init_rank_config)(Comm*, int ranks, UniqueId, int rank, Config*) = nullptr;
  Status (*comm_get_async_error)(Comm, Status*) = nullptr;
  Status (*comm_finalize)(Comm) = nullptr;
  Status (*comm_destroy)(Comm) = nullptr;
  Status (*comm_abort)(Comm) = nullptr;
  Status (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation, Comm,
                       cudaStream_t) = nullptr;
  Status (*broadcast)(const void* from, void* to, std::size_t count, int type, int root, Comm, cudaStream_t) = nullptr;
  Status (*send)(const void* from, std::size_t count, int type, int peer, Comm, cudaStream_t) = nullptr;
  Status (*recv)(void* to, std::size_t count, int type, int peer, Comm, cudaStream_t) = nullptr;
  Status (*group_start)() = nullptr;
  Status (*group_end)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  const char* (*last_error)(Comm) = nullptr;
};

/// Loads the system's library, which is never unloaded. Not ok, with the reason, if it is missing or lacks a function.
Availability load(Api& api, const char* library = "libnccl.so.2");

/// The same, once in a process.
struct Loaded {
  Api api;
  Availability found;
};
const Loaded& loaded();

/// "NCCL 2.28.3".
std::string name_of(const Api& api);

}  // namespace tri::cuda::nccl

// Ranks that are processes with a GPU each, without MPI: NCCL carries their messages. There is no message that a rank
// could send while another is at work, so request_stop() does nothing: a stop takes effect when the others have done
// their parts. A rank whose process ends takes the others of its machine with it.

namespace tri::cuda {

/// What a rank knows of itself before it meets the others.
struct NcclSeat {
  u32 rank = 0, size = 1;
  u32 host_rank = 0;  ///< its number on its machine
  int device = 0;     ///< its own alone
};

/// Seconds that a rank waits for the others.
inline constexpr double kNcclMeeting = 120;

/// Every rank of the id makes one. Ends the process with a sentence if the others do not come in time. Throws
/// BackendError and CudaError.
std::unique_ptr<Communicator> make_nccl_communicator(const NcclSeat& seat, const nccl::UniqueId& id,
                                                     double within_s = kNcclMeeting);

/// The same for ranks that meet at "host:port", an address of the first one's machine. One thread of a process at a
/// time: NCCL reads the address from the environment.
std::unique_ptr<Communicator> meet_by_nccl(const NcclSeat& seat, const std::string& address,
                                           double within_s = kNcclMeeting);

// Sees other processes of this machine end.

/// Watches processes of its own PID namespace, on a thread of its own. Watches nothing if no thread can be started or
/// the kernel is older than 5.3.
class ProcessWatch {
 public:
  /// gone(k): the process pids[k] ended so many seconds ago, and this object still lives. Called once at most, on the
  /// thread.
  ProcessWatch(const std::vector<pid_t>& pids, double patience_s, std::function<void(std::size_t)> gone);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

 private:
  void watch(double patience_s, const std::function<void(std::size_t)>& gone);

  std::vector<int> files_;  ///< of the processes, then the one that ends the thread; -1: none
  std::thread thread_;
};

/// The PID namespace of this process; processes of one namespace and machine know each other by their numbers.
unsigned long long pid_namespace();

}  // namespace tri::cuda
