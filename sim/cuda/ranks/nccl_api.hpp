#pragma once
/// The part of NVIDIA's collective communications library (NCCL) that several devices need, loaded at run time: the
/// program builds and runs without it. Names and numbers are those of the NCCL API reference.

#include <cuda_runtime_api.h>

#include <climits>
#include <string>

#include "sim/base/error.hpp"

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
