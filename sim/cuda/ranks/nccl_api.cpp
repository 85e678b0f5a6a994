#include "sim/cuda/ranks/nccl_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

namespace tri::cuda::nccl {

Availability load(Api& api, const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {false, fmt::format("{} is missing; it comes with NCCL", library)};
  std::string missing;
  const auto resolve = [&]<class Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  resolve(api.get_version, "ncclGetVersion");
  resolve(api.get_unique_id, "ncclGetUniqueId");
  resolve(api.comm_init_rank, "ncclCommInitRank");
  resolve(api.comm_init_rank_config, "ncclCommInitRankConfig");
  resolve(api.comm_get_async_error, "ncclCommGetAsyncError");
  resolve(api.comm_finalize, "ncclCommFinalize");
  resolve(api.comm_destroy, "ncclCommDestroy");
  resolve(api.comm_abort, "ncclCommAbort");
  resolve(api.all_reduce, "ncclAllReduce");
  resolve(api.broadcast, "ncclBroadcast");
  resolve(api.send, "ncclSend");
  resolve(api.recv, "ncclRecv");
  resolve(api.group_start, "ncclGroupStart");
  resolve(api.group_end, "ncclGroupEnd");
  resolve(api.error_string, "ncclGetErrorString");
  resolve(api.last_error, "ncclGetLastError");
  if (missing.empty()) return {true, ""};
  return {false, fmt::format("{} has no function {}", library, missing)};
}

const Loaded& loaded() {
  static const Loaded once = [] {
    // Multicast over NVLink fails on hosts whose fabric manager is not set up for it.
    setenv("NCCL_NVLS_ENABLE", "0", 0);
    Loaded now;
    now.found = load(now.api);
    return now;
  }();
  return once;
}

std::string name_of(const Api& api) {
  int version = 0;
  if (api.get_version(&version) != kSuccess) return "NCCL";
  return fmt::format("NCCL {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace tri::cuda::nccl
